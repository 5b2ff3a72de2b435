"""
What files of the user's may say: which predicates they derive, which levels and weights they use.

Most of it is read from the statements, before anything is grounded; the rest is judged when they are: how much
is grounded, with which weights, and whether there is an answer at all.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from clingo import Control, Observer, Symbol, SymbolType
from clingo.ast import AST, ASTType

from refract_asp.errors import ConstantError, EncodingError, UnrankedError, shown
from refract_asp.rules import reading
from refract_asp.rules.reading import MAX_WEIGHT, RANGE, Parts, Predicate, constant_of, where
from refract_asp.rules.symbols import TABLES
from refract_asp.rules.waiting import is_wanted

# What a cost model may state besides criteria and penalties.
MODEL_VALUES: dict[str, list[str]] = TABLES["model_values"]

# What only a cost model may state, besides criteria and penalties of a kind of its own.
MODEL_HEADS = frozenset({("criterion_off", 1), ("level", 2), *((name, 1) for name in MODEL_VALUES)})

# What is wrong by a rule of one's own: a place, or a place and a text that says why.
FORBIDDEN = frozenset({("forbidden", 1), ("forbidden", 2)})

# What only rules of one's own may derive, besides criteria and penalties of a kind of their own.
HOUSE_RULE_HEADS = FORBIDDEN | {("precede", 2), ("may_delete", 1)}

# What all of them may derive, of kinds of their own.
RANKING = frozenset({("penalty", 3), ("criterion", 3)})

# What a recovery pattern may say besides what the shipped ones derive for the others.
PATTERN_HEADS = frozenset({
    ("pattern", 3), ("risky", 2), ("unknown", 2), ("rank", 2), ("tool_of", 2),
})  # fmt: skip

# Priorities from here on belong to modes, as goals and compression.
RESERVED = 100

# Rules that a program with files of the user's may come to when it is grounded for a question.
MAX_RULES = 1_000_000
# Seconds that an answer without any facts may take; what takes longer is not judged here.
PATIENCE = 5.0


@dataclass(frozen=True, slots=True)
class Finding:
    """
    One thing that is wrong with an encoding.

    Attributes:
        code: what kind of thing it is, in one word.
        what: what is wrong, in a sentence.
        where: file and line, or the file alone.
        hint: what to do.
        severity: "error" where nothing is repaired with such a file, "warning" where it may be meant.
    """

    code: str
    what: str
    where: str = ""
    hint: str = ""
    severity: Literal["error", "warning"] = "error"

    def as_error(self) -> EncodingError:
        """Return the error that `repair` raises for it."""
        kinds = {"weight": ConstantError, "constant": ConstantError, "unranked": UnrankedError}
        kind = kinds.get(self.code, EncodingError)
        return kind(self.what, where=self.where, hint=self.hint)


def alike(name: object, known: Collection[str]) -> str:
    """
    Return a hint that names what may have been meant, or nothing.

    Example:
        >>> alike("weight_aks", ["weight_ask", "priority_edits"])
        'Did you mean weight_ask?'
    """
    near = get_close_matches(shown(name), sorted(known), 3, 0.75)
    return f"Did you mean {' or '.join(near)}?" if near else ""


# --- what is refused by what is written ----------------------------------------------------------------


def refusals(parts: Parts) -> Iterator[Finding]:
    """Yield what is refused in files of the user's, and misspelt values of any cost model."""
    for name, values in MODEL_VALUES.items():
        deletes = name == "may_delete"  # which house rules may say as well, and of a tool
        nodes = [*parts.ranking, *parts.own] if deletes else parts.ranking
        for node, (value,) in parts.heads(nodes, (name, 1)):
            if constant_of(value) not in values and (constant_of(value) or not deletes):
                hint = f"It may be {' or '.join(sorted(values))}."
                yield Finding("saying", f"{name} cannot be {shown(value, 60)}.", where(node), hint)
    yield from unstated(parts.own)
    levels = [value for name, value in parts.constants.items() if name.startswith("priority_")]
    if parts.users or any(value >= RESERVED for value in levels):
        for judged in (_statements, _ranks, _tuples, _kinds):
            yield from judged(parts)


