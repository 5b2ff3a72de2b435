"""Names of tools: those that a sequence calls, and distractors that are unlike them or nearly the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cached_property
from hashlib import blake2b
from itertools import count
from typing import NamedTuple

from refract_asp.bench.generating.dials import ASPECTS, NOUNS, QUALIFIERS, VERBS, Coupling, Dials

__all__ = [
    "Name",
    "Names",
    "camel",
    "chance",
    "many",
    "producers",
    "shuffled",
    "slots",
    "snake",
    "stream",
]


ATTEMPTS = 20_000
"""So many names with two words changed are tried before versions are numbered."""


def stream(seed: object, *about: object) -> random.Random:
    """Return random numbers for one purpose alone, so that drawing more for another one changes nothing."""
    return random.Random(
        ":".join(map(str, (seed, *about)))
    )  # the hash of a text is the same everywhere


def chance(seed: object, *about: object) -> float:
    """
    Return one random number from 0 to 1 for one purpose alone; much cheaper than a stream of them.

    Example:
        >>> chance(0, "a") == chance(0, "a"), chance(0, "a") == chance(0, "b"), 0 <= chance(0, "a") < 1
        (True, False, True)
    """
    digest = blake2b(
        ":".join(map(str, (seed, *about))).encode("utf-8", "surrogatepass"), digest_size=7
    )
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
        about = [self.noun, self.aspect] if self.aspect else [self.noun]
        if self.plural:
            about[-1] = many(about[-1])
        return (self.verb, *about, self.qualifier) if self.qualifier else (self.verb, *about)


def many(word: str) -> str:
    """
    Return the plural of a noun.

    Example:
        >>> many("gallery"), many("address"), many("railway")
        ('galleries', 'addresses', 'railways')
    """
    if word.endswith("y") and word[-2] not in "aeo":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "ch", "x", "sh")) else "s")


def snake(words: tuple[str, ...]) -> str:
    """Return words as in `get_hotel_review`."""
    return "_".join(words)


def camel(words: tuple[str, ...]) -> str:
    """Return words as in `getHotelReview`."""
    return words[0] + "".join(map(str.capitalize, words[1:]))


class Names:
    """
    The names of one case.

    The words are dealt into two halves by the seed: needed tools are named with the one, distractors that are
    unlike them with the other.
    """

    def __init__(self, seed: object) -> None:
        """Deal the words."""
        rng = stream(seed, "words")
        reading = sorted(verb for verb, effect in VERBS.items() if effect == "read")
        writing = sorted(verb for verb, effect in VERBS.items() if effect != "read")
        one, two = _halves(reading, rng)
        three, four = _halves(writing, rng)
        self._verbs = (one + three, two + four)
        self._nouns = _halves(sorted(NOUNS), rng)
        # A word that is a verb as well, or a thing, would be had in common after all.
        self._aspects = _halves(sorted(set(ASPECTS) - set(VERBS) - set(NOUNS)), rng)
        self._seed = seed

    @cached_property
    def capacity(self) -> int:
        """How many needed tools can be about something different each."""
        return len(self._nouns[0]) * (len(self._aspects[0]) + 1)

    def needed(self) -> Iterator[Name]:
        """Yield names of needed tools; each is about something else, at first about other nouns."""
        nouns, aspects = self._nouns[0], ["", *self._aspects[0]]
        order = {
            noun: list(shuffled(len(aspects), stream(self._seed, "aspects", noun)))
            for noun in nouns
        }
        for round_ in range(len(aspects)):
            for noun in nouns:
                rng = stream(self._seed, "needed", noun, round_)
                yield Name(
                    rng.choice(self._verbs[0]),
                    noun,
                    aspects[order[noun][round_]],
                    plural=rng.random() < 0.4,
                )

    def unlike(self) -> Iterator[Name]:
        """Yield names that have no word in common with those of needed tools."""
        verbs, nouns, aspects = self._verbs[1], self._nouns[1], ["", *self._aspects[1]]
        rng = stream(self._seed, "unlike")
        for qualifier in ("", *QUALIFIERS):
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
        near = [
            name._replace(plural=not name.plural),
            *(name._replace(verb=verb) for verb in sorted(VERBS) if verb != name.verb),
            *(name._replace(noun=noun) for noun in NOUNS if noun != name.noun),
            *(
                name._replace(aspect=aspect)
                for aspect in ASPECTS
                if aspect != name.aspect and name.aspect
            ),
        ]
        yield from (near[number] for number in shuffled(len(near), rng))
        yield from (name._replace(qualifier=QUALIFIERS[n]) for n in shuffled(len(QUALIFIERS), rng))
        if not name.aspect:
            yield from (name._replace(aspect=ASPECTS[n]) for n in shuffled(len(ASPECTS), rng))
        for _ in range(ATTEMPTS):
            one, other = rng.choice(near), rng.choice(near)
            yield rng.choice(
                (one._replace(qualifier=rng.choice(QUALIFIERS)), _with_both(name, one, other))
            )
        for version in count(2):
            yield name._replace(qualifier=f"v{version}")


def _with_both(name: Name, one: Name, other: Name) -> Name:
    """Return a name with what two others have changed, the first one where both have."""
    changed = {
        field: getattr(each, field)
        for each in (other, one)
        for field in Name._fields
        if getattr(each, field) != getattr(name, field)
    }
    return name._replace(**changed)


def _halves(words: list[str], rng: random.Random) -> tuple[list[str], list[str]]:
    mixed = [words[number] for number in shuffled(len(words), rng)]
    return mixed[: len(mixed) // 2], mixed[len(mixed) // 2 :]


_SECOND = 0.3
"""How often a call that reads at random reads from two."""


def slots(dials: Dials, seed: object) -> list[int]:
    """
    Return for each call the number of its tool: a new one, or with `reuse` one that was called before.

    Example:
        >>> slots(Dials(calls=4), 0), len(set(slots(Dials(calls=4, reuse=0.7), 0)))
        ([0, 1, 2, 3], 2)
    """
    again = dials.calls - dials.needed
    order = sorted(range(1, dials.calls), key=lambda call: (chance(seed, "again", call), call))
    repeated = set(order[:again])
    found: list[int] = []
    fresh = 0
    for call in range(dials.calls):
        if call in repeated:
            found.append(found[int(chance(seed, "which", call) * call)])
        else:
            found.append(fresh)
            fresh += 1
    return found


def producers(calls: int, coupling: Coupling, share: float, seed: object) -> list[list[int]]:
    """
    Return for each of so many calls those that it reads from.

    `share` of them read where that is left to chance.

    Example:
        >>> producers(3, "chain", 0.5, seed=0), producers(3, "fan-in", 0.5, seed=0)
        ([[], [0], [1]], [[], [], [0, 1]])
    """
    found: list[list[int]] = [[] for _ in range(calls)]
    for call in range(1, calls):
        if coupling == "chain":
            found[call] = [call - 1]
        elif coupling == "fan-out":
            found[call] = [0]
        elif coupling == "fan-in" and call == calls - 1:
            found[call] = list(range(call))
        elif coupling == "random" and chance(seed, "reads", call) < share:
            chosen = {int(chance(seed, "first", call) * call)}
            if chance(seed, "two", call) < _SECOND:
                chosen.add(int(chance(seed, "second", call) * call))
            found[call] = sorted(chosen)
    return found
