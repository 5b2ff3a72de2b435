"""
Paths into structured values: field names and list indexes, as in `location.name` or `author[0].id`.

A field whose name holds one of `$ . [ ]` stands quoted, with `%24`, `%27` and `%25` for `$`, `'` and
`%`: `items[0]['@odata.id']`. Names of references that are no plain words are quoted likewise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal, TypeAlias, TypeGuard, TypeVar

from pydantic import BaseModel, ConfigDict

FieldPath: TypeAlias = tuple[str | int, ...]
"""Steps into a value: a text names a field, a whole number an element of a list."""

Spelling: TypeAlias = Literal["dollars", "dollar", "braces", "curly"]
"""How a reference is written: `$l.p$`, `$l.p`, `${l.p}`, `{{l.p}}`."""

LABEL = re.compile(r"[^\W\d][\w\-]*+")
"""A label or name that needs no quotes."""

_FIELD = re.compile(r"[^$.\[\]]+")
_STEP = re.compile(r"\.?([^$.\[\]]+)|\[(\d{1,9})\]|(\['[^'$]*+'\])")
_PLAIN = re.compile(r"[^\W\d]\w*+(?:-\w++)*")
_WORD = re.compile(r"\w++(?:-\w++)*")
_WORDS = re.compile(r"(?!\s)[^$.\[\]{}]+(?<!\s)")
_PERCENT = re.compile("%(24|25|27)")


K = TypeVar("K")
V = TypeVar("V")


def object_of(value: Any) -> dict[str, Any]:
    """Return an object as it is, an empty one for anything else: in data from outside anything may stand."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """Return a list as it is, an empty one for anything else."""
    return value if isinstance(value, list) else []


def as_list(value: Any) -> list[Any]:
    """Return a list as it is, anything else as the one element of a list."""
    return value if isinstance(value, list) else [value]


def are_texts(value: Any) -> bool:
    """Whether a value is a list of nothing but texts."""
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def without(fields: Mapping[K, V], names: Container[object]) -> dict[K, V]:
    """Return the fields of an object but for some."""
    return {name: value for name, value in fields.items() if name not in names}


def only(fields: Mapping[K, V], names: Container[object]) -> dict[K, V]:
    """Return some of the fields of an object, as far as it has them."""
    return {name: value for name, value in fields.items() if name in names}


def present(fields: Mapping[K, V | None]) -> dict[K, V]:
    """Return the fields of an object that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_whole(number: Any) -> Any:
    """Return a number without a fraction as a whole one, where none of its digits is lost."""
    is_whole = isinstance(number, float) and number.is_integer() and abs(number) < 2**53
    return int(number) if is_whole else number


def elements_of(value: Any) -> Iterable[Any]:
    """Return the values of an object, or the elements of a list."""
    inside: Iterable[Any] = value.values() if isinstance(value, dict) else value
    return inside


def steps_of(value: Any) -> Iterable[tuple[Any, Any]]:
    """Return the steps into an object or a list, each with what lies there."""
    return value.items() if isinstance(value, dict) else enumerate(value)


