"""The sequences of a case as lines for readers: bounded, and without secrets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from refract_asp.bench.evaluation.case import Case
from refract_asp.model import Sequence
from refract_asp.model.secret_names import HIDDEN, OTHER, text_without_secrets
from refract_asp.model.secrets import Hidden, Secrets
from refract_asp.model.sources import Constant, Source, Structure, Template
from refract_asp.report.terminal import escaped

__all__ = ["Told", "told"]

MAX_LINES = 200
"""So many lines of one sequence are kept."""
MAX_LINE = 2_000
"""Characters of one line."""
MAX_WHAT = 300


class Told(NamedTuple):
    """What was broken in a case, its sequence, the expected one and the answers, by name."""

    what: str
    given: tuple[str, ...]
    expected: tuple[str, ...]
    answers: dict[str, tuple[str, ...]]


def told(case: Case, answers: Mapping[str, Sequence]) -> Told:
    """
    Return a case and answers to it as lines.

    What is secret under the right name of its parameter is hidden under any other name, too: the name may
    be the very thing that is wrong.
    """
    secrets = Secrets(tool_of=case.catalog.by_name.get)
    sequences = [case.sequence, case.expected, *answers.values()]
    seen: set[str] = set()
    hidden = []
    for sequence in sequences:
        hide = Hidden()
        hidden.append(_hidden(sequence, secrets, hide))
        seen |= hide.seen
    seen -= {HIDDEN, OTHER, "null", "true", "false", '""', "[]", "{}"}
    lines = [_lines(_without(sequence, seen) if seen else sequence) for sequence in hidden]
    what = text_without_secrets("; ".join(each.what for each in case.mutations if each.what))
    for text in seen:
        what = what.replace(text.strip('"'), HIDDEN)
    return Told(
        what=escaped(what[:MAX_WHAT]),
        given=lines[0],
        expected=lines[1],
        answers=dict(zip(answers, lines[2:], strict=True)),
    )


def _hidden(sequence: Sequence, secrets: Secrets, hide: Hidden) -> Sequence:
    """Return a sequence without secrets, and collect them in `hide`."""
    calls = []
    for call in sequence.calls:
        arguments = {
            name: secrets.argument([call.name], [name], source, hide)
            for name, source in call.arguments.items()
        }
        calls.append(call.model_copy(update={"arguments": arguments, "written": None}))
    returns = sequence.returns
    if returns is not None:
        returns = {name: secrets.argument([""], [name], source, hide) for name, source in returns.items()}
    return sequence.model_copy(update={"calls": tuple(calls), "returns": returns, "written": None})


def _without(sequence: Sequence, seen: set[str]) -> Sequence:
    """Return a sequence in which no constant is one of the secrets that were seen."""
    calls = tuple(
        call.model_copy(update={"arguments": {n: _source(s, seen) for n, s in call.arguments.items()}})
        for call in sequence.calls
    )
    return sequence.model_copy(update={"calls": calls})


def _source(source: Source, seen: set[str]) -> Source:
    if isinstance(source, Constant):
        return Constant(value=_value(source.value, seen))
    if isinstance(source, Template):
        parts = tuple(_value(part, seen) if isinstance(part, str) else part for part in source.parts)
        return Template(parts=parts)
    if isinstance(source, Structure):
        if isinstance(source.value, dict):
            return Structure(value={name: _source(each, seen) for name, each in source.value.items()})
        return Structure(value=[_source(each, seen) for each in source.value])
    return source


def _value(value: Any, seen: set[str]) -> Any:
    if json.dumps(value, sort_keys=True, default=str) in seen:
        return HIDDEN
    if isinstance(value, dict):
        return {name: _value(each, seen) for name, each in value.items()}
    return [_value(each, seen) for each in value] if isinstance(value, list) else value


def _lines(sequence: Sequence) -> tuple[str, ...]:
    lines: Iterable[str] = sequence.dump("pretty")
    cut = [escaped(line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}...") for line in lines]
    more = len(cut) - MAX_LINES
    return (*cut[:MAX_LINES], f"... and {more} lines more") if more > 0 else tuple(cut)
