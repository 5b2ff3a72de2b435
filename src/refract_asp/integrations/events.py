"""
What a hook tells while it works: records of the standard logging, span events and counters of OpenTelemetry.

The logger is `refract_asp.integrations`: INFO for what was repaired or sent back, WARNING for what was refused,
DEBUG for what passed. Each record has `outcome`, `reason`, `ids`, `tools`, `edits` and `seconds` as attributes.
Where `opentelemetry-api` is installed, the current span gets an event for each call that did not pass, with
the attributes of the GenAI conventions, and decisions are counted. Telling something never changes a decision.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

from refract_asp.errors import shown
from refract_asp.integrations.decisions import Action, Decision
from refract_asp.model.paths import present
from refract_asp.report.edits import edit_text
from refract_asp.report.secrets import without_secrets

__all__ = ["prepare", "tell"]

SAID: dict[Action, tuple[str, int]] = {
    "pass": ("passed", logging.DEBUG),
    "repair": ("repaired", logging.INFO),
    "retry": ("sent back", logging.INFO),
    "refuse": ("refused", logging.WARNING),
}
"""What is said of each outcome, and on which level."""
MAX_TOLD = 20
"""So many calls of one decision are told of, and so many edits of each."""

_log = logging.getLogger("refract_asp.integrations")


class _Telemetry(NamedTuple):
    """What reports to OpenTelemetry: the function that finds the current span, and the instruments."""

    current_span: Callable[[], Any]
    decisions: Any
    duration: Any


def prepare() -> None:
    """Load what telling needs, so that the first decision does not wait for it."""
    _telemetry()


def tell(
    decision: Decision, seconds: float, on_decision: Callable[[Decision], object] | None
) -> None:
    """Tell of a decision: the log, OpenTelemetry, and the function of the program."""
    try:
        telemetry = _telemetry()
        if telemetry is not None:
            _measure(decision, seconds, telemetry)
        if _log.isEnabledFor(SAID[decision.outcome][1]):
            _record(decision, seconds)
    except Exception:
        _log.debug("a decision could not be told", exc_info=True)
    if on_decision is not None:
        try:
            on_decision(decision)
        except Exception:
            _log.exception("on_decision failed")


def _record(decision: Decision, seconds: float) -> None:
    edits = _edits(decision)
    calls = decision.calls[:MAX_TOLD]
    why = {call.call: call.reason for call in calls if call.outcome != "repair"}
    told = [
        f"{shown(call.tool)}{f' ({shown(call.id)})' if call.id else ''}"
        + (
            f": {said}"
            if (said := "; ".join(edits.get(call.call, ())) or why.get(call.call))
            else ""
        )
        for call in calls
        if call.outcome != "pass" or decision.outcome == "pass"
    ]
    said, level = SAID[decision.outcome]
    text = f"{said} {', '.join(told) or 'a message without calls'}"
    more = {
        "outcome": decision.outcome,
        "reason": decision.reason,
        "ids": [call.id for call in calls],
        "tools": [call.tool for call in calls],
        "edits": [text for call in calls for text in edits.get(call.call, ())],
        "seconds": round(seconds, 6),
    }
    _log.log(level, "%s", text, extra=more)


def _edits(decision: Decision) -> dict[int, list[str]]:
    """Return what was changed in each call, in words that show no secret."""
    found: dict[int, list[str]] = {}
    if decision.result is None or not decision.result.edits:
        return found
    for edit in without_secrets(decision.result).edits:
        if edit.call is not None:
            texts = found.setdefault(edit.call, [])
            if len(texts) < MAX_TOLD:
                texts.append(shown(edit_text(edit), 300))
    return found


@cache
def _telemetry() -> _Telemetry | None:
    if find_spec("opentelemetry") is None:
        return None
    try:
        from opentelemetry import metrics, trace
    except ImportError:  # another package of that name space alone
        return None
    meter = metrics.get_meter("refract_asp")
    return _Telemetry(
        trace.get_current_span,
        meter.create_counter(
            "refract_asp.decisions", "{decision}", "Calls of models that were judged, by outcome."
        ),
        meter.create_histogram(
            "refract_asp.decision.duration", "s", "How long it took to judge one message."
        ),
    )


def _measure(decision: Decision, seconds: float, telemetry: _Telemetry) -> None:
    telemetry.duration.record(seconds, {"refract_asp.outcome": decision.outcome})
    for call in decision.calls:
        counted = {"refract_asp.outcome": call.outcome, "refract_asp.reason": call.reason}
        telemetry.decisions.add(1, counted)
    span = telemetry.current_span()
    if not span.is_recording() or decision.outcome == "pass":
        return
    edits = _edits(decision)
    verdict = decision.result.verdict if decision.result is not None else ""
    for call in decision.calls[:MAX_TOLD]:
        if call.outcome == "pass":
            continue
        about = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": shown(call.tool, 200),
            "gen_ai.tool.call.id": shown(call.id, 200) if call.id is not None else None,
            "refract_asp.outcome": call.outcome,
            "refract_asp.reason": call.reason,
            "refract_asp.verdict": verdict,
            "refract_asp.edits": edits.get(call.call, []),
            "refract_asp.feedback": call.feedback,
            "refract_asp.duration": seconds,
        }
        name = "refract_asp.repair" if call.outcome == "repair" else "refract_asp.held_back"
        span.add_event(name, present(about))
