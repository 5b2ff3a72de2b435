"""
Diagnostics of what `check` or `repair` found: what there is, what was probably meant, what to change.

Nothing is judged here. The encodings say what is wrong and where; for each violation the specification is
looked up at that place, and the edit of a repair that answers it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from refract_asp.errors import LONGEST, shown
from refract_asp.model import Edit, RepairResult, Report, Violation
from refract_asp.model.diagnostic import Diagnostic, Limits
from refract_asp.model.edits import ViolationCode
from refract_asp.report import advice, advice_references
from refract_asp.report.advice import Advice, Lookup
from refract_asp.report.edits import fix_text
from refract_asp.report.secrets import without_secrets
from refract_asp.report.suggestions import name_text
from refract_asp.rules.instance import Instance

__all__ = ["diagnostics_of"]

ADVICE: dict[ViolationCode, Callable[[Lookup], Advice]] = {
    "unknown_tool": advice.unknown_tool,
    "undeclared_parameter": advice.undeclared_parameter,
    "missing_parameter": advice.missing_parameter,
    "unknown_label": advice_references.unknown_label,
    "unknown_field": advice_references.unknown_field,
    "unknown_variable": advice_references.unknown_variable,
    "malformed_reference": advice_references.malformed_reference,
    "read_before_written": advice_references.read_before_written,
    "duplicate_call": advice.duplicate_call,
    "invalid_value": advice.invalid_value,
    "type_mismatch": advice_references.type_mismatch,
    "invalid_arguments": advice.invalid_arguments,
    "broken_schema": advice.broken_schema,
    "unmet_goal": advice.unmet_goal,
    "needless_call": advice.needless_call,
    "unused_call": advice.unused_call,
}
"""What tells more of each kind of violation, but for those of which `PLAIN` tells all."""


def diagnostics_of(
    report: Report, limits: Limits | None = None, *, strict: bool = True, hidden: bool = False
) -> tuple[Diagnostic, ...]:
    """
    Return a diagnostic for each violation of a report, in its order.

    Args:
        report: what `check` or `repair` gave; of one that was loaded from data less is told.
        limits: how much is shown.
        strict: whether violations are errors; else they are warnings.
        hidden: whether it is one that `without_secrets` gave.

    Example:
        >>> from refract_asp import check
        >>> tool = {"name": "Get", "parameters": {"amount": {"type": "number", "required": True}}}
        >>> print(diagnostics_of(check("Get(amnt=3)", {"tools": [tool]}))[0])
        error: call 1 (Get), amnt: Get has no parameter amnt [undeclared_parameter]
        <BLANKLINE>
          Parameters of Get:
            amount (number): required
        <BLANKLINE>
          Did you mean: amount?
        <BLANKLINE>
          Common fix: Change amnt to amount
    """
    if not report.violations:
        return ()
    if not hidden:
        report = without_secrets(report)
    instance = report._handle.instance
    bounds = limits or Limits()
    found = []
    cache: dict[object, Any] = {}
    for number, violation in enumerate(report.violations):
        more = Advice()
        if instance is not None:
            more = _advice(Lookup(instance, violation, bounds, cache))
        edit = _answer(report, number)
        fix = (
            fix_text(edit, violation, report)
            if edit is not None and isinstance(report, RepairResult)
            else None
        )
        if fix is not None:
            more = replace(more, fix=fix, tip=None)
        found.append(_diagnostic(violation, more, edit, instance, strict=strict))
    return tuple(found)


def _advice(at: Lookup) -> Advice:
    plain = advice.PLAIN.get(at.violation.code)
    return plain if plain is not None else ADVICE[at.violation.code](at)


def _diagnostic(
    violation: Violation,
    more: Advice,
    edit: Edit | None,
    instance: Instance | None,
    *,
    strict: bool,
) -> Diagnostic:
    call = None
    if (
        instance is not None
        and violation.call is not None
        and violation.call < len(instance.sequence.calls)
    ):
        call = instance.sequence.calls[violation.call]
    return Diagnostic(
        code=violation.code,
        severity="error" if strict else "warning",
        message=violation.message,
        call=violation.call,
        id=name_text(call.id) if call is not None and call.id is not None else None,
        tool=name_text(violation.tool),
        label=name_text(violation.label) if violation.label is not None else None,
        parameter=name_text(violation.parameter) if violation.parameter is not None else None,
        attempted=shown(violation.given, LONGEST) if violation.given is not None else None,
        expected=more.expected or _told(fault.expected for fault in violation.faults),
        given=more.given or _told(fault.given for fault in violation.faults),
        faults=violation.faults,
        available=more.available,
        suggestions=more.suggestions,
        fix=more.fix,
        tip=more.tip,
        edit=edit,
    )


def _told(texts: Iterable[str]) -> str | None:
    return "; ".join(dict.fromkeys(texts)) or None


def _answer(report: Report, number: int) -> Edit | None:
    """Return the edit that answers a violation; one that changes its argument before one that adds a call."""
    if not isinstance(report, RepairResult):
        return None
    answering = [edit for edit in report.edits if number in edit.answers]
    return min(answering, key=lambda edit: edit.kind in ("add_call", "move_call"), default=None)