def with_leaves(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a copy of a value in which all that is no object or list is what `change` returns for it."""
    if isinstance(value, dict):
        return {key: with_leaves(inner, change) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_leaves(inner, change) for inner in value]
    return change(value)


def quoted(name: str) -> str:
    """Return a name in brackets and quotes, for where it cannot stand plainly."""
    return "['" + name.replace("%", "%25").replace("'", "%27").replace("$", "%24") + "']"


def unquoted(text: str) -> str:
    """Return the name inside brackets and quotes; the inverse of `quoted`."""
    inner = text[2:-2]
    return _PERCENT.sub(lambda match: chr(int(match[1], 16)), inner) if "%" in inner else inner


def parse_path(text: str) -> FieldPath:
    """
    Read a path; a leading dot is allowed, the empty text is the whole value.

    Raises:
        ValueError: `text` is not a path.

    Example:
        >>> parse_path("author[0].full name")
        ('author', 0, 'full name')
    """
    steps: list[str | int] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None or (position and match[1] is not None and text[position] != "."):
            raise ValueError(f"not a path at character {position}: {text[:80]!r}")
        field, index, name = match.groups()
        named = unquoted(name) if field is None and index is None else field
        steps.append(named if index is None else int(index))
        position = match.end()
    return tuple(steps)


def path_text(path: Iterable[str | int]) -> str:
    """
    Print a path; the inverse of `parse_path`.

    Example:
        >>> path_text(("author", 0, "id")), path_text(("items", "geo.lat"))
        ('author[0].id', "items['geo.lat']")
    """
    return _printed(tuple(path)).removeprefix(".")


@lru_cache(maxsize=16384)
def _printed(path: FieldPath, plain: re.Pattern[str] = _FIELD) -> str:
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if plain.fullmatch(step) else quoted(step)
    return text


def reference_text(label: str, path: Iterable[str | int] = ()) -> str:
    """
    Print a reference with its dollars, as it stands inside a text.

    Example:
        >>> reference_text("var1", ("author", 0, "id")), reference_text("page size")
        ('$var1.author[0].id$', "$['page size']$")
    """
    return f"${label if LABEL.fullmatch(label) else quoted(label)}{_printed(tuple(path))}$"


def spelt(label: str, path: Iterable[str | int], spelling: Spelling) -> str | None:
    """
    Print a reference in one of the spellings; None where it cannot be so written.

    Example:
        >>> spelt("var1", ("author", 0, "id"), "braces"), spelt("page size", (), "dollar")
        ('${var1.author[0].id}', None)
    """
    if spelling == "dollars":
        return reference_text(label, path)
    if not _PLAIN.fullmatch(label):
        return None
    text = label + _printed(tuple(path), _WORD if spelling == "dollar" else _WORDS)
    return {"dollar": f"${text}", "braces": f"${{{text}}}", "curly": f"{{{{{text}}}}}"}[spelling]


def shared_steps(path: FieldPath, other: FieldPath) -> int:
    """
    Return how many steps two paths have in common at their beginning.

    Example:
        >>> shared_steps(("author", 0, "id"), ("author", 0, "name"))
        2
    """
    pairs = list(zip(path, other, strict=False))
    return next((number for number, (one, two) in enumerate(pairs) if one != two), len(pairs))


def entered(path: FieldPath) -> FieldPath:
    """
    Return a path with each list entered at its first element, as all elements are alike.

    Example:
        >>> entered(("authors", 3, "id"))
        ('authors', 0, 'id')
    """
    return tuple(0 if isinstance(step, int) else step for step in path)


def fields_of(path: FieldPath) -> list[str]:
    """
    Return the names of the fields in a path, without the list indexes.

    Example:
        >>> fields_of(("authors", 3, "id"))
        ['authors', 'id']
    """
    return [step for step in path if isinstance(step, str)]


POSITION = "*"
"""How the names of arguments begin that have a position only; a number from 1 follows."""

_POSITION = re.compile(r"\*[1-9][0-9]{0,5}")


def is_position(name: str) -> bool:
    """
    Whether a parameter is named by its position.

    Example:
        >>> is_position("*1"), is_position("city")
        (True, False)
    """
    return _POSITION.fullmatch(name) is not None


class Frozen(BaseModel):
    """What all models are: they do not change, and have no fields but those named."""

    # Validators are built at first use: a check needs few of them.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Fault(Frozen):
    """
    A place in a value that does not fit the schema.

    Attributes:
        path: where in the value; empty for the value as a whole.
        keyword: the keyword of JSON Schema that it breaks, as "type" or "enum".
        expected: what the schema wants there, in words, bounded.
        given: what stands there, as JSON, bounded; of an object with fields that are too much these alone.
    """

    path: FieldPath = ()
    keyword: str
    expected: str
    given: str
