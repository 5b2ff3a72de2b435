"""Which functions a prompt lists, and in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from refract_asp.bench.problems.dials import Dials
from refract_asp.bench.problems.expressions import Call, Key
from refract_asp.bench.problems.library import Function, Library, Registry
from refract_asp.errors import InputError, shown
from refract_asp.formats.dataset_catalogs import said, slots

__all__ = [
    "Entry",
    "Listed",
    "listed_of",
    "pool_of",
    "spread",
    "swapped",
]


T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Entry:
    """A function of a library; equal are those of one key, as no two libraries have one id."""

    library: Library
    function: Function

    def __eq__(self, other: object) -> bool:
        """Compare the keys: libraries are large."""
        return isinstance(other, Entry) and self.key == other.key

    def __hash__(self) -> int:
        """Return the hash of the key."""
        return hash(self.key)

    @property
    def key(self) -> Key:
        """The function, as a key."""
        return self.library.id, self.function.name

    @property
    def printed(self) -> tuple[str, str]:
        """The name of its library in code, and its own."""
        return self.library.name, self.function.name


def pool_of(
    main: Call, examples: Sequence[Call], dials: Dials, registry: Registry, random: Random
) -> list[Entry]:
    """
    Return the functions that a prompt lists: those that are called, and distractors among them.

    Each library is a block, in the order in which its first call is completed. Inside a block the functions
    of the examples come first, then those of the problem as the library lists them, not as they are called.

    Raises:
        InputError: more distractors are wanted than exist, a place cannot be had, or two functions are
            printed alike.
    """
    called = _called([*examples, main])
    counts = _counts(main, dials.num_distractors, registry)
    own = {call.key for call in main.calls()}
    known = set(called)
    taken = {entry.printed for entry in called}
    drawn: dict[str, list[Entry]] = {}
    for id, wanted in counts.items():
        library = registry[id]
        free = [Entry(library, f) for f in library.functions if (id, f.name) not in own]
        free = [entry for entry in free if entry in known or entry.printed not in taken]
        if wanted > len(free):
            raise InputError(
                f"{wanted} distractors are wanted from {id}, {len(free)} exist.",
                where="num_distractors",
                hint=f"{id} has {len(library.functions)} functions, and those that are called do not count.",
            )
        drawn[id] = random.sample(sorted(free, key=_order), wanted)
        taken |= {entry.printed for entry in drawn[id]}
    pool: list[Entry] = []
    for id in dict.fromkeys([*counts, *(entry.library.id for entry in called)]):
        targets = [entry for entry in called if entry.library.id == id]
        pool += spread(targets, [entry for entry in drawn.get(id, []) if entry not in known])
    return _placed(pool, main, called, dials.target_func_location)


def _order(entry: Entry) -> tuple[str, str, tuple[str, ...], str, str]:
    function = entry.function
    return function.name, function.doc, function.args, function.return_type, entry.library.name


def _called(calls: Sequence[Call]) -> list[Entry]:
    """Return the functions that are called: of each example, then of the problem, as libraries list them."""
    found: dict[Key, Entry] = {}
    for call in calls:
        inner = [Entry(c.library, c.function) for c in call.calls()]
        for entry in sorted(inner, key=lambda entry: entry.library.places[entry.function.name]):
            found.setdefault(entry.key, entry)
    printed: dict[tuple[str, str], Entry] = {}
    for entry in found.values():
        other = printed.setdefault(entry.printed, entry)
        if other is not entry:
            name = ".".join(entry.printed)
            raise InputError(
                f"{'.'.join(other.key)} and {'.'.join(entry.key)} are both printed {shown(name)}.",
                where="signature",
                hint="Call functions of one of these libraries only.",
            )
    return list(found.values())


def _counts(main: Call, wanted: int | Mapping[str, int], registry: Registry) -> dict[str, int]:
    """Return how many distractors to draw from each library, in the order of their first completed calls."""
    often = Counter(call.library.id for call in main.calls())
    if not isinstance(wanted, Mapping):
        return {id: wanted * calls // often.total() for id, calls in often.items()}
    for id in wanted:
        if id not in registry:
            known = shown(", ".join(registry), 300)
            raise InputError(
                f"there is no library {shown(id)!r}.",
                where="num_distractors",
                hint=f"Known: {known}.",
            )
        if id not in often:
            raise InputError(
                f"the signature calls nothing of the library {shown(id)}.",
                where="num_distractors",
                hint=f"It calls {', '.join(often)}.",
            )
    return {id: wanted.get(id, 0) for id in often}


def spread(targets: Sequence[T], distractors: Sequence[T]) -> list[T]:
    """
    Return the distractors with the targets spread evenly among them.

    Example:
        >>> "".join(spread("AB", "123456"))
        '12A34B56'
    """
    block = max(len(distractors) // (len(targets) + 1), 1)
    found: list[T] = []
    for index, target in enumerate(targets):
        found += [*distractors[index * block : (index + 1) * block], target]
    return [*found, *distractors[len(targets) * block :]]


def _placed(
    pool: list[Entry],
    main: Call,
    called: Sequence[Entry],
    wanted: int | float | Mapping[str, int | float],
) -> list[Entry]:
    """Return the list with the functions that have a place of their own at that place."""
    if isinstance(wanted, Mapping):
        places = {_found(name, called): place for name, place in wanted.items()}
        if len(places) < len(wanted):
            raise _unplaceable("one function is given two places", wanted)
    elif wanted == -1:
        return pool
    else:
        own = list(dict.fromkeys(Entry(call.library, call.function) for call in main.calls()))
        if len(own) > 1:
            raise InputError(
                f"the signature calls {len(own)} functions, so one place does not do.",
                where="target_func_location",
                hint="Give a place for each, by name.",
            )
        places = {own[0]: wanted}
    slots: dict[int, Entry] = {}
    last = len(pool) - 1
    for entry, place in places.items():
        if isinstance(place, int):
            if place > last:
                raise _unplaceable(_places(len(pool)), place)
            if place in slots:
                raise _unplaceable("two functions have one place", place)
            slots[place] = entry
    for entry, place in places.items():
        if isinstance(place, float):
            slots[_nearest(place * last, last, slots)] = entry
    rest: Iterator[Entry] = iter([entry for entry in pool if entry not in places])
    return [slots[index] if index in slots else next(rest) for index in range(len(pool))]


def _nearest(wanted: float, last: int, taken: Mapping[int, object]) -> int:
    free = [index for index in range(last + 1) if index not in taken]
    return min(free, key=lambda index: (abs(index - wanted), index))


def _found(name: str, called: Sequence[Entry]) -> Entry:
    """Return the function that is called and bears a name, with or without the id of its library."""
    found = [entry for entry in called if name in (entry.function.name, ".".join(entry.key))]
    if len(found) == 1:
        return found[0]
    known = shown(", ".join(".".join(entry.key) for entry in called), 300)
    what = "no function that is called" if not found else "several functions that are called"
    raise InputError(
        f"{shown(name)!r} names {what}.", where="target_func_location", hint=f"Called are {known}."
    )


def _places(count: int) -> str:
    return (
        f"the list has {count} functions, the places 0 to {count - 1}"
        if count > 1
        else ("the list has one function, the place 0")
    )


def _unplaceable(what: str, value: object) -> InputError:
    return InputError(f"{what}, not {shown(value)}.", where="target_func_location")


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
    values: Sequence[T],
    random: Random,
    where: str = "",
    fits: Callable[[Sequence[T]], bool] = lambda _: True,
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
