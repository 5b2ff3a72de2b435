"""Cost models: what one says, which constants are its weights, and all that is wrong with it or with own rules."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain
from operator import itemgetter
from pathlib import Path
from typing import Any, Self

from clingo.ast import ASTType

from refract_asp.errors import EncodingError, InputError, UnknownCostModelError, shown
from refract_asp.formats import load_catalog, load_mappings
from refract_asp.formats.examples import load_examples
from refract_asp.model import Catalog
from refract_asp.model import Mapping as Given
from refract_asp.model.example import Example
from refract_asp.options import RepairOptions
from refract_asp.resources import cost_model_names, encodings_path
from refract_asp.rules import policy, program
from refract_asp.rules.policy import MODEL_HEADS, Finding
from refract_asp.rules.program import TREES, WEIGHTS_FILE, Files, model_file, repair_program
from refract_asp.rules.question import criteria
from refract_asp.rules.reading import Criterion, Parts, load, needed, short_name, where

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

    @property
    def brief(self) -> str:
        """The intent in a sentence, or in two where the first is short."""
        whole = self.intent[0] if self.intent else "Its header says nothing."
        sentences = accumulate(re.split(r"(?<=\.) ", whole), "{} {}".format)
        return next((text for text in sentences if len(text) >= SHORT), whole)

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
        intent, off, says = map(list, (self.intent, self.off, self.says))
        return {"name": self.name, "intent": intent, "levels": levels, "off": off, "says": says}


def cost_models(encodings: Path | None = None) -> list[CostModel]:
    """Return the cost models of a set of encodings, by name."""
    return [cost_model(name, encodings) for name in cost_model_names(encodings)]


def cost_model(named: str | Path, encodings: Path | None = None) -> CostModel:
    """
    Return a cost model that is given by its name, or by the path of its file.

    Raises:
        UnknownCostModelError: no cost model has the name.
        EncodingError: the file cannot be read or parsed.
    """
    path = model_file(named, encodings)
    with TREES:
        nodes, constants = load(path)
        parts = Parts(ranking=nodes, constants=constants)
        if any(parts.heads(nodes, ("based_on", 1))):
            folder = encodings or encodings_path()
            parts.weights, shared = load(folder / WEIGHTS_FILE)
            parts.constants = shared | constants
        besides = MODEL_HEADS - {("criterion_off", 1), ("level", 2), ("based_on", 1)}
        others = [n for n in nodes if parts.made(n) & besides]
        purpose = _INTENT.search(path.read_text("utf-8"))
        intent = [""]
        for line in purpose[1].splitlines() if purpose is not None else ():
            words = line.lstrip("% ").rstrip()
            intent[-1] = f"{intent[-1]} {words}".strip()
            # a line that is much shorter ends a paragraph
            if words.endswith(".") and len(line) < 75:
                intent.append("")
        intent[0] = _TITLE.sub("", intent[0])
        levels: dict[tuple[int, str], list[Criterion]] = defaultdict(list)
        stated = (each for _, each in parts.criteria(nodes))
        for each in sorted(stated, key=lambda each: (-(each.weight or 0), each.kind)):
            priority = -1 if each.priority is None else each.priority
            levels[priority, each.priority_constant].append(each)
        highest_first = sorted(levels.items(), key=itemgetter(0), reverse=True)
        paragraphs = tuple(each[:1].upper() + each[1:] for each in intent if each)
        ranked = tuple(
            Level(None if priority < 0 else priority, constant, tuple(on_it))
            for (priority, constant), on_it in highest_first
        )
        off = tuple(kind for _, kind in parts.switched_off(nodes))
        says = tuple(str(node).rstrip(".") for node in others)
        return CostModel(path.stem, path, paragraphs, ranked, off, says)


_INTENT = re.compile(r"^% Purpose:(.*(?:\n% {3,}.*)*)", re.M)
_TITLE = re.compile(r"^the cost model \"?[\w-]+\"?: *")


_NAME = re.compile(r"\b[a-z_]\w*\b")


@dataclass(frozen=True, slots=True)
class ModelWeights:
    """
    The weights of a cost model.

    Attributes:
        kinds: the weight of each kind of penalty that a criterion ranks.
        constants: for each kind whose weight is a constant of the model or of the shared weights, and nothing
            else, its name.
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
    constants: tuple[tuple[str, int], ...] = (),
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
    program = repair_program(Files(model, encodings, extra, constants=constants))
    control = program.control(())
    ranked = criteria(control)
    levels = {level for weights in ranked.values() for level in weights}
    stated = control.symbolic_atoms.by_signature("criterion", 3)
    counts = Counter(str(atom.symbol.arguments[0]) for atom in stated)
    twice = sorted(kind for kind, count in counts.items() if count > 1)
    if twice and len(levels) == 1:
        what = f"the model has more than one criterion for {', '.join(twice)}."
        raise EncodingError(what, where=short_name(model), hint="Add their weights up in one.")
    kinds = {kind: sum(weights.values()) for kind, weights in ranked.items()}
    with TREES:
        parts = program.parts
        shared = load(program.folder / WEIGHTS_FILE)[1] if parts.weights else {}
        own = load(model)[1].keys() | shared
        using = (node for node in program.nodes if node.ast_type is not ASTType.Definition)
        used = Counter(chain.from_iterable(_NAME.findall(str(node)) for node in using))
        ranking = parts.criteria(parts.ranking)
        named = [(each.kind, each.weight_constant) for _, each in ranking if each.kind in kinds]
        weighing = Counter(name for _, name in named)
        found = {kind: name for kind, name in named if name in own and used[name] == weighing[name]}
    values = {name: program.constant(name, 0) for name in found.values()}
    return ModelWeights(kinds=kinds, constants=found, values=values, levels=frozenset(levels))


