"""Cost models: what one says, which constants are its weights, and all that is wrong with it or with own rules."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import Any

from clingo.ast import ASTType

from refract_asp.errors import EncodingError, UnknownCostModelError, shown
from refract_asp.resources import cost_model_names
from refract_asp.rules import policy, program
from refract_asp.rules.policy import MODEL_HEADS, Finding
from refract_asp.rules.program import TREES, Files, Program, model_file, repair_program
from refract_asp.rules.question import criteria
from refract_asp.rules.reading import (
    Criterion,
    Parts,
    asked,
    constant_of,
    load,
    predicates,
    short_name,
    walk,
    where,
)

SHORT = 45
"""A sentence of fewer characters says too little alone."""


@dataclass(frozen=True, slots=True)
class Level:
    """
    The criteria that weigh against one another; a higher priority decides before a lower one.

    Attributes:
        priority: its number, or None where that is no number.
        constant: the constant that holds it, or "".
        criteria: what stands on it, the dearest first.
    """

    priority: int | None
    constant: str
    criteria: tuple[Criterion, ...]


@dataclass(frozen=True, slots=True)
class CostModel:
    """
    A cost model.

    Attributes:
        name: its name, or the name of its file.
        path: the file.
        intent: what it is for, a paragraph each.
        levels: its levels, the highest first.
        off: the kinds of penalties that are free on purpose.
        says: what it states besides criteria, as `name_by(fit)`.
        kinds: the kinds of penalties that it derives itself.
        weak: how many weak constraints of its own it has.

    Example:
        >>> model = cost_model("maps_first")
        >>> [level.constant for level in model.levels]
        ['priority_unresolved', 'priority_ask', 'priority_call', 'priority_edits']
    """

    name: str
    path: Path
    intent: tuple[str, ...] = ()
    levels: tuple[Level, ...] = ()
    off: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    weak: int = 0

    @property
    def brief(self) -> str:
        """The intent in a sentence, or in two where the first is short."""
        whole = self.intent[0] if self.intent else "Its header says nothing."
        sentences = accumulate(re.split(r"(?<=\.) ", whole), "{} {}".format)
        return next((told for told in sentences if len(told) >= SHORT), whole)

    def as_data(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        levels = []
        for level in self.levels:
            criteria = [
                {"kind": each.kind, "weight": each.weight, "constant": each.weight_constant or None}
                for each in level.criteria
            ]
            constant = level.constant or None
            levels.append({"priority": level.priority, "constant": constant, "criteria": criteria})
        told = {name: list(getattr(self, name)) for name in ("off", "says", "kinds")}
        head = {"name": self.name, "intent": list(self.intent), "levels": levels}
        return {**head, **told, "weak_constraints": self.weak}


def cost_models(encodings: Path | None = None) -> list[CostModel]:
    """Return the cost models of a set of encodings, by name."""
    return [cost_model(name, encodings) for name in cost_model_names(encodings)]


def cost_model(named: str | Path, encodings: Path | None = None) -> CostModel:
    """
    Return a cost model that is given by its name, or by the path of its file.

    Raises:
        UnknownCostModelError: no cost model bears the name.
        EncodingError: the file cannot be read or parsed.
    """
    path = model_file(named, encodings)
    with TREES:
        nodes, constants = load(path)
        parts = Parts(ranking=nodes, constants=constants)
        besides = MODEL_HEADS - {("criterion_off", 1)}
        said = [n for n in nodes if any(head.predicate in besides for head in parts.derived(n))]
        return CostModel(
            name=path.stem,
            path=path,
            intent=tuple(_intent(path.read_text("utf-8"))),
            levels=tuple(_levels(each for _, each in parts.criteria(nodes))),
            off=tuple(kind for _, kind in parts.switched_off(nodes)),
            says=tuple(str(node).rstrip(".") for node in said),
            kinds=tuple(sorted(parts.kinds(nodes))),
            weak=sum(node.ast_type is ASTType.Minimize for node in nodes),
        )


def _levels(stated: Iterable[Criterion]) -> list[Level]:
    found: dict[tuple[int, str], list[Criterion]] = defaultdict(list)
    for each in sorted(stated, key=lambda each: (-(each.weight or 0), each.kind)):
        priority = -1 if each.priority is None else each.priority
        found[priority, each.priority_constant].append(each)
    return [
        Level(None if priority < 0 else priority, constant, tuple(on_it))
        for (priority, constant), on_it in sorted(found.items(), key=itemgetter(0), reverse=True)
    ]


_INTENT = re.compile(r"^% Purpose:(.*(?:\n% {3,}.*)*)", re.M)
_TITLE = re.compile(r"^the cost model \"?[\w-]+\"?: *")


def _intent(text: str) -> list[str]:
    """Return what the header says of the purpose; a line that is much shorter ends a paragraph."""
    match = _INTENT.search(text)
    if match is None:
        return []
    paragraphs: list[list[str]] = [[]]
    for line in match[1].splitlines():
        words = line.lstrip("% ").rstrip()
        paragraphs[-1].append(words)
        if words.endswith(".") and len(line) < 75:
            paragraphs.append([])
    told = [" ".join(filter(None, lines)) for lines in paragraphs]
    told[0] = _TITLE.sub("", told[0])
    return [each[:1].upper() + each[1:] for each in told if each]


_CRITERION = re.compile(r"criterion\((\w+),\w+,(\w+)\)\.")
_NAME = re.compile(r"\b[a-z_]\w*\b")


@dataclass(frozen=True, slots=True)
class ModelWeights:
    """
    The weights of a cost model.

    Attributes:
        kinds: the weight of each kind of penalty that a criterion ranks.
        constants: for each kind whose weight is a constant of the model file, and nothing else, its name.
        values: the value of each of these constants.
        levels: the levels of all criteria.
    """

    kinds: dict[str, int]
    constants: dict[str, str]
    values: dict[str, int]
    levels: frozenset[int]


def model_weights(
    model: Path,
    encodings: Path | None = None,
    extra: tuple[Path, ...] = (),
    constants: dict[str, int] | None = None,
) -> ModelWeights:
    """
    Read the weights of a cost model.

    Args:
        model: its file.
        encodings: folder that takes the place of the shipped encodings.
        extra: files with rules of one's own.
        constants: values for constants, in place of those in the files.

    Raises:
        EncodingError: the model cannot be used, or has two criteria of one kind on one level.
    """
    program = repair_program(Files(model, encodings, extra), constants)
    control = program.control(())
    kinds, levels = criteria(control)
    stated = control.symbolic_atoms.by_signature("criterion", 3)
    told = Counter(str(atom.symbol.arguments[0]) for atom in stated)
    twice = sorted(kind for kind, count in told.items() if count > 1)
    if twice and len(levels) == 1:
        raise EncodingError(
            f"the model has more than one criterion for {', '.join(twice)}.",
            where=short_name(model),
            hint="Add their weights up in one.",
        )
    own = load(model)[1]
    found = {kind: name for kind, name in _named(program) if kind in kinds and name in own}
    return ModelWeights(
        kinds={kind: kinds[kind] for kind in kinds if not kind.startswith("ask_named_after")},
        constants=found,
        values={name: program.constant(name, own[name]) for name in found.values()},
        levels=frozenset(levels),
    )


def _named(program: Program) -> list[tuple[str, str]]:
    """Return the constant that is the weight of each kind, where it is nothing else."""
    found: dict[str, str] = {}
    used: Counter[str] = Counter()
    for node in program.nodes:
        if node.ast_type is ASTType.Definition:
            continue
        written = str(node)
        match = _CRITERION.fullmatch(written.replace(" ", ""))
        if match:
            found[match[1]] = match[2]
            written = written.replace(match[2], "")
        used.update(_NAME.findall(written))
    return [(kind, name) for kind, name in found.items() if not used[name]]


_FITTED = "% Fitted: "
_CONSTANT = re.compile(r"^([^%\n\"]*?#const\s+)([a-z_]\w*)(\s*=\s*)(\d+)(?=\s*\.)", re.M)


def constants_in(text: str) -> dict[str, int]:
    """
    Return the constants of a model file.

    Example:
        >>> constants_in("#const weight_ask = 35.  % dear\\n% #const weight_fill = 1.")
        {'weight_ask': 35}
    """
    return {match[2]: int(match[4]) for match in _CONSTANT.finditer(text)}


def with_weights(text: str, weights: Mapping[str, int], note: str = "") -> str:
    """
    Return the text of a cost model with other weights; comments and layout stay.

    Args:
        text: the model file.
        weights: the new value of each constant that changes.
        note: a line that says where the weights are from; it takes the place of an older one.

    Raises:
        EncodingError: a constant is not defined in a line of its own, so that it could be found.

    Example:
        >>> print(with_weights("#const weight_ask = 35.  % dear", {"weight_ask": 40}, "to 3 examples."))
        % Fitted: to 3 examples.
        #const weight_ask = 40.  % dear
    """
    missing = sorted(weights.keys() - constants_in(text).keys())
    if missing:
        raise EncodingError(
            f"the line that defines {missing[0]} was not found in the cost model.",
            hint=f"Write it on a line of its own: #const {missing[0]} = {weights[missing[0]]}.",
        )
    changed = _CONSTANT.sub(
        lambda match: f"{match[1]}{match[2]}{match[3]}{weights.get(match[2], match[4])}", text
    )
    if not note:
        return changed
    lines = [line for line in changed.splitlines(keepends=True) if not line.startswith(_FITTED)]
    first = 1 if lines and "SPDX" in lines[0] else 0
    lines.insert(first, f"{_FITTED}{note}\n")
    return "".join(lines)


_HOOKS = policy.MODEL_HEADS | policy.HOUSE_RULE_HEADS | {("criterion", 3), ("penalty", 3)}
"""What Python and the shipped rules read of files of the user's."""


