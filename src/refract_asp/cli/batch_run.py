"""`refract-asp batch run`: judge every sequence of data sets, and say what came of it."""

from __future__ import annotations

import errno
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from refract_asp import evaluation
from refract_asp.cli import inputs, options, output
from refract_asp.cli.output import is_shown, progress
from refract_asp.errors import LONGEST_TEXT, InputError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from refract_asp.evaluation.answering import Answered, Entry, Question
    from refract_asp.evaluation.engine import Engine
    from refract_asp.evaluation.rows import Row

__all__ = ["EPILOG", "Tally", "ToldAs", "keep", "run"]


class ToldAs(StrEnum):
    """How what was found is told."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


class Tally:
    """
    Counts verdicts, and moves the bar.

    Attributes:
        verdicts: how often each came; None is an error.
        errors: where the first sequence that could not be judged stands, why, and how many say the same.
    """

    def __init__(self, advance: Callable[[], None]) -> None:
        """Begin with none; `advance` moves the bar."""
        self.verdicts: Counter[str | None] = Counter()
        self.errors: tuple[str, str, int] | None = None
        self._advance = advance

    def __call__(self, verdict: str | None) -> None:
        """Count one; None is an error."""
        self.verdicts[verdict] += 1
        self._advance()

    @property
    def is_lost(self) -> bool:
        """Whether there were sequences, and none of them could be judged."""
        return self.verdicts.keys() == {None}

    def blame(self, row: Row) -> None:
        """Note why a sequence could not be judged; the same reason may stand in other lines and columns."""
        why = (row.error or "").removeprefix(row.place).lstrip(":0123456789 ")
        place, first, count = self.errors or (row.place, why, 0)
        self.errors = place, first, count + (why == first)


def source_of(name: str) -> Any:
    """Return the file that is named, or standard input, open for reading."""
    return inputs.standard_input() if name == inputs.STDIN else inputs.read_file(name)


def entries_of_all(sources: list[Any]) -> Iterator[Entry]:
    """Yield the entries of all data sets, one after the other."""

    names = [None if isinstance(source, Path) else "standard input" for source in sources]
    return evaluation.entries_of(*sources, names=names)


def total_of(sources: list[Any]) -> int | None:
    """Count the entries, where somebody sees the bar."""
    from refract_asp.formats.examples import count_examples

    if not is_shown():
        return None
    try:
        counts = [
            count_examples(source) if isinstance(source, Path) else None for source in sources
        ]
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

    def annotate(answer: Answered) -> None:
        if format is ToldAs.GITHUB:
            _said(answer, False, format, options.ColorChoice.NEVER)

    try:
        evaluation.record(path, question, engine, entries, told=tally, answered=annotate, **how)
    except KeyboardInterrupt:
        output.complain("interrupted", f"{_kept(tally)}; the same command with --resume goes on.")
        raise typer.Exit(130) from None
    except OSError as error:
        if evaluation.part_of(path).exists():  # it has none where somebody took its folder away
            when = "when there is room, " if error.errno in FULL else ""
            output.complain(
                "stopped", f"{_kept(tally)}; {when}the same command with --resume goes on."
            )
        raise InputError(
            f"{shown(error.strerror or error).lower()}.", where=shown(path, LONGEST_TEXT)
        ) from None
    for row in evaluation.read_rows(path) if tally.is_lost else ():
        tally.blame(row)


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
            if tally.is_lost:
                tally.blame(evaluation.read_row(answer.line))
            if not _said(answer, as_rows, format, color):
                tally.errors = None  # what comes after may be right
                return
    finally:
        answers.close()


def _said(answer: Answered, as_rows: bool, format: ToldAs, color: options.ColorChoice) -> bool:
    """Print what came of one entry; return whether somebody still reads."""
    if as_rows:
        return output.say(answer.line, raw=True)
    if answer.verdict == "valid":
        return True

    row = evaluation.read_row(answer.line)
    if format is ToldAs.GITHUB:
        return output.say("\n".join(evaluation.lint_annotations(row)), commands=True)
    return output.say("\n".join(evaluation.lint_lines(row, color=output.use_color(color, None))))


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
        verdicts = {
            verdict: counts[verdict] for verdict, _ in _WORDS if verdict and counts[verdict]
        }
        told = {
            "schema_version": 1,
            "sequences": total,
            "errors": counts[None],
            "verdicts": verdicts,
        }
        output.write(output.json_text({**told, "rows": to_file}))
        return
    parts = [f"{counts[verdict]:,} {word}" for verdict, word in _WORDS if counts[verdict]]
    said = f"{total:,} sequence{'' if total == 1 else 's'}: {', '.join(parts) or 'nothing was judged'}."
    if is_kept or (to_file is None and format is ToldAs.TEXT):
        output.say(said)
    elif is_shown():
        output.note(said)


def refuse_lost(tally: Tally) -> None:
    """
    Refuse a batch in which no sequence could be judged, as one that is no batch.

    Raises:
        InputError: so it is; the message says why, and how often.
    """

    if not tally.is_lost or tally.errors is None:
        return
    place, why, count = tally.errors
    total = tally.verdicts[None]
    raise InputError(
        f"none of {total:,} sequences could be judged, {count:,} of them for this reason:"
        if total > 1
        else "the only sequence could not be judged:",
        where=shown(place, LONGEST_TEXT),
        hint=why,
    )


EPILOG = """
Examples:

