"""What turns texts into vectors, and how alike these are: all names, all descriptions, all tools."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from itertools import combinations
from math import isfinite, log
from statistics import mean
from typing import Any, Protocol, TypeAlias, runtime_checkable

from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.resources import packaged
from refract_asp.rules.likeness import tokens_of_text

__all__ = ["CharacterNgrams", "Embedder", "SentenceTransformers", "Space", "Vector"]


# How many words of a text are read.
MAX_WORDS = 400
# How many characters of a word are read.
MAX_WORD = 40


class CharacterNgrams:
    """
    Vectors of character trigrams and words, weighted by tf-idf; nothing to download, nothing random.

    Texts are split into words (`camelCase` and `snake_case` too) and folded; each word gives itself and
    its runs of three characters, with its two ends marked, so that `airport` and `airports` have much
    in common and `id` is not a part of `idle`. A feature that stands t times in a text, and in d of the
    n texts of the call, weighs `(1 + ln t) * (1 + ln((1 + n) / (1 + d)))`: the logarithmic term frequency
    and the inverse document frequency of Salton and Buckley, Term-weighting approaches in automatic text
    retrieval (1988), the latter smoothed so that no text divides by 0 or weighs nothing. Their cosine
    normalisation is done by whoever compares the vectors.

    Example:
        >>> sorted(CharacterNgrams().embed(["skyId"])[0])
        ['<id', '<id>', '<sk', '<sky>', 'id>', 'ky>', 'sky']
    """

    def embed(self, texts: Sequence[str]) -> list[dict[str, float]]:
        """Return the features of each text with their weights."""

        def features(text: str) -> Iterator[str]:
            for word in tokens_of_text(text)[:MAX_WORDS]:
                marked = f"<{word[:MAX_WORD]}>"
                runs = [marked[start : start + 3] for start in range(len(marked) - 2)]
                yield from runs if len(marked) == 3 else (marked, *runs)

        counts = [Counter(features(text)) for text in texts]
        spread = Counter(feature for count in counts for feature in count)
        known = {name: 1 + log((1 + len(texts)) / (1 + number)) for name, number in spread.items()}
        return [
            {name: (1 + log(times)) * known[name] for name, times in count.items()}
            for count in counts
        ]


# A vector: a number for each dimension, or the dimensions that are not 0, by name.
Vector: TypeAlias = Sequence[float] | Mapping[str, float]

# How many texts a model is given at once.
BATCH = 64


@runtime_checkable
class Embedder(Protocol):
    """
    Turns texts into vectors whose cosine says how alike they are in meaning.

    All texts that are to be compared come in one call, so an embedder may learn from them which words
    are common. One whose vectors are never far apart may say so in an attribute `unlike`: the cosine of
    texts that have nothing in common, 0 where it is absent. It counts as no likeness.

    Example:
        >>> class Letters:
        ...     def embed(self, texts):
        ...         return [{letter: 1.0 for letter in text} for text in texts]
        >>> isinstance(Letters(), Embedder)
        True
    """

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return a vector for each text, in their order; all dense and of one length, or all by name."""
        ...


