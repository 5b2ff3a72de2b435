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


def model(folder: Path, text: str = "", name: str = "mine.lp", old: str = "", new: str = "") -> str:
    assert old in DEFAULT
    (folder / name).write_text(
        DEFAULT.replace(old, new) + text if old or text else DEFAULT, "utf-8"
    )
    return name


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


# what is added to a copy of `default`, or takes the place of a part of it: code, line from the end, severity
FOUND = {
    "an unranked penalty": (("penalty(mine, 1, X) :- in_call(X).\n", "", ""), "unranked", "error"),
    "a kind that is left out": (("", "criterion(ask,", "criterion(asking,"), "unranked", "error"),
    "a criterion for nothing": (
        ("criterion(mine, priority_edits, weight_ask).\n", "", ""),
        "unused",
        "warning",
    ),
    "off for nothing": (("criterion_off(mine).\n", "", ""), "unused", "warning"),
    "ranked twice": (("criterion(ask, priority_edits, weight_ask).\n", "", ""), "twice", "warning"),
    "ranked and off": (("criterion_off(ask).\n", "", ""), "twice", "warning"),
    "an unused constant": (("#const weight_mine = 4.\n", "", ""), "unused", "warning"),
    "an unknown constant": (("", "weight_ask).", "weight_aks)."), "constant", "error"),
    "a misspelt way": (("", "name_by(spelling)", "name_by(speling)"), "saying", "error"),
    "no way at all": (("", "name_by(spelling).", ""), "encoding", "error"),
    "an unknown predicate": ((":- fil(X, P, O, Path).\n", "", ""), "predicate", "error"),
    "a hook with other arguments": (
        ("may_delete(unknown_tool, now).\n", "", ""),
        "unread",
        "error",
    ),
    "a misspelt hook": (("may_delet(unknown_tool).\n", "", ""), "unread", "error"),
    "syntax": (("a :- b\n", "", ""), "encoding", "error"),
    "a contradiction": ((":- not in_call(0).\n", "", ""), "encoding", "error"),
    "criteria without end": (
        ("kind(a). kind(f(X)) :- kind(X). criterion(K, 2, 1) :- kind(K).\n", "", ""),
        "encoding",
        "error",
    ),
    "no end": (("p(0). p(X + 1) :- p(X). :- p(-1).\n", "", ""), "encoding", "error"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("change", "code", "severity"), FOUND.values(), ids=FOUND)
def test_check_finds(
    change: tuple[str, str, str],
    code: str,
    severity: str,
    folder: Path,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("refract_asp.rules.policy.MAX_RULES", 20_000)
    text, old, new = change
    name = model(folder, text, old=old, new=new)
    result = run(f"costs check {name} --format json")
    found = json.loads(result.output)["models"][0]["findings"]
    assert (code, severity) in {(each["code"], each["severity"]) for each in found}
    assert result.exit_code == (1 if any(each["severity"] == "error" for each in found) else 0)
    assert run(f"costs check {name} --strict").exit_code == 1


@pytest.mark.slow
def test_check_of_rules_of_ones_own(folder: Path, run: Run) -> None:
    (folder / "house.lp").write_text("\nforbidden(call(X)) :- deleted(X).\n", "utf-8")
    result = run("costs check default --encoding house.lp")
    assert result.exit_code == 1
    assert "house.lp:2" in result.output
    (folder / "house.lp").write_text("forbiden(call(X)) :- in_call(X).\n", "utf-8")
    assert "Did you mean forbidden?" in run("costs check default --encoding house.lp").output


def test_a_predicate_of_ones_own_may_be_called_almost_like_one_of_ours(
    folder: Path, run: Run
) -> None:
    rules = 'forbidden_tool("Pay"). forbidden(call(X)) :- name(X, T), forbidden_tool(T). lonely(0).'
    (folder / "house.lp").write_text(rules, "utf-8")
    assert run("costs check default --encoding house.lp --strict").output == "default: ok\n"


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


@pytest.mark.parametrize(
    "arguments", ["show nothing", "check nothing", "check none.lp", "check default --encoding x"]
)
def test_what_is_not_there(arguments: str, run: Run) -> None:
    result = run(f"costs {arguments}")
    assert result.exit_code == 2
    assert "Traceback" not in result.output


@pytest.mark.slow
def test_names_in_messages_are_harmless(folder: Path, run: Run) -> None:
    (folder / "x.lp").write_text('p("\x1b[31m") :- q("\u202e").\n', "utf-8")
    output = run("costs check default --encoding x.lp").output
    assert "\x1b" not in output
    assert "\u202e" not in output
