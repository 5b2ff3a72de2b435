"""The sequence under judgement as facts: what is called, with which arguments, and who reads from whom."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from clingo import Function, Number, Symbol
from rapidfuzz.distance import OSA

from refract_asp.errors import shown
from refract_asp.model import (
    Call,
    Goal,
    Level,
    Memory,
    Reference,
    Sequence,
    Structure,
    Template,
    Tool,
)
from refract_asp.model.paths import FieldPath, path_text
from refract_asp.model.sources import Source, numbered, slots_of
from refract_asp.rules.index import CatalogIndex
from refract_asp.rules.symbols import fact, memory, text

__all__ = ["RETURNS", "Instance", "Place", "compile_instance"]

Place = tuple[int, str, int]
"""A reference: index of the call, argument, number (0 the whole value, 1.. what lies inside)."""

RETURNS = Function("returns")
"""What a sequence returns counts as a call of a tool that takes anything."""

_STEM = re.compile(r"\d+$")


@dataclass(slots=True)
class Instance:
    """
    A sequence, resolved and stated as facts.

    Calls are numbered from 0 as in the sequence; what it returns counts as one more; executed calls
    of the history have the numbers -1, -2, ... backwards.

    Attributes:
        references: what the calls of the sequence refer to.
        producers: the calls that they read from.
        lost: the labels that nothing bears.
        recalled: the references to memory.
        malformed: the references that cannot be read as they are written.
        variables: lost names that stand for values of the context.
        copies: calls that repeat an earlier one, label included.
        executed: what executed calls read from: a call, a label of memory, or nothing.
        pairs: calls that may turn out to be the same.
        values: a number for each value that such calls pass.
        readable: executed calls from which a reference can be made to read.
        texts: what looks like a label inside a text, and is none; no call may come to bear it.
        unfit: the arguments that do not fit their parameter, with the tool.
        unmendable: the calls that nothing can mend: a code, the parameter if it is one's, and why.
        inner: calls of known tools that stand inside an argument in place of a value.
        givers: the tools, and the labels of memory, that have a path that is read from them, by path.
        clashes: the facts about references that read another type than is wanted.
        goals: what the sequence has to bring about.
        level: what it has to be.
        stated: name and arity of the facts that only some questions need.
        truncated: what a bound left out.
    """

    sequence: Sequence
    memory: Memory
    history: tuple[Call, ...]
    index: CatalogIndex
    undeclared: str = "reject"
    facts: list[Symbol] = field(default_factory=list)
    references: dict[Place, Reference] = field(default_factory=dict)
    producers: dict[Place, int] = field(default_factory=dict)
    lost: dict[Place, str] = field(default_factory=dict)
    recalled: set[Place] = field(default_factory=set)
    malformed: set[Place] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)
    copies: dict[int, int] = field(default_factory=dict)
    executed: dict[Place, int | str | None] = field(default_factory=dict)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    tells_values: bool = False
    values: dict[str, int] = field(default_factory=dict)
    readable: set[int] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    unfit: dict[tuple[int, str], str] = field(default_factory=dict)
    unmendable: dict[int, tuple[str, str | None, str]] = field(default_factory=dict)
    inner: dict[tuple[int, str], Call] = field(default_factory=dict)
    givers: dict[str, dict[Symbol | str, None]] = field(default_factory=dict)
    clashes: list[Symbol] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    goals: tuple[Goal, ...] = ()
    level: Level = "admissible"
    stated: set[tuple[str, int]] = field(default_factory=set)
    truncated: dict[str, None] = field(default_factory=dict)

    def state(self, symbol: Symbol) -> None:
        """State a fact that only some questions need."""
        self.facts.append(symbol)
        self.stated.add((symbol.name, len(symbol.arguments)))

    def call(self, number: int) -> Call:
        """Return a call by its number; the returns are a call without a tool."""
        if number < 0:
            return self.history[number]
        if number == len(self.sequence.calls):
            return Call(name="", arguments=self.sequence.returns or {})
        return self.sequence.calls[number]

    def tool(self, number: int) -> Tool | None:
        """Return the tool of a call, or None when the catalog does not know it."""
        return self.index.get(self.call(number).name)

    def earlier(self, number: int) -> range:
        """Return the numbers of the calls before a call, executed ones first."""
        return range(-len(self.history), min(number, len(self.sequence.calls)))

    def paths_read(self, number: int) -> list[FieldPath]:
        """Return the paths that are read from a call."""
        read = (
            self.references[place].path
            for place, producer in self.producers.items()
            if producer == number
        )
        return list(dict.fromkeys(read))

    def written(self, place: Place) -> str:
        """Return the path of a reference as it is written; a context variable stands for itself."""
        reference = self.references[place]
        is_variable = place in self.lost and reference.label in self.variables
        return str(reference) if is_variable else path_text(reference.path)

    @property
    def predicates(self) -> set[tuple[str, int]]:
        """Return name and arity of every predicate that the facts may have."""
        found = {
            ("in_call", 1), ("in_name", 2), ("in_label", 2), ("in_unlabelled", 1), ("in_arg", 2),
            ("in_ref", 5), ("in_producer", 4), ("in_tool", 1), ("in_effect", 2), ("in_required", 2),
            ("in_param", 2), ("in_takes_any", 1), ("in_gives", 2),
        }  # fmt: skip
        if self.lost:
            found.add(("in_lost", 4))
        if self.variables:
            found.add(("in_variable", 1))
        if self.is_returning:
            found.add(("in_returns", 1))
        if self.history:
            found |= {("in_executed", 1), ("in_unjudged", 1)}
        if self.unmendable:
            found |= {("in_unmendable", 2), ("in_unjudged", 1)}
        if self.undeclared != "reject":
            found.add(("in_undeclared", 1))
        if self.unfit:
            found.add(("in_unfit", 4))
        found |= {(symbol.name, len(symbol.arguments)) for symbol in self.clashes}
        if self.pairs:
            found.add(("in_pair", 2))
        if self.tells_values:
            found |= {("in_paired", 1), ("in_value", 3)}
        return found | self.stated

    @property
    def discordant(self) -> set[int]:
        """Return the calls whose arguments do not go together, though each may be right."""
        return {
            number
            for number, (code, _, _) in self.unmendable.items()
            if code == "invalid_arguments"
        }

    @property
    def is_plan(self) -> bool:
        """Whether the sequence was read from a plan, which makes only the calls that it needs."""
        return self.sequence.format == "plan"

    @property
    def is_returning(self) -> bool:
        """Whether the sequence says what it returns."""
        return bool(self.sequence.returns)


def compile_instance(
    sequence: Sequence,
    index: CatalogIndex,
    memory: Memory,
    history: tuple[Call, ...] = (),
    undeclared: str = "reject",
) -> Instance:
    """
    Resolve every reference of a sequence in input order, and state what is given as facts.

    `undeclared` says what becomes of arguments that their tool does not declare: "reject", "drop", "keep".
    """
    instance = Instance(sequence, memory, history, index, undeclared)
    _resolve(instance)
    _state_calls(instance)
    _state_references(instance)
    _state_tools(instance)
    if undeclared != "reject":
        instance.facts.append(fact("in_undeclared", Function(undeclared)))
    _note_what_is_open(instance)
    return instance


def _note_what_is_open(instance: Instance) -> None:
    """Note what is not judged: paths into outputs of which nothing is said, arguments that are kept."""
    silent: dict[str, Reference] = {}
    for place, producer in instance.producers.items():
        tool = instance.tool(producer)
        if tool is not None and tool.output_schema is None and instance.references[place].path:
            silent.setdefault(tool.name, instance.references[place])
    for name, reference in silent.items():
        instance.notes.append(
            f"{shown(name)} says nothing of its output, so paths into it are not judged, "
            f"as {shown(reference)}."
        )
    for number, call in enumerate(instance.sequence.calls if instance.undeclared == "keep" else ()):
        tool = instance.tool(number)
        for parameter in (
            call.arguments if tool is not None and not tool.additional_parameters else ()
        ):
            if tool is not None and parameter not in tool.parameters:
                name = shown(call.name)
                instance.notes.append(
                    f"{shown(parameter)} of call {number + 1} is not declared by {name}."
                )


def _resolve(instance: Instance) -> None:
    """Bind each reference to the last call before its reader that bears the label, or to memory."""
    bearers: dict[str, int] = {}
    for number in range(-len(instance.history), 0):
        for parameter, source in instance.history[number].arguments.items():
            for slot, reference in numbered(source):
                held = reference.label if reference.label in instance.memory.values else None
                instance.executed[number, parameter, slot] = bearers.get(reference.label, held)
        label = instance.history[number].label
        if label is not None and label not in instance.memory.values:
            bearers[label] = number
    before = dict(bearers)
    later = {
        call.label: number for number, call in reversed(list(enumerate(instance.sequence.calls)))
    }
    known = set(bearers) | set(instance.memory.values) | {label for label in later if label}
    seen: dict[tuple[object, ...], int] = {}
    calls = list(instance.sequence.calls)
    if instance.is_returning:
        calls.append(instance.call(len(calls)))
    meant = known | _referred(calls)
    for number, call in enumerate(calls):
        resolved: list[object] = []
        for parameter, source in call.arguments.items():
            if source.kind in ("constant", "ask"):
                continue
            in_texts = _in_texts(source)
            for slot, reference in numbered(source):
                if slot in in_texts and not reference.path and reference.label not in meant:
                    instance.texts.add(reference.label)
                    is_secret = instance.index.secrets.is_argument(call.name, parameter)
                    what = "what stands between dollars" if is_secret else shown(reference)
                    instance.notes.append(
                        f"{what} in argument {shown(parameter)} of call {number + 1} names nothing that is "
                        "known and is read as text."
                    )
                    continue
                place = (number, parameter, slot)
                instance.references[place] = reference
                if reference.written is not None:
                    instance.malformed.add(place)
                label = reference.label
                if label in bearers:
                    instance.producers[place] = bearers[label]
                elif label in instance.memory.values:
                    instance.recalled.add(place)
                elif label in later:
                    instance.producers[place] = later[label]
                else:
                    instance.lost[place] = label
                resolved.append((parameter, slot, instance.producers.get(place)))
        if call.label is not None:
            key = (call.name, call.label, repr(sorted(call.arguments.items())), tuple(resolved))
            if key in seen:
                instance.copies[number] = seen[key]
                bearers[call.label] = seen[key]
            else:
                seen[key] = number
                bearers[call.label] = number
    _find_variables(instance, known)
    instance.readable = {number for label, number in before.items() if label not in later}


def _in_texts(source: Source) -> set[int]:
    """
    Return the numbers of the references that stand inside a text.

    One without a path may be none, as `$5$` in "it costs $5$ or less".
    """
    found: set[int] = set()
    count = 0

    def walk(inner: Source) -> None:
        nonlocal count
        if isinstance(inner, Structure):
            for part in inner.value.values() if isinstance(inner.value, dict) else inner.value:
                walk(part)
            return
        slots = range(count + 1, count + 1 + sum(1 for _ in slots_of(inner)))
        count = slots.stop - 1
        if isinstance(inner, Template):
            found.update(slots)

    walk(source)
    return found


def _referred(calls: list[Call]) -> set[str]:
    """Return the labels that surely are ones: a reference that is no text reads from them."""
    return {
        reference.label
        for call in calls
        for source in call.arguments.values()
        for texts in [_in_texts(source)]
        for slot, reference in numbered(source)
        if slot not in texts or reference.path
    }


def _find_variables(instance: Instance, known: set[str]) -> None:
    """Take a lost name as a context variable when nobody reads a path from it and no label is like it."""
    with_path = {label for place, label in instance.lost.items() if instance.references[place].path}
    for label in set(instance.lost.values()) - with_path:
        if not _is_kin(label, known):
            instance.variables.add(label)


def _is_kin(label: str, known: set[str]) -> bool:
    """Whether a name is written like one of the labels: the same stem with another number, or nearly so."""
    stem = _STEM.sub("", label[:200])
    for other in known:
        if stem != label and stem == _STEM.sub("", other):
            return True
        if OSA.normalized_similarity(label[:200], other[:200]) >= 0.75:
            return True
    return False


def _state_calls(instance: Instance) -> None:
    add = instance.facts.append
    for number in range(-len(instance.history), len(instance.sequence.calls)):
        call = instance.call(number)
        position = Number(number)
        if number >= 0 or number in instance.readable:
            add(Function("in_call", [position]))
        add(Function("in_name", [position, text(call.name)]))
        if number < 0:
            add(Function("in_executed", [position]))
            add(Function("in_unjudged", [position]))
        if call.label is not None:
            add(Function("in_label", [position, text(call.label)]))
        else:
            add(Function("in_unlabelled", [position]))
        for parameter in call.arguments:
            add(Function("in_arg", [position, text(parameter)]))
    if instance.is_returning:
        number = len(instance.sequence.calls)
        add(fact("in_returns", number))
        add(fact("in_name", number, RETURNS))
        add(fact("in_tool", RETURNS))
        add(fact("in_takes_any", RETURNS))
        for parameter in instance.sequence.returns or {}:
            add(fact("in_arg", number, parameter))
    if instance.is_plan and instance.sequence.result is not None:
        instance.state(fact("in_result", instance.sequence.result))
        for name in dict.fromkeys(call.name for call in instance.sequence.calls):
            for word in instance.index.words(name):
                instance.state(fact("in_word", name, word))


def _state_references(instance: Instance) -> None:
    add = instance.facts.append
    for place, reference in instance.references.items():
        spelt = [Number(place[0]), text(place[1]), Number(place[2])]
        path = instance.written(place)
        add(Function("in_ref", [*spelt, text(reference.label), text(path)]))
        if place in instance.malformed:
            instance.state(Function("in_malformed", spelt))
        if place in instance.producers:
            add(Function("in_producer", [*spelt, Number(instance.producers[place])]))
        elif place in instance.recalled:
            held = memory(reference.label)
            add(Function("in_producer", [*spelt, held]))
            add(fact("in_name", held, held))
            add(fact("in_tool", held))
            if instance.memory.holds(reference.label, reference.path):
                add(fact("in_gives", held, path))
                instance.givers.setdefault(path, {})[held] = None
        else:
            add(Function("in_lost", [*spelt, text(instance.lost[place])]))
    for name in sorted(instance.variables):
        add(fact("in_variable", name))


def _state_tools(instance: Instance) -> None:
    """State of each tool in use what it requires, and which of the given tokens it has."""
    add = instance.facts.append
    declared: dict[str, dict[str, None]] = {}
    for number in range(-len(instance.history), len(instance.sequence.calls)):
        call = instance.call(number)
        tool = instance.index.get(call.name)
        if tool is None:
            continue
        mentioned = declared.get(tool.name)
        if mentioned is None:
            mentioned = declared[tool.name] = {}
            instance.facts.extend(instance.index.tool_facts(tool.name))
        for parameter in call.arguments:
            if parameter in tool.parameters and parameter not in mentioned:
                mentioned[parameter] = None
                add(fact("in_param", tool.name, parameter))
    returned: set[tuple[str, str]] = set()
    for place, producer in instance.producers.items():
        tool = instance.tool(producer)
        if tool is None:
            continue
        reference = instance.references[place]
        key = (tool.name, path_text(reference.path))
        if key not in returned and tool.returns_path(reference.path):
            returned.add(key)
            instance.givers.setdefault(key[1], {})[tool.name] = None
            add(fact("in_gives", *key))
