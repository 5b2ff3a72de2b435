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

import json
import shlex
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

import typer
from typer.core import TyperGroup

from refract_asp import evaluation
from refract_asp.cli import inputs, output
from refract_asp.cli.options import Group, OutputFile, SomeSeconds
from refract_asp.cli.session import Given, Rules, Tools
from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.formats import SEQUENCE_FORMATS
from refract_asp.formats.examples import raw_entries
from refract_asp.formats.source import find
from refract_asp.formats.traces import KINDS, trace_entries
from refract_asp.model import Sequence
from refract_asp.report.terminal import count
from refract_asp.resources import packaged

if TYPE_CHECKING:
    from refract_asp.evaluation.answering import Answered, Entry
    from refract_asp.evaluation.rows import Row


# So many reasons why sequences could not be judged are printed, ...
REASONS = 3
# ... of so many that are told apart.
MOST_REASONS = 1_000
OTHERS = "other reasons"
# So many lines of a file are looked at to see whether it is an export of traces.
LOOKED_AT = 200


class _RunByDefault(TyperGroup):
    """Takes `batch DATA...` as `batch run DATA...`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = (*self.commands, "-h", "--help", "--install-completion", "--show-completion")
        if args and args[0] not in own:
            args = ["run", *args]
        return super().parse_args(ctx, args)


app = Group(
    __doc__, cls=_RunByDefault, help="Judge many recorded sequences, and see where agents go wrong."
)
ToldAs: TypeAlias = Literal["text", "json", "github"]
FailOn: TypeAlias = Literal["violations", "needs_input", "unrepairable"]
LOST: frozenset[str | None] = frozenset({None, "unknown", "unrepairable", "invalid"})
FAILING: dict[FailOn | None, frozenset[str | None]] = {None: frozenset(), "unrepairable": LOST}
FAILING["needs_input"] = LOST | {"needs_input"}
# The verdicts that --fail-on means; None is that of what could not be read or answered.
FAILING["violations"] = LOST | {"needs_input", "repaired"}


@app.adds(
    "run",
    "data catalog tag tool mode steps per resume restart fail_on workers scheduler memory history "
    "mappings new_maps cost_model constants encodings patterns encodings_dir confirm defensive "
    "undeclared references check_formats lenient effects max_new_calls max_tries known_tools_only allow deny "
    "goal goals alternatives next_best time_limit secrets source_format catalog_format no_cache format "
    "color to_file",
)
def run(
    given: Given,
    rules: Rules,
    tools: Tools,
    out: output.Output,
    data: list[str],
    mode: Literal["repair", "check", "compress"] = "repair",
    steps: bool = False,
    per: Literal["turn", "trace"] | None = None,
    resume: bool = False,
    restart: bool = False,
    fail_on: FailOn | None = None,
    workers: Annotated[int | None, typer.Option(min=1, max=256)] = None,
    scheduler: str | None = None,
    time_limit: SomeSeconds = None,
    secrets: bool = False,
    format: ToldAs = "text",
    to_file: OutputFile = None,
) -> None:
    """
    Judge every sequence of data sets. A row of JSON is written for each, in their order.

    A row holds verdict, edits, diagnostics, tags, repaired calls and cost; a line that cannot be read has one
    that says why. Without -o what is wrong is printed, a line for each fault.

    Examples:

      refract-asp batch traces.jsonl --catalog travel -o out.jsonl
      refract-asp batch traces.jsonl --catalog travel -o out.jsonl --resume
      refract-asp batch traces.jsonl --catalog travel --fail-on violations
      refract-asp batch a.jsonl b.jsonl --catalog travel --steps -o -
      refract-asp batch spans.jsonl --from auto --per trace -o out.jsonl
      refract-asp batch traces.jsonl --catalog travel -o out.jsonl \\
        --scheduler tcp://10.0.0.1:8786

    A line of DATA is {"sequence": ..., "catalog": ..., "memory": ..., "history": ..., "expected": ...,
    "goals": ..., "id": ..., "meta": ...}, all but the first if given, or a sequence in any format. With --from auto
    it is what a provider, a framework or a tool that traces agents wrote.

    Exit codes: 0, 1 there is what --fail-on names, 2 bad usage or input, as where no sequence could be judged,
    130 interrupted (what was done stays; --resume resumes it).

    Args:
        data (DATA...): Files with sequences: JSON lines, JSON, or one; - is standard input.
        mode: What is done with each sequence.
        steps: Judge call by call, each with those before it as repaired.
        per: What a sequence is in records that --from names: the calls of one turn (the default), or of a trace.
        source_format (FORMAT): Which records DATA holds: auto, otel, openinference, langsmith, langfuse,
            openai-log, anthropic-log, inspect, pydantic-ai, vercel, bedrock or jsonl; or the format of all
            sequences.
        resume: Resume a run that was interrupted or killed.
        restart: Throw away what a run that was interrupted has done.
        fail_on: Exit with 1 when something is wrong somewhere, has to be asked for or confirmed (or worse), or
            cannot be mended. What cannot be read counts always.
        workers (N): How many processes (one for each core).
        scheduler (ADDRESS): Work on a dask cluster (extra `dask`): its address or scheduler file.
        time_limit (SECONDS): Stop each sequence after this time with the best found, not always the same.
        secrets: Keep passwords, keys and the like in the rows; else (secret) stands in their place.
        format: How to print what was found: for people, as data, or as GitHub's annotations.
        to_file (FILE): Write the rows here; - is standard output.
    """
    is_kept = to_file not in (None, "-")
    files = (tools.catalog, given.memory, given.history, rules.said["mappings"], given.goals)
    inputs.only_one_stdin(*data, *files)
    if not is_kept and (resume or restart):
        what = "only a run that is written to a file can be resumed."
        raise InputError(what, hint="Name it with -o.")
    if resume and restart:
        hint = "Resume a run, or begin anew."
        raise InputError("--resume and --restart exclude each other.", hint=hint)
    output.check_target(to_file)
    asked: Any = {**given.read(), **rules.read(), "time_limit": time_limit}
    kind = given.source_format if given.source_format in KINDS else None
    if kind is None and per is not None:
        hint = "Name them: --from auto."
        raise InputError("--per says how records of agents are read.", hint=hint)
    asked |= {"mode": mode, "stepwise": steps, "format": None if kind else given.source_format}
    question = evaluation.engine.question_of(tools.read(), **asked)
    question = replace(question, keeps_secrets=secrets)
    note = partial(output.complain, "note") if output.is_shown() else (lambda _: None)
    workers = workers or evaluation.engine.workers_here()
    work = evaluation.engine.engine_of(question, workers, scheduler, note)
    entries, total = _entries(data, given.source_format, per or "turn", note)
    with output.progress("sequences", total) as advance:
        tally = Tally(advance)
        if not is_kept:
            told_as: ToldAs = "json" if to_file == "-" else format
            with closing(work(question, entries)) as answers:
                for answer in answers:
                    tally(answer.verdict)
                    tally.blame(map(evaluation.read_row, [answer.line]))
                    if not _say(answer, told_as, out.is_colored):
                        tally.errors.clear()  # what comes after may be right
                        break
        else:
            annotate = partial(_say, format="github") if format == "github" else (lambda _: None)
            how = {"resume": resume, "restart": restart, "answered": annotate}
            keep(Path(str(to_file)), tally, question, work, entries, **how)
    _tell(tally, to_file, format)
    tally.refuse_lost()
    raise typer.Exit(1 if FAILING[fail_on] & tally.verdicts.keys() else 0)


def _entries(
    data: list[str], format: str | None, per: Literal["turn", "trace"], note: Callable[[str], None]
) -> tuple[Iterator[Entry], int | None]:
    """
    Return the entries of data sets, or of records of a kind, and how many these are, where that is known.

    Without a format, files whose first line is neither a row nor a sequence are records where any can be read.
    """
    sources = [inputs.standard_input() if each == "-" else inputs.read_file(each) for each in data]
    names = [None if isinstance(each, Path) else "standard input" for each in sources]
    kind = format if format in KINDS else None
    if kind is None and format is not None:
        find(SEQUENCE_FORMATS, format)  # refuses what is none
    files = [each for each in sources if isinstance(each, Path)]
    if format is None and any(map(_is_export, files)):
        kind = "auto"
        output.complain("note", "the data is read as an export of traces, as with --from auto.")
    read = partial(trace_entries, kind=kind, per=per, told=note) if kind else raw_entries
    total = None if kind else inputs.total_of(sources)
    return evaluation.engine.entries_of(*sources, names=names, read=read), total


def _is_export(path: Path) -> bool:
    """Whether the beginning of a file is none of a data set, and one of an export of traces."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            lines = list(islice(file, LOOKED_AT))
        first = json.loads(lines[0])
        if not isinstance(first, dict) or "sequence" in first:
            return False
        Sequence.load(first)
    except InputError:
        found = trace_entries("".join(lines), "auto")
        return any(not isinstance(entry, InputError) for _, entry in found)
    except (OSError, ValueError, IndexError, RecursionError):
        return False
    return False


