"""Cases written as JSON lines, each catalog once beside them or in every line."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from refract_asp.bench.evaluation.case import Case, Digests, case_row
from refract_asp.errors import LimitError, shown
from refract_asp.formats.examples import MAX_LINE_BYTES
from refract_asp.resources import catalog_names

__all__ = ["case_line", "write_cases"]


def write_cases(path: Path, cases: Iterable[Case], folder: str = "catalogs") -> int:
    """
    Write cases as JSON lines, each catalog once into a folder beside them, named by its content.

    The file is there only when all cases are written.

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
    digests = Digests()
    written: set[str] = set()
    count = 0
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            for case in cases:
                file.write(case_line(case, _reference(case, path.parent, folder, digests, written)))
                count += 1
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return count


def case_line(case: Case, catalog: Any = None) -> str:
    """Return a case as one line with its end; see `case_row`."""
    line = json.dumps(case_row(case, catalog), ensure_ascii=False) + "\n"
    if len(line.encode("utf-8", "surrogatepass")) > MAX_LINE_BYTES:
        raise LimitError(
            f"the case {shown(case.id)!r} would be longer than {MAX_LINE_BYTES:,} bytes.",
            hint="Write its catalog into a file of its own.",
        )
    return line


def _reference(case: Case, beside: Path, folder: str, digests: Digests, written: set[str]) -> str | None:
    """Return what names the catalog of a case; its file is written where it is not there yet."""
    if case.catalog_name in catalog_names():
        return case.catalog_name
    if not folder:
        return None
    reference = f"{folder}/{digests.catalog(case.catalog)[:16]}.json"
    if reference not in written:
        (beside / folder).mkdir(parents=True, exist_ok=True)
        text = json.dumps(case.catalog.dump("native"), ensure_ascii=False, indent=1)
        (beside / reference).write_text(text + "\n", encoding="utf-8")
        written.add(reference)
    return reference
