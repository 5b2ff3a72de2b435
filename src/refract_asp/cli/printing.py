"""Prints the answer of a repair as it is wanted: all of it, the diff, the calls alone, or JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import typer

from refract_asp.cli import options, output
from refract_asp.cli.prompting import Prompting

if TYPE_CHECKING:
    from refract_asp.cli.session import Session
    from refract_asp.model import RepairResult

__all__ = ["Printing", "exit_code"]


@dataclass(frozen=True)
class Printing:
    """
    How an answer is printed.

    Attributes:
        format: text or JSON.
        emit: which part of the text.
        to: the format of the calls, if only these are wanted.
        color: when to colour.
        to_file: where to, or None for standard output.
        explain: whether the repair is explained.
        why_not: the statements that are contrasted with it.
        prompt: the prompt that is wanted alone, in JSON besides.
        more: other options that ask for more than the calls, with what they say.
    """

    format: options.OutputFormat
    emit: options.Emit | None
    to: str | None
    color: options.ColorChoice
    to_file: str | None
    explain: bool = False
    why_not: tuple[str, ...] = ()
    more: tuple[tuple[str, object], ...] = ()
    prompt: Prompting = field(default_factory=Prompting)

    def __post_init__(self) -> None:
        """Refuse options that do not go together."""
        is_part = self.to is not None or self.emit not in (None, options.Emit.ALL)
        if self.is_json and is_part:
            what = "json holds everything; leave out --emit and --to."
            raise typer.BadParameter(what, param_hint="'--format'")
        for name, wanted in (("--explain", self.explain), ("--why-not", self.why_not), *self.more):
            if wanted and is_part:
                raise typer.BadParameter("leave out --emit and --to.", param_hint=f"'{name}'")
        if self.prompt.kind is not None and not self.is_json and (is_part or self.explain or self.why_not):
            what = "it is printed alone; leave out --emit, --to, --explain and --why-not."
            raise typer.BadParameter(what, param_hint="'--prompt'")
        if self.to is not None and self.emit not in (None, options.Emit.CALLS):
            raise typer.BadParameter("only --emit calls goes with --to.", param_hint="'--emit'")

    @property
    def is_json(self) -> bool:
        """Whether JSON is wanted."""
        return self.format is options.OutputFormat.JSON

    def tell(self, result: RepairResult, session: Session) -> None:
        """Print a result."""
        colored = output.use_color(self.color, self.to_file)
        if self.is_json:
            output.write(output.json_text(self._data(result)), self.to_file)
        elif self.prompt.kind is not None:
            output.write(self.prompt.text(result), self.to_file)
        elif self.to is not None or self.emit is options.Emit.CALLS:
            output.write(_calls_text(result, self.to, session), self.to_file, raw=True)
        elif self.emit is options.Emit.DIFF:
            output.write(result.diff(color=colored), self.to_file)
        else:
            output.write(self._text(result, colored), self.to_file)

    def _data(self, result: RepairResult) -> dict[str, Any]:
        data = {**result.model_dump(mode="json"), "diff": result.diff()}
        if self.explain:
            data["explanation"] = result.explanation().model_dump(mode="json")
        if self.why_not:
            data["why_not"] = [result.why_not(each).model_dump(mode="json") for each in self.why_not]
        if self.prompt.kind is not None:
            data["prompt"] = self.prompt.text(result)
        return data

    def _text(self, result: RepairResult, colored: bool) -> str:
        from refract_asp.report.text import summary

        width = output.width()
        contrasts = [result.why_not(statement) for statement in self.why_not]
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
    if isinstance(data, list) and (name == "pretty" or (data and all(isinstance(x, str) for x in data))):
        return "\n".join(data)
    return output.json_text(data)


def exit_code(result: RepairResult, require_optimal: bool) -> int:
    """Return what a command that repairs exits with."""
    from refract_asp.model import EXIT_CODES

    if require_optimal and not result.optimal:
        return EXIT_CODES["unknown"]
    return EXIT_CODES[result.verdict]
