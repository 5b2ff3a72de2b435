"""Synthetic libraries: functions with names, documentation and types, and no code."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
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
    "registry_of",
    "shipped",
]


MAX_FUNCTIONS = 10_000
MAX_NAME = 200
_SHAPE = 'Write {"id": "solids2", "library_name": "solids", "style": "import", "functions": [...]}.'


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
        where = f"library {shown(self.id, 80)}"
        if not is_name(self.id) or not is_name(self.name):
            bad = self.id if not is_name(self.id) else self.name
            raise InputError(
                f"{shown(bad)!r} cannot be the name of a library in Python.",
                where=where,
                hint=_SHAPE,
            )
        if self.style not in ("import", "class"):
            raise InputError(
                f"the style is import or class, not {shown(self.style)!r}.", where=where
            )
        if not self.functions:
            raise InputError("the library is empty.", where=where, hint="Give it a function.")
        if len(self.functions) > MAX_FUNCTIONS:
            raise InputError(f"the library has more than {MAX_FUNCTIONS:,} functions.", where=where)
        seen: set[str] = set()
        for function in self.functions:
            for name in (function.name, *function.args):
                if not is_name(name):
                    raise InputError(f"{shown(name)!r} cannot be a name in Python.", where=where)
            if function.name in seen:
                raise InputError(
                    f"two functions are named {shown(function.name)}.",
                    where=where,
                    hint="Rename one of them.",
                )
            if len(set(function.args)) != len(function.args):
                raise InputError(
                    f"two arguments of {shown(function.name)} have one name.", where=where
                )
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
            raise InputError(
                f"there are {len(libraries)} libraries, one is needed.", hint="Use load_libraries."
            )
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
        return {
            "id": self.id,
            "library_name": self.name,
            "style": self.style,
            "functions": [
                {
                    "function_name": function.name,
                    "documentation": function.doc,
                    "arglist": list(function.args),
                    "return_type": list(function.returns),
                }
                for function in self.functions
            ],
        }


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
            raise origin.error(
                f"two libraries have the id {shown(library.id, 80)}.", (index, "id"), _SHAPE
            )
        libraries[library.id] = library
    return tuple(libraries.values())


def _library(entry: Any, place: tuple[int, ...], origin: Origin) -> Library:
    if not isinstance(entry, dict) or not isinstance(entry.get("functions"), list):
        raise origin.error("a library with a list of functions is needed.", place, _SHAPE)
    head = head_in(entry, origin.inside(*place))
    functions = [
        function_in(function, origin.inside(*place, "functions", number))
        for number, function in enumerate(entry["functions"])
    ]
    try:
        return Library(head.id, head.name or head.id, head.style, tuple(functions))
    except InputError as error:
        where = ": ".join(filter(None, (origin.at(place), error.where)))
        raise type(error)(error.what, where=where, hint=error.hint) from None


SUBJECTS = ("chemistry", "image", "music", "solids")
"""The groups of libraries in the package, each a file, and a catalog of the same name."""


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
            raise InputError(
                "there is no library.",
                hint="Give one, or leave libraries out for the shipped ones.",
            )

    def __getitem__(self, id: str) -> Library:
        """Return the library with an id."""
        return self._by_id[id]

    def __iter__(self) -> Iterator[str]:
        """Return the ids."""
        return iter(self._by_id)

    def __len__(self) -> int:
        """Return how many libraries there are."""
        return len(self._by_id)

    def named(self, id: str) -> Library:
        """
        Return the library with an id.

        Raises:
            InputError: there is none; the message names those that there are.
        """
        if id not in self._by_id:
            raise InputError(
                f"there is no library {shown(id)!r}.",
                hint=f"Known: {shown(', '.join(self._by_id), 300)}.",
            )
        return self._by_id[id]

    def returned(self, function: Function, method: str) -> Library | None:
        """
        Return the class that a function returns, None where it returns none.

        A type names a library by its id, else by its name in code. Of several the first with the method
        counts.
        """
        found = [
            library
            for kind in function.returns
            for library in ([self._by_id[kind]] if kind in self._by_id else self._by_id.values())
            if library.style == "class" and kind in (library.id, library.name)
        ]
        return next(
            (library for library in found if method in library.by_name), found[0] if found else None
        )


def registry_of(libraries: Registry | Iterable[Library] | None) -> Registry:
    """Return libraries as a registry, the shipped ones for None."""
    if libraries is None:
        return shipped()
    return libraries if isinstance(libraries, Registry) else Registry(libraries)


@cache
def shipped() -> Registry:
    """Return the libraries of the package: image, chemistry, music and solids."""
    folder = Path(__file__).resolve().parent / "shipped"
    return Registry(
        library for name in SUBJECTS for library in load_libraries(folder / f"{name}.json")
    )