_DIRECTIVES = "#project", "#edge", "#heuristic"


def recovering(parts: Parts) -> frozenset[Predicate]:
    """Return what a pattern may derive: what those of `recovery/` tell the other files, and facts about an edit."""
    offered, kept, asked = set[Predicate](), set[Predicate](), set[Predicate]()
    for node in parts.core:
        heads = parts.made(node)
        if "/recovery/" in node.location.begin.filename:
            offered |= heads
        else:
            kept |= heads
            asked |= reading.needed(node)
    return PATTERN_HEADS | (offered & asked - kept)


def _statements(parts: Parts) -> Iterator[Finding]:
    """Refuse statements that change what Python reads of an answer or call Python, and heads of the core."""
    for node in parts.users:
        if str(node).startswith(_DIRECTIVES):
            what = f"{str(node).split()[0]} is not allowed in an encoding."
            yield Finding("statement", what, where(node))
        if node.ast_type is ASTType.ShowTerm:  # Python would read it as an output of ours
            name, _ = reading.predicate_of(node.term) or ("", 0)
            if not name or name.startswith("out_"):
                what = f"{shown(node.term, 60)} may not be shown."
                hint = "Show it inside a term with a name of its own that does not begin with out_."
                yield Finding("statement", what, where(node), hint)
        for each in reading.walk(node):
            if each.ast_type is ASTType.Function and each.external:
                what = f"{shown(each, 60)}: a function of Python is not allowed in an encoding."
                yield Finding("statement", what, where(node))
    reserved = parts.made(*parts.core) | MODEL_HEADS | HOUSE_RULE_HEADS
    candidates = recovering(parts)
    listed = ", ".join(f"{name}/{arity}" for name, arity in sorted(candidates))
    whose = (
        (parts.model, MODEL_HEADS),
        (parts.own, HOUSE_RULE_HEADS),
        (parts.patterns, candidates),
    )
    for (nodes, allowed), hint in zip(whose, TABLES["allowed"], strict=True):
        for node in nodes:
            for name, arity in (head.predicate for head in parts.derived(node)):
                is_ours = (name, arity) in reserved or name.startswith(("in_", "out_"))
                if is_ours and (name, arity) not in allowed | RANKING:
                    what = f"{name}/{arity} belongs to the core, and may be asked but not derived here."
                    yield Finding("core", what, where(node), hint.format(listed))


def _kinds(parts: Parts) -> Iterator[Finding]:
    """Refuse penalties and criteria of kinds that are others', and criteria of no kind."""
    kinds = parts.kinds(parts.core)
    for node, (first, *_) in parts.heads(parts.users, ("penalty", 3)):
        kind = constant_of(first)
        if not kind or kind in kinds:
            what = f"penalty({shown(kind or 'Kind', 40)}, ...) belongs to the core."
            yield Finding("core", what, where(node), "Give the kind a name of its own, as a word.")
    ranked = {criterion.kind for _, criterion in parts.criteria(parts.ranking)}
    for node, (first, *_) in parts.heads([*parts.own, *parts.patterns], ("criterion", 3)):
        if (kind := constant_of(first)) in ranked:
            what = f"{shown(kind, 40)} is ranked by the cost model already."
            yield Finding("core", what, where(node), "Change its weight with -c, or the model.")
    shared = {constant_of(kind) for _, (kind, _) in parts.heads(parts.weights, ("shared", 2))}
    known = parts.kinds(parts.all) | shared
    names = (("criterion", 3), ("level", 2), ("criterion_off", 1))
    stated = [each for name in names for each in parts.heads(parts.users, name)]
    for node, (terms, *_) in stated:
        for term in reading.options(terms):
            kind = constant_of(term)
            if not kind and term.ast_type is ASTType.SymbolicTerm:
                what = f"{shown(term, 60)} is no kind of penalty."
                yield Finding("kind", what, where(node), "Kinds are words, as ask.")
            elif kind and kind not in known:
                hint = alike(kind, known) or "Derive penalty(Kind, Units, Place), or take it away."
                what = f"no rule derives a penalty of the kind {shown(kind, 60)}."
                yield Finding("kind", what, where(node), hint)


