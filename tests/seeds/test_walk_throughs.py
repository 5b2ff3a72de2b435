"""The worked examples of `walk_throughs.yaml`, each printed as a document to review."""

from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from declaring import NEEDED, TEXT, tool
from refract_asp import Refractor, RepairResult, check, repair
from yaml_files import read_yaml

PARTS = read_yaml(Path(__file__).with_name("walk_throughs.yaml"))
CASES = {
    f"{part}: {name}": {**shared, **case}
    for part, shared in PARTS.items()
    for name, case in shared.pop("cases").items()
}


def document(result: RepairResult) -> str:
    """Print a result as a document: what was wrong, the answer, and the change."""
    lines = [f"determination: {result.determination}", f"verdict: {result.verdict}"]
    lines += [f"wrong: {violation.message} [{violation.code}]" for violation in result.violations]
    lines += [f"to confirm: {confirm.reason}" for confirm in result.confirms]
    lines += [f"undecided: {each}" for each in result.undecided]
    lines += [f"unmet: {each}" for each in result.unmet]
    lines += [f"cost: {', '.join(f'{kind} {value}' for kind, value in result.cost.items())}", ""]
    return "\n".join([*lines, *result.sequence.dump("pretty"), "", result.diff()])


@pytest.mark.parametrize("name", CASES)
def test_walk_through(name: str, snapshot: SnapshotAssertion) -> None:
    case: dict[str, Any] = CASES[name]
    calls, by = case["calls"], case.get("by", "repair")
    known = {key: case[key] for key in ("memory", "history", "goals", "level") if key in case}
    refractor = Refractor(case["catalog"], **case.get("options", {}))
    result = getattr(refractor, by)(calls, **known)
    assert result.optimal
    assert document(result) == snapshot
    if result.verdict in ("repaired", "needs_input"):
        answered = result.answer({ask.name: "x" for ask in result.asks}, confirmed=True)
        assert refractor.check(answered, **known).verdict == "valid"
    if by == "compress":
        assert refractor.compress(result.sequence, **known).verdict == "valid"
    elif name.startswith("hr"):
        assert refractor.check(calls, **known).determination == result.determination


def test_check_names_what_is_not_needed(snapshot: SnapshotAssertion) -> None:
    hr = PARTS["hr"]
    goal = {"goals": "field employee_info", "level": "cheapest"}
    report = check(hr["calls"], hr["catalog"], **goal, **hr["options"])
    assert "\n".join(f"{v.label}: {v.message} [{v.code}]" for v in report.violations) == snapshot


def test_several_fixes_for_one_fault(snapshot: SnapshotAssertion) -> None:
    """The field of that name, an ask, and a new call: alternatives in order of cost (R32)."""
    overview = tool("Spotify_Scraper_Get_Artist_Overview", "read", artistId=NEEDED)
    find = tool("Spotify_Scraper_Find_Artist", "read", {"id": TEXT})
    find["parameters"] = {"name": NEEDED}
    call = 'Spotify_Scraper_Get_Artist_Overview(artistId="$var1.id$")'
    memory = {"var1": {"artist_id": "12345"}}
    result = repair(call, {"tools": [overview, find]}, memory, alternatives=5, next_best=True)
    every = (result, *result.alternatives)
    totals = [(each.total.get(1000, 0), each.total[2]) for each in every]
    assert totals == sorted(totals)
    patterns = [each.edits[0].pattern for each in every]
    assert {"self_contained", "ask", "new_call"} <= set(patterns)
    assert "\n".join(document(each) for each in every) == snapshot
