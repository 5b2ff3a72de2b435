"""Writing answers: to the terminal, to a pipe that may close, or to a file in one step."""

from __future__ import annotations

import codecs
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

import typer

from refract_asp.cli.options import Color, Options, OutputFile
from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.report.terminal import escaped, painted

T = TypeVar("T")


def is_shown() -> bool:
    """Whether somebody sees a bar."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def progress(title: str, total: int | None) -> Iterator[Callable[[], None]]:
    """
    Show a bar with the number done, the rate and the time that remains; give what is called for each done.

    `total` is None where it is unknown. Without a terminal nothing is shown, and no library for it loaded.
    What is given raises KeyboardInterrupt where Ctrl-C was pressed, and got lost inside a library.
    """
    from refract_asp.pooling import unheard_interrupts

    if not is_shown():
        with unheard_interrupts() as hear:
            yield hear
        return
    from rich import progress as bars
    from rich.console import Console

    class Rate(bars.ProgressColumn):
        def render(self, task: bars.Task) -> str:
            return f"{task.completed / (task.elapsed or 1):.1f}/s" if task.completed else ""

    columns = (bars.BarColumn(), bars.MofNCompleteColumn(), Rate(), bars.TimeRemainingColumn())
    console = Console(stderr=True)
    how: Any = {"console": console, "redirect_stdout": False, "transient": True}
    with unheard_interrupts() as hear, bars.Progress("{task.description}", *columns, **how) as bar:
        task = bar.add_task(title, total=total)

        def done() -> None:
            bar.advance(task)
            hear()

        yield done


# -- how and where an answer is printed ------------------------------------------


def to_terminal(output: str | None) -> bool:
    """Whether what is written to `output` shows on a terminal."""
    return output in (None, "-") and sys.stdout is not None and sys.stdout.isatty()


def use_color(choice: Color, output: str | None) -> bool:
    """Whether to colour: as chosen, else on a terminal that can, or with FORCE_COLOR, but not with NO_COLOR."""
    if choice != "auto":
        return choice == "always"
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    is_forced = output in (None, "-") and bool(os.environ.get("FORCE_COLOR"))
    return (to_terminal(output) or is_forced) and not is_plain


def width() -> int:
    """Return how many columns the terminal has, 80 where there is none."""
    return shutil.get_terminal_size((80, 24)).columns


def rendered(name: str, color: bool = False, **values: Any) -> str:
    """Return the text of the template of that name with values put in, in colour if wanted."""
    from refract_asp.report.pages import printed

    template = Path(__file__).parent / "templates" / f"{name}.txt.j2"
    return printed(template, color, width(), **values)


def json_text(data: Any) -> str:
    """Print data as JSON with an indent of 2; what does not print is escaped."""
    return escaped(json.dumps(data, indent=2, ensure_ascii=False), keep="\n")


def sequence_text(data: Any, format: str) -> str:
    """Return a sequence that was written in a format as text: its lines, or JSON."""
    is_text = bool(data) and all(isinstance(line, str) for line in data)
    if isinstance(data, list) and (format == "pretty" or is_text):
        return "\n".join(data)
    return data if isinstance(data, str) else json_text(data)


@dataclass(frozen=True, kw_only=True)
class Output(Options):
    """
    How and where an answer is printed.

    Attributes:
        format: How to print the answer; by default as the ending of -o says, else as text.
        color: Colour the text; auto: on a terminal or with FORCE_COLOR, but not with NO_COLOR.
        to_file (FILE): Write here, not to standard output.
    """

    ENDINGS: ClassVar[Mapping[str, str]] = {".json": "json", ".txt": "text", ".log": "text"}
    format: Literal["text", "json"] | None = None
    color: Color = "auto"
    to_file: OutputFile = None

    def __post_init__(self) -> None:
        """Choose the format; an ending that stands for none is refused before any work is done."""
        if self.format is None:
            object.__setattr__(self, "format", by_ending(self.to_file, self.ENDINGS, "text"))

    @property
    def is_colored(self) -> bool:
        """Whether to colour."""
        return use_color(self.color, self.to_file)

    def write(self, text: str, *, raw: bool = False) -> None:
        """Write a text where it is wanted."""
        write(text, self.to_file, raw=raw)

    def tell(self, data: Any, text: Callable[..., str]) -> None:
        """
        Print an answer.

        Args:
            data: the answer, a model or a dict, or what makes it; as JSON it has the version of its schema.
            text: makes the text of it, for a colour and a width.
        """
        if self.format == "json":
            made = data() if callable(data) else data
            made = made if isinstance(made, dict) else made.model_dump(mode="json")
            self.write(json_text({"schema_version": 1, **made}))
        else:
            self.write(text(color=self.is_colored, width=width()))

    def show(self, data: Any, template: str, **values: Any) -> None:
        """Print an answer as JSON, or as the template makes a text of the values."""
        self.tell(data, lambda color, **_: rendered(template, color, **values))


def prints(text: Callable[[], str], *names: str) -> Any:
    """Return the option that prints a text, and ends the command before anything else is looked at."""

    def printed(is_wanted: bool) -> None:
        if is_wanted:
            write(text())
            raise typer.Exit

    return typer.Option(*names, callback=printed, is_eager=True)


def by_ending(to_file: str | None, endings: Mapping[str, T], otherwise: T) -> T:
    """
    Return the format that the ending of a file stands for; without a file, or an ending, the other one.

    Raises:
        InputError: the ending stands for none.
    """
    suffix = "" if to_file in (None, "-") else Path(str(to_file)).suffix.lower()
    if not suffix:
        return otherwise
    if suffix in endings:
        return endings[suffix]
    hint = f"Use {', '.join(endings)}, or say which with --format."
    raise wrong_file(to_file, f"nothing is written as {suffix}.", hint)


# -- writing ---------------------------------------------------------------------

# Where a line begins that a GitHub workflow takes for a command.
_COMMAND = re.compile(r"^([ \t]*)(?=::)", re.MULTILINE)


def write(
    text: str, output: str | None = None, *, raw: bool = False, commands: bool = False
) -> None:
    """
    Write `text`, with a line break at its end, to standard output or to a file.

    A file is replaced in one step, so that no reader ever sees half of it. `raw` text is escaped when it
    shows on a terminal, and written as it is otherwise. In the log of a GitHub workflow a line that would be
    read as a command there begins with a backslash, unless it is one of our `commands`.
    """
    if output is None or output == "-":
        say(text, raw=raw, commands=commands)
        return
    check_target(output)
    path = Path(output).resolve()
    content = _with_break(text).encode("utf-8", "backslashreplace")
    if path.exists() and not path.is_file():  # a device or a pipe
        path.write_bytes(content)
        return
    beside = path.with_name(f".{path.name[:100]}.{os.getpid()}")
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, beside)
        os.replace(beside, path)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = output  # the user knows no file beside it
        raise


def _with_break(text: str) -> str:
    return f"{text}\n" if text and not text.endswith("\n") else text


def say(text: str, *, raw: bool = False, commands: bool = False) -> bool:
    """Write `text` to standard output as `write` does; return whether somebody still reads it."""
    if not (raw or commands) and os.environ.get("GITHUB_ACTIONS") == "true":
        text = _COMMAND.sub(r"\1\\", text)
    if raw and to_terminal(None):
        text = escaped(text, keep="\n")
    if sys.stdout is None:
        return False
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(_with_break(text).encode(encoding, "escaped").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:  # a reader that has gone is no mistake
        _silence(sys.stdout.fileno())
        return False
    return True


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Escape what an encoding does not have as JSON does."""
    assert isinstance(error, UnicodeEncodeError)
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


