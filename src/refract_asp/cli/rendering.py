"""Prints what `check` found as it is wanted: for people, as data, or for CI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from refract_asp.cli import output
from refract_asp.cli.options import ReportFormat

if TYPE_CHECKING:
    from refract_asp.cli.session import Session
    from refract_asp.model import Report
    from refract_asp.model.diagnostic import Limits

__all__ = ["Rendering"]


@dataclass(frozen=True)
class Rendering:
    """
    How a report is printed.

    Attributes:
        format: in which form.
        strict: whether violations are errors; else they are warnings.
        max_fields: how many entries are listed of what there is, None for the usual numbers.
        max_suggestions: how many names are suggested.
        fuzzy: whether names are suggested that are only somewhat alike.
    """

    format: ReportFormat
    strict: bool
    max_fields: int | None
    max_suggestions: int
    fuzzy: bool

    @property
    def limits(self) -> Limits:
        """How much is shown."""
        from refract_asp.model.diagnostic import Limits

        limits = Limits(suggestions=self.max_suggestions, fuzzy=self.fuzzy)
        if self.max_fields is None:
            return limits
        return limits.model_copy(update={"fields": self.max_fields, "right_type": self.max_fields})

    def text(self, report: Report, session: Session, *, color: bool, width: int) -> str:
        """Return a report in this form, as text."""
        if self.format is ReportFormat.TEXT:
            from refract_asp.report.checked import check_text

            return check_text(report, self.limits, strict=self.strict, color=color, width=width)
        if self.format is ReportFormat.GITHUB:
            from refract_asp.report.annotations import github_annotations
            from refract_asp.report.places import places_of

            places = places_of(session.content, session.sequence)
            return github_annotations(report, places, self.limits, strict=self.strict)
        return output.json_text(self._data(report, session))

    def _data(self, report: Report, session: Session) -> dict[str, Any]:
        if self.format is ReportFormat.SARIF:
            from refract_asp.report.places import places_of
            from refract_asp.report.sarif import sarif_log

            places = places_of(session.content, session.sequence)
            return sarif_log(report, places, self.limits, strict=self.strict)
        from refract_asp.report.records import repair_record, structured_errors

        if self.format is ReportFormat.RECORD:
            return repair_record(report, self.limits, strict=self.strict)
        diagnostics = report.diagnostics(self.limits, strict=self.strict)
        return {
            **report.model_dump(mode="json"),
            **structured_errors(report, self.limits, strict=self.strict),
            "diagnostics": [each.model_dump(mode="json") for each in diagnostics],
        }