def examine(
    cost_model: str | Path, encodings: Path | None = None, extra: Iterable[Path] = ()
) -> list[Finding]:
    """
    Return all that is wrong with a cost model and files of rules, in the order of files and lines.

    What is found without grounding is told all at once; only where that is nothing is the program tried.

    Raises:
        UnknownCostModelError: no cost model bears the name.
    """
    files, found = program.Files(cost_model, encodings, tuple(map(Path, extra))), list[Finding]()
    try:
        with program.TREES:
            parts = program.read_parts(program.Program(), files)
            for judged in (
                policy.refusals,
                policy.unranked_kinds,
                _criteria,
                _misspelt_hooks,
                _constants,
            ):
                found += judged(parts)
        if not any(finding.severity == "error" for finding in found):
            program.repair_program(files)
            program.check_program(files)
    except UnknownCostModelError:
        raise
    except EncodingError as error:
        found.append(Finding("encoding", error.what, error.where, error.hint))

    def place(finding: Finding) -> tuple[str, int]:
        name, _, line = finding.where.rpartition(":")
        return (name, int(line)) if line.isdigit() else (finding.where, 0)

    return sorted(dict.fromkeys(found), key=place)


def _criteria(parts: Parts) -> Iterator[Finding]:
    """Tell criteria for what nothing derives, and kinds that are ranked twice, or ranked and off."""
    judged = [*parts.ranking, *parts.own]
    ranked = [(node, each.kind, each.priority) for node, each in parts.criteria(judged)]
    off = list(parts.switched_off(judged))
    derived = parts.kinds(parts.all)
    for node, kind in [*((node, kind) for node, kind, _ in ranked), *off]:
        if policy.is_kind(kind) and kind not in derived:
            what = f"no rule derives a penalty of the kind {shown(kind, 60)}."
            yield Finding("unused", what, where(node), policy.alike(kind, derived), "warning")
    places = {kind: where(node) for node, kind, _ in ranked}
    for (kind, level), count in Counter((kind, level) for _, kind, level in ranked).items():
        if count > 1 and policy.is_kind(kind) and level is not None:
            what = f"{shown(kind, 60)} is ranked {count} times on one level; the weights add up."
            yield Finding("twice", what, places[kind], "", "warning")
    switched = {kind for _, kind in off}
    for node, kind, _ in ranked:
        if kind in switched:
            what = f"{shown(kind, 60)} is ranked, and said to be off."
            hint = "It counts; leave one of them out."
            yield Finding("twice", what, where(node), hint, "warning")


