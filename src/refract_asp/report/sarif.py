"""Diagnostics as a log in SARIF 2.1.0, the format in which checkers tell CI what they found."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from refract_asp.model.edits import ViolationCode
from refract_asp.report.codes import code_entries
from refract_asp.report.diagnostic_text import place_of, told_text
from refract_asp.report.terminal import escaped
from refract_asp.report.text import verdict_text

if TYPE_CHECKING:
    from refract_asp.model import Report
    from refract_asp.model.diagnostic import Diagnostic, Limits
    from refract_asp.report.places import Places

__all__ = ["sarif_log"]

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LINK = re.compile(r"(\\*+)\]\(")
FINGERPRINT = "refractAsp/v1"


def sarif_log(
    report: Report, places: Places | None = None, limits: Limits | None = None, *, strict: bool = True
) -> dict[str, Any]:
    """
    Return a log with one run: a result for each diagnostic, and a rule for each code that occurs.

    Fingerprints stay the same when calls move. Notes, and that something is open in the sequence, are
    notifications of the run.

    Args:
        report: what `check` or `repair` gave.
        places: where the calls stand, see `places_of`; without a file they stand in `<stdin>`.
        limits: how much is shown.
        strict: whether violations are errors; else they are warnings.

    Example:
        >>> from refract_asp import check
        >>> from refract_asp.report import Places
        >>> log = sarif_log(check("Got()", {"tools": [{"name": "Get"}]}), Places("calls.txt", (1,)))
        >>> result = log["runs"][0]["results"][0]
        >>> result["ruleId"], result["locations"][0]["physicalLocation"]
        ('unknown_tool', {'artifactLocation': {'uri': 'calls.txt'}, 'region': {'startLine': 1}})
    """
    found = report.diagnostics(limits, strict=strict)
    codes = list(dict.fromkeys(each.code for each in found))
    seen: Counter[str] = Counter()
    driver = {
        "name": "refract-asp",
        **_version(),
        "rules": [{"id": code, "shortDescription": {"text": code_entries()[code].summary}} for code in codes],
    }
    run: dict[str, Any] = {"tool": {"driver": driver}}
    remarks = [*report.notes]
    if not found and report.verdict != "valid":
        remarks.insert(0, verdict_text(report, width=10_000))
    if remarks:
        notifications = [{"level": "note", "message": {"text": escaped(remark)}} for remark in remarks]
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": notifications}]
    run["results"] = [_result(each, codes, places, seen) for each in found]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(
    diagnostic: Diagnostic, codes: list[ViolationCode], places: Places | None, seen: Counter[str]
) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(places)}
    line = places.line(diagnostic.call) if places is not None else None
    if line is not None:
        physical["region"] = {"startLine": line}
    logical = [{"fullyQualifiedName": escaped(place_of(diagnostic))}]
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "level": diagnostic.severity,
        "message": {"text": _LINK.sub(r"\1\1\](", told_text(diagnostic))},  # else it would be a link
        "locations": [{"physicalLocation": physical, "logicalLocations": logical}],
        "partialFingerprints": {FINGERPRINT: _fingerprint(diagnostic, seen)},
    }


def _artifact(places: Places | None) -> dict[str, Any]:
    file = places.file if places is not None else None
    if file is None:
        return {"uri": quote("<stdin>"), "description": {"text": "standard input"}}
    path = Path(file)
    return {"uri": path.as_uri() if path.is_absolute() else quote(os.fsencode(file), safe="/")}


def _fingerprint(diagnostic: Diagnostic, seen: Counter[str]) -> str:
    """Return what tells a result from others, wherever its call stands; equal ones are numbered."""
    what = (diagnostic.code, diagnostic.tool, diagnostic.label, diagnostic.parameter, diagnostic.attempted)
    key = json.dumps(what)
    seen[key] += 1
    return hashlib.sha256(f"{key}{seen[key]}".encode()).hexdigest()[:32]


@lru_cache(maxsize=1)
def _version() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return {"version": version("refract-asp")}
    except PackageNotFoundError:
        return {}
