"""Synthetic libraries: functions with names, documentation and types, and no code."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

from refract_asp.errors import InputError, shown
from refract_asp.formats.source import opened
from refract_asp.formats.tool_lists import Function, function_in, head_in

# The groups of libraries in the package, each a file, and a catalog of the same name.
SUBJECTS = ("chemistry", "image", "music", "solids")
MAX_FUNCTIONS = 10_000
MAX_NAME = 200
_SHAPE = 'Write {"id": "solids2", "library_name": "solids", "style": "import", "functions": [...]}.'


@contextmanager
def placed(where: str) -> Iterator[None]:
    """Put a place before that of an error."""
    try:
        yield
    except InputError as error:
        place = ": ".join(filter(None, (where, error.where)))
        raise type(error)(error.what, where=place, hint=error.hint) from None


def need(is_right: bool, what: str, *, where: str = "", hint: str = "") -> None:
    """
    Check what has to be so.

    Raises:
        InputError: it is not; `what` says what is wrong.
    """
    if not is_right:
        raise InputError(what, where=where, hint=hint)


def is_name(text: str) -> bool:
    """
    Whether a text can be a name in Python that is not its own: no keyword, no two underscores first.

    Python reads some letters as others, as a wide `x` as a plain one; a name is to be as Python reads it.

    Example:
        >>> [is_name(text) for text in ("radius", "2d", "class", "__eq__", "f(x)", "\uff58")]
        [True, False, False, False, False, False]
    """
    is_own = keyword.iskeyword(text) or text.startswith("__")
    is_plain = len(text) <= MAX_NAME and unicodedata.normalize("NFKC", text) == text
    return text.isidentifier() and is_plain and not is_own


@dataclass(frozen=True)
class Library:
    """
    A synthetic library.

    Attributes:
        id: the label by which signatures name it; no two libraries have the same.
        name: its name in code, which several may share, as `solids` of solids2 and solids3.
        style: "import" for functions of a module, "class" for methods of an object.
        functions: what it offers, in order.

    Raises:
        InputError: it is empty, a name is none of Python, or two functions have one.

    Example:
        >>> volume = Function("volume", "Says how large it is.", ("radius",), ("float",))
        >>> solids = Library("solids2", "solids", "import", (volume,))
        >>> load_libraries(solids.as_data()) == (solids,)
        True
    """

    id: str
    name: str
    style: str
    functions: tuple[Function, ...]

    def __post_init__(self) -> None:
        """Refuse what no problem could be made of."""
        with placed(f"library {shown(self.id, 80)}"):
            is_style = self.style in ("import", "class")
            need(is_style, f"the style is import or class, not {shown(self.style)!r}.")
            is_few = 0 < len(self.functions) <= MAX_FUNCTIONS
            need(is_few, f"the library has no function, or more than {MAX_FUNCTIONS:,}.")
            arguments = [argument for function in self.functions for argument in function.args]
            for name in (self.id, self.name, *self.by_name, *arguments):
                need(is_name(name), f"{shown(name)!r} cannot be a name in Python.", hint=_SHAPE)
            is_each_once = len(self.by_name) == len(self.functions)
            need(is_each_once, "two functions have one name.", hint="Rename one of them.")
            for function in self.functions:
                is_each_once = len(set(function.args)) == len(function.args)
                need(is_each_once, f"two arguments of {shown(function.name)} have one name.")

    @cached_property
    def by_name(self) -> dict[str, Function]:
        """The functions by name."""
        return {function.name: function for function in self.functions}

    def as_data(self) -> dict[str, Any]:
        """Return the library as the JSON that `load_libraries` reads."""
        keys = ("function_name", "documentation", "arglist", "return_type")
        rows = ((each.name, each.doc, [*each.args], [*each.returns]) for each in self.functions)
        functions = [dict(zip(keys, row, strict=True)) for row in rows]
        head = {"id": self.id, "library_name": self.name, "style": self.style}
        return {**head, "functions": functions}


# Libraries by id.
Registry: TypeAlias = dict[str, Library]
# The libraries that signatures may name; None for those of the package.
Libraries: TypeAlias = Registry | Iterable[Library] | None


def load_libraries(data: Any, *, id: str = "library", style: str = "import") -> tuple[Library, ...]:
    """
    Read libraries from JSON: a list of them or one, as a `Path`, a text or data.

    A list of functions is one library, whose id and style are given.

    Raises:
        FormatError: a field is missing or not of its type; the message names the place.
        InputError: two libraries have one id, or one is empty or cannot be used.
    """
    content, origin = opened(data, yaml=True)
    if isinstance(content, list) and content and all(map(_is_function, content)):
        content = {"id": id, "library_name": id, "style": style, "functions": content}
    is_one = isinstance(content, dict)
    origin.need(is_one or isinstance(content, list), "a list of libraries is needed.", hint=_SHAPE)
    libraries: Registry = {}
    for index, entry in enumerate([content] if is_one else content):
        at = origin if is_one else origin.inside(index)
        listed = entry.get("functions") if isinstance(entry, dict) else None
        what = "a library with a list of functions is needed."
        at.need(isinstance(listed, list), what, hint=_SHAPE)
        head = head_in(entry, at)
        places = (at.inside("functions", number) for number in count())
        functions = tuple(map(function_in, listed or (), places))
        with placed(at.at()):
            library = Library(head.id, head.name or head.id, head.style, functions)
        what = f"two libraries have the id {shown(library.id, 80)}."
        at.need(library.id not in libraries, what, "id", hint=_SHAPE)
        libraries[library.id] = library
    return tuple(libraries.values())


def _is_function(entry: Any) -> bool:
    return isinstance(entry, dict) and "function_name" in entry and "functions" not in entry


def by_id(libraries: Libraries) -> Registry:
    """
    Return libraries by id, the shipped ones for None.

    Raises:
        InputError: there are none, or two have one id.
    """
    if libraries is None:
        return shipped()
    if isinstance(libraries, dict):
        return libraries
    found: Registry = {}
    for library in libraries:
        need(library.id not in found, f"two libraries have the id {shown(library.id, 80)}.")
        found[library.id] = library
    hint = "Give one, or leave libraries out for the shipped ones."
    need(bool(found), "there is no library.", hint=hint)
    return found


@cache
def shipped() -> Registry:
    """Return the libraries of the package: image, chemistry, music and solids."""
    files = (Path(__file__).resolve().parent / "shipped" / f"{name}.json" for name in SUBJECTS)
    return by_id(library for file in files for library in load_libraries(file))
