"""
`refract-asp plan`: check plans, format them, show their stages, and turn them into sequences and back.

Examples:

  refract-asp plan check plan.js
  refract-asp plan check plan.js --catalog flights --relaxed
  refract-asp plan format plan.js -o plan.js
  refract-asp plan stages plan.js
  refract-asp plan to-sequence plan.js --to nestful
  refract-asp plan from-sequence calls.txt

To repair a plan: refract-asp solve plan.js --catalog tools.yaml --to plan. To run one: refract-asp run.
Exit codes: 0 nothing is wrong, 1 something is, 2 bad usage or input.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from refract_asp.cli import inputs, output
from refract_asp.cli.options import Group, OutputFile, Relaxed, SourceFormat
from refract_asp.cli.session import Tools
from refract_asp.errors import PlanError
from refract_asp.formats import read_text
from refract_asp.model import Catalog, Memory, Sequence
from refract_asp.model.diagnostic import Diagnostic
from refract_asp.model.stages import stages, without_unmade
from refract_asp.plan import Plan, PlanDiagnostic, dates, parse_plan, to_plan, to_sequence
from refract_asp.plan.context import check_names, described, for_reading, with_helpers
from refract_asp.plan.syntax import Invocation, walk
from refract_asp.refractor import check
from refract_asp.report.graph import stages_text

app = Group(__doc__)


@dataclass(frozen=True)
class _Source:
    """The text of a plan, and what messages call it."""

    name: str
    text: str

    @classmethod
    def read(cls, source: str, *, in_place: bool = False) -> _Source:
        """Read a file or standard input."""
        text = read_text(inputs.read_data(source, in_place=in_place))
        return cls("<stdin>" if source == inputs.STDIN else source, text)

    def plan(self, relaxed: bool) -> Plan:
        """Return the plan, and report what was mended to read it, or refuse what would have to be."""
        parsed = parse_plan(self.text, "relaxed" if relaxed else "strict")
        for each in parsed.repairs:
            output.complain("mended", f"{self.place(each)}: {each.message}")
        return parsed.require(self.name)

    def place(self, diagnostic: PlanDiagnostic) -> str:
        """Return where something is wrong."""
        return f"{self.name}:{diagnostic.place.line}:{diagnostic.place.column}"

    def excerpt(self, diagnostic: PlanDiagnostic) -> tuple[str, str]:
        """Return the part of the line that fits, before and behind the place."""
        line, column = diagnostic.place.line, diagnostic.place.column - 1
        written = ["", *self.text.expandtabs(1).splitlines(), ""][line]
        room = max(output.width(), 40) - 8
        first = max(0, min(column - room // 2, len(written) - room))
        return written[first:column], written[column : first + room]


@app.adds("check", "plan relaxed catalog no_cache memory format color to_file")
def check_plan(
    tools: Tools, out: output.Output, plan: str, relaxed: Relaxed = False, memory: str | None = None
) -> None:
    """
    Report what is wrong with a plan: its syntax, its names, and with a catalog its calls as well.

    The names of the date helpers (`tomorrow`, `next(Thursday)`, ...) are known.

    Args:
        plan (FILE): File with a plan; - reads standard input.
        relaxed: Mend slips of syntax, or report them as errors.
        catalog (PATH|NAME): Check the calls, too, by the catalog of the tools.
        memory (FILE): JSON or YAML file with values already known.
    """
    inputs.only_one_stdin(plan, tools.catalog, memory)
    source = _Source.read(plan)
    parsed = parse_plan(source.text, "relaxed" if relaxed else "strict")
    found = list(parsed.diagnostics)
    if parsed.plan is not None:
        found = _checked(parsed.plan, tools.read(), inputs.load(Memory.load, memory))
    is_wrong = any(each.severity == "error" for each in found)
    verdict = "invalid" if is_wrong else "valid"
    repairs = list(map(_data, parsed.repairs))
    told = [("mended", each) for each in parsed.repairs]
    told += [(each.severity, each) for each in found]
    data = {"verdict": verdict, "diagnostics": list(map(_data, found)), "repairs": repairs}
    out.show(data, "plan", told=told, verdict=verdict, source=source)
    raise typer.Exit(1 if is_wrong else 0)


@app.adds("format")
def format_plan(plan: str, relaxed: Relaxed = True, to_file: OutputFile = None) -> None:
    """
    Print a plan as it is written by convention. Slips of syntax are mended, and reported on standard error.

    Args:
        plan (FILE): File with a plan; - reads standard input.
        relaxed: Mend slips of syntax, or report them as errors.
        to_file (FILE): Write here, not to standard output.
    """
    output.write(str(_Source.read(plan, in_place=True).plan(relaxed)), to_file, raw=True)


@app.adds("stages", "plan relaxed catalog no_cache format color to_file")
def stages_of_plan(tools: Tools, out: output.Output, plan: str, relaxed: Relaxed = True) -> None:
    """
    Print which calls of a plan are made together. Those of one stage wait only for calls of the stages before.

    Calls whose result nothing reads are never made: a note names them, and one that changes something is
    refused, as by `run`.

    Args:
        plan (FILE): File with a plan; - reads standard input.
        relaxed: Mend slips of syntax, or report them as errors.
        catalog (PATH|NAME): Know what the tools change from the catalog, not their names.
    """
    sequence = _lowered(plan, tools, relaxed)
    how: Any = {"order": "data", "inline": described(dates()).by_name}
    data = {"stages": stages(sequence, **how), "sequence": sequence.model_dump(mode="json")}
    out.tell(data, lambda color, **_: stages_text(sequence, color=color, **how))


@app.adds("to-sequence", "plan relaxed catalog no_cache to to_file")
def sequence_of_plan(
    tools: Tools, plan: str, relaxed: Relaxed = True, to: str = "pretty", to_file: OutputFile = None
) -> None:
    """
    Print the calls of a plan as a sequence. They stand one after the other, each with a label.

    Calls whose result nothing reads are never made: a note names them, they are left out, and one that changes
    something is refused, as by `run`.

    Args:
        plan (FILE): File with a plan; - reads standard input.
        relaxed: Mend slips of syntax, or report them as errors.
        catalog (PATH|NAME): Know what the tools change from the catalog, not their names.
        to (FORMAT): Format of the sequence.
        to_file (FILE): Write here, not to standard output.
    """
    data = without_unmade(_lowered(plan, tools, relaxed)).dump(to)
    output.write(output.sequence_text(data, to), to_file, raw=True)


@app.adds("from-sequence")
def plan_of_sequence(
    sequence: str, source_format: SourceFormat = None, to_file: OutputFile = None
) -> None:
    """
    Print a sequence as a plan. Calls whose result nothing reads are returned by their names.

    Args:
        sequence (SEQUENCE): File with the calls; - reads standard input.
        source_format (FORMAT): Format of SEQUENCE, when it is not to be detected.
        to_file (FILE): Write here, not to standard output.
    """
    given = inputs.read_sequence(sequence, source_format)
    output.write(str(to_plan(given)), to_file, raw=True)


def _lowered(name: str, tools: Tools, relaxed: bool) -> Sequence:
    """Return the calls of a plan; report those that are never made, and refuse such as change something."""
    inputs.only_one_stdin(name, tools.catalog)
    source = _Source.read(name)
    plan = source.plan(relaxed)
    calls = [a for a in plan.aliases if any(isinstance(p, Invocation) for p in walk(a.value))]
    calling = {alias.place for alias in calls}
    is_wrong = False
    for each in _checked(plan, tools.read(), None):
        if each.code == "unused_call" or (each.code == "unused_alias" and each.place in calling):
            message = each.message.removesuffix(".")
            text = f"{source.place(each)}: {message}. {each.hint} [{each.code}]"
            output.complain(each.severity, text)
            is_wrong = is_wrong or each.severity == "error"
    if is_wrong:
        raise typer.Exit(1)
    return to_sequence(plan)


# What the rules tell as well, with what was probably meant.
_BY_RULES = frozenset({"unknown_name", "unknown_member", "unknown_method"})


def _checked(plan: Plan, catalog: Catalog | None, memory: Memory | None) -> list[PlanDiagnostic]:
    """Return what is wrong with the names of a plan, and with a catalog with its calls."""
    helpers = dates()
    known = catalog or Catalog()
    names = None if catalog is None else helpers.merged(for_reading(catalog, memory))
    found = check_names(plan, names)
    try:
        sequence = to_sequence(plan)
    except PlanError:  # a circle, told already, or a computed index, which the rules do not know
        return found
    report = check(sequence, *with_helpers(sequence, helpers, known, memory))
    judged = [_placed(each, plan, sequence) for each in report.diagnostics()]
    if catalog is None:  # then the rules know the names of the tools, and no more
        judged = [each for each in judged if each.code == "unused_call"]
    else:
        found = [each for each in found if each.code not in _BY_RULES]
    refused = {each.place for each in judged if each.code == "unused_call"}
    twice = {alias.place for alias in plan.aliases if alias.value.place in refused}
    found = [each for each in found if each.code != "unused_alias" or each.place not in twice]
    return sorted(found + judged, key=lambda each: each.place)


def _placed(told: Diagnostic, plan: Plan, sequence: Sequence) -> PlanDiagnostic:
    """Return what the rules find wrong at its place in the plan."""
    is_call = told.call is not None and told.call < len(sequence.calls)
    place = sequence.calls[told.call or 0].written.place if is_call else plan.place
    advice = told.fix or told.tip
    hint = f"{advice}." if advice else ""
    return PlanDiagnostic(told.code, told.message, place, None, hint, told.severity)


def _data(diagnostic: PlanDiagnostic) -> dict[str, Any]:
    place, end = diagnostic.place, diagnostic.end
    said = {name: getattr(diagnostic, name) for name in ("code", "severity", "message", "hint")}
    ends = {"end_line": getattr(end, "line", None), "end_column": getattr(end, "column", None)}
    return {**said, "line": place.line, "column": place.column, **ends}
