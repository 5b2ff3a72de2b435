"""Diagnostics for programs: answers for agents, commands of GitHub, logs in SARIF 2.1.0, each at its line."""

from __future__ import annotations

import hashlib
import json
import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from refract_asp.errors import FormatError
from refract_asp.formats import read_text
from refract_asp.formats.model_dialects import without_thinking
from refract_asp.model import RepairResult, Report, Sequence, Verdict
from refract_asp.model.diagnostic import Diagnostic, Limits
from refract_asp.model.result import NO_TIME
from refract_asp.report.codes import code_entries
from refract_asp.report.diagnostics import told_text
from refract_asp.report.edits import place_of
from refract_asp.report.terminal import count, escaped
from refract_asp.report.text import sentence_of
from refract_asp.resources import version_of

MAX_TEXT = 10_000_000
"""In longer texts nothing is looked for."""
_TEXT = r'"(?:[^"\\]|\\.)*+"'
_NAMED = re.compile(
    r'"role"\s*+:\s*+"\w*+",[^{}]{0,300}?"name"\s*+:|'  # the author of a message
    rf'"(?:name|tool_name|function_name|tool|function|action)"\s*+:\s*+({_TEXT})'
    rf"|({_TEXT}|[\w\-\\]++(?:\.[\w\-\\]++)*+)\s*+\("
)
"""Where a call is written: a name under a key of JSON, or before a parenthesis."""
_WORD = re.compile(rf"({_TEXT}|[\w\-\\]++(?:\.[\w\-\\]++)*+)")


def call_lines(text: str, sequence: Sequence) -> tuple[int | None, ...]:
    """
    Return the line, from 1, of each call of a sequence in the text that it was read from.

    It is the line on which the name of the tool stands: of calls of one tool each has the next place where a
    call of it is written, or else where the name stands as a word. None where that is not found.

    Example:
        >>> from refract_asp import Sequence
        >>> text = "# hotels\\nvar1 = Search()\\n\\nvar2 = Book(id='$var1.id$')"
        >>> call_lines(text, Sequence.load(text))
        (2, 4)
    """
    text = without_thinking(text) if sequence.format is not None and len(text) <= MAX_TEXT else ""
    every = (*sequence.past, *sequence.calls)  # what was answered stands before
    names = {call.name for call in every}
    found: dict[str, Iterator[int]] = {}
    for pattern in (_NAMED, _WORD):
        places: dict[str, list[int]] = {name: [] for name in names - found.keys()}
        for match in pattern.finditer(text) if places else ():
            name = match[match.lastindex or 0]
            with suppress(ValueError):
                name = json.loads(name) if name[0] == '"' else name.replace("\\_", "_")
            if name in places:
                places[name].append(match.end())
        found |= {name: iter(each) for name, each in places.items() if each}
    breaks = [match.start() for match in re.finditer("\n", text)]
    ends = [next(found.get(call.name, iter(())), None) for call in every][len(sequence.past) :]
    return tuple(None if end is None else bisect_left(breaks, end) + 1 for end in ends)


OASIS = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas"
SCHEMA = f"{OASIS}/sarif-schema-2.1.0.json"
FINGERPRINT = "refractAsp/v1"
_LINK = re.compile(r"(\\*+)\]\(")


@dataclass(frozen=True)
class Places:
    """
    Where the calls of a sequence stand.

    Attributes:
        file: the file, below GITHUB_WORKSPACE where that is set and the file lies there, else below the
            working directory; None for standard input and text.
        lines: the line of each call, from 1, or None where it is not known.
    """

    file: str | None = None
    lines: tuple[int | None, ...] = ()

    def line(self, call: int | None) -> int | None:
        """
        Return the line of a call.

        Example:
            >>> places = Places("calls.txt", (1, 3))
            >>> places.line(1), places.line(2), places.line(None)
            (3, None, None)
        """
        return self.lines[call] if call is not None and 0 <= call < len(self.lines) else None


