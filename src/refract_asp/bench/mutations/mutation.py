"""A sequence that was broken on purpose, and what a repair should make of it."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from refract_asp.bench.mutations.tokens import Token
from refract_asp.model import Ask, Catalog, Sequence, Tool
from refract_asp.model.paths import FieldPath
from refract_asp.model.schemas import is_compatible, schema_types
from refract_asp.model.sources import slots_of
from refract_asp.rules.schemas.dialects import standard
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator

__all__ = [
    "Breaks",
    "Family",
    "Kind",
    "Mutation",
    "Open",
    "Places",
    "fields_meant",
    "invented",
    "is_told",
    "is_written",
    "misfits",
    "misspelt",
    "respelt",
    "types_taken",
    "words_in",
    "wrong_name",
]


class Open(NamedTuple):
    """
    Arguments of an expected call that nobody can know any more.

    Attributes:
        call: the index of the call in the expected sequence.
        parameters: each may be asked for, hold any constant, or be absent.
    """

    call: int
    parameters: frozenset[str]


@dataclass(frozen=True, slots=True)
class Mutation:
    """
    A sequence with something wrong in it.

    Attributes:
        kind: the name of its kind; "mix" of several.
        broken: the sequence with what is wrong.
        expected: what the repair should be; an ask stands where a value is lost for good.
        token: where it was broken; the call counts in the sequence before.
        what: what was changed, for people.
        variant: how, where a kind has several ways, as "misspelt" and "invented" for names; else empty.
        informed: whether what is left tells how the sequence was; each kind says by which rule. A mix is
            informed if each part is, or an ask is expected for what it loses.
        required: whether the parameter concerned is required, None where no parameter is.
        note: what is left to tell the original by; it explains misses and counts for nothing.
        open: what of the expected calls may differ.
        origins: for each call of the broken sequence which one it was before, None for one that was
            added; None where every call is where it was.
        parts: the single mutations that a mix consists of, each of the sequence as it was before all of them.
    """

    kind: str
    broken: Sequence
    expected: Sequence
    token: Token
    what: str
    variant: str = ""
    informed: bool = True
    required: bool | None = None
    note: str = ""
    open: tuple[Open, ...] = ()
    origins: tuple[int | None, ...] | None = None
    parts: tuple[Mutation, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether a value is lost for good, so that an ask is expected for it."""
        return _asks(self.expected) > _asks(self.broken)


def _asks(sequence: Sequence) -> int:
    """Count the arguments that hold an ask."""
    return sum(
        isinstance(slot, Ask)
        for call in sequence.calls
        for source in call.arguments.values()
        for slot in slots_of(source)
    )


Family: TypeAlias = Literal["names", "references", "steps", "values", "harmless"]
"""What is broken. A kind of "harmless" leaves the sequence valid: it measures false alarms."""

