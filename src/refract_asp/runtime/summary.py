"""What became of the calls of a run, for a terminal."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model.secrets import Secrets
from refract_asp.report.terminal import Style, escaped, painted
from refract_asp.report.text import wrapped
from refract_asp.runtime.logs import result_secrets, text_without_arguments

if TYPE_CHECKING:
    from refract_asp.runtime.outcomes import CallOutcome, Run, Status

__all__ = ["call_name", "duration", "result_text", "run_text"]

_STYLES: dict[Status, Style] = {"succeeded": "green", "failed": "red", "skipped": "cyan", "open": "yellow"}
_MOST = 200
"""So many calls are listed one by one; of more only those that did not succeed, and no more of them."""
_LONGEST_NAME = 40
_LONGEST_RESULT = 20_000
"""So many characters of the result are for reading; `Run.result` and `model_dump` have all of it."""


def run_text(run: Run, *, color: bool = False, width: int = 80) -> str:
    """
    Print what became of each call, and the result; prose is wrapped at `width` columns (40 to 120).

    Example:
        >>> from refract_asp.runtime import run
        >>> print(run_text(run('a = f(x=1)', {"g": print})))
        failed: none of 1 call succeeded, 1 failed.
        <BLANKLINE>
        call 1  a = f  failed
            unknown_tool: there is no tool 'f'. Known: g.
    """
    width = max(40, min(width, 120))
    blocks = [_head(run, color, width), _table(run, color, width)]
    blocks.append("\n".join(wrapped("note", note, width, () if color else None) for note in run.notes))
    if run.error is not None or run.unanswered:
        blocks.append(
            wrapped("no result", str(run.error or run.unanswered), width, ("red",) if color else None)
        )
    elif run.has_result:
        label = painted("result:", "bold") if color else "result:"
        blocks.append(f"{label} {result_text(run)}")
    return "\n\n".join(block for block in blocks if block)


def result_text(run: Run) -> str:
    """Return the result as JSON, bounded, without what is secret in it."""
    value = _secrets(run).value([""], [""], run.result)
    last = run.outcomes[-1].tool if run.outcomes and run.outcomes[-1].value == run.result else None
    known = run.catalog.by_name.get(last) if run.catalog is not None and last is not None else None
    if last is not None and known is not None and known.output_schema is not None:
        value = result_secrets(run.catalog, run.secrets).value([last], [last], value)
    text = json.dumps(value, indent=2, ensure_ascii=False)
    if len(text) > _LONGEST_RESULT:
        text = f"{text[:_LONGEST_RESULT]}\n... (the first {_LONGEST_RESULT} of {len(text)} characters)"
    return escaped(text, keep="\n")


def call_name(tool: str, label: str | None) -> str:
    """
    Print which call is meant, bounded.

    Example:
        >>> call_name("Search", "var1"), call_name("Search", None)
        ('var1 = Search', 'Search')
    """
    name = shown(tool, _LONGEST_NAME)
    return name if label is None else f"{shown(label, _LONGEST_NAME)} = {name}"


def duration(seconds: float) -> str:
    """
    Print a time.

    Example:
        >>> duration(0.0123), duration(2.5), duration(75)
        ('12 ms', '2.50 s', '75.0 s')
    """
    if seconds < 1:
        return f"{round(seconds * 1000)} ms"
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"


def _head(run: Run, color: bool, width: int) -> str:
    counts = {status: sum(o.status == status for o in run.outcomes) for status in _STYLES}
    total = f"{len(run.outcomes)} call{'' if len(run.outcomes) == 1 else 's'}"
    word: str
    style: Style
    if run.succeeded:
        return wrapped("succeeded", f"{total}.", width, ("green",) if color else None)
    word, style = "failed", "red"
    if run.timed_out:
        word = "timeout"
    elif run.is_open and not counts["failed"]:
        word, style = "open", "yellow"
    unmade: tuple[Status, ...] = ("failed", "skipped", "open")
    parts = [f"{counts[status]} {status}" for status in unmade if counts[status]]
    parts.insert(0, f"{counts['succeeded'] or 'none'} of {total} succeeded")
    return wrapped(word, f"{', '.join(parts)}.", width, (style,) if color else None)


def _table(run: Run, color: bool, width: int) -> str:
    listed = list(run.outcomes)
    if len(listed) > _MOST:
        listed = [outcome for outcome in listed if outcome.status != "succeeded"][:_MOST]
    names = [call_name(outcome.tool, outcome.label) for outcome in listed]
    numbers = len(f"call {len(run.outcomes)}")
    space = max((len(name) for name in names), default=0)
    secrets = _secrets(run)
    lines = []
    for outcome, name in zip(listed, names, strict=True):
        word: str = outcome.status
        more = "" if outcome.seconds is None else f"  {duration(outcome.seconds)}"
        if outcome.attempts > 1:
            more += f", {outcome.attempts} attempts"
        if color:
            word = painted(word, _STYLES[outcome.status])
        lines.append(f"{f'call {outcome.number + 1}':<{numbers}}  {name:<{space}}  {word}{more}")
        lines += textwrap.wrap(_why(outcome, secrets), width, initial_indent="    ", subsequent_indent="    ",
                               break_on_hyphens=False)  # fmt: skip
    return "\n".join(lines)


def _why(outcome: CallOutcome, secrets: Secrets) -> str:
    if outcome.error is not None:
        said = str(outcome.error)
        if outcome.failure is not None:
            said = text_without_arguments(said, outcome.failure, secrets)
        return f"{outcome.error.kind}: {shown(said, LONGEST_TEXT)}"
    return shown(outcome.reason, LONGEST_TEXT)


def _secrets(run: Run) -> Secrets:
    if run.repair is not None and run.secrets is None:
        return run.repair._secrets
    tools: dict[str, Any] = run.catalog.by_name if run.catalog is not None else {}
    return Secrets(run.secrets, tools.get)
