"""Catalogs and sequences of any size are admissible, and the same each time."""

from __future__ import annotations

import subprocess
import sys

import pytest

from refract_asp import Catalog, check
from refract_asp.bench.sizes import COUPLINGS, MAX_TOOLS, Coupling, synthetic_catalog, synthetic_sequence
from refract_asp.errors import InputError
from refract_asp.model import Reference

CATALOG = synthetic_catalog(200)


def reads(coupling: Coupling, length: int) -> list[set[str]]:
    """Return from which labels each call of a sequence reads."""
    sequence = synthetic_sequence(CATALOG, length, coupling)
    return [{s.label for s in call.arguments.values() if isinstance(s, Reference)} for call in sequence.calls]


@pytest.mark.parametrize("count", [0, 1, 50, 3000])
def test_a_catalog_has_so_many_tools(count: int) -> None:
    catalog = synthetic_catalog(count)
    assert len(catalog) == len(catalog.by_name) == count
    assert Catalog.load(catalog.dump()).tools == catalog.tools


@pytest.mark.parametrize("count", [-1, MAX_TOOLS + 1, 1.5, "ten", True])
def test_other_counts_are_refused(count: int) -> None:
    with pytest.raises(InputError, match="there cannot be"):
        synthetic_catalog(count)


@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("length", [0, 1, 40])
def test_a_sequence_is_admissible(coupling: Coupling, length: int) -> None:
    sequence = synthetic_sequence(CATALOG, length, coupling)
    assert len(sequence.calls) == length
    assert check(sequence, CATALOG).verdict == "valid"


def test_couplings() -> None:
    assert not any(reads("independent", 30))
    star = reads("star", 30)
    assert set().union(*star) == {"var1"}
    assert sum(map(bool, star)) > 20
    chain = reads("chain", 30)
    assert all(labels <= {f"var{number}"} for number, labels in enumerate(chain))
    assert sum(map(bool, chain)) > 20
    assert len(set().union(*reads("random", 30))) > 5


def test_seeds_differ_and_do_not_depend_on_hashes() -> None:
    assert synthetic_sequence(CATALOG, 5, seed=1) != synthetic_sequence(CATALOG, 5, seed=2)
    code = (
        "from refract_asp.bench.sizes import *; c = synthetic_catalog(30); "
        "print(c.model_dump_json(), synthetic_sequence(c, 9))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("0", "1")
    }  # fmt: skip
    assert len(answers) == 1


def test_an_unknown_coupling_and_an_empty_catalog_are_refused() -> None:
    with pytest.raises(InputError, match="there is no coupling 'ring'"):
        synthetic_sequence(CATALOG, 3, "ring")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no tools to call"):
        synthetic_sequence(Catalog(), 3)
