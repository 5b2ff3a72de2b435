"""
Libraries of functions without code, as they stand in JSON: read entry by entry, and what their slots say.

    [{"id": "solids2", "library_name": "solids", "style": "import", "functions": [
        {"function_name": "volume_of_cone", "arglist": ["radius"], "return_type": ["float"],
         "documentation": "Calculates the volume of a cone with [radius|radius]."}]}]

A list of libraries, one library, or the functions of one. The short names `name`, `doc` and `args` will do.
An empty name in the list of arguments means that there are none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from refract_asp.formats.entries import any_entry, name_in, text_in
from refract_asp.formats.origin import FieldPlace, Origin

__all__ = ["Function", "Head", "entries", "function_in", "head_in", "is_libraries", "said", "slots"]

_SHAPE = 'Write {"id": ..., "library_name": ..., "style": "import", "functions": [...]}.'
_FUNCTION = 'Write {"function_name": ..., "documentation": ..., "arglist": [...], "return_type": [...]}.'
_SLOT = re.compile(r"\[([^\[\]|]*)\|([^\[\]|]*)\]")


@dataclass(frozen=True)
class Function:
    """
    A function that exists in name and documentation only.

    Attributes:
        name: the name.
        doc: what it does; a slot `[phrase|argument]` stands for an argument.
        args: the names of its arguments, all of them required.
        returns: the types that it may return; one that is no type of JSON names a library.

    Example:
        >>> Function("rotate", "Turns it by [angle|degrees].", ("degrees",), ("image",))
        Function(name='rotate', doc='Turns it by [angle|degrees].', args=('degrees',), returns=('image',))
    """

    name: str
    doc: str = ""
    args: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()

    @property
    def return_type(self) -> str:
        """The types that it may return, as one text."""
        return " | ".join(self.returns)


@dataclass(frozen=True)
class Head:
    """What a library says of itself: its id, its name in code, and its style (import or class)."""

    id: str = ""
    name: str = ""
    style: str = "import"


def slots(doc: str) -> list[tuple[str, str]]:
    """
    Return the slots of a documentation: the phrase of each, and its argument.

    Example:
        >>> slots("Turns the image by [number of degrees|degrees].")
        [('number of degrees', 'degrees')]
    """
    return [(match[1], match[2]) for match in _SLOT.finditer(doc)]


def said(doc: str, word: Callable[[int, str, str], str] = lambda _, phrase, __: f"the given {phrase}") -> str:
    """
    Return a documentation with its slots filled by `word(number, phrase, argument)`.

    Example:
        >>> said("Turns the image by [number of degrees|degrees].")
        'Turns the image by the given number of degrees.'
    """
    number = iter(range(len(doc)))
    return _SLOT.sub(lambda match: word(next(number), match[1], match[2]), doc)


def is_libraries(data: Any) -> bool:
    """Whether data looks like libraries, or the functions of one."""
    return any_entry(data, (), lambda entry: _is_library(entry) or _is_function(entry))


def _is_library(data: Any) -> bool:
    if not isinstance(data, dict) or not isinstance(data.get("functions"), list):
        return False
    return "library_name" in data or any(_is_function(entry) for entry in data["functions"])


def _is_function(data: Any) -> bool:
    if not isinstance(data, dict):
        return False
    return "function_name" in data or "arglist" in data or {"name", "args", "return_type"} <= data.keys()


def entries(data: Any, origin: Origin) -> Iterator[tuple[FieldPlace, tuple[Any, Any]]]:
    """
    Yield each function with its library, which is empty for functions alone.

    Raises:
        FormatError: there is no list of libraries or functions.
    """
    alone = isinstance(data, dict)
    if not alone and not isinstance(data, list):
        raise origin.error("a list of libraries is needed.", hint=_SHAPE)
    for index, library in enumerate([data] if alone else data):
        place: FieldPlace = () if alone else (index,)
        if _is_function(library):
            yield place, ({}, library)
            continue
        if not isinstance(library, dict) or not isinstance(library.get("functions"), list):
            raise origin.error("a library with a list of functions is needed.", place, _SHAPE)
        for number, function in enumerate(library["functions"]):
            yield (*place, "functions", number), (library, function)


def head_in(library: dict[str, Any], place: FieldPlace, origin: Origin) -> Head:
    """
    Return what a library says of itself; without an id it goes by its name.

    Raises:
        FormatError: the id or the name is no text, or there is no such style.
    """
    name = text_in(library, "library_name", place, origin)
    style = library.get("style", "import")
    if style not in ("import", "class"):
        raise origin.error("the style is import or class.", (*place, "style"), _SHAPE)
    return Head(text_in(library, "id", place, origin) or name, name, style)


def function_in(function: Any, place: FieldPlace, origin: Origin) -> Function:
    """
    Return a function.

    Raises:
        FormatError: it has no name, two arguments have one name, or a field is not of its type.
    """
    key = "function_name" if isinstance(function, dict) and "function_name" in function else "name"
    name = name_in(function, place, origin, _FUNCTION, key)
    return Function(
        name,
        text_in(function, "documentation" if "documentation" in function else "doc", place, origin),
        tuple(_arguments(function, place, origin)),
        tuple(_types(function.get("return_type"), (*place, "return_type"), origin)),
    )


def _arguments(function: dict[str, Any], place: FieldPlace, origin: Origin) -> list[str]:
    key = "arglist" if "arglist" in function else "args"
    names = function.get(key) or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise origin.error("a list of names is needed.", (*place, key), _FUNCTION)
    given = [name for name in names if name]
    if len(set(given)) != len(given):
        raise origin.error("two arguments have one name.", (*place, key), "Rename one of them.")
    return given


def _types(words: Any, place: FieldPlace, origin: Origin) -> list[str]:
    kinds = [words] if isinstance(words, str) else words
    if kinds is not None and not (isinstance(kinds, list) and all(isinstance(word, str) for word in kinds)):
        raise origin.error("a list of the names of types is needed.", place, _FUNCTION)
    return [word for word in kinds or () if word]