def _misspelt_hooks(parts: Parts) -> Iterator[Finding]:
    """Tell what nothing asks and is spelt almost as what is read of the user's files: it would do nothing."""
    known = {predicate for node in parts.all for predicate in predicates(asked(node))} | _HOOKS
    for node in parts.users:
        for head in parts.derived(node):
            name, arity = head.predicate
            hint = policy.alike(name, {name for name, _ in _HOOKS})
            if hint and head.predicate not in known:
                what = f"nothing asks {shown(name, 60)}/{arity}."
                yield Finding("unread", what, where(node), hint)


def _constants(parts: Parts) -> Iterator[Finding]:
    """Tell constants that are used nowhere, and words that look like constants and are none."""
    statements = [node for node in parts.all if node.ast_type is not ASTType.Definition]
    words = {constant_of(each) for node in statements for each in walk(node)}
    for node in [*parts.ranking, *parts.own]:
        if node.ast_type is ASTType.Definition and node.name not in words:
            what = f"the constant {shown(node.name, 60)} is used nowhere."
            yield Finding("unused", what, where(node), "", "warning")
    criteria = {id(node) for node, _ in parts.heads(parts.users, ("criterion", 3))}
    for node in parts.users:
        if node.ast_type is ASTType.Rule and id(node) not in criteria:  # see `refusals`
            yield from policy.no_constants(parts, node, ("weight_", "priority_"))
