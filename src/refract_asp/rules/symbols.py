"""Texts and facts as clingo symbols; data never becomes program text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias, TypeVar

from clingo import Function, Number, String, Symbol

from refract_asp.ports import regex
from refract_asp.resources import packaged

# On what Python and the rules agree: what is read of an answer, and what files of the user's may
# say.
TABLES = packaged("rules/tables.json")

Found = TypeVar("Found")
# A tool, or what stands for a label of memory.
Giver: TypeAlias = Symbol | str

_ESCAPE = "\x1a"
_UNSAFE = regex(r"[\0\x1a\ud800-\udfff]")
_ESCAPED = regex(_ESCAPE + r"([0-9a-f]{4})")

# Texts up to this length are built once.
CACHED = 200


def text(value: str) -> Symbol:
    """
    Return a text as a clingo string.

    Clingo ends a string at NUL and wants valid Unicode, so NUL and lone surrogates are written as
    escapes; two different texts stay different.
    """
    return _short_text(value) if len(value) <= CACHED else _text(value)


def _text(value: str) -> Symbol:
    return String(_UNSAFE.sub(lambda match: f"{_ESCAPE}{ord(match[0]):04x}", value))


_short_text = lru_cache(maxsize=65536)(_text)
_number = lru_cache(maxsize=4096)(Number)


def plain(symbol: Symbol) -> str:
    """Return the text behind a clingo string; the inverse of `text`."""
    value = symbol.string
    if _ESCAPE in value:
        value = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), value)
    return value


def fact(name: str, *arguments: Symbol | str | int) -> Symbol:
    """
    Build a fact from texts, whole numbers and symbols.

    Example:
        >>> str(fact("in_label", 0, "var1"))
        'in_label(0,"var1")'
    """
    symbols = [
        text(each) if isinstance(each, str) else _number(each) if isinstance(each, int) else each
        for each in arguments
    ]
    return Function(name, symbols)


def memory(label: str) -> Symbol:
    """
    Build what stands for a label of memory: a call whose tool has the same name.

    Example:
        >>> str(memory("user"))
        'memory("user")'
    """
    return Function("memory", [text(label)])


@dataclass(slots=True)
class Facts:
    """
    Facts in the order in which they are stated, each once.

    Attributes:
        facts: what was stated.
        predicates: name and arity of what was stated.
        givers: the tools, and the labels of memory, that have something at a path, by path.
        truncated: what a bound cut off that could matter.
    """

    facts: dict[Symbol, None] = field(default_factory=dict, init=False)
    predicates: set[tuple[str, int]] = field(default_factory=set, init=False)
    givers: dict[str, dict[Giver, None]] = field(default_factory=dict, init=False)
    truncated: dict[str, None] = field(default_factory=dict, init=False)

    def add(self, name: str, *arguments: Symbol | str | int) -> None:
        """State a fact."""
        self.facts[fact(name, *arguments)] = None
        self.predicates.add((name, len(arguments)))

    def join(self, others: Facts) -> None:
        """State what was stated elsewhere."""
        self.facts |= others.facts
        self.predicates |= others.predicates

    def cut(self, what: str) -> None:
        """Report that a bound cut off something that could matter."""
        self.truncated[what] = None

    def first(self, found: Sequence[Found], most: int, what: str) -> Sequence[Found]:
        """Return the first of what was found; report it when there is more."""
        if len(found) > most:
            self.cut(what)
        return found[:most]

    def hold(self, label: str, *paths: str) -> Symbol:
        """State what stands for a label of memory, and that it has something at paths; return it."""
        held = memory(label)
        self.add("in_name", held, held)
        self.add("in_tool", held)
        for path in paths:
            self.state_gives(held, path)
        return held

    def state_gives(self, giver: Giver, path: str) -> None:
        """State that a tool, or what stands for a label of memory, has something at a path."""
        self.add("in_gives", giver, path)
        if "[" in path:
            self.add("in_element", path)
        self.givers.setdefault(path, {})[giver] = None