def misspelt(parts: Parts, folder: Path) -> Iterator[Finding]:
    """Yield constants that take the place of none, and tools that may be deleted and that no rule names."""
    files = {folder / name for entry in reading.ENTRIES for name in reading.included(folder, entry)}
    constants = {name for path in files for name in reading.load(path)[1]}
    defined = Counter(node.name for node in parts.all if node.ast_type is ASTType.Definition)
    for node in parts.users:
        is_lone = node.ast_type is ASTType.Definition and defined[node.name] == 1
        if is_lone and not node.is_default and node.name not in constants:
            what = f"there is no constant {shown(node.name, 60)} that this could override."
            yield Finding("constant", what, where(node), alike(node.name, constants))
    deletable = list(parts.heads(parts.users, ("may_delete", 1)))
    texts = (str(each) for node in parts.users for each in reading.walk(node))
    named = [text for text in texts if text[:1] == '"']
    others = set(Counter(named) - Counter(str(tool) for _, (tool,) in deletable))
    for node, (tool,) in deletable:
        if str(tool) not in others and (hint := alike(str(tool), others)):
            what = f"no other rule of yours names the tool {shown(tool, 60)}."
            yield Finding("unread", what, where(node), hint, "warning")


def no_constants(parts: Parts, term: AST, prefixes: tuple[str, ...] = ("",)) -> Iterator[Finding]:
    """Yield the words in a term that look like constants and are none."""
    for each in reading.walk(term):
        name = constant_of(each)
        if name and name not in parts.constants and name.startswith(prefixes):
            hint = alike(name, parts.constants) or "Define it with #const."
            what = f"there is no constant {shown(name, 60)}."
            yield Finding("constant", what, where(each), hint)


def _ranks(parts: Parts) -> Iterator[Finding]:
    """Refuse weights and levels out of range, words that are no constant, and levels that change."""
    terms: list[tuple[AST, AST, bool]] = []  # statement, term, whether it is a level
    for node in parts.minimized():
        terms += [(node, node.weight, False), (node, node.priority, True)]
    for node, (_, units, _) in parts.heads(parts.users, ("penalty", 3)):
        terms.append((node, units, False))
    judged = [*parts.ranking, *parts.own, *parts.patterns]
    for node, (_, level, weight) in parts.heads(judged, ("criterion", 3)):
        terms += [(node, weight, False), (node, level, True)]
    for node, (_, level) in parts.heads(parts.ranking, ("level", 2)):
        terms.append((node, level, True))
    for node, (_, level, _) in parts.heads(parts.weights, ("criterion", 3)):
        terms += [(node, level, True)] if constant_of(level) else []
    for node, term, is_level in terms:
        words = list(no_constants(parts, term))
        yield from words
        number = reading.value_of(term, parts.constants)
        most = RESERVED - 1 if is_level else MAX_WEIGHT
        if number is not None and not 0 <= number <= most:
            hint = f"From {RESERVED} on they are reserved for modes." if is_level else RANGE
            what = f"the {'priority' if is_level else 'weight'} {shown(term, 40)} is out of range."
            yield Finding("weight", what, where(node), hint)
        elif number is None and is_level and not words:
            what = f"the priority {shown(term, 40)} is no number and no constant."
            yield Finding("level", what, where(node), "Levels are fixed: write one of them.")


def _tuples(parts: Parts) -> Iterator[Finding]:
    """Refuse tuples that may be one of ours, a kind and a place: clingo counts equal ones once."""
    levels = {each.priority for _, each in parts.criteria([*parts.core, *parts.model])}
    kinds = parts.kinds(parts.all)
    for node in parts.minimized():
        if len(node.terms) != 2 or reading.value_of(node.priority, parts.constants) not in levels:
            continue
        first = reading.options(node.terms[0])
        if any(o.ast_type is ASTType.Variable or constant_of(o) in kinds for o in first):
            terms = shown(", ".join(map(str, node.terms)), 60)
            what = f"the tuple [..., {terms}] may fall together with one of ours, and count once."
            yield Finding("tuple", what, where(node), "Begin the tuple with a word of your own.")


