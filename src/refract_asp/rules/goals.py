"""States goals as facts: which tools meet them, what they bind, and what a call for them would need."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from clingo import Function, Number, Symbol

from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.model import Constant, Goal, Mapping, Reference
from refract_asp.model.paths import FieldPath, path_text
from refract_asp.rules.evidence import ByTarget, Evidence
from refract_asp.rules.fillers import inputs, memory_values
from refract_asp.rules.index import CatalogIndex
from refract_asp.rules.instance import Instance
from refract_asp.rules.likeness import fold, leaf_names
from refract_asp.rules.repetition import value_facts, value_index
from refract_asp.rules.symbols import fact, memory

__all__ = ["goal_evidence", "state_goals"]


def state_goals(instance: Instance, goals: tuple[Goal, ...], mappings: ByTarget) -> None:
    """
    State the goals of a sequence.

    Raises:
        InputError: a goal names a tool or parameter that the catalog does not have.
    """
    instance.goals = goals
    add = instance.state
    for number, goal in enumerate(goals):
        add(fact("in_goal", number))
        _check_names(instance.index, goal)
        end = len(instance.sequence.calls)
        if goal.kind == "before":
            add(fact("in_goal_before", number, goal.name, goal.then or ""))
            later = (i for i, call in enumerate(instance.sequence.calls) if call.name == goal.then)
            end = next(later, end)
        if goal.kind == "field":
            add(fact("in_goal_field", number))
            leading = _leading(mappings, goal.name)
            if any(
                _is_called(path or (label,), goal.name, leading) for label, path in _known(instance)
            ):
                add(fact("in_known", number))
            _state_given(instance, _yielding(instance, goal, mappings))
        add(fact("in_goal_place", number, end))
        for tool in _yielding(instance, goal, mappings):
            add(fact("in_yields", number, tool))
        _state_bindings(instance, number, goal)


def _state_given(instance: Instance, tools: Collection[str]) -> None:
    """State which executed calls of these tools gave what memory holds, be that what is wanted or not."""
    for number in instance.earlier(0):
        call = instance.call(number)
        if call.name in tools and call.label is not None and call.label in instance.memory.values:
            instance.state(fact("in_recalled", number, call.label))


def _check_names(index: CatalogIndex, goal: Goal) -> None:
    for name in (goal.name, goal.then) if goal.kind != "field" else ():
        if name is not None and index.get(name) is None:
            near = ", ".join(shown(each, 60) for each in index.suggestions(name))
            hint = f"The nearest are {near}." if near else ""
            raise InputError(
                f"the goal {_told(index, goal)!r} names {shown(name)!r}, which is no tool.",
                hint=hint,
            )
    tool = index.get(goal.name) if goal.kind == "tool" else None
    for parameter in goal.arguments:
        if tool is not None and parameter not in tool.parameters and not tool.additional_parameters:
            names = ", ".join(shown(name, 60) for name in list(tool.parameters)[:20])
            raise InputError(
                f"the goal {_told(index, goal)!r} binds {shown(parameter)!r}, "
                f"which {shown(tool.name)} does not take.",
                hint=f"It takes {names}.",
            )
        source = goal.arguments[parameter]
        if tool is not None and isinstance(source, Constant):
            _check_value(index, goal, tool.name, parameter, source)


def _told(index: CatalogIndex, goal: Goal) -> str:
    """Return a goal as it is shown in an error."""
    return shown(index.secrets.goal(goal), LONGEST_TEXT)


def _check_value(
    index: CatalogIndex, goal: Goal, tool: str, parameter: str, source: Constant
) -> None:
    """Refuse a constant that does not fit the parameter to which a goal binds it."""
    if not index.fits_schema(tool, parameter, source.value):
        raise InputError(
            f"the goal {_told(index, goal)!r} binds {shown(parameter)!r} to a value that does not "
            "fit its schema.",
            hint=f"`refract-asp catalog show` prints what {shown(tool)} takes.",
        )


def _known(instance: Instance) -> Iterator[tuple[str, FieldPath]]:
    """Yield what memory holds, labels first, each with every path into it."""

    def paths(value: object, path: FieldPath, depth: int) -> Iterator[FieldPath]:
        yield path
        if isinstance(value, dict) and value and not depth:
            instance.truncated["values of memory that could be what a goal wants"] = None
        elif isinstance(value, dict):
            for name, inner in value.items():
                yield from paths(inner, (*path, name), depth - 1)

    for label, value in instance.memory.values.items():
        for path in paths(value, (), instance.index.bounds.goal_depth):
            yield label, path


def _is_called(path: FieldPath, field: str, leading: Iterable[Mapping]) -> bool:
    """Whether what stands at a path is the field that is wanted: by its name, or by a mapping."""
    if fold(field) in {fold(name) for name in leaf_names(path)}:
        return True
    text = path_text(path)
    return any(_ends(mapping.source, text) for mapping in leading)


def _leading(mappings: ByTarget, field: str) -> tuple[Mapping, ...]:
    """Return the mappings that lead to a parameter of the name of a field."""
    return tuple(
        each for target, found in mappings.items() if _ends(target, field) for each in found
    )


def _ends(name: str, last: str) -> bool:
    return name == last or name.endswith(f".{last}")


def _yielding(instance: Instance, goal: Goal, mappings: ByTarget) -> list[str]:
    """Return the tools a call of which meets a goal: those in use first, then others of the catalog."""
    if goal.kind in ("tool", "before"):
        return [goal.name]
    used = dict.fromkeys(instance.call(number).name for number in instance.earlier(10**9))
    leading = _leading(mappings, goal.name)
    names = [goal.name, *(mapping.source.rsplit(".", 1)[-1] for mapping in leading)]
    others: list[str] = []
    for name in names:
        tools, cut = instance.index.returners(name)
        others += tools
        if cut:
            instance.truncated[f"tools that return {shown(name)}"] = None
    found = []
    for name in dict.fromkeys([*used, *others]):
        tool = instance.index.get(name)
        if tool is not None and any(
            _is_called(path, goal.name, leading) for path, _ in instance.index.outputs(name)
        ):
            found.append(name)
    return found


def _state_bindings(instance: Instance, number: int, goal: Goal) -> None:
    """State what a goal binds, and what the calls pass that may meet it."""
    if not goal.arguments:
        return
    for parameter, source in goal.arguments.items():
        if isinstance(source, Reference):
            origin = _origin(instance, source, goal)
            path = path_text(source.path)
            instance.state(fact("in_goal_read", number, parameter, origin, path))
            if not isinstance(origin, int):
                instance.state(fact("in_name", origin, origin))
                instance.state(fact("in_tool", origin))
                if instance.memory.holds(source.label, source.path):
                    instance.state(fact("in_gives", origin, path))
        else:
            instance.state(fact("in_goal_value", number, parameter, value_index(instance, source)))
    instance.state(fact("in_paired", Function("goal", [Number(number)])))
    for other in instance.earlier(10**9):
        if instance.call(other).name == goal.name or instance.tool(other) is None:
            for symbol in value_facts(instance, other):
                instance.state(symbol)


def _origin(instance: Instance, reference: Reference, goal: Goal) -> int | Symbol:
    """Return the last call that bears the label of a goal's reference, or what stands for memory."""
    for number in reversed(instance.earlier(10**9)):
        if instance.call(number).label == reference.label and (
            number >= 0 or number in instance.readable
        ):
            return number
    if reference.label in instance.memory.values:
        return memory(reference.label)
    raise InputError(
        f"the goal {_told(instance.index, goal)!r} reads {shown(reference)}, but no call bears that label.",
        hint="Name a label of the sequence, or give the value in memory.",
    )


