"""`refract-asp batch`: many sequences, what came of them, and how two runs differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from refract_asp import evaluation
from refract_asp.cli import batch_run, inputs, options, output
from refract_asp.cli.output import progress
from refract_asp.errors import InputError, shown

if TYPE_CHECKING:
    from refract_asp.evaluation.rows import Row
    from refract_asp.evaluation.versus import Versus

__all__ = ["app"]

REPORT_EPILOG = """
Examples:

\b
  refract-asp batch report out.jsonl
  refract-asp batch report out.jsonl -o report.html
  refract-asp batch report out.jsonl --by model,date --format markdown
  refract-asp batch report out.jsonl --against before.jsonl --fail-on worse

Exit codes: 0, 1 the run is worse as --fail-on says, 2 bad usage or input.
"""


class BatchFormat(StrEnum):
    """How a run is reported."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"


class FailOn(StrEnum):
    """When a run that is worse than another one fails."""

    WORSE = "worse"
    LIKELY = "likely-worse"


_ENDINGS = {
    ".html": BatchFormat.HTML,
    ".htm": BatchFormat.HTML,
    ".md": BatchFormat.MARKDOWN,
    ".json": BatchFormat.JSON,
}


def report(
    run: Annotated[
        str,
        typer.Argument(metavar="OUT", help="What a batch wrote with -o; - reads standard input."),
    ],
    against: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="OLD", help="An earlier run: tell what got worse and better since."
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            metavar="FIELDS",
            help="Group by these fields of the metadata, with commas between; dots reach inside. By default "
            "by all that have few values. Repeatable.",
        ),
    ] = None,
    listed: Annotated[
        int,
        typer.Option(
            "--list",
            metavar="N",
            min=0,
            max=1000,
            help="List so many tools, faults and sequences at most.",
        ),
    ] = 10,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            "--fail-on",
            metavar="worse|likely-worse",
            help="With --against, exit with 1 when a sequence has a worse verdict, or a share got worse and "
            "hardly by chance; likely-worse: only when a share did.",
        ),
    ] = None,
    format: Annotated[
        BatchFormat | None,
        typer.Option(
            "--format",
            metavar="text|json|markdown|html",
            help="How to print it; by default as the ending of -o says (.json, .md, .html), else as text.",
        ),
    ] = None,
    color: options.Color = options.ColorChoice.AUTO,
    to_file: options.Output = None,
) -> None:
    """
    Report what came of many sequences; with an earlier run, also what got worse and better since.

    A page is one file of HTML that needs nothing else.
    """

    inputs.only_one_stdin(run, against)
    if fail_on is not None and against is None:
        raise InputError(
            "--fail-on compares with an earlier run.", hint="Name one with --against OLD.jsonl."
        )
    if to_file is not None:
        output.check_target(to_file)
    chosen = format or _ENDINGS.get(Path(to_file or "").suffix.lower(), BatchFormat.TEXT)
    with _file(run) as path, _file(against) as old:
        with progress("rows read", None) as advance:
            found = _Report(run, path, against, old, by, listed, advance)
            colored = chosen is BatchFormat.TEXT and output.use_color(color, to_file)
            told = found.told(chosen, colored)
        output.write(told, to_file, raw=chosen in (BatchFormat.HTML, BatchFormat.MARKDOWN))
        raise typer.Exit(_exit_code(found.versus, fail_on))


class _Report:
    """A run in figures, and how it differs from an earlier one."""

    def __init__(
        self,
        run: str,
        path: Path | None,
        against: str | None,
        old: Path | None,
        by: list[str] | None,
        listed: int,
        advance: Callable[[], None],
    ) -> None:
        assert path is not None
        self._advance = advance
        self.name, self.path = _called(run), path
        self.old_name, self.listed = _called(against) if against is not None else "", listed
        fields = [name.strip() for each in by or () for name in each.split(",") if name.strip()]
        self.tells_run = old is None or bool(fields)
        most = max(evaluation.MOST, listed)
        times = evaluation.times_of(path) if run != inputs.STDIN else None
        self.summary = evaluation.summarise(self.rows(), fields, times, most=most)
        self.versus: Versus | None = None
        if old is not None:
            self.versus = evaluation.compare_rows(
                self._read(old, self.old_name), self.rows(), most=most
            )

    def rows(self) -> Iterator[Row]:
        """Read the rows of the run."""
        return self._read(self.path, self.name)

    def _read(self, path: Path, name: str) -> Iterator[Row]:

        for row in evaluation.read_rows(path, name):
            self._advance()
            yield row

    def told(self, format: BatchFormat, color: bool) -> str:
        """Return the report."""
        match format:
            case BatchFormat.HTML:
                count = self.summary.overall.sequences
                title = (
                    f"{shown(Path(self.name).name)}: {count:,} sequence{'' if count == 1 else 's'}"
                )
                return evaluation.summary_page(self.rows, self.summary, self.versus, title=title)
            case BatchFormat.JSON:
                return output.json_text(self._data())
            case BatchFormat.MARKDOWN:
                return "\n\n".join(self._markdown())
            case _:
                return "\n\n".join(self._text(color))

    # -- steps -----------------------------------------------------------------

    def _data(self) -> dict[str, object]:
        summary = self.summary.model_dump(mode="json")
        if self.versus is None:
            return summary
        return {**summary, "versus": self.versus.model_dump(mode="json")}

    def _markdown(self) -> Iterator[str]:

        if self.versus is not None:
            yield evaluation.versus_markdown(self.versus, self.old_name, self.name)
        if self.tells_run:
            yield evaluation.summary_markdown(self.summary, self.name)

    def _text(self, color: bool) -> Iterator[str]:

        how: Any = {"listed": self.listed, "color": color, "width": output.width()}
        if self.versus is not None:
            yield evaluation.versus_text(self.versus, self.old_name, self.name, **how)
        if self.tells_run:
            yield evaluation.summary_text(self.summary, self.name, **how)


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


def _exit_code(found: Versus | None, fail_on: FailOn | None) -> int:
    """Return 1 where the run is worse than the earlier one in a way that counts."""
    if found is None or fail_on is None:
        return 0
    if found.worse_measures if fail_on is FailOn.LIKELY else found.is_worse:
        output.complain("failed", evaluation.verdict_on(found))
        return 1
    return 0


DEFAULT = "run"


class _RunByDefault(TyperGroup):
    """Takes `batch DATA...` as `batch run DATA...`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (
            *self.commands,
            "-h",
            "--help",
            "--install-completion",
            "--show-completion",
        ):
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


EPILOG = """
Examples:

\b
  refract-asp batch traces.jsonl --catalog travel -o out.jsonl
  refract-asp batch run --help
  refract-asp batch traces.jsonl --catalog travel -o out.jsonl --resume
  refract-asp batch report out.jsonl -o report.html
  refract-asp batch report out.jsonl --against before.jsonl --fail-on worse

`batch DATA...` is `batch run DATA...`.
"""

app = typer.Typer(
    cls=_RunByDefault,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Judge many recorded sequences, and see where agents go wrong.",
    epilog=EPILOG,
)

app.command("run", epilog=batch_run.EPILOG, short_help="Judge every sequence of data sets.")(
    batch_run.run
)
app.command("report", epilog=REPORT_EPILOG, short_help="Tell what came of a run, or compare two.")(
    report
)
