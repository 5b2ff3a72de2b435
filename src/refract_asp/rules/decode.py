"""Turns the choices of an answer set into a repaired sequence, its edits, asks and confirms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import Any, get_args

from refract_asp.errors import shown
from refract_asp.model import Ask, AskFor, Call, Confirm, ConfirmFor, Edit, Parameter, Source, Tool
from refract_asp.model.edits import Step, Violation
from refract_asp.model.paths import FieldPath, fields_of
from refract_asp.model.schemas import JsonSchema
from refract_asp.model.secrets import HIDDEN
from refract_asp.model.sequence import ConfirmArgument, ConfirmDrop, ConfirmTool, part_at, slots_at
from refract_asp.resources import packaged
from refract_asp.rules.choices import CallId, Choices, FromMemory, Inner, Part, Weights, Where
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fitting import touches
from refract_asp.rules.repaired import Repaired
from refract_asp.rules.schemas.dialects import source_of, value_of
from refract_asp.rules.schemas.recasting import NO_VALUE
from refract_asp.rules.schemas.validation import wanted_text
from refract_asp.rules.wrappers import members

_KINDS = get_args(get_args(Edit)[0])
# The class of each kind of edit.
_EDITS: dict[str, Any] = {made.model_fields["kind"].default: made for made in _KINDS}


def reason_of(risk: str) -> str:
    """Return what a reason of the rules means; one of a pattern of the user's stands for itself."""
    return str(packaged("model/words")["risks"].get(risk) or shown(risk))


# The edits that share their place with another one: such a one pays these kinds, the other one the
# rest.
_ALONE = {
    "rename_parameter": ("rename_parameter", "parameter_distance"),
    "move_call": ("move_call",),
    "keep_call": ("keep_call",),
}


def _schema_of(slot: Ask, source: Source, path: FieldPath, tool: Tool, name: str) -> JsonSchema:
    """Return which values an ask takes: inside a text whatever can stand in one."""
    if part_at(source, path) is slot:
        return tool.schema_inside(name, path)
    return {"type": ["string", "number", "boolean"]}


