"""
Every way in which a report becomes text, in one table: what is printed must be safe whoever prints it.

A new renderer gets a line here, and is tested for hostile names and for secrets from then on.
"""

import json
from collections.abc import Callable, Iterable

from pydantic import BaseModel

from refract_asp import RepairResult, Sequence
from refract_asp.model import Report
from refract_asp.model.edits import Edit
from refract_asp.report import (
    check_text,
    github_annotations,
    repair_record,
    sarif_log,
    structured_errors,
)
from refract_asp.report.edits import edit_text, place_text
from refract_asp.report.tags import tags_text
from refract_asp.report.text import alternatives_text, contrast_text, summary


def _data(data: object) -> str:
    """Print data as the command line does."""
    from refract_asp.cli.output import json_text

    return json_text(data) if data else json.dumps(None)


def _dumped(items: Iterable[BaseModel]) -> str:
    return _data([each.model_dump(mode="json") for each in items])


def _of_repair(render: Callable[[RepairResult], str]) -> Callable[[Report], str]:
    """Return a renderer of what only a repair has."""
    return lambda report: render(report) if isinstance(report, RepairResult) else ""


def _contrasts(report: RepairResult) -> str:
    """Ask why not for each argument that was given."""
    told = []
    for number, call in enumerate(report.given.calls, 1):
        for parameter in call.arguments:
            if parameter.isidentifier() and len(parameter) < 50:
                told += [
                    contrast_text(report.why_not(f"{word} call {number}.{parameter}"))
                    for word in ("keep", "drop", "ask")
                ]
    return "\n".join(told)


def _edits(report: RepairResult) -> str:
    """Tell the edits as a printer does, which hides the secrets first."""
    from refract_asp.report.secrets import without_secrets

    told: tuple[Edit, ...] = without_secrets(report).edits
    return "\n".join(f"{place_text(edit, report)}{edit_text(edit)}" for edit in told)


def _tags(report: Report) -> str:
    given = report.given if isinstance(report, RepairResult) else Sequence()
    return tags_text(report.tags(), given, report=report) if given.calls else ""


RENDERERS: dict[str, Callable[[Report], str]] = {
    "diagnostics": lambda report: "\n".join(map(str, report.diagnostics())),
    "diagnostics as data": lambda report: _dumped(report.diagnostics()),
    "messages and notes": lambda report: "\n".join(
        [*(violation.message for violation in report.violations), *report.notes]
    ),
    "violations as data": lambda report: _dumped(report.violations),
    "summary": lambda report: summary(report, width=80),
    "summary in colour, broad": lambda report: _uncoloured(summary(report, color=True, width=200)),
    "diff": _of_repair(lambda report: report.diff()),
    "diff in colour": _of_repair(lambda report: _uncoloured(report.diff(color=True))),
    "explanation": _of_repair(lambda report: report.explain()),
    "explanation as data": _of_repair(
        lambda report: _data(report.explanation().model_dump(mode="json"))
    ),
    "alternatives": _of_repair(alternatives_text),
    "contrasts": _of_repair(_contrasts),
    "edits": _of_repair(_edits),
    "undecided": _of_repair(lambda report: "\n".join(report.undecided)),
    "check": lambda report: check_text(report, width=80),
    "structured errors": lambda report: _data(structured_errors(report)),
    "repair record": lambda report: _data(repair_record(report)),
    "annotations": github_annotations,
    "sarif": lambda report: _data(sarif_log(report)),
    "tags": _tags,
    "prompt plain": _of_repair(lambda report: report.prompt("plain")),
    "prompt issues": _of_repair(lambda report: report.prompt("issues")),
    "prompt fix": _of_repair(lambda report: report.prompt("fix")),
    "prompt suggestions": _of_repair(lambda report: report.prompt("suggestions")),
}


def _uncoloured(text: str) -> str:
    """Leave out the colours that are ours, and nothing else."""
    for code in ("31;7", "32;7", "0", "1", "31", "32", "33", "36", "1;31", "1;32", "1;33", "1;36"):
        text = text.replace(f"\x1b[{code}m", "")
    return text
