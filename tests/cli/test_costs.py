"""`costs check` and `costs fit`: what is wrong with a model, what cannot be had, what stays when interrupted."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from refract_asp.costs.fit import Weigher
from refract_asp.resources import cost_model_path, encodings_path
from yaml_files import tables

from .conftest import Run

TABLES = tables(__file__)

DEFAULT = cost_model_path("default").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("line", TABLES["found"].strip().splitlines())
def test_check_finds(line: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line adds to a copy of `default`, or takes the place of a part (old => new); it says what is found."""
    monkeypatch.setattr("refract_asp.rules.policy.MAX_RULES", 20_000)
    change, _, wanted = line.rpartition(" | ")
    old, is_replaced, new = change.partition(" =>")
    assert not is_replaced or old in DEFAULT
    text = DEFAULT.replace(old, new.strip()) if is_replaced else f"{DEFAULT}\n{change}\n"
    (folder / "mine.lp").write_text(text, "utf-8")
    result = run("costs check mine.lp --format json")
    found = json.loads(result.output)["models"][0]["findings"]
    assert tuple(wanted.split()) in {(each["code"], each["severity"]) for each in found}
    assert result.exit_code == (1 if any(each["severity"] == "error" for each in found) else 0)
    assert run("costs check mine.lp --strict").exit_code == 1


@pytest.mark.slow
def test_check_of_another_set(folder: Path, run: Run) -> None:
    shutil.copytree(encodings_path(), folder / "set")
    path = folder / "set" / "costs" / "weights.lp"
    path.write_text(path.read_text("utf-8").replace("shared(ask, weight_ask).", ""), "utf-8")
    assert run("costs check prune default").exit_code == 0
    result = run("costs check prune default --encodings set")
    assert result.exit_code == 1
    assert "no criterion for: ask." in result.output
    assert "default: 1 error" in result.output


# -- fitting ---------------------------------------------------------------------


def test_scipy_may_be_absent(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    result = run("costs fit fit.jsonl --catalog travel")
    assert result.exit_code == 2
    assert "needs scipy" in result.stderr
    assert "pip install 'refract-asp[fit]'" in result.stderr


def test_an_interrupt_keeps_the_best_weights_so_far(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Weigher, "weights", interrupted)
    result = run("costs fit fit.jsonl --catalog travel -o mine.lp")
    assert result.exit_code == 130
    assert result.stdout.startswith("Interrupted: these are the best weights so far.\n")
    assert (folder / "mine.lp").exists()
