"""What is asked of the encodings: what is wrong with a sequence, and which is the cheapest admissible one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, NamedTuple

from clingo import Control, Function, Number, Symbol, SymbolType

from refract_asp.errors import EncodingError, UnrankedError, shown
from refract_asp.model import Call, Level, RepairResult, Sequence, Violation
from refract_asp.model.secrets import Secrets
from refract_asp.rules.candidates import state_constants
from refract_asp.rules.choices import Choices, Weights, Where, read, read_choices, read_violations
from refract_asp.rules.decode import Decoded
from refract_asp.rules.evidence import Allowed, ByTarget, Evidence, Options
from refract_asp.rules.fitting import apart_facts, discord_facts, discordant, state_nested
from refract_asp.rules.forms import find_inner_calls
from refract_asp.rules.gather import gather
from refract_asp.rules.index import CatalogIndex
from refract_asp.rules.instance import Instance
from refract_asp.rules.messages import refuse_unknown_codes, unmade_text, violation_of
from refract_asp.rules.policy import forbidding
from refract_asp.rules.problem import compile_problem
from refract_asp.rules.program import PLAN_GIVEN, Program, Signature, anything, signature_of
from refract_asp.rules.reading import Parts
from refract_asp.rules.solve import MAX_OPTIMA, Found, choice_atoms, solve
from refract_asp.rules.symbols import fact
from refract_asp.rules.waiting import Deadline
from refract_asp.rules.wrappers import find_wrappers, opened

# So often choices are ruled out because arguments do not go together, before the calls are left as
# they are.
MAX_APART = 50
# So deep arguments may lie in others that only hold them.
MAX_WRAPPERS = 3
# The choices that decide what a call passes.
OF_ARGUMENTS = frozenset({"name", "renamed", "dropped", "transformed", "fill", "rebind"})


class Repairing(NamedTuple):
    """
    What only a repair needs.

    Attributes:
        program: chooses the cheapest repair.
        confirm: what has to be confirmed: "risky" edits, everything "new", both ("defensive"), or nothing
            ("never").
        options: what of the encodings tells which evidence cannot matter.
    """

    program: Program
    confirm: str
    options: Options


@dataclass(slots=True)
class Engine:
    """
    What is compiled once: a catalog and two programs, with what the user wants of them.

    Attributes:
        index: the catalog.
        check_program: shows what is wrong.
        repairing: reads what only a repair needs, once; a check of right calls does not ask for it.
        cost_model: the name of the cost model, for messages and results.
        mappings: which outputs may fill which parameters.
        undeclared: what becomes of arguments that their tool does not declare.
        max_new_calls: how many calls may be added that no reference demands.
        max_tries: how often a call may be executed in all.
        known_tools_only: added and renamed calls use only tools that the sequence names.
        alternatives: how many other repairs are wanted.
        next_best: whether those that cost more are wanted too.
        own: whether files of the user's make up the programs, which may come to anything.
    """

    index: CatalogIndex
    check_program: Program
    repairing: Callable[[], Repairing]
    cost_model: str
    mappings: ByTarget
    undeclared: str
    max_new_calls: int
    max_tries: int
    known_tools_only: bool
    alternatives: int
    next_best: bool
    own: bool

    def restated(self, known: Instance, sequence: Sequence, level: Level) -> Instance:
        """State another sequence in the place of a given one, and what it has to be."""
        past = known.memory, known.history
        return self.stated(
            Instance(sequence, *past, self.index, self.undeclared, known.goals, level)
        )

    def stated(self, asked: Instance) -> Instance:
        """Resolve a sequence, and state it as facts."""
        every = self.check_program.compares
        compile_problem(asked, max_tries=self.max_tries, every=every, mappings=self.mappings)
        state_nested(asked, self.check_program.folder)
        return asked


@dataclass(slots=True)
class Question:
    """All that a repair is asked with: the evidence, the facts and their signatures."""

    evidence: Evidence
    facts: list[Symbol]
    signatures: frozenset[Signature]

    def with_facts(self, facts: Collection[Symbol]) -> Question:
        """Return the question with further facts."""
        every = list(dict.fromkeys([*self.facts, *facts]))
        return Question(self.evidence, every, self.signatures.union(map(signature_of, facts)))

    def with_constants(self, violations: Iterable[Violation]) -> Question:
        """Return the question with the constants that the wrong calls could use besides."""
        evidence = self.evidence
        for violation in violations:
            for tool in () if violation.call is None else evidence.possible_tools(violation.call):
                for parameter in evidence.index.tools[tool].parameters.values():
                    is_open = violation.code == "unknown_tool" and parameter.required
                    if violation.parameter == parameter.name or is_open:
                        state_constants(evidence, tool, parameter.name)
        return self.with_facts(evidence.facts)


@dataclass(frozen=True, slots=True)
class Answer:
    """
    What the search for a repair gave.

    Attributes:
        evidence: what it was asked with.
        control: what holds the program.
        weights: what the cost model says that a unit of each kind weighs, by level.
        choices: what each of the cheapest answer sets chose, the answer first.
        found: what the answer costs, and what is proven of it.
    """

    evidence: Evidence
    control: Control
    weights: Weights
    choices: list[Choices]
    found: Found

    def decode(self, choices: Choices) -> Decoded:
        """Return the repaired sequence that an answer set stands for."""
        return Decoded(self.evidence, choices, self.weights)


@dataclass(frozen=True, slots=True)
class Problem:
    """
    A sequence with what is wrong with it, and how its repair is asked for.

    Attributes:
        engine: the catalog and the programs.
        instance: the given sequence.
        violations: what is wrong with it.
        places: where each of them stands.
        facts: the facts that say so.
        check: the program that found it.
        warnings: what is only a warning.
        left: the calls that are not mended.
        apart: which choices for a call are not made, as its arguments would not go together: facts.
        first: the problem as it was asked, before arguments that hold others were opened; or None.
        order: of a problem that was solved: which call each one of the repaired sequence is.
        seconds: how long each further question may take, or None.
    """

    engine: Engine
    instance: Instance
    violations: tuple[Violation, ...]
    places: tuple[Where, ...]
    facts: tuple[Symbol, ...]
    check: Program = field(repr=False, compare=False)
    warnings: tuple[str, ...] = ()
    left: frozenset[int] = frozenset()
    apart: tuple[Symbol, ...] = ()
    first: Problem | None = field(default=None, repr=False)
    order: tuple[Any, ...] = field(default=(), repr=False)
    seconds: float | None = None

    @property
    def secrets(self) -> Secrets:
        """What hides secrets."""
        return self.instance.index.secrets

    @property
    def same(self) -> dict[str, Any]:
        """The fields that all results about this sequence share."""
        first = self.first or self
        given = first.instance.sequence
        notes = (*given.notes, *self.instance.notes, *self.warnings, *self.check.notes)
        model = self.engine.cost_model
        return {"violations": first.violations, "notes": notes, "given": given, "cost_model": model}

    @property
    def program(self) -> Program:
        """The program that repairs, with what goals, the wish for fewer calls and plans need."""
        needed = {
            "goals.lp": bool(self.instance.goals),
            "compress.lp": self.instance.level == "cheapest",
            "plan.lp": self.instance.is_plan,
        }
        program = self.engine.repairing().program
        return program.with_files(*(name for name in needed if needed[name]))

    def unwrapped(self) -> Problem:
        """Open the arguments that only hold other ones; what is wrong then has to be mended."""
        problem, stated = self, list[Symbol]()
        for _ in range(MAX_WRAPPERS):
            instance = problem.instance
            found, facts = find_wrappers(problem)
            if not found:
                break
            stated += facts
            inner = opened(instance.sequence, found)
            inside = self.engine.restated(instance, inner, instance.level)
            inside.opened, inside.asked = instance.opened | found, self.instance.sequence
            for symbol in stated:
                inside.add(symbol.name, *symbol.arguments)
            problem = replace(find_problem(self.engine, inside), first=self, seconds=self.seconds)
        return problem

    def prepared(self) -> Problem:
        """
        Open arguments that hold others, look for calls inside arguments, and say where they do not go together.

        Where something else is wrong in a call that may be all; it is judged again when that is mended.
        """

        def is_admissible(call: Call) -> bool:
            given, known = Sequence(calls=(call,)), self.instance.memory
            alone = compile_problem(Instance(given, known, (), self.engine.index))
            return not find_problem(self.engine, alone).violations

        problem = self.unwrapped()
        instance = problem.instance
        find_inner_calls(instance, is_admissible)
        blamed = {each.call for each in problem.violations if each.code != "invalid_arguments"}
        wrong = dict.fromkeys(sorted(instance.discordant - blamed), ())
        return replace(problem, apart=tuple(apart_facts(wrong.items())))

    def question(self) -> Question:
        """Gather the evidence for a repair, and all the facts that the repair program gets."""
        engine, instance, only = self.engine, self.instance, None
        if engine.known_tools_only:
            named = [call.name for call in (*instance.sequence.calls, *instance.history)]
            only = frozenset([*named, *(goal.name for goal in instance.goals)])
        tries = Counter(call.name for call in instance.history)
        spent = frozenset(name for name, count in tries.items() if count >= engine.max_tries)
        allowed = Allowed(only=only, without=spent, depth=engine.max_new_calls)
        places: Any = [(call, parameter, number) for _, call, parameter, number in self.places]
        evidence = Evidence(instance, allowed, engine.mappings, engine.repairing().options)
        gather(evidence, self.violations, places)
        stated = (*discord_facts(self.left), *self.facts, *self.apart)
        facts = [*instance.facts, *stated, *evidence.facts]
        signatures = {anything(*each) for each in instance.predicates | evidence.predicates}
        signatures.update(map(signature_of, stated))
        if engine.repairing().confirm in ("risky", "defensive"):
            facts.append(fact("in_confirm", Function("risky")))
            signatures.add(("in_confirm", ("risky",)))
        return Question(evidence, list(dict.fromkeys(facts)), frozenset(signatures))

    def search(self, asked: Question, deadline: Deadline, *modes: str) -> Answer:
        """
        Find the cheapest admissible sequences, with the program that repairs and files of modes.

        Raises:
            UnrankedError: the cost model forgets a kind of penalty; the message names every such kind.
        """
        program = self.program.with_files(*modes)
        control = program.control(asked.facts, asked.signatures)
        free = control.symbolic_atoms.by_signature("unranked", 1)
        if kinds := sorted(str(atom.symbol.arguments[0]) for atom in free):
            what = f"the cost model has no criterion for: {', '.join(kinds)}."
            hint = "Add criterion(Kind, Priority, Weight), or criterion_off(Kind) to leave it free."
            raise UnrankedError(what, where=self.engine.cost_model, hint=hint)
        weights = criteria(control)
        found = solve(control, deadline, MAX_OPTIMA, weights)
        choices = in_order(found, asked.evidence)
        if found.optimal and len(found.models) >= MAX_OPTIMA and choices[0].rank:
            # The answers of the lowest rank may be none of those at which the search stopped. They are asked
            # for in a control of their own: the other one may be asked for further answers.
            ties = program.with_files("modes/ties.lp").control(asked.facts, asked.signatures)
            lowest = solve(ties, deadline, MAX_OPTIMA, {})
            if lowest.optimal:
                known = set(map(frozenset, found.models))
                found.models += [each for each in lowest.models if frozenset(each) not in known]
            choices = in_order(found, asked.evidence)
        return Answer(asked.evidence, control, weights, choices, found)

    def search_together(
        self,
        deadline: Deadline,
        *modes: str,
        more: Callable[[Evidence], Collection[Symbol]] | None = None,
    ) -> tuple[Problem, Question, Answer]:
        """
        Search until in all that is cheapest the arguments of every call go together, and say what was asked last.

        Whether they do is judged when they are chosen. What does not is stated, and is not chosen once more.

        Args:
            deadline: when to stop.
            modes: further files of modes.
            more: gives further facts.
        """
        problem = self
        for number in count():
            asked = problem.question()
            if more is not None:
                asked = asked.with_facts(more(asked.evidence))
            answer = problem.search(asked, deadline, *modes)
            found = problem.found_apart(answer)
            if not found:
                break
            if number < MAX_APART:
                apart = (*problem.apart, *apart_facts(found, len(problem.apart)))
                problem = replace(problem, apart=apart)
            else:
                problem = replace(problem, left=problem.left.union(call for call, _ in found))
        if number > MAX_APART:
            answer.found.optimal = False
        return problem, asked, answer

    def found_apart(self, answer: Answer) -> list[tuple[int, tuple[Symbol, ...]]]:
        """Return the calls of the cheapest answers whose arguments do not go together, each with its choices."""
        found: dict[tuple[int, tuple[Symbol, ...]], None] = {}
        index, given = self.instance.index, {call.name for call in self.instance.sequence.calls}
        for choices in answer.choices:
            tools = given | set(choices.tools.values())
            if not any(index.rules_of(tool) for tool in tools & index.tools.keys()):
                continue
            decoded = answer.decode(choices)
            for call in self.discordant(decoded.origins, decoded.sequence) - choices.unresolved:
                atoms = sorted(choice_atoms(choices.symbols))
                chosen = (atom for atom in atoms if atom.name in OF_ARGUMENTS)
                found[call, tuple(a for a in chosen if a.arguments[0] == Number(call))] = None
        return list(found)

    def discordant(self, origins: Iterable[int | None], sequence: Sequence) -> set[int]:
        """Return the calls of a repaired sequence whose arguments do not go together."""
        return discordant(self.instance, zip(origins, sequence.calls, strict=True)) - self.left

    def violations_of(self, sequence: Sequence) -> tuple[Violation, ...]:
        """Say what is wrong with another sequence in the place of the given one, goals included."""
        instance = self.engine.restated(self.instance, sequence, "achieves_goals")
        return find_problem(self.engine, instance).violations

    def failures(self, result: RepairResult) -> tuple[Violation, ...]:
        """
        Check an answer as its reader would, and return what is wrong with it.

        What stays unresolved is wrong as it was given, and such an answer is not called admissible.
        What house rules say of a call depends on its values, so they judge it when all that it asks is known.
        """
        if result.verdict not in ("repaired", "needs_input"):
            return ()
        asking = {ask.call for ask in result.asks}
        found = self.violations_of(result.sequence)
        return tuple(each for each in found if each.code != "forbidden" or each.call not in asking)


# --- what is wrong ---------------------------------------------------------------------------------


def find_problem(engine: Engine, instance: Instance) -> Problem:
    """
    Ground the check program; its violations are facts afterwards, so nothing is solved.

    Raises:
        EncodingError: the rules derive a code that is unknown, or forbid what is no place.
    """
    files = ("plan.lp", PLAN_GIVEN) if instance.is_plan else ()
    program = engine.check_program.with_files(*files)
    facts = [*instance.facts, *discord_facts(instance.discordant)]
    control = program.control(facts, frozenset(anything(*each) for each in instance.predicates))
    symbols = sorted(a.symbol for a in control.symbolic_atoms.by_signature("violation", 2))
    warned = (a.symbol for a in control.symbolic_atoms.by_signature("warning", 2))
    refuse_unknown_codes(symbols)
    texts = _read_forbidden(control, instance, program.parts) if program.forbids else {}

    given: dict[int, dict[str | None, int]] = {}

    def position(found: tuple[str, Where]) -> tuple[int, int, str, int, str]:
        """Return call, argument as written (absent ones last), reference and code; goals come last."""
        code, (kind, call, parameter, number) = found
        assert isinstance(call, int)
        if kind == "goal":
            return len(instance.sequence.calls) + 1, call, "", 0, code
        if call not in given:
            given[call] = {name: at for at, name in enumerate(instance.call(call).arguments)}
        place = given[call].get(parameter, len(given[call]) if parameter else -1)
        return call, place, parameter or "", number or 0, code

    found = sorted(read_violations(symbols), key=position)
    violations = tuple(
        violation_of(instance, code, where, texts.get(where, ()) if code == "forbidden" else ())
        for code, where in found
    )
    places = tuple(where for _, where in found)
    stated = tuple(Function("in_violation", symbol.arguments) for symbol in symbols)
    unmade = (where[1] for _, where in sorted(read_violations(warned)))
    warnings = tuple(unmade_text(instance, call) for call in unmade if isinstance(call, int))
    return Problem(engine, instance, violations, places, stated, program, warnings)


def _read_forbidden(control: Control, instance: Instance, parts: Parts) -> dict[Where, list[str]]:
    """
    Return what house rules say of each place that they forbid.

    Raises:
        EncodingError: what is forbidden is no place of the sequence, or not decided by it.
    """
    for atom in control.symbolic_atoms.by_signature("violation", 2):
        code, place = atom.symbol.arguments
        is_place = _is_place(place, instance)
        if code.name != "forbidden" or (is_place and atom.is_fact):
            continue
        what = f"forbidden({shown(place)}): that is no place of the sequence."
        hint = "Forbid call(X), argument(X, Param) or reference(X, Param, N) of a given call X."
        if is_place:
            what = f"forbidden({shown(place)}) may hold or not, as the rules stand."
            hint = "Rules that forbid must not go round in circles through `not`."
        raise EncodingError(what, where=forbidding(parts, place), hint=hint)
    texts: dict[Where, list[str]] = {}
    for symbol in sorted(a.symbol for a in control.symbolic_atoms.by_signature("forbidden", 2)):
        place, text = symbol.arguments
        if _is_place(place, instance):
            ((_, at),) = read_violations([Function("violation", [Function("forbidden"), place])])
            is_text = text.type is SymbolType.String
            texts.setdefault(at, []).append(text.string if is_text else str(text))
    return texts


def _is_place(symbol: Symbol, instance: Instance) -> bool:
    """Whether a symbol is a place in a given call, or in what is returned."""
    number, text = SymbolType.Number, SymbolType.String
    kinds = {"call": [number], "argument": [number, text], "reference": [number, text, number]}
    if symbol.type is not SymbolType.Function:
        return False
    if [each.type for each in symbol.arguments] != kinds.get(symbol.name):
        return False
    call, *rest = symbol.arguments
    if symbol.name == "reference":
        return (call.number, rest[0].string, rest[1].number) in instance.references
    return 0 <= call.number < len(instance.sequence.calls) + instance.is_returning


# --- which repair is the cheapest ------------------------------------------------------------------


def in_order(found: Found, evidence: Evidence) -> list[Choices]:
    """Read the answer sets in an order of their own: it does not matter how clingo came upon them."""

    def reading_order(choices: Choices) -> list[tuple[int, int]]:
        # where nothing else decides, what a tool declares first reads from the call that stands first
        order = []
        for (call, parameter), (origin, _) in choices.filled.items():
            tool = evidence.index.get(choices.tools.get(call, ""))
            if tool is None and isinstance(call, int):
                tool = evidence.instance.tool(call)
            names = list(tool.parameters) if tool is not None else []
            if isinstance(origin, int) and parameter in names:
                order.append((str(call), names.index(parameter), origin))
        return [(place, origin) for _, place, origin in sorted(order)]

    choices = [read_choices(model) for model in sorted(sorted(model) for model in found.models)]
    return sorted(choices, key=lambda each: (each.rank, reading_order(each)))


def criteria(control: Control) -> Weights:
    """Return what the cost model says that a unit of each kind weighs, by level."""
    found: Weights = {}
    for atom in control.symbolic_atoms.by_signature("criterion", 3):
        _, kind, level, weight = read(atom.symbol)
        levels = found.setdefault(kind, {})
        levels[level] = levels.get(level, 0) + weight
    return found
