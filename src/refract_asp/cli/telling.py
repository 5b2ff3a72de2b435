"""What `refract-asp run` prints: why nothing is run, what would be run, and what became of the calls."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from refract_asp.cli import options, output
from refract_asp.cli.session import Session

if TYPE_CHECKING:
    from refract_asp.model import RepairResult, Report, Sequence
    from refract_asp.runtime import Run

__all__ = ["GraphFormat", "Order", "Telling"]


class GraphFormat(StrEnum):
    """The language in which calls are drawn."""

    MERMAID = "mermaid"
    DOT = "dot"
    SVG = "svg"


class Order(StrEnum):
    """Which calls keep their order although no data flows between them."""

    DECLARED = "declared"
    RISKY = "risky"
    DATA = "data"


class Telling:
    """Prints what came of it, for people or as data."""

    def __init__(self, is_json: bool, color: options.ColorChoice, to_file: str | None) -> None:
        """Know how and where it is printed."""
        self._is_json = is_json
        self._to_file = to_file
        self._color = output.use_color(color, to_file)

    def refusal(self, found: Report, session: Session) -> None:
        """Tell why nothing is run."""
        from refract_asp.cli.options import ReportFormat
        from refract_asp.cli.rendering import Rendering
        from refract_asp.model import RepairResult

        if isinstance(found, RepairResult) and not self._is_json:
            self._write(_summary(found, self._color))
            return
        kind = ReportFormat.JSON if self._is_json else ReportFormat.TEXT
        rendering = Rendering(kind, True, None, 3, False)
        self._write(rendering.text(found, session, color=self._color, width=output.width()))

    def dry(
        self,
        sequence: Sequence,
        session: Session,
        mended: Report | None,
        graph: GraphFormat | None,
        order: Order,
    ) -> None:
        """Tell in which stages the calls would be made, or draw them."""
        specified = session.refractor.catalog
        if graph is not None:
            from refract_asp.report.graph import graph as drawn

            self._write(drawn(sequence, graph.value, specified, order.value, session.helpers))
            return
        from refract_asp.report.stages import stages_data, stages_text

        if self._is_json:
            data = {**stages_data(sequence, specified, order.value, session.helpers), "repair": _data(mended)}
            self._write(output.json_text(data))
            return
        text = stages_text(sequence, specified, order.value, session.helpers, color=self._color)
        self._write("\n\n".join(filter(None, (_changes(mended, self._color), text))))

    def done(self, run: Run, mended: Report | None) -> None:
        """Tell what became of the calls."""
        if self._is_json:
            self._write(output.json_text({**run.model_dump(), "repair": _data(mended)}))
            return
        text = run.summary(color=self._color, width=output.width())
        self._write("\n\n".join(filter(None, (_changes(mended, self._color), text))))

    def _write(self, text: str) -> None:
        output.write(text, self._to_file)


def _changes(mended: Report | None, color: bool) -> str:
    """Say what a repair changed, if anything."""
    from refract_asp.model import RepairResult

    return _summary(mended, color) if isinstance(mended, RepairResult) and mended.edits else ""


def _summary(result: RepairResult, color: bool) -> str:
    from refract_asp.report.text import summary

    return summary(result, color=color, width=output.width())


def _data(mended: Report | None) -> Any:
    return None if mended is None else mended.model_dump(mode="json")
