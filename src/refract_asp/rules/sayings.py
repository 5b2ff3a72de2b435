"""Refuses what a cost model says to nobody: criteria out of range, misspelt words, no way to find a tool."""

from __future__ import annotations

from collections.abc import Iterable

from clingo import Control, SymbolType
from clingo.ast import AST, ASTType

from refract_asp.errors import ConstantError, EncodingError, shown
from refract_asp.rules.anatomy import where
from refract_asp.rules.reading import MAX_WEIGHT, RANGE

__all__ = ["SAYINGS", "check_criteria", "check_sayings"]


def check_criteria(control: Control, nodes: Iterable[AST]) -> None:
    """Refuse criteria whose priority or weight is no number in range, as a misspelt constant is none."""
    for atom in control.symbolic_atoms.by_signature("criterion", 3):
        kind, *numbers = atom.symbol.arguments
        if kind.type is not SymbolType.Function or kind.arguments:
            raise EncodingError(
                f"{shown(atom.symbol)}: {shown(kind)} is no kind of penalty.",
                where=_place_of(nodes, "criterion", str(kind)),
                hint="Kinds are written without quotes, as ask.",
            )
        for number in numbers:
            if number.type is not SymbolType.Number:
                raise ConstantError(
                    f"{shown(atom.symbol)}: {shown(number)} is not a number.",
                    where=_place_of(nodes, "criterion", str(kind)),
                    hint="Define it with #const, or correct its name.",
                )
            if not 0 <= number.number <= MAX_WEIGHT:
                raise ConstantError(
                    f"{shown(atom.symbol)}: {number} is out of range.",
                    where=_place_of(nodes, "criterion", str(kind)),
                    hint=RANGE,
                )


SAYINGS = {
    "name_by": {"spelling", "fit"},
    "confirms": {"risky", "new", "never"},
    "ask_named_after": {"field"},
    "may_delete": {"unknown_tool"},
    "call_for": {"common_name"},
}
"""What a cost model may say besides weights."""


def check_sayings(control: Control, nodes: Iterable[AST]) -> None:
    """Refuse what a cost model says to nobody: a misspelt value, or no way at all to find a tool."""
    for name, values in SAYINGS.items():
        for atom in control.symbolic_atoms.by_signature(name, 1):
            value = str(atom.symbol.arguments[0])
            if value not in values:
                raise EncodingError(
                    f"{name} cannot be {shown(value)}.",
                    where=_place_of(nodes, name, value, ")"),
                    hint=f"It may be {' or '.join(sorted(values))}.",
                )
    if not list(control.symbolic_atoms.by_signature("name_by", 1)):
        raise EncodingError(
            "the cost model does not say how a tool that does not exist is found.",
            hint="Add name_by(spelling) or name_by(fit).",
        )


def _place_of(nodes: Iterable[AST], predicate: str, first: str, after: str = ",") -> str:
    """Return file and line of the rule whose head is this predicate with this first argument."""
    for node in nodes:
        if node.ast_type is ASTType.Rule and str(node.head).startswith(f"{predicate}({first}{after}"):
            return where(node)
    return ""