def unranked_kinds(parts: Parts) -> Iterator[Finding]:
    """Yield the kinds of penalties that rules derive and that no criterion ranks or switches off."""
    judged = [*parts.ranking, *parts.own, *parts.patterns]
    known = {criterion.kind for _, criterion in parts.criteria(judged)}
    known |= {kind for _, kind in parts.switched_off(judged)}
    if not all(kind.lstrip("_")[:1].islower() for kind in known):
        return  # only grounding resolves a variable or a pool; `unranked/1` reports it for each sequence
    hint = "Add criterion({0}, Priority, Weight), or criterion_off({0}) to leave it free."
    own, free = parts.kinds(parts.users), sorted(parts.kinds(parts.all) - known)
    for node, (first, *_) in parts.heads(parts.users, ("penalty", 3)):
        if (kind := constant_of(first)) in free:
            what = f"nothing ranks the penalty {shown(kind, 60)}."
            yield Finding("unranked", what, where(node), hint.format(kind))
    if ours := [kind for kind in free if kind not in own]:
        what = f"the cost model has no criterion for: {', '.join(ours)}."
        yield Finding("unranked", what, reading.files_of(parts.ranking), hint.format("Kind"))


# --- what `check` loads of the user's rules ---------------------------------------------------------

# Who asks one of these wants the values of all calls.
COMPARED = frozenset({("passes", 3), ("in_value", 3), ("in_paired", 1)})


# Inputs of `check` for which its own rules do not ask; the others are evidence for a repair.
UNASKED = COMPARED | {("in_label", 2), ("in_unlabelled", 1), ("in_returns", 1)}


def forbids(nodes: Sequence[AST]) -> bool:
    """Whether rules of the user's forbid something."""
    return not FORBIDDEN.isdisjoint(reading.made(*nodes))


def unstated(nodes: Sequence[AST]) -> Iterator[Finding]:
    """Yield the facts that shipped house rules need and no file states, without which they have no effect."""
    known = {name for name, _ in reading.made(*nodes)}
    for node in nodes:
        is_shipped = where(node).startswith("house_rules/")
        if node.ast_type is ASTType.Defined and is_shipped and node.name not in known:
            known.add(node.name)
            text = Path(node.location.begin.filename).read_text("utf-8")
            (example, *_) = re.findall(rf"% +({node.name}\(.*?\)\.)", text)
            what = f"nobody states {node.name}/{node.arity}, so this rule would say nothing."
            hint = f"State it in a file of your own beside this one: {example}"
            yield Finding("unstated", what, where(node), hint)


def orders(nodes: Sequence[AST]) -> bool:
    """Whether rules of the user's ask which call stands before which, and do not say it themselves."""
    return ("before", 2) in reading.needed(*nodes) - reading.made(*nodes)


def for_check(nodes: Sequence[AST]) -> list[AST]:
    """Return those of the user's statements on which it depends what is forbidden, in their order."""
    needed, lasting = _leading_to(FORBIDDEN, nodes), (ASTType.Definition, ASTType.Defined)
    return [n for n in nodes if reading.made(n) & needed or n.ast_type in lasting]


def _leading_to(wanted: Collection[Predicate], nodes: Sequence[AST]) -> set[Predicate]:
    """Return predicates with all those on which they depend by these statements."""
    found, count = set(wanted), 0
    while len(found) > count:
        count = len(found)
        for node in nodes:
            if found & reading.made(node):
                found |= reading.needed(node)
    return found


OF_CALL = frozenset({("in_call", 1), ("in_name", 2), ("name", 2)})
# What holds of the sequence under judgement, be it given or repaired.
JUDGED = frozenset({
    ("name", 2), ("arg", 2), ("goes", 3), ("keeps", 2), ("reads", 5), ("passes", 3), ("before", 2),
})  # fmt: skip


