"""Noise in the list of functions: names, descriptions and arguments that do not say what they said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from refract_asp.bench.problems.dials import Dials
from refract_asp.bench.problems.distractors import Entry
from refract_asp.bench.problems.expressions import Key
from refract_asp.bench.problems.library import Function
from refract_asp.errors import InputError
from refract_asp.formats.libraries import said, slots

__all__ = ["Listed", "listed_of", "swapped"]

T = TypeVar("T")
MAX_DRAWS = 1_000


@dataclass(frozen=True)
class Listed:
    """
    A function as the prompt lists it.

    Attributes:
        library_name: the name of its library in code.
        name: what it is called there, which noise may have changed.
        args: what its arguments are called there.
        definition: what is said of it, empty where that is taken away.
        key: the function that it truly is: id of the library, and name.
    """

    library_name: str
    name: str
    args: tuple[str, ...]
    definition: str
    key: Key

    @property
    def doc(self) -> str:
        """The definition."""
        return self.definition


def listed_of(pool: Sequence[Entry], dials: Dials, random: Random) -> list[Listed]:
    """
    Return the functions of a prompt as it lists them.

    Names are drawn before descriptions, and both after the distractors: other noise leaves the functions and
    their order as they were.

    Raises:
        InputError: there is nothing to swap with.
    """
    names = _names(pool, dials.function_noise_type, random)
    docs = [_said(entry.function, numbered=dials.arg_noise_type == "number") for entry in pool]
    if dials.description_noise_type == "swap":
        docs = swapped(docs, random, "description_noise_type")
    elif dials.description_noise_type == "empty":
        docs = [""] * len(docs)
    return [
        Listed(entry.library.name, name, _arguments(entry.function, dials), doc, entry.key)
        for entry, name, doc in zip(pool, names, docs, strict=True)
    ]


def _names(pool: Sequence[Entry], noise: str, random: Random) -> list[str]:
    names = [entry.function.name for entry in pool]
    if noise == "number":
        return [f"func{index}" for index in range(len(names))]
    if noise == "swap":
        modules = [entry.library.name for entry in pool]

        def all_differ(drawn: Sequence[str]) -> bool:
            return len(set(zip(modules, drawn, strict=True))) == len(drawn)

        return swapped(names, random, "function_noise_type", all_differ)
    return names


def swapped(
    values: Sequence[T], random: Random, where: str = "", fits: Callable[[Sequence[T]], bool] = lambda _: True
) -> list[T]:
    """
    Return values shuffled, so that none stands where it or its like stood.

    Raises:
        InputError: there is no such order, or none was found in 1,000 draws.

    Example:
        >>> swapped(["a", "b", "c"], Random(1))
        ['b', 'c', 'a']
    """
    drawn = list(values)
    for _ in range(MAX_DRAWS if len(drawn) > 1 else 0):
        random.shuffle(drawn)
        if all(old != new for old, new in zip(values, drawn, strict=True)) and fits(drawn):
            return drawn
    raise InputError(
        f"there is nothing to swap with: {_listed(len(drawn))}.",
        where=where,
        hint="Add distractors from a library whose functions differ.",
    )


def _listed(count: int) -> str:
    return "one function is listed" if count == 1 else f"{count} functions are listed"


def _arguments(function: Function, dials: Dials) -> tuple[str, ...]:
    if dials.arg_noise_type == "number":
        return tuple(f"arg{index}" for index in range(len(function.args)))
    return function.args


def _said(function: Function, *, numbered: bool) -> str:
    """Return the documentation of a function; `numbered` arguments are told by their numbers."""
    if not numbered:
        return said(function.doc)
    by_place = len(slots(function.doc)) == len(function.args)

    def word(number: int, phrase: str, argument: str) -> str:
        if argument in function.args:
            return f"the {phrase} arg{function.args.index(argument)}"
        return f"the {phrase} arg{number}" if by_place else f"the given {phrase}"

    return said(function.doc, word)
