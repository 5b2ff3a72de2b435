"""Makes problems: a prompt with a list of functions, the answer that is wanted, and a test for other answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from refract_asp.bench.problems import signatures
from refract_asp.bench.problems.signatures import Call, Key, Libraries, Library, by_id, need
from refract_asp.errors import InputError, meant, placed, shown
from refract_asp.formats.tool_lists import Function, said, slots

# Other names of dials, and the names they stand for.
SECOND_NAMES = {
    "n_distractors": "num_distractors",
    "func_noise": "function_noise_type",
    "desc_noise_type": "description_noise_type",
}
# What examples take from the problem where they do not set it themselves.
FORM = ("indent", "begin_token", "end_token", "task_description_preamble")
# What may be set for an example alone.
OF_EXAMPLES = ("signature", "description", "func_name", "arg_order", *FORM)

Text: TypeAlias = Annotated[str, Field(max_length=20_000)]
Count: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000)]
Spread: TypeAlias = Annotated[int, Field(ge=-1, le=1_000_000)]
Fraction: TypeAlias = Annotated[float, Field(ge=0, le=1)]
Seed: TypeAlias = Annotated[int, Field(ge=-(2**63), le=2**63)]
Examples: TypeAlias = Annotated[Sequence[Mapping[str, Any]], Field(max_length=1_000)]
Blanks: TypeAlias = Annotated[str, Field(pattern=r"^[ \t]{1,100}$")]
Indent: TypeAlias = Blanks | Annotated[int, Field(ge=1, le=100)]


def _dial(default: Any, needed: str) -> Any:
    """Return the field of a dial; `needed` says what can be set."""
    return Field(default, description=needed)


class Dials(BaseModel):
    """
    What is set about a problem.

    Attributes:
        signature: the calls that solve it.
        description: what they do, in words that follow "Write a function that".
        func_name: the name of the function to be written, or its head, as "f(image, pixels)".
        num_distractors: how many other functions are listed, in all or by the id of the library.
        target_func_location: where the function to be called stands in the list: -1 spreads all that are
            called evenly, a whole number is an index, a fraction a place between first (0.0) and last (1.0);
            or such a place for each function by name.
        function_noise_type: "number" names them func0, func1, ...; "swap" gives each the name of another.
        description_noise_type: "empty" leaves them out, "swap" gives each that of another.
        arg_noise_type: "number" names them arg0, arg1, ...
        fewshot: the dials of examples that are shown solved.
        arg_order: the arguments of the function to be written in order, or a function that orders them.
        indent: how many spaces, or the indent itself, of spaces and tabs.
        use_quotes: whether documentation stands in triple quotes.
        format_function: prints each function of the list (a `Listed`), in place of what is usual.
        joiner: the text between two functions.
        section_joiner: the text between the parts of the prompt.
        intro: the line above the functions.
        task_description_preamble: the text before the description.
        begin_token: the line above the code; without one there is none.
        end_token: the line below the code of an example.
        random_seed: the seed of everything that is drawn.
        return_test_case: taken as the original takes it; it changes nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    signature: Text
    description: Text
    func_name: Text = "func"
    num_distractors: Count | dict[str, Count] = _dial(
        0, "a whole number up to 1,000,000, or one by library,"
    )
    target_func_location: Spread | Fraction | dict[str, Count | Fraction] = _dial(
        -1, "-1, an index, a fraction from 0.0 to 1.0, or a place for each name"
    )
    function_noise_type: Literal["none", "number", "swap"] = _dial("none", "none, number or swap")
    description_noise_type: Literal["none", "empty", "swap"] = _dial("none", "none, empty or swap")
    arg_noise_type: Literal["none", "number"] = _dial("none", "none or number")
    fewshot: Examples = _dial((), "a list of at most 1,000 objects with dials")
    arg_order: signatures.ArgumentOrder | None = _dial(
        None, "a list of names, or a function that orders one,"
    )
    indent: Indent = _dial(4, "a number from 1 to 100, or that many spaces and tabs,")
    use_quotes: bool = _dial(False, "true or false")
    format_function: Callable[[Any], str] | None = _dial(None, "a Python function")
    joiner: Text = "\n"
    section_joiner: Text = "\n\n"
    intro: Text = "Consider the following functions:"
    task_description_preamble: Text = "Write a function that "
    begin_token: Text = "[BEGIN]"
    end_token: Text = "[END]"
    random_seed: Seed = _dial(229, "a whole number of at most 64 bits")
    return_test_case: bool = _dial(True, "true or false")

    @field_validator("task_description_preamble")
    @classmethod
    def _leaves_room(cls, text: str) -> str:
        """Refuse what is meant as the line above the functions, which some call by this name."""
        is_glued = text.isascii() and (text[-1:].isalnum() or text[-1:] in (*".:,;!?",))
        what = f"the description would stand right behind {shown(text[-1:])!r}."
        hint = "End with a space or a line break. The line above the functions is the dial intro."
        need(not is_glued, what, where="task_description_preamble", hint=hint)
        return text

    @property
    def margin(self) -> str:
        """The indent as text."""
        return " " * self.indent if isinstance(self.indent, int) else self.indent

    def of_example(self, number: int) -> Dials:
        """
        Return the dials of an example, from 0: its own, and those of the problem.

        Raises:
            InputError: the example sets what only the whole problem has.
        """
        given = first_names(self.fewshot[number])
        for name in Dials.model_fields.keys() & given.keys() - set(OF_EXAMPLES):
            what = f"an example cannot set {name}, which concerns the whole prompt."
            raise InputError(what, hint=f"It may set {', '.join(OF_EXAMPLES)}.")
        return read_dials({**{name: getattr(self, name) for name in FORM}, **given})


