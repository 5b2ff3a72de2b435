"""`refract-asp costs`: what the models are, and what is wrong with one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import Result

from refract_asp.resources import cost_model_names, cost_model_path, encodings_path

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

Run = Callable[..., Result]
DEFAULT = cost_model_path("default").read_text("utf-8")

SLIPS = """\
% Purpose:  a model with every slip.
name_by(speling).
#const weight_x = 3.
criterion(asck, 2, weight_x).
criterion(mine, 2, weight_y).
criterion_off(repath).
criterion(repath, 2, 1).
penalty(mine, 1, X) :- in_cal(X).
penalty(mint, 1, X) :- in_call(X).
:~ fil(X, P, O, T). [weight_x@2, ask, X]
p(X + weight_y) :- p(X).
q(X) :- in_call(X).
#const weight_unused = 1.
"""


def test_list(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("costs list")
    assert (result.exit_code, result.output) == (0, snapshot)
    data = json.loads(run("costs list --format json").output)
    assert [each["name"] for each in data["models"]] == cost_model_names()
    assert all(each["intent"] for each in data["models"])


@pytest.mark.parametrize("name", cost_model_names())
def test_show(name: str, run: Run, snapshot: SnapshotAssertion) -> None:
    assert run(f"costs show {name}").output == snapshot


def test_show_as_data(run: Run) -> None:
    data = json.loads(run("costs show maps_first --format json").output)
    assert data["schema_version"] == 1
    ask = data["levels"][1]
    assert (ask["priority"], ask["constant"]) == (4, "priority_ask")
    assert {"kind": "ask", "weight": 35, "constant": "weight_ask"} in ask["criteria"]
    assert data["says"] == ["name_by(spelling)"]


def test_show_of_a_file_without_words(folder: Path, run: Run) -> None:
    (folder / "bare.lp").write_text(
        "criterion(ask, X, 3) :- X = 1..2. :~ moved(X). [1@7, X]\n", "utf-8"
    )
    result = run("costs show bare.lp")
    assert result.exit_code == 0
    assert "weak constraints of its own: 1" in result.output
    assert "level ?" in result.output, "which one is known only when it is grounded"


@pytest.mark.slow
def test_check_of_what_is_shipped(run: Run) -> None:
    result = run(["costs", "check", *cost_model_names(), "--strict"])
    assert (result.exit_code, result.output) == (
        0,
        "".join(f"{name}: ok\n" for name in cost_model_names()),
    )
    assert run("costs check default --encoding after --encoding provenance --strict").exit_code == 0


@pytest.mark.slow
def test_check_tells_all_slips_at_once(folder: Path, run: Run, snapshot: SnapshotAssertion) -> None:
    (folder / "slips.lp").write_text(SLIPS, "utf-8")
    result = run("costs check slips.lp default")
    assert (result.exit_code, result.output) == (1, snapshot)
    data = json.loads(run("costs check slips.lp --format json").output)
    found = data["models"][0]["findings"]
    assert {each["severity"] for each in found} == {"error", "warning"}
    assert all(each["where"].startswith("slips.lp") for each in found)


# what is added to a copy of `default`, or what takes the place of a part (old => new); what is found
FOUND = """
penalty(mine, 1, X) :- in_call(X). | unranked error
criterion(ask, => criterion(asking, | unranked error
criterion(mine, priority_edits, weight_ask). | unused warning
criterion_off(mine). | unused warning
criterion(ask, priority_edits, weight_ask). | twice warning
criterion_off(ask). | twice warning
#const weight_mine = 4. | unused warning
weight_ask). => weight_aks). | constant error
name_by(spelling) => name_by(speling) | saying error
name_by(spelling). => | encoding error
:- fil(X, P, O, Path). | encoding error
may_delete(unknown_tool, now). | unread error
may_delet(unknown_tool). | unread error
a :- b | encoding error
:- not in_call(0). | encoding error
kind(a). kind(f(X)) :- kind(X). criterion(K, 2, 1) :- kind(K). | encoding error
p(0). p(X + 1) :- p(X). :- p(-1). | encoding error
"""


@pytest.mark.slow
@pytest.mark.parametrize("line", FOUND.strip().splitlines())
def test_check_finds(line: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_check_of_rules_of_ones_own(folder: Path, run: Run) -> None:
    (folder / "house.lp").write_text("\nforbidden(call(X)) :- deleted(X).\n", "utf-8")
    result = run("costs check default --encoding house.lp")
    assert result.exit_code == 1
    assert "house.lp:2" in result.output
    (folder / "house.lp").write_text("forbiden(call(X)) :- in_call(X).\n", "utf-8")
    assert "Did you mean forbidden?" in run("costs check default --encoding house.lp").output


@pytest.mark.slow
def test_check_of_another_set(folder: Path, run: Run) -> None:
    import shutil

    shutil.copytree(encodings_path(), folder / "set")
    path = folder / "set" / "costs" / "prune.lp"
    path.write_text(path.read_text("utf-8").replace("criterion(ask,", "criterion(asking,"), "utf-8")
    assert run("costs check prune default").exit_code == 0
    result = run("costs check prune default --encodings set")
    assert result.exit_code == 1
    assert "no criterion for: ask." in result.output
    assert "default: ok" in result.output
