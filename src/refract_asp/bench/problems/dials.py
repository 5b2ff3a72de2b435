"""Everything that can be set about a problem, under the names that are documented and their second names."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from refract_asp.bench.problems.expressions import Call, Open
from refract_asp.bench.problems.library import is_name
from refract_asp.errors import InputError, shown
from refract_asp.formats.python import parsed
from refract_asp.formats.source import Origin

__all__ = [
    "DIALS",
    "SECOND_NAMES",
    "ArgumentOrder",
    "Dials",
    "FormatFunction",
    "Outer",
    "first_name",
    "first_names",
    "outer_of",
    "read_dials",
]


ArgumentOrder: TypeAlias = Sequence[str] | Callable[[list[str]], Sequence[str]]
"""Names in the wanted order, or a function that brings a list of them into it."""


@dataclass(frozen=True)
class Outer:
    """
    The function to be written.

    Attributes:
        name: its name.
        arguments: the names of its arguments, in their order.
        subjects: those of them that are objects, by the order of the signature.
        names: the name of each open argument, by its number in the signature.
        imports: the modules that it needs, in order.
    """

    name: str
    arguments: tuple[str, ...]
    subjects: tuple[str, ...]
    names: dict[int, str]
    imports: tuple[str, ...]

    def head(self) -> str:
        """Return the line that begins the function."""
        return f"def {self.name}({', '.join(self.arguments)}):"


def outer_of(call: Call, func_name: str, arg_order: ArgumentOrder | None = None) -> Outer:
    """
    Return the function to be written for a signature.

    Objects stand first, then the open arguments as the calls take them. A name that two of them would have
    gets numbers (`pixels1`, `pixels2`). `func_name` may say another order, as "f(pixels, image)", or else
    `arg_order`.

    Raises:
        InputError: the names are none of Python, meet, or the order lacks or makes up one.

    Example:
        >>> from refract_asp.bench.problems import read_signature, shipped
        >>> call = read_signature("image.blur().blur(pixels=image.get_width()).blur()", shipped())
        >>> outer_of(call, "blur_thrice(pixels2, image, pixels1)").head()
        'def blur_thrice(pixels2, image, pixels1):'
    """
    name, listed = _header(func_name)
    subjects = tuple(dict.fromkeys(subject.library.name for subject in call.subjects()))
    modules = (inner.library.name for inner in call.calls() if inner.library.style == "import")
    imports = tuple(dict.fromkeys(modules))
    names = _names(call)
    if name in imports:
        raise InputError(
            f"{shown(name)} is the name of the module that the function needs.",
            where="func_name",
            hint="Take another name.",
        )
    _all_differ(subjects, imports, names, {open.number: open for open in call.open()})
    natural = [*subjects, *names.values()]
    if listed is not None and arg_order is not None:
        raise InputError(
            "the order of the arguments is said twice, by func_name and by arg_order.",
            hint="Leave one out.",
        )
    wanted = listed if listed is not None else _wanted(arg_order, natural)
    order = natural if wanted is None else _ordered(wanted, natural, subjects, call, names)
    return Outer(name, tuple(order), subjects, names, imports)


def _header(text: str) -> tuple[str, list[str] | None]:
    """Return the name in "f" or "f(a, b)", and the arguments where there are brackets."""
    if is_name(text):
        return text, None
    wrong = InputError(
        f"{shown(text)!r} cannot be the name of a function.",
        where="func_name",
        hint="Write f or f(a, b).",
    )
    if len(text) > 10_000 or "\n" in text or "#" in text:
        raise wrong
    try:
        body = parsed(f"def {text}: pass", Origin("func_name")).body
    except InputError:
        raise wrong from None
    found = body[0] if len(body) == 1 else None
    if (
        not isinstance(found, ast.FunctionDef)
        or not is_name(found.name)
        or found.returns is not None
    ):
        raise wrong
    given = found.args
    if given.posonlyargs or given.vararg or given.kwonlyargs or given.kwarg or given.defaults:
        raise wrong
    if any(argument.annotation is not None for argument in given.args):
        raise wrong
    return found.name, [argument.arg for argument in given.args]


def _names(call: Call) -> dict[int, str]:
    """Return what each open argument is called outside; what two would be called is numbered."""
    opened = list(call.open())
    often = Counter(open.argument for open in opened if open.name is None)
    used: Counter[str] = Counter()
    names: dict[int, str] = {}
    for open in opened:
        if open.name is not None:
            names[open.number] = open.name
        elif often[open.argument] == 1:
            names[open.number] = open.argument
        else:
            used[open.argument] += 1
            names[open.number] = f"{open.argument}{used[open.argument]}"
    return names


def _all_differ(
    subjects: Sequence[str], imports: Sequence[str], names: dict[int, str], opened: dict[int, Open]
) -> None:
    taken = dict.fromkeys(subjects, "the object")
    for module in imports:
        if module in taken:
            raise InputError(
                f"{shown(module)} is a module and an object at once.", where="signature"
            )
        taken[module] = "the module"
    for number, name in names.items():
        if name in taken:
            argument = opened[number].argument
            raise InputError(
                f"two things are named {shown(name)} outside: {taken[name]}, and the argument {argument}.",
                where="signature",
                hint=f"Name the argument, as {argument}={name}_2.",
            )
        taken[name] = f"the argument {opened[number].argument}"


def _wanted(arg_order: ArgumentOrder | None, natural: list[str]) -> list[str] | None:
    wanted = arg_order(list(natural)) if callable(arg_order) else arg_order
    if wanted is None and not callable(arg_order):
        return None
    is_list = isinstance(wanted, Sequence) and not isinstance(wanted, str | bytes)
    if not is_list or not all(isinstance(name, str) for name in wanted or ()):
        raise InputError("a list of names is needed.", where="arg_order", hint=f"Write {natural}.")
    return list(wanted or ())


def _ordered(
    wanted: list[str],
    natural: list[str],
    subjects: Sequence[str],
    call: Call,
    names: dict[int, str],
) -> list[str]:
    """Return the names in the wanted order; what the signature renames may go by its name in the library."""
    inner = Counter(open.argument for open in call.open())
    outside = {o.argument: names[o.number] for o in call.open() if inner[o.argument] == 1}
    order = [name if name in natural else outside.get(name, name) for name in wanted]
    if not set(order) & set(subjects):
        order = [*subjects, *order]
    if sorted(order) != sorted(natural):
        raise InputError(
            f"the order of the arguments is {shown(', '.join(wanted), 200) or 'empty'}.",
            where="func_name or arg_order",
            hint=f"It needs each of these once: {shown(', '.join(natural), 300) or 'nothing'}.",
        )
    return order


FormatFunction: TypeAlias = Callable[[Any], str]
"""Prints a `Listed` function."""

SECOND_NAMES = {
    "n_distractors": "num_distractors",
    "func_noise": "function_noise_type",
    "desc_noise_type": "description_noise_type",
}
"""Other names of dials, and the names they stand for."""

MAX_TEXT = 20_000
MAX_INDENT = 100
MAX_EXAMPLES = 1_000
MAX_COUNT = 1_000_000
_OF_EXAMPLES = (
    "signature", "description", "func_name", "arg_order",
    "indent", "begin_token", "end_token", "task_description_preamble",
)  # fmt: skip
"""What may be set for an example alone; the rest it takes from the problem."""


@dataclass(frozen=True)
class Dials:
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
        function_noise_type: "none", "number" (func0, func1, ...) or "swap" (each gets the name of another).
        description_noise_type: "none", "empty" or "swap".
        arg_noise_type: "none" or "number" (arg0, arg1, ...).
        fewshot: the dials of examples that are shown solved.
        arg_order: the arguments of the function to be written in order, or a function that orders them.
        indent: how many spaces, or the indent itself, of spaces and tabs.
        use_quotes: whether documentation stands in triple quotes.
        format_function: prints each function of the list, in place of what is usual.
        joiner: what stands between two functions.
        section_joiner: what stands between the parts of the prompt.
        intro: the line above the functions.
        task_description_preamble: what stands before the description.
        begin_token: the line above the code; without one there is none.
        end_token: the line below the code of an example.
        random_seed: the seed of everything that is drawn.
    """

    signature: str
    description: str
    func_name: str = "func"
    num_distractors: int | Mapping[str, int] = 0
    target_func_location: int | float | Mapping[str, int | float] = -1
    function_noise_type: str = "none"
    description_noise_type: str = "none"
    arg_noise_type: str = "none"
    fewshot: Sequence[Mapping[str, Any]] = ()
    arg_order: ArgumentOrder | None = None
    indent: int | str = 4
    use_quotes: bool = False
    format_function: FormatFunction | None = None
    joiner: str = "\n"
    section_joiner: str = "\n\n"
    intro: str = "Consider the following functions:"
    task_description_preamble: str = "Write a function that "
    begin_token: str = "[BEGIN]"
    end_token: str = "[END]"
    random_seed: int = 229

    @property
    def margin(self) -> str:
        """The indent as text."""
        return " " * self.indent if isinstance(self.indent, int) else self.indent

    def given(self) -> dict[str, Any]:
        """Return the dials that are not as they are by default."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.default is not getattr(self, field.name)
            and field.default != getattr(self, field.name)
        }

    def of_example(self, number: int) -> Dials:
        """
        Return the dials of an example, from 0: its own, and those of the problem.

        Raises:
            InputError: the example sets what only the whole problem has.
        """
        where = f"fewshot[{number}]"
        given = first_names(self.fewshot[number], where)
        for name in given:
            if name not in _OF_EXAMPLES and name in DIALS:
                raise InputError(
                    f"an example cannot set {name}, which concerns the whole prompt.",
                    where=where,
                    hint=f"It may set {', '.join(_OF_EXAMPLES)}.",
                )
        inherited = {name: getattr(self, name) for name in _OF_EXAMPLES[4:]}
        try:
            return read_dials({**inherited, **given})
        except InputError as error:
            place = ": ".join(filter(None, (where, error.where)))
            raise type(error)(error.what, where=place, hint=error.hint) from None


DIALS = tuple(field.name for field in fields(Dials))
"""The names of the dials."""


def read_dials(given: Any) -> Dials:
    """
    Read the dials of a problem, each under its first or its second name.

    `return_test_case` is read, too, and changes nothing: what comes back is always the whole test case.

    Raises:
        InputError: a dial is unknown, given twice, or its value cannot be used.

    Example:
        >>> dials = read_dials({"signature": "image.blur()", "description": "blurs it", "n_distractors": 2})
        >>> dials.num_distractors
        2
    """
    values = first_names(given)
    _check_flag("return_test_case", values.pop("return_test_case", True))
    for name in ("signature", "description"):
        if name not in values:
            raise InputError(
                f"the {name} is missing.",
                hint='Write {"signature": "image.blur()", "description": "..."}.',
            )
    for name, value in values.items():
        _CHECKS[name](name, value)
    values["fewshot"] = tuple(values.get("fewshot", ()))
    return Dials(**values)


def first_name(said: Any, where: str = "") -> str:
    """
    Return the first name of a dial.

    Raises:
        InputError: there is no such dial.

    Example:
        >>> first_name("n_distractors")
        'num_distractors'
    """
    name = SECOND_NAMES.get(said, said) if isinstance(said, str) else None
    if name is None or (name not in DIALS and name != "return_test_case"):
        known = ", ".join((*DIALS, *SECOND_NAMES))
        raise InputError(f"there is no dial {shown(said)!r}.", where=where, hint=f"Known: {known}.")
    return name


def first_names(given: Any, where: str = "") -> dict[str, Any]:
    """
    Return dials under their first names.

    Raises:
        InputError: one is unknown, or given under two names.
    """
    if not isinstance(given, Mapping):
        raise InputError(
            "an object of dials is needed.", where=where, hint='Write {"signature": ..., ...}.'
        )
    values: dict[str, Any] = {}
    for said, value in given.items():
        name = first_name(said, where)
        if name in values:
            raise InputError(
                f"the dial {name} is given under two names.", where=where, hint="Leave one out."
            )
        values[name] = value
    return values


def _check_text(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise _wrong(name, "a text is needed", value)
    if len(value) > MAX_TEXT:
        raise InputError(f"the text is longer than {MAX_TEXT:,} characters.", where=name)


def _check_preamble(name: str, value: Any) -> None:
    """Refuse what the description could not follow; some call the line above the functions by this name."""
    _check_text(name, value)
    if value and value[-1].isascii() and (value[-1].isalnum() or value[-1] in ".:,;!?"):
        raise InputError(
            f"the description would stand right behind {shown(value[-1])!r}.",
            where=name,
            hint="End with a space or a line break. The line above the functions is the dial intro.",
        )


def _check_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise _wrong(name, "true or false is needed", value)


def _check_seed(name: str, value: Any) -> None:
    if not _is_integer(value) or abs(value) > 2**63:
        raise _wrong(name, "a whole number is needed", value)


def _check_indent(name: str, value: Any) -> None:
    if isinstance(value, str):
        if not value or value.strip(" \t") or len(value) > MAX_INDENT:
            raise _wrong(name, "spaces or tabs are needed", value)
    elif not _is_integer(value) or not 1 <= value <= MAX_INDENT:
        raise _wrong(name, f"a number from 1 to {MAX_INDENT}, spaces or tabs are needed", value)


def _check_count(name: str, value: Any) -> None:
    if isinstance(value, Mapping):
        for key, number in value.items():
            if not isinstance(key, str):
                raise _wrong(name, "the ids of libraries are texts", key)
            if isinstance(number, Mapping):
                raise _wrong(f"{name}.{shown(key, 80)}", "a whole number is needed", number)
            _check_count(f"{name}.{shown(key, 80)}", number)
    elif not _is_integer(value) or not 0 <= value <= MAX_COUNT:
        raise _wrong(
            name, f"a whole number from 0 to {MAX_COUNT:,} is needed, or one by library", value
        )


def _check_location(name: str, value: Any) -> None:
    if isinstance(value, Mapping):
        for key, place in value.items():
            if not isinstance(key, str):
                raise _wrong(name, "the names of functions are texts", key)
            _check_place(f"{name}.{shown(key, 80)}", place, lowest=0)
    else:
        _check_place(name, value, lowest=-1)


def _check_place(name: str, value: Any, lowest: int) -> None:
    if _is_integer(value):
        if not lowest <= value <= MAX_COUNT:
            raise _wrong(name, f"an index is at least {lowest} and at most {MAX_COUNT:,}", value)
    elif not isinstance(value, float):
        raise _wrong(name, "an index, or a fraction from 0.0 to 1.0, is needed", value)
    elif not (math.isfinite(value) and 0 <= value <= 1):
        raise _wrong(name, "a fraction lies between 0.0 and 1.0", value)


def _check_order(name: str, value: Any) -> None:
    is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    if value is not None and not callable(value) and not is_list:
        raise _wrong(name, "a list of names, or a function that orders one, is needed", value)


def _check_function(name: str, value: Any) -> None:
    if value is not None and not callable(value):
        raise _wrong(name, "a Python function is needed", value)


def _check_examples(name: str, value: Any) -> None:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise _wrong(name, "a list of examples is needed", value)
    if len(value) > MAX_EXAMPLES:
        raise InputError(f"there are more than {MAX_EXAMPLES:,} examples.", where=name)
    for index, example in enumerate(value):
        if not isinstance(example, Mapping):
            raise _wrong(f"{name}[{index}]", "an object of dials is needed", example)


def _one_of(*words: str) -> Callable[[str, Any], None]:
    def check(name: str, value: Any) -> None:
        if not isinstance(value, str) or value not in words:
            raise _wrong(name, f"one of {', '.join(words)} is needed", value)

    return check


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _wrong(name: str, needed: str, value: Any) -> InputError:
    if isinstance(value, str | float):
        said = repr(value)
    else:
        said = shown(value) if isinstance(value, int | None) else f"a {type(value).__name__}"
    return InputError(f"{needed}, not {shown(said)}.", where=name)


_CHECKS: dict[str, Callable[[str, Any], None]] = {
    **dict.fromkeys(DIALS, _check_text),
    "num_distractors": _check_count,
    "target_func_location": _check_location,
    "function_noise_type": _one_of("none", "number", "swap"),
    "description_noise_type": _one_of("none", "empty", "swap"),
    "arg_noise_type": _one_of("none", "number"),
    "fewshot": _check_examples,
    "arg_order": _check_order,
    "indent": _check_indent,
    "use_quotes": _check_flag,
    "format_function": _check_function,
    "task_description_preamble": _check_preamble,
    "random_seed": _check_seed,
}