Places: TypeAlias = Callable[[Sequence, Catalog], list[Token]]
Breaks: TypeAlias = Callable[[Sequence, Catalog, Token, random.Random], Mutation | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """
    One kind of mutation.

    Attributes:
        name: its name.
        about: what it does, for people.
        informed: when what is left tells how the sequence was. It speaks of the sequence and the catalog,
            never of what a repair does.
        family: what is broken.
        places: returns the tokens that may be broken so, in the order of the text.
        breaks: breaks one; None where no wrong token is found for it.
    """

    name: str
    about: str
    informed: str
    family: Family
    places: Places
    breaks: Breaks


ATTEMPTS = 100

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def misspelt(word: str, rng: random.Random) -> str:
    """Apply 1 to 3 random edits of characters: insert, delete, replace or transpose."""
    letters = list(word)
    for _ in range(rng.randint(1, 3)):
        edit = rng.choice(("insert", "delete", "replace", "transpose"))
        place = rng.randrange(len(letters)) if letters else 0
        if edit == "insert" or not letters:
            letters.insert(place, rng.choice(string.ascii_lowercase))
        elif edit == "delete":
            del letters[place]
        elif edit == "replace":
            letters[place] = rng.choice(string.ascii_lowercase)
        elif len(letters) > 1:
            place = rng.randrange(len(letters) - 1)
            letters[place], letters[place + 1] = letters[place + 1], letters[place]
    return "".join(letters)


def invented(rng: random.Random) -> str:
    """Make up a pronounceable word of 2 to 4 syllables, such as `tomaru`."""
    return "".join(
        rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") + rng.choice(("", "", "", "n", "r", "s"))
        for _ in range(rng.randint(2, 4))
    )


def wrong_name(
    name: str, rng: random.Random, exists: Callable[[str], bool]
) -> tuple[str, str] | None:
    """
    Return a wrong name and its variant ("misspelt" or "invented", half each).

    Returns:
        None when no attempt gave a name that does not exist in the same place.
    """
    variant = rng.choice(("misspelt", "invented"))
    for _ in range(ATTEMPTS):
        wrong = misspelt(name, rng) if variant == "misspelt" else invented(rng)
        if wrong and wrong == wrong.strip() and wrong != name and not exists(wrong):
            return wrong, variant
    return None


def words_in(name: str) -> list[str]:
    """
    Split `camelCase` and `snake_case` into lower-case words, in order.

    Example:
        >>> words_in("originSkyId"), words_in("check_in")
        (['origin', 'sky', 'id'], ['check', 'in'])
    """
    return [word.lower() for word in _WORD.findall(name)]


def respelt(name: str) -> str:
    """
    Return a name in the other spelling: `snake_case` as `camelCase`, and else as `snake_case`.

    Example:
        >>> respelt("check_in"), respelt("checkIn"), respelt("query")
        ('checkIn', 'check_in', 'query')
    """
    words = words_in(name)
    if "".join(words) != "".join(c for c in name if c.isalnum()).lower():
        return name  # it has letters that are not looked at
    if "_" in name or "-" in name:
        return "".join([words[0], *(word.capitalize() for word in words[1:])]) if words else name
    return "_".join(words) if words else name


def misfits(tool: Tool, parameter: str, value: Any) -> bool:
    """
    Whether a value does not fit a declared parameter; where its schema cannot be judged nothing is a misfit.

    Example:
        >>> from refract_asp.model import Catalog
        >>> catalog = Catalog.load({"tools": [{"name": "T", "parameters": {"n": {"type": "integer"}}}]})
        >>> misfits(catalog.by_name["T"], "n", "5"), misfits(catalog.by_name["T"], "n", 5)
        (True, False)
    """
    root = None if tool.input_schema is None else standard(tool.input_schema)
    try:
        return not Validator(tool.parameters[parameter].json_schema, root, name=parameter).is_valid(
            value
        )
    except BrokenSchemaError:
        return False


def types_taken(tool: Tool, parameter: str) -> frozenset[str]:
    """Return the JSON types that a declared parameter takes."""
    return schema_types(tool.parameters[parameter].json_schema, tool.input_schema)


def is_written(tool: Tool) -> bool:
    """Whether a call of the tool is declared to change something."""
    return tool.effect in ("write", "destructive")


def is_told(tool: Tool, path: FieldPath, taker: Tool, parameter: str) -> bool:
    """
    Whether type and name of a parameter alone tell which field of a tool was read.

    Of the fields of a type that the parameter takes, those count that are called like it; if there is none
    those that share a word with it; if there is none all. Of these the shallowest have to be the one.
    """
    return fields_meant(tool, taker, parameter) == {_entered(path)}


def fields_meant(tool: Tool, taker: Tool, parameter: str) -> set[FieldPath]:
    """Return the fields of a tool that a parameter may mean, see `is_told`."""
    taken = types_taken(taker, parameter)
    fitting = [
        field.path
        for field in tool.output_fields
        if is_compatible(tool.types_at(field.path), taken)
    ]
    tiers: list[list[FieldPath]] = [[], [], fitting]
    wanted = words_in(parameter)
    for path in fitting:
        names = [step for step in path if isinstance(step, str)]
        own, whole = words_in(names[-1]), words_in("_".join(names[-2:]))
        if wanted in (own, whole):
            tiers[0].append(path)
        elif set(wanted) & set(own):
            tiers[1].append(path)
    best = next((tier for tier in tiers if tier), [])
    shallowest = min((len(path) for path in best), default=0)
    return {path for path in best if len(path) == shallowest}


def _entered(path: FieldPath) -> FieldPath:
    """Return a path with each list entered at its first element, as output fields are listed."""
    return tuple(0 if isinstance(step, int) else step for step in path)