def goal_evidence(evidence: Evidence, unmet: Iterable[int]) -> None:
    """State which tools may be called for goals that are not met, and what could fill their parameters."""
    instance = evidence.instance
    end = len(instance.sequence.calls)
    for number in _open(evidence, unmet):
        goal = instance.goals[number]
        for name in _yielding(instance, goal, evidence.mappings):
            if not evidence.may_add(name):
                continue
            tool = evidence.tool(name)
            evidence.add("in_callable", name)
            for parameter in tool.parameters.values():
                if parameter.required or parameter.name in goal.arguments:
                    evidence.add("in_param", name, parameter.name)
            inputs(evidence, end, tool, 0)
            for place, reference in _read(goal):
                origin = _origin(instance, reference, goal)
                if isinstance(origin, int) and (giver := instance.tool(origin)) is not None:
                    evidence.tool(giver.name)
                    if giver.returns_path(reference.path):
                        evidence.state_gives(giver.name, path_text(reference.path))
                    if place in tool.parameters:
                        distance = evidence.index.fit(giver.name, reference.path, name, place)
                        evidence.state_fit(
                            giver.name, path_text(reference.path), name, place, distance
                        )
    if instance.memory.values:
        memory_values(evidence)


def _open(evidence: Evidence, unmet: Iterable[int]) -> list[int]:
    """Return the goals that are not met, and the orders that calls for them would have to keep."""
    found = list(unmet)
    for number in found:  # grows as it goes
        tools = _yielding(evidence.instance, evidence.instance.goals[number], evidence.mappings)
        for other, goal in enumerate(evidence.instance.goals):
            if goal.kind == "before" and goal.then in tools and other not in found:
                found.append(other)
    return found


def _read(goal: Goal) -> Iterator[tuple[str, Reference]]:
    for parameter, source in goal.arguments.items():
        if isinstance(source, Reference):
            yield parameter, source
