"""
Answers questions about a repair: what its edits are for, and why not another one.

What is asked is a statement, as `keep var3.date` or `var3.date = $var1.day$`: it says of a call, or of an
argument, what a repair should do with it.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from clingo import Function, Number, Symbol

from refract_asp.errors import LONGEST_TEXT, RefractError, StatementError, shown
from refract_asp.model import Contrast, Edit, Reference, RepairResult, Sequence, Source
from refract_asp.model.explanation import Explanation, difference, explanation_of
from refract_asp.model.paths import path_text
from refract_asp.model.result import Handle
from refract_asp.model.secrets import HIDDEN, text_without_secrets
from refract_asp.model.sequence import Ask, Constant, numbered, replace_reference, slots_of
from refract_asp.rules.choices import CallId, Choices, Inner, New, Part, call_symbol, read
from refract_asp.rules.engine import MADE_OF, means_the_same, repair_result
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.question import Problem, in_order
from refract_asp.rules.schemas.dialects import source_of
from refract_asp.rules.solve import MAX_OPTIMA, choice_atoms, solve
from refract_asp.rules.symbols import fact, memory, text
from refract_asp.rules.waiting import Deadline

NOT_OFFERED = (
    "no rule offers it: what is right stays as it is, and what is new comes only from the sequence, the "
    "catalog, memory or a mapping"
)
NO_TIME = "the time ran out before it was known"

# At most so many edits are compared with what would be without them: each takes a search.
MAX_COMPARED = 50


def explain(result: RepairResult) -> Explanation:
    """Explain a result; for each edit the same program is solved once more with its choice forbidden."""
    explanation, problem = explanation_of(result), result._handle.problem
    if not result.edits or not result.optimal:
        return explanation
    deadline = Deadline(problem.seconds)
    asked = problem.question()
    answer = problem.search(asked, deadline)
    if not answer.choices or not answer.found.optimal:
        return explanation
    added = iter([call for call in problem.order if not isinstance(call, int | Part)])
    known = {_bare(edit) for edit in result.edits}
    searched = 0

    def compared(edit: Edit) -> dict[str, Any]:
        """Solve with the choices of an edit forbidden, and return what comes out, as fields of a reason."""
        atoms = _atoms_of(edit, answer.choices[0], added)
        if not any(answer.control.symbolic_atoms[atom] for atom in atoms):
            return {"outcome": "follows"}  # as what is read from a copy
        nonlocal searched
        searched += 1
        if deadline.is_over or searched > MAX_COMPARED:
            return {}
        # Each question has a control of its own: after a search for all optima, clingo's core-guided
        # search may never come back when it is asked again, and no time limit would reach it.
        control = problem.program.control(asked.facts, asked.signatures)
        chosen = (control.symbolic_atoms[atom] for atom in sorted(atoms))
        literals = [atom.literal for atom in chosen if atom is not None and not atom.is_fact]
        if not literals:  # it holds in any case
            return {"outcome": "none"}
        with control.backend() as backend:
            backend.add_rule([], literals)
        found = solve(control, deadline, MAX_OPTIMA, answer.weights)
        if found.is_over or not found.models:
            return {} if found.is_over else {"outcome": "none"}
        choices = in_order(found, answer.evidence)[0]
        extra = difference(found.cost, answer.found.cost)
        return {
            "outcome": "dearer" if any(extra.values()) else "equal",
            "extra": extra,
            "instead": tuple(e for e in answer.decode(choices).edits() if _bare(e) not in known),
            "unresolved": tuple(sorted(choices.unresolved - set(result.unresolved))),
        }

    reasons = (each.model_copy(update=compared(each.edit)) for each in explanation.reasons)
    return explanation.model_copy(update={"reasons": tuple(reasons)})


def _atoms_of(edit: Edit, choices: Choices, added: Iterator[CallId]) -> frozenset[Symbol]:
    """Return the choices that make an edit; none for what follows from other edits."""
    chosen = choice_atoms(choices.symbols)

    def at(names: Iterable[str], *place: object) -> frozenset[Symbol]:
        """Return the choices of some kinds whose first arguments are such a place."""
        named, size = [atom for atom in chosen if atom.name in names], len(place)
        return frozenset(atom for atom in named if tuple(map(read, atom.arguments[:size])) == place)

    def explained(labels: Iterable[str | None]) -> frozenset[Symbol]:
        return frozenset().union(*(at(["explained"], label) for label in labels))

    if edit.kind == "add_call":
        call = next(added)
        if isinstance(call, New):
            return explained([call.label])
        if isinstance(call, Inner):
            return at(["transformed"], call.call, call.parameter)
        return frozenset(atom for atom in at(["name"]) if atom.arguments[0] == call_symbol(call))
    if edit.kind == "rename_label" or edit.kind == "add_label":
        made = at(["explained"])
        return frozenset(atom for atom in made if read(atom.arguments[1]) == edit.call)
    place: list[object] = [edit.call]
    if edit.kind == "rename_parameter":
        place.append(edit.before)
    elif edit.kind not in ("rename_tool", "delete_call", "move_call", "keep_call"):
        renamed = {(call, new): old for (call, old), new in choices.renamed.items()}
        place.append(renamed.get((edit.call, edit.parameter), edit.parameter))  # type: ignore[union-attr, arg-type]
    found = at(MADE_OF[edit.kind][0], *place)
    if found or edit.kind != "rebind":
        return found
    return explained({reference.label for _, reference in numbered(edit.before)})


def _bare(edit: Edit) -> str:
    """Return what an edit does, without what it costs, what speaks for it, and what stands for a call."""
    reasons: dict[str, object] = {"cost": {}, "answers": (), "risky": None}
    if edit.kind == "delete_call":
        reasons["instead"] = None
    return repr(edit.model_copy(update=reasons))


# --- statements ------------------------------------------------------------------------------------

# The token that holds of an argument, by the word of the statement.
TOKENS = {"keep": "kept", "drop": "absent", "ask": "asked"}
# Characters of a statement.
LONGEST = 10_000
# So many labels are named in a message.
LISTED = 12
UNDERSTOOD = (
    'Understood: keep var1, keep var1.date, drop var1.date, ask var1.date, var1.date = "$var2.day$", '
    "rename var1 to Tool, rename var1.date to day, delete var1, call Tool; `call 3` stands for the third."
)
_NUMBERED = re.compile(r"call\s+(\d{1,9})(?:\.(.+))?", re.S)
# A token that never holds: nothing that the rules know would be that value.
IMPOSSIBLE = Function("nothing")


@dataclass(frozen=True, slots=True)
class Statement:
    """
    What a repair should do: with a call, with an argument of it, or with a tool.

    Attributes:
        tokens: one of them has to hold of the repair; where there is a `source` it says what has to.
    """

    call: CallId | None = None
    parameter: str = ""
    tokens: tuple[Symbol, ...] = ()
    tool: str = ""
    source: Source | None = None


class Names:
    """The calls that a statement may name: by label, as given or as repaired, or by number."""

    def __init__(self, problem: Problem, result: RepairResult) -> None:
        """Collect the labels of the given and of the repaired sequence."""
        self.instance = instance = problem.instance
        self.unresolved = result.unresolved
        self.repaired = dict(zip(problem.order, result.sequence.calls, strict=False))
        self.bearers: dict[str, list[CallId]] = {}
        for calls in (self.repaired.items(), enumerate(instance.sequence.calls)):
            found: dict[str, list[CallId]] = defaultdict(list)
            for number, call in calls:
                if call.label is not None:
                    found[call.label].append(number)
            self.bearers |= found
        if instance.is_returning:
            self.bearers.setdefault("returns", [instance.end])

    def call(self, text: str) -> CallId:
        """Return the call that a text names; refuse one that names none, or several."""
        match = _NUMBERED.fullmatch(text)
        if match is not None and match[2] is None and text not in self.bearers:
            return self._at(int(match[1]))
        bearers = self.bearers.get(text, [])
        if not bearers:
            known = ", ".join(shown(label, 60) for label in list(self.bearers)[:LISTED]) or "none"
            what = f"no call has the label {shown(text)!r}."
            hint = f"Labels: {known}; `call 1` is the first of {self.instance.end}."
            raise StatementError(what, hint=hint)
        if len(bearers) > 1:
            numbers = " and ".join(f"call {each + 1}" for each in bearers if isinstance(each, int))
            what = f"several calls have the label {shown(text)}."
            raise StatementError(what, hint=f"Say {numbers}.")
        if isinstance(bearers[0], Inner | Part):
            what = f"{shown(text)} was made of an argument of another call."
            raise StatementError(what, hint="Ask about that argument.")
        return bearers[0]

    def place(self, text: str) -> tuple[CallId, str] | None:
        """Return the argument that a text names, or None when it names none."""
        match = _NUMBERED.fullmatch(text)
        if match is not None and match[2] is not None:
            return self._at(int(match[1])), match[2].strip()
        for label in sorted(self.bearers, key=len, reverse=True):
            if text.startswith(f"{label}.") and text != f"{label}.":
                return self.call(label), text[len(label) + 1 :].strip()
        return None

    def refuse_absent(self, call: CallId, parameter: str) -> None:
        """Refuse an argument that the given sequence does not have."""
        given = self.instance.call(call).arguments if isinstance(call, int) else {}
        if parameter not in given:
            listed = ", ".join(shown(each, 60) for each in list(given)[:LISTED]) or "none"
            what = f"the given call has no argument {shown(parameter)!r}."
            raise StatementError(what, hint=f"Its arguments: {listed}.")

    def tool(self, call: CallId) -> str:
        """Return the tool of a call, as given where it was."""
        return (self.instance.call(call) if isinstance(call, int) else self.repaired[call]).name

    def is_secret(self, call: CallId, parameter: str, source: Source | None = None) -> bool:
        """Whether something is secret in what is given to an argument, or all that may be given to it."""
        secrets, tools = self.instance.index.secrets, [self.tool(call)]
        tools += [self.repaired[call].name] if call in self.repaired else []
        if source is not None:
            return secrets.argument(tools, [parameter], source) is not source
        return any(secrets.is_argument(tool, parameter) for tool in tools)

    def _at(self, number: int) -> CallId:
        if not 1 <= number <= self.instance.end:
            hint = f"The sequence has {self.instance.end}."
            raise StatementError(f"there is no call {number}.", hint=hint)
        return number - 1


def read_statement(text: object, names: Names) -> Statement:
    """
    Read a statement.

    Raises:
        StatementError: it cannot be understood, or names no call or argument of the sequence.
    """
    if not isinstance(text, str) or not text.strip():
        raise StatementError("there is no statement.", hint=UNDERSTOOD)
    if len(text) > LONGEST:
        raise StatementError(f"a statement of {len(text)} characters is too long.", hint=UNDERSTOOD)
    word, _, rest = (part.strip() for part in text.strip().partition(" "))
    left, equals, right = (part.strip() for part in text.partition("="))
    before, to, after = (part.strip() for part in rest.rpartition(" to "))
    if equals and (place := names.place(left)) is not None:
        return Statement(*place, source=_source(right, names.is_secret(*place)))
    if word == "call" and rest:
        return Statement(tokens=(fact("added", rest),), tool=rest)
    if word == "rename" and to:
        if (place := names.place(before)) is None:
            call = names.call(before)
            return Statement(call, tokens=(fact("uses", call_symbol(call), after),), tool=after)
        names.refuse_absent(*place)
        return Statement(*place, (fact("is_renamed", call_symbol(place[0]), place[1], after),))
    if word in ("keep", "drop", "ask", "delete") and rest:
        statement = _about_one(word, rest, names)
        if statement is not None:
            return statement
    if equals or word in ("drop", "ask"):  # what is wrong may be the label
        names.call((left if equals else rest).partition(".")[0])
    excerpt = shown(text_without_secrets(text.strip()))
    raise StatementError(f"{excerpt!r} cannot be understood.", hint=UNDERSTOOD)


def _about_one(word: str, rest: str, names: Names) -> Statement | None:
    """Read a statement about one call, or one argument; None where the word is not said of that."""
    place = None if rest in names.bearers else names.place(rest)
    if place is not None and word != "delete":
        call, parameter = place
        now = names.repaired[call].arguments if call in names.repaired else {}
        if word == "keep" or (word == "drop" and parameter not in now):
            names.refuse_absent(call, parameter)
        return Statement(call, parameter, (fact(TOKENS[word], call_symbol(call), parameter),))
    if place is None and word in ("keep", "delete"):
        call = names.call(rest)
        symbol = call_symbol(call)
        kept = (fact("uses", symbol, names.tool(call)), fact("left", symbol))
        return Statement(call, tokens=kept if word == "keep" else (fact("gone", symbol),))
    return None


def _source(text: str, is_secret: bool) -> Source:
    """Read a value as it stands in the printed form; a lone reference may go without quotes."""
    excerpt = HIDDEN if is_secret else shown(text)
    if re.fullmatch(r"\$[^\s\"$]+\$", text):
        text = f'"{text}"'
    try:
        (call,) = Sequence.load(f"f(x={text})", "pretty").calls
        (source,) = call.arguments.values()
    except (RefractError, ValueError):
        hint = 'Write a reference as "$var1.id$", a text in quotes.'
        raise StatementError(f"{excerpt!r} is no value.", hint=hint) from None
    return source


def statement_text(text: str, statement: Statement, names: Names) -> str:
    """Return a statement as it is printed, on one line, without a value that is secret."""
    call, source = statement.call, statement.source
    is_given = source is not None and isinstance(call, int)
    if is_given and names.is_secret(call, statement.parameter, source):  # type: ignore[arg-type]
        text = f"{text.partition('=')[0].strip()} = {HIDDEN}"
    return shown(" ".join(text.split()), LONGEST_TEXT)


# --- what it demands of the rules ------------------------------------------------------------------


def demand_facts(statement: Statement, names: Names, evidence: Evidence) -> list[Symbol]:
    """Return the facts that hold a repair to a statement: its demands, each with the ways to meet it."""
    demands, call = [list(statement.tokens)], statement.call
    if statement.source is not None:
        demands = _values(statement, names, evidence)
    if call is not None and statement.parameter and call not in names.unresolved:
        # to leave it as it was is no way to meet them
        demands.append([fact("made", call_symbol(call))])
    ways = enumerate(tokens or [IMPOSSIBLE] for tokens in demands)
    return [fact("in_insist", number, token) for number, tokens in ways for token in tokens]


def _values(statement: Statement, names: Names, evidence: Evidence) -> list[list[Symbol]]:
    """Return the demands that an argument has a source: a constant, or references with a text around."""
    source, parameter, reader = statement.source, statement.parameter, statement.call
    assert reader is not None
    assert source is not None
    call, given = call_symbol(reader), None
    tools: tuple[str, ...] = (names.tool(reader),)
    if isinstance(reader, int):
        given = evidence.instance.call(reader).arguments.get(parameter)
        tools = evidence.possible_tools(reader)
    as_given = [fact("kept", call, parameter)] if given == source else []
    if isinstance(source, Constant):  # rules choose it once more, by the catalog, or as a form
        chosen = known_values(evidence, tools, parameter, source)
        reads = [fact("reads", call, parameter, 0, value, "") for value in chosen]
        forms = [
            fact("takes", call, parameter, Number(number))
            for (other, _, number), recast in evidence.forms.items()
            if other == reader and frame(source_of(recast.value)) == frame(source)
        ]
        return [as_given + reads + forms]
    if not isinstance(source, Reference) and (given is None or frame(given) != frame(source)):
        return [as_given]
    demands = []
    for number, reference in numbered(source):
        path = path_text(reference.path)
        if reference.label in names.instance.variables and not reference.path:
            path = str(reference)
        origin = _origin(reference.label, reader, names)
        demands.append([*as_given, fact("reads", call, parameter, number, origin, path)])
    return demands


def known_values(
    evidence: Evidence, tools: Iterable[str], parameter: str, wanted: Constant
) -> list[Symbol]:
    """Return what rules take a constant from: where it is given already, or what a catalog says of it."""
    key, index = frame(wanted), evidence.index
    same = [number for number, each in enumerate(evidence.constants) if frame(each) == key]
    found = [Function("constant", [Number(number)]) for number in same]
    for tool in tools:
        declared: Any = index.tools[tool].parameters if tool in index.tools else ()
        known = index.known_value(tool, parameter) if parameter in declared else ()
        if any(frame(Constant(value=value)) == key for value in known):
            return [*found, Function("default")]
    return found


def frame(source: Source) -> str:
    """Return what stands around the references of a source, and asks, as a text."""
    if isinstance(source, Constant):
        return json.dumps(source.value, sort_keys=True, default=str)
    slots = sum(1 for _ in slots_of(source))
    empty = replace_reference(source, dict.fromkeys(range(1, slots + 1), Ask(name="x")))[0]
    return json.dumps(empty.model_dump(mode="json"), sort_keys=True)


def _origin(label: str, reader: CallId, names: Names) -> Symbol:
    """Return who is read under a label: the last bearer before the reader, memory, or an added call."""
    instance = names.instance
    earlier = instance.earlier(reader if isinstance(reader, int) else instance.end)
    before = [number for number in earlier if instance.call(number).label == label]
    if before:
        return Number(before[-1])
    if label in names.bearers:
        return call_symbol(names.bearers[label][0])
    if label in instance.memory.values:
        return memory(label)
    if label not in instance.lost.values():
        what = f"no call has the label {shown(label)!r}, and memory does not know it."
        hint = "Read from a call of the sequence, as it was given or as it is repaired."
        raise StatementError(what, hint=hint)
    return Function("new", [text(label)])


# --- why not ... -----------------------------------------------------------------------------------


def why_not(result: RepairResult, text: str) -> Contrast:
    """Return the cheapest repair of which a statement holds, or why there is none."""
    problem: Problem = result._handle.problem
    names = Names(problem, result)
    statement = read_statement(text, names)
    text = statement_text(text, statement, names)
    tool = statement.tool
    if tool and tool not in problem.engine.index.tools:
        near = ", ".join(problem.engine.index.suggestions(tool))
        nearest = shown(f"; the nearest: {near}", LONGEST_TEXT) if near else ""
        return Contrast(statement=text, reason=f"the catalog has no tool {shown(tool)}{nearest}")
    deadline, demands = Deadline(problem.seconds), partial(demand_facts, statement, names)
    _, _, answer = problem.search_together(deadline, "modes/insist.lp", more=demands)
    if answer.choices:
        found = repair_result(problem, answer)
        extra = difference(found.total, result.total)
        if means_the_same(result, found):
            return Contrast(statement=text, result=result, is_answer=True, extra=extra)
        violations = problem.failures(found)
        if not violations:
            found._handle = Handle(instance=problem.instance, beside=result.edits)
            return Contrast(statement=text, result=found, is_answer=False, extra=extra)
    elif deadline.is_over:
        return Contrast(statement=text, reason=NO_TIME)
    else:  # what would be wrong with the sequence that has it, and as little else
        asked = replace(problem, apart=()).question()
        asked = asked.with_facts(demands(asked.evidence))
        answer = problem.search(asked, deadline, "modes/insist.lp", "modes/relaxed.lp")
        if not answer.choices:
            return Contrast(statement=text, reason=NO_TIME if answer.found.is_over else NOT_OFFERED)
        decoded = answer.decode(answer.choices[0])
        places: dict[int | None, CallId] = dict(enumerate(decoded.order))
        wrong = [(places.get(each.call), each) for each in problem.violations_of(decoded.sequence)]
        violations = tuple(
            each.model_copy(update={"call": at}) if isinstance(at, int) else each
            for at, each in wrong
            if at not in result.unresolved  # there it is as wrong as in the answer
        )
    messages = "; ".join(dict.fromkeys(violation.message for violation in violations))
    reason = f"it would leave: {messages}" if violations else NOT_OFFERED
    return Contrast(statement=text, reason=reason, violations=violations)
