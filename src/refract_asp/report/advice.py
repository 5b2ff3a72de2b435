"""
What a diagnostic says beyond its violation: the valid options, what was meant, what to change.

Nothing is judged here. The encodings say what is wrong and where; the specification is looked up at that place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias, TypeVar

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model import Parameter, Reference, Tool, Violation, schemas
from refract_asp.model.catalog import MAX_DEPTH
from refract_asp.model.diagnostic import Available, Limits, Listing
from refract_asp.model.paths import FieldPath, entered, reference_text, shared_steps, spelt
from refract_asp.model.secrets import HIDDEN
from refract_asp.report import suggestions
from refract_asp.resources import packaged
from refract_asp.rules.engine import options_of
from refract_asp.rules.evidence import Options
from refract_asp.rules.fitting import may_be_held, may_stand, types_read
from refract_asp.rules.gather import doubted_tools
from refract_asp.rules.instance import Instance
from refract_asp.rules.likeness import is_one_letter
from refract_asp.rules.program import Files, repair_program

MAX_SIMILAR = 100
"""So many names are compared further."""
MOST_FAULTS = 3
"""Of so many faults of a value it is said what is expected."""
MOST_TOOLS = 3
"""So many tools are named that return a field."""
MAX_LABELS = 300
"""So many labels are compared with one that is lost."""
FEW_TYPES = 4
"""So many types are named each."""
MAX_FIELDS = 10_000
"""So many fields of a value in memory are counted."""
T = TypeVar("T")


Advice: TypeAlias = dict[str, Any]
"""What a report shows of a violation: fields of a diagnostic, checked where that is made."""


class Fields(NamedTuple):
    """The type at each path of what a call returns or memory holds, shallow ones first; is there more below."""

    types: dict[FieldPath, str]
    is_cut: bool = False

    @classmethod
    def inside(cls, value: Any) -> Fields:
        """Return the fields of a value, down to a depth."""
        types: dict[FieldPath, str] = {}
        level: dict[FieldPath, Any] = {(): value}
        for _ in range(MAX_DEPTH):
            level = dict(islice(_below(level), MAX_FIELDS - len(types)))
            types |= {path: schemas.type_of(part) for path, part in level.items()}
        return cls(types, any(True for _ in _below(level)))


def _below(level: dict[FieldPath, Any]) -> Iterator[tuple[FieldPath, Any]]:
    """Yield what lies one step deeper in values; of a list the first element stands for all."""
    for path, value in level.items():
        parts = enumerate(value[:1] if isinstance(value, list) else ())
        for step, part in value.items() if isinstance(value, dict) else parts:
            yield (*path, step), part


class Adviser:
    """
    Looks up the valid options in the place of a violation: for each code the method of that name.

    Args:
        instance: the sequence and the catalog.
        violation: what is wrong.
        limits: how many entries and suggestions are given.
        cache: what was looked up for other violations of the same report; under "problem" what
            was asked for, where that is known.
    """

    def __init__(
        self, instance: Instance, violation: Violation, limits: Limits, cache: dict[object, Any]
    ) -> None:
        """Take a violation."""
        self.instance, self.violation, self.limits, self.cache = instance, violation, limits, cache
        self.index = instance.index
        self.number = violation.call if violation.call is not None else -1
        self.parameter = violation.parameter or ""
        self.name = shown(self.parameter)
        self.place = self.number, self.parameter, violation.reference or 0

    def advice(self) -> Advice:
        """Say the valid options, what was meant and what to change."""
        code, tips = self.violation.code, packaged("model/words")["tips"]
        if code not in tips:
            return dict(getattr(self, code)())
        call = self._call_text(self.number) if self.number >= 0 else ""
        text = tips[code].format(tool=shown(self.violation.tool), call=call)
        return {"fix": text} if text.startswith("Remove") else {"tip": text}

    # -- what they have in common ------------------------------------------------

    @property
    def tool(self) -> Tool:
        """The tool of the call, which the catalog has."""
        tool = self.instance.tool(self.number)
        assert tool is not None
        return tool

    @property
    def reference(self) -> Reference:
        """The reference that is wrong."""
        return self.instance.references[self.place]

    @property
    def _options(self) -> Options:
        """The options of the encodings about names; those of the shipped ones where they are unknown."""
        problem = self.cache["problem"]
        found = repair_program(Files()) if problem is None else problem.engine.repairing().program
        return options_of(found)

    def _call_text(self, number: int) -> str:
        call = self.instance.call(number)
        return f"call {number + 1} ({shown(call.label or call.name)})"

    def _similar(self, name: str, names: Iterable[str]) -> list[str]:
        """Return the names that were probably meant, best first; how many are shown is another matter."""
        method: suggestions.Method = "fuzzy" if self.limits.fuzzy else "substring"
        return suggestions.find_similar_items(name, names, max_results=MAX_SIMILAR, method=method)

    def _told(
        self, meant: Iterable[str], fix: str | None, tip: str, listed: Listing | None = None
    ) -> Advice:
        """Tell what may be meant and the valid options, and what to change, or a tip where that is not known."""
        looked = islice(meant, MAX_LABELS + self.limits.suggestions)
        suggestions = tuple(dict.fromkeys(looked))[: self.limits.suggestions]
        told: Advice = {"available": listed, "suggestions": suggestions}
        return told | ({"tip": tip} if fix is None else {"fix": fix})

    def _listing(
        self,
        title: str,
        names: Sequence[T],
        entry: Callable[[T], Available] = lambda name: Available(text=shown(name)),
    ) -> Listing | None:
        """List the first ones of some names, None where there are none."""
        entries = tuple(map(entry, names[: self.limits.fields]))
        more = len(names) - len(entries)
        return Listing(title=title, entries=entries, more=more) if names else None

    # -- tools, parameters, values -------------------------------------------------

    def unknown_tool(self) -> Advice:
        """List the tools that exist, of many the nearest ones first; these may be meant."""
        tools, written = self.index.tools, self.violation.tool
        beside = [name for name, _ in self.index.near_names(written)[0]]
        found = dict.fromkeys([*beside, *self.index.sharing(written)])
        near, alike = [], []
        options = self._options
        for far, name, doubts in doubted_tools(self.instance, options, self.number, found):
            is_other = "unlike_words" in doubts
            most = options.clear_distance if is_other else options.alike_distance
            if "unmeant contrary" not in doubts and far <= most:
                alike.append(name)
                if "unmeant by_name" not in doubts or is_one_letter(written, name):
                    near.append((far, name, doubts))
        names = [*dict.fromkeys([*(alike if len(tools) > self.limits.fields else ()), *tools])]
        if not names:
            return self._told((), None, "Give the tools: the catalog is empty", None)
        none = "none is clearly meant" if alike else "none has a similar name"
        fix, tip = None, f"Use a tool of the catalog; {none}"
        if near:
            distance, best, doubts = near[0]
            rivals = [name for far, name, _ in near[1:2] if far - distance < options.clear_margin]
            changes = tools[best].effect in ("write", "destructive")
            is_clear = distance <= options.clear_distance and not rivals and not changes
            is_meant = distance <= options.slip_distance or is_clear
            if is_meant and doubts.isdisjoint({"unlike", "unlike_words"}):
                fix = suggestions.change(shown(written), shown(best))
            meant = " or ".join(map(shown, [best, *rivals]))
            tip = f"{meant} may be meant; check before you use it"
        return self._told(map(shown, alike), fix, tip, self._listing("Available tools", names))

    def undeclared_parameter(self) -> Advice:
        """List what the tool takes; of that, what no argument goes to yet may be meant."""
        tool, name = self.tool, self.name
        taken = self.instance.call(self.number).arguments
        claimed = self._claimed(tool)
        others = {goal for name, goal in claimed.items() if name != self.parameter}
        free = [each for each in tool.parameters if each not in taken and each not in others]
        needed = [shown(each) for each in free if tool.parameters[each].required]
        title = f"Parameters of {shown(tool.name)}"
        listed = self._listing(title, [*tool.parameters], self._parameter)
        missing = f", or give its value to {' or '.join(needed[:3])}" if needed else ""
        meant = claimed.get(self.parameter)
        fix = None if meant is None else suggestions.change(name, shown(meant))
        value = getattr(taken[self.parameter], "value", None)  # as `mode="append"` for `append`
        named = [each for each in free if each == value]
        similar = map(shown, [*named, *self._similar(self.parameter, free)])
        return self._told(similar, fix, f"Remove {name}{missing}", listed)

    def _claimed(self, tool: Tool) -> dict[str, str]:
        """Return which parameter each argument that is not declared probably means, no parameter twice."""
        if (key := ("claimed", self.number)) in self.cache:
            return dict(self.cache[key])
        taken = self.instance.call(self.number).arguments
        free = [name for name in tool.parameters if name not in taken]
        claimed: dict[str, str] = self.cache.setdefault(key, {})
        for name in taken if not tool.additional_parameters else ():
            if name not in tool.parameters:
                left = (each for each in free if each not in claimed.values())
                if meant := self._similar(name, left):
                    claimed[name] = meant[0]
        return claimed

    def missing_parameter(self) -> Advice:
        """Say what is missing; what goes to no parameter may be it, or a value of its name and type."""
        tool, name = self.tool, self.name
        parameter = tool.parameters[self.parameter]
        # references to values of its name and type, the latest first
        references, bearers = list[str](), self._bearers()
        wanted = self.index.taken_types(tool.name, self.parameter)
        for label, number in bearers.items():
            producer = self.instance.tool(number)
            if producer is None:
                continue
            for path in producer.output_paths:
                is_named = str(path[-1]).lower() == self.parameter.lower()
                if is_named and self.index.types_at(producer.name, path) <= wanted:
                    references.append(reference_text(label, path))
        held: tuple[str, FieldPath] = (self.parameter, ())
        is_known = self.parameter in self.instance.memory.values and self.parameter not in bearers
        if is_known and may_be_held(self.instance, held, tool.name, self.parameter):
            references.append(reference_text(*held))
        offers = [f'{name}="{shown(text)}"' for text in references]
        fix = f"Add {offers[0]}" if offers else None
        known = self.index.known_value(tool.name, self.parameter)
        if "default" in parameter.json_schema and known:
            default = parameter.json_schema["default"]
            default = self.index.secrets.value([tool.name], [self.parameter], default)
            fix = f"Add {name}={suggestions.value_text(default)}, its default"
        wrong = [given for given, meant in self._claimed(tool).items() if meant == self.parameter]
        if wrong:
            fix = suggestions.change(shown(wrong[0]), name)
        listed = Listing(title="Missing input", entries=(self._parameter(self.parameter),))
        told = self._told(offers, fix, f"Add {name}, or ask for it", listed)
        return told | {"expected": parameter_type(parameter, tool)}

    def _bearers(self) -> dict[str, int]:
        """Return which earlier call has each label that can be read, of the latest 300."""
        found: dict[str, int] = {}
        for number in reversed(self.instance.earlier(self.number)):
            label = self.instance.call(number).label
            if label is not None:
                found.setdefault(label, number)
            if len(found) == MAX_LABELS:
                break
        return found

    def _parameter(self, name: str) -> Available:
        """Say what a parameter takes and means, and whether it is required or what its default is."""
        tool = self.tool
        parameter = self.index.secrets.parameter(tool.name, tool.parameters[name])
        need = "required" if parameter.required else "optional"
        if "default" in parameter.json_schema:
            need += f", default: {suggestions.value_text(parameter.json_schema['default'])}"
        description = shown(parameter.description.strip())
        note = f"{description} ({need})" if description else need
        return Available(text=shown(name), type=parameter_type(parameter, tool), note=note)

    def invalid_value(self) -> Advice:
        """Say what is expected in each place; list the values that are allowed, where the schema does."""
        faults = self.violation.faults
        told = [
            f"{suggestions.inside_text(self.name, fault.path)} what is expected: {fault.expected}"
            for fault in faults[:MOST_FAULTS]
        ]
        tip = f"Give {'; '.join(told) or f'{self.name} another value'}"
        refused = (each for each in faults if each.keyword == "enum" and each.given != HIDDEN)
        if (fault := next(refused, None)) is None:
            return {"tip": tip}
        root, schema = self.tool.input_schema, self.tool.parameters[self.parameter].json_schema
        for step in entered(fault.path):
            schema = dict(schemas.children(schema, root)).get(step, {})
        schema = schemas.resolve(schema, root)
        members = schema.get("enum") if isinstance(schema, dict) else None
        if not isinstance(members, list) or not members:
            return {"tip": tip}
        named = {each: suggestions.value_text(each) for each in members if isinstance(each, str)}
        meant = [named[each] for each in self._similar(fault.given.strip('"'), named)]
        is_all = all(each.path == fault.path for each in faults)
        fix = suggestions.change(fault.given, meant[0]) if meant and is_all else None
        title = f"Allowed values of {suggestions.inside_text(self.name, fault.path)}"
        listed = self._listing(
            title, members, lambda value: Available(text=suggestions.value_text(value))
        )
        return self._told(meant, fix, tip, listed)

    # -- calls -----------------------------------------------------------------------

    def invalid_arguments(self) -> Advice:
        """Say what is wanted of the arguments together."""
        reason = self.instance.unmendable.get(self.number, ("", None, ""))[2]
        expected = shown(reason.removeprefix("expected "), LONGEST_TEXT) or None
        return {"expected": expected, "tip": "Pass arguments that the schema allows together"}

    def unmet_goal(self) -> Advice:
        """Say which call is missing, or stands in the wrong place; of a field which tools return it."""
        goal = next((g for g in self.instance.goals if str(g) == self.violation.given), None)
        if goal is None:
            return {"tip": f"Add a call of {shown(self.violation.tool)}"}
        if goal.kind == "before":
            return {"tip": f"Put a call of {shown(goal.name)} before that of {shown(goal.then)}"}
        if goal.kind == "tool":
            wanted = shown(str(self.index.secrets.goal(goal)), LONGEST_TEXT)
            return {"tip": f"Add a call{'' if goal.arguments else ' of'} {wanted}"}
        field = goal.name
        returned: dict[str, list[str]] = {}
        for tool in self.index.tools.values():
            steps = (path[-1] for path in tool.output_paths)
            returned[tool.name] = [each for each in steps if isinstance(each, str)]
        giving = [shown(name) for name, names in returned.items() if field in names]
        if giving:
            listed = " or ".join(giving[:MOST_TOOLS])
            return {"tip": f"Add a call of {listed}, which returns {shown(field)}"}
        every = dict.fromkeys(name for names in returned.values() for name in names)
        tip = f"No tool of the catalog returns {shown(field)}; name a field that one returns"
        return self._told(map(shown, self._similar(field, every)), None, tip)

    # -- references --------------------------------------------------------------------

    def unknown_field(self) -> Advice:
        """List what can be read there, and the fields whose names are like the one that was written."""
        title, fields = self._source()
        path = self.reference.path
        by_nearness = sorted(fields.types, key=lambda each: -shared_steps(path, each))
        found = suggestions.similar_paths(path, list(fields.types), fuzzy=self.limits.fuzzy)
        first = entered(path)
        if first != path and first in fields.types:  # an element that is not there
            found = [first, *(each for each in found if each != first)]
        fitting = [each for each in found if self._may_stand(fields.types[each])]
        fix, tip = None, "It has no fields"
        if found:
            fix = self._change((fitting or found)[0])
        elif fields.types:
            right = (each for each in by_nearness if self._may_stand(fields.types[each]))
            first_right = self._written(next(right, by_nearness[0]))
            tip = f"No field has a similar name; use {first_right} if it is what you mean"
        listed = by_nearness if len(by_nearness) > self.limits.fields else [*fields.types]
        return self._told(map(self._written, found), fix, tip, self._fields(title, fields, listed))

    def malformed_reference(self) -> Advice:
        """Suggest the reference that comes nearest, and list what can be read where that is none."""
        path = self.reference.path
        if path and entered(path) not in self._source()[1].types:
            return self.unknown_field()
        tip = "A reference is written $label.path$; the elements of a list are [0], [1], and so on"
        return self._told([self._written(path)], self._change(path), tip) | {"tip": tip}

    def type_mismatch(self) -> Advice:
        """List the fields that have the right type, those inside what is read first."""
        (_, fields), start = self._source(), self.reference.path
        expected, tool = None, self.instance.tool(self.number)
        if not self.violation.reference and tool is not None and self.parameter in tool.parameters:
            expected = parameter_type(tool.parameters[self.parameter], tool)
        fitting = _of_type(fields, expected) or [
            path for path, kind in fields.types.items() if kind != "any" and self._may_stand(kind)
        ]
        fitting = [path for path in fitting if path != start]
        right = [path for path in fitting if path[: len(start)] == start] or fitting
        title = f"Available fields with the right type{f' ({expected})' if expected else ''}"
        meant = suggestions.similar_paths((self.parameter,), right, fuzzy=self.limits.fuzzy)
        fix = self._change((meant or right)[0]) if meant or len(right) == 1 else None
        tip = f"Read {expected or 'a value of another type'} from elsewhere, or write it"
        listed = None
        if right:
            tip = f"Try {self._written(right[0])}"
            listed = self._fields(title, fields, right, self.limits.right_type)
        given = schemas.types_text(types_read(self.instance, self.place))
        told = self._told(map(self._written, meant), fix, tip, listed)
        return told | {"expected": expected, "given": given}

    def unknown_label(self) -> Advice:
        """List the labels that are borne; those with a like name, or that give what is read, may be meant."""
        label, path = self.reference.label, self.reference.path
        labels, types, giving = self._borne(path)
        named = self._similar(label, list(giving or types)[:MAX_LABELS])  # the latest ones
        meant = list(dict.fromkeys([*named, *giving]))
        fits = {each: self._may_be(each) for each in set(types.values())}
        fitting = [each for each in meant if fits[types[each]]]
        sure = fitting and (named or len(giving) == 1)
        tip = "Add the label to the call that returns it, or add such a call before this one"
        if tools := [] if giving else self.index.producers([path])[:3]:
            tip += f": {' or '.join(map(shown, tools))}"
        title = "Labels that can be read here"
        names = [*labels][::-1]
        listed = self._listing(title, names, lambda n: Available(text=shown(n), note=labels[n]))
        fix = self._change(path, fitting[0]) if sure else None
        suggestions = (self._written(path, each) for each in [*fitting, *meant])
        return self._told(suggestions, fix, tip, listed)

    def _borne(
        self, path: FieldPath
    ) -> tuple[dict[str, str], dict[str, frozenset[str]], list[str]]:
        """Return who has each label, the types it may give at a path, and the labels that declare the path."""
        memory = self.instance.memory
        labels: dict[str, str] = {}
        types: dict[str, frozenset[str]] = {}
        giving: list[str] = []
        for label, number in self._bearers().items():
            tool, name = self.instance.tool(number), self.instance.call(number).name
            labels[label] = shown(name)
            if tool is None:
                types[label] = schemas.ANY
                continue
            key = ("given", name, path)
            if key not in self.cache:  # the types there, and whether it declares the path
                found = tool.types_at(path) if tool.returns_path(path) else None
                self.cache[key] = found, tool.declares_path(path)
            found, declares = self.cache[key]
            if found is not None:
                types[label] = found
            if declares and path:
                giving.append(label)
        for held in memory.values:
            if held not in labels and memory.holds(held, path):
                types[held] = frozenset({schemas.type_of(memory.at(held, path))})
                giving += [held] if path else []
        labels |= {held: "memory" for held in memory.values if held not in labels}
        return labels, types, giving

    def unknown_variable(self) -> Advice:
        """List the names that memory knows."""
        values = self.instance.memory.values
        meant = self._similar(self.reference.label, values)
        types = {name: schemas.type_of(value) for name, value in values.items()}
        fitting = [label for label in meant if self._may_stand(types[label])]
        known = [Available(text=shown(name), type=kind) for name, kind in types.items()]
        listed = self._listing("What memory holds", known, lambda each: each)
        tip = f"Ask for {shown(self.reference.label)}, or add its value to memory"
        fix = self._change((), fitting[0]) if fitting else None
        suggestions = (self._written((), each) for each in [*fitting, *meant])
        return self._told(suggestions, fix, tip, listed)

    def read_before_written(self) -> Advice:
        """Say which call has to stand elsewhere, if that is enough."""
        reader, later = self.number, self.instance.producers[self.place]
        if reader == later:
            return {"tip": "Read from an earlier call; a call cannot read its own result"}
        reads: dict[int, set[int]] = {}
        for (number, _, _), producer in self.instance.producers.items():
            reads.setdefault(number, set()).add(producer)
        first, second = self._call_text(later), self._call_text(reader)
        if not any(reader <= each < later for each in reads.get(later, ())):
            return {"fix": f"Move {first} before {second}"}
        if not any(reader in reads.get(each, ()) for each in range(reader + 1, later + 1)):
            return {"fix": f"Move {second} after {first}"}
        return {"tip": f"Put {first} before {second}, or let one of them read from elsewhere"}

    def _source(self) -> tuple[str, Fields]:
        """Return what a reference reads from, and what can be read there."""
        label = self.reference.label
        producer = self.instance.producers.get(self.place)
        key = ("fields", label if producer is None else producer)
        if key not in self.cache:
            if producer is None:
                title = f"What memory holds under {shown(label)}"
                fields = Fields.inside(self.instance.memory.values.get(label))
            else:
                tool, name = self.instance.tool(producer), self.instance.call(producer).name
                title = f"Available outputs of {shown(label)} ({shown(name)})"
                listed = tool.output_fields if tool is not None else ()
                types = {field.path: field.type for field in listed}
                fields = Fields(types, tool is not None and tool.has_more_paths)
            self.cache[key] = title, fields
        found: tuple[str, Fields] = self.cache[key]
        return found

    def _fields(
        self, title: str, fields: Fields, paths: Sequence[FieldPath], most: int | None = None
    ) -> Listing:
        """List paths as references, each below what it lies in; the first ones where there are too many."""
        chosen = paths[: self.limits.fields if most is None else most]
        place = {path: number for number, path in enumerate(chosen)}
        starts = {path: [path[:end] for end in range(1, len(path) + 1)] for path in chosen}
        # Each behind the one in which it lies.
        nested = sorted(chosen, key=lambda each: [place[s] for s in starts[each] if s in place])
        told = ((self._written(path), fields.types[path]) for path in nested)
        entries = tuple(Available(text=text, type=kind) for text, kind in told)
        more = len(paths) - len(entries)
        return Listing(title=title, entries=entries, more=more, is_cut=fields.is_cut)

    def _written(self, path: FieldPath, label: str | None = None) -> str:
        """Print a reference in the spelling of the one that is wrong."""
        label = self.reference.label if label is None else label
        return shown(spelt(label, path, self.reference.spelling) or reference_text(label, path))

    def _change(self, path: FieldPath, label: str | None = None) -> str | None:
        return suggestions.change(shown(self.reference.spelt()), self._written(path, label))

    def _may_stand(self, kind: str) -> bool:
        """Whether a value of a type may stand where the reference does."""
        return self._may_be(schemas.ANY if kind == "any" else frozenset({kind}))

    def _may_be(self, types: frozenset[str]) -> bool:
        """Whether a value of one of some types may."""
        call = self.instance.call(self.number)
        tools = [call.name] if self.instance.tool(self.number) is not None else []
        return may_stand(self.instance, self.place, tools, types)


def parameter_type(parameter: Parameter, tool: Tool) -> str:
    """
    Return the JSON type that a parameter takes, a few with "or" between them, "any" where little is said.

    Example:
        >>> amount = Parameter(name="amount", json_schema={"type": "float"})
        >>> parameter_type(amount, Tool(name="Pay"))
        'number'
    """
    kind = schemas.schema_type(parameter.json_schema, tool.input_schema)
    kinds = schemas.schema_types(parameter.json_schema, tool.input_schema)
    return kind if kind != "any" or len(kinds) > FEW_TYPES else schemas.types_text(kinds)


def _of_type(fields: Fields, wanted: str | None) -> list[FieldPath]:
    """Return the fields that have just the type that is wanted."""
    words = wanted.split(" or ") if wanted not in (None, "any") else []
    types = frozenset(kind for word in words for kind in schemas.json_types(word))
    return [path for path, kind in fields.types.items() if kind in types]
