"""
Reads what is asked about a repair, as `keep var3.date` or `var3.date = $var1.day$`.

The language is small: a statement says of a call, or of an argument, what a repair should do with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from clingo import Function, Number, Symbol, SymbolType

from refract_asp.errors import RefractError, StatementError, shown
from refract_asp.model import Ask, Constant, Reference, Sequence, Source
from refract_asp.model.paths import path_text
from refract_asp.model.secrets import HIDDEN, text_without_secrets
from refract_asp.model.sources import numbered, replace_reference, slots_of
from refract_asp.rules.choices import Aim, CallId, Inner, New, Own, Part
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.instance import Instance
from refract_asp.rules.symbols import fact, memory, text

__all__ = [
    "Names",
    "Statement",
    "Wish",
    "call_symbol",
    "demand_facts",
    "read_statement",
    "state_what_is_wished",
]


Wish: TypeAlias = Literal[
    "keep_call", "delete", "rename_tool", "call", "keep", "drop", "ask", "read", "rename"
]
LONGEST = 10_000
"""Characters of a statement."""
LISTED = 12
"""So many labels are named in a message."""
UNDERSTOOD = (
    'Understood: keep var1, keep var1.date, drop var1.date, ask var1.date, var1.date = "$var2.day$", '
    "rename var1 to Tool, rename var1.date to day, delete var1, call Tool; `call 3` stands for the third."
)
_NUMBERED = re.compile(r"call\s+(\d{1,9})(?:\.(.+))?", re.S)
_RETURNS = "returns"


@dataclass(frozen=True, slots=True)
class Statement:
    """What a repair should do: with a call, with an argument of it, or with a tool."""

    wish: Wish
    call: CallId | None = None
    parameter: str = ""
    target: str = ""
    source: Source | None = None


class Names:
    """The calls that a statement may name: by label, as given or as repaired, or by number."""

    def __init__(
        self,
        instance: Instance,
        repaired: Sequence,
        order: Iterable[CallId],
        unresolved: Collection[int] = (),
    ) -> None:
        """Collect the labels of the given and of the repaired sequence, in which some calls stay as given."""
        self.instance = instance
        self.unresolved = unresolved
        self.repaired = dict(zip(order, repaired.calls, strict=False))
        given: dict[str, list[CallId]] = {}
        for number, call in enumerate(instance.sequence.calls):
            if call.label is not None:
                given.setdefault(call.label, []).append(number)
        now: dict[str, list[CallId]] = {}
        for each, call in self.repaired.items():
            if call.label is not None:
                now.setdefault(call.label, []).append(each)
        self.bearers = {**now, **given}
        if instance.is_returning:
            self.bearers.setdefault(_RETURNS, [len(instance.sequence.calls)])

    def call(self, text: str) -> CallId:
        """Return the call that a text names; refuse one that names none, or several."""
        match = _NUMBERED.fullmatch(text)
        if match is not None and match[2] is None and text not in self.bearers:
            return self._at(int(match[1]))
        bearers = self.bearers.get(text, [])
        if len(bearers) == 1:
            return self._real(bearers[0], text)
        if bearers:
            numbers = " and ".join(f"call {each + 1}" for each in bearers if isinstance(each, int))
            raise StatementError(
                f"several calls bear the label {shown(text)}.", hint=f"Say {numbers}."
            )
        known = ", ".join(shown(label, 60) for label in list(self.bearers)[:LISTED]) or "none"
        raise StatementError(
            f"no call bears the label {shown(text)!r}.",
            hint=f"Labels: {known}; `call 1` is the first of {len(self.instance.sequence.calls)}.",
        )

    def place(self, text: str) -> tuple[CallId, str] | None:
        """Return the argument that a text names, or None when it names none."""
        match = _NUMBERED.fullmatch(text)
        if match is not None and match[2] is not None:
            return self._at(int(match[1])), match[2].strip()
        for label in sorted(self.bearers, key=len, reverse=True):
            if text.startswith(f"{label}.") and text != f"{label}.":
                return self.call(label), text[len(label) + 1 :].strip()
        return None

    def is_secret(self, call: CallId, parameter: str) -> bool:
        """Whether all that is given to an argument is secret."""
        known = [self.repaired[call].name] if call in self.repaired else []
        known += [self.instance.call(call).name] if isinstance(call, int) else []
        return any(self.instance.index.secrets.is_argument(tool, parameter) for tool in known)

    def _at(self, number: int) -> CallId:
        count = len(self.instance.sequence.calls)
        if not 1 <= number <= count:
            raise StatementError(f"there is no call {number}.", hint=f"The sequence has {count}.")
        return number - 1

    @staticmethod
    def _real(call: CallId, text: str) -> CallId:
        if isinstance(call, Inner | Part):
            raise StatementError(
                f"{shown(text)} was made of an argument of another call.",
                hint="Ask about that argument.",
            )
        return call


def read_statement(text: object, names: Names) -> Statement:
    """
    Read a statement.

    Raises:
        StatementError: it cannot be understood, or names no call or argument of the sequence.
    """
    if not isinstance(text, str) or not text.strip():
        raise StatementError("there is no statement.", hint=UNDERSTOOD)
    if len(text) > LONGEST:
        raise StatementError(f"a statement of {len(text)} characters is too long.", hint=UNDERSTOOD)
    text = text.strip()
    word, _, rest = text.partition(" ")
    rest = rest.strip()
    left, equals, right = text.partition("=")
    if equals and (place := names.place(left.strip())) is not None:
        return Statement("read", *place, source=_source(right.strip(), names.is_secret(*place)))
    if word in ("keep", "drop", "ask", "delete") and rest:
        return _about_one(word, rest, names)
    if word == "call" and rest:
        return Statement("call", target=rest)
    if word == "rename" and " to " in rest:
        before, _, after = rest.rpartition(" to ")
        place = names.place(before.strip())
        if place is None:
            return Statement("rename_tool", names.call(before.strip()), target=after.strip())
        _must_be_given(*place, names)
        return Statement("rename", *place, target=after.strip())
    if equals:
        names.call(left.strip().partition(".")[0])
    raise StatementError(
        f"{shown(text_without_secrets(text))!r} cannot be understood.", hint=UNDERSTOOD
    )


def _about_one(word: str, rest: str, names: Names) -> Statement:
    """Read a statement about one call, or one argument."""
    place = None if rest in names.bearers else names.place(rest)
    if place is None:
        if word in ("drop", "ask"):
            names.call(rest.partition(".")[0])
            raise StatementError(f"`{word}` is said of an argument.", hint=UNDERSTOOD)
        return Statement("keep_call" if word == "keep" else "delete", names.call(rest))
    if word == "delete":
        raise StatementError(
            "`delete` is said of a call.", hint="An argument is left out by `drop`."
        )
    if word == "keep":
        _must_be_given(*place, names)
        return Statement("keep", *place)
    if word == "drop":
        call, parameter = place
        now = names.repaired[call].arguments if call in names.repaired else {}
        if parameter not in now:
            _must_be_given(call, parameter, names)
        return Statement("drop", *place)
    return Statement("ask", *place)


def _must_be_given(call: CallId, parameter: str, names: Names) -> None:
    given = names.instance.call(call).arguments if isinstance(call, int) else {}
    if parameter not in given:
        listed = ", ".join(shown(each, 60) for each in list(given)[:LISTED]) or "none"
        raise StatementError(
            f"the given call has no argument {shown(parameter)!r}.",
            hint=f"Its arguments: {listed}.",
        )


def _source(text: str, is_secret: bool) -> Source:
    """Read a value as it stands in the printed form; a lone reference may go without quotes."""
    told = HIDDEN if is_secret else shown(text)
    if re.fullmatch(r"\$[^\s\"$]+\$", text):
        text = f'"{text}"'
    try:
        (call,) = Sequence.load(f"f(x={text})", "pretty").calls
        (source,) = call.arguments.values()
    except (RefractError, ValueError):
        raise StatementError(
            f"{told!r} is no value.", hint='Write a reference as "$var1.id$", a text in quotes.'
        ) from None
    return source


IMPOSSIBLE = Function("nothing")
"""A token that never holds: nothing that the rules know would be that value."""


def demand_facts(statements: Iterable[Statement], names: Names, evidence: Evidence) -> list[Symbol]:
    """Return the facts that hold a repair to the statements."""
    demands = [
        demand for statement in statements for demand in _demands(statement, names, evidence)
    ]
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


def _of_argument(
    statement: Statement, call: Symbol, names: Names, evidence: Evidence
) -> list[list[Symbol]]:
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


def _constants(
    statement: Statement, wanted: Constant, names: Names, evidence: Evidence
) -> list[Symbol]:
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
