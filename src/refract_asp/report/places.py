"""Where calls stand: in which file, and on which of its lines."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from refract_asp.errors import FormatError

if TYPE_CHECKING:
    from refract_asp.model import Sequence

__all__ = ["Places", "places_of"]


@dataclass(frozen=True)
class Places:
    """
    Where the calls of a sequence stand.

    Attributes:
        file: the file, below GITHUB_WORKSPACE where that is set and the file lies there, else below the
            working directory; None for standard input and text.
        lines: the line of each call, from 1, or None where it is not known.
    """

    file: str | None = None
    lines: tuple[int | None, ...] = ()

    def line(self, call: int | None) -> int | None:
        """
        Return the line of a call.

        Example:
            >>> places = Places("calls.txt", (1, 3))
            >>> places.line(1), places.line(2), places.line(None)
            (3, None, None)
        """
        return self.lines[call] if call is not None and 0 <= call < len(self.lines) else None


def places_of(source: Path | str, sequence: Sequence) -> Places:
    """
    Find where the calls of a sequence stand.

    Args:
        source: what the sequence was read from: a file, or its text.
        sequence: the sequence, as it was read.

    Example:
        >>> from refract_asp import Sequence
        >>> text = "Search()\\nBook()"
        >>> places_of(text, Sequence.load(text))
        Places(file=None, lines=(1, 2))
    """
    from refract_asp.formats import read_text
    from refract_asp.formats.lines import call_lines

    file = _relative(source) if isinstance(source, Path) else None
    if isinstance(source, Path) and not source.is_file():
        return Places(file)  # a pipe gives its text only once
    try:
        return Places(file, call_lines(read_text(source), sequence))
    except FormatError:
        return Places(file)


def _relative(path: Path) -> str:
    """
    Return the path below the repository or the working directory, with `/`; as given where it lies elsewhere.

    GitHub finds a file by its path in the repository, also where the command runs in a folder of it.
    """
    folder = os.environ.get("GITHUB_WORKSPACE", "")
    if os.path.isabs(folder):
        whole = Path(folder)
        for one, other in ((path.absolute(), whole), (path.resolve(), whole.resolve())):  # there may be links
            if (found := _below(one, other)) is not None:
                return found
    return _below(path, os.curdir) or path.as_posix()


def _below(path: Path | str, folder: Path | str) -> str | None:
    """Return the path below a folder, with `/`; None where it does not lie there."""
    try:
        below = os.path.relpath(path, folder)
    except (ValueError, OSError):  # another drive, or the working directory is gone
        return None
    is_outside = below == os.pardir or below.startswith(f"{os.pardir}{os.sep}")
    return None if is_outside else Path(below).as_posix()
