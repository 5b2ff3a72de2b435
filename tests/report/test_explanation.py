"""The texts of `explain`, of alternatives and of `why_not`, as documents of 80 columns."""

import re
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp import Catalog, Refractor, RepairResult
from refract_asp.model.explanation import meaning_of
from refract_asp.report.text import alternatives_text, contrast_text, explanation_text
from refract_asp.resources import encodings_path, packaged
from yaml_files import tables

TABLES = tables(__file__)


@pytest.fixture(scope="module")
def result(catalog: Catalog) -> RepairResult:
    return Refractor(catalog, alternatives=4, next_best=True).repair(TABLES["given"])


@pytest.mark.slow
def test_texts(result: RepairResult, snapshot: SnapshotAssertion) -> None:
    """Prose is as wide as the terminal, and where calls have room colours change nothing else."""
    contrasts = [result.why_not(statement) for statement in TABLES["statements"]]
    texts = [
        (result.explain(), result.explain(color=True)),
        (alternatives_text(result), alternatives_text(result, color=True, width=500)),
        *((contrast_text(each), contrast_text(each, color=True, width=500)) for each in contrasts),
    ]
    assert "\n\n".join(plain for plain, _ in texts) == snapshot
    for plain, colored in texts:
        assert "\x1b[" in colored
        without_hints = re.sub(r"^\?.*\n?\n?", "", plain, flags=re.M)
        assert re.sub(r"\x1b\[[0-9;]*m", "", colored).split() == without_hints.split()
        calls = tuple("+-? ")
        assert all(len(line) <= 80 for line in plain.splitlines() if not line.startswith(calls))
    assert max(map(len, result.explain(width=40).splitlines())) <= 60, "but for longer words"


def test_only_another_repair_is_shown_beside_what_it_costs() -> None:
    tool = {"name": "Pay", "parameters": {"amount": {"type": "number", "required": True}}}
    answer = Refractor({"tools": [tool]}).repair("Pay(amount=3)\nPay(amont=3)")
    told = [
        contrast_text(answer.why_not(each)) for each in ("ask call 2.amount", "keep call 2.amont")
    ]
    assert ["\n+ " in text for text in told] == [True, False]


def test_a_result_of_data_alone_says_what_it_knows(result: RepairResult) -> None:
    loaded = RepairResult.model_validate(result.model_dump(mode="json"))
    explanation = loaded.explanation()
    assert {reason.outcome for reason in explanation.reasons} == {"unknown"}
    full = result.explanation()
    known, every = ([reason.violations for reason in each.reasons] for each in (explanation, full))
    assert known == every
    assert explanation.criteria == full.criteria
    text = loaded.explain()
    assert "instead" not in text
    assert "note: what would be without an edit" in text


def test_calls_that_would_stay_as_they_were(result: RepairResult) -> None:
    given = result.explanation()
    for calls, told in (((1,), "call 2 stays as it was"), ((0, 1), "call 1 and call 2 stay as")):
        update = {"outcome": "dearer", "unresolved": calls, "extra": {2: 7}}
        reason = given.reasons[0].model_copy(update=update)
        text = explanation_text(given.model_copy(update={"reasons": (reason,)}), result, width=120)
        assert f"instead: nothing else mends it: {told}" in text


def test_a_valid_sequence_needs_no_explanation(catalog: Catalog) -> None:
    result = Refractor(catalog).repair('SkyScrapperSearchAirport(query="x")')
    assert result.explain() == "explanation: 0 edits, cost 0 (model default); no repair is cheaper"


def test_every_shipped_kind_has_a_meaning(catalog: Catalog) -> None:
    page = (encodings_path() / "README.md").read_text("utf-8").partition("\n## Penalties")[2]
    kinds = re.findall(r"^\| `(\w+)` \|", page.partition("\n## Constants")[0], re.M)
    assert set(kinds) == set(packaged("model/words")["criteria"])
    assert meaning_of("my_own") == "a penalty of this cost model"


def test_of_very_many_edits_the_first_are_compared(result: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("refract_asp.rules.explain.MAX_COMPARED", 1)
    outcomes = [reason.outcome for reason in result.explanation().reasons]
    assert {"unknown", *outcomes[1:]} == {"unknown"}
    assert "is worked out for 50 edits" in result.explain()
