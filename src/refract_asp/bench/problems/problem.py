"""Makes problems: a prompt with a list of functions, the answer that is wanted, and a test for other answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

from refract_asp.bench.problems.dials import Dials, first_name, first_names, read_dials
from refract_asp.bench.problems.library import (
    Function,
    Library,
    Registry,
    placed,
    registry_of,
)
from refract_asp.bench.problems.signatures import Call, Key, Open, Outer, outer_of, read_signature
from refract_asp.errors import InputError, shown
from refract_asp.formats.dataset_catalogs import said, slots

__all__ = ["Entry", "Listed", "TestCase", "get_example", "make", "minimal_pair"]

MAX_DRAWS = 1_000
"""So often values are shuffled until none stands where it stood."""

T = TypeVar("T")


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


@dataclass(frozen=True)
class Entry:
    """A function of a library; equal are those of one key, as no two libraries have one id."""

    key: Key
    library: Library = field(compare=False)
    function: Function = field(compare=False)

    @property
    def printed(self) -> tuple[str, str]:
        """The name of its library in code, and its own."""
        return self.library.name, self.function.name


@dataclass(frozen=True)
class TestCase:
    """
    A problem.

    Attributes:
        prompt: what a model is given; its answer goes on where the prompt ends.
        target: the answer that is wanted.
        test: what `execute` compares an answer with.
        pool: the functions of the prompt, as it lists them.
        call: the calls of the signature.
        outer: the function to be written.
        dials: what the problem was made from.
        entries: the functions of the prompt, as their libraries have them.
    """

    __test__ = False  # the name is the documented one; pytest is not to collect it

    prompt: str
    target: str
    test: str
    pool: tuple[Listed, ...]
    call: Call
    outer: Outer
    dials: Dials
    entries: tuple[Entry, ...]


def get_example(
    signature: str,
    description: str,
    func_name: str = "func",
    *,
    libraries: Registry | Iterable[Library] | None = None,
    **dials: Any,
) -> TestCase:
    """
    Make a problem.

    Args:
        signature: the calls that solve it, as "image.rotate(degrees=5).blur()".
        description: what they do, in words that follow "Write a function that".
        func_name: the name of the function to be written, with or without its arguments in order.
        libraries: the libraries that signatures may name, by default those of the package.
        dials: what else is set, see `Dials`.

    Raises:
        InputError: a dial is unknown or cannot be used, or the signature names what there is not.

    Example:
        >>> problem = get_example("solids.volume_of_cone()", "gets the volume of a cone")
        >>> print(problem.target)
        return solids.volume_of_cone(radius, height)
    """
    own = {"signature": signature, "description": description, "func_name": func_name}
    return make({**own, **dials}, libraries)


def make(
    arguments: Mapping[str, Any], libraries: Registry | Iterable[Library] | None = None
) -> TestCase:
    """
    Make a problem from all its arguments in one mapping, as benchmark files hold them.

    Raises:
        InputError: as `get_example` does.
    """
    registry = registry_of(libraries)
    dials = read_dials(arguments)
    call, outer = _read(dials, registry)
    shots = [dials.of_example(number) for number in range(len(dials.fewshot))]
    solved: list[tuple[Call, Outer]] = []
    for number, shot in enumerate(shots):
        with placed(f"fewshot[{number}]"):
            solved.append(_read(shot, registry))
    # What is drawn first does not change with what is drawn later: distractors, names, descriptions.
    random = Random(dials.random_seed)
    entries = _pool(call, [each for each, _ in solved], dials, registry, random)
    listed = _listed(entries, dials, random)
    names = {function.key: function.name for function in listed}
    examples = [
        f"{_problem(shot, whole)}{_target(each, whole, names)}"
        + (f"\n{shot.end_token}" if shot.end_token else "")
        for shot, (each, whole) in zip(shots, solved, strict=True)
    ]
    functions = dials.joiner.join(_function(function, dials) for function in listed)
    parts = [dials.intro, functions, *examples, _problem(dials, outer)]
    return TestCase(
        prompt=dials.section_joiner.join(parts),
        target=_target(call, outer, names),
        test=_test(call, outer, {function.key: function for function in listed}, dials.margin),
        pool=tuple(listed),
        call=call,
        outer=outer,
        dials=dials,
        entries=tuple(entries),
    )


def _read(dials: Dials, registry: Registry) -> tuple[Call, Outer]:
    call = read_signature(dials.signature, registry)
    return call, outer_of(call, dials.func_name, dials.arg_order)


def minimal_pair(
    arguments: Mapping[str, Any],
    dial: str,
    value: Any,
    libraries: Registry | Iterable[Library] | None = None,
) -> tuple[TestCase, TestCase]:
    """
    Make two problems that differ in one dial: as the arguments say, and with another value for `dial`.

    Everything is drawn from one seed, distractors first and noise last, so what the dial does not concern is
    the same in both. One case is left over: descriptions are swapped otherwise where names are swapped, too.

    Raises:
        InputError: the dial has that value already, or as `get_example` does.

    Example:
        >>> cone = {"signature": "solids.volume_of_cone()", "description": "gets it", "num_distractors": 3}
        >>> plain, noisy = minimal_pair(cone, "func_noise", "number")
        >>> [function.key for function in plain.pool] == [function.key for function in noisy.pool]
        True
        >>> noisy.target
        'return solids.func1(radius, height)'
    """
    name = first_name(dial)
    plain = first_names(arguments)
    if name == "return_test_case":
        raise InputError(f"{name} changes nothing about a problem.", hint="Give another dial.")
    first, second = make(plain, libraries), make({**plain, name: value}, libraries)
    old, new = getattr(first.dials, name), getattr(second.dials, name)
    if old == new and type(old) is type(new):
        raise InputError(f"the dial {name} has this value already.", hint="Give another value.")
    return first, second


# -- which functions are listed, and where -----------------------------------------


def _pool(
    main: Call, examples: Sequence[Call], dials: Dials, registry: Registry, random: Random
) -> list[Entry]:
    """
    Return the functions that a prompt lists: those that are called, and distractors among them.

    Each library is a block, in the order in which its first call is completed. Inside a block the functions
    of the examples come first, then those of the problem as the library lists them, not as they are called.
    """
    called = _called([*examples, main])
    counts = _counts(main, dials.num_distractors, registry)
    own = {call.key for call in main.calls()}
    taken = {entry.printed for entry in called}
    drawn: dict[str, list[Entry]] = {}
    for id, wanted in counts.items():
        functions = registry[id].functions
        free = [Entry((id, f.name), registry[id], f) for f in functions if (id, f.name) not in own]
        free = [entry for entry in free if entry in called or entry.printed not in taken]
        if wanted > len(free):
            raise InputError(
                f"{wanted} distractors are wanted from {id}, {len(free)} exist.",
                where="num_distractors",
                hint=f"{id} has {len(functions)} functions, and those that are called do not count.",
            )
        chosen = random.sample(sorted(free, key=_order), wanted)
        taken |= {entry.printed for entry in chosen}
        drawn[id] = [entry for entry in chosen if entry not in called]
    pool: list[Entry] = []
    for id in dict.fromkeys([*counts, *(entry.library.id for entry in called)]):
        targets = [entry for entry in called if entry.library.id == id]
        distractors = drawn.get(id, [])
        # The targets are spread evenly: "AB" among "123456" stand as in 12A34B56.
        block = max(len(distractors) // (len(targets) + 1), 1)
        for index, target in enumerate(targets):
            pool += [*distractors[index * block : (index + 1) * block], target]
        pool += distractors[len(targets) * block :]
    return _placed(pool, main, called, dials.target_func_location)


def _order(entry: Entry) -> tuple[str, str, tuple[str, ...], str, str]:
    function = entry.function
    return function.name, function.doc, function.args, function.return_type, entry.library.name


def _called(calls: Sequence[Call]) -> dict[Entry, None]:
    """Return the functions that are called: of each example, then of the problem, as libraries list them."""
    found: dict[Entry, None] = {}
    for call in calls:
        inner = {Entry(each.key, each.library, each.function): None for each in call.calls()}
        found |= dict.fromkeys(sorted(inner, key=lambda e: e.library.places[e.function.name]))
    printed: dict[tuple[str, str], Entry] = {}
    for entry in found:
        other = printed.setdefault(entry.printed, entry)
        if other is not entry:
            both, name = f"{'.'.join(other.key)} and {'.'.join(entry.key)}", ".".join(entry.printed)
            raise InputError(
                f"{both} are both printed {shown(name)}.",
                where="signature",
                hint="Call functions of one of these libraries only.",
            )
    return found


def _counts(main: Call, wanted: int | Mapping[str, int], registry: Registry) -> dict[str, int]:
    """Return how many distractors to draw from each library, in the order of their first completed calls."""
    often = Counter(call.library.id for call in main.calls())
    if not isinstance(wanted, Mapping):
        return {id: wanted * calls // often.total() for id, calls in often.items()}
    for id in wanted:
        if id not in registry:
            known = f"Known: {shown(', '.join(registry), 300)}."
            what = f"there is no library {shown(id)!r}."
            raise InputError(what, where="num_distractors", hint=known)
        if id not in often:
            what = f"the signature calls nothing of the library {shown(id)}."
            raise InputError(what, where="num_distractors", hint=f"It calls {', '.join(often)}.")
    return {id: wanted.get(id, 0) for id in often}


def _placed(
    pool: list[Entry],
    main: Call,
    called: Iterable[Entry],
    wanted: int | float | Mapping[str, int | float],
) -> list[Entry]:
    """Return the list with the functions that have a place of their own at that place."""
    with placed("target_func_location"):
        if isinstance(wanted, Mapping):
            places = {_named(name, called): place for name, place in wanted.items()}
            if len(places) < len(wanted):
                raise InputError(f"one function is given two places, not {shown(wanted)}.")
        elif wanted == -1:
            return pool
        else:
            own = {Entry(call.key, call.library, call.function) for call in main.calls()}
            if len(own) > 1:
                what = f"the signature calls {len(own)} functions, so one place does not do."
                raise InputError(what, hint="Give a place for each, by name.")
            places = {own.pop(): wanted}
        slots: dict[int, Entry] = {}
        last = len(pool) - 1
        for entry, place in places.items():
            if isinstance(place, int):
                if place > last:
                    where = f"{last + 1} functions, the places 0 to {last}"
                    listed = where if last else "one function, the place 0"
                    raise InputError(f"the list has {listed}, not {shown(place)}.")
                if place in slots:
                    raise InputError(f"two functions have one place, not {shown(place)}.")
                slots[place] = entry
    for entry, place in places.items():
        if isinstance(place, float):
            free = [index for index in range(last + 1) if index not in slots]
            slots[min(free, key=lambda index: abs(index - place * last))] = entry
    rest = iter([entry for entry in pool if entry not in places])
    return [slots[index] if index in slots else next(rest) for index in range(last + 1)]


def _named(name: str, called: Iterable[Entry]) -> Entry:
    """Return the function that is called and bears a name, with or without the id of its library."""
    keys = {".".join(entry.key): entry for entry in called}
    found = [entry for key, entry in keys.items() if name in (entry.function.name, key)]
    if len(found) == 1:
        return found[0]
    what = "no function that is called" if not found else "several functions that are called"
    known = shown(", ".join(keys), 300)
    raise InputError(f"{shown(name)!r} names {what}.", hint=f"Called are {known}.")


# -- noise ---------------------------------------------------------------------------


def _listed(pool: Sequence[Entry], dials: Dials, random: Random) -> list[Listed]:
    """Return the functions of a prompt as it lists them."""
    names = [entry.function.name for entry in pool]
    if dials.function_noise_type == "number":
        names = [f"func{index}" for index in range(len(names))]
    elif dials.function_noise_type == "swap":
        modules = [entry.library.name for entry in pool]

        def all_differ(drawn: Sequence[str]) -> bool:
            return len(set(zip(modules, drawn, strict=True))) == len(drawn)

        names = _swapped(names, random, "function_noise_type", all_differ)
    is_numbered = dials.arg_noise_type == "number"
    docs = [_documentation(entry.function, is_numbered=is_numbered) for entry in pool]
    if dials.description_noise_type == "swap":
        docs = _swapped(docs, random, "description_noise_type")
    elif dials.description_noise_type == "empty":
        docs = [""] * len(docs)
    found = []
    for entry, name, doc in zip(pool, names, docs, strict=True):
        args = entry.function.args
        if is_numbered:
            args = tuple(f"arg{index}" for index in range(len(args)))
        found.append(Listed(entry.library.name, name, args, doc, entry.key))
    return found


def _swapped(
    values: Sequence[T],
    random: Random,
    where: str,
    fits: Callable[[Sequence[T]], bool] = lambda _: True,
) -> list[T]:
    """Return values shuffled, so that none stands where it or its like stood."""
    drawn = list(values)
    for _ in range(MAX_DRAWS if len(drawn) > 1 else 0):
        random.shuffle(drawn)
        if all(old != new for old, new in zip(values, drawn, strict=True)) and fits(drawn):
            return drawn
    listed = "one function is" if len(drawn) == 1 else f"{len(drawn)} functions are"
    raise InputError(
        f"there is nothing to swap with: {listed} listed.",
        where=where,
        hint="Add distractors from a library whose functions differ.",
    )


def _documentation(function: Function, *, is_numbered: bool) -> str:
    """Return the documentation of a function; arguments that are numbered are told by their numbers."""
    if not is_numbered:
        return said(function.doc)
    by_place = len(slots(function.doc)) == len(function.args)

    def word(number: int, phrase: str, argument: str) -> str:
        if argument in function.args:
            return f"the {phrase} arg{function.args.index(argument)}"
        return f"the {phrase} arg{number}" if by_place else f"the given {phrase}"

    return said(function.doc, word)


# -- how it is printed -----------------------------------------------------------------


def _problem(dials: Dials, outer: Outer) -> str:
    """Return a problem up to where the answer begins."""
    begin = [dials.begin_token] if dials.begin_token else []
    lines = [f"{dials.task_description_preamble}{dials.description}.", *begin]
    lines += [f"import {name}" for name in outer.imports]
    return "\n".join([*lines, outer.head(), dials.margin])


def _function(function: Listed, dials: Dials) -> str:
    if dials.format_function is not None:
        text = dials.format_function(function)
        if not isinstance(text, str):
            what = f"it returns no text, but a {type(text).__name__}."
            raise InputError(what, where="format_function")
        return text
    head = f"def {function.library_name}.{function.name}({', '.join(function.args)})"
    doc = function.definition
    if not doc:
        return head
    if dials.use_quotes:
        escaped = doc.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        doc = f'"""{escaped[:-1]}\\""""' if escaped.endswith('"') else f'"""{escaped}"""'
    body = doc.replace("\n", f"\n{dials.margin}")
    return f"{head}:\n{dials.margin}{body}"


def _target(call: Call, outer: Outer, names: Mapping[Key, str]) -> str:
    return f"return {call.printed(names.__getitem__, lambda open: outer.names[open.number])}"


def _test(call: Call, outer: Outer, listed: Mapping[Key, Listed], margin: str) -> str:
    """
    Return the test of a problem, in the shape of a Python program that is read and never run.

    Its line "parameters" says what the arguments of each call are called, so that an answer may name them.
    """
    fixed = set(call.constants())

    def dummy(open: Open) -> str:
        """Return a text that stands for an argument, unlike any text of the signature."""
        text = f"dummy_{open.argument}_{open.number}"
        while text in fixed:
            text += "_"
        return f'"{text}"'

    inner = list(call.calls())
    modules = {each.library.name: "import" for each in inner if each.library.style == "import"}
    modules |= dict.fromkeys(outer.subjects, "class")
    given = [f"{outer.names[open.number]}={dummy(open)}" for open in call.open()]
    given += [f"{subject}={subject}" for subject in outer.subjects]
    lines = [
        f"# signature = {outer.head()}",
        f"# indent = {margin!r}",
        f"# parameters = {json.dumps([list(listed[each.key].args) for each in inner])}",
    ]
    for name, style in modules.items():
        lines += [f"{name} = Dummy()", f"# style = '{style}_style'"]
    lines += [
        f"x = {outer.name}({', '.join(given)})",
        f"y = {call.printed(lambda key: listed[key].name, dummy)}",
        "assert x == y, f'Test failure: {x} != {y}'",
    ]
    return "\n".join(lines)
