"""
Every way in which a report becomes text, in one table: what is printed must be safe whoever prints it.

A new renderer gets a line here, and is tested for hostile names and for secrets from then on.
"""

import json
from collections.abc import Callable, Iterator

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
from refract_asp.report.prompts import Kind
from refract_asp.report.tags import tags_text
from refract_asp.report.text import alternatives_text, contrast_text, summary


def _diagnostics(report: Report) -> str:
    return "\n".join(str(diagnostic) for diagnostic in report.diagnostics())


def _diagnostics_as_data(report: Report) -> str:
    return _data([diagnostic.model_dump(mode="json") for diagnostic in report.diagnostics()])


def _messages(report: Report) -> str:
    return "\n".join([*(violation.message for violation in report.violations), *report.notes])


def _violations_as_data(report: Report) -> str:
    return _data([violation.model_dump(mode="json") for violation in report.violations])


def _diff(report: Report) -> str:
    return report.diff() if isinstance(report, RepairResult) else ""


def _explanation(report: Report) -> str:
    return report.explain() if isinstance(report, RepairResult) else ""


def _explanation_as_data(report: Report) -> str:
    return (
        _data(report.explanation().model_dump(mode="json"))
        if isinstance(report, RepairResult)
        else ""
    )


def _alternatives(report: Report) -> str:
    return alternatives_text(report) if isinstance(report, RepairResult) else ""


def _contrasts(report: Report) -> str:
    """Ask why not for each argument that was given."""
    if not isinstance(report, RepairResult):
        return ""
    told = []
    for number, call in enumerate(report.given.calls, 1):
        for parameter in call.arguments:
            if parameter.isidentifier() and len(parameter) < 50:
                told += [
                    contrast_text(report.why_not(f"{word} call {number}.{parameter}"))
                    for word in ("keep", "drop", "ask")
                ]
    return "\n".join(told)


def _edits(report: Report) -> str:
    """Tell the edits as a printer does, which hides the secrets first."""
    from refract_asp.report.secrets import without_secrets

    if not isinstance(report, RepairResult):
        return ""
    told: tuple[Edit, ...] = without_secrets(report).edits
    return "\n".join(f"{place_text(edit, report)}{edit_text(edit)}" for edit in told)


def _undecided(report: Report) -> str:
    return "\n".join(report.undecided) if isinstance(report, RepairResult) else ""


def _prompt(kind: Kind) -> Callable[[Report], str]:
    """Write the prompt of a kind about a repair."""
    return lambda report: report.prompt(kind) if isinstance(report, RepairResult) else ""


def _tags(report: Report) -> str:
    given = report.given if isinstance(report, RepairResult) else Sequence()
    return tags_text(report.tags(), given, report=report) if given.calls else ""


def _data(data: object) -> str:
    """Print data as the command line does."""
    from refract_asp.cli.output import json_text

    return json_text(data) if data else json.dumps(None)


RENDERERS: dict[str, Callable[[Report], str]] = {
    "diagnostics": _diagnostics,
    "diagnostics as data": _diagnostics_as_data,
    "messages and notes": _messages,
    "violations as data": _violations_as_data,
    "summary": lambda report: summary(report, width=80),
    "summary in colour, broad": lambda report: _uncoloured(summary(report, color=True, width=200)),
    "diff": _diff,
    "diff in colour": lambda report: _uncoloured(report.diff(color=True)) if _diff(report) else "",
    "explanation": _explanation,
    "explanation as data": _explanation_as_data,
    "alternatives": _alternatives,
    "contrasts": _contrasts,
    "edits": _edits,
    "undecided": _undecided,
    "check": lambda report: check_text(report, width=80),
    "structured errors": lambda report: _data(structured_errors(report)),
    "repair record": lambda report: _data(repair_record(report)),
    "annotations": github_annotations,
    "sarif": lambda report: _data(sarif_log(report)),
    "tags": _tags,
    "prompt plain": _prompt("plain"),
    "prompt issues": _prompt("issues"),
    "prompt fix": _prompt("fix"),
    "prompt suggestions": _prompt("suggestions"),
}


def _uncoloured(text: str) -> str:
    """Leave out the colours that are ours, and nothing else."""
    for code in ("31;7", "32;7", "0", "1", "31", "32", "33", "36", "1;31", "1;32", "1;33", "1;36"):
        text = text.replace(f"\x1b[{code}m", "")
    return text


def rendered(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what each renderer prints, with its name."""
    for name, render in RENDERERS.items():
        yield name, render(report)