def first_names(given: Any) -> dict[str, Any]:
    """
    Return dials under their first names.

    Raises:
        InputError: there are none, or one is given under two names.
    """
    is_object = isinstance(given, Mapping)
    need(is_object, "an object of dials is needed.", hint='Write {"signature": ..., ...}.')
    named = {SECOND_NAMES.get(str(name), str(name)): each for name, each in given.items()}
    if len(named) < len(given):
        twice = next(first for second, first in SECOND_NAMES.items() if {first, second} <= {*given})
        raise InputError(f"the dial {twice} is given under two names.", hint="Leave one out.")
    return named


def read_dials(given: Any) -> Dials:
    """
    Read the dials of a problem, each under its first or its second name.

    Raises:
        InputError: a dial is unknown, given twice, or its value cannot be used.

    Example:
        >>> dials = read_dials({"signature": "image.blur()", "description": "blurs it", "n_distractors": 2})
        >>> dials.num_distractors
        2
    """
    named = first_names(given)
    try:
        return Dials.model_validate(named)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    name = first["loc"][0]
    if first["type"] == "missing":
        hint = 'Write {"signature": "image.blur()", "description": "..."}.'
        raise InputError(f"the {name} is missing.", hint=hint)
    field = Dials.model_fields.get(str(name))
    if field is None:
        hint = meant(name, (*Dials.model_fields, *SECOND_NAMES), most=40)
        raise InputError(f"there is no dial {shown(name)!r}.", hint=hint)
    needed = field.description or "a text of at most 20,000 characters"
    raise InputError(f"{needed} is needed, not {shown(named[str(name)])!r}.", where=str(name))


# So often values are shuffled until none stands where it stood.
MAX_DRAWS = 1_000

# Where functions stand in the list: each in one place, or those that are named.
Place: TypeAlias = int | float | Mapping[str, int | float]


@dataclass(frozen=True)
class Listed:
    """
    A function as the prompt lists it.

    Attributes:
        library: the library that it truly is of.
        function: the function that it truly is.
        name: what it is called in the list, which noise may have changed.
        args: what its arguments are called there.
        definition: its documentation, empty where noise takes it away.
    """

    library: Library
    function: Function
    name: str
    args: tuple[str, ...]
    definition: str

    @property
    def library_name(self) -> str:
        """The name of its library in code."""
        return self.library.name

    @property
    def key(self) -> Key:
        """The function that it truly is: id of the library, and name."""
        return self.library.id, self.function.name

    def text(self, dials: Dials) -> str:
        """Print it as the dials say."""
        if dials.format_function is not None:
            return str(dials.format_function(self))
        head, doc = f"def {self.library_name}.{self.name}({', '.join(self.args)})", self.definition
        if doc and dials.use_quotes:
            escaped = doc.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
            doc = f'"""{escaped[:-1]}\\""""' if escaped.endswith('"') else f'"""{escaped}"""'
        return f"{head}:\n{doc}".replace("\n", f"\n{dials.margin}") if doc else head


