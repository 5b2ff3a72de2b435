"""Words for the names of tools, parameters and fields, and the names that are made of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from hashlib import blake2b
from itertools import count, product
from typing import NamedTuple

from refract_asp.resources import packaged

# So many names with two words changed are tried before versions are numbered.
ATTEMPTS = 20_000


_WORDS = packaged("bench/generating/words")
VERBS = {verb: effect for effect, verbs in _WORDS["verbs"].items() for verb in verbs}


# -- chance ------------------------------------------------------------------------


def stream(seed: object, *about: object) -> random.Random:
    """Return random numbers for one purpose alone, so that drawing more for another one changes nothing."""
    # the hash of a text is the same everywhere
    return random.Random(":".join(map(str, (seed, *about))))


def chance(seed: object, *about: object) -> float:
    """
    Return one random number from 0 to 1 for one purpose alone; much cheaper than a stream of them.

    Example:
        >>> chance(0, "a") == chance(0, "a"), chance(0, "a") == chance(0, "b"), 0 <= chance(0, "a") < 1
        (True, False, True)
    """
    text = ":".join(map(str, (seed, *about)))
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=7)
    return int.from_bytes(digest.digest()) / 2**56


def shuffled(size: int, rng: random.Random) -> Iterator[int]:
    """
    Yield the numbers below `size` in any order; the first ones cost no more than their number.

    Example:
        >>> sorted(shuffled(4, random.Random(0)))
        [0, 1, 2, 3]
    """
    moved: dict[int, int] = {}
    for index in range(size):
        other = rng.randrange(index, size)
        yield moved.get(other, other)
        moved[other] = moved.get(index, index)


# -- names ---------------------------------------------------------------------------


class Name(NamedTuple):
    """
    What a tool is called: `find_upcoming_hotel_reviews` and the like, in words.

    Attributes:
        verb: what it does.
        noun: what with.
        aspect: what of that, or the empty text.
        plural: whether the last word is in the plural.
        qualifier: what it is special for, or the empty text.
    """

    verb: str
    noun: str
    aspect: str = ""
    plural: bool = False
    qualifier: str = ""

    @property
    def subject(self) -> str:
        """What the tool is about, in snake_case."""
        return "_".join(filter(None, (self.noun, self.aspect)))

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the name; the qualifier comes last."""
        *about, last = filter(None, (self.noun, self.aspect))
        last = plural(last) if self.plural else last
        return tuple(filter(None, (self.verb, *about, last, self.qualifier)))


def plural(word: str) -> str:
    """
    Return the plural of a noun.

    Example:
        >>> plural("gallery"), plural("address"), plural("railway")
        ('galleries', 'addresses', 'railways')
    """
    if word.endswith("y") and word[-2] not in "aeo":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "ch", "x", "sh")) else "s")


class Names:
    """
    The names of one case.

    The words are dealt into two halves by the seed: needed tools are named with the one, distractors that are
    unlike them with the other.
    """

    def __init__(self, seed: object) -> None:
        """Deal the words."""
        rng = stream(seed, "words")

        def halves(words: set[str]) -> tuple[list[str], list[str]]:
            listed = sorted(words)
            mixed = [listed[number] for number in shuffled(len(listed), rng)]
            return mixed[: len(mixed) // 2], mixed[len(mixed) // 2 :]

        reading = halves({verb for verb, effect in VERBS.items() if effect == "read"})
        writing = halves({verb for verb, effect in VERBS.items() if effect != "read"})
        self._verbs = (reading[0] + writing[0], reading[1] + writing[1])
        self._nouns = halves({*_WORDS["nouns"]})
        # A word that is a verb as well, or a thing, would be had in common after all.
        aspects = halves({*_WORDS["aspects"]} - {*VERBS, *_WORDS["nouns"]})
        self._aspects = (["", *aspects[0]], ["", *aspects[1]])
        self._seed = seed

    def needed(self) -> Iterator[Name]:
        """Yield names of needed tools; each is about something else, at first about other nouns."""
        nouns, aspects, seed = self._nouns[0], self._aspects[0], self._seed
        order = {n: list(shuffled(len(aspects), stream(seed, "aspects", n))) for n in nouns}
        for number, noun in product(range(len(aspects)), nouns):
            rng = stream(seed, "needed", noun, number)
            verb = rng.choice(self._verbs[0])
            yield Name(verb, noun, aspects[order[noun][number]], rng.random() < 0.4)

    def unlike(self) -> Iterator[Name]:
        """Yield names that have no word in common with those of needed tools."""
        verbs, nouns, aspects = self._verbs[1], self._nouns[1], self._aspects[1]
        rng = stream(self._seed, "unlike")
        for qualifier in ("", *_WORDS["qualifiers"]):
            for number in shuffled(len(verbs) * len(nouns) * len(aspects), rng):
                rest, verb = divmod(number, len(verbs))
                aspect, noun = divmod(rest, len(nouns))
                yield Name(verbs[verb], nouns[noun], aspects[aspect], rng.random() < 0.4, qualifier)

    def twins(self, name: Name, index: int) -> Iterator[Name]:
        """
        Yield names like the given one, the nearest first, without an end.

        At first one word or letter is another, then a word is added, then two are others; in the end versions
        are numbered.
        """
        rng = stream(self._seed, "twins", index)
        nouns, aspects, qualifiers = (_WORDS[key] for key in ("nouns", "aspects", "qualifiers"))
        near = [
            name._replace(plural=not name.plural),
            *(name._replace(verb=verb) for verb in sorted(VERBS) if verb != name.verb),
            *(name._replace(noun=noun) for noun in nouns if noun != name.noun),
        ]
        longer = [name._replace(qualifier=word) for word in qualifiers]
        others = [name._replace(aspect=word) for word in aspects if word != name.aspect]
        near += others if name.aspect else []
        for names in (near, longer, [] if name.aspect else others):
            yield from (names[number] for number in shuffled(len(names), rng))
        for _ in range(ATTEMPTS):
            one, other = rng.choice(near), rng.choice(near)
            triples = zip(name, one, other, strict=True)  # what the first has changed counts
            both = Name._make(a if a != given else b for given, a, b in triples)
            yield rng.choice((one._replace(qualifier=rng.choice(qualifiers)), both))
        for version in count(2):
            yield name._replace(qualifier=f"v{version}")
