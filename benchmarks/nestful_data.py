"""The NESTFUL gold sequences and their catalogs, without the pseudo call that names results."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from refract_asp import Catalog, Refractor, Sequence

__all__ = [
    "DATASETS",
    "Case",
    "catalog_of",
    "data_folder",
    "load_cases",
    "refractor_of",
    "telling_refractor_of",
]

DATASETS = ("executable", "glaive")
PSEUDO_CALL = "var_result"
ALTERNATIVES = 15


@dataclass(frozen=True, slots=True)
class Case:
    """One gold sequence: data set, position in it, the sequence and the tools it may use."""

    name: str
    index: int
    sequence: Sequence
    catalog: Catalog

    @property
    def key(self) -> str:
        """Name the case on one word: `executable#12`."""
        return f"{self.name}#{self.index}"


def data_folder() -> Path:
    """
    Return the folder of the real inputs: `REFRACT_ASP_DATA`, or `../shared/data` beside the repository.

    Raises:
        SystemExit: it does not exist.
    """
    repository = Path(__file__).resolve().parents[1]
    folder = Path(os.environ.get("REFRACT_ASP_DATA") or repository.parent / "shared" / "data")
    if not folder.is_dir():
        raise SystemExit(
            f"The folder {folder} does not exist; set REFRACT_ASP_DATA to the real inputs."
        )
    return folder


@cache
def catalog_of(name: str) -> Catalog:
    """Load the catalog of a data set; every case of the set shares it."""
    return Catalog.load(data_folder() / "nestful" / f"{name}-spec.json")


@cache
def refractor_of(name: str) -> Refractor:
    """Compile the catalog of a data set, once."""
    return Refractor(catalog_of(name))


@cache
def telling_refractor_of(name: str) -> Refractor:
    """Compile it once for repairs that tell which others are as cheap; what is timed does not."""
    return Refractor(catalog_of(name), alternatives=ALTERNATIVES)


def load_cases(names: tuple[str, ...] = DATASETS, limit: int | None = None) -> list[Case]:
    """Load the gold sequences of the data sets, at most `limit` of each, in the order of the files."""
    cases = []
    for name in names:
        text = (data_folder() / "nestful" / f"{name}-data.json").read_text(encoding="utf-8")
        for index, sample in enumerate(json.loads(text)[:limit]):
            calls = [call for call in sample["output"] if call["name"] != PSEUDO_CALL]
            sequence = Sequence.load(calls).model_copy(update={"returns": None})
            cases.append(Case(name, index, sequence, catalog_of(name)))
    return cases
