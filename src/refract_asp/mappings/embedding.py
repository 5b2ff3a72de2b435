"""What turns texts into vectors: the protocol, and models of sentence-transformers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from math import log
from typing import Any, Protocol, TypeAlias, runtime_checkable

from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.rules.likeness import tokens_of_text

__all__ = [
    "CharacterNgrams",
    "Embedder",
    "SentenceTransformers",
    "Vector",
]


MAX_WORDS = 400
"""How many words of a text are read."""
MAX_WORD = 40
"""How many characters of a word are read."""


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
        counts = [Counter(_features(text)) for text in texts]
        spread = Counter(feature for count in counts for feature in count)
        known = {
            feature: 1 + log((1 + len(texts)) / (1 + number)) for feature, number in spread.items()
        }
        return [
            {feature: (1 + log(times)) * known[feature] for feature, times in count.items()}
            for count in counts
        ]


def _features(text: str) -> Iterator[str]:
    for word in tokens_of_text(text)[:MAX_WORDS]:
        marked = f"<{word[:MAX_WORD]}>"
        if len(marked) > 3:
            yield marked
        for start in range(len(marked) - 2):
            yield marked[start : start + 3]


Vector: TypeAlias = Sequence[float] | Mapping[str, float]
"""A vector: a number for each dimension, or the dimensions that are not 0, by name."""

BATCH = 64
"""How many texts a model is given at once."""
UNRELATED = (
    "price of a barrel of oil", "her left shoe", "boil the rice for ten minutes", "password of the account",
    "songs by a jazz quartet", "height above the sea", "the goalkeeper was sent off", "tax return for 2019",
    "chapters of a novel", "melting point of iron", "a queue of parcels", "the dog has fleas",
)  # fmt: skip
"""Texts that have nothing to do with each other; how like a model finds them is what it gives for nothing."""


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
        self._model = _loaded(model, device) if isinstance(model, str) else model
        if not callable(getattr(self._model, "encode", None)):
            raise InputError(
                f"{shown(self.name)!r} is no model: it has no method encode.",
                hint="Give the name or the folder of a model of sentence-transformers.",
            )

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return the vectors of the texts, as the model gives them."""
        found: Sequence[Vector] = self._model.encode(
            list(texts), batch_size=BATCH, show_progress_bar=False
        )
        return found

    @cached_property
    def unlike(self) -> float:
        """The mean cosine of texts that have nothing in common."""
        vectors = [[float(x) for x in vector] for vector in self._model.encode(list(UNRELATED))]
        found = [
            _cosine(first, second)
            for number, first in enumerate(vectors)
            for second in vectors[number + 1 :]
        ]
        return min(0.9, max(0.0, sum(found) / len(found)))


def _loaded(name: str, device: str | None) -> Any:
    try:
        library = import_module("sentence_transformers")
    except ImportError as error:
        raise InputError(
            f"{shown(name)!r} is a model of sentence-transformers, which cannot be imported"
            f" ({shown(error, LONGEST_TEXT)}).",
            hint="Install it with: pip install 'refract-asp[embeddings]'",
        ) from None
    try:
        return library.SentenceTransformer(name, device=device)
    except (
        Exception
    ) as error:  # what a hub, a broken file or a model's own code raises is not ours to know
        raise InputError(
            f"the model {shown(name)!r} cannot be loaded: {shown(error, LONGEST_TEXT)}",
            hint="Give the folder of a model, or the name of one that can be fetched.",
        ) from None


def _cosine(first: Sequence[float], second: Sequence[float]) -> float:
    lengths = sum(x * x for x in first) * sum(x * x for x in second)
    return (
        float(sum(x * y for x, y in zip(first, second, strict=True)) / lengths**0.5)
        if lengths
        else 0.0
    )
