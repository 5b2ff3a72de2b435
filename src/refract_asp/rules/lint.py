"""Looks at a cost model and rules of one's own as a whole, and tells all that is wrong with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from clingo.ast import ASTType

from refract_asp.errors import EncodingError, UnknownCostModelError, shown
from refract_asp.rules import policy, program
from refract_asp.rules.policy import Finding, Parts
from refract_asp.rules.reading import asked, constant_of, predicates, walk, where

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
                yield Finding("unread", what, where(node), policy.arities(name, _HOOKS) or hint)


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