class SentenceTransformers:
    """
    A model of the library sentence-transformers, which the extra `embeddings` installs.

    Args:
        model: name or folder of a model, or a loaded one: any object with its method
            `encode(texts, batch_size=..., show_progress_bar=...)`.
        device: where it runs, as "cpu"; None lets the library choose.

    Raises:
        InputError: the library is not installed, or there is no such model.
    """

    def __init__(self, model: Any, device: str | None = None) -> None:
        """Load the model."""
        self.name = model if isinstance(model, str) else type(model).__name__
        self._model = model
        if isinstance(model, str):
            try:
                library = import_module("sentence_transformers")
                self._model = library.SentenceTransformer(model, device=device)
            except Exception as error:
                # also what a hub, a broken file or a model's own code raises
                what = f"the model {shown(model)!r} cannot be loaded: {shown(error, LONGEST_TEXT).rstrip('.')}."
                hint = "Give the folder of a model, or the name of one that can be fetched."
                if isinstance(error, ImportError):
                    hint = "Install it with: pip install 'refract-asp[embeddings]'"
                raise InputError(what, hint=hint) from None
        if not callable(getattr(self._model, "encode", None)):
            hint = "Give the name or the folder of a model of sentence-transformers."
            what = f"{shown(self.name)!r} is no model: it has no method encode."
            raise InputError(what, hint=hint)

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return the vectors of the texts, as the model gives them."""
        options: Any = {"batch_size": BATCH, "show_progress_bar": False}
        found: Sequence[Vector] = self._model.encode(list(texts), **options)
        return found

    @cached_property
    def unlike(self) -> float:
        """The mean cosine of texts that have nothing in common."""
        vectors = [_normed(vector) for vector in self._model.encode(packaged("mappings/unrelated"))]
        cosines = [_product(first, second) for first, second in combinations(vectors, 2)]
        return min(0.9, max(0.0, mean(cosines)))


# -- likeness ------------------------------------------------------------------

# For how many texts it is remembered which are near.
CACHED = 1024
# What a dimension has to have of the length of a vector to count.
TINY = 1e-9
# What a bound allows for, so that no rounding cuts off what reaches it.
ROUNDING = 0.001


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
        self._texts = list(dict.fromkeys(texts))
        self._numbers = {text: number for number, text in enumerate(self._texts)}
        self._sought = dict.fromkeys(sorted({self._numbers[text] for text in sought}))
        given = embedder.embed(self._texts) if self._texts else []
        self._unlike = min(0.99, max(0.0, getattr(embedder, "unlike", 0.0)))
        if len(given) != len(self._texts):
            what = f"the embedder gave {len(given)} vectors for {len(self._texts)} texts."
            raise InputError(what, hint="It has to return one for each, in their order.")
        self._matrix = _matrix(given)
        self._vectors = [] if self._matrix is not None else [_normed(vector) for vector in given]
        self.near = lru_cache(maxsize=CACHED)(self._near)
        # the sought texts in which a feature stands, with what it weighs there
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number in self._sought if self._matrix is None else ():
            for name, weight in self._vectors[number].items():
                self._postings[name].append((number, weight))

    def between(self, first: str, second: str) -> float:
        """Return how alike two texts are."""
        if first == second:
            return float(bool(first))
        here, there = self._numbers[first], self._numbers[second]
        if self._matrix is not None:
            cosine = float(self._matrix[here] @ self._matrix[there])
        else:
            cosine = _product(self._vectors[here], self._vectors[there])
        # what unlike texts have anyway counts for nothing
        return round(min(1.0, max(0.0, (cosine - self._unlike) / (1 - self._unlike))), 6)

    def _near(self, text: str, least: float) -> dict[str, float]:
        """Return the sought texts that are at least so like one, and more than not at all."""
        number = self._numbers[text]
        bound = self._unlike + least * (1 - self._unlike)
        if self._matrix is not None:
            sought = list(self._sought)
            row = self._matrix[sought] @ self._matrix[number]
            found = [sought[n] for n in (row >= bound - ROUNDING).nonzero()[0].tolist()]
        else:
            # Rare features are looked up first, and the common ones not at all when what is left of the
            # vector cannot reach the bound (Bayardo, Ma and Srikant, Scaling up all pairs similarity search,
            # 2007).
            vector, postings = self._vectors[number], self._postings
            cosines: dict[int, float] = {}
            # of the square of its length; the cosine that it may add is at most its root
            left = 1.0

            def rarity(name: str) -> tuple[float, str]:
                return len(postings.get(name, ())) / vector[name] ** 2, name

            for name in sorted(vector, key=rarity):
                weight = vector[name]
                more = max(0.0, left - weight * weight) ** 0.5 + ROUNDING
                if left**0.5 >= bound - ROUNDING:
                    for other, share in postings.get(name, ()):
                        cosines[other] = cosines.get(other, 0.0) + weight * share
                else:
                    for other in cosines:
                        cosines[other] += weight * self._vectors[other].get(name, 0.0)
                    cosines = {
                        each: cosine for each, cosine in cosines.items() if cosine + more >= bound
                    }
                left = max(0.0, left - weight * weight)
            found = [other for other, cosine in cosines.items() if cosine + ROUNDING >= bound]
        # a text of which the embedder says nothing is like itself all the same
        found += [number] if number in self._sought else []
        likeness = {self._texts[n]: self.between(text, self._texts[n]) for n in found}
        return {other: like for other, like in likeness.items() if like > 0 and like >= least}


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


def _product(first: dict[str, float], second: dict[str, float]) -> float:
    if len(first) > len(second):
        first, second = second, first
    return sum(weight * second[name] for name, weight in first.items() if name in second)


def _no_vectors() -> InputError:
    hint = "Each has to be a list of finite numbers, all of one length, or a dict of them by name."
    return InputError("the embedder gave something that is no vector.", hint=hint)
