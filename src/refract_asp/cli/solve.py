"""`refract-asp solve|compress|demo`: repair a sequence, or leave out the calls that do nothing new."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from refract_asp.cli import inputs, options, output
from refract_asp.cli.session import Asked, Session, isolated, start
from refract_asp.model import EXIT_CODES, RepairResult
from refract_asp.report.text import summary
from refract_asp.resources import demo_path

__all__ = ["EPILOGS", "Printing", "compress", "demo", "exit_code", "solve"]


@dataclass(frozen=True, kw_only=True)
class Printing:
    """How the answer of a repair is printed."""

    format: options.OutputFormatChoice = options.OutputFormat.TEXT
    emit: options.EmitChoice = None
    to: options.ToFormat = None
    color: options.Color = options.ColorChoice.AUTO
    to_file: options.Output = None
    explain: options.Explain = False
    why_not: options.WhyNot = None
    prompt: options.Prompt = None
    words: options.Words = None
    max_tokens: options.MaxTokens = None
    templates: options.Templates = None

    def refuse_contradictions(self, asked: Asked) -> None:
        """Refuse options that do not go together."""
        for name in ("words", "max_tokens", "templates"):
            if getattr(self, name) is not None and self.prompt is None:
                hint = f"'--{name.replace('_', '-')}'"
                raise typer.BadParameter("it goes with --prompt.", param_hint=hint)
        is_part = self.to is not None or self.emit not in (None, "all")
        if self.is_json and is_part:
            what = "json holds everything; leave out --emit and --to."
            raise typer.BadParameter(what, param_hint="'--format'")
        for name, wanted in (
            ("--explain", self.explain),
            ("--why-not", self.why_not),
            ("--alternatives", asked.alternatives),
            ("--next-best", asked.next_best),
        ):
            if wanted and is_part:
                raise typer.BadParameter("leave out --emit and --to.", param_hint=f"'{name}'")
        if (
            self.prompt is not None
            and not self.is_json
            and (is_part or self.explain or self.why_not)
        ):
            what = "it is printed alone; leave out --emit, --to, --explain and --why-not."
            raise typer.BadParameter(what, param_hint="'--prompt'")
        if self.to is not None and self.emit not in (None, "calls"):
            raise typer.BadParameter("only --emit calls goes with --to.", param_hint="'--emit'")

    @property
    def is_json(self) -> bool:
        """Whether JSON is wanted."""
        return self.format is options.OutputFormat.JSON

    @property
    def is_calls(self) -> bool:
        """Whether the calls are wanted alone, which may replace the given ones."""
        return self.to is not None or self.emit == "calls"

    @property
    def words_file(self) -> str | None:
        """The file with the user's words, or None."""
        return self.words[1:] if self.words is not None and self.words.startswith("@") else None

    def tell(self, result: RepairResult, session: Session) -> None:
        """Print a result."""
        colored = output.use_color(self.color, self.to_file)
        if self.is_json:
            output.write(output.json_text(self._data(result)), self.to_file)
        elif self.prompt is not None:
            output.write(self._prompt(result, self.prompt), self.to_file)
        elif self.is_calls:
            output.write(_calls_text(result, self.to, session), self.to_file, raw=True)
        elif self.emit == "diff":
            output.write(result.diff(color=colored), self.to_file)
        else:
            output.write(self._text(result, colored), self.to_file)

    def _data(self, result: RepairResult) -> dict[str, Any]:
        data = {**result.model_dump(mode="json"), "diff": result.diff()}
        if self.explain:
            data["explanation"] = result.explanation().model_dump(mode="json")
        if self.why_not:
            data["why_not"] = [
                result.why_not(each).model_dump(mode="json") for each in self.why_not
            ]
        if self.prompt is not None:
            data["prompt"] = self._prompt(result, self.prompt)
        return data

    def _prompt(self, result: RepairResult, kind: options.PromptKind) -> str:
        words = self.words if self.words_file is None else inputs.read_words(self.words_file)
        folder = inputs.read_folder(self.templates)
        return result.prompt(kind, words=words, max_tokens=self.max_tokens, templates=folder)

    def _text(self, result: RepairResult, colored: bool) -> str:
        width = output.width()
        contrasts = [result.why_not(statement) for statement in self.why_not or ()]
        blocks = [summary(result, color=colored, width=width)]
        if self.explain or contrasts or result.alternatives:
            from refract_asp.report.explanation import alternatives_text, contrast_text

            if self.explain:
                blocks.append(result.explain(color=colored, width=width))
            blocks.append(alternatives_text(result, color=colored, width=width))
            blocks += [contrast_text(each, color=colored, width=width) for each in contrasts]
        return "\n\n".join(block for block in blocks if block)


