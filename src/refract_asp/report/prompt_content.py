"""What a prompt tells: the calls, what is wrong with them, and what may put it right; as plain data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from refract_asp.errors import InputError, shown
from refract_asp.report.diagnostic_text import place_of
from refract_asp.report.diagnostics import diagnostics_of
from refract_asp.report.prompt_asked import asked_text, call_name
from refract_asp.report.prompt_calls import CallWriter
from refract_asp.report.prompt_fixes import Fix, besides_of, fixes_of
from refract_asp.report.secrets import without_secrets
from refract_asp.report.terminal import escaped

if TYPE_CHECKING:
    from refract_asp.model import RepairResult
    from refract_asp.model import Sequence as Calls
    from refract_asp.model.diagnostic import Diagnostic, Limits, Listing

__all__ = ["Alternative", "Content", "Issue", "content_of"]

LONGEST_CALL = 1000
"""Characters of a call that is not wrong."""
_FILE = re.compile(r"(?a)( cannot be read: )[^:]+\.(?:json|jsonl|md|ndjson|py|txt|yaml|yml)(?::\d+)*: ")


@dataclass(frozen=True)
class Issue:
    """
    Something that is wrong.

    Attributes:
        number: by which it is named, from 1.
        call: the call in which it is, from 0; None for a goal.
        place: the call and the argument.
        message: what is wrong.
        title: what `entries` are, as "Available tools".
        entries: what there is instead.
        more: how many there are besides.
        suggestions: what was probably meant, best first.
    """

    number: int
    place: str
    message: str
    title: str = ""
    entries: tuple[str, ...] = ()
    more: int = 0
    suggestions: tuple[str, ...] = ()
    call: int | None = None


@dataclass(frozen=True)
class Alternative:
    """
    One way to put things right.

    Attributes:
        calls: the calls that it changes or adds, in order.
        asks: values that are not known yet, with what they mean.
        besides: what else is done, as leaving a call out.
        fixes: what puts which issue right.
    """

    calls: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True)
class Content:
    """
    All that a prompt tells, in the names that templates use.

    Every text is free of control characters, on one line.

    Attributes:
        faulty: the numbers of the faulty calls, from 1.
        calls: these calls, in full.
        sequence: all calls in order, a line each, the faulty ones by name only; empty where all are faulty.
        sequence_more: how many calls of the sequence are left out; `...` stands where some are.
        words: what the user asked for, line by line.
        issues: what is wrong.
        issues_more: how many more things are wrong.
        alternatives: what may put it right, the best first.
        hides: whether a secret value is not shown.
    """

    faulty: tuple[int, ...]
    calls: tuple[str, ...]
    sequence: tuple[str, ...] = ()
    sequence_more: int = 0
    words: tuple[str, ...] = ()
    issues: tuple[Issue, ...] = ()
    issues_more: int = 0
    alternatives: tuple[Alternative, ...] = field(default=())
    hides: bool = False

    def told_by(self, kind: str) -> Content:
        """Leave out what a kind of prompt does not tell, and alternatives that then are the same."""
        if kind == "plain":
            return replace(self, issues=(), alternatives=())
        if kind == "issues":
            return replace(self, alternatives=())
        if kind == "fix":
            ways = [replace(each, fixes=()) for each in self.alternatives if each.calls or each.besides]
            return replace(self, issues=(), alternatives=tuple(_each_once(ways)))
        ways = [replace(each, calls=(), besides=()) for each in self.alternatives if each.fixes]
        return replace(self, alternatives=tuple(_each_once(ways)))

    def variables(self) -> dict[str, Any]:
        """Return what a template is given: texts, numbers, lists and dicts, nothing that can be called."""
        return {
            "faulty": list(self.faulty),
            "calls": list(self.calls),
            "sequence": list(self.sequence),
            "sequence_more": self.sequence_more,
            "words": list(self.words),
            "issues": [
                {
                    "number": issue.number,
                    "place": issue.place,
                    "message": issue.message,
                    "title": issue.title,
                    "entries": list(issue.entries),
                    "more": issue.more,
                    "suggestions": list(issue.suggestions),
                }
                for issue in self.issues
            ],
            "issues_more": self.issues_more,
            "hides": self.hides,
            "alternatives": [
                {
                    "calls": list(each.calls),
                    "asks": list(each.asks),
                    "besides": list(each.besides),
                    "fixes": [{"issues": list(fix.issues), "texts": list(fix.texts)} for fix in each.fixes],
                }
                for each in self.alternatives
            ],
        }


def _each_once(ways: list[Alternative]) -> list[Alternative]:
    return [each for number, each in enumerate(ways) if each not in ways[:number]]


def content_of(results: Sequence[RepairResult], words: Sequence[str], limits: Limits) -> Content | None:
    """
    Return what a prompt about some repairs of the same sequence tells; None where nothing is wrong.

    Raises:
        InputError: they repair different sequences.
    """
    given = results[0].given
    if any(result.given != given for result in results):
        raise InputError(
            "the results are those of different sequences.", hint="Write a prompt for each of them."
        )
    found = [result for result in results if result.violations]
    if not found:
        return None
    wrong = [without_secrets(result) for result in found]
    given = wrong[0].given
    issues: list[Issue] = []
    numbers: dict[tuple[object, ...], int] = {}
    alternatives: list[Alternative] = []
    listed: set[Listing] = set()
    for result in wrong:
        diagnostics = diagnostics_of(result, limits)
        for diagnostic, violation in zip(diagnostics, result.violations, strict=True):
            key = (violation.code, violation.call, violation.parameter, violation.reference, violation.given)
            if key not in numbers:
                numbers[key] = len(issues) + 1
                issues.append(_issue(len(issues) + 1, diagnostic, listed))
        own = [numbers[v.code, v.call, v.parameter, v.reference, v.given] for v in result.violations]
        alternatives.append(_alternative(result, diagnostics, own, words=bool(words)))
    faulty = sorted({v.call for result in wrong for v in result.violations if v.call is not None})
    writer = CallWriter(given)
    every = _given_lines(wrong[0], writer)
    in_full = [line for number in faulty if number < len(every) for line in every[number]]
    around = [
        f"({_name(number, given)}: below)" if number in faulty else shown(" ".join(lines), LONGEST_CALL)
        for number, lines in enumerate(every)
    ]
    return Content(
        faulty=tuple(number + 1 for number in faulty),
        calls=tuple(in_full),
        sequence=tuple(around) if len(faulty) < len(every) else (),
        words=tuple(words),
        issues=tuple(issues),
        alternatives=tuple(alternatives),
        hides=any(safe is not result for safe, result in zip(wrong, found, strict=True)),
    )


def _name(number: int, given: Calls) -> str:
    calls = given.calls
    return escaped(call_name(number, calls[number])) if number < len(calls) else "what is returned"


def _given_lines(result: RepairResult, writer: CallWriter) -> list[list[str]]:
    """Return each given call, and what the sequence gives back as one more."""
    given = result.given
    labels = [call.label for call in given.calls if call.label]
    lines = [writer.lines(call, labels) for call in given.calls]
    return [*lines, [writer.returned(given.returns)]] if given.returns is not None else lines


def _issue(number: int, diagnostic: Diagnostic, listed: set[Listing]) -> Issue:
    """Tell of an issue; what there is instead is listed for the first one that it is for."""
    place, message = escaped(place_of(diagnostic)), escaped(_without_file(diagnostic))
    suggestions = tuple(map(escaped, diagnostic.suggestions))
    issue = Issue(number, place, message, suggestions=suggestions, call=diagnostic.call)
    listing = diagnostic.available
    if listing is None or listing in listed or not (listing.entries or listing.more):
        return issue
    listed.add(listing)
    entries = []
    for entry in listing.entries:
        text = entry.text if entry.type is None else f"{entry.text} ({entry.type})"
        entries.append(escaped(f"{text}: {entry.note}" if entry.note else text))
    return replace(issue, title=escaped(listing.title), entries=tuple(entries), more=listing.more)


def _without_file(diagnostic: Diagnostic) -> str:
    """Return what is wrong, without the file that the calls were read from: whoever wrote them has none."""
    if diagnostic.code != "malformed_arguments":
        return diagnostic.message
    return _FILE.sub(r"\1", diagnostic.message, count=1)


def _alternative(
    result: RepairResult, diagnostics: Sequence[Diagnostic], numbers: Sequence[int], *, words: bool
) -> Alternative:
    """Tell what one repair changes; of one that was not found only what diagnostics advise."""
    writer = CallWriter(result.given)
    fixes = tuple(
        replace(fix, texts=tuple(map(escaped, fix.texts)))
        for fix in fixes_of(result, diagnostics, numbers, words=words)
    )
    labels = [call.label for call in result.sequence.calls if call.label]
    wrong = {violation.call for violation in result.violations} | {edit.call for edit in result.edits}
    lines: list[str] = []
    for call, origin in zip(result.sequence.calls, result.origins, strict=False):
        mended = origin is None or (origin in wrong and origin not in result.unresolved)
        if mended and (origin is None or call != result.given.calls[origin]):
            lines += writer.lines(call, labels)
    if result.sequence.returns is not None and result.sequence.returns != result.given.returns:
        lines.append(writer.returned(result.sequence.returns))
    asked = [line for name in result.sequence.asks if (line := writer.asked(name)) is not None]
    return Alternative(
        calls=tuple([*asked, *lines] if lines else ()),
        asks=tuple(escaped(asked_text(ask, result)) for ask in result.asks) if lines else (),
        besides=tuple(map(escaped, besides_of(result))),
        fixes=fixes,
    )