class Tally:
    """
    Counts verdicts, and moves the bar.

    Attributes:
        verdicts: how often each came; None is an error.
        errors: why sequences could not be judged, with the number of sequences for each reason.
        places: where the first sequence stands of each reason.
        began: when it began, in seconds of a clock that only moves on.
    """

    def __init__(self, advance: Callable[[], None]) -> None:
        """Begin with none; `advance` moves the bar."""
        self.verdicts: Counter[str | None] = Counter()
        self.errors: Counter[str] = Counter()
        self.places: dict[str, str] = {}
        self.began = monotonic()
        self._advance = advance

    def __call__(self, verdict: str | None) -> None:
        """Count one; None is an error."""
        self.verdicts[verdict] += 1
        self._advance()

    def blame(self, rows: Iterable[Row]) -> None:
        """Note why sequences could not be judged; the same reason may stand in other lines and columns."""
        for row in rows if None in self.verdicts else ():
            if row.error is not None:
                why = row.error.removeprefix(row.place).lstrip(":0123456789 ")
                why = why if why in self.errors or len(self.errors) < MOST_REASONS else OTHERS
                self.errors[why] += 1
                self.places.setdefault(why, row.place)

    def refuse_lost(self) -> None:
        """
        Refuse a batch in which no sequence could be judged, as one that is no batch.

        Raises:
            InputError: so it is; the message says why, and how often.
        """
        if not self.errors or self.verdicts.keys() != {None}:
            return
        (why, number), total = next(iter(self.errors.items())), self.verdicts[None]
        what = f"none of {total:,} sequences could be judged, {number:,} of them for this reason:"
        if total == 1:
            what = "the only sequence could not be judged:"
        raise InputError(what, where=shown(self.places[why], LONGEST_TEXT), hint=why)