def places_of(source: Path | str, sequence: Sequence) -> Places:
    """
    Find where the calls of a sequence stand.

    Args:
        source: what the sequence was read from: a file, or its text.
        sequence: the sequence, as it was read.

    Example:
        >>> from refract_asp import Sequence
        >>> text = "Search()\\nBook()"
        >>> places_of(text, Sequence.load(text))
        Places(file=None, lines=(1, 2))
    """
    file = None
    if isinstance(source, Path):
        file = source.as_posix()
        # GitHub finds a file by its path in the repository, also where the command runs in a folder of it.
        with suppress(OSError, RuntimeError):
            place = source.parent.resolve() / source.name
            for name in (".", os.environ.get("GITHUB_WORKSPACE", "")):
                if (folder := Path(name).resolve()) in place.parents:
                    file = place.relative_to(folder).as_posix()
        if not source.is_file():
            return Places(file)  # a pipe gives its text only once
    with suppress(FormatError):
        return Places(file, call_lines(read_text(source), sequence))
    return Places(file)


def github_annotations(
    report: Report,
    places: Places | None = None,
    limits: Limits | None = None,
    *,
    strict: bool = True,
) -> str:
    """
    Return a line `::error file=...,line=...,title=...::message` for each diagnostic, in their order.

    Warnings are `::warning`; notes, and that something is open in the sequence, are `::notice`.

    Args:
        report: what `check` or `repair` gave.
        places: where the calls stand, see `places_of`; without a file no place is named.
        limits: how much is shown.
        strict: whether violations are errors; else they are warnings.

    Example:
        >>> from refract_asp import check
        >>> from refract_asp.report import Places
        >>> report = check("Pay()", {"tools": [{"name": "Pay", "parameters": {"sum": {"required": True}}}]})
        >>> print(github_annotations(report, Places("calls.txt", (1,))).partition("%0A")[0])
        ::error file=calls.txt,line=1,title=refract-asp missing_parameter::call 1 (Pay), sum: Pay requires sum
    """
    found = report.diagnostics(limits, strict=strict)
    places = places or Places()
    file = {"file": escaped(places.file)} if places.file is not None else {}
    lines = []
    for each in found:
        line = places.line(each.call)
        place = file | {"line": str(line)} if file and line is not None else file
        lines.append(annotation(each.severity, place, each.code, told_text(each)))
    lines += [annotation("notice", file, "note", remark) for remark in _remarks(report, found)]
    return "\n".join(lines)


def annotation(kind: str, place: dict[str, str], title: str, message: str) -> str:
    """
    Return one workflow command; message and place are escaped so that they cannot end it.

    Args:
        kind: "error", "warning" or "notice".
        place: "file" and "line", as far as they are known.
        title: in one word, what it is about.
        message: the text.

    Example:
        >>> annotation("error", {"file": "a.jsonl", "line": "3"}, "unknown_tool", "there is no tool Py")
        '::error file=a.jsonl,line=3,title=refract-asp unknown_tool::there is no tool Py'
    """
    escapes: dict[str, str | int | None] = {"%": "%25", "\r": "%0D", "\n": "%0A"}
    inside = str.maketrans({**escapes, ":": "%3A", ",": "%2C"})
    properties = {**place, "title": f"refract-asp {title}"}
    given = ",".join(f"{name}={value.translate(inside)}" for name, value in properties.items())
    return f"::{kind} {given}::{message.translate(str.maketrans(escapes))}"


def _remarks(report: Report, found: tuple[Diagnostic, ...]) -> list[str]:
    """Return what a report tells besides its diagnostics: that something is open, and its notes."""
    is_open = not found and report.verdict != "valid"
    verdict = [f"{report.verdict}: {sentence_of(report)}"] if is_open else []
    return [escaped(text) for text in (*verdict, *report.notes)]


