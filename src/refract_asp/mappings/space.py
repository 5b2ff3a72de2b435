"""How alike the texts of one kind are: all names, all descriptions, or what the tools say of themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from importlib import import_module
from math import isfinite
from typing import Any

from refract_asp.errors import InputError, shown
from refract_asp.mappings.embedding import Embedder, Vector

__all__ = ["Space"]

CACHED = 1024
"""For how many texts it is remembered which are near."""
TINY = 1e-9
"""What a dimension has to have of the length of a vector to count."""
ROUNDING = 0.001
"""What a bound allows for, so that no rounding cuts off what reaches it."""


class Space:
    """
    Texts by number, and how alike two of them are: 0 nothing in common, 1 the same.

    The empty text is like nothing. Sparse vectors are compared through an inverted index; dense ones
    with numpy, where it is installed.
    """

    def __init__(
        self, embedder: Embedder, texts: Iterable[str], sought: Iterable[str] = ()
    ) -> None:
        """Embed each text once; only those `sought` are found by `near`."""
        self.numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        self._found = frozenset(self.numbers[text] for text in sought)
        self._sought = sorted(self._found)
        self._same = {number: text for text, number in self.numbers.items() if text}
        given = embedder.embed(list(self.numbers)) if self.numbers else []
        self._unlike = _unlike(embedder)
        if len(given) != len(self.numbers):
            raise InputError(
                f"the embedder gave {len(given)} vectors for {len(self.numbers)} texts.",
                hint="It has to return one for each, in their order.",
            )
        self._matrix = _matrix(given)
        self._vectors = [] if self._matrix is not None else [_normed(vector) for vector in given]
        self.near = lru_cache(maxsize=CACHED)(self._near)

    def between(self, first: int, second: int) -> float:
        """Return how alike two texts are."""
        if first == second:
            return float(first in self._same)
        if self._matrix is not None:
            return self._scaled(float(self._matrix[first] @ self._matrix[second]))
        one, other = self._vectors[first], self._vectors[second]
        if len(other) < len(one):
            one, other = other, one
        return self._scaled(
            sum(weight * other[name] for name, weight in one.items() if name in other)
        )

    def _near(self, number: int, least: float) -> dict[int, float]:
        """Return the sought texts that are at least so like one, and more than not at all, by number."""
        bound = self._unlike + least * (1 - self._unlike)
        found: Iterable[int]
        if self._matrix is not None:
            row = self._matrix[self._sought] @ self._matrix[number]
            found = [
                self._sought[place] for place in (row >= bound - ROUNDING).nonzero()[0].tolist()
            ]
        else:
            found = self._sharing(number, bound)
        # a text of which the embedder says nothing is like itself all the same
        itself = [number] if number in self._found else []
        likeness = {other: self.between(number, other) for other in (*found, *itself)}
        return {other: like for other, like in likeness.items() if like > 0 and like >= least}

    def _sharing(self, number: int, bound: float) -> Iterable[int]:
        """
        Return the sought texts whose cosine with one may reach a bound.

        Rare features are looked up first, and the common ones not at all when what is left of the vector
        cannot reach the bound (Bayardo, Ma and Srikant, Scaling up all pairs similarity search, 2007).
        """
        vector = self._vectors[number]
        found: dict[int, float] = {}
        left = 1.0  # of the square of its length; the cosine that it may add is at most its root
        for name in sorted(
            vector, key=lambda each: (len(self._postings.get(each, ())) / vector[each] ** 2, each)
        ):
            weight = vector[name]
            more = max(0.0, left - weight * weight) ** 0.5 + ROUNDING
            if left**0.5 >= bound - ROUNDING:
                for other, share in self._postings.get(name, ()):
                    found[other] = found.get(other, 0.0) + weight * share
            else:
                for other in found:
                    found[other] += weight * self._vectors[other].get(name, 0.0)
                found = {other: cosine for other, cosine in found.items() if cosine + more >= bound}
            left = max(0.0, left - weight * weight)
        return [other for other, cosine in found.items() if cosine + ROUNDING >= bound]

    def _scaled(self, cosine: float) -> float:
        """Return a cosine as a likeness: what unlike texts have anyway counts for nothing."""
        return round(min(1.0, max(0.0, (cosine - self._unlike) / (1 - self._unlike))), 6)

    @cached_property
    def _postings(self) -> dict[str, list[tuple[int, float]]]:
        """The sought texts in which a feature stands, with what it weighs there."""
        found: dict[str, list[tuple[int, float]]] = {}
        for number in self._sought:
            for name, weight in self._vectors[number].items():
                found.setdefault(name, []).append((number, weight))
        return found


def _unlike(embedder: Embedder) -> float:
    """Return the cosine that texts have which have nothing in common."""
    given = getattr(embedder, "unlike", 0.0)
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 0.99:
        raise InputError(
            f"the embedder says that unlike texts have the cosine {shown(given)}.",
            hint="Its attribute `unlike` has to be a number from 0 to 0.99.",
        )
    return float(given)


def _matrix(vectors: Any) -> Any:
    """Return dense vectors as the normed rows of a matrix; None for sparse ones, or without numpy."""
    if len(vectors) == 0 or isinstance(vectors[0], Mapping):
        return None
    try:
        numpy = import_module("numpy")
    except ImportError:
        return None
    try:
        with numpy.errstate(over="ignore"):
            matrix = numpy.asarray(vectors, dtype="float32")
    except (TypeError, ValueError):
        raise _no_vectors() from None
    if matrix.ndim != 2 or not numpy.isfinite(matrix).all():
        raise _no_vectors()
    lengths = numpy.linalg.norm(matrix, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return matrix / lengths


def _normed(vector: Vector) -> dict[str, float]:
    """Return a vector of length 1 as the dimensions that are not 0; one of length 0 has none."""
    try:
        items = vector.items() if isinstance(vector, Mapping) else enumerate(vector)
        found = {str(name): float(value) for name, value in items if value}
    except (TypeError, ValueError, AttributeError):
        raise _no_vectors() from None
    length = sum(value * value for value in found.values()) ** 0.5
    if not isfinite(length):
        raise _no_vectors()
    return {name: value / length for name, value in found.items() if abs(value) > TINY * length}


def _no_vectors() -> InputError:
    return InputError(
        "the embedder gave something that is no vector.",
        hint="Each has to be a list of finite numbers, all of one length, or a dict of them by name.",
    )