def forbidding(parts: Parts, place: Symbol) -> str:
    """Return file and line of the user's rules that forbid a place: this very one, or else any of its shape."""
    heads = [each for name in FORBIDDEN for each in parts.heads(parts.own, name)]
    shapes = re.escape(str(place)), rf"[A-Z]\w*|{str(place).partition('(')[0]}\(.*[A-Z].*"
    found = ([where(n) for n, (at, *_) in heads if re.fullmatch(s, str(at))] for s in shapes)
    return ", ".join(dict.fromkeys(next(filter(None, found), ())))


def restricting(parts: Parts) -> str:
    """Return file and line of the user's rules that rule repairs out; nothing where there are none."""
    rules = [node for node in parts.users if node.ast_type is ASTType.Rule]
    return reading.lines_of(node for node in rules if reading.made(node) <= {("precede", 2)})


def _own_rules(nodes: Iterable[AST]) -> Iterator[AST]:
    """Yield the rules that are none of a shipped file."""
    for node in nodes:
        if node.ast_type is ASTType.Rule and not where(node).startswith("house_rules/"):
            yield node


def _calls(parts: Parts, node: AST) -> set[str]:
    """Return the terms of a rule that are calls: the first ones of such atoms, and of what it forbids."""
    atoms = [term for atom in reading.asked(node) for term in reading.terms_of(atom)]
    holders = [term for term in atoms if reading.predicate_of(term) in OF_CALL | JUDGED]
    heads = [head for head in parts.derived(node) if head.predicate in FORBIDDEN]
    holders += [head.arguments[0] for head in heads]
    return {str(first) for term in holders for first in getattr(term, "arguments", ())[:1]}


def positions(parts: Parts) -> Iterator[Finding]:
    """Warn of rules that compare the places of calls as they were given, which stay the same when calls move."""

    def said_of(name: str, terms: Iterable[str]) -> set[str]:
        """Return what the atoms that begin with a variable say of it, but that it is a call."""
        found = ((term, re.sub(rf"\({name}\b", "(", term)) for term in terms)
        return {rest for term, rest in found if rest != term} - {"in_call()"}

    for node in _own_rules(for_check(parts.own)):
        calls = _calls(parts, node)
        terms = [str(term) for atom in reading.asked(node) for term in reading.terms_of(atom)]
        inside = ((part, each) for part in node.body for each in reading.walk(part))
        for part, each in inside:
            if each.ast_type is not ASTType.Comparison:
                continue
            text = str(each)
            named = re.findall(r"\b_*[A-Z][\w']*", text)
            is_direct = part.ast_type is ASTType.Literal and part.atom.ast_type is each.ast_type
            # where the same is said of all of them it only breaks ties, as where calls are counted
            is_tie = not is_direct and len({frozenset(said_of(name, terms)) for name in named}) < 2
            # two calls may be told apart; what is compared with the number of a call is one, too
            is_told = len(named) < 2 or re.fullmatch(r"[\w']+ !?= [\w']+", text)
            if calls.intersection(named) and not (is_tie or is_told):
                first, second = named[:2] if "<" in text else named[1::-1]
                what = f"{text} compares where calls were given, and calls may move."
                hint = f"Write before({first}, {second}), which holds of the repaired order, too."
                yield Finding("position", what, where(node), hint, "warning")


def unseen(parts: Parts, core: Sequence[AST]) -> Iterator[Finding]:
    """
    Warn of rules that do nothing for a sequence in which nothing is wrong, since only a repair has them.

    Args:
        parts: the statements by whose they are.
        core: the statements of the check program.
    """
    constraint = 'Write forbidden(Place, "why") in its head, where a place is call(X) or the like.'
    known, made = JUDGED | UNASKED | reading.needed(*core), parts.made(*parts.own)
    for node in _own_rules(parts.own):
        heads = {head.predicate: head.arguments for head in parts.derived(node)}
        read = _leading_to(reading.needed(node), parts.own) - made
        if not read <= known:
            continue  # it restricts what a repair chooses
        if not heads:
            what = "a constraint holds of repairs alone, and check does not see it."
            yield Finding("unseen", what, where(node), constraint, "warning")
        elif early := heads.get(("precede", 2)):
            first, second = early
            what = "precede/2 counts where something has to move, and check does not see it."
            order = f'forbidden(call({second}), "why") with before({second}, {first}) in the body'
            hint = f"Write {order} for what may not stay as it is."
            yield Finding("unseen", what, where(node), hint, "warning")


