"""`refract-asp solve|compress|demo`: repair a sequence, or leave out the calls that do nothing new."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import typer

from refract_asp.cli import inputs, late
from refract_asp.cli.options import Color, CountIfAny, Level, refuse, takes
from refract_asp.cli.output import Output, complain, is_shown, sequence_text, width
from refract_asp.cli.session import Asked, Rules, Session, start
from refract_asp.errors import FormatError, shown
from refract_asp.resources import demo_path

if TYPE_CHECKING:
    from refract_asp.model import RepairResult


@dataclass(frozen=True, kw_only=True)
class Printing(Output):
    """
    How the answer of a repair is printed.

    Attributes:
        emit: Everything (default), the diff alone, or the repaired calls alone; for authors of rules, the ground
            program, or its size and what clingo did (JSON).
        to (FORMAT): Print the repaired calls alone, in this format (see --from).
        explain: Show what the repair costs, and the reason for each edit.
        why_not (STATEMENT): Show what a repair that does this would cost, or why there is none; repeatable.
        prompt: Print a prompt that has a model correct its calls: with the wrong calls alone, with what is
            wrong, with corrected calls, or with what is wrong and how to correct it.
        words (TEXT|@FILE): With --prompt: what the user asked for; @- is standard input.
        max_tokens (N): With --prompt: leave out what is least needed, until it has at most this number of tokens.
        templates (DIR): With --prompt: take the templates in this folder, if any.
        require_optimal: Exit with 5 unless the repair is proven cheapest.
    """

    emit: Literal["all", "diff", "calls", "ground", "stats"] | None = None
    to: str | None = None
    explain: bool = False
    why_not: list[str] | None = None
    prompt: Literal["plain", "issues", "fix", "suggestions"] | None = None
    words: str | None = None
    max_tokens: CountIfAny = None
    templates: str | None = None
    require_optimal: bool = False

    def __post_init__(self) -> None:
        """Choose the format; calls, diffs and prompts alone have one of their own, whatever the ending."""
        if self.format is None and (self.is_part or self.prompt):
            object.__setattr__(self, "format", "text")
        super().__post_init__()

    @property
    def is_part(self) -> bool:
        """Whether a part of the answer is wanted alone."""
        return self.to is not None or self.emit not in (None, "all")

    def refuse_contradictions(self, rules: Rules) -> None:
        """Refuse options that do not go together."""
        told = {**vars(self), **rules.said}
        for name in ("words", "max_tokens", "templates"):
            if told[name] is not None and self.prompt is None:
                refuse(name, "it goes with --prompt.")
        if self.format == "json" and self.is_part:
            refuse("format", "json holds everything; leave out --emit and --to.")
        for name in ("explain", "why_not", "alternatives", "next_best"):
            if told[name] and self.is_part:
                refuse(name, "leave out --emit and --to.")
        if self.prompt and self.format != "json" and (self.is_part or self.explain or self.why_not):
            others = "--emit, --to, --explain and --why-not"
            refuse("prompt", f"it is printed alone; leave out {others}.")
        if self.to is not None and self.emit not in (None, "calls"):
            refuse("emit", "only --emit calls goes with --to.")

    @property
    def is_calls(self) -> bool:
        """Whether the calls are wanted alone, which may replace the given ones."""
        return self.to is not None or self.emit == "calls"

    @property
    def words_file(self) -> str | None:
        """The file with the user's words, or None."""
        return self.words[1:] if self.words is not None and self.words.startswith("@") else None

    def show_question(self, session: Session, level: Level | None = None) -> None:
        """Print what is asked of clingo, where that is wanted, and exit."""
        if self.emit in ("ground", "stats"):
            how = {"level": level or session.level, "emit": self.emit}
            self.write(session.ask(session.refractor.facts, **how), raw=True)
            raise typer.Exit(0)

    def end_with(self, result: RepairResult, session: Session, *, asks: bool = False) -> None:
        """Print a result, and exit with the code of its verdict."""
        if self.format != "json" and self.prompt is not None:
            self.write(self._prompt(result))
        elif self.is_calls:
            for note in session.sequence.notes if session.sequence.format == "plan" else ():
                complain("note", note)
            try:
                calls = self._calls(result, session)
            except FormatError as error:
                if not result.sequence.is_open:
                    raise
                complain("error", str(error))  # the input was fine: the exit code says what is open
            else:
                self.write(calls, raw=True)
        elif self.emit == "diff":
            self.write(result.diff(color=self.is_colored, width=width()))
        else:
            self.tell(lambda: self._data(result), lambda **how: self._text(result, **how))
            if asks and result.verdict == "needs_input" and self.format != "json" and is_shown():
                answers = "".join(f" --answer {shown(ask.name)}=VALUE" for ask in result.asks)
                complain("next", f"the same command with{answers}{' --yes' * any(result.confirms)}")
        is_open = self.require_optimal and not result.optimal
        raise typer.Exit(late.model.EXIT_CODES["unknown" if is_open else result.verdict])

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
        file = self.words_file
        words = self.words if file is None else late.formats.read_text(inputs.read_data(file))
        folder = inputs.read_folder(self.templates)
        kind = self.prompt or "plain"
        return result.prompt(kind, words=words, max_tokens=self.max_tokens, templates=folder)

    def _text(self, result: RepairResult, **how: Any) -> str:
        contrasts = [result.why_not(statement) for statement in self.why_not or ()]
        blocks = [late.text.summary(result, costs=self.explain, **how)]
        if self.explain or contrasts or result.alternatives:
            blocks.append(result.explain(**how) if self.explain else "")
            blocks.append(late.text.alternatives_text(result, **how))
            blocks += [late.text.contrast_text(each, **how) for each in contrasts]
        return "\n\n".join(filter(None, blocks))

    def _calls(self, result: RepairResult, session: Session) -> str:
        """Return the repaired calls in a format, by default as they came in, a text without change as it is."""
        name = self.to or result.sequence.format or result.given.format
        unchanged = result.sequence == result.given and not session.sequence.notes
        if unchanged and name == session.sequence.format:
            return late.formats.read_text(session.content)
        return sequence_text(result.sequence.dump(name), str(name))


