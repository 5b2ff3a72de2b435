"""Runs files and facts with plain clingo."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from clingo import Control, Model

from refract_asp.resources import encodings_path
from refract_asp.rules.reading import ENTRIES, included


def files_of(*names: str) -> list[str]:
    """Return files of the encodings, in place of each entry those that it names, each once."""
    found = [included(encodings_path(), name) if name in ENTRIES else [name] for name in names]
    return list(dict.fromkeys(each for part in found for each in part))


def run(options: Iterable[str], files: Iterable[Path], text: str) -> Iterator[Model]:
    """Ground and solve files and a text with plain clingo; whatever clingo remarks is a failure."""
    remarks: list[str] = []
    control = Control(list(options), logger=lambda code, message: remarks.append(message))
    for path in files:
        control.load(str(path))
    control.add("base", [], text)
    control.ground([("base", [])])
    assert not remarks, remarks
    with control.solve(yield_=True) as handle:
        yield from handle