def weights_with(options: RepairOptions, cost_model: str | Path) -> tuple[Path, ModelWeights]:
    """Return the file of a cost model, and its weights beside the encodings and constants of options."""
    folder = None if options.encodings_dir is None else Path(options.encodings_dir)
    path, own = model_file(cost_model, folder), tuple(map(Path, options.encodings))
    return path, model_weights(path, folder, own, tuple((options.constants or {}).items()))


_FITTED = "% Fitted: "
_CONSTANT = re.compile(r"^([^%\n\"]*?#const\s+([a-z_]\w*)\s*=\s*)(\d+)(?=\s*\.)", re.M)


def constants_in(text: str) -> dict[str, int]:
    """
    Return the constants of a model file.

    Example:
        >>> constants_in("#const weight_ask = 35.  % dear\\n% #const weight_fill = 1.")
        {'weight_ask': 35}
    """
    return {match[2]: int(match[3]) for match in _CONSTANT.finditer(text)}


def with_weights(
    text: str, weights: Mapping[str, int], note: str = "", shared: Container[str] = ()
) -> str:
    """
    Return the text of a cost model with other weights; comments and layout stay.

    Args:
        text: the model file.
        weights: the new value of each constant that changes.
        note: a line that says where the weights are from; it takes the place of an older one.
        shared: the constants that the model has from `weights.lp`; they are overridden in lines at its end.

    Raises:
        EncodingError: a constant is not defined in a line of its own, so that it could be found.

    Example:
        >>> print(with_weights("#const weight_ask = 35.  % dear", {"weight_ask": 40}, "to 3 examples."))
        % Fitted: to 3 examples.
        #const weight_ask = 40.  % dear
    """
    known = constants_in(text)
    missing = [name for name in sorted(weights.keys() - known.keys()) if name not in shared]
    if missing:
        what = f"the line that defines {missing[0]} was not found in the cost model."
        hint = f"Write it on a line of its own: #const {missing[0]} = {weights[missing[0]]}."
        raise EncodingError(what, hint=hint)
    changed = _CONSTANT.sub(lambda match: f"{match[1]}{weights.get(match[2], match[3])}", text)
    added = [f"#const {name} = {n}. [override]" for name, n in weights.items() if name not in known]
    if added:
        changed = "\n".join([changed.rstrip("\n"), "", "% Fitted weights.", *added, ""])
    if not note:
        return changed
    lines = [line for line in changed.splitlines(keepends=True) if not line.startswith(_FITTED)]
    first = 1 if lines and "SPDX" in lines[0] else 0
    lines.insert(first, f"{_FITTED}{note}\n")
    return "".join(lines)


