"""Answers: checks a sequence, repairs it, and looks for other repairs than the answer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

from refract_asp.errors import LONGEST_TEXT, EncodingError, LimitError, shown
from refract_asp.model import Call, Edit, RepairResult, Report, Sequence, Verdict, Violation
from refract_asp.model.result import NO_TIME, AskFor, ConfirmFor, Handle
from refract_asp.model.secrets import Secrets
from refract_asp.model.sequence import Reference, Slot, Source, all_calls, slots_of, with_slots
from refract_asp.rules.choices import CallId, Choices, Where, read, read_choices
from refract_asp.rules.decode import Decoded
from refract_asp.rules.evidence import Options
from refract_asp.rules.instance import Instance
from refract_asp.rules.policy import restricting
from refract_asp.rules.program import Program, known_words
from refract_asp.rules.question import Answer, Engine, Problem, Question, criteria, find_problem
from refract_asp.rules.solve import MAX_OPTIMA, Found, block, choice_atoms, further_models
from refract_asp.rules.symbols import TABLES
from refract_asp.rules.waiting import Deadline, in_time

# Each call with its arguments, in which references are bound to calls instead of labels.
Meaning: TypeAlias = dict[CallId, tuple[Call, dict[str, Source]]]

# Calls of a sequence that is repaired; a longer one can be checked.
MAX_REPAIRED = 500
# ... and of one for which fewer calls are looked for.
MAX_CHEAPEST = 200
# References in a sequence that is repaired.
MAX_REFERENCES = 4000
# Calls, arguments and references up to which an answer takes no noticeable time, ...
MAX_QUICK = 100
# ... and for each call so many tools, or members of an enumeration, count as one of them.
SHARE = 100
# So many times as long as it took to read and judge the given calls is kept to decode and judge an answer.
KEPT = 10
# What an answer may run into in a call that then stays as it was given.
UNMENDABLE = frozenset({"broken_schema", "duplicate_call", "tried_too_often"})
# The choices at a call or an argument that make an edit of each kind, and the candidates that they are among.
MADE_OF: dict[str, tuple[list[str], list[str]]] = TABLES["made_of"]
# For each alternative that is wanted so many are looked at: some mean the same, or do not go together.
LOOKS = 4


def options_of(program: Program, *, every: bool = False) -> Options:
    """Return what the encodings say of the evidence that they use; with `every` all of it is stated."""
    numbers = {each.name: each.default for each in fields(Options) if type(each.default) is int}
    return Options(
        by_fit=program.says("name_by(fit)"),
        every=every or program.has_own_rules,
        common_names=program.says("call_for(common_name)"),
        asks_for_field=program.says("ask_named_after(field)"),
        lexicon=known_words(program.folder)[0],
        names=program.names,
        **{name: program.constant(name, usual) for name, usual in numbers.items()},
    )


def check_in_time(engine: Engine, given: Instance, deadline: Deadline) -> Report:
    """Say what is wrong; an interrupt is heard whatever it takes, and the limit is that of a search."""

    def work() -> Report:
        return check_instance(engine, engine.stated(given), deadline)

    return in_time(Deadline(None), work) if is_large(engine, given) else work()


def check_instance(engine: Engine, instance: Instance, deadline: Deadline) -> Report:
    """Say what is wrong; whether calls can be left out takes a search, and is asked when nothing is."""
    problem = find_problem(engine, instance)
    violations, verdict = problem.violations, _given_verdict(instance.sequence)
    if instance.level == "cheapest" and not violations:
        violations = tuple(needless_calls(repair_instance(engine, instance, deadline)))
    if violations:
        verdict = "invalid"
    report = Report(verdict=verdict, violations=violations, notes=problem.same["notes"])
    report._handle = Handle(problem=problem, instance=instance)
    return report


def repair_in_time(engine: Engine, given: Instance, deadline: Deadline) -> RepairResult:
    """Find the cheapest admissible sequence, or return the best that is known when the time is over."""
    unjudged = Problem(engine, given, (), (), (), engine.check_program)
    deadline.best = partial(_too_late, unjudged)

    def work() -> RepairResult:
        return repair_instance(engine, engine.stated(given), deadline)

    return in_time(deadline, work) if is_large(engine, given) else work()


def is_large(engine: Engine, given: Instance) -> bool:
    """Whether an answer may take long: much is judged, or by much; rules of the user's may come to anything."""
    calls = (*given.sequence.calls, *given.history)
    sources = [source for call in calls for source in call.arguments.values()]
    size = len(sources) + sum(1 for source in sources for _ in slots_of(source))
    size += len(calls) * (1 + engine.index.bulk // SHARE)
    return size > MAX_QUICK or engine.own


def repair_instance(engine: Engine, instance: Instance, deadline: Deadline) -> RepairResult:
    """
    Find the cheapest admissible sequence.

    Raises:
        LimitError: that would be too much work.
        EncodingError: rules of the user's offer what cannot be had, or allow what `check` refuses.
    """
    problem = replace(find_problem(engine, instance), seconds=deadline.seconds)
    deadline.best = partial(_too_late, problem)
    deadline.keep(KEPT)
    calls, references = len(instance.sequence.calls), len(instance.references)
    if not problem.violations and (instance.level != "cheapest" or not calls):
        return _as_given(problem)
    if deadline.is_over:
        return _too_late(problem)
    most = MAX_REPAIRED if instance.level != "cheapest" else MAX_CHEAPEST
    shorten = "Shorten the texts that hold them, or repair the sequence in parts."
    for count, bound, which, hint in (
        (calls, most, "calls", "Repair it in parts: what comes before goes into `history`."),
        (references, MAX_REFERENCES, "references", shorten),
    ):
        if count > bound:
            what = f"{count} {which} are too many to repair at once; at most {bound} are taken."
            raise LimitError(what, hint=hint)
    problem = problem.prepared()
    try:
        return _cheapest(problem, deadline)
    except EncodingError as error:
        own = engine.repairing().program
        if error.where or not own.has_own_rules:
            raise
        place = own.parts.own_rules({"offer", "rebind_candidate"})
        raise EncodingError(error.what, where=place, hint=error.hint) from None


def _cheapest(problem: Problem, deadline: Deadline) -> RepairResult:
    """Find the cheapest repair that passes its own check."""
    engine = problem.engine
    failures: tuple[Violation, ...] = ()
    while True:
        if deadline.is_over:
            return _too_late(problem)
        problem, asked, answer = problem.search_together(deadline)
        result = repair_result(problem, answer) if answer.choices else None
        if result is None and answer.found.is_over:
            return _too_late(problem)
        if result is None:  # rules without some pattern mend not every fault
            blamed = {each.call for each in problem.violations}
            faulty = {*range(len(problem.instance.sequence.calls))} & blamed
        elif not result.edits and not problem.violations:
            return _as_given(problem)
        else:
            # calls may come to have a tool or a parameter whose schema cannot be judged, or to be the same
            # by a value that was brought into another form
            failures = problem.failures(result)
            broken = {each.call for each in failures if each.code in UNMENDABLE}
            origins = enumerate(result.origins)
            faulty = {number for at, number in origins if at in broken and number is not None}
        if not (faulty := faulty - problem.left):
            break
        problem = replace(problem, left=problem.left.union(faulty))
    if result is None:
        what = "the rules leave no admissible sequence, not even with calls left unresolved."
        hint = "Look for a constraint of your own that forbids too much."
        place = restricting(engine.repairing().program.parts) or engine.cost_model
        raise EncodingError(what, where=place, hint=hint)
    if failures:
        return _refused(problem, result, failures[0])
    if not engine.alternatives:
        return result
    deadline.best = lambda: result
    others = _alternatives(problem, deadline, result, asked, answer)
    return result.model_copy(update={"alternatives": others})


def _refused(problem: Problem, result: RepairResult, first: Violation) -> RepairResult:
    """Return no answer, as the one found fails its own check; with rules of the user's that is an error."""
    own = problem.engine.repairing().program
    if own.has_own_rules:
        edits = [edit for edit in result.edits if edit.call is None or edit.call == first.call]
        made = {name for edit in edits or result.edits for name in MADE_OF[edit.kind][1]}
        what = f"the rules allow what check refuses: {first.message} [{first.code}]."
        hint = "Ask in_unfit/4 and in_clash/4 of the parameter before you offer something for it."
        raise EncodingError(what, where=own.parts.own_rules(made), hint=hint)
    place = "the goals" if first.call is None else f"call {first.call + 1}"
    if first.call == len(result.sequence.calls):
        place = "what is returned"
    why = f"the answer failed its own check ({first.code} in {place}: {first.message})"
    wish = "please report it, with the catalog, the calls and the memory"
    return _as_given(problem, f"{why}, so nothing was changed; {wish}")


def _too_late(problem: Problem) -> RepairResult:
    """Return the given sequence with all that is wrong in it unresolved, as no answer was found in time."""
    given, end = _as_given(problem, NO_TIME), problem.instance.end
    faulty = {each.call for each in given.violations if each.call is not None and each.call < end}
    unmet = tuple(each.given or "" for each in given.violations if each.code == "unmet_goal")
    if not (faulty or unmet):
        return given  # what was not judged may be right
    found = {"verdict": "unrepairable", "unresolved": tuple(sorted(faulty)), "unmet": unmet}
    return given.model_copy(update=found)


def _as_given(problem: Problem, note: str = "") -> RepairResult:
    """Return the given sequence: nothing is wrong with it, or no answer is known, as the note says."""
    given, was_open = problem.same["given"], "it was already open in the given sequence"
    numbers = tuple(range(len(given.calls)))
    # An answer that changes nothing still says what its calls leave open.
    confirms = tuple(
        ConfirmFor(call=number, confirm=confirm, reason=was_open)
        for number, call in enumerate(given.calls)
        for confirm in call.confirms
    )
    fields = {**problem.same, "asks": tuple(AskFor(name=name) for name in given.asks)}
    fields |= {"confirms": confirms, "verdict": "unknown" if note else _given_verdict(given)}
    result = RepairResult(sequence=given, origins=numbers, optimal=not note, note=note, **fields)
    result._handle = Handle(None if note else replace(problem, order=numbers), problem.instance)
    return result


def _given_verdict(sequence: Sequence) -> Verdict:
    """Return the verdict where nothing is wrong, or everything is mended."""
    return "needs_input" if sequence.is_open else "valid"


# --- from answer sets to a result -------------------------------------------------------------------


def repair_result(problem: Problem, answer: Answer) -> RepairResult:
    """Build the result from the first of the cheapest answer sets; it holds what more can be asked."""
    decoded = list(map(answer.decode, answer.choices))
    places, undecided = list[Where](), list[str]()
    if len(decoded) > 1 and answer.found.optimal:
        places, undecided = _undecided(decoded, problem.secrets)
        if places and problem.engine.repairing().confirm in ("risky", "defensive"):
            _open(places, answer.choices[0], decoded[0].end)
            decoded[0] = answer.decode(answer.choices[0])
    either = {"ambiguous": bool(places), "undecided": tuple(undecided)}
    result = decoded_result(problem, decoded[0], answer.found, **either)
    result._handle = Handle(replace(problem, order=tuple(decoded[0].order)), problem.instance)
    return result


def decoded_result(problem: Problem, decoded: Decoded, found: Found, **fields: Any) -> RepairResult:
    """Build a result from a decoded answer set and what was found of its cost; `fields` are further fields."""
    choices, evidence, instance = decoded.choices, decoded.evidence, decoded.instance
    goals = [instance.goals[number] for number in sorted(choices.unmet)]
    verdict: Verdict = "needs_input" if decoded.sequence.is_open else "repaired"
    paid: Counter[tuple[int, str]] = Counter()
    for penalty in choices.penalties:
        for level, weight in decoded.weights.get(penalty.kind, {}).items():
            paid[level, penalty.kind] += penalty.units * weight
    by_level: dict[int, dict[str, int]] = {}
    cost: Counter[str] = Counter()
    for (level, kind), value in sorted(paid.items()):
        if value:
            by_level.setdefault(level, {})[kind] = value
            cost[kind] += value
    fields = {**problem.same, **fields}
    return RepairResult(
        verdict="unrepairable" if choices.unresolved or choices.unmet else verdict,
        sequence=decoded.sequence,
        origins=decoded.origins,
        edits=tuple(_answering(edit, problem.same["violations"]) for edit in decoded.edits()),
        asks=tuple(decoded.asked(problem.violations)),
        confirms=tuple(decoded.confirms),
        unresolved=tuple(sorted(choices.unresolved)),
        unmet=tuple(str(problem.secrets.goal(goal)) for goal in goals),
        suggestions={call: evidence.suggestions(call) for call in sorted(choices.unresolved)},
        optimal=found.optimal,
        total=found.cost,
        lower_bound=found.lower_bound,
        cost=dict(sorted(cost.items())),
        cost_by_level=dict(sorted(by_level.items(), reverse=True)),
        truncated=tuple(evidence.truncated),
        **fields,
    )


def _answering(edit: Edit, violations: Iterable[Violation]) -> Edit:
    """Return an edit with the violations that it answers."""

    def is_answered(violation: Violation) -> bool:
        if edit.kind in ("add_call", "add_label", "rename_label"):
            read = tuple(f"${edit.label or ''}{end}" for end in ".[$")
            return violation.code == "unknown_label" and (violation.given or "").startswith(read)
        if edit.kind == "move_call" and violation.code == "read_before_written":
            return True
        if violation.call != edit.call:
            return False
        if violation.code == "unused_call" or edit.kind == "keep_call":
            return violation.code == "unused_call" and edit.kind == "keep_call"
        parameters = [None, getattr(edit, "parameter", None)]
        if edit.kind == "rename_parameter":
            parameters = [None, edit.before, edit.after]
        if edit.kind == "open_argument":
            parameters += edit.after
        return violation.parameter in parameters

    found = tuple(number for number, each in enumerate(violations) if is_answered(each))
    return edit.model_copy(update={"answers": found}) if found else edit


def needless_calls(result: RepairResult) -> Iterator[Violation]:
    """Say of each call that the repair leaves out that it is not needed."""
    for edit in result.edits:
        if edit.kind == "delete_call":
            why = "the goals are met without it"
            if edit.instead is not None and edit.instead < 0:
                why = "it was executed before"
            elif edit.instead is not None:
                other = result.given.calls[edit.instead]
                why = f"call {edit.instead + 1} ({shown(other.label or other.name)}) gives the same"
            call = {"call": edit.call, "tool": edit.before.name, "label": edit.before.label}
            message = f"{shown(edit.before.name)} need not be called: {why}"
            yield Violation(code="needless_call", message=message, **call)


# --- what is undecided, and what means the same --------------------------------------------------


def _undecided(decoded: list[Decoded], secrets: Secrets) -> tuple[list[Where], list[str]]:
    """
    Return the places of the first repair that another one of the same cost fills otherwise, and the
    same in words, without secrets. Labels are names: repairs that differ in them alone mean the same.

    What is returned has its place in the calls that give it, so that somebody can confirm it before they are
    made; only where none does, in the number that follows the last given call.
    """
    chosen, *others = decoded
    places: dict[Where, None] = {}
    choices: dict[str, dict[str, str]] = {}
    meant = _meant(chosen.sequence, [*chosen.order, chosen.end])
    for other in others:
        other_meant = _meant(other.sequence, [*other.order, other.end])
        for key, (call, arguments) in meant.items():
            other_call, other_arguments = other_meant.get(key, (None, {}))
            if other_call is None or call.name != other_call.name:
                places["call", key, None, None] = None
                instead = "no call" if other_call is None else shown(other_call.name)
                either = choices.setdefault(call.label or "tool", {call.name: shown(call.name)})
                either[instead] = instead
                continue
            for parameter, source in arguments.items():
                if other_arguments.get(parameter) == source:
                    continue
                places |= dict.fromkeys(_places(chosen, key, call, parameter))
                owner = shown(f"{call.label}.{parameter}" if call.label else parameter)
                either = choices.setdefault(owner, dict([_told(chosen, call, parameter, secrets)]))
                either |= dict([_told(other, other_call, parameter, secrets)])
    texts = []
    for owner, either in choices.items():  # at length where two of the short ones are the same
        is_clear = len(set(either.values())) == len(either)
        texts.append(f"{owner}: {' or '.join(either.values() if is_clear else either)}")
    return list(places), texts


def _places(chosen: Decoded, key: CallId, call: Call, parameter: str) -> list[Where]:
    """Return where an argument can be confirmed; nowhere where it is asked, as its answer decides."""
    source = call.arguments[parameter]
    if source.kind == "ask":
        return []
    if key == chosen.end:
        calls = zip(chosen.order, chosen.sequence.calls, strict=True)
        bearers = {each.label: giver for giver, each in calls}
        read = [slot.label for slot in slots_of(source) if isinstance(slot, Reference)]
        if givers := [bearers[label] for label in read if label in bearers]:
            return [("call", giver, None, None) for giver in givers]
    return [("argument", key, parameter, None)]


def _told(decoded: Decoded, call: Call, parameter: str, secrets: Secrets) -> tuple[str, str]:
    """Return an argument in words, at length with the call from which it is read, and in short."""
    source = call.arguments.get(parameter)
    if source is None:
        return "nothing", "nothing"
    source = secrets.argument([call.name], [parameter], source)
    if isinstance(source, Reference):
        read = "memory"
        for each in decoded.sequence.calls:
            if each is call:
                break
            if each.label == source.label:
                bare = each.model_copy(update={"label": None, "confirms": ()})
                read = str(Sequence(calls=(secrets.call(bare),)))
        return f"{shown(str(source))} of {shown(read, LONGEST_TEXT)}", shown(str(source))
    text = "ask" if source.kind == "ask" else "another value"
    if source.kind == "constant":
        text = shown(json.dumps(source.value, ensure_ascii=False, default=str))
    return text, text


def _open(places: list[Where], choices: Choices, end: int) -> None:
    """Let what is undecided be confirmed; what is returned and no call gives is asked for."""
    for place in places:
        _, call, parameter, _ = place
        if call != end:
            choices.confirms.add(place)
            choices.risky.setdefault(place, "ambiguous")
            continue
        for mended in choices.mended:
            if mended[:2] == (end, parameter):
                choices.mended[mended] = ("ask", "")


def means_the_same(result: RepairResult, other: RepairResult) -> bool:
    """Whether two repairs of one sequence give the same; labels are names, and may differ."""
    if result.sequence == other.sequence:
        return True

    def meant(sequence: Sequence) -> list[tuple[object, ...]]:
        return [(call.name, given, call.malformed) for call, given in _meant(sequence).values()]

    return result.origins == other.origins and meant(result.sequence) == meant(other.sequence)


def _meant(sequence: Sequence, order: Iterable[CallId] = ()) -> Meaning:
    """Return what a sequence means, by the calls in `order` or by their numbers; last what it returns."""
    calls = all_calls(sequence)
    bearers: dict[str, CallId] = {}
    meaning: Meaning = {}

    def bound(slot: Slot) -> Source:
        if isinstance(slot, Reference) and slot.label in bearers:
            return Reference(label=f"call {bearers[slot.label]}", path=slot.path)
        return slot

    for key, call in zip([*order] or range(len(calls)), calls, strict=True):
        arguments = {name: with_slots(source, bound) for name, source in call.arguments.items()}
        meaning[key] = (call, arguments)
        if call.label is not None:
            bearers[call.label] = key
    return meaning


# --- other repairs than the answer -----------------------------------------------------------------


def _alternatives(
    problem: Problem, deadline: Deadline, result: RepairResult, asked: Question, answer: Answer
) -> tuple[RepairResult, ...]:
    """
    Return other repairs than the answer in order of cost, as many as are wanted.

    None has the edits of another one and more; none has arguments that do not go together, or fails its check.
    """
    if not answer.found.optimal:  # what is cheaper is not known
        return ()
    wanted = problem.engine.alternatives
    known = {_meaning(result)}
    found: list[tuple[RepairResult, int]] = []
    others = _others(problem, deadline, result, asked, answer)
    for decoded, cost in islice(others, LOOKS * wanted + MAX_OPTIMA):
        if problem.discordant(decoded.origins, decoded.sequence) - decoded.choices.unresolved:
            continue
        total = {level: value for level, value in cost.items() if value or level in result.total}
        known_cost = Found([], total, result.lower_bound, optimal=total == result.total)
        either = {"ambiguous": result.ambiguous, "undecided": result.undecided}
        other = decoded_result(problem, decoded, known_cost, **either if known_cost.optimal else {})
        if _meaning(other) in known or problem.failures(other):
            continue
        other._handle = Handle(instance=problem.instance, beside=result.edits)
        known.add(_meaning(other))
        found.append((other, decoded.choices.rank))
        if len(found) >= wanted:
            break
    levels = sorted({level for other, _ in found for level in other.total}, reverse=True)
    found.sort(key=lambda each: ([each[0].total.get(level, 0) for level in levels], each[1]))
    return tuple(other for other, _ in found)


def _others(
    problem: Problem, deadline: Deadline, result: RepairResult, asked: Question, answer: Answer
) -> Iterator[tuple[Decoded, dict[int, int]]]:
    """Yield the other answer sets in order of cost, and what each costs."""
    minimal = [choice_atoms(answer.choices[0].symbols)]
    for choices in answer.choices[1:]:
        atoms = choice_atoms(choices.symbols)
        if not any(other <= atoms for other in minimal):
            minimal.append(atoms)
            yield answer.decode(choices), answer.found.cost
    known, levels = list(answer.choices), answer.weights
    if len(known) >= MAX_OPTIMA:
        block(answer.control, *(choices.symbols for choices in known))
        for shown, _ in further_models(answer.control, deadline, levels, at_most=answer.found.cost):
            known.append(read_choices(shown))
            yield answer.decode(known[-1]), answer.found.cost
    if not problem.engine.next_best:
        return
    # what costs more, and what the answer never does
    asked = asked.with_constants(problem.violations)
    program = problem.program.with_files("modes/alternatives.lp")
    control = program.control(asked.facts, asked.signatures)
    kept = set(result.unresolved)
    with control.backend() as backend:  # to leave a call as it is is no repair of it
        for atom in control.symbolic_atoms.by_signature("unresolved", 1):
            call = read(atom.symbol.arguments[0])
            if isinstance(call, int) and call not in kept and not atom.is_fact:
                backend.add_rule([], [atom.literal])
    block(control, *(choices.symbols for choices in known))
    weights = criteria(control)
    for shown, cost in further_models(control, deadline, weights):
        yield Decoded(asked.evidence, read_choices(shown), weights), cost


def _meaning(result: RepairResult) -> tuple[str, ...]:
    """Return what a repaired sequence says, whatever has to be confirmed in it."""
    calls = (f"{call.label}={call.name}{call.arguments!r}" for call in result.sequence.calls)
    return (*calls, repr(result.sequence.returns))
