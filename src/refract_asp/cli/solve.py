"""`refract-asp solve|compress|demo`: repair a sequence, or leave out the calls that do nothing new."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import typer

from refract_asp.cli import inputs, output
from refract_asp.cli.options import COLOR, ISOLATE, Color, refuse, takes
from refract_asp.cli.session import Asked, Rules, Session, isolated, start
from refract_asp.model import EXIT_CODES, RepairResult
from refract_asp.report.text import summary
from refract_asp.resources import demo_path
from refract_asp.settings import option

REQUIRE_OPTIMAL = option(False, "Exit with 5 unless the repair is proven cheapest.")


def sequence_text(data: Any, format: str) -> str:
    """Return a sequence that was written in a format as text: its lines, or JSON."""
    is_lines = isinstance(data, list) and (
        format == "pretty" or (data and all(isinstance(line, str) for line in data))
    )
    if is_lines:
        return "\n".join(data)
    return data if isinstance(data, str) else output.json_text(data)


@dataclass(frozen=True, kw_only=True)
class Printing(output.Output):
    """How the answer of a repair is printed."""

    emit: Literal["all", "diff", "calls"] | None = option(
        None, "All (default), the diff alone, or the repaired calls alone.", "all|diff|calls"
    )
    to: str | None = option(
        None, "Print the repaired calls alone, in this format (see --from).", "FORMAT"
    )
    explain: bool = option(False, "Tell what the repair costs, and why each edit is as it is.")
    why_not: list[str] | None = option(
        None,
        "Tell what a repair would cost that does this, or why none can; repeatable.",
        "STATEMENT",
    )
    prompt: Literal["plain", "issues", "fix", "suggestions"] | None = option(
        None,
        "Print a prompt that has a model correct its calls: with the wrong calls alone, with what is "
        "wrong, with corrected calls, or with what is wrong and what puts it right.",
        "plain|issues|fix|suggestions",
    )
    words: str | None = option(
        None, "With --prompt: what the user asked for; @- is standard input.", "TEXT|@FILE"
    )
    max_tokens: int | None = option(
        None,
        "With --prompt: leave out what is least needed, so that it has at most so many tokens.",
        "N",
        min=1,
    )
    templates: str | None = option(
        None, "With --prompt: take the templates in this folder, if any.", "DIR"
    )

    def refuse_contradictions(self, rules: Rules) -> None:
        """Refuse options that do not go together."""
        is_json = self.format == "json"
        is_part = self.to is not None or self.emit not in (None, "all")
        of_prompt = ("words", "max_tokens", "templates")
        of_all = {"explain": self.explain, "why-not": self.why_not, **rules.said}
        wrong = [
            (name.replace("_", "-"), "it goes with --prompt.")
            for name in of_prompt
            if getattr(self, name) is not None and self.prompt is None
        ]
        if is_json and is_part:
            wrong.append(("format", "json holds everything; leave out --emit and --to."))
        wrong += [
            (name.replace("_", "-"), "leave out --emit and --to.")
            for name in ("explain", "why-not", "alternatives", "next_best")
            if of_all[name] and is_part
        ]
        if self.prompt and not is_json and (is_part or self.explain or self.why_not):
            alone = "it is printed alone; leave out --emit, --to, --explain and --why-not."
            wrong.append(("prompt", alone))
        if self.to is not None and self.emit not in (None, "calls"):
            wrong.append(("emit", "only --emit calls goes with --to."))
        for name, why in wrong:
            refuse(name, why)

    @property
    def is_calls(self) -> bool:
        """Whether the calls are wanted alone, which may replace the given ones."""
        return self.to is not None or self.emit == "calls"

    @property
    def words_file(self) -> str | None:
        """The file with the user's words, or None."""
        return self.words[1:] if self.words is not None and self.words.startswith("@") else None

    def show(self, result: RepairResult, session: Session) -> None:
        """Print a result."""
        if self.format != "json" and self.prompt is not None:
            self.write(self._prompt(result))
        elif self.is_calls:
            self.write(self._calls(result, session), raw=True)
        elif self.emit == "diff":
            self.write(result.diff(color=self.is_colored))
        else:
            self.tell(lambda: self._data(result), lambda **how: self._text(result, **how))

    def _data(self, result: RepairResult) -> dict[str, Any]:
        data = {**result.model_dump(mode="json"), "diff": result.diff()}
        if self.explain:
            data["explanation"] = result.explanation().model_dump(mode="json")
        if self.why_not:
            contrasts = map(result.why_not, self.why_not)
            data["why_not"] = [each.model_dump(mode="json") for each in contrasts]
        if self.prompt is not None:
            data["prompt"] = self._prompt(result)
        return data

    def _prompt(self, result: RepairResult) -> str:
        words = inputs.read_words(self.words_file) if self.words_file is not None else self.words
        folder = inputs.read_folder(self.templates)
        kind = self.prompt or "plain"
        return result.prompt(kind, words=words, max_tokens=self.max_tokens, templates=folder)

    def _text(self, result: RepairResult, **how: Any) -> str:
        contrasts = [result.why_not(statement) for statement in self.why_not or ()]
        blocks = [summary(result, **how)]
        if self.explain or contrasts or result.alternatives:
            from refract_asp.report.explanation import alternatives_text, contrast_text

            if self.explain:
                blocks.append(result.explain(**how))
            blocks.append(alternatives_text(result, **how))
            blocks += [contrast_text(each, **how) for each in contrasts]
        return "\n\n".join(filter(None, blocks))

    def _calls(self, result: RepairResult, session: Session) -> str:
        """Return the repaired calls in a format, by default as they came in, a text without change as it is."""
        name = self.to or result.sequence.format or result.given.format
        unchanged = result.sequence == result.given and not session.sequence.notes
        if unchanged and name == session.sequence.format:
            return session.text
        return sequence_text(result.sequence.dump(name), str(name))