class Decoded(Repaired):
    """
    A repaired sequence and how it came about.

    Attributes:
        sequence: the repaired sequence.
        confirms: what has to be confirmed in it.
        built: each call as it was before confirms were opened.
        origins: for each call the number of the given one, None for an added one.
    """

    def __init__(self, evidence: Evidence, choices: Choices, weights: Weights) -> None:
        """Build the repaired sequence that an answer set stands for."""
        super().__init__(evidence, choices, weights)
        self.confirms: list[ConfirmFor] = []
        self.built: dict[CallId, Call] = {number: self.call_of(number) for number in self.order}
        self._made: list[tuple[Edit, tuple[object, ...]]] = []
        calls, opened = [], self._opened()
        for position, (number, call) in enumerate(self.built.items()):
            kept = self.given.calls[number].confirms if isinstance(number, int) else ()
            found = [(confirm, reason_of("given")) for confirm in kept]
            for confirm, reasons in opened.get(number, {}).items():
                if confirm not in kept:
                    found.append((confirm, "; ".join(reasons)))
            self.confirms += [ConfirmFor(call=position, confirm=c, reason=r) for c, r in found]
            every = tuple(confirm for confirm, _ in found)
            calls.append(call.model_copy(update={"confirms": every}) if every else call)
        returns = self.given.returns
        # calls of a plan that nothing it returns reads, and that are made all the same
        made_anyway = choices.kept.union(self.given.kept) - choices.unresolved
        update: dict[str, Any] = {"calls": tuple(calls), "notes": ()}
        update["asks"] = tuple(dict.fromkeys([*self.given.asks, *self.asks.values()]))
        update["returns"] = self.arguments_of(self.end) if returns else returns
        update["kept"] = tuple(at for at, n in enumerate(self.order) if n in made_anyway)
        self.sequence = self.given.model_copy(update=update)
        self.origins = tuple(call if isinstance(call, int) else None for call in self.order)

    def _opened(self) -> dict[CallId, dict[Confirm, dict[str, None]]]:
        """Return what has to be confirmed before each call, each once, with all the reasons."""
        found: dict[CallId, dict[Confirm, dict[str, None]]] = {}
        for where in sorted(self.choices.confirms, key=str):
            kind, call, parameter, _ = where
            confirm: Confirm = ConfirmTool()
            if kind != "call" and parameter is not None:
                place: Any = (call, parameter)
                confirm = ConfirmArgument(parameter=self.choices.renamed.get(place, parameter))
                if call in self.built and confirm.parameter not in self.built[call].arguments:
                    confirm = ConfirmDrop(parameter=parameter)
            found.setdefault(call, {}).setdefault(confirm, {})[self._why(where)] = None
        return found

    def _why(self, place: Any) -> str:
        """Say why something is to be confirmed, and whether only the name of its tool says what that does."""
        risk = self.choices.risky.get(place, "new")
        call = self.built.get(place[1])
        tool = self.instance.index.get(call.name) if call is not None else None
        is_inferred = risk == "destructive" and tool is not None and tool.effect == "unknown"
        return reason_of("destructive_by_name" if is_inferred else risk)

    def asked(self, violations: Iterable[Violation] = ()) -> list[AskFor]:
        """Return what was open in the given sequence, then each place where something is asked for now."""
        refused: dict[tuple[object, ...], str | None] = {
            (v.call, v.parameter, ()): v.given for v in violations if v.code == "invalid_value"
        }
        refused |= self._parts_refused()
        new: dict[str, list[AskFor]] = {name: [] for name in self.asks.values()}
        calls = enumerate(self.sequence.calls)
        places = [(number, call.name, call.arguments) for number, call in calls]
        for number, name, arguments in [*places, (None, "", self.sequence.returns or {})]:
            tool = self.instance.index.get(name)
            for parameter, source in arguments.items():
                declared = tool.parameters.get(parameter) if tool else None
                for slot, path in slots_at(source):
                    if not isinstance(slot, Ask) or slot.name not in new:
                        continue
                    at = (None if number is None else self.origins[number], parameter, path)
                    is_whole = number is not None and slot is source
                    known: dict[str, Any] = {}
                    if tool and declared:
                        schema = _schema_of(slot, source, path, tool, parameter)
                        known = {"description": declared.description, "json_schema": schema}
                        if is_whole or at in refused:
                            known |= self._answers(tool, declared, schema, refused.get(at), path)
                    ask = AskFor(name=slot.name, call=number, parameter=parameter, path=path)
                    new[slot.name].append(ask.model_copy(update=known))
        return [*(AskFor(name=name) for name in self.given.asks), *chain(*new.values())]

    def _answers(
        self, tool: Tool, asked: Parameter, schema: JsonSchema, given: str | None, path: FieldPath
    ) -> dict[str, Any]:
        """Return what may be answered where all of an argument, or a part at a path, is asked for."""
        types = self.instance.index.taken_types(tool.name, asked.name)
        # what is allowed in the place of a secret tells secrets, too
        is_shown = HIDDEN not in (given or "")
        return {
            "given": given,
            "expected": wanted_text(schema if path else asked.json_schema) * is_shown,
            "optional": not (path or asked.required or "null" in types),
        }

    def _parts_refused(self) -> dict[tuple[object, ...], str | None]:
        """Return what stood in each part of a value that is asked for now; None where nothing did."""
        return {
            (call, self.choices.renamed.get((call, parameter), parameter), step.path): (
                None if step.before == NO_VALUE else step.before
            )
            for call, parameter in self.choices.recast
            for step in self._steps(call, parameter)
            if step.rule == "ask"
        }

    # -- edits -----------------------------------------------------------------

    def edits(self) -> list[Edit]:
        """Work out what was changed, in the order of the repaired sequence; of few answer sets that is wanted."""
        self._made.clear()
        for number in self.order:
            call, places = self.built[number], list[Where]([("call", number, None, None)])
            if isinstance(number, int):
                given, label = self.given.calls[number], call.label
                same: dict[str, Any] = {"label": label, "before": given.name, "after": call.name}
                if number in self.choices.moved:
                    turned = {"before": number, "after": self.order.index(number), "risky": None}
                    self._add("move_call", number, *places, **{**same, **turned})
                if number in self.choices.kept - self.choices.unresolved:
                    self._add("keep_call", number, *places, label=label)
                if call.name != given.name:
                    self._add("rename_tool", number, *places, **same)
                if label is not None and given.label is None:
                    named = {"label": label, "after": label, "risky": None}
                    self._add("add_label", number, *places, label, **named)
                elif label is not None and label != given.label:
                    named = {"label": label, "before": given.label, "after": label}
                    self._add("rename_label", number, label, **named)
                for (opened, parameter), before in self.instance.opened.items():
                    if opened == number and number not in self.choices.unresolved:
                        held = {"label": label, "parameter": parameter, "before": before}
                        at: list[Where] = [("argument", number, parameter, None), *places]
                        self._add("open_argument", number, *at, **held, after=members(before))
                self._add_argument_edits(number, label)
            elif not isinstance(number, Part):
                places += [("argument", number, parameter, None) for parameter in call.arguments]
                fields: dict[str, Any] = {"label": call.label, "added": call}
                if isinstance(number, Inner):
                    fields["pattern"] = "transformation"
                self._add("add_call", None, *places, **fields)
        if self.instance.is_returning:
            self._add_argument_edits(self.end, None)
        for number in sorted(self.choices.deleted):
            call = self.given.calls[number]
            fields = {"label": call.label, "before": call}
            fields["instead"] = self.choices.replaced.get(number)
            self._add("delete_call", number, ("call", number, None, None), **fields)
        return self._with_costs()

    def _with_costs(self) -> list[Edit]:
        """
        Return edits with what each costs: what is paid at its place, whatever kind it is.

        What is paid where nothing is changed, as for a lost label whose references go different ways, counts to
        an edit of the same call or label. So all that an answer pays is listed, but for calls left unresolved.
        """
        edits, by_place = list[Edit](), defaultdict[object, list[int]](list)
        for number, (edit, places) in enumerate(self._made):
            edits.append(edit)
            for place in dict.fromkeys(places):
                by_place[place].append(number)

        def payers(place: object) -> list[int]:
            """Return the edits that are made at a place; else those of its call or label, else all."""
            owner: Any = place
            if isinstance(place, tuple):
                owner = place[1] if len(place) == 4 else place[0]
            name = "label" if isinstance(owner, str) else "call"
            near = (n for n, edit in enumerate(edits) if getattr(edit, name) == owner)
            others = range(0 if owner in self.choices.unresolved else len(edits))
            return by_place.get(place) or [*near] or [*others]

        costs: list[dict[str, int]] = [{} for _ in edits]
        for penalty in self.choices.penalties:
            kind, told = penalty.kind, payers(penalty.place)
            if kind in self.weights and told and kind != "leave_unresolved":
                own = (n for n in told if kind in _ALONE.get(edits[n].kind, ()))
                others = (n for n in told if edits[n].kind not in _ALONE)
                cost = costs[next(chain(own, others), told[0])]
                cost[kind] = cost.get(kind, 0) + sum(self.weights[kind].values()) * penalty.units
        paid = zip(edits, costs, strict=True)
        return [edit.model_copy(update={"cost": cost}) if cost else edit for edit, cost in paid]

    def _add(self, kind: str, call: int | None, *places: Any, **fields: Any) -> None:
        """Keep an edit with the places at which it is made, and with the first risk that there is."""
        risks, patterns = self.choices.risky, self.choices.patterns
        risk = next((self._why(place) for place in places if place in risks), None)
        told = (patterns[kind, place] for place in places if (kind, place) in patterns)
        fields = {"pattern": next(told, "self_contained"), **fields}
        self._made.append((_EDITS[kind](**{"call": call, "risky": risk, **fields}), places))

    def _add_argument_edits(self, number: int, label: str | None) -> None:
        choices, now = self.choices, self.arguments_of(number)
        for parameter, source in self.instance.call(number).arguments.items():
            where: Where = ("argument", number, parameter, None)
            place, target = (number, parameter), choices.renamed.get((number, parameter))
            name = target or parameter
            same: dict[str, Any] = {"label": label, "parameter": name, "before": source}
            if place in choices.dropped or place in choices.left_out:
                self._add("drop_argument", number, where, **{**same, "parameter": parameter})
                continue
            if target is not None:
                names = {"before": parameter, "after": target}
                self._add("rename_parameter", number, where, label=label, **names)
            after = now[name]
            same["after"] = after
            if place in choices.spread:
                parts = [p for p in self.order if isinstance(p, Part) and p.call == number]
                all_parts = range(len(parts) + 1)
                values = tuple(self.arguments_of(number, each)[name] for each in all_parts)
                self._add("split_call", number, where, **{**same, "after": values})
            elif place in choices.recast:
                steps = self._steps(number, parameter)
                if any(step.rule == "ask" for step in steps):
                    self._add("rebind", number, where, **same)
                else:
                    self._add("transform", number, where, **same, steps=steps)
            elif after != source:
                self._add_rebind(number, parameter, same)
        for parameter, source in now.items():
            if (number, parameter) in choices.filled:
                where = ("argument", number, parameter, None)
                same = {"label": label, "parameter": parameter, "after": source}
                self._add("fill", number, where, **same)

    def _add_rebind(self, number: int, parameter: str, same: dict[str, Any]) -> None:
        """Keep the edit of an argument that reads elsewhere, with where its first new value is from."""
        mended, slots = self.choices.mended, self.numbers(number, parameter)
        numbers = [n for n in slots if (number, parameter, n) in mended]
        if same["before"].kind != "reference" and (number, parameter, 0) in mended:
            numbers.insert(0, 0)
        elif not numbers:  # the first call from which it reads under another label than before
            places = [(number, parameter, n) for n in slots]
            known = (p for p in places if p in self.instance.references)
            origins = ((p[2], self.reference_origin(p)) for p in known)
            numbers = [n for n, origin in origins if not isinstance(origin, FromMemory | None)][:1]
        before, after = same["before"], same["after"]
        if before.kind == after.kind == "reference":
            written, fields = fields_of(before.path), fields_of(after.path)
            is_longer = len(after.path) > len(before.path) and before.label == after.label
            # a path that goes on from the one before is another form of the same value
            if is_longer and fields[: len(written)] == written:
                same["pattern"] = "transformation"
        where: list[Where] = [("reference", number, parameter, n) for n in numbers]
        self._add("rebind", number, ("argument", number, parameter, None), *where, **same)

    def _steps(self, number: int, parameter: str) -> tuple[Step, ...]:
        """Return how an argument came into its form, without what is secret under the name before or after."""
        form = self.evidence.forms[number, parameter, self.choices.recast[number, parameter]]
        target = self.choices.renamed.get((number, parameter), parameter)
        secrets, given = self.instance.index.secrets, self.instance.call(number)
        before, after = given.arguments[parameter], source_of(form.value)
        places = [
            place
            for tool in dict.fromkeys([given.name, self.tool_of(number)])
            for name, source in ((parameter, before), (target, before), (target, after))
            for place in secrets.places(str(tool), name, value_of(source))
        ]
        return tuple(
            step.model_copy(update={"before": HIDDEN, "after": HIDDEN})
            if step.rule not in ("rename_key", "drop_null")
            and any(touches(step.path, place) for place in places)
            else step
            for step in form.steps
        )