def not_for_check(nodes: Sequence[AST], core: Sequence[AST]) -> Iterator[Finding]:
    """
    Yield what of the user's rules `check` cannot know, since it is chosen in a repair only.

    Args:
        nodes: what `for_check` returned.
        core: the statements of the check program.
    """
    known = reading.made(*core, *nodes) | reading.declared(*nodes)
    known |= UNASKED | reading.needed(*core)
    hint = "What is forbidden may depend on name/2, arg/2, reads/5, passes/3 and inputs of the sequence."
    for node in nodes:
        if node.ast_type is ASTType.Rule and node.head.ast_type is not ASTType.Literal:
            what = f"check chooses nothing, and what is forbidden depends on a choice: {shown(node, 80)}"
            yield Finding("check", what, where(node), hint)
        for name, arity in sorted(reading.needed(node) - known):
            what = f"check does not know {name}/{arity}, on which it depends what is forbidden."
            yield Finding("check", what, where(node), hint)


# --- what is refused by what it is grounded to -------------------------------------------------------


def _places(parts: Parts, predicate: Predicate) -> str:
    """Return file and line of the rules of the user's that derive a predicate."""
    return reading.lines_of(node for node, _ in parts.heads(parts.theirs, predicate))


class GroundingWatch(Observer):
    """
    Stops grounding that makes too many rules, and keeps the weights of each level.

    An exception raised here ends the grounding, which nothing else does from within the process. What
    takes long without making a rule is not seen; a process with limits (`--isolate`) ends that.
    """

    def __init__(self, control: Control, parts: Parts) -> None:
        """Observe what is grounded of a program."""
        self.rules = 0
        self.weights: dict[int, tuple[int, int]] = {}
        self._control = control
        self._parts = parts
        control.register_observer(self)

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:  # noqa: ARG002
        """Count a rule; clingo calls this."""
        self.rules += 1
        if self.rules > MAX_RULES or not is_wanted():
            raise RuntimeError

    def minimize(self, priority: int, literals: Sequence[tuple[int, int]]) -> None:
        """Keep the sum and the least of the weights of a level; clingo calls this."""
        total, least = self.weights.get(priority, (0, 0))
        weights = [weight for _, weight in literals]
        self.weights[priority] = total + sum(map(abs, weights)), min([least, *weights])

    def refuse_endless(self) -> None:
        """
        Refuse rules of the user's that made too many rules.

        Raises:
            EncodingError: naming those that derive the most atoms.
        """
        if self.rules <= MAX_RULES:
            return
        atoms = self._control.symbolic_atoms
        heads = reading.made(*self._parts.theirs)
        most = max(heads, key=lambda each: sum(1 for _ in atoms.by_signature(*each)), default=None)
        for_what = f", most of them for {most[0]}/{most[1]}" if most else ""
        what = f"the rules are grounded to more than {MAX_RULES:,}{for_what}."
        place = _places(self._parts, most) if most else reading.files_of(self._parts.theirs)
        hint = "Bound what grows, as with N < 10; else it is grounded without end."
        raise EncodingError(what, where=place, hint=hint)

    def refuse_weights(self) -> None:
        """
        Refuse weights below 0, and levels that together overflow.

        Raises:
            ConstantError: naming the statements of the user's that pay for something.
        """
        heads = self._parts.heads(self._parts.users, ("penalty", 3))
        payers = [*self._parts.minimized(), *(node for node, _ in heads)]
        for level, (total, least) in self.weights.items():
            if total > reading.LARGEST or least < 0:
                reason = f"one comes to {least}" if least < 0 else f"they come to {total} together"
                what = f"the weights of the level {level} are out of range: {reason}."
                hint = f"{RANGE} Together they may come to {reading.LARGEST:,}."
                raise ConstantError(what, where=reading.lines_of(payers), hint=hint)