def sarif_log(
    report: Report,
    places: Places | None = None,
    limits: Limits | None = None,
    *,
    strict: bool = True,
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
        >>> log = sarif_log(check("Serch()", {"tools": [{"name": "Search"}]}), Places("calls.txt", (1,)))
        >>> result = log["runs"][0]["results"][0]
        >>> result["ruleId"], result["locations"][0]["physicalLocation"]
        ('unknown_tool', {'artifactLocation': {'uri': 'calls.txt'}, 'region': {'startLine': 1}})
    """
    found = report.diagnostics(limits, strict=strict)
    places = places or Places()
    artifact: dict[str, Any] = {"uri": "%3Cstdin%3E", "description": {"text": "standard input"}}
    if places.file is not None:
        path = Path(places.file)
        is_whole = path.is_absolute()
        artifact = {"uri": path.as_uri() if is_whole else quote(os.fsencode(places.file), safe="/")}
    entries, codes = code_entries(), [*dict.fromkeys(each.code for each in found)]
    seen: Counter[str] = Counter()
    results = []
    for each in found:
        physical: dict[str, Any] = {"artifactLocation": artifact}
        if (line := places.line(each.call)) is not None:
            physical["region"] = {"startLine": line}
        names = [{"fullyQualifiedName": escaped(place_of(each))}]
        # The fingerprint holds nothing of where the call stands; equal results are numbered.
        key = json.dumps((each.code, each.tool, each.label, each.parameter, each.attempted))
        seen[key] += 1
        fingerprint = hashlib.sha256(f"{key}{seen[key]}".encode()).hexdigest()[:32]
        text = _LINK.sub(r"\1\1\](", told_text(each))  # brackets before a parenthesis are a link
        where = [{"physicalLocation": physical, "logicalLocations": names}]
        result: dict[str, Any] = {"ruleId": each.code, "ruleIndex": codes.index(each.code)}
        result |= {"level": each.severity, "message": {"text": text}, "locations": where}
        results.append({**result, "partialFingerprints": {FINGERPRINT: fingerprint}})
    driver: dict[str, Any] = {"name": "refract-asp", "version": version_of("refract-asp")}
    driver["rules"] = [{"id": c, "shortDescription": {"text": entries[c].summary}} for c in codes]
    run: dict[str, Any] = {"tool": {"driver": driver}}
    if remarks := _remarks(report, found):
        notes = [{"level": "note", "message": {"text": remark}} for remark in remarks]
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": notes}]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run | {"results": results}]}


_STATUS: dict[Verdict, str] = {
    "valid": "success", "repaired": "repaired", "needs_input": "needs_input",
}  # fmt: skip


def structured_errors(
    report: Report, limits: Limits | None = None, *, strict: bool = True
) -> dict[str, Any]:
    """
    Return `{"success", "error", "validation_errors", "suggestions"}`, as tools answer their model.

    The errors are texts in their full tiers, the suggestions the changes that answer them, each once. It is a
    success when the sequence can be executed as it stands (the repaired one of a repair), and when all
    that was found are warnings.

    Args:
        report: what `check` or `repair` gave.
        limits: how much is shown.
        strict: whether violations are errors; else they are warnings.

    Example:
        >>> from refract_asp import check
        >>> answer = structured_errors(check("Serch()", {"tools": [{"name": "Search"}]}))
        >>> answer["success"], answer["error"], answer["suggestions"]
        (False, 'Validation failed with 1 error', ['Change Serch to Search'])
    """
    diagnostics = report.diagnostics(limits, strict=strict)
    success = report.is_executable or (report.verdict == "invalid" and not strict)
    return {
        "success": success,
        "error": None if success else _details(report, strict),
        "validation_errors": list(map(str, diagnostics)),
        "suggestions": [*dict.fromkeys(each.fix for each in diagnostics if each.fix is not None)],
    }


def repair_record(
    report: Report, limits: Limits | None = None, *, strict: bool = True
) -> dict[str, Any]:
    """
    Return the record of a validation, or of the repair that followed it.

    Its status is "success" for what was valid, "repaired", "needs_input", "warned" where all that was found
    are warnings, else "failed". Without errors `error_type` and `error_details` are None.

    Args:
        report: what `check` or `repair` gave.
        limits: how much is shown.
        strict: whether violations are errors; else they are warnings.

    Example:
        >>> from refract_asp import check
        >>> record = repair_record(check("Got()\\nGot(x=1)", {"tools": [{"name": "Get"}]}))
        >>> record["error_type"], record["error_details"], record["status"], record["repair_attempted"]
        ('validation_error', 'Validation failed with 2 errors', 'failed', False)
    """
    texts = list(map(str, report.diagnostics(limits, strict=strict)))
    is_error = bool(texts) and strict
    told = is_error or report.verdict in ("needs_input", "unknown")
    is_warned = report.verdict == "invalid" and not strict
    return {
        "error_type": "validation_error" if is_error else None,
        "error_details": _details(report, strict) if told else None,
        "validation_errors": texts,
        "status": "warned" if is_warned else _STATUS.get(report.verdict, "failed"),
        "repair_attempted": isinstance(report, RepairResult),
    }


def _details(report: Report, strict: bool) -> str:
    """Say in one sentence why the sequence cannot be executed, or could not before it was repaired."""
    if report.violations and strict:
        return f"Validation failed with {count(len(report.violations), 'error')}"
    if isinstance(report, RepairResult) and report.verdict == "unknown":
        note = report.note or NO_TIME
        return f"{note[0].upper()}{note[1:]}"
    return "Something must still be asked for or confirmed"
