"""
`refract-asp batch`: many sequences, what came of them, and how two runs differ.

Examples:

  refract-asp batch traces.jsonl --catalog travel -o out.jsonl
  refract-asp batch run --help
  refract-asp batch traces.jsonl --catalog travel -o out.jsonl --resume
  refract-asp batch report out.jsonl -o report.html
  refract-asp batch report out.jsonl --against before.jsonl --fail-on worse

`batch DATA...` is `batch run DATA...`.
"""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import typer
from typer.core import TyperGroup

from refract_asp import evaluation
from refract_asp.cli import inputs, options, output
from refract_asp.cli.options import COLOR, OUTPUT, Color, Group, argument, output_file
from refract_asp.cli.output import is_shown, progress
from refract_asp.cli.session import Given, Rules
from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.settings import option

if TYPE_CHECKING:
    from refract_asp.evaluation.answering import Answered
    from refract_asp.evaluation.rows import Row
    from refract_asp.evaluation.versus import Versus

DEFAULT = "run"


class _RunByDefault(TyperGroup):
    """Takes `batch DATA...` as `batch run DATA...`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = (*self.commands, "-h", "--help", "--install-completion", "--show-completion")
        if args and args[0] not in own:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


app = Group(
    __doc__, cls=_RunByDefault, help="Judge many recorded sequences, and see where agents go wrong."
)
ToldAs: TypeAlias = Literal["text", "json", "github"]
FailOn: TypeAlias = Literal["violations", "needs_input", "unrepairable"]
LOST: frozenset[str | None] = frozenset({None, "unknown", "unrepairable", "invalid"})
FAILING: dict[FailOn | None, frozenset[str | None]] = {
    None: frozenset(),
    "violations": LOST | {"needs_input", "repaired"},
    "needs_input": LOST | {"needs_input"},
    "unrepairable": LOST,
}
"""The verdicts that --fail-on means; None is that of what could not be read or answered."""


@app.adds(
    "run",
    "Judge every sequence of data sets.",
    "data catalog mode steps resume restart fail_on workers engine scheduler memory history mappings new_maps "
    "cost_model constants encodings encodings_dir confirm defensive undeclared references check_formats "
    "max_new_calls max_tries known_tools_only allow deny goal goals alternatives next_best time_limit "
    "source_format catalog_format no_cache format color to_file",
)
def run(
    given: Given,
    rules: Rules,
    data: list[str] = argument(
        "DATA...", "Files with sequences: JSON lines, JSON, or one; - is standard input."
    ),
    catalog: str | None = options.CATALOG_OF_OTHERS,
    mode: Literal["repair", "check", "compress"] = option(
        "repair", "What is done with each sequence.", "repair|check|compress"
    ),
    steps: bool = option(False, "Judge call by call, each with those before it as repaired."),
    resume: bool = option(False, "Go on with a run that was interrupted, or killed."),
    restart: bool = option(False, "Throw away what a run that was interrupted has done."),
    fail_on: FailOn | None = option(
        None,
        "Exit with 1 when something is wrong somewhere, has to be asked or confirmed (or worse), or "
        "cannot be mended. What cannot be read counts always.",
        "violations|needs_input|unrepairable",
    ),
    workers: int | None = option(
        None, "How many processes (one for each core).", "N", min=1, max=256
    ),
    engine: Literal["pool", "dask"] = option(
        "pool", "Processes here, or a dask cluster (extra `dask`).", "pool|dask"
    ),
    scheduler: str | None = option(
        None, "With --engine dask: its address or scheduler file.", "ADDRESS"
    ),
    time_limit: float | None = option(
        None,
        "Stop each sequence after this time with the best found, not always the same.",
        "SECONDS",
        min=0.001,
    ),
    format: ToldAs = option(
        "text",
        "How what was found is told: for people, as data, or as GitHub's annotations.",
        "text|json|github",
    ),
    color: Color = COLOR,
    to_file: str | None = output_file("FILE", "Write the rows here; - is standard output."),
) -> None:
    """
    Judge every sequence of data sets, and write a row of JSON for each, in their order.

    A row holds verdict, edits, diagnostics, tags, repaired calls and cost; a line that cannot be read has one
    that says why. Without -o what is wrong is printed, a line for each fault.

    Examples:

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
    inputs.only_one_stdin(
        *data, catalog, given.memory, given.history, rules.said["mappings"], given.goals
    )
    if to_file in (None, "-") and (resume or restart):
        raise InputError("only a file can be gone on with.", hint="Name it with -o.")
    if resume and restart:
        raise InputError(
            "--resume and --restart are one too many.", hint="Go on with a run, or begin anew."
        )
    if (engine == "dask") != (scheduler is not None):
        raise InputError(
            "--engine dask and --scheduler go together.",
            hint="Write --engine dask --scheduler tcp://HOST:8786; without both the work is done here.",
        )
    tools = inputs.read_catalog_if_any(catalog, given.catalog_format, no_cache=given.no_cache)
    question = evaluation.question_of(
        tools,
        mode=mode,
        stepwise=steps,
        format=given.source_format,
        memory=inputs.read_memory(given.memory),
        history=inputs.read_history(given.history),
        goals=inputs.read_goals(given.goal, given.goals),
        time_limit=time_limit,
        **rules.read(),
    )
    note = output.note if is_shown() else (lambda _: None)
    work = evaluation.engine_of(question, workers or evaluation.workers_here(), scheduler, note)
    sources = [inputs.standard_input() if each == "-" else inputs.read_file(each) for each in data]
    names = [None if isinstance(each, Path) else "standard input" for each in sources]
    entries = evaluation.entries_of(*sources, names=names)
    with progress("sequences", _total_of(sources)) as advance:
        tally = Tally(advance)
        if to_file is None or to_file == "-":
            kind = "json" if to_file == "-" else format
            _stream(work(question, entries), tally, kind, output.use_color(color, None))
        else:

            def annotate(answer: Answered) -> None:
                if format == "github":
                    _say(answer, format)

            how = {"resume": resume, "restart": restart, "answered": annotate}
            keep(Path(to_file), tally, question, work, entries, **how)
    _tell(tally, to_file, format)
    tally.refuse_lost()
    raise typer.Exit(1 if FAILING[fail_on] & tally.verdicts.keys() else 0)


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

    def refuse_lost(self) -> None:
        """
        Refuse a batch in which no sequence could be judged, as one that is no batch.

        Raises:
            InputError: so it is; the message says why, and how often.
        """
        if not self.is_lost or self.errors is None:
            return
        place, why, count = self.errors
        total = self.verdicts[None]
        what = f"none of {total:,} sequences could be judged, {count:,} of them for this reason:"
        if total == 1:
            what = "the only sequence could not be judged:"
        raise InputError(what, where=shown(place, LONGEST_TEXT), hint=why)