def check_atoms(control: Control, parts: Parts) -> None:
    """
    Refuse what rules come to: criteria and penalties out of range, orders of what is no call.

    Raises:
        ConstantError: a priority, a weight or units are no number in range, as a misspelt constant is none.
        EncodingError: a criterion is for no kind, or something is ordered that is no call.
    """

    def in_range(number: Symbol) -> bool:
        return number.type is SymbolType.Number and 0 <= number.number <= MAX_WEIGHT

    weights: defaultdict[Symbol, int] = defaultdict(int)
    for atom in control.symbolic_atoms.by_signature("criterion", 3):
        kind, *numbers = atom.symbol.arguments
        is_word = kind.type is SymbolType.Function and not kind.arguments
        if not (is_word and all(map(in_range, numbers))):
            what = f"{shown(atom.symbol)} ranks no kind of penalty, or with a number that is out of range."
            hint = f"Kinds are words, as ask; constants are defined with #const. {RANGE}"
            raise ConstantError(what, where=parts.places(("criterion", 3), str(kind)), hint=hint)
        weights[kind] = max(numbers[1].number, weights[kind])
    kinds = parts.kinds(parts.theirs)
    for atom in control.symbolic_atoms.by_signature("penalty", 3):
        kind, units, _ = atom.symbol.arguments
        is_fine = in_range(units) and units.number * weights[kind] <= MAX_WEIGHT
        if str(kind) in kinds and not is_fine:
            what = f"{shown(atom.symbol, 80)} with the weight {weights[kind]} is out of range."
            raise ConstantError(what, where=parts.places(("penalty", 3), str(kind)), hint=RANGE)
    for name, hint in TABLES["shapes"].items():
        for atom in control.symbolic_atoms.by_signature(name, 2):
            first, second = atom.symbol.arguments
            is_order = (
                _is_call(first) and _is_call(second) and not (first == second and atom.is_fact)
            )
            fine = {"precede": is_order, "risky": _is_place(first), "rank": in_range(first)}
            if not fine[name]:
                what = f"{shown(atom.symbol, 80)} has arguments that cannot be used."
                raise EncodingError(what, where=_places(parts, (name, 2)), hint=hint)


def _is_place(symbol: Symbol) -> bool:
    """Whether a symbol is a place in a call, as `choices` reads one."""
    kinds = {"call": 1, "argument": 2, "reference": 3}
    is_term = symbol.type is SymbolType.Function and len(symbol.arguments) == kinds.get(symbol.name)
    return is_term and _is_call(symbol.arguments[0])


def _is_call(symbol: Symbol) -> bool:
    """Whether a symbol is a call, as `choices` reads one."""
    if symbol.type is SymbolType.Number:
        return True
    arguments = symbol.arguments if symbol.type is SymbolType.Function else []
    is_own = symbol.match("own", 3) and _is_call(arguments[0])
    is_goal = symbol.match("goal", 1) and arguments[0].type is SymbolType.Number
    return is_own or is_goal or symbol.match("new", 1)


def refuse_contradiction(control: Control, users: Sequence[AST]) -> None:
    """
    Refuse rules of the user's that leave no answer even where nothing is given, and so none anywhere.

    Raises:
        EncodingError: naming their files.
    """
    control.configuration.solve.opt_mode = "ignore"  # type: ignore[union-attr]
    with control.solve(async_=True) as handle:
        if not handle.wait(PATIENCE):
            handle.cancel()
        elif handle.get().unsatisfiable:
            what = "with these rules no sequence at all is admissible."
            hint = "One contradicts itself or the others, or demands what a sequence need not have."
            raise EncodingError(what, where=reading.files_of(users), hint=hint)
