"""States into which forms the values of arguments may be brought, and where references would not fit."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from typing import Any

from clingo import Function, Number, Symbol

from refract_asp.errors import RefractError, shown
from refract_asp.model import Call, Constant, Reference, Sequence, Source, Structure
from refract_asp.model.paths import FieldPath, parse_path, path_text
from refract_asp.model.schemas import ANY, type_of
from refract_asp.model.secrets import HIDDEN
from refract_asp.model.sequence import numbered, slots_of
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fitting import fits_inside, is_held_fit, is_unfit, types_read
from refract_asp.rules.instance import Instance, Place
from refract_asp.rules.likeness import FAR, is_kin
from refract_asp.rules.repetition import value_index
from refract_asp.rules.schemas.dialects import Hole, source_of, value_of
from refract_asp.rules.schemas.recasting import Recast, recasts
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator
from refract_asp.rules.symbols import plain, text

# Longer texts are not looked at for a call.
MAX_TEXT = 2000
NOTHING = Function("nothing")


def find_inner_calls(instance: Instance, is_admissible: Callable[[Call], bool]) -> None:
    """
    Note which arguments that do not fit hold a call of a known tool instead of a value.

    Only a call that could be made as it stands, and that reads from no other one, is taken.

    Args:
        instance: the sequence; what is found is noted there.
        is_admissible: whether a call is right on its own.
    """
    for number, parameter in instance.unfit:
        for call in _calls_in(instance.call(number).arguments[parameter]):
            if instance.index.get(call.name) is not None and is_admissible(call):
                instance.inner[number, parameter] = call


def _calls_in(source: Source) -> Iterator[Call]:
    """Yield the one call that a value is, as an object or as text."""
    data: Any = source.value if isinstance(source, Constant) else None
    is_text = isinstance(data, str) and len(data) <= MAX_TEXT and ("(" in data or "{" in data)
    if not is_text and not isinstance(data, dict):
        return
    try:
        if is_text and data.lstrip().startswith("{"):
            data = json.loads(data)
        calls = Sequence.load(data if isinstance(data, str) else [data]).calls
    except (RefractError, ValueError, RecursionError):
        return
    for call in calls if len(calls) == 1 else ():
        reads = any(list(slots_of(argument)) for argument in call.arguments.values())
        if call.malformed is None and not call.confirms and not reads:
            yield call


def state_forms(evidence: Evidence, call: int, parameter: str, tool: str, target: str) -> None:
    """
    State whether an argument fits a parameter, and if not which forms of it do.

    Args:
        evidence: what is stated so far.
        call: the number of a given call.
        parameter: the argument as it was given.
        tool: the tool that the call has or may get.
        target: the parameter of that tool to which the argument goes or may go.
    """
    if not evidence.is_new("forms", call, parameter, tool, target):
        return
    evidence.targets.setdefault((call, parameter), set()).add((tool, target))
    validator = evidence.index.validator(tool, target)
    if validator is None:
        return
    try:
        _Argument(evidence, call, parameter, tool, target).state(validator)
    except BrokenSchemaError:
        return  # a tool that is only one of several that were meant, or the call is left alone anyway


class _Argument:
    """An argument of a call, and the parameter of a tool to which it goes or may go."""

    def __init__(
        self, evidence: Evidence, call: int, parameter: str, tool: str, target: str
    ) -> None:
        self.evidence, self.instance = evidence, evidence.instance
        self.call, self.parameter, self.tool, self.target = call, parameter, tool, target
        self.source = self.instance.call(call).arguments[parameter]

    def state(self, validator: Validator) -> None:
        """State whether it fits, and if not which forms of it do."""
        source = self.source
        if source.kind == "ask":
            return
        if source.kind == "reference":  # what it reads may be put into a list
            hole = Hole(source, types_read(self.instance, (self.call, self.parameter, 0)))
            if not validator.is_valid(hole):
                self._state_recasts(hole, validator)
            return
        if not is_unfit(self.instance, self.call, self.parameter, self.tool, self.target):
            return
        self.evidence.add("in_unfit", self.call, self.parameter, self.tool, self.target)
        if self._state_inner():
            return
        read = {id(reference): self._types_settled(n) for n, reference in numbered(source)}
        value = value_of(source, lambda reference: read[id(reference)])
        self._state_recasts(value, validator)
        several = value if isinstance(value, list) else []
        is_few = 2 <= len(several) <= self.evidence.allowed.depth + 1
        if is_few and all(map(validator.is_valid, several)):
            self._add(Function("each", [Number(len(several))]), 1)
        declared = self.evidence.index.tools[self.tool].parameters.get(self.target)
        name = self.instance.call(self.call).name
        is_own = (self.tool, self.target) == (name, self.parameter)
        if is_own and source == Constant() and declared is not None and not declared.required:
            self._add(NOTHING, 1)

    def _add(self, form: Symbol | int, distance: int) -> None:
        ends = (self.call, self.parameter, self.tool, self.target)
        self.evidence.add("in_recast", *ends, form, distance)

    def _state_inner(self) -> bool:
        """
        State which outputs of the call inside the argument could be what the parameter wants.

        Returns:
            Whether there is one; then the argument is no value that could come into another form.
        """
        inner = self.instance.inner.get((self.call, self.parameter))
        if inner is None:
            return False
        index, ends = self.evidence.index, (self.tool, self.target)
        fits = index.fits(inner.name, *ends)
        fitting = [
            (p, distance) for p, _, distance in fits if not index.clashes(inner.name, p, *ends)
        ]
        found = fitting[: self.evidence.bounds.paths]
        if not fits and not index.clashes(inner.name, (), *ends):
            found = [((), FAR)]
        stated: list[FieldPath] = []
        for path, distance in found:
            # what lies inside one that fits, or bears the same name farther down, is not meant beside it
            if not any(path[: len(p)] == p or _leaf(path) == _leaf(p) for p in stated):
                stated.append(path)
                self._add(Function("inner", [text(path_text(path))]), 1 + distance)
        return bool(stated)

    def _types_settled(self, slot: int) -> frozenset[str]:
        """Return the types that a reference reads; none where another call may come to be read."""
        instance, place = self.instance, (self.call, self.parameter, slot)
        reference = instance.references.get(place)
        is_lost = place in instance.lost or (
            reference is not None
            and place in instance.recalled
            and not instance.memory.holds(reference.label, reference.path)
        )
        is_open = place in instance.producers and instance.tool(instance.producers[place]) is None
        return frozenset() if is_lost or is_open else types_read(instance, place)

    def _state_recasts(self, value: object, validator: Validator) -> None:
        found, is_cut = recasts(value, validator)
        if is_cut:
            self.evidence.cut(f"forms of {shown(self.parameter)} of call {self.call + 1}")
        for recast in found[: self.evidence.bounds.forms]:
            source = source_of(recast.value)
            number = value_index(self.instance, source)
            place = (self.call, self.parameter, number)
            known = self.evidence.forms.get(place)
            if known is None or recast.distance < known.distance:
                self.evidence.forms[place] = recast
            self._add(number, recast.distance)
            kept = {id(slot) for slot in slots_of(source)}
            for slot, reference in numbered(self.source):
                if id(reference) not in kept:
                    self.evidence.add("in_form_without", *place, slot)
            self._state_keys(number, recast)

    def _state_keys(self, number: int, recast: Recast) -> None:
        """State which keys inside the value a form renames, leaves out or takes away around all of it."""
        evidence = self.evidence
        ends = (self.call, self.parameter, self.tool, self.target, number)
        is_secret = evidence.index.secrets.is_argument(
            self.tool, self.target
        )  # so are its keys, then
        for step in recast.steps:
            if step.rule == "rename_key":
                names = (str(step.path[-1]), step.after.strip('"'))
                key, field = (HIDDEN, "") if is_secret else names
                evidence.state_meant(key, field)
                evidence.say("in_moved", *ends, key, field)
            elif step.rule == "drop_key":
                evidence.say("in_left_out", *ends)
            elif step.rule == "unwrap" and not step.path and not is_secret:
                source = self.source
                for wrapper in source.value if isinstance(source, Constant | Structure) else ():
                    if isinstance(wrapper, str) and is_kin(wrapper, self.target):
                        # what is inside says where it goes
                        evidence.state_kin(self.parameter, self.target, True)


def _leaf(path: FieldPath) -> str | None:
    """Return the last name in a path."""
    return next((step for step in reversed(path) if isinstance(step, str)), None)


def state_clashes(evidence: Evidence) -> None:
    """
    State which references would read another type than is wanted, where they may come to read.

    A label, a tool or a parameter may change its meaning in a repair; the path that is read from it
    stays. What a reference may be pointed to instead was looked at when it was offered.
    """
    instance = evidence.instance
    for place, reference in instance.references.items():
        call, parameter, slot = place
        targets = evidence.targets.get((call, parameter), set())
        is_open = place in evidence.open_places or bool(targets) or instance.tool(call) is None
        if call == instance.end or not is_open:
            continue
        written = path_text(reference.path)
        givers = instance.givers.get(written, {}) | evidence.givers.get(written, {})
        read = dict.fromkeys((giver, written) for giver in givers) | evidence.near.get(written, {})
        wanted = sorted(targets | {(tool, parameter) for tool in evidence.possible_tools(call)})
        if slot != 0:
            _state_clashes_inside(evidence, place, read, wanted)
            continue
        for ends in wanted:
            if evidence.is_new("clash", written, *ends):
                for giver, spelling in read:
                    if _is_clash(evidence, giver, parse_path(spelling), *ends):
                        evidence.add("in_clash", giver, spelling, *ends)


def _is_clash(
    evidence: Evidence, giver: Symbol | str, path: FieldPath, tool: str, target: str
) -> bool:
    """Whether what a tool returns, or memory holds, does not fit a parameter."""
    if isinstance(giver, str):
        return evidence.index.clashes(giver, path, tool, target)
    held = Reference(label=plain(giver.arguments[0]), path=path)
    try:
        return not is_held_fit(evidence.instance, held, tool, target)
    except BrokenSchemaError:
        return False


def _state_clashes_inside(
    evidence: Evidence,
    place: Place,
    read: Collection[tuple[Symbol | str, str]],
    wanted: Collection[tuple[str, str]],
) -> None:
    """State the same of a reference inside a value that fits; what does not is judged by its forms."""
    instance, index = evidence.instance, evidence.index
    call, parameter, _ = place
    source = instance.call(call).arguments[parameter]
    for tool, target in wanted if isinstance(source, Structure) else ():
        validator = index.validator(tool, target)
        try:
            is_unfit_itself = is_unfit(instance, call, parameter, tool, target)
        except BrokenSchemaError:
            continue
        is_declared = target in index.tools[tool].parameters
        if validator is None or is_unfit_itself or not is_declared:
            continue
        for giver, spelling in read:
            path = parse_path(spelling)
            if isinstance(giver, str):
                types = index.types_at(giver, path)
            else:
                label = plain(giver.arguments[0])
                is_held = instance.memory.holds(label, path)
                types = frozenset({type_of(instance.memory.at(label, path))}) if is_held else ANY
            if not fits_inside(validator, source, instance.references[place], types):
                evidence.add("in_clash_inside", *place, giver, spelling, tool, target)