def _total_of(sources: list[Any]) -> int | None:
    """Count the entries, where somebody sees the bar."""
    if not is_shown() or not all(isinstance(source, Path) for source in sources):
        return None
    try:
        return inputs.total_of(sources)
    except (InputError, OSError):  # whoever reads it says why it cannot be read
        return None


def keep(path: Path, tally: Tally, *asked: Any, **how: Any) -> None:
    """
    Write the rows to a file, and say how to go on where that is interrupted or the disk is full.

    Args:
        path: the file.
        tally: counts the rows.
        asked: question, engine and entries; see `evaluation.record`, which takes `how` as well.

    Raises:
        InputError: the file cannot be written to.
    """
    try:
        evaluation.record(path, *asked, told=tally, **how)
    except (KeyboardInterrupt, OSError) as error:
        rows = sum(tally.verdicts.values())
        kept = f"{rows:,} row{' is' if rows == 1 else 's are'} kept"
        if isinstance(error, KeyboardInterrupt):
            output.complain("interrupted", f"{kept}; the same command with --resume goes on.")
            raise typer.Exit(130) from None
        if evaluation.part_of(path).exists():  # it has none where somebody took its folder away
            when = "when there is room, " if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
            output.complain("stopped", f"{kept}; {when}the same command with --resume goes on.")
        reason = f"{shown(error.strerror or error).lower()}."
        raise InputError(reason, where=shown(path, LONGEST_TEXT)) from None
    for row in evaluation.read_rows(path) if tally.is_lost else ():
        tally.blame(row)


def _say(answer: Answered, format: ToldAs, colored: bool = False) -> bool:
    """Print the row of one entry, or what is wrong in it; return whether somebody still reads."""
    if format == "json":
        return output.say(answer.line, raw=True)
    if answer.verdict == "valid":
        return True
    row = evaluation.read_row(answer.line)
    if format == "github":
        return output.say("\n".join(evaluation.lint_annotations(row)), commands=True)
    return output.say("\n".join(evaluation.lint_lines(row, color=colored)))


def _stream(answers: Any, tally: Tally, format: ToldAs, colored: bool) -> None:
    """Print what came of entries until nobody reads it any more."""
    with closing(answers):
        for answer in answers:
            tally(answer.verdict)
            if tally.is_lost:
                tally.blame(evaluation.read_row(answer.line))
            if not _say(answer, format, colored):
                tally.errors = None  # what comes after may be right
                return


_WORDS = {
    "valid": "valid",
    "repaired": "repaired",
    "invalid": "invalid",
    "needs_input": "need input",
    "unrepairable": "unrepairable",
    "unknown": "without an answer in time",
    None: "with an error",
}


def _tell(tally: Tally, to_file: str | None, format: ToldAs) -> None:
    """Say how many there were of each verdict, beside the rows or after the lines."""
    counts = {verdict: tally.verdicts[verdict] for verdict in _WORDS if tally.verdicts[verdict]}
    total = sum(counts.values())
    is_kept = to_file not in (None, "-")
    if is_kept and format == "json":
        told = {"schema_version": 1, "sequences": total, "errors": counts.pop(None, 0)}
        output.write(output.json_text({**told, "verdicts": counts, "rows": to_file}))
        return
    parts = [f"{number:,} {_WORDS[verdict]}" for verdict, number in counts.items()]
    said = f"{total:,} sequence{'' if total == 1 else 's'}: {', '.join(parts) or 'nothing was judged'}."
    if is_kept or (to_file is None and format == "text"):
        output.say(said)
    elif is_shown():
        output.note(said)


