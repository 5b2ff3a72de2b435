"""The embedder that is built in: character n-grams, weighted by tf-idf."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log

from refract_asp.rules.likeness import tokens_of_text

__all__ = ["CharacterNgrams"]

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
        known = {feature: 1 + log((1 + len(texts)) / (1 + number)) for feature, number in spread.items()}
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