def _finish(result: RepairResult, require_optimal: bool = False) -> None:
    """Exit with the code of the verdict."""
    is_open = require_optimal and not result.optimal
    raise typer.Exit(EXIT_CODES["unknown" if is_open else result.verdict])


@takes(
    "sequence catalog memory history mappings new_maps cost_model constants encodings encodings_dir confirm "
    "defensive max_new_calls max_tries undeclared references check_formats known_tools_only allow deny "
    "time_limit isolate require_optimal goal goals level explain alternatives next_best why_not prompt words "
    "max_tokens templates source_format catalog_format no_cache format emit to color to_file"
)
def solve(
    asked: Asked,
    rules: Rules,
    printing: Printing,
    isolate: bool = ISOLATE,
    require_optimal: bool = REQUIRE_OPTIMAL,
) -> None:
    """
    Repair a sequence of tool calls and print what was changed.

    Examples:

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
    """
    printing.refuse_contradictions(rules)
    isolated(isolate, rules.said["time_limit"])
    session = start(asked, rules, printing.words_file, in_place=printing.is_calls)
    result = session.ask(session.refractor.repair)
    printing.show(result, session)
    _finish(result, require_optimal)


@takes(
    "sequence catalog memory history mappings cost_model constants encodings encodings_dir confirm max_tries "
    "time_limit isolate require_optimal explain alternatives next_best why_not source_format catalog_format "
    "no_cache format emit to color to_file"
)
def compress(
    asked: Asked,
    rules: Rules,
    printing: Printing,
    isolate: bool = ISOLATE,
    require_optimal: bool = REQUIRE_OPTIMAL,
) -> None:
    """
    Leave out the calls of a sequence that do nothing new.

    These are copies, attempts that were made again, calls that were executed before, and what only these
    read. The calls that stay are repaired where something is wrong with them.

    Examples:

      refract-asp compress trace.txt --catalog travel
      refract-asp compress trace.txt --catalog travel --history done.txt
      refract-asp compress trace.txt --catalog travel --to openai
      refract-asp compress trace.txt --catalog travel --explain
      refract-asp compress trace.txt --catalog travel --why-not 'keep call 4'

    Exit codes: 0 every call is needed, or shorter and ready to run, 3 values to ask for or edits to confirm,
    4 a call could not be repaired, 5 no answer in time, 2 bad usage or input.
    """
    printing.refuse_contradictions(rules)
    isolated(isolate, rules.said["time_limit"])
    session = start(asked, rules, in_place=printing.is_calls)
    result = session.refractor.compress(session.sequence, session.memory, session.history)
    printing.show(result, session)
    _finish(result, require_optimal)


@takes(epilog="The same with a file: refract-asp solve calls.txt --catalog travel")
def demo(color: Color = COLOR) -> None:
    """Repair a broken sequence that is shipped with the catalog `travel`, and print what was changed."""
    session = start(Asked(sequence=str(demo_path()), catalog="travel"), Rules())
    result = session.refractor.repair(session.sequence)
    Printing(color=color).show(result, session)
    _finish(result)
