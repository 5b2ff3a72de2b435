"""What agents are answered, and the record of a validation and of a repair."""

from __future__ import annotations

import json

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp import Report, check, repair
from refract_asp.report import Limits, repair_record, structured_errors
from refract_asp.resources import catalog_path

from .renderings import faulty, hostile

SLACK = catalog_path("slack")
SEED = """\
fetch-messages = SLACK_FETCH_CONVERSATION_HISTORY(channel="C1")
LLM_GENERATE(prompt="$fetch-messages.msg$")
"""


def test_an_answer_has_the_keys_of_a_tool(snapshot: SnapshotAssertion) -> None:
    """D18: success, error, validation_errors, suggestions."""
    assert json.dumps(structured_errors(check(SEED, SLACK)), indent=2) == snapshot


def test_a_record_has_the_keys_of_the_seed(snapshot: SnapshotAssertion) -> None:
    """D18: error_type, error_details, validation_errors, status, repair_attempted."""
    assert json.dumps(repair_record(faulty()), indent=2) == snapshot


@pytest.mark.parametrize(
    ("number", "details"), [(1, "1 error"), (2, "2 errors"), (12, "12 errors")]
)
def test_errors_are_counted(number: int, details: str) -> None:
    """D15, D18: none hides another, and the plural is right."""
    report = check("\n".join(f"Nothing{n}()" for n in range(number)), SLACK)
    record = repair_record(report)
    assert record["error_details"] == f"Validation failed with {details}"
    assert len(record["validation_errors"]) == number
    assert structured_errors(report)["error"] == record["error_details"]


def test_each_change_is_suggested_once() -> None:
    tool = {"name": "Get", "parameters": {"amount": {"type": "number"}}}
    answer = structured_errors(
        check("Got(amount=1)\nGot(amount=2)\nGet(amnt=1)", {"tools": [tool]})
    )
    assert answer["suggestions"] == ["Change Got to Get", "Change amnt to amount"]
    assert len(answer["validation_errors"]) == 3


def test_what_is_valid_is_a_success() -> None:
    assert structured_errors(Report(verdict="valid")) == {
        "success": True,
        "error": None,
        "validation_errors": [],
        "suggestions": [],
    }
    assert repair_record(Report(verdict="valid")) == {
        "error_type": None,
        "error_details": None,
        "validation_errors": [],
        "status": "success",
        "repair_attempted": False,
    }


def test_warnings_stop_nothing() -> None:
    answer, record = (
        structured_errors(faulty(), strict=False),
        repair_record(faulty(), strict=False),
    )
    assert (answer["success"], answer["error"]) == (True, None)
    assert (record["error_type"], record["error_details"], record["status"]) == (
        None,
        None,
        "warned",
    )
    assert all(text.startswith("warning: ") for text in answer["validation_errors"])
    assert record["validation_errors"] == answer["validation_errors"]


def test_what_is_open_is_no_success() -> None:
    report = check("ask(x)\nSLACK_SEND_MESSAGE(channel=x, text=x)", SLACK)
    what = "Something has still to be asked or confirmed"
    for strict in (True, False):
        answer, record = (
            structured_errors(report, strict=strict),
            repair_record(report, strict=strict),
        )
        assert (answer["success"], answer["error"], answer["validation_errors"]) == (
            False,
            what,
            [],
        )
        assert (record["error_type"], record["error_details"], record["status"]) == (
            None,
            what,
            "needs_input",
        )


@pytest.mark.parametrize(
    ("calls", "verdict", "status", "success"),
    [
        ('GITHUB_GET_ISSUE(repository="a/b", numbr=1)', "repaired", "repaired", True),
        ('SLACK_SEND_MESSAGE(channel="C1", text="x")', "valid", "success", True),
        ('SLACK_SEND_MESSAGE(channel="C1")', "needs_input", "needs_input", False),
        ('Zzzzzz(q="C1")', "unrepairable", "failed", False),
    ],
)
def test_a_repair_is_recorded_by_its_verdict(
    calls: str, verdict: str, status: str, success: bool
) -> None:
    result = repair(calls, SLACK)
    record, answer = repair_record(result), structured_errors(result)
    assert result.verdict == verdict
    assert (record["status"], record["repair_attempted"]) == (status, True)
    assert len(record["validation_errors"]) == len(result.violations)
    assert (record["error_type"] is None) is (not result.violations)
    assert answer["success"] is success
    assert (answer["error"] is None) is success


def test_limits_are_kept() -> None:
    text = structured_errors(check(SEED, SLACK), Limits(fields=2, suggestions=0))[
        "validation_errors"
    ][0]
    assert "... and 4 more" in text
    assert "Did you mean" not in text


def test_a_report_from_data_tells_the_same_errors() -> None:
    loaded = Report.model_validate(faulty().model_dump())
    assert repair_record(loaded)["error_details"] == "Validation failed with 5 errors"


def test_hostile_names_are_printable() -> None:
    for data in (structured_errors(hostile()), repair_record(hostile())):
        texts = [*data["validation_errors"], *data.get("suggestions", ())]
        assert texts
        assert all(text.replace("\n", "").isprintable() for text in texts)
