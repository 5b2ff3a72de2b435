"""The sequence under judgement as facts: what is called, with which arguments, and who reads from whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from clingo import Function
from rapidfuzz.distance import OSA

from refract_asp.errors import shown
from refract_asp.model import Call, Goal, Level, Memory, Reference, Sequence, Structure, Tool
from refract_asp.model.paths import FieldPath, elements_of, path_text
from refract_asp.model.sequence import Source, Template, numbered, slots_of
from refract_asp.rules.index import CatalogIndex
from refract_asp.rules.symbols import Facts, memory

# A reference: index of the call, argument, number (0 the whole value, 1.. what lies inside).
Place = tuple[int, str, int]

# What a sequence returns counts as a call of a tool that takes anything.
RETURNS = Function("returns")

# Name and arity of the facts that nearly every sequence has: one program serves with or without
# them.
COMMON = frozenset({
    ("in_call", 1), ("in_name", 2), ("in_label", 2), ("in_arg", 2), ("in_tool", 1), ("in_effect", 2),
    ("in_required", 2), ("in_param", 2),
})  # fmt: skip

_STEM = re.compile(r"\d+$")


@dataclass(slots=True)
class Instance(Facts):
    """
    What is asked: a sequence with its goals, resolved and stated as facts; see `problem.compile_problem`.

    Calls are numbered from 0 as in the sequence; what it returns counts as one more; executed calls
    of the history have the numbers -1, -2, ... backwards.

    Attributes:
        undeclared: what becomes of arguments that their tool does not declare: "reject", "drop", "keep".
        goals: what the sequence has to bring about.
        level: what it has to be.
        references: what the calls of the sequence refer to.
        producers: the calls that they read from.
        lost: the labels that nothing has.
        recalled: the references to memory.
        variables: lost names that stand for values of the context.
        copies: calls that repeat an earlier one, label included.
        executed: what executed calls read from: a call, a label of memory, or nothing.
        pairs: calls that may turn out to be the same.
        values: a number for each value that such calls pass.
        readable: executed calls from which a reference can be made to read.
        texts: what looks like a label inside a text, and is none; no call may come to have it.
        unfit: the arguments that do not fit their parameter.
        unmendable: the calls that nothing can mend: a code, the parameter if it is one's, and why.
        nested: the texts that are a call of a known tool, and the paths in which they end.
        opened: the arguments that only held others, which stand in their place.
        asked: the sequence in which they were not opened, if there are any.
        inner: calls of known tools that stand inside an argument in place of a value.
        notes: what the user should know besides.
    """

    sequence: Sequence
    memory: Memory
    history: tuple[Call, ...]
    index: CatalogIndex
    undeclared: str = "reject"
    goals: tuple[Goal, ...] = ()
    level: Level = "admissible"
    references: dict[Place, Reference] = field(default_factory=dict)
    producers: dict[Place, int] = field(default_factory=dict)
    lost: dict[Place, str] = field(default_factory=dict)
    recalled: set[Place] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)
    copies: dict[int, int] = field(default_factory=dict)
    executed: dict[Place, int | str | None] = field(default_factory=dict)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    readable: set[int] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    unfit: dict[tuple[int, str], None] = field(default_factory=dict)
    unmendable: dict[int, tuple[str, str | None, str]] = field(default_factory=dict)
    nested: dict[tuple[int, str], tuple[Call, FieldPath]] = field(default_factory=dict)
    opened: dict[tuple[int, str], Source] = field(default_factory=dict)
    asked: Sequence | None = None
    inner: dict[tuple[int, str], Call] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def end(self) -> int:
        """The number of calls; also that of what is returned."""
        return len(self.sequence.calls)

    def call(self, number: int) -> Call:
        """Return a call by its number; the returns are a call without a tool."""
        if number < 0:
            return self.history[number]
        if number == self.end:
            return Call(name="", arguments=self.sequence.returns or {})
        return self.sequence.calls[number]

    def tool(self, number: int) -> Tool | None:
        """Return the tool of a call, or None when the catalog does not know it."""
        return self.index.get(self.call(number).name)

    def earlier(self, number: int) -> range:
        """Return the numbers of the calls before a call, executed ones first."""
        return range(-len(self.history), min(number, self.end))

    @property
    def live(self) -> list[int]:
        """The numbers of the calls from which a reference can be made to read, executed ones first."""
        return [*sorted(self.readable), *range(self.end)]

    def paths_read(self, number: int) -> list[FieldPath]:
        """Return the paths that are read from a call."""
        places = (place for place, producer in self.producers.items() if producer == number)
        return list(dict.fromkeys(self.references[place].path for place in places))

    def asked_of(self, number: int) -> tuple[str, list[str], list[FieldPath], set[str]]:
        """Return what tells which tool a call means: its name, arguments, what is read, and the other tools."""
        call, others = self.call(number), {*(each.name for each in self.sequence.calls)}
        return call.name, [*call.arguments], self.paths_read(number), others

    def feeder(self, place: Place) -> Tool | None:
        """Return the tool from which a reference reads, or None where there is none that is known."""
        producer = self.producers.get(place)
        return None if producer is None else self.tool(producer)

    def is_variable(self, place: Place) -> bool:
        """Whether a reference stands for a lost value of the context."""
        return self.lost.get(place) in self.variables

    def is_readable(self, place: Place, reference: Reference) -> bool:
        """Whether what a reference of an executed call read is still there."""
        origin = self.executed[place]
        if isinstance(origin, str):
            is_later = any(self.call(other).label == origin for other in range(place[0], 0))
            return not is_later and self.memory.holds(origin, reference.path)
        tool = self.tool(origin) if origin is not None else None
        return tool is not None and tool.returns_path(reference.path)

    def written(self, place: Place) -> str:
        """Return the path of a reference as it is written; a context variable stands for itself."""
        reference = self.references[place]
        return str(reference) if self.is_variable(place) else path_text(reference.path)

    def paths_known(self) -> Iterator[FieldPath]:
        """Yield every path into what memory holds; a value as a whole goes by its label."""

        def paths(value: object, path: FieldPath, depth: int) -> Iterator[FieldPath]:
            if isinstance(value, dict) and value and not depth:
                self.cut("values of memory that could be what a goal wants")
            elif isinstance(value, dict):
                for name, inner in value.items():
                    yield (*path, name)
                    yield from paths(inner, (*path, name), depth - 1)

        for label, value in self.memory.values.items():
            yield (label,)
            yield from paths(value, (), self.index.bounds.goal_depth)

    @property
    def discordant(self) -> set[int]:
        """Return the calls whose arguments do not go together, though each may be right."""
        found = self.unmendable.items()
        return {number for number, (code, _, _) in found if code == "invalid_arguments"}

    @property
    def is_plan(self) -> bool:
        """Whether the sequence was read from a plan, which makes only the calls that it needs."""
        return self.sequence.format == "plan"

    @property
    def is_returning(self) -> bool:
        """Whether the sequence says what it returns."""
        return bool(self.sequence.returns)


def bind_references(instance: Instance) -> None:
    """Bind each reference to the last call before its reader that has the label, or to memory."""
    values = instance.memory.values
    bearers = _resolve_history(instance)
    calls = [instance.call(number) for number in range(instance.end + instance.is_returning)]
    numbers = reversed(range(len(calls)))
    later = {label: n for n in numbers if (label := calls[n].label) is not None}
    instance.readable = {number for label, number in bearers.items() if label not in later}
    known = {*bearers, *values, *later}
    slots = [list(_slots(call)) for call in calls]
    # one that surely is a reference tells that others of its label are
    meant = known | {each.label for found in slots for *_, each, is_text in found if not is_text}
    seen: dict[tuple[object, ...], int] = {}
    for number, call in enumerate(calls):
        read: list[object] = []
        for parameter, slot, reference, is_text in slots[number]:
            label, place = reference.label, (number, parameter, slot)
            if is_text and label not in meant:
                instance.texts.add(label)
                is_secret = instance.index.secrets.is_argument(call.name, parameter)
                what = "what stands between dollars" if is_secret else shown(reference)
                where = f"in argument {shown(parameter)} of call {number + 1}"
                note = f"{what} {where} is not defined in memory and is read as text."
                instance.notes.append(note)
                continue
            instance.references[place] = reference
            if label in bearers:
                instance.producers[place] = bearers[label]
            elif label in values:
                instance.recalled.add(place)
            elif label in later:
                instance.producers[place] = later[label]
            else:
                instance.lost[place] = label
            read.append((parameter, slot, instance.producers.get(place)))
        if call.label is not None:
            key = (call.name, call.label, repr(sorted(call.arguments.items())), tuple(read))
            bearers[call.label] = seen.setdefault(key, number)
            if seen[key] != number:
                instance.copies[number] = seen[key]
    _find_variables(instance, known)


def _slots(call: Call) -> Iterator[tuple[str, int, Reference, bool]]:
    """
    Yield the references of a call: argument, number, and whether it may be part of a text instead.

    One without a path may be, as `$5$` in "it costs $5$ or less".
    """
    for parameter, source in call.arguments.items():
        in_texts = [isinstance(part, Template) for part in _parts(source) for _ in slots_of(part)]
        for slot, reference in numbered(source):
            yield parameter, slot, reference, in_texts[slot - 1] and not reference.path


def _parts(source: Source) -> Iterator[Source]:
    """Yield the sources inside a structure, and what is none itself."""
    if isinstance(source, Structure):
        for part in elements_of(source.value):
            yield from _parts(part)
    else:
        yield source


def _find_variables(instance: Instance, known: set[str]) -> None:
    """Take a lost name as a variable when nobody reads a path from it and no label is like it."""
    with_path = {label for place, label in instance.lost.items() if instance.references[place].path}
    for label in {*instance.lost.values()} - with_path:
        name, stem = label[:200], _STEM.sub("", label[:200])
        near = (  # the same stem with another number, or written nearly so
            (stem != name and stem == _STEM.sub("", other))
            or OSA.normalized_similarity(name, other[:200]) >= 0.75
            for other in known
        )
        if not any(near):
            instance.variables.add(label)


def _resolve_history(instance: Instance) -> dict[str, int]:
    """Bind the references of executed calls; return which of these calls have labels in the end."""
    values = instance.memory.values
    bearers: dict[str, int] = {}
    for number, call in enumerate(instance.history, -len(instance.history)):
        for parameter, source in call.arguments.items():
            for slot, reference in numbered(source):
                held = reference.label if reference.label in values else None
                instance.executed[number, parameter, slot] = bearers.get(reference.label, held)
        if call.label is not None and call.label not in values:
            bearers[call.label] = number
    return bearers


def state_calls(instance: Instance) -> None:
    """State what is called, and with which arguments."""
    instance.predicates |= COMMON
    add = instance.add
    for number in instance.earlier(instance.end):
        call = instance.call(number)
        if number >= 0 or number in instance.readable:
            add("in_call", number)
        add("in_name", number, call.name)
        if number < 0:
            add("in_executed", number)
            add("in_unjudged", number)
        if call.label is not None:
            add("in_label", number, call.label)
        else:
            add("in_unlabelled", number)
        for parameter in call.arguments:
            add("in_arg", number, parameter)
    if instance.is_returning:
        add("in_returns", instance.end)
        add("in_name", instance.end, RETURNS)
        add("in_tool", RETURNS)
        add("in_takes_any", RETURNS)
        for parameter in instance.sequence.returns or {}:
            add("in_arg", instance.end, parameter)
    if instance.is_plan and instance.sequence.result is not None:
        for number in (instance.sequence.result, *instance.sequence.kept):
            add("in_result", number)
        for name in dict.fromkeys(call.name for call in instance.sequence.calls):
            for word in instance.index.words(name):
                add("in_word", name, word)


def state_uses(instance: Instance) -> None:
    """State what the calls refer to, what each tool in use requires, and which of the given tokens it has."""
    add = instance.add
    for place, reference in instance.references.items():
        path = instance.written(place)
        add("in_ref", *place, reference.label, path)
        if reference.written is not None:
            add("in_malformed", *place)
        if place in instance.producers:
            add("in_producer", *place, instance.producers[place])
        elif place in instance.recalled:
            add("in_producer", *place, memory(reference.label))
            is_held = instance.memory.holds(reference.label, reference.path)
            instance.hold(reference.label, *([path] if is_held else []))
        else:
            add("in_lost", *place, instance.lost[place])
    for name in sorted(instance.variables):
        add("in_variable", name)
    for number in instance.earlier(instance.end):
        tool = instance.tool(number)
        if tool is not None:
            instance.join(instance.index.tool_facts(tool.name))
            for parameter in instance.call(number).arguments:
                if parameter in tool.parameters:
                    add("in_param", tool.name, parameter)
    for place, reference in instance.references.items():
        tool = instance.feeder(place)
        if tool is not None and tool.returns_path(reference.path):
            instance.state_gives(tool.name, path_text(reference.path))
    if instance.undeclared != "reject":
        add("in_undeclared", Function(instance.undeclared))
