"""`refract-asp check|tags|facts|graph|explain`: say and show what is wrong with a sequence, change nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from refract_asp.cli import inputs, late, output
from refract_asp.cli.options import GraphFormat, OptionalArgument, OutputFile, refuse, takes
from refract_asp.cli.session import Asked, Rules, Session, start
from refract_asp.errors import InputError
from refract_asp.report.terminal import painted
from refract_asp.resources import packaged

if TYPE_CHECKING:
    from refract_asp.model import Report


@dataclass(frozen=True, kw_only=True)
class Rendering(output.Output):
    """
    How what `check` found is printed: for people, as data, or for CI.

    Attributes:
        format: How to print what is wrong: for people; as data; as the record of a failed validation; as
            GitHub's annotations; as SARIF. By default as the ending of -o says (.json, .sarif), else for people.
        strict: What is wrong is an error; or a warning, and the exit code is 0.
        fuzzy: Suggest names, too, that are only somewhat alike.
    """

    ENDINGS: ClassVar = {**output.Output.ENDINGS, ".sarif": "sarif"}
    format: Literal["text", "json", "record", "github", "sarif"] | None = None  # type: ignore[assignment]
    strict: Annotated[bool, typer.Option("--strict/--permissive")] = True
    fuzzy: bool = False

    def render(self, *judged: tuple[str, Report, Session]) -> None:
        """Print the reports of files in this form, of several each with the name of its file."""
        found = [self._rendered(report, session) for _, report, session in judged]
        if self.format in ("text", "github"):
            if self.format == "text" and len(judged) > 1:
                heads = [inputs.name_of(name) for name, _, _ in judged]
                bold = [painted(head, "bold", color=self.is_colored) for head in heads]
                found = [f"{head}: {text}" for head, text in zip(bold, found, strict=True)]
            text = ("\n\n" if self.format == "text" else "\n").join(filter(None, found))
        elif len(judged) == 1:
            text = output.json_text(found[0])
        elif self.format == "sarif":
            runs = [run for log in found for run in log["runs"]]
            text = output.json_text({**found[0], "runs": runs})
        else:
            named = zip(judged, found, strict=True)
            files = [{"file": name, **data} for (name, _, _), data in named]
            text = output.json_text({"schema_version": 1, "files": files})
        output.write(text, self.to_file, commands=self.format == "github")

    def _rendered(self, report: Report, session: Session) -> Any:
        """Return a report as a text, or as data for JSON."""
        limits, how = late.diagnostic.Limits(fuzzy=self.fuzzy), {"strict": self.strict}
        if self.format == "text":
            printed: Any = {"color": self.is_colored, "width": output.width()}
            return late.diagnostics.check_text(report, limits, **how, **printed)
        forms = late.annotations
        places = partial(forms.places_of, session.content, session.sequence)
        if self.format == "github":
            return forms.github_annotations(report, places(), limits, **how)
        if self.format == "record":
            return forms.repair_record(report, limits, **how)
        if self.format == "sarif":
            return forms.sarif_log(report, places(), limits, **how)
        told = [each.model_dump(mode="json") for each in report.diagnostics(limits, **how)]
        errors = forms.structured_errors(report, limits, **how)
        return {**report.model_dump(mode="json"), **errors, "diagnostics": told}


@dataclass(frozen=True, kw_only=True)
class ToCheck(Asked):
    """
    What is checked.

    Attributes:
        sequence (SEQUENCE): Files with calls, or patterns such as 'runs/*.json'; - reads standard input.
    """

    sequence: list[str]  # type: ignore[assignment]


@takes(
    "sequence catalog tag tool memory history mappings constants encodings patterns encodings_dir max_tries "
    "undeclared references check_formats lenient effects allow deny goal goals level time_limit isolate "
    "source_format catalog_format no_cache format strict fuzzy color to_file"
)
def check(asked: ToCheck, rules: Rules, rendering: Rendering) -> None:
    """
    Check sequences of tool calls and print what is wrong; nothing is changed.

    Examples:

      refract-asp check calls.txt --catalog travel
      refract-asp check 'runs/*.json' more.txt --catalog travel
      refract-asp check calls.txt --catalog hr --goal 'field employee_info'
      refract-asp check - --catalog tools.json --format json < calls.json
      refract-asp check calls.txt --catalog travel --fuzzy
      refract-asp check calls.txt --catalog travel --format sarif -o checked.sarif
      refract-asp check calls.txt --catalog travel --format github --permissive

    Of several files, those that can be read are checked.

    Exit codes: 0 valid, 1 something is wrong (0 with --permissive), 3 asks or confirms are open, 5 no answer in
    time, 2 bad usage or input.
    """
    judged, session = [], None
    errors = dict[str, InputError]()  # what is wrong with the tools is the same for each file
    for name in inputs.files_of(asked.sequence):
        try:
            session = start(Asked(**{**vars(asked), "sequence": name}), rules, before=session)
            judged.append((name, session.ask(session.refractor.check), session))
        except InputError as error:
            errors[str(error)] = error
    if not judged:
        raise next(iter(errors.values()))
    rendering.render(*judged)
    for message in errors:
        output.complain("error", message)
    if errors:
        raise typer.Exit(2)
    verdicts = {report.verdict for _, report, _ in judged}
    if not rendering.strict:
        verdicts.discard("invalid")
    codes = {late.model.EXIT_CODES[verdict] for verdict in verdicts}
    raise typer.Exit(1 if 1 in codes else max(codes, default=0))


@takes(
    "sequence catalog truth memory history mappings cost_model encodings max_tries undeclared references "
    "check_formats lenient effects goal goals level time_limit source_format catalog_format no_cache "
    "format color to_file"
)
def tags(asked: Asked, rules: Rules, out: output.Output, truth: str | None = None) -> None:
    """
    Classify the mistakes in a sequence, as tags that can be counted.

    Without --truth these are the mistakes that the cheapest repair corrects; with it, the differences
    between the sequence and the truth, apart from labels and the order of independent calls.

    Examples:

      refract-asp tags calls.txt --catalog travel
      refract-asp tags calls.txt --catalog travel --truth right.txt --format json
      refract-asp explain made_up_assignment

    Exit codes: 0 told, whatever is wrong with the sequence, 2 bad usage or input.

    Args:
        truth (FILE): Compare with this correct sequence, and with no more.
    """
    session = start(asked, rules, truth)
    given, right, result, secrets = session.sequence, None, None, None
    if truth is None:
        result = session.ask(session.refractor.repair)
        found = result.tags()
    else:
        correct = inputs.read_sequence(truth)
        known = (session.refractor, session.memory, session.history)
        found, given, right, secrets = late.tags.compared(given, correct, *known)
    calls = {str(call): list(names) for call, names in found.calls.items()}
    data = {"sequence": list(found.sequence), "calls": calls, "counts": found.counts}
    data |= found.model_dump(mode="json")
    about: Any = {"report": result, "secrets": secrets}
    out.tell(data, lambda **how: late.tags.tags_text(found, given, right, **about, **how))


# -- what is behind it -----------------------------------------------------------


@takes(
    "sequence catalog tag tool memory history mappings new_maps cost_model constants encodings patterns "
    "encodings_dir evidence confirm defensive max_new_calls max_tries undeclared references check_formats lenient "
    "effects known_tools_only allow deny goal goals level source_format catalog_format no_cache program command "
    "emit to_file"
)
def facts(
    asked: Asked,
    rules: Rules,
    program: Literal["check", "repair"] = "repair",
    command: bool = False,
    emit: Literal["facts", "ground", "stats"] = "facts",
    to_file: OutputFile = None,
) -> None:
    """
    Print exactly the facts that clingo is given with the encodings, one a line.

    Examples:

      refract-asp facts calls.txt --catalog travel
      refract-asp facts calls.txt --catalog travel --program check -o facts.lp
      refract-asp facts calls.txt --catalog travel --command -o facts.lp
      refract-asp facts calls.txt --catalog travel --emit stats

    Args:
        program: For which program the facts are.
        command: Print the command that asks plain clingo; with --output the facts are written there.
        emit: The facts, the ground program, or how large it is and what clingo did in which phase (JSON).
        to_file (FILE): Write here, not to standard output.
    """
    session = start(asked, rules)

    def told(what: str, **how: Any) -> str:
        return str(session.ask(session.refractor.facts, program=program, emit=what, **how))

    if command and emit != "facts":
        refuse("command", "leave out --emit.")
    if command and to_file not in (None, "-"):
        output.write(told("facts"), to_file, raw=True)
        output.write(told("command", file=to_file), None, raw=True)
    else:
        output.write(told("command" if command else emit), to_file, raw=True)


_ENDINGS: dict[str, GraphFormat] = packaged("cli/tables.json")["graph"]


@takes(
    "sequence catalog tag tool memory history mappings cost_model constants encodings patterns encodings_dir goal "
    "goals level time_limit source_format catalog_format no_cache format show to_file"
)
def graph(
    asked: Asked,
    rules: Rules,
    format: GraphFormat | None = None,
    show: Literal["both", "given", "repaired"] = "both",
    to_file: OutputFile = None,
) -> None:
    """
    Draw a sequence of tool calls before and after its repair: what feeds what, and what was changed.

    Examples:

      refract-asp graph calls.txt --catalog travel
      refract-asp graph calls.txt --catalog travel -o calls.svg
      refract-asp graph calls.txt --catalog travel --show repaired --format dot

    Boxes are calls, in stages from left to right; arrows say what feeds what. What the repair added,
    removed, changed or moved is marked. What is secret is never drawn, and at most 500 calls are.

    Exit codes: 0 it is drawn, whatever the outcome of the repair, 2 bad usage or input.

    Args:
        format: The language of the drawing, or a picture as SVG; by default as the ending of -o says
            (.dot, .gv, .svg), else mermaid.
        show: Draw both, or one of them alone.
        to_file (FILE): Write here, not to standard output.
    """
    session = start(asked, rules)
    mermaid: GraphFormat = "mermaid"
    chosen = format if format is not None else output.by_ending(to_file, _ENDINGS, mermaid)
    result, catalog = session.ask(session.refractor.repair), session.refractor.catalog
    output.write(late.graph.repair_graph(result, chosen, catalog, session.helpers, show), to_file)


@takes()
def explain(out: output.Output, code: OptionalArgument = None) -> None:
    """
    Say what a code means: why it happens, with an example, and what to do about it.

    Examples:

      refract-asp explain
      refract-asp explain unknown_label
      refract-asp explain wrong_assignment --format json

    Args:
        code (CODE): A code of check, or a tag; without it all codes are listed.
    """
    if code is None:
        entries = list(late.codes.code_entries().values())
        data = {"codes": [entry.model_dump() for entry in entries]}
        out.tell(data, lambda **how: late.codes.codes_text(entries, **how))
    else:
        entry = late.codes.entry_of(code)
        out.tell(entry, lambda **how: late.codes.entry_text(entry, **how))
