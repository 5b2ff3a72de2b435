"""What an answer computes, as terms: calls on calls, never run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from refract_asp.errors import shown

__all__ = ["Applied", "Fixed", "Given", "Method", "Root", "Term", "inside", "told"]


@dataclass(frozen=True, eq=False)
class Fixed:
    """A constant; values of different types are different."""

    value: object


@dataclass(frozen=True, eq=False)
class Given:
    """An argument of the function that was to be written, by the text that stands for it in the test."""

    dummy: str
    name: str


@dataclass(frozen=True, eq=False)
class Root:
    """A library, or an object of one."""

    name: str


@dataclass(frozen=True, eq=False)
class Method:
    """An attribute of something."""

    of: Term
    name: str


@dataclass(frozen=True, eq=False)
class Applied:
    """A call."""

    method: Term
    by_position: tuple[Term, ...]
    by_name: dict[str, Term]


Term: TypeAlias = Fixed | Given | Root | Method | Applied

_MAX_TOLD = 40
"""How many terms are told at most; what is shared is told again."""


def inside(term: Term) -> Iterator[Term]:
    """Yield a term and what it is made of, each once."""
    seen: set[int] = set()
    open = [term]
    while open:
        each = open.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        if isinstance(each, Method):
            open.append(each.of)
        elif isinstance(each, Applied):
            open += [each.method, *each.by_position, *each.by_name.values()]


def told(term: Term) -> str:
    """Return a term as Python would write it, cut where it is long."""
    budget = [_MAX_TOLD]

    def text(each: Term) -> str:
        budget[0] -= 1
        if budget[0] < 0:
            return "..."
        if isinstance(each, Fixed):
            return shown(repr(each.value), 60)
        if isinstance(each, Given | Root):
            return each.name
        if isinstance(each, Method):
            return f"{text(each.of)}.{each.name}"
        values = [text(value) for value in each.by_position]
        values += [f"{name}={text(value)}" for name, value in each.by_name.items()]
        return f"{text(each.method)}({', '.join(values)})"

    return shown(text(term), 200)