# -- reports ---------------------------------------------------------------------

ReportFormat: TypeAlias = Literal["text", "json", "markdown", "html"]
_ENDINGS: dict[str, ReportFormat] = {
    ".html": "html", ".htm": "html", ".md": "markdown", ".json": "json"
}  # fmt: skip


@app.adds("report", "Tell what came of a run, or compare two.")
def report(
    run: str = argument("OUT", "What a batch wrote with -o; - reads standard input."),
    against: str | None = option(
        None, "An earlier run: tell what got worse and better since.", "OLD"
    ),
    by: list[str] | None = option(
        None,
        "Group by these fields of the metadata, with commas between; dots reach inside. By default "
        "by all that have few values. Repeatable.",
        "FIELDS",
    ),
    listed: int = option(
        10, "List so many tools, faults and sequences at most.", "N", "--list", min=0, max=1000
    ),
    fail_on: Literal["worse", "likely-worse"] | None = option(
        None,
        "With --against, exit with 1 when a sequence has a worse verdict, or a share got worse and "
        "hardly by chance; likely-worse: only when a share did.",
        "worse|likely-worse",
    ),
    format: ReportFormat | None = option(
        None,
        "How to print it; by default as the ending of -o says (.json, .md, .html), else as text.",
        "text|json|markdown|html",
    ),
    color: Color = COLOR,
    to_file: str | None = OUTPUT,
) -> None:
    """
    Report what came of many sequences; with an earlier run, also what got worse and better since.

    A page is one file of HTML that needs nothing else.

    Examples:

      refract-asp batch report out.jsonl
      refract-asp batch report out.jsonl -o report.html
      refract-asp batch report out.jsonl --by model,date --format markdown
      refract-asp batch report out.jsonl --against before.jsonl --fail-on worse

    Exit codes: 0, 1 the run is worse as --fail-on says, 2 bad usage or input.
    """
    inputs.only_one_stdin(run, against)
    if fail_on is not None and against is None:
        raise InputError(
            "--fail-on compares with an earlier run.", hint="Name one with --against OLD.jsonl."
        )
    output.check_target(to_file)
    chosen = format or _ENDINGS.get(Path(to_file or "").suffix.lower(), "text")
    fields = inputs.names_in(*(by or ()))
    name, old_name = _called(run), _called(against or "")
    most = max(evaluation.MOST, listed)
    versus = None
    with _file(run) as path, _file(against) as old, progress("rows read", None) as advance:

        def rows(path: Path, name: str) -> Iterator[Row]:
            for row in evaluation.read_rows(path, name):
                advance()
                yield row

        assert path is not None
        times = evaluation.times_of(path) if run != inputs.STDIN else None
        summary = evaluation.summarise(rows(path, name), fields, times, most=most)
        if old is not None:
            versus = evaluation.compare_rows(rows(old, old_name), rows(path, name), most=most)
        again = partial(rows, path, name)
        if chosen == "html":
            count = summary.overall.sequences
            title = f"{shown(Path(name).name)}: {count:,} sequence{'' if count == 1 else 's'}"
            text = evaluation.summary_page(again, summary, versus, title=title)
        elif chosen == "json":
            data = summary.model_dump(mode="json")
            if versus is not None:
                data["versus"] = versus.model_dump(mode="json")
            text = output.json_text(data)
        else:
            how: Any = {}
            tell_run, tell_versus = evaluation.summary_markdown, evaluation.versus_markdown
            if chosen == "text":
                colored = output.use_color(color, to_file)
                how = {"listed": listed, "color": colored, "width": output.width()}
                tell_run, tell_versus = evaluation.summary_text, evaluation.versus_text
            blocks = [tell_versus(versus, old_name, name, **how)] if versus else []
            blocks += [tell_run(summary, name, **how)] if versus is None or fields else []
            text = "\n\n".join(blocks)
    output.write(text, to_file, raw=chosen in ("html", "markdown"))
    if versus is not None and fail_on is not None:
        _refuse_worse(versus, likely=fail_on == "likely-worse")


def _refuse_worse(versus: Versus, *, likely: bool) -> None:
    """Exit with 1 where the run is worse than the earlier one in a way that counts."""
    if versus.worse_measures if likely else versus.is_worse:
        output.complain("failed", evaluation.verdict_on(versus))
        raise typer.Exit(1)


def _called(source: str) -> str:
    return "standard input" if source == inputs.STDIN else source


@contextmanager
def _file(source: str | None) -> Iterator[Path | None]:
    """Give the file that is named; what standard input holds is kept in one, as it is read more than once."""
    if source != inputs.STDIN:
        yield None if source is None else inputs.read_file(source)
        return
    import shutil
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        shutil.copyfileobj(inputs.standard_input(), file)
        file.flush()
        yield Path(file.name)
