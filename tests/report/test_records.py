"""What agents are answered, and the record of a validation and of a repair."""

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp import Report, check, repair
from refract_asp.report import Limits, repair_record, structured_errors
from refract_asp.resources import catalog_path

from .renderings import faulty

SLACK = catalog_path("slack")
SEED = """\
fetch-messages = SLACK_FETCH_CONVERSATION_HISTORY(channel="C1")
LLM_GENERATE(prompt="$fetch-messages.msg$")
"""


def both(report: Report, **options: Any) -> dict[str, Any]:
    """Return answer and record in one, which tell the same errors."""
    answer, record = structured_errors(report, **options), repair_record(report, **options)
    assert answer["validation_errors"] == record["validation_errors"]
    return answer | record


def test_answers_and_records(snapshot: SnapshotAssertion) -> None:
    """D18: success, error, validation_errors, suggestions; error_type, error_details, status, repair_attempted."""
    assert json.dumps(structured_errors(check(SEED, SLACK)), indent=2) == snapshot
    assert json.dumps(repair_record(faulty()), indent=2) == snapshot


@pytest.mark.parametrize(("number", "details"), [(1, "1 error"), (12, "12 errors")])
def test_errors_are_counted(number: int, details: str) -> None:
    """D15, D18: none hides another, and the plural is right; a report from data counts the same."""
    report = check("\n".join(f"Nothing{n}()" for n in range(number)), SLACK)
    for each in (report, Report.model_validate(report.model_dump())):
        told = both(each)
        assert told["error"] == told["error_details"] == f"Validation failed with {details}"
        assert len(told["validation_errors"]) == number


def test_each_change_is_suggested_once() -> None:
    tool = {"name": "Get", "parameters": {"amount": {"type": "number"}}}
    told = both(check("Gett(amount=1)\nGett(amount=2)\nGet(amnt=1)", {"tools": [tool]}))
    assert told["suggestions"] == ["Change Gett to Get", "Change amnt to amount"]
    assert len(told["validation_errors"]) == 3


NOTHING: dict[str, Any] = dict.fromkeys(("error", "error_type", "error_details"))
NOTHING |= {"validation_errors": [], "suggestions": [], "repair_attempted": False}


def test_what_is_no_error() -> None:
    """What is valid is a success, what is open is none, and warnings stop nothing."""
    assert both(Report(verdict="valid")) == NOTHING | {"success": True, "status": "success"}
    report = check("ask(x)\nSLACK_SEND_MESSAGE(channel=x, text=x)", SLACK)
    what = "Something must still be asked for or confirmed"
    wanted = NOTHING | {"success": False, "error": what, "error_details": what}
    assert both(report, strict=False) == wanted | {"status": "needs_input"}
    told = both(faulty(), strict=False)
    assert all(text.startswith("warning: ") for text in told["validation_errors"])
    told |= {"validation_errors": [], "suggestions": []}
    assert told == NOTHING | {"success": True, "status": "warned"}


RECORDED = [
    ('GITHUB_GET_ISSUE(repository="a/b", numbr=1)', "repaired", "repaired", True),
    ('SLACK_SEND_MESSAGE(channel="C1", text="x")', "valid", "success", True),
    ('SLACK_SEND_MESSAGE(channel="C1")', "needs_input", "needs_input", False),
    ('Zzzzzz(q="C1")', "unrepairable", "failed", False),
]


@pytest.mark.parametrize(("calls", "verdict", "status", "success"), RECORDED)
def test_repairs_are_recorded(calls: str, verdict: str, status: str, success: bool) -> None:
    result = repair(calls, SLACK)
    told = both(result)
    assert (result.verdict, told["status"], told["success"]) == (verdict, status, success)
    assert told["repair_attempted"]
    assert len(told["validation_errors"]) == len(result.violations)
    assert (told["error_type"] is None) is (not result.violations)
    assert (told["error"] is None) is success


def test_limits_are_kept() -> None:
    (text,) = both(check(SEED, SLACK), limits=Limits(fields=2, suggestions=0))["validation_errors"]
    assert "... and 4 more" in text
    assert "Did you mean" not in text