def _calls_text(result: RepairResult, to: str | None, session: Session) -> str:
    """Return the repaired calls in a format, by default as they came in, a text without change as it is."""
    name = to or result.sequence.format or result.given.format
    unchanged = result.sequence == result.given and not session.sequence.notes
    if unchanged and name == session.sequence.format:
        return session.text
    data: Any = result.sequence.dump(name)
    if isinstance(data, str):
        return data
    if isinstance(data, list) and (
        name == "pretty" or (data and all(isinstance(x, str) for x in data))
    ):
        return "\n".join(data)
    return output.json_text(data)


def exit_code(result: RepairResult, require_optimal: bool) -> int:
    """Return what a command that repairs exits with."""
    if require_optimal and not result.optimal:
        return EXIT_CODES["unknown"]
    return EXIT_CODES[result.verdict]


EPILOGS = {
    "solve": """
Examples:

\b
  refract-asp solve calls.txt --catalog travel
  refract-asp solve calls.json --catalog tools.yaml --memory memory.json
  refract-asp solve - --catalog travel --to nestful < calls.txt
  refract-asp solve calls.txt --catalog travel --format json -o answer.json
  refract-asp solve calls.txt --catalog hr --goal concur --level cheapest
  refract-asp solve calls.txt --catalog travel --explain
  refract-asp solve calls.txt --catalog travel --alternatives 5 --next-best
  refract-asp solve calls.txt --catalog travel --why-not 'keep var3.date'
  refract-asp solve calls.txt --catalog travel --prompt suggestions

Exit codes: 0 valid or repaired, 3 values to ask for or edits to confirm, 4 a call could not be repaired,
5 no answer in time, 2 bad usage or input.
""",
    "demo": "The same with a file: refract-asp solve calls.txt --catalog travel",
    "compress": """
Examples:

\b
  refract-asp compress trace.txt --catalog travel
  refract-asp compress trace.txt --catalog travel --history done.txt
  refract-asp compress trace.txt --catalog travel --to openai
  refract-asp compress trace.txt --catalog travel --explain
  refract-asp compress trace.txt --catalog travel --why-not 'keep call 4'

Exit codes: 0 every call is needed, or shorter and ready to run, 3 values to ask for or edits to confirm,
4 a call could not be repaired, 5 no answer in time, 2 bad usage or input.
""",
}


@options.takes(
    "sequence catalog memory history mappings new_maps cost_model constants encoding encodings confirm "
    "defensive max_new_calls max_tries undeclared references check_formats known_tools_only allow deny "
    "time_limit isolate require_optimal goal goals level explain alternatives next_best why_not prompt words "
    "max_tokens templates source_format catalog_format no_cache format emit to color to_file"
)
def solve(
    asked: Asked,
    printing: Printing,
    isolate: options.Isolate = False,
    require_optimal: options.RequireOptimal = False,
) -> None:
    """Repair a sequence of tool calls and print what was changed."""
    printing.refuse_contradictions(asked)
    isolated(isolate, asked.time_limit)
    session = start(asked, printing.words_file, in_place=printing.is_calls)
    result = session.refractor.repair(
        session.sequence, session.memory, session.history, session.goals, level=session.level
    )
    printing.tell(result, session)
    raise typer.Exit(exit_code(result, require_optimal))


@options.takes(
    "sequence catalog memory history mappings cost_model constants encoding encodings confirm max_tries "
    "time_limit isolate require_optimal explain alternatives next_best why_not source_format catalog_format "
    "no_cache format emit to color to_file"
)
def compress(
    asked: Asked,
    printing: Printing,
    isolate: options.Isolate = False,
    require_optimal: options.RequireOptimal = False,
) -> None:
    """
    Leave out the calls of a sequence that do nothing new.

    These are copies, attempts that were made again, calls that were executed before, and what only these
    read. The calls that stay are repaired where something is wrong with them.
    """
    printing.refuse_contradictions(asked)
    isolated(isolate, asked.time_limit)
    session = start(asked, in_place=printing.is_calls)
    result = session.refractor.compress(session.sequence, session.memory, session.history)
    printing.tell(result, session)
    raise typer.Exit(exit_code(result, require_optimal))


def demo(color: options.Color = options.ColorChoice.AUTO) -> None:
    """Repair a broken sequence that is shipped with the catalog `travel`, and print what was changed."""
    session = start(Asked(sequence=str(demo_path()), catalog="travel"))
    result = session.refractor.repair(session.sequence)
    Printing(color=color).tell(result, session)
    raise typer.Exit(exit_code(result, require_optimal=False))