@dataclass(frozen=True)
class TestCase:
    """
    A problem.

    Attributes:
        prompt: what a model is given; its answer goes on where the prompt ends.
        target: the answer that is wanted.
        pool: the functions of the prompt, as it lists them.
        call: the calls of the signature.
        outer: the function to be written.
        dials: what the problem was made from.
    """

    __test__ = False  # the name is the documented one; pytest is not to collect it

    prompt: str
    target: str
    pool: tuple[Listed, ...]
    call: Call
    outer: signatures.Outer
    dials: Dials

    @property
    def test(self) -> str:
        """
        What `execute` compares an answer with: a Python program that is read and never run.

        Its line "parameters" says what the arguments of each call are called, so that an answer may name them.
        """
        call, outer = self.call, self.outer
        names = {function.key: function for function in self.pool}
        fixed = {getattr(value, "value", None) for value in call.values()}

        def dummy(open: signatures.Open) -> str:
            """Return a text in place of an argument, unlike any text of the signature."""
            text = f"dummy_{open.argument}_{open.number}"
            while text in fixed:
                text += "_"
            return f'"{text}"'

        modules = {
            **dict.fromkeys(outer.imports, "import"),
            **dict.fromkeys(outer.subjects, "class"),
        }
        given = [f"{outer.names[open.number]}={dummy(open)}" for open in call.open()]
        given += [f"{subject}={subject}" for subject in outer.subjects]
        lines = [
            f"# signature = {outer.head()}",
            f"# indent = {self.dials.margin!r}",
            f"# parameters = {json.dumps([list(names[each.key].args) for each in call.calls()])}",
            *(f"{name} = Dummy()\n# style = '{style}_style'" for name, style in modules.items()),
            f"x = {outer.name}({', '.join(given)})",
            f"y = {call.printed(lambda key: names[key].name, dummy)}",
            "assert x == y, f'Test failure: {x} != {y}'",
        ]
        return "\n".join(lines)


