"""What is asked, stated as facts: a sequence with all that is known of it, and the goals that it has to meet."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Any

from clingo import Function, Number, Symbol

from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.model import Goal, Mapping, Reference
from refract_asp.model.paths import FieldPath, path_text
from refract_asp.model.sequence import Source, Structure, Template, numbered
from refract_asp.rules.evidence import ByTarget
from refract_asp.rules.fitting import note_what_is_open, state_fits
from refract_asp.rules.instance import Instance, bind_references, state_calls, state_uses
from refract_asp.rules.likeness import fold, leaf_names
from refract_asp.rules.symbols import Facts, memory


def compile_problem(
    instance: Instance, *, max_tries: int = 1, every: bool = False, mappings: ByTarget | None = None
) -> Instance:
    """
    Resolve a sequence and state all that is given as facts.

    Args:
        instance: what is asked; a sequence that has only to be admissible is asked without its goals.
        max_tries: how often a call may be executed.
        every: whether rules of the user's compare the values of all calls.
        mappings: which outputs may fill which parameters.

    Raises:
        InputError: a goal names a tool or parameter that the catalog does not have.
    """
    if not (instance.end or instance.is_returning or instance.goals):
        instance.notes.append("0 calls: nothing was judged.")
    if instance.level == "admissible":
        instance.goals = ()
    bind_references(instance)
    state_calls(instance)
    state_uses(instance)
    note_what_is_open(instance)
    state_fits(instance)
    state_repetition(instance, max_tries, every)
    for number, goal in enumerate(instance.goals):
        _state_goal(instance, number, goal, mappings or {})
    return instance


# -- goals -----------------------------------------------------------------------


def _state_goal(instance: Instance, number: int, goal: Goal, mappings: ByTarget) -> None:
    instance.index.check_goal(goal)
    instance.add("in_goal", number)
    end = instance.end
    tools = yielding(instance, goal, mappings)
    if goal.kind == "before":
        instance.add("in_goal_before", number, goal.name, goal.then or "")
        calls = enumerate(instance.sequence.calls)
        end = next((other for other, call in calls if call.name == goal.then), end)
    if goal.kind == "field":
        instance.add("in_goal_field", number)
        leading = _leading(mappings, goal.name)
        if any(_is_called(path, goal.name, leading) for path in instance.paths_known()):
            instance.add("in_known", number)
        for other in instance.earlier(0):  # what gave the values that memory holds
            label = instance.call(other).label
            if label and label in instance.memory.values and instance.call(other).name in tools:
                instance.add("in_recalled", other, label)
    instance.add("in_goal_place", number, end)
    for tool in tools:
        instance.add("in_yields", number, tool)
    if goal.arguments:
        _state_bindings(instance, number, goal)


def _is_called(path: FieldPath, field: str, leading: tuple[Mapping, ...]) -> bool:
    """Whether what stands at a path is the field that is wanted: by its name, or by a mapping."""
    if fold(field) in {fold(name) for name in leaf_names(path)}:
        return True
    return any(_ends(mapping.source, path_text(path)) for mapping in leading)


def _leading(mappings: ByTarget, field: str) -> tuple[Mapping, ...]:
    """Return the mappings that lead to a parameter of the name of a field."""
    found = (same for target, same in mappings.items() if _ends(target, field))
    return tuple(each for same in found for each in same)


def _ends(name: str, last: str) -> bool:
    return name == last or name.endswith(f".{last}")


def yielding(instance: Instance, goal: Goal, mappings: ByTarget) -> list[str]:
    """Return the tools a call of which meets a goal: those in use first, then others of the catalog."""
    if goal.kind != "field":
        return [goal.name]
    leading = _leading(mappings, goal.name)
    names = dict.fromkeys(instance.call(number).name for number in instance.earlier(instance.end))
    for name in (goal.name, *(mapping.source.rsplit(".", 1)[-1] for mapping in leading)):
        found, most = instance.index.returners(name), instance.index.bounds.producers
        names |= dict.fromkeys(instance.first(found, most, f"tools that return {shown(name)}"))

    def gives(name: str) -> bool:
        paths = (path for path, _ in instance.index.outputs(name))
        return any(_is_called(path, goal.name, leading) for path in paths)

    return [name for name in names if name in instance.index.tools and gives(name)]


def _state_bindings(instance: Instance, number: int, goal: Goal) -> None:
    """State what a goal binds, and what the calls pass that may meet it."""
    for parameter, reference, origin in goal_reads(instance, goal):
        path = path_text(reference.path)
        instance.add("in_goal_read", number, parameter, origin, path)
        if not isinstance(origin, int):
            instance.hold(reference.label)
            if instance.memory.holds(reference.label, reference.path):
                instance.add("in_gives", origin, path)
    for parameter, source in goal.arguments.items():
        if not isinstance(source, Reference):
            instance.add("in_goal_value", number, parameter, value_index(instance, source))
    instance.add("in_paired", Function("goal", [Number(number)]))
    for other in instance.earlier(instance.end):
        if instance.call(other).name == goal.name or instance.tool(other) is None:
            state_values(instance, instance, other)


def goal_reads(instance: Instance, goal: Goal) -> Iterator[tuple[str, Reference, int | Symbol]]:
    """
    Yield what a goal binds to a reference, and from which call, or label of memory, that reads.

    Raises:
        InputError: no call has the label, nor does memory.
    """
    for parameter, source in goal.arguments.items():
        if not isinstance(source, Reference):
            continue
        holders = [n for n in instance.live if instance.call(n).label == source.label]
        if not holders and source.label not in instance.memory.values:
            goal_text = shown(instance.index.secrets.goal(goal), LONGEST_TEXT)
            what = f"the goal {goal_text!r} reads {shown(source)}, but no call has that label."
            hint = "Name a label of the sequence, or give the value in memory."
            raise InputError(what, hint=hint)
        yield parameter, source, holders[-1] if holders else memory(source.label)


# -- what calls pass -------------------------------------------------------------


def skeleton(source: Source) -> object:
    """Return what is constant in a source, with a mark where each reference stands."""
    if isinstance(source, Reference):
        return ("reference",)
    if isinstance(source, Template):
        parts = (("reference",) if isinstance(each, Reference) else each for each in source.parts)
        return ("text", *parts)
    if not isinstance(source, Structure):
        return source
    if isinstance(source.value, dict):
        fields = ((key, repr(skeleton(inner))) for key, inner in source.value.items())
        return ("object", *sorted(fields))
    return ("list", *map(skeleton, source.value))


def value_index(instance: Instance, source: Source) -> int:
    """Return the number of a value, whatever its references read; equal values have equal numbers."""
    return _index(instance, skeleton(source))


def _index(instance: Instance, value: object) -> int:
    return instance.values.setdefault(repr(value), len(instance.values))


def state_repetition(instance: Instance, max_tries: int, every: bool) -> None:
    """
    State the pairs of calls that may be the same, and the values that such calls pass.

    They may be two under one label, or one that was executed too often. Whether they are is for the rules
    to say, which know what a repair makes of them.
    """
    most = instance.index.bounds.pairs
    possible = list(islice(_pairs(instance, max_tries), most + 1))
    found = instance.first(possible, most, f"pairs of calls beyond {most} that could be the same")
    instance.pairs = list(dict.fromkeys([*instance.copies.items(), *found]))
    for pair in instance.pairs:
        instance.add("in_pair", *pair)
    paired = dict.fromkeys(number for pair in instance.pairs for number in pair)
    if every or paired:  # one program serves, whether they pass values or only what is read
        instance.predicates |= {("in_paired", 1), ("in_value", 3)}
    for number in instance.earlier(instance.end) if every else paired:
        state_values(instance, instance, number)


def state_values(facts: Facts, instance: Instance, number: int) -> None:
    """State the values that a call passes; what its references read the rules know."""
    facts.add("in_paired", number)
    for parameter, source in instance.call(number).arguments.items():
        slots = numbered(source) if number < 0 else ()
        reads = [((number, parameter, slot), reference) for slot, reference in slots]
        if not all(instance.is_readable(*each) for each in reads):
            # what cannot be read any more is no value that another call could pass
            facts.add("in_value", number, parameter, _index(instance, source))
            continue
        if not isinstance(source, Reference):
            facts.add("in_value", number, parameter, value_index(instance, source))
        for place, reference in reads:
            origin: Any = instance.executed[place]
            is_call, path = isinstance(origin, int), path_text(reference.path)
            giver = instance.call(origin).name if is_call else facts.hold(origin)
            facts.add("in_producer", *place, origin if is_call else giver)
            facts.add("in_gives", giver, path)
            facts.add("in_ref", *place, reference.label, path)


def _pairs(instance: Instance, max_tries: int) -> Iterator[tuple[int, int]]:
    """
    Yield the pairs of calls that have the same tool, or may get it.

    Each call goes with one of each group of equal calls that were executed as often as allowed, and with
    those of the same label before it, the nearest ones first.
    """
    tried: Counter[str] = Counter()
    spent = []
    for number, call in enumerate(instance.history, -len(instance.history)):
        reads, values = [], []
        for parameter, source in call.arguments.items():
            values.append((parameter, repr(skeleton(source))))
            for slot, reference in numbered(source):
                origin = instance.executed[number, parameter, slot] or reference.label
                reads.append((parameter, slot, origin, reference.path))
        key = repr((call.name, sorted(values), sorted(reads, key=repr)))
        tried[key] += 1
        if tried[key] == max_tries:
            spent.append(number)
    bearers: dict[str, list[int]] = defaultdict(list)
    for number, call in enumerate(instance.sequence.calls):
        before = bearers[call.label] if call.label is not None else []
        for other in (*spent, *reversed(before)):
            is_unknown = instance.tool(number) is None or instance.tool(other) is None
            if is_unknown or instance.call(other).name == call.name:
                yield number, other
        before.append(number)
