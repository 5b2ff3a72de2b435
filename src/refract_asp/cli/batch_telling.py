"""Runs a batch for the command line: into a file, or onto standard output; and says what came of it."""

from __future__ import annotations

import errno
import sys
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from refract_asp.cli import inputs, options, output
from refract_asp.cli.progress import is_shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from refract_asp.batch.engine import Engine
    from refract_asp.batch.question import Answered, Entry, Question

__all__ = ["Tally", "ToldAs", "entries_of_all", "keep", "source_of", "stream", "tell", "total_of"]


class ToldAs(StrEnum):
    """How what was found is told."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


class Tally:
    """Counts verdicts, and moves the bar."""

    def __init__(self, advance: Callable[[], None]) -> None:
        """Begin with none; `advance` moves the bar."""
        self.verdicts: Counter[str | None] = Counter()
        self._advance = advance

    def __call__(self, verdict: str | None) -> None:
        """Count one; None is an error."""
        self.verdicts[verdict] += 1
        self._advance()


def source_of(name: str) -> Any:
    """Return the file that is named, or standard input, open for reading."""
    if name != inputs.STDIN:
        return inputs.read_file(name)
    from refract_asp.errors import InputError

    if sys.stdin is None:
        raise InputError("it is closed.", where="standard input", hint="Name a file, or pipe something in.")
    return sys.stdin.buffer


def entries_of_all(sources: list[Any]) -> Iterator[Entry]:
    """Yield the entries of all data sets, one after the other."""
    from refract_asp.batch.analysing import entries_of

    names = [None if isinstance(source, Path) else "standard input" for source in sources]
    return entries_of(*sources, names=names)


def total_of(sources: list[Any]) -> int | None:
    """Count the entries, where somebody sees the bar."""
    from refract_asp.errors import InputError
    from refract_asp.formats.examples import count_examples

    if not is_shown():
        return None
    try:
        counts = [count_examples(source) if isinstance(source, Path) else None for source in sources]
    except (InputError, OSError):  # whoever reads it says why it cannot be read
        return None
    return None if None in counts else sum(count or 0 for count in counts)


FULL = (errno.ENOSPC, errno.EDQUOT)


def keep(
    path: Path,
    question: Question,
    engine: Engine,
    entries: Iterator[Entry],
    tally: Tally,
    format: ToldAs,
    **how: bool,
) -> None:
    """
    Write the rows to a file, and say how to go on where that is interrupted or the disk is full.

    Annotations are printed beside it.

    Raises:
        InputError: the file cannot be written to.
    """
    from refract_asp.batch.analysing import record
    from refract_asp.batch.recording import part_of
    from refract_asp.errors import LONGEST_TEXT, InputError, shown

    def annotate(answer: Answered) -> None:
        if format is ToldAs.GITHUB:
            _said(answer, False, format, options.ColorChoice.NEVER)

    try:
        record(path, question, engine, entries, told=tally, answered=annotate, **how)
    except KeyboardInterrupt:
        output.complain("interrupted", f"{_kept(tally)}; the same command with --resume goes on.")
        raise typer.Exit(130) from None
    except OSError as error:
        if part_of(path).exists():  # it has none where somebody took its folder away
            when = "when there is room, " if error.errno in FULL else ""
            output.complain("stopped", f"{_kept(tally)}; {when}the same command with --resume goes on.")
        raise InputError(
            f"{shown(error.strerror or error).lower()}.", where=shown(path, LONGEST_TEXT)
        ) from None


def _kept(tally: Tally) -> str:
    count = sum(tally.verdicts.values())
    return f"{count:,} row{' is' if count == 1 else 's are'} kept"


def stream(
    engine: Engine,
    question: Question,
    entries: Iterator[Entry],
    tally: Tally,
    as_rows: bool,
    format: ToldAs,
    color: options.ColorChoice,
) -> None:
    """Print rows, or what is wrong in them, until nobody reads it any more."""
    answers = engine(question, entries)
    try:
        for answer in answers:
            tally(answer.verdict)
            if not _said(answer, as_rows, format, color):
                return
    finally:
        answers.close()


def _said(answer: Answered, as_rows: bool, format: ToldAs, color: options.ColorChoice) -> bool:
    """Print what came of one entry; return whether somebody still reads."""
    if as_rows:
        return output.say(answer.line, raw=True)
    if answer.verdict == "valid":
        return True
    from refract_asp.batch.linting import lint_annotations, lint_lines
    from refract_asp.batch.row import read_row

    row = read_row(answer.line)
    if format is ToldAs.GITHUB:
        return output.say("\n".join(lint_annotations(row)), commands=True)
    return output.say("\n".join(lint_lines(row, color=output.use_color(color, None))))


_WORDS = (
    ("valid", "valid"),
    ("repaired", "repaired"),
    ("invalid", "invalid"),
    ("needs_input", "need input"),
    ("unrepairable", "unrepairable"),
    ("unknown", "without an answer in time"),
    (None, "with an error"),
)


def tell(tally: Tally, to_file: str | None, format: ToldAs) -> None:
    """Say how many there were of each verdict, beside the rows or after the lines."""
    counts = tally.verdicts
    total = sum(counts.values())
    is_kept = to_file not in (None, "-")
    if is_kept and format is ToldAs.JSON:
        verdicts = {verdict: counts[verdict] for verdict, _ in _WORDS if verdict and counts[verdict]}
        told = {"schema_version": 1, "sequences": total, "errors": counts[None], "verdicts": verdicts}
        output.write(output.json_text({**told, "rows": to_file}))
        return
    parts = [f"{counts[verdict]:,} {word}" for verdict, word in _WORDS if counts[verdict]]
    said = f"{total:,} sequence{'' if total == 1 else 's'}: {', '.join(parts) or 'nothing was judged'}."
    if is_kept or (to_file is None and format is ToldAs.TEXT):
        output.say(said)
    elif is_shown():
        output.note(said)
