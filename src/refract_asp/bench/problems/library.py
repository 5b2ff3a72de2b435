"""Synthetic libraries: functions with names, documentation and types, and no code."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from refract_asp.errors import InputError, shown
from refract_asp.formats.dataset_catalogs import Function, function_in, head_in
from refract_asp.formats.source import Origin, opened

__all__ = [
    "SUBJECTS",
    "Function",
    "Library",
    "Registry",
    "is_name",
    "load_libraries",
    "placed",
    "registry_of",
    "shipped",
]

SUBJECTS = ("chemistry", "image", "music", "solids")
"""The groups of libraries in the package, each a file, and a catalog of the same name."""
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


def is_name(text: str) -> bool:
    """
    Whether a text can be a name in Python that is not its own: no keyword, no two underscores first.

    Python reads some letters as others, as a wide `x` as a plain one; a name is to be as Python reads it.

    Example:
        >>> [is_name(text) for text in ("radius", "2d", "class", "__eq__", "f(x)", "\uff58")]
        [True, False, False, False, False, False]
    """
    return (
        text.isidentifier()
        and not keyword.iskeyword(text)
        and not text.startswith("__")
        and len(text) <= MAX_NAME
        and unicodedata.normalize("NFKC", text) == text
    )


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
        >>> Library.load(solids.as_data()) == solids
        True
    """

    id: str
    name: str
    style: str
    functions: tuple[Function, ...]

    def __post_init__(self) -> None:
        """Refuse what no problem could be made of."""
        with placed(f"library {shown(self.id, 80)}"):
            for name in (self.id, self.name):
                if not is_name(name):
                    raise InputError(
                        f"{shown(name)!r} cannot be the name of a library in Python.", hint=_SHAPE
                    )
            if self.style not in ("import", "class"):
                raise InputError(f"the style is import or class, not {shown(self.style)!r}.")
            if not self.functions:
                raise InputError("the library is empty.", hint="Give it a function.")
            if len(self.functions) > MAX_FUNCTIONS:
                raise InputError(f"the library has more than {MAX_FUNCTIONS:,} functions.")
            seen: set[str] = set()
            for function in self.functions:
                for name in (function.name, *function.args):
                    if not is_name(name):
                        raise InputError(f"{shown(name)!r} cannot be a name in Python.")
                if function.name in seen:
                    what = f"two functions are named {shown(function.name)}."
                    raise InputError(what, hint="Rename one of them.")
                if len(set(function.args)) != len(function.args):
                    raise InputError(f"two arguments of {shown(function.name)} have one name.")
                seen.add(function.name)

    @classmethod
    def load(cls, data: Any) -> Library:
        """
        Read one library from JSON: a `Path`, a text or data.

        Raises:
            InputError: it cannot be read, or there is not just one.
        """
        libraries = load_libraries(data)
        if len(libraries) != 1:
            what = f"there are {len(libraries)} libraries, one is needed."
            raise InputError(what, hint="Use load_libraries.")
        return libraries[0]

    @cached_property
    def by_name(self) -> dict[str, Function]:
        """The functions by name."""
        return {function.name: function for function in self.functions}

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each function, from 0, by its name."""
        return {name: place for place, name in enumerate(self.by_name)}

    def as_data(self) -> dict[str, Any]:
        """Return the library as the JSON that `load` reads."""
        functions = [
            {
                "function_name": function.name,
                "documentation": function.doc,
                "arglist": list(function.args),
                "return_type": list(function.returns),
            }
            for function in self.functions
        ]
        head = {"id": self.id, "library_name": self.name, "style": self.style}
        return {**head, "functions": functions}


def load_libraries(data: Any) -> tuple[Library, ...]:
    """
    Read libraries from JSON: a list of them or one, as a `Path`, a text or data.

    Raises:
        FormatError: a field is missing or not of its type; the message names the place.
        InputError: two libraries have one id, or one is empty or cannot be used.
    """
    content, origin = opened(data, yaml=True)
    if isinstance(content, dict):
        return (_library(content, (), origin),)
    if not isinstance(content, list):
        raise origin.error("a list of libraries is needed.", hint=_SHAPE)
    libraries: dict[str, Library] = {}
    for index, entry in enumerate(content):
        library = _library(entry, (index,), origin)
        if library.id in libraries:
            what = f"two libraries have the id {shown(library.id, 80)}."
            raise origin.error(what, (index, "id"), _SHAPE)
        libraries[library.id] = library
    return tuple(libraries.values())


def _library(entry: Any, place: tuple[int, ...], origin: Origin) -> Library:
    if not isinstance(entry, dict) or not isinstance(entry.get("functions"), list):
        raise origin.error("a library with a list of functions is needed.", place, _SHAPE)
    head = head_in(entry, origin.inside(*place))
    functions = tuple(
        function_in(function, origin.inside(*place, "functions", number))
        for number, function in enumerate(entry["functions"])
    )
    with placed(origin.at(place)):
        return Library(head.id, head.name or head.id, head.style, functions)


class Registry(Mapping[str, Library]):
    """
    Libraries by id.

    Raises:
        InputError: there are none, two have one id, or one is no library.

    Example:
        >>> registry = Registry([Library("image", "image", "class", (Function("blur", "", ("pixels",)),))])
        >>> registry["image"].by_name["blur"].args
        ('pixels',)
    """

    def __init__(self, libraries: Iterable[Library]) -> None:
        """Take the libraries."""
        self._by_id: dict[str, Library] = {}
        for library in libraries if isinstance(libraries, Iterable) else (libraries,):
            if not isinstance(library, Library):
                raise InputError(
                    f"a value of type {type(library).__name__} is no library.",
                    where="libraries",
                    hint="Give a list of Library; load_libraries reads them from JSON.",
                )
            if library.id in self._by_id:
                raise InputError(f"two libraries have the id {shown(library.id, 80)}.")
            self._by_id[library.id] = library
        if not self._by_id:
            hint = "Give one, or leave libraries out for the shipped ones."
            raise InputError("there is no library.", hint=hint)

    def __getitem__(self, id: str) -> Library:
        """Return the library with an id."""
        return self._by_id[id]

    def __iter__(self) -> Iterator[str]:
        """Return the ids."""
        return iter(self._by_id)

    def __len__(self) -> int:
        """Return how many libraries there are."""
        return len(self._by_id)


def registry_of(libraries: Registry | Iterable[Library] | None) -> Registry:
    """Return libraries as a registry, the shipped ones for None."""
    if libraries is None:
        return shipped()
    return libraries if isinstance(libraries, Registry) else Registry(libraries)


@cache
def shipped() -> Registry:
    """Return the libraries of the package: image, chemistry, music and solids."""
    folder = Path(__file__).resolve().parent / "shipped"
    files = (folder / f"{name}.json" for name in SUBJECTS)
    return Registry(library for file in files for library in load_libraries(file))
