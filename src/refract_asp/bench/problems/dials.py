"""Everything that can be set about a problem, under the names that are documented and their second names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from refract_asp.bench.problems.library import placed
from refract_asp.bench.problems.signatures import ArgumentOrder
from refract_asp.errors import InputError, shown

__all__ = ["Dials", "first_name", "first_names", "read_dials"]

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
FORM = ("indent", "begin_token", "end_token", "task_description_preamble")
"""What examples take from the problem where they do not set it themselves."""
OF_EXAMPLES = ("signature", "description", "func_name", "arg_order", *FORM)
"""What may be set for an example alone."""


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
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: now for name, (now, usual) in values.items() if now != usual}

    def of_example(self, number: int) -> Dials:
        """
        Return the dials of an example, from 0: its own, and those of the problem.

        Raises:
            InputError: the example sets what only the whole problem has.
        """
        with placed(f"fewshot[{number}]"):
            given = first_names(self.fewshot[number])
            for name in given:
                if name not in OF_EXAMPLES and name in DIALS:
                    raise InputError(
                        f"an example cannot set {name}, which concerns the whole prompt.",
                        hint=f"It may set {', '.join(OF_EXAMPLES)}.",
                    )
            return read_dials({**{name: getattr(self, name) for name in FORM}, **given})


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
    _check("return_test_case", values.pop("return_test_case", True))
    for name in ("signature", "description"):
        if name not in values:
            raise InputError(
                f"the {name} is missing.",
                hint='Write {"signature": "image.blur()", "description": "..."}.',
            )
    for name, value in values.items():
        _check(name, value)
    values["fewshot"] = tuple(values.get("fewshot", ()))
    return Dials(**values)


def first_name(said: Any) -> str:
    """
    Return the first name of a dial.

    Raises:
        InputError: there is no such dial.

    Example:
        >>> first_name("n_distractors")
        'num_distractors'
    """
    name = SECOND_NAMES.get(said, said) if isinstance(said, str) else None
    if name is None or name not in (*DIALS, "return_test_case"):
        known = ", ".join((*DIALS, *SECOND_NAMES))
        raise InputError(f"there is no dial {shown(said)!r}.", hint=f"Known: {known}.")
    return name


def first_names(given: Any) -> dict[str, Any]:
    """
    Return dials under their first names.

    Raises:
        InputError: one is unknown, or given under two names.
    """
    if not isinstance(given, Mapping):
        raise InputError("an object of dials is needed.", hint='Write {"signature": ..., ...}.')
    values: dict[str, Any] = {}
    for said, value in given.items():
        name = first_name(said)
        if name in values:
            what = f"the dial {name} is given under two names."
            raise InputError(what, hint="Leave one out.")
        values[name] = value
    return values


# -- what a dial can be ------------------------------------------------------------


def _is_whole(value: Any, least: int = -(2**63), most: int = 2**63) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


_Needs: TypeAlias = tuple[Callable[[Any], bool], str]
_TEXT: _Needs = (lambda value: isinstance(value, str), "a text is needed")
_FLAG: _Needs = (lambda value: isinstance(value, bool), "true or false is needed")


def _one_of(*words: str) -> _Needs:
    return lambda value: value in words, f"one of {', '.join(words)} is needed"


_NEEDS: dict[str, _Needs] = {
    **dict.fromkeys(DIALS, _TEXT),
    "num_distractors": (
        lambda value: _is_whole(value, 0, MAX_COUNT),
        f"a whole number from 0 to {MAX_COUNT:,} is needed, or one by library",
    ),
    "target_func_location": (
        lambda value: isinstance(value, int | float) and not isinstance(value, bool),
        "an index, or a fraction from 0.0 to 1.0, is needed",
    ),
    "function_noise_type": _one_of("none", "number", "swap"),
    "description_noise_type": _one_of("none", "empty", "swap"),
    "arg_noise_type": _one_of("none", "number"),
    "fewshot": (_is_list, "a list of examples is needed"),
    "arg_order": (
        lambda value: value is None or callable(value) or _is_list(value),
        "a list of names, or a function that orders one, is needed",
    ),
    "indent": (
        lambda value: isinstance(value, str) or _is_whole(value, 1, MAX_INDENT),
        f"a number from 1 to {MAX_INDENT}, spaces or tabs are needed",
    ),
    "use_quotes": _FLAG,
    "return_test_case": _FLAG,
    "format_function": (
        lambda value: value is None or callable(value),
        "a Python function is needed",
    ),
    "random_seed": (_is_whole, "a whole number is needed"),
}
"""What each dial has to be, and how that is said."""
_KEYS = {
    "num_distractors": "the ids of libraries are texts",
    "target_func_location": "the names of functions are texts",
}
"""The dials that may be set by name."""


def _check(name: str, value: Any) -> None:
    """Refuse a value that a dial cannot have."""
    if name in _KEYS and isinstance(value, Mapping):
        for key, each in value.items():
            if not isinstance(key, str):
                raise _wrong(name, _KEYS[name], key)
            _check_alone(name, each, f"{name}.{shown(key, 80)}", least=0)
    else:
        _check_alone(name, value, name)
    if isinstance(value, str) and len(value) > MAX_TEXT and name != "indent":
        raise InputError(f"the text is longer than {MAX_TEXT:,} characters.", where=name)
    is_blank = isinstance(value, str) and 0 < len(value) <= MAX_INDENT and not value.strip(" \t")
    if name == "indent" and isinstance(value, str) and not is_blank:
        raise _wrong(name, "spaces or tabs are needed", value)
    if name == "task_description_preamble" and value:
        last = value[-1]  # some call the line above the functions by this name
        if last.isascii() and (last.isalnum() or last in ".:,;!?"):
            raise InputError(
                f"the description would stand right behind {shown(last)!r}.",
                where=name,
                hint="End with a space or a line break. The line above the functions is the dial intro.",
            )
    if name == "fewshot":
        if len(value) > MAX_EXAMPLES:
            raise InputError(f"there are more than {MAX_EXAMPLES:,} examples.", where=name)
        for index, example in enumerate(value):
            if not isinstance(example, Mapping):
                raise _wrong(f"{name}[{index}]", "an object of dials is needed", example)


def _check_alone(name: str, value: Any, where: str, least: int = -1) -> None:
    fits, needed = _NEEDS[name]
    if not fits(value):
        raise _wrong(where, needed, value)
    if name == "target_func_location" and isinstance(value, float):
        if not (math.isfinite(value) and 0 <= value <= 1):
            raise _wrong(where, "a fraction lies between 0.0 and 1.0", value)
    elif name == "target_func_location" and not least <= value <= MAX_COUNT:
        raise _wrong(where, f"an index is at least {least} and at most {MAX_COUNT:,}", value)


def _wrong(where: str, needed: str, value: Any) -> InputError:
    if isinstance(value, str | float):
        said = repr(value)
    else:
        said = shown(value) if isinstance(value, int | None) else f"a {type(value).__name__}"
    return InputError(f"{needed}, not {shown(said)}.", where=where)