\b
  refract-asp batch traces.jsonl --catalog travel -o out.jsonl
  refract-asp batch traces.jsonl --catalog travel -o out.jsonl --resume
  refract-asp batch traces.jsonl --catalog travel --fail-on violations
  refract-asp batch a.jsonl b.jsonl --catalog travel --steps -o -
  refract-asp batch traces.jsonl --catalog travel -o out.jsonl \\
    --engine dask --scheduler tcp://10.0.0.1:8786

A line of DATA is {"sequence": ..., "catalog": ..., "memory": ..., "history": ..., "expected": ...,
"goals": ..., "id": ..., "meta": ...}, all but the first if given, or a sequence in any format.

Exit codes: 0, 1 there is what --fail-on names, 2 bad usage or input, as where no sequence could be judged,
130 interrupted (what was done stays, and goes on with --resume).
"""


class ModeChoice(StrEnum):
    """What is done with each sequence."""

    REPAIR = "repair"
    CHECK = "check"
    COMPRESS = "compress"


class EngineChoice(StrEnum):
    """What does the work."""

    POOL = "pool"
    DASK = "dask"


class FailOn(StrEnum):
    """What makes the exit code 1."""

    VIOLATIONS = "violations"
    NEEDS_INPUT = "needs_input"
    UNREPAIRABLE = "unrepairable"


FAILING: dict[FailOn, frozenset[str | None]] = {
    FailOn.VIOLATIONS: frozenset(
        {None, "unknown", "unrepairable", "needs_input", "repaired", "invalid"}
    ),
    FailOn.NEEDS_INPUT: frozenset({None, "unknown", "unrepairable", "needs_input", "invalid"}),
    FailOn.UNREPAIRABLE: frozenset({None, "unknown", "unrepairable", "invalid"}),
}
"""The verdicts that --fail-on means; None is that of what could not be read or answered."""


def run(
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA...",
            help="Files with sequences: JSON lines, JSON, or one; - is standard input.",
        ),
    ],
    catalog: options.CatalogOfOthers = None,
    mode: Annotated[
        ModeChoice,
        typer.Option(
            "--mode", metavar="repair|check|compress", help="What is done with each sequence."
        ),
    ] = ModeChoice.REPAIR,
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Judge call by call, each with those before it as repaired.",
        ),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run that was interrupted, or killed.")
    ] = False,
    restart: Annotated[
        bool, typer.Option("--restart", help="Throw away what a run that was interrupted has done.")
    ] = False,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            "--fail-on",
            metavar="violations|needs_input|unrepairable",
            help="Exit with 1 when something is wrong somewhere, has to be asked or confirmed (or worse), or "
            "cannot be mended. What cannot be read counts always.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", metavar="N", min=1, max=256, help="How many processes (one for each core)."
        ),
    ] = None,
    engine: Annotated[
        EngineChoice,
        typer.Option(
            "--engine",
            metavar="pool|dask",
            help="Processes here, or a dask cluster (extra `dask`).",
        ),
    ] = EngineChoice.POOL,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            help="With --engine dask: its address or scheduler file.",
        ),
    ] = None,
    memory: options.MemoryFile = None,
    history: options.HistoryFile = None,
    mappings: options.MappingsFile = None,
    new_maps: options.NewMaps = False,
    cost_model: options.CostModel = "default",
    constants: options.Constants = None,
    encoding: options.EncodingFiles = None,
    encodings: options.EncodingsFolder = None,
    confirm: options.ConfirmChoice = None,
    defensive: options.Defensive = False,
    undeclared: options.UndeclaredChoice = options.WhatBecomesOfUndeclared.REJECT,
    references: options.References = options.WhenToRefer.AUTO,
    check_formats: options.CheckFormats = False,
    max_new_calls: options.MaxNewCalls = 2,
    max_tries: options.MaxTries = 3,
    known_tools_only: options.KnownToolsOnly = False,
    allow: options.Allow = None,
    deny: options.Deny = None,
    goal: options.Goals = None,
    goals: options.GoalsFile = None,
    alternatives: options.Alternatives = 0,
    next_best: options.NextBest = False,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            metavar="SECONDS",
            min=0.001,
            help="Stop each sequence after this time with the best found, not always the same.",
        ),
    ] = None,
    source_format: options.From = None,
    catalog_format: options.CatalogFormat = None,
    no_cache: options.NoCache = False,
    format: Annotated[
        ToldAs,
        typer.Option(
            "--format",
            metavar="text|json|github",
            help="How what was found is told: for people, as data, or as GitHub's annotations.",
        ),
    ] = ToldAs.TEXT,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: Annotated[
        str | None,
        options.output_file("FILE", "Write the rows here; - is standard output."),
    ] = None,
) -> None:
    """
    Judge every sequence of data sets, and write a row of JSON for each, in their order.

    A row holds verdict, edits, diagnostics, tags, repaired calls and cost; a line that cannot be read has one
    that says why. Without -o what is wrong is printed, a line for each fault.
    """

    inputs.only_one_stdin(*data, catalog, memory, history, mappings, goals)
    if to_file in (None, "-") and (resume or restart):
        raise InputError("only a file can be gone on with.", hint="Name it with -o.")
    if resume and restart:
        raise InputError(
            "--resume and --restart are one too many.", hint="Go on with a run, or begin anew."
        )
    if (engine is EngineChoice.DASK) != (scheduler is not None):
        raise InputError(
            "--engine dask and --scheduler go together.",
            hint="Write --engine dask --scheduler tcp://HOST:8786; without both the work is done here.",
        )
    question = evaluation.question_of(
        None
        if catalog is None
        else inputs.read_catalog(catalog, catalog_format, no_cache=no_cache),
        mode=mode.value,
        stepwise=steps,
        format=source_format,
        memory=inputs.read_memory(memory),
        history=inputs.read_history(history),
        goals=inputs.read_goals(goal, goals),
        mappings=inputs.read_mappings(mappings),
        new_maps=new_maps,
        cost_model=inputs.read_cost_model(cost_model),
        constants=inputs.read_constants(constants),
        encodings=inputs.read_encodings(encoding),
        encodings_dir=inputs.read_folder(encodings),
        confirm=None if confirm is None else confirm.value,
        defensive=defensive,
        undeclared=undeclared.value,
        references=references.option,
        check_formats=check_formats,
        max_new_calls=max_new_calls,
        max_tries=max_tries,
        known_tools_only=known_tools_only,
        allow=allow or None,
        deny=deny or None,
        alternatives=options.how_many(alternatives, next_best),
        next_best=next_best,
        time_limit=time_limit,
    )
    told = output.note if is_shown() else (lambda _: None)
    work = evaluation.engine_of(question, workers or evaluation.workers_here(), scheduler, told)
    sources = [source_of(each) for each in data]
    entries = entries_of_all(sources)
    with progress("sequences", total_of(sources)) as advance:
        tally = Tally(advance)
        if to_file is None or to_file == "-":
            as_rows = to_file == "-" or format is ToldAs.JSON
            stream(work, question, entries, tally, as_rows, format, color)
        else:
            keep(
                Path(to_file),
                question,
                work,
                entries,
                tally,
                format,
                resume=resume,
                restart=restart,
            )
    tell(tally, to_file, format)
    refuse_lost(tally)
    failing: frozenset[str | None] = FAILING[fail_on] if fail_on is not None else frozenset()
    raise typer.Exit(1 if any(tally.verdicts[each] for each in failing) else 0)
