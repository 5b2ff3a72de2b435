"""Reads the `out_` predicates of an answer set into plain data; the only place that knows their shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from clingo import Symbol, SymbolType

from refract_asp.rules.symbols import plain

__all__ = [
    "Aim",
    "CallId",
    "Choices",
    "Inner",
    "Own",
    "Part",
    "Penalty",
    "read_choices",
    "read_violations",
]


MAX_READ = 8192
"""So many shown symbols are kept as they were read."""


@dataclass(frozen=True, slots=True)
class New:
    """An added call that a lost label demands."""

    label: str


@dataclass(frozen=True, slots=True)
class Own:
    """A call that is added on its own account, to fill a parameter of another one."""

    reader: CallId
    parameter: str
    tool: str


@dataclass(frozen=True, slots=True)
class Part:
    """One of the calls into which a given one is spread, by its place in the list; the first stays itself."""

    call: int
    element: int


@dataclass(frozen=True, slots=True)
class Inner:
    """A call that was written inside an argument of a given one, and is made before it."""

    call: int
    parameter: str


@dataclass(frozen=True, slots=True)
class Aim:
    """A call that is added to meet a goal, by its number."""

    goal: int


CallId: TypeAlias = "int | New | Own | Part | Inner | Aim"


@dataclass(frozen=True, slots=True)
class FromMemory:
    """A value that memory holds under a label."""

    label: str


@dataclass(frozen=True, slots=True)
class FromConstant:
    """A constant that the sequence gives elsewhere, by its number among the evidence."""

    number: int


@dataclass(frozen=True, slots=True)
class FromGoal:
    """A constant that a goal binds, by the number of the goal."""

    number: int


Origin: TypeAlias = "CallId | FromMemory | FromConstant | FromGoal | str"
"""Where a value comes from; the texts are "ask" and "default"."""

Where: TypeAlias = tuple[str, CallId, str | None, int | None]
"""A place: call, argument or reference; with the call, the parameter and the number of the reference."""


@dataclass(frozen=True, slots=True)
class Penalty:
    """What the answer pays for: kind, units and place; labels and pairs of places stay as text."""

    kind: str
    units: int
    place: object


@dataclass(slots=True)
class Choices:
    """What an answer set chose."""

    tools: dict[CallId, str] = field(default_factory=dict)
    relabelled: dict[int, str] = field(default_factory=dict)
    made: dict[str, New] = field(default_factory=dict)
    renamed: dict[tuple[int, str], str] = field(default_factory=dict)
    dropped: set[tuple[int, str]] = field(default_factory=set)
    filled: dict[tuple[CallId, str], tuple[Origin, str]] = field(default_factory=dict)
    mended: dict[tuple[int, str, int], tuple[Origin, str]] = field(default_factory=dict)
    recast: dict[tuple[int, str], int] = field(default_factory=dict)
    spread: set[tuple[int, str]] = field(default_factory=set)
    hoisted: dict[tuple[int, str], str] = field(default_factory=dict)
    left_out: set[tuple[int, str]] = field(default_factory=set)
    deleted: set[int] = field(default_factory=set)
    moved: set[int] = field(default_factory=set)
    precede: set[tuple[CallId, CallId]] = field(default_factory=set)
    replaced: dict[int, int] = field(default_factory=dict)
    unresolved: set[int] = field(default_factory=set)
    unused: set[int] = field(default_factory=set)
    unmet: set[int] = field(default_factory=set)
    risky: dict[Where, str] = field(default_factory=dict)
    confirms: set[Where] = field(default_factory=set)
    penalties: list[Penalty] = field(default_factory=list)
    rank: int = 0
    symbols: Sequence[Symbol] = ()


def read_choices(symbols: Sequence[Symbol]) -> Choices:
    """Read the shown symbols of an answer set of the repair program."""
    choices = Choices(symbols=symbols)
    for symbol in symbols:
        match _read(symbol):
            case "out_tool", call, tool:
                choices.tools[call] = tool
            case "out_explained", label, bearer:
                if isinstance(bearer, int):
                    choices.relabelled[bearer] = label
                elif isinstance(bearer, New):
                    choices.made[label] = New(label)
            case "out_renamed", call, parameter, target:
                choices.renamed[call, parameter] = target
            case "out_dropped", call, parameter:
                choices.dropped.add((call, parameter))
            case "out_fill", call, parameter, origin, path:
                choices.filled[call, parameter] = (origin, path)
            case "out_mend", call, parameter, number, origin, path:
                choices.mended[call, parameter, number] = (origin, path)
            case "out_recast", call, parameter, form:
                _read_form(choices, (call, parameter), form)
            case "out_deleted", call:
                choices.deleted.add(call)
            case "out_moved", call:
                choices.moved.add(call)
            case "out_precede", call, other:
                choices.precede.add((call, other))
            case "out_replaced", call, other:
                choices.replaced[call] = other
            case "out_unresolved", Aim(goal):
                choices.unmet.add(goal)
            case "out_unresolved", int(call):
                choices.unresolved.add(call)
            case "out_unused", int(call):
                choices.unused.add(call)
            case "out_risky", place, reason:
                choices.risky[place] = reason
            case "out_confirm", place:
                choices.confirms.add(place)
            case "out_rank", rank, _:
                choices.rank += rank
            case "out_penalty", kind, units, place:
                choices.penalties.append(Penalty(kind, units, place))
    return choices


@lru_cache(maxsize=MAX_READ)
def _read(symbol: Symbol) -> tuple[Any, ...]:
    """Read a shown symbol: its name and its arguments; the answers to a question have most in common."""
    if symbol.type is not SymbolType.Function:
        return ()
    readers = _ARGUMENTS.get(symbol.name, ())
    return (
        symbol.name,
        *(read(each) for read, each in zip(readers, symbol.arguments, strict=False)),
    )


def _read_form(choices: Choices, place: tuple[int, str], form: Symbol) -> None:
    """Read the form into which an argument comes; `recovery/transform.lp` lists them."""
    if form.type is SymbolType.Number:
        choices.recast[place] = form.number
    elif form.name == "each":
        choices.spread.add(place)
    elif form.name == "inner":
        choices.hoisted[place] = plain(form.arguments[0])
    else:
        choices.left_out.add(place)


def read_violations(symbols: Iterable[Symbol]) -> list[tuple[str, Where]]:
    """Read the violations of the check program, in no order."""
    return [(symbol.arguments[0].name, _where(symbol.arguments[1])) for symbol in symbols]


def _call(symbol: Symbol) -> CallId:
    if symbol.type is SymbolType.Number:
        return symbol.number
    arguments = symbol.arguments
    if symbol.name == "new":
        return New(plain(arguments[0]))
    if symbol.name == "goal":
        return Aim(arguments[0].number)
    return Own(_call(arguments[0]), plain(arguments[1]), plain(arguments[2]))


def _origin(symbol: Symbol) -> Origin:
    if symbol.type is SymbolType.Function:
        if not symbol.arguments:
            return symbol.name
        if symbol.name == "memory":
            return FromMemory(plain(symbol.arguments[0]))
        if symbol.name == "constant":
            return FromConstant(symbol.arguments[0].number)
        if symbol.name == "bound":
            return FromGoal(symbol.arguments[0].number)
    return _call(symbol)


def _where(symbol: Symbol) -> Where:
    arguments = symbol.arguments
    call = _call(arguments[0])
    parameter = plain(arguments[1]) if len(arguments) > 1 else None
    number = arguments[2].number if len(arguments) > 2 else None
    return symbol.name, call, parameter, number


def _place(symbol: Symbol) -> object:
    if symbol.type is SymbolType.Number:
        return ("call", symbol.number, None, None)
    if symbol.type is SymbolType.Function:
        if symbol.name in ("argument", "reference", "call"):
            return _where(symbol)
        if symbol.name in ("new", "own", "goal"):
            return ("call", _call(symbol), None, None)
    return str(symbol)


def _number(symbol: Symbol) -> int:
    return symbol.number


def _bearer(symbol: Symbol) -> CallId | None:
    """Return the call that explains a lost label, or None where each reference is on its own."""
    return _call(symbol) if symbol.type is SymbolType.Number or symbol.name == "new" else None


def _itself(symbol: Symbol) -> Symbol:
    return symbol


_ARGUMENTS: dict[str, tuple[Callable[[Symbol], Any], ...]] = {
    "out_tool": (_call, plain),
    "out_explained": (plain, _bearer),
    "out_renamed": (_number, plain, plain),
    "out_dropped": (_number, plain),
    "out_fill": (_call, plain, _origin, plain),
    "out_mend": (_number, plain, _number, _origin, plain),
    "out_recast": (_number, plain, _itself),
    "out_deleted": (_number,),
    "out_moved": (_number,),
    "out_precede": (_call, _call),
    "out_replaced": (_number, _number),
    "out_unresolved": (_call,),
    "out_unused": (_call,),
    "out_risky": (_where, str),
    "out_confirm": (_where,),
    "out_rank": (_number, str),
    "out_penalty": (str, _number, _place),
}
"""How the arguments of each shown predicate are read."""
