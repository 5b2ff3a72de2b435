"""
Plans, the subset of JavaScript that `refract_asp.plan` reads; needs the extra `plan`.

    flight = flightInfo({airline: 'AA', flight: 1234});
    return other({start: flight.departs, end: flight.arrives});

Slips that models make are mended and noted. A plan without them that did not change is printed as it stood.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from refract_asp.errors import PlanError
from refract_asp.formats.source import Format
from refract_asp.formats.values import Origin
from refract_asp.model import Sequence
from refract_asp.ports import port, regex

_RETURN = regex(r"(?:^|;)[ \t]*return\b", re.MULTILINE)
_CALL = regex(r"\(\s*\{\s*(?:[A-Za-z_]\w*\s*:|\})")
_RETURNS = regex(r"(?:^|;)[ \t]*return\b[ \t]*+[^{\s;]")


def is_plan_text(text: str) -> bool:
    """
    Whether a text may be a plan: a statement in it begins with `return`.

    Example:
        >>> is_plan_text("a = f(); return a;"), is_plan_text("a = f()")
        (True, False)
    """
    return "return" in text and _RETURN.search(text) is not None


def _detects(data: Any) -> bool:
    """Whether a text has a `return` and a call with an object, or ends with a `return` and a semicolon."""
    if not isinstance(data, str) or not is_plan_text(data):
        return False
    last = data.rstrip().rpartition("\n")[2]
    return bool(_CALL.search(data) or (last.endswith(";") and _RETURNS.search(last)))


def _read(data: Any, origin: Origin) -> Sequence:
    if not isinstance(data, str):
        hint = "As in `return tool({city: 'Oslo'});`."
        raise origin.error("a text with a plan is needed.", hint=hint)
    parsed = port("parse_plan")(data, "relaxed")
    if parsed.plan is None:
        raise origin.error(str(parsed.diagnostics[0]))
    try:
        sequence: Sequence = port("to_sequence")(parsed.plan)
    except PlanError as error:
        raise origin.error(str(error)) from None
    kept = replace(sequence.written, text=None if parsed.repairs else data)
    return sequence.model_copy(update={"written": kept, "notes": parsed.notes})


def _write(sequence: Sequence) -> str:
    text: str | None = port("kept_text")(sequence)
    if text is not None and not sequence.kept and _read(text, Origin()) == sequence:
        return text.lstrip()
    return str(port("to_plan")(sequence))


LOOKS = "`a = f({x: 1});` and `return g({y: a.b});`, as one text"
FORMAT = Format("plan", "sequence", LOOKS, _detects, _read, _write)