@takes(
    "sequence catalog tag tool memory history answer yes mappings new_maps cost_model constants encodings patterns "
    "encodings_dir evidence confirm defensive max_new_calls max_tries undeclared references check_formats lenient "
    "effects known_tools_only allow deny time_limit isolate require_optimal goal goals level explain alternatives "
    "next_best why_not prompt words max_tokens templates source_format catalog_format no_cache format "
    "emit to color to_file"
)
def solve(
    asked: Asked,
    rules: Rules,
    printing: Printing,
    answer: list[str] | None = None,
    yes: bool = False,
) -> None:
    """
    Repair a sequence of tool calls and print what was changed.

    Examples:

      refract-asp solve calls.txt --catalog travel
      refract-asp solve calls.json --catalog tools.yaml --memory memory.json
      refract-asp solve - --catalog travel --to nestful < calls.txt
      refract-asp solve calls.txt --catalog travel -o answer.json
      refract-asp solve calls.txt --catalog travel --answer day=2024-08-15 --yes
      refract-asp solve calls.txt --catalog hr --goal concur --level cheapest
      refract-asp solve calls.txt --catalog travel --explain
      refract-asp solve calls.txt --catalog travel --alternatives 5 --next-best
      refract-asp solve calls.txt --catalog travel --why-not 'keep var3.date'
      refract-asp solve calls.txt --catalog travel --prompt suggestions

    Exit codes: 0 valid or repaired, 3 values to ask for or edits to confirm, 4 a call could not be repaired,
    5 no answer in time, 2 bad usage or input.

    Args:
        answer (NAME=VALUE): Give a value that is asked for, as text or JSON; repeatable.
        yes: Confirm every change that needs it.
    """
    printing.refuse_contradictions(rules)
    answers = dict(inputs.read_pairs("--answer", "NAME=VALUE", answer))
    session = start(asked, rules, printing.words_file, in_place=printing.is_calls)
    printing.show_question(session)
    result = session.ask(session.refractor.repair)
    printing.end_with(with_answers(result, answers, yes), session, asks=True)


def with_answers(result: RepairResult, answers: dict[str, str], yes: bool) -> RepairResult:
    """Return a repair with values put in that were asked for, and with its edits confirmed if so wanted."""
    if not answers and not yes:
        return result
    schemas = {ask.name: ask.json_schema for ask in result.asks}
    values = {name: inputs.answer_of(text, schemas.get(name)) for name, text in answers.items()}
    sequence = result.answer(values, confirmed=yes)
    asks = tuple(ask for ask in result.asks if ask.name not in values)
    confirms = () if yes else result.confirms
    update: dict[str, Any] = {"sequence": sequence, "asks": asks, "confirms": confirms}
    if result.verdict == "needs_input" and not sequence.is_open:
        update["verdict"] = "repaired"
    return result.model_copy(update=update)


@takes(
    "sequence catalog tag tool memory history mappings cost_model constants encodings patterns encodings_dir "
    "confirm max_tries time_limit isolate require_optimal explain alternatives next_best why_not "
    "source_format catalog_format no_cache format emit to color to_file"
)
def compress(asked: Asked, rules: Rules, printing: Printing) -> None:
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
    session = start(asked, rules, in_place=printing.is_calls)
    printing.show_question(session, "cheapest")
    result = session.refractor.compress(session.sequence, session.memory, session.history)
    printing.end_with(result, session)


@takes(epilog="The same with a file: refract-asp solve calls.txt --catalog travel")
def demo(color: Color = "auto") -> None:
    """
    Repair a broken sequence that is shipped with the catalog `travel`, and print what was changed.

    Args:
        color: Colour the text; auto: on a terminal or with FORCE_COLOR, but not with NO_COLOR.
    """
    session = start(Asked(sequence=str(demo_path()), catalog="travel"), Rules())
    Printing(color=color).end_with(session.refractor.repair(session.sequence), session)