codecs.register_error("escaped", _escape)


def complain(kind: str, message: str) -> None:
    """Print `kind: message` to standard error."""
    if sys.stderr is None:  # there is no standard error
        return
    word = f"{kind}:"
    if (is_shown() or os.environ.get("FORCE_COLOR")) and use_color("auto", None):
        word = painted(word, "bold", "red")
    try:
        print(f"{word} {escaped(message, keep=chr(10))}", file=sys.stderr, flush=True)
    except OSError:  # the reader has gone, or the disk is full
        _silence(sys.stderr.fileno())


def _silence(descriptor: int) -> None:
    """Send the rest of what goes to `descriptor` nowhere, also what Python flushes when it exits."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def wrong_file(path: object, what: str, hint: str = "") -> InputError:
    """Return the error that a file cannot be read or written."""
    return InputError(what, where=shown(path, LONGEST_TEXT), hint=hint)


def check_target(output: str | None) -> None:
    """
    Refuse a file that cannot be written to, as there is no folder for it.

    Raises:
        InputError: it is a folder, or its folder is none.
    """
    if output is None or output == "-":
        return
    path = Path(output).resolve()
    if path.is_dir():
        raise wrong_file(path, "this is a folder, not a file.")
    if not path.exists() and not path.parent.is_dir():
        raise wrong_file(path.parent, "there is no such folder.")