def get_example(
    signature: str,
    description: str,
    func_name: str = "func",
    *,
    libraries: Libraries = None,
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
        InputError: a dial is unknown or cannot be used, or the signature names something that does not exist.

    Example:
        >>> problem = get_example("solids.volume_of_cone()", "gets the volume of a cone")
        >>> print(problem.target)
        return solids.volume_of_cone(radius, height)
    """
    own = {"signature": signature, "description": description, "func_name": func_name}
    return make({**own, **dials}, libraries)


def make(arguments: Mapping[str, Any], libraries: Libraries = None) -> TestCase:
    """
    Make a problem from all its arguments in one mapping, as benchmark files hold them.

    Raises:
        InputError: as `get_example` does.
    """
    registry = by_id(libraries)
    dials = read_dials(arguments)

    def read(own: Dials) -> tuple[Dials, Call, signatures.Outer]:
        call = signatures.read_signature(own.signature, registry)
        return own, call, signatures.outer_of(call, own.func_name, own.arg_order)

    _, call, outer = read(dials)
    shots = []
    for number in range(len(dials.fewshot)):
        with placed(f"fewshot[{number}]"):
            shots.append(read(dials.of_example(number)))
    # What is drawn first does not change with what is drawn later: distractors, names, descriptions.
    random = Random(dials.random_seed)
    pool = _pool([*(each for _, each, _ in shots), call], dials, registry, random)
    functions = [(registry[id], registry[id].by_name[name]) for id, name in pool]
    listed = _listed(functions, dials, random)
    names = {function.key: function for function in listed}

    def target(call: Call, outer: signatures.Outer) -> str:
        text = call.printed(lambda key: names[key].name, lambda open: outer.names[open.number])
        return f"return {text}"

    examples = [
        f"{_problem(own, whole)}{target(each, whole)}\n{own.end_token}".removesuffix("\n")
        for own, each, whole in shots
    ]
    functions_shown = dials.joiner.join(function.text(dials) for function in listed)
    parts = [dials.intro, functions_shown, *examples, _problem(dials, outer)]
    prompt = dials.section_joiner.join(parts)
    return TestCase(prompt, target(call, outer), tuple(listed), call, outer, dials)


def minimal_pair(
    arguments: Mapping[str, Any], dial: str, value: Any, libraries: Libraries = None
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
    given = first_names(arguments)
    first = make(given, libraries)
    second = make({**given, SECOND_NAMES.get(dial, dial): value}, libraries)
    what = f"the dial {shown(dial)} has this value already."
    need(first.dials != second.dials, what, hint="Give another value.")
    return first, second


# -- which functions are listed, and where -----------------------------------------


def _pool(
    calls: Sequence[Call], dials: Dials, registry: signatures.Registry, random: Random
) -> list[Key]:
    """
    Return the functions that a prompt lists: those that are called, the problem's own last, and distractors.

    Each library is a block, in the order in which its first call is completed. Inside a block the functions
    of the examples come first, then those of the problem as the library lists them, not as they are called.
    """
    called = _called(calls, registry)
    taken = set(called.values())
    own = [call.key for call in calls[-1].calls()]
    counts = _counts([id for id, _ in own], dials.num_distractors, registry)
    pool: list[Key] = []
    for id in dict.fromkeys([*counts, *(id for id, _ in called)]):
        module, wanted = registry[id].name, counts.get(id, 0)
        free = [key for name in registry[id].by_name if (key := (id, name)) not in own]
        free = [key for key in free if key in called or (module, key[1]) not in taken]
        what = f"{wanted} distractors are wanted from {id}, {len(free)} exist."
        hint = "Functions that are called do not count."
        need(wanted <= len(free), what, where="num_distractors", hint=hint)
        chosen = random.sample(sorted(free), wanted)
        taken.update((module, name) for _, name in chosen)
        distractors = [key for key in chosen if key not in called]
        targets = [key for key in called if key[0] == id]
        # The targets are spread evenly: "AB" among "123456" stand as in 12A34B56.
        block = max(len(distractors) // (len(targets) + 1), 1)
        for index, target in enumerate(targets):
            pool += [*distractors[index * block : (index + 1) * block], target]
        pool += distractors[len(targets) * block :]
    with placed("target_func_location"):
        return _placed(pool, {*own}, called, dials.target_func_location)


def _called(calls: Sequence[Call], registry: signatures.Registry) -> dict[Key, tuple[str, str]]:
    """Return the functions that are called, in the order of the list, each with how it is printed."""
    called: dict[Key, tuple[str, str]] = {}
    for call in calls:
        inner = dict.fromkeys(each.key for each in call.calls())
        places = {id: list(registry[id].by_name) for id, _ in inner}
        for id, name in sorted(inner, key=lambda key: places[key[0]].index(key[1])):
            called[id, name] = (registry[id].name, name)
    last = {printed: key for key, printed in called.items()}
    for key, printed in called.items():
        names = f"{'.'.join(key)} and {'.'.join(last[printed])}"
        what = f"{names} are both printed {'.'.join(printed)}."
        hint = "Call functions of one of these libraries only."
        need(last[printed] == key, what, where="signature", hint=hint)
    return called


def _counts(
    libraries: Sequence[str], wanted: int | Mapping[str, int], registry: signatures.Registry
) -> dict[str, int]:
    """
    Return how many distractors to draw from each library, in the order of their first completed calls.

    `wanted` is how many there are in all, or by library.
    """
    often = Counter(libraries)
    if not isinstance(wanted, Mapping):
        return {id: wanted * calls // often.total() for id, calls in often.items()}
    for id in wanted:
        is_known = "calls nothing of" if id in registry else "knows no"
        what = f"the signature {is_known} library {shown(id)}."
        need(id in often, what, where="num_distractors", hint=f"It calls {', '.join(often)}.")
    return {id: wanted.get(id, 0) for id in often}


def _placed(pool: list[Key], own: set[Key], called: Iterable[Key], wanted: Place) -> list[Key]:
    """Return the list with the functions that have a place of their own at that place."""
    places: dict[Key, int | float] = {}
    if isinstance(wanted, Mapping):
        for name, place in wanted.items():
            found = [key for key in called if name in (key[1], ".".join(key))]
            if len(found) != 1 or found[0] in places:
                what = f"{shown(name)!r} is not the name of just one function that is called."
                known = shown(", ".join(map(".".join, called)), 300)
                raise InputError(what, hint=f"Called are {known}; each may be given one place.")
            places[found[0]] = place
    elif wanted == -1:
        return pool
    else:
        what = f"the signature calls {len(own)} functions, so one place does not do."
        need(len(own) == 1, what, hint="Give a place for each, by name.")
        places = dict.fromkeys(own, wanted)
    last = len(pool) - 1
    slots: dict[int, Key] = {}
    for key, place in sorted(places.items(), key=lambda item: isinstance(item[1], float)):
        if isinstance(place, float):
            free = [index for index in range(last + 1) if index not in slots]
            slots[min(free, key=lambda index: abs(index - place * last))] = key
        elif place > last or slots.setdefault(place, key) != key:
            what = f"the place {shown(place)} is taken, or beyond the end of the list."
            raise InputError(what, hint=f"The list has the places 0 to {last}.")
    rest = iter([key for key in pool if key not in places])
    return [slots[index] if index in slots else next(rest) for index in range(last + 1)]


# -- noise ---------------------------------------------------------------------------


def _listed(pool: Sequence[tuple[Library, Function]], dials: Dials, random: Random) -> list[Listed]:
    """Return the functions of a prompt as it lists them."""
    names = [function.name for _, function in pool]
    if dials.function_noise_type == "number":
        names = [f"func{index}" for index in range(len(names))]
    elif dials.function_noise_type == "swap":
        names = _swapped(names, [each.name for each, _ in pool], random, "function_noise_type")
    is_numbered = dials.arg_noise_type == "number"

    def documentation(function: Function) -> str:
        """Return the documentation of a function, with numbers for its arguments where noise numbers them."""
        by_place = len(slots(function.doc)) == len(function.args)

        def word(number: int, phrase: str, argument: str) -> str:
            if argument in function.args:
                return f"the {phrase} arg{function.args.index(argument)}"
            return f"the {phrase} arg{number}" if by_place else f"the given {phrase}"

        return said(function.doc, word) if is_numbered else said(function.doc)

    docs = [documentation(function) for _, function in pool]
    if dials.description_noise_type == "swap":
        docs = _swapped(docs, range(len(docs)), random, "description_noise_type")
    elif dials.description_noise_type == "empty":
        docs = [""] * len(docs)
    found = []
    for (library, function), name, doc in zip(pool, names, docs, strict=True):
        numbered = tuple(f"arg{index}" for index in range(len(function.args)))
        args = numbered if is_numbered else function.args
        found.append(Listed(library, function, name, args, doc))
    return found


def _swapped(values: list[str], beside: Sequence[object], random: Random, where: str) -> list[str]:
    """Return texts shuffled, so that none stands where it or its like stood, nor two alike beside one thing."""
    drawn = list(values)
    for _ in range(MAX_DRAWS if len(drawn) > 1 else 0):
        random.shuffle(drawn)
        is_moved = all(old != new for old, new in zip(values, drawn, strict=True))
        if is_moved and len(set(zip(beside, drawn, strict=True))) == len(drawn):
            return drawn
    what = f"there is nothing to swap with; the functions that are listed: {len(drawn)}."
    hint = "Add distractors from a library whose functions differ."
    raise InputError(what, where=where, hint=hint)


# -- how it is printed -----------------------------------------------------------------


def _problem(dials: Dials, outer: signatures.Outer) -> str:
    """Return a problem up to where the answer begins."""
    lines = [f"{dials.task_description_preamble}{dials.description}."]
    lines += [dials.begin_token] if dials.begin_token else []
    lines += [f"import {name}" for name in outer.imports]
    return "\n".join([*lines, outer.head(), dials.margin])