def keep(path: Path, tally: Tally, *asked: Any, **how: Any) -> None:
    """
    Write the rows to a file, and say how to go on where that is interrupted or the disk is full.

    Args:
        path: the file.
        tally: counts the rows.
        asked: question, engine and entries; see `evaluation.engine.record`, which takes `how` as well.

    Raises:
        InputError: the file cannot be written to.
    """
    try:
        evaluation.engine.record(path, *asked, told=tally, **how)
    except (KeyboardInterrupt, OSError) as error:
        rows = sum(tally.verdicts.values())
        kept = f"{rows:,} row{' is' if rows == 1 else 's are'} kept"
        if isinstance(error, KeyboardInterrupt):
            output.complain("interrupted", f"{kept}; the same command with --resume goes on.")
            raise typer.Exit(130) from None
        # it has none where somebody took its folder away
        if evaluation.engine.part_of(path).exists():
            output.complain("stopped", f"{kept}; the same command with --resume goes on.")
        raise output.wrong_file(path, f"{shown(error.strerror or error).lower()}.") from None
    tally.blame(evaluation.read_rows(path))


def _say(answer: Answered, format: ToldAs, colored: bool = False) -> bool:
    """Print the row of one entry, or what is wrong in it; return whether somebody still reads."""
    if format == "json":
        return output.say(answer.line, raw=True)
    if answer.verdict == "valid":
        return True
    row = evaluation.read_row(answer.line)
    if format == "github":
        return output.say("\n".join(evaluation.reports.lint_annotations(row)), commands=True)
    return output.say("\n".join(evaluation.reports.lint_lines(row, color=colored)))


_VERDICTS = ("valid", "repaired", "invalid", "needs_input", "unrepairable", "unknown", None)
_WORDS: dict[str | None, str] = {"unknown": "without an answer in time", None: "with an error"}
_WORDS["needs_input"] = "in need of input"


def _tell(tally: Tally, to_file: str | None, format: ToldAs) -> None:
    """Say how many there were of each verdict, beside the rows or after the lines."""
    counts = {verdict: tally.verdicts[verdict] for verdict in _VERDICTS if tally.verdicts[verdict]}
    total, is_kept = sum(counts.values()), to_file not in (None, "-")
    parts = [f"{number:,} {_WORDS.get(verdict, verdict)}" for verdict, number in counts.items()]
    said = f"{count(total, 'sequence')}: {', '.join(parts) or 'nothing was judged'}."
    if is_kept and format == "json":
        told = {"schema_version": 1, "sequences": total, "errors": counts.pop(None, 0)}
        output.write(output.json_text({**told, "verdicts": counts, "rows": to_file}))
    elif is_kept or (to_file is None and format == "text"):
        output.say(said)
        is_explained = is_kept and tally.verdicts.keys() != {None}
        for why, number in tally.errors.most_common(REASONS) if is_explained else ():
            place = shown(tally.places[why], LONGEST_TEXT)
            output.say(f"  {number:,} with this error, first {place}: {why}")
        if is_kept and total:
            output.say(f"To look at it: refract-asp batch report {shlex.quote(str(to_file))}")
    elif output.is_shown():
        output.complain("done", said)
    if output.is_shown() and total:
        passed = monotonic() - tally.began
        rate = total / max(passed, 1e-9)
        output.complain("time", f"{passed:.1f} s, {rate:,.1f} sequences a second")