def examine(
    cost_model: str | Path,
    encodings: Path | None = None,
    extra: Iterable[Path] = (),
    patterns: Iterable[Path] = (),
) -> list[Finding]:
    """
    Return all that is wrong with a cost model, files of rules and patterns, in the order of files and lines.

    All mistakes that show without grounding are reported together; only without any is the program grounded.

    Raises:
        UnknownCostModelError: no cost model has the name.
    """
    own, added = tuple(map(Path, extra)), tuple(map(Path, patterns))
    files, found = program.Files(cost_model, encodings, own, added), list[Finding]()
    try:
        with program.TREES:
            parts = program.read_parts(program.Program(), files)
            for judge in (policy.refusals, policy.unranked_kinds, policy.positions):
                found += judge(parts)
            found += policy.unseen(parts, program.Program(folder=files.folder).load("check.lp"))
            found += policy.misspelt(parts, files.folder)
            criteria = {id(node) for node, _ in parts.heads(parts.users, ("criterion", 3))}
            hooks = policy.MODEL_HEADS | policy.HOUSE_RULE_HEADS | policy.RANKING
            if parts.patterns:
                hooks |= policy.recovering(parts)
            known = needed(*parts.all) | hooks
            for node in parts.users:
                if node.ast_type is ASTType.Rule and id(node) not in criteria:
                    found += policy.no_constants(parts, node, ("weight_", "priority_"))
                for name, arity in (head.predicate for head in parts.derived(node)):
                    hint = policy.alike(name, {hook for hook, _ in hooks})
                    if hint and (name, arity) not in known:  # misspelt, so that it would do nothing
                        what = f"nothing asks {shown(name, 60)}/{arity}."
                        found.append(Finding("unread", what, where(node), hint))
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


# -- on data -------------------------------------------------------------------

MAX_MISTAKES = 100
"""So many mistakes are kept as texts; the others are counted."""


class ExampleTaker(ABC):
    """
    Takes the examples of a data set one by one; a subclass says what is done with each.

    Args:
        catalog: the tools of all examples that bring no catalog of their own.
        mappings: which outputs may fill which parameters, in all examples.
    """

    def __init__(self, catalog: Any, mappings: Any) -> None:
        """Read what all examples have in common."""
        self._catalog = None if catalog is None else load_catalog(catalog)
        self._mappings = load_mappings(mappings)
        self._skipped = 0
        self._mistakes: list[str] = []

    @abstractmethod
    def add(self, example: Example) -> object:
        """
        Take an example.

        Raises:
            InputError: it cannot be taken; the message names its place.
        """

    def skip(self, error: InputError) -> None:
        """Count an entry that cannot be read or repaired."""
        self._skipped += 1
        if len(self._mistakes) < MAX_MISTAKES:
            self._mistakes.append(str(error))

    def take(self, examples: Any, *, keep_going: bool = False) -> Self:
        """Take a data set, as anything that `load_examples` takes; with `keep_going` mistakes are passed over."""
        for example in load_examples(examples, mistakes=self.skip if keep_going else None):
            try:
                self.add(example)
            except InputError as error:
                if not keep_going:
                    raise
                self.skip(error)
        return self

    def _given(self, example: Example) -> tuple[Catalog, tuple[Given, ...]]:
        """Return the tools and the mappings of an example."""
        catalog = example.catalog or self._catalog
        if catalog is None:
            hint = "Give one for all, or name one in each example."
            raise InputError("there is no catalog for it.", where=example.place, hint=hint)
        return catalog, (*self._mappings, *example.mappings)
