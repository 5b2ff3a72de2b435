"""What was found, as data for agents: the answer of a tool, and the record that repair services keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refract_asp.model.result import RepairResult

if TYPE_CHECKING:
    from refract_asp.model import Report, Verdict
    from refract_asp.model.diagnostic import Limits

__all__ = ["repair_record", "structured_errors"]

_STATUS: dict[Verdict, str] = {
    "valid": "success", "repaired": "repaired", "needs_input": "needs_input",
    "invalid": "failed", "unrepairable": "failed", "unknown": "failed",
}  # fmt: skip
_OPEN = "Something has still to be asked or confirmed"


def structured_errors(report: Report, limits: Limits | None = None, *, strict: bool = True) -> dict[str, Any]:
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
        >>> answer = structured_errors(check("Got()", {"tools": [{"name": "Get"}]}))
        >>> answer["success"], answer["error"], answer["suggestions"]
        (False, 'Validation failed with 1 error', ['Change Got to Get'])
    """
    diagnostics = report.diagnostics(limits, strict=strict)
    success = _succeeds(report, strict)
    fixes = (each.fix for each in diagnostics if each.fix is not None)
    return {
        "success": success,
        "error": None if success else _details(report, strict),
        "validation_errors": [str(each) for each in diagnostics],
        "suggestions": list(dict.fromkeys(fixes)),
    }


def repair_record(report: Report, limits: Limits | None = None, *, strict: bool = True) -> dict[str, Any]:
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
    diagnostics = report.diagnostics(limits, strict=strict)
    status = _STATUS[report.verdict]
    if report.verdict == "invalid" and not strict:
        status = "warned"
    is_error = bool(diagnostics) and strict
    told = is_error or report.verdict in ("needs_input", "unknown")
    return {
        "error_type": "validation_error" if is_error else None,
        "error_details": _details(report, strict) if told else None,
        "validation_errors": [str(each) for each in diagnostics],
        "status": status,
        "repair_attempted": isinstance(report, RepairResult),
    }


def _succeeds(report: Report, strict: bool) -> bool:
    return report.is_executable or (report.verdict == "invalid" and not strict)


def _details(report: Report, strict: bool) -> str:
    """Say in one sentence why the sequence cannot be executed, or could not before it was repaired."""
    number = len(report.violations)
    if number and strict:
        return f"Validation failed with {number} error{'' if number == 1 else 's'}"
    return "The time ran out before an answer was found" if report.verdict == "unknown" else _OPEN
