"""Reads the `out_` predicates of an answer set, the only place that knows their shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from clingo import Function, Number, Symbol, SymbolType

from refract_asp.errors import EncodingError, shown
from refract_asp.rules.symbols import TABLES, plain, text


@dataclass(frozen=True, slots=True)
class New:
    """An added call that a lost label demands."""

    label: str


@dataclass(frozen=True, slots=True)
class Own:
    """A call that no reference requires, added to fill a parameter of another one."""

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


@dataclass(frozen=True, slots=True)
class Given:
    """The constant that the call was given as a parameter; patterns of the user's build values of such."""

    parameter: str


@dataclass(frozen=True, slots=True)
class Word:
    """One of the words of such a text, by its number from 0."""

    parameter: str
    number: int


@dataclass(frozen=True, slots=True)
class Scaled:
    """Such a number, times a factor and through a divisor."""

    parameter: str
    factor: int
    divisor: int


@dataclass(frozen=True, slots=True)
class Joined:
    """A text of several parts: texts as they stand, and any of the above."""

    parts: tuple[str | Given | Word | Scaled, ...]


Built: TypeAlias = Given | Word | Scaled | Joined
# Where a value comes from; the texts are "ask" and "default".
Origin: TypeAlias = "CallId | FromMemory | FromConstant | FromGoal | Built | str"

# What a unit of each kind of penalty weighs, by level.
Weights: TypeAlias = dict[str, dict[int, int]]

# A place: call, argument or reference; with the call, the parameter and the number of the
# reference.
Where: TypeAlias = tuple[str, CallId, str | None, int | None]


def joined(parts: Any) -> Joined:
    """
    Read what a text is joined of.

    Raises:
        EncodingError: it is no tuple of texts and of parts of what the call was given.
    """
    is_tuple = isinstance(parts, tuple) and parts[:1] == ("",)  # a tuple has no name
    if not is_tuple or not all(isinstance(part, str | Built) for part in parts):
        what = f"join takes a tuple of texts, given, word and scaled, and not {shown(parts)}."
        hint = 'Write join((given("first"), " ", given("last"))), and ("a",) for a single part.'
        raise EncodingError(what, hint=hint)
    return Joined(parts[1:])


# What terms stand for; places and all others are read as tuples that begin with their name.
TERMS: dict[tuple[str, int], Any] = {
    ("new", 1): New,
    ("own", 3): Own,
    ("goal", 1): Aim,
    ("memory", 1): FromMemory,
    ("constant", 1): FromConstant,
    ("bound", 1): FromGoal,
    ("given", 1): Given,
    ("word", 2): Word,
    ("scaled", 3): Scaled,
    ("join", 1): joined,
}


@lru_cache(maxsize=16384)  # the answers to a question have most in common
def read(symbol: Symbol) -> Any:
    """Read a term: numbers, texts and words as they are, calls, origins and places as what they stand for."""
    if symbol.type is SymbolType.Number:
        return symbol.number
    if symbol.type is SymbolType.String:
        return plain(symbol)
    if symbol.type is not SymbolType.Function or not symbol.arguments:
        return str(symbol)
    inner = [read(each) for each in symbol.arguments]
    if symbol.name in ("call", "argument", "reference"):
        return (symbol.name, *inner, None, None)[:4]
    meaning = TERMS.get((symbol.name, len(inner)))
    return (symbol.name, *inner) if meaning is None else meaning(*inner)


def call_symbol(call: CallId) -> Symbol:
    """Return a call as the rules know it, the inverse of `read`."""
    match call:
        case New(label):
            return Function("new", [text(label)])
        case Aim(goal):
            return Function("goal", [Number(goal)])
        case Own(reader, parameter, tool):
            return Function("own", [call_symbol(reader), text(parameter), text(tool)])
    assert isinstance(call, int)
    return Number(call)


@dataclass(frozen=True, slots=True)
class Penalty:
    """What the answer pays for: kind, units and place; a label is a text."""

    kind: str
    units: int
    place: object


@dataclass(slots=True)
class Choices:
    """What an answer set chose."""

    symbols: Sequence[Symbol] = ()
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
    kept: set[int] = field(default_factory=set)
    unmet: set[int] = field(default_factory=set)
    risky: dict[Where, str] = field(default_factory=dict)
    confirms: set[Where] = field(default_factory=set)
    penalties: list[Penalty] = field(default_factory=list)
    patterns: dict[tuple[str, Where], str] = field(default_factory=dict)
    rank: int = 0


# Where what is shown is kept, and how many of its arguments are the key; those after it are the
# value.
_KEPT = TABLES["kept"]


def read_choices(symbols: Sequence[Symbol]) -> Choices:
    """Read the shown symbols of an answer set of the repair program."""
    choices = Choices(symbols)
    for symbol in symbols:
        match read(symbol):
            case "out_explained", label, int(bearer):
                choices.relabelled[bearer] = label
            case "out_explained", label, New() as added:
                choices.made[label] = added
            # `recovery/transform.lp` lists the forms
            case "out_transformed", call, parameter, form:
                match form:
                    case int() | ("asked", int()):
                        number = form if isinstance(form, int) else form[1]
                        choices.recast[call, parameter] = number
                    case "inner", path:
                        choices.hoisted[call, parameter] = path
                    case _:
                        chosen = choices.spread if form[0] == "each" else choices.left_out
                        chosen.add((call, parameter))
            case "out_unresolved", call:
                if isinstance(call, Aim):
                    choices.unmet.add(call.goal)
                else:
                    choices.unresolved.add(call)
            case "out_pattern", pattern, kind, place:
                choices.patterns[kind, place] = pattern
            case "out_rank", rank, _:
                choices.rank += rank
            case "out_penalty", kind, units, place:
                if isinstance(place, int | New | Own | Aim):
                    place = ("call", place, None, None)
                choices.penalties.append(Penalty(kind, units, place))
            case name, *arguments if name in _KEPT:
                attribute, size = _KEPT[name]
                kept: Any = getattr(choices, attribute)
                key = arguments[0] if size == 1 else tuple(arguments[:size])
                if isinstance(kept, set):
                    kept.add(key)
                else:
                    value = arguments[size:]
                    kept[key] = value[0] if len(value) == 1 else tuple(value)
    return choices


def read_violations(symbols: Iterable[Symbol]) -> list[tuple[str, Where]]:
    """Read the violations of the check program, in no order."""
    found = ((read(code), read(place)) for code, place in (s.arguments for s in symbols))
    return [
        (code, ("goal", place.goal, None, None) if isinstance(place, Aim) else place)
        for code, place in found
    ]
