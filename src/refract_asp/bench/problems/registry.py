"""The libraries that signatures may name: those of the package, or the caller's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from refract_asp.bench.problems.library import Function, Library, load_libraries
from refract_asp.errors import InputError, shown

__all__ = ["SUBJECTS", "Registry", "registry_of", "shipped"]

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
                "there is no library.", hint="Give one, or leave libraries out for the shipped ones."
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
                f"there is no library {shown(id)!r}.", hint=f"Known: {shown(', '.join(self._by_id), 300)}."
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
        return next((library for library in found if method in library.by_name), found[0] if found else None)


def registry_of(libraries: Registry | Iterable[Library] | None) -> Registry:
    """Return libraries as a registry, the shipped ones for None."""
    if libraries is None:
        return shipped()
    return libraries if isinstance(libraries, Registry) else Registry(libraries)


@cache
def shipped() -> Registry:
    """Return the libraries of the package: image, chemistry, music and solids."""
    folder = Path(__file__).resolve().parent / "shipped"
    return Registry(library for name in SUBJECTS for library in load_libraries(folder / f"{name}.json"))
