"""Cases written as JSON lines, each catalog once beside them or in every line."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from refract_asp.bench.evaluation.case import Case, Digests, case_row
from refract_asp.errors import LimitError, shown
from refract_asp.formats.examples import MAX_LINE_BYTES
from refract_asp.resources import catalog_names

__all__ = ["case_line", "write_cases"]


def write_cases(path: Path, cases: Iterable[Case], folder: str = "catalogs") -> int:
    """
    Write cases as JSON lines, each catalog once into a folder beside them, named by its content.

    The file is there only when all cases are written; what was made for it goes where they are not. Folders
    that are not there are made.

    Args:
        path: the file.
        cases: the cases, taken one by one.
        folder: the name of the folder for catalogs, or "" to write every catalog into its row.

    Returns:
        How many were written.

    Raises:
        OSError: the file cannot be written.
        FormatError: a case cannot be written.
        LimitError: a row is longer than is read.
    """
    catalogs = _Catalogs(path.parent, folder)
    count = 0
    try:
        catalogs.make(path.parent)
        with _replacing(path) as file:
            for case in cases:
                file.write(case_line(case, catalogs.reference(case)))
                count += 1
    except BaseException:
        catalogs.undo()
        raise
    return count


@contextmanager
def _replacing(path: Path) -> Iterator[TextIO]:
    """Open a file beside `path` that takes its place when all is written."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            yield file
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def case_line(case: Case, catalog: Any = None) -> str:
    """Return a case as one line with its end; see `case_row`."""
    line = json.dumps(case_row(case, catalog), ensure_ascii=False) + "\n"
    if len(line.encode("utf-8", "surrogatepass")) > MAX_LINE_BYTES:
        raise LimitError(
            f"the case {shown(case.id)!r} would be longer than {MAX_LINE_BYTES:,} bytes.",
            hint="Write its catalog into a file of its own.",
        )
    return line


class _Catalogs:
    """Writes each catalog once beside the cases, and knows what was not there before."""

    def __init__(self, beside: Path, folder: str) -> None:
        """Have written nothing yet."""
        self._beside, self._folder = beside, folder
        self._digests = Digests()
        self._written: set[str] = set()
        self._made: list[Path] = []
        """Files and folders that were not there before, in the order in which they were made."""

    def reference(self, case: Case) -> str | None:
        """Return what names the catalog of a case; its file is written where it is not there yet."""
        if case.catalog_name in catalog_names():
            return case.catalog_name
        if not self._folder:
            return None
        reference = f"{self._folder}/{self._digests.catalog(case.catalog)[:16]}.json"
        if reference not in self._written:
            self.make(self._beside / self._folder)
            path = self._beside / reference
            if not path.exists():
                self._made.append(path)
            with _replacing(path) as file:
                file.write(json.dumps(case.catalog.dump("native"), ensure_ascii=False, indent=1) + "\n")
            self._written.add(reference)
        return reference

    def make(self, folder: Path) -> None:
        """Make a folder, and those above it, where they are not there."""
        missing = [each for each in (folder, *folder.parents) if not each.exists()]
        for each in reversed(missing):
            each.mkdir(exist_ok=True)
            self._made.append(each)

    def undo(self) -> None:
        """Take away what was made; a folder in which somebody else put something stays."""
        for path in reversed(self._made):
            with suppress(OSError):
                if path.is_dir():
                    path.rmdir()
                else:
                    path.unlink(missing_ok=True)
