"""Everything that can be set about a problem, under the names that are documented and their second names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from refract_asp.bench.problems.library import need
from refract_asp.errors import InputError, shown

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

# Names in the wanted order, or a function that brings a list of them into it.
ArgumentOrder: TypeAlias = Sequence[str] | Callable[[list[str]], Sequence[str]]
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
        joiner: what stands between two functions.
        section_joiner: what stands between the parts of the prompt.
        intro: the line above the functions.
        task_description_preamble: what stands before the description.
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
    arg_order: ArgumentOrder | None = _dial(None, "a list of names, or a function that orders one,")
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
        known = ", ".join((*Dials.model_fields, *SECOND_NAMES))
        raise InputError(f"there is no dial {shown(name)!r}.", hint=f"Known: {known}.")
    needed = field.description or "a text of at most 20,000 characters"
    raise InputError(f"{needed} is needed, not {shown(named[str(name)])!r}.", where=str(name))