# -- reports ---------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Reporting(output.Output):
    """How and where a report is printed."""

    ENDINGS: ClassVar = packaged("cli/tables.json")["report"]
    format: Literal["text", "json", "markdown", "html"] | None = None  # type: ignore[assignment]


@app.adds("report", "run against by listed fail_on format color to_file")
def report(
    out: Reporting,
    run: str,
    against: str | None = None,
    by: list[str] | None = None,
    listed: Annotated[int, typer.Option("--list", min=0, max=1000)] = 10,
    fail_on: Literal["worse", "likely-worse"] | None = None,
) -> None:
    """
    Summarise a run, or compare two. With an earlier run, it shows also what got worse and better since.

    A page is one file of HTML that needs nothing else.

    Examples:

      refract-asp batch report out.jsonl
      refract-asp batch report out.jsonl -o report.html
      refract-asp batch report out.jsonl --by model,date --format markdown
      refract-asp batch report out.jsonl --against before.jsonl --fail-on worse

    Exit codes: 0, 1 the run is worse as --fail-on says, 2 bad usage or input.

    Args:
        run (OUT): What a batch wrote with -o; - reads standard input.
        against (OLD): An earlier run: show what got worse and better since.
        by (FIELDS): Group by these fields of the metadata, with commas between; dots reach inside. By default
            by all that have few values. Repeatable.
        listed (N): List at most this number of tools, faults and sequences.
        fail_on: With --against, exit with 1 when a sequence has a worse verdict, or a share got worse and
            hardly by chance; likely-worse: only when a share did.
        format: How to print it; by default as the ending of -o says (.json, .md, .html), else as text.
    """
    inputs.only_one_stdin(run, against)
    if fail_on is not None and against is None:
        hint = "Name one with --against OLD.jsonl."
        raise InputError("--fail-on compares with an earlier run.", hint=hint)
    output.check_target(out.to_file)
    fields = inputs.names_in(*(by or ()))
    name, old_name = inputs.name_of(run), inputs.name_of(against or "")
    most = max(evaluation.summary.MOST, listed)
    versus = None
    with _file(run) as path, _file(against) as old, output.progress("rows read", None) as advance:

        def rows(path: Any, name: str) -> Iterator[Row]:
            for row in evaluation.read_rows(path, name):
                advance()
                yield row

        times = None if run == inputs.STDIN else evaluation.rows.times_of(Path(run))
        summary = evaluation.summarise(rows(path, name), fields, times, most=most)
        if old is not None:
            versus = evaluation.compare_rows(rows(old, old_name), rows(path, name), most=most)
        if out.format == "html":
            pages = evaluation.page.summary_page
            about = {"from": shown(Path(name).name)}
            if path is not None:
                written = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
                about = {"judged": f"{written:%Y-%m-%d %H:%M}", **about}
            about["version"] = f"refract-asp {evaluation.answering.versions()['refract-asp']}"
            text = pages(partial(rows, path, name), summary, versus, about=about)
        elif out.format == "json":
            more = {} if versus is None else {"versus": versus.model_dump(mode="json")}
            text = output.json_text({**summary.model_dump(mode="json"), **more})
        else:
            tell = evaluation.reports.report_markdown
            if out.format == "text":
                how: Any = {"listed": listed, "color": out.is_colored, "width": output.width()}
                tell = partial(evaluation.reports.report_text, **how)
            blocks = [tell(versus, old_name, name)] if versus else []
            blocks += [tell(summary, name)] if versus is None or fields else []
            text = "\n\n".join(blocks)
    out.write(text, raw=out.format in ("html", "markdown"))
    if versus is None or fail_on is None:
        return
    if versus.worse_measures if fail_on == "likely-worse" else versus.is_worse:
        output.complain("failed", evaluation.reports.said("verdict", versus)[0])
        raise typer.Exit(1)


@contextmanager
def _file(source: str | None) -> Iterator[Path | None]:
    """Give the file that is named; what standard input holds is kept in one, as it is read more than once."""
    if source != inputs.STDIN:
        yield None if source is None else inputs.read_file(source)
        return
    with NamedTemporaryFile(suffix=".jsonl") as file:
        shutil.copyfileobj(inputs.standard_input(), file)
        file.flush()
        yield Path(file.name)
