"""Turns statements about a repair into what `modes/insist.lp` reads: demands, and the ways to meet each."""

from __future__ import annotations

import json
from collections.abc import Iterable

from clingo import Function, Number, Symbol, SymbolType

from refract_asp.errors import StatementError, shown
from refract_asp.model import Ask, Constant, Reference, Source
from refract_asp.model.paths import path_text
from refract_asp.model.sources import numbered, replace_reference, slots_of
from refract_asp.rules.choices import Aim, CallId, New, Own
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.instance import Instance
from refract_asp.rules.statements import Names, Statement
from refract_asp.rules.symbols import fact, memory, text

__all__ = ["call_symbol", "demand_facts", "state_what_is_wished"]

IMPOSSIBLE = Function("nothing")
"""A token that never holds: nothing that the rules know would be that value."""


def demand_facts(statements: Iterable[Statement], names: Names, evidence: Evidence) -> list[Symbol]:
    """Return the facts that hold a repair to the statements."""
    demands = [demand for statement in statements for demand in _demands(statement, names, evidence)]
    return [
        Function("in_insist", [Number(number), token])
        for number, tokens in enumerate(demands)
        for token in tokens or [IMPOSSIBLE]
    ]


def _demands(statement: Statement, names: Names, evidence: Evidence) -> list[list[Symbol]]:
    """Return the demands of a statement, each as the ways to meet it."""
    if statement.call is None:
        return [[fact("added", statement.target)]]
    call = call_symbol(statement.call)
    match statement.wish:
        case "keep_call":
            return [[fact("uses", call, _tool(statement.call, names)), fact("left", call)]]
        case "rename_tool":
            return [[fact("uses", call, statement.target)]]
        case "delete":
            return [[fact("gone", call)]]
    demands = _of_argument(statement, call, names, evidence)
    if statement.call not in names.unresolved:  # to leave the call as it was is no way to meet them
        demands.append([fact("made", call)])
    return demands


def _of_argument(statement: Statement, call: Symbol, names: Names, evidence: Evidence) -> list[list[Symbol]]:
    parameter = statement.parameter
    match statement.wish:
        case "keep":
            return [[fact("kept", call, parameter)]]
        case "drop":
            return [[fact("absent", call, parameter)]]
        case "ask":
            return [[fact("asked", call, parameter)]]
        case "rename":
            return [[fact("sent", call, parameter, statement.target)]]
    return _values(statement, names, evidence)


def _values(statement: Statement, names: Names, evidence: Evidence) -> list[list[Symbol]]:
    """Return the demands that an argument has a source: a constant, or references with a text around."""
    source, parameter = statement.source, statement.parameter
    assert statement.call is not None
    assert source is not None
    call = call_symbol(statement.call)
    given = None
    if isinstance(statement.call, int):
        given = evidence.instance.call(statement.call).arguments.get(parameter)
    as_given = [fact("kept", call, parameter)] if given == source else []
    if isinstance(source, Constant):
        return [as_given + _constants(statement, source, names, evidence)]
    if not isinstance(source, Reference) and (given is None or _frame(given) != _frame(source)):
        return [as_given]
    return [
        [*as_given, _reads(call, parameter, number, reference, statement.call, names)]
        for number, reference in numbered(source)
    ]


def _constants(statement: Statement, wanted: Constant, names: Names, evidence: Evidence) -> list[Symbol]:
    """Return the ways in which rules may choose a constant: once more, by the catalog, as a form."""
    assert statement.call is not None
    call, parameter = call_symbol(statement.call), statement.parameter
    key = _json(wanted.value)
    ways = [
        fact("reads", call, parameter, 0, Function("constant", [Number(number)]), "")
        for number, constant in enumerate(evidence.constants)
        if _json(constant.value) == key
    ]
    tools: tuple[str, ...] = (_tool(statement.call, names),)
    if isinstance(statement.call, int):
        tools = evidence.possible_tools(statement.call)
    if any(
        _json(value) == key
        for tool in tools
        if parameter in evidence.index.tools[tool].parameters
        for value in evidence.index.known_value(tool, parameter)
    ):
        ways.append(fact("reads", call, parameter, 0, Function("default"), ""))
    ways += [
        fact("takes", call, parameter, Number(number))
        for (other, _, number), recast in evidence.forms.items()
        if other == statement.call and _json(recast.value) == key
    ]
    return ways


def _reads(
    call: Symbol, parameter: str, number: int, reference: Reference, reader: CallId, names: Names
) -> Symbol:
    """Return the token that an argument reads what a reference says."""
    instance = names.instance
    path = path_text(reference.path)
    origin = _origin(reference.label, reader, names)
    if reference.label in instance.variables and not reference.path:
        path = str(reference)
    return fact("reads", call, parameter, number, origin, path)


def _origin(label: str, reader: CallId, names: Names) -> Symbol:
    """Return who is read under a label: the last bearer before the reader, memory, or an added call."""
    instance = names.instance
    before = [
        number
        for number in instance.earlier(len(instance.sequence.calls))
        if instance.call(number).label == label and (not isinstance(reader, int) or number < reader)
    ]
    if before:
        return Number(before[-1])
    if label in instance.memory.values and label not in names.bearers:
        return memory(label)
    if label in names.bearers:
        return call_symbol(names.bearers[label][0])
    if label not in instance.lost.values():
        raise StatementError(
            f"no call bears the label {shown(label)!r}, and memory does not know it.",
            hint="Read from a call of the sequence, as it was given or as it is repaired.",
        )
    return Function("new", [text(label)])


def _frame(source: Source) -> Source:
    """Return a source with the same in place of each reference: what stands around them."""
    slots = sum(1 for _ in slots_of(source))
    return replace_reference(source, {number: Ask(name="x") for number in range(1, slots + 1)})[0]


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _tool(call: CallId, names: Names) -> str:
    return names.instance.call(call).name if isinstance(call, int) else names.repaired[call].name


def call_symbol(call: CallId) -> Symbol:
    """Return a call as the rules know it."""
    if isinstance(call, int):
        return Number(call)
    if isinstance(call, New):
        return Function("new", [text(call.label)])
    if isinstance(call, Aim):
        return Function("goal", [Number(call.goal)])
    assert isinstance(call, Own)
    return Function("own", [call_symbol(call.reader), text(call.parameter), text(call.tool)])


def state_what_is_wished(statements: Iterable[Statement], names: Names, evidence: Evidence) -> None:
    """State what is known of what no rule offers, so that it can be told what would be wrong with it."""
    for statement in statements:
        instance = evidence.instance
        if statement.wish == "rename_tool" and isinstance(statement.call, int):
            tool = evidence.tool(statement.target)
            for parameter in instance.call(statement.call).arguments:
                if parameter in tool.parameters:
                    evidence.add("in_param", tool.name, parameter)
        elif statement.source is not None and statement.call is not None:
            for _, reference in numbered(statement.source):
                _state_output(reference, statement.call, names, instance, evidence)


def _state_output(
    reference: Reference, reader: CallId, names: Names, instance: Instance, evidence: Evidence
) -> None:
    origin = _origin(reference.label, reader, names)
    path = path_text(reference.path)
    if origin.type is SymbolType.Number:
        tool = instance.tool(origin.number)
        if tool is not None and tool.returns_path(reference.path):
            evidence.state_gives(tool.name, path)
    elif origin.name == "memory" and instance.memory.holds(reference.label, reference.path):
        evidence.add("in_name", origin, origin)
        evidence.add("in_tool", origin)
        evidence.state_gives(origin, path)
