"""Says what the called and the read names of a plan stand for."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Literal, TypeAlias

from refract_asp.plan.context import Context, Path
from refract_asp.plan.syntax import Expression, FieldOf, Invocation, Name

__all__ = ["Callee", "binding_path", "callee", "dotted"]

Called: TypeAlias = Literal["domain", "function", "method"]


@dataclass(frozen=True, slots=True)
class Callee:
    """
    What a call calls.

    Attributes:
        kind: a tool, a local function, or a function behind a value.
        path: how the context names it; of a method only its name.
        of: the expression whose value a method is called behind.
    """

    kind: Called
    path: Path
    of: Expression | None = None


def dotted(expression: Expression) -> tuple[Name | None, Path]:
    """
    Return the name that fields are read from, and the path; no name where it is another expression.

    Example:
        >>> dotted(FieldOf(Name("back"), "departs"))[1]
        ('back', 'departs')
    """
    fields: list[str] = []
    while isinstance(expression, FieldOf):
        fields.append(expression.name)
        expression = expression.of
    if not isinstance(expression, Name):
        return None, ()
    return expression, (expression.name, *reversed(fields))


def binding_path(expression: Expression, context: Context, aliases: Container[str]) -> Path | None:
    """
    Return the path of a binding when an expression is nothing but that.

    A field of a value of the context is no binding, nor is anything of an alias.
    """
    name, path = dotted(expression)
    if name is None or name.name in aliases or context.kind_at(path[:1]) is None:
        return None
    if len(path) > 1 and context.kind_at(path[:-1]) != "namespace":
        return None
    return path


def callee(call: Invocation, context: Context, aliases: Container[str]) -> Callee | None:
    """Return what a call calls: a member of a namespace first, then a method; None where it is nothing."""
    function = call.function
    path = binding_path(function, context, aliases)
    if path is not None:
        kind = context.kind_at(path)
        if kind == "domain" or kind == "function":
            return Callee(kind, path)
        return None
    if isinstance(function, FieldOf) and context.method(function.name) is not None:
        return Callee("method", (function.name,), function.of)
    return None
