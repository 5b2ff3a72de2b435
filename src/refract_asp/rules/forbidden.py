"""House rules in `check`: which of the user's rules it needs, and what they forbid in a sequence."""

from __future__ import annotations

from collections.abc import Sequence

from clingo import Control, Function, Symbol, SymbolType
from clingo.ast import AST, ASTType

from refract_asp.errors import EncodingError, shown
from refract_asp.rules.anatomy import Head, asked, derived, predicates, where
from refract_asp.rules.choices import Where, read_violations
from refract_asp.rules.findings import Finding
from refract_asp.rules.instance import Instance
from refract_asp.rules.parts import FORBIDDEN

__all__ = ["COMPARED", "for_check", "forbids", "not_for_check", "read_forbidden"]

COMPARED = frozenset({("passes", 3), ("in_value", 3), ("in_paired", 1)})
"""Who asks one of these wants the values of all calls."""

GIVEN = frozenset({
    ("in_call", 1), ("in_name", 2), ("in_label", 2), ("in_unlabelled", 1), ("in_arg", 2), ("in_ref", 5),
    ("in_producer", 4), ("in_tool", 1), ("in_effect", 2), ("in_required", 2), ("in_param", 2),
    ("in_takes_any", 1), ("in_gives", 2), ("in_lost", 4), ("in_variable", 1), ("in_returns", 1),
    ("in_executed", 1), ("in_unjudged", 1), ("in_unmendable", 2), ("in_undeclared", 1), ("in_unfit", 4),
    ("in_clash", 4), ("in_clash_inside", 7), ("in_pair", 2), ("in_paired", 1), ("in_value", 3),
})  # fmt: skip
"""The inputs that `check` gets; the others are evidence for a repair."""


def forbids(nodes: Sequence[AST]) -> bool:
    """Whether rules of the user's forbid something."""
    return any(head.predicate in FORBIDDEN for node in nodes for head in derived(node))


def for_check(nodes: Sequence[AST]) -> list[AST]:
    """Return those of the user's statements on which it depends what is forbidden, in their order."""
    heads: dict[int, list[Head]] = {id(node): derived(node) for node in nodes}
    needed = set(FORBIDDEN)
    kept: set[int] = set()
    grown = True
    while grown:
        grown = False
        for node in nodes:
            if id(node) not in kept and any(head.predicate in needed for head in heads[id(node)]):
                kept.add(id(node))
                needed |= predicates(asked(node))
                grown = True
    lasting = (ASTType.Definition, ASTType.Defined)
    return [node for node in nodes if id(node) in kept or node.ast_type in lasting]


def not_for_check(nodes: Sequence[AST], core: Sequence[AST]) -> list[Finding]:
    """
    Return what of the user's rules `check` cannot know, since it is chosen in a repair only.

    Args:
        nodes: what `for_check` returned.
        core: the statements of the check program.
    """
    known = {head.predicate for node in (*core, *nodes) for head in derived(node)}
    known |= {(node.name, node.arity) for node in nodes if node.ast_type is ASTType.Defined}
    found: list[Finding] = []
    hint = "What is forbidden may depend on name/2, arg/2, reads/5, passes/3 and inputs of the sequence."
    for node in nodes:
        if node.ast_type is ASTType.Rule and node.head.ast_type is not ASTType.Literal:
            what = f"check chooses nothing, and what is forbidden depends on a choice: {shown(node, 80)}"
            found.append(Finding("check", what, where(node), hint))
        for name, arity in sorted(predicates(asked(node))):
            if (name, arity) in known | GIVEN:
                continue
            what = f"check does not know {name}/{arity}, on which it depends what is forbidden."
            found.append(Finding("check", what, where(node), hint))
    return found


def read_forbidden(control: Control, instance: Instance) -> dict[Where, list[str]]:
    """
    Return what house rules say of each place that they forbid.

    Raises:
        EncodingError: what is forbidden is no place of the sequence, or not decided by it.
    """
    for atom in control.symbolic_atoms.by_signature("violation", 2):
        code, place = atom.symbol.arguments
        if code.name != "forbidden":
            continue
        if not _is_place(place, instance):
            raise EncodingError(
                f"forbidden({shown(place)}): that is no place of the sequence.",
                hint="Forbid call(X), argument(X, Param) or reference(X, Param, N) of a given call X.",
            )
        if not atom.is_fact:
            raise EncodingError(
                f"forbidden({shown(place)}) may hold or not, as the rules stand.",
                hint="Rules that forbid must not go round in circles through `not`.",
            )
    texts: dict[Where, list[str]] = {}
    said = sorted(atom.symbol for atom in control.symbolic_atoms.by_signature("forbidden", 2))
    for symbol in said:
        place, text = symbol.arguments
        if _is_place(place, instance):
            ((_, at),) = read_violations([_as_violation(place)])
            texts.setdefault(at, []).append(text.string if text.type is SymbolType.String else str(text))
    return texts


def _as_violation(place: Symbol) -> Symbol:
    return Function("violation", [Function("forbidden"), place])


def _is_place(symbol: Symbol, instance: Instance) -> bool:
    """Whether a symbol is a place in a given call, or in what is returned."""
    kinds = {
        "call": (SymbolType.Number,),
        "argument": (SymbolType.Number, SymbolType.String),
        "reference": (SymbolType.Number, SymbolType.String, SymbolType.Number),
    }
    if symbol.type is not SymbolType.Function:
        return False
    if tuple(each.type for each in symbol.arguments) != kinds.get(symbol.name):
        return False
    last = len(instance.sequence.calls) - (not instance.is_returning)
    call, *rest = symbol.arguments
    if not 0 <= call.number <= last:
        return False
    if symbol.name == "reference":
        return (call.number, rest[0].string, rest[1].number) in instance.references
    return True
