"""Prints plans as they are written by convention."""

from __future__ import annotations

import json
import re

from refract_asp.plan.syntax import (
    UNDEFINED,
    Expression,
    FieldOf,
    IndexOf,
    Invocation,
    ListOf,
    Literal,
    Name,
    ObjectOf,
    Plan,
    TextOf,
)

__all__ = ["PLAIN_NAME", "expression_text", "plan_text"]

PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""A name that stands for itself in a plan."""
WIDTH = 80
"""Columns beyond which a call is put on several lines."""


def plan_text(plan: Plan) -> str:
    """
    Print a plan: each alias and the `return` on lines of their own, long calls on several.

    Example:
        >>> from refract_asp.plan import parse_plan
        >>> print(plan_text(parse_plan("a=f({x:1}) ; return g( {y:a.b} )").plan))
        a = f({x: 1});
        return g({y: a.b});
    """
    lines: list[str] = []
    for alias in plan.aliases:
        lines += alias.comments
        lines.append(f"{_wide(f'{alias.name} = ', alias.value)};")
    lines += plan.comments
    lines.append(f"{_wide('return ', plan.result)};")
    return "\n".join(lines)


def expression_text(expression: Expression) -> str:
    """
    Print an expression on one line.

    Example:
        >>> expression_text(Invocation(FieldOf(Name("now"), "at"), (Literal("9:00am"),)))
        "now.at('9:00am')"
    """
    if isinstance(expression, Literal):
        return _literal(expression.value)
    if isinstance(expression, Name):
        return expression.name
    if isinstance(expression, ListOf):
        return f"[{', '.join(map(expression_text, expression.items))}]"
    if isinstance(expression, ObjectOf):
        inner = (f"{_key(name)}: {expression_text(value)}" for name, value in expression.fields)
        return f"{{{', '.join(inner)}}}"
    if isinstance(expression, FieldOf):
        return expression_text(expression.of) + _field(expression.name)
    if isinstance(expression, IndexOf):
        return f"{expression_text(expression.of)}[{expression_text(expression.index)}]"
    if isinstance(expression, Invocation):
        return (
            f"{expression_text(expression.function)}({', '.join(map(expression_text, expression.arguments))})"
        )
    return _template(expression)


def _wide(start: str, expression: Expression, indent: str = "") -> str:
    """Print an expression behind the start of its line, on several lines where one would be too long."""
    text = start + expression_text(expression)
    if len(indent) + len(text) < WIDTH or not isinstance(expression, Invocation | ObjectOf | ListOf):
        return text
    inner = f"{indent}  "
    if isinstance(expression, Invocation):
        if len(expression.arguments) == 1:  # the usual: one object
            head = f"{start}{expression_text(expression.function)}("
            return f"{_wide(head, expression.arguments[0], indent)})"
        opened, closed = f"{expression_text(expression.function)}(", ")"
        parts = [_wide("", each, inner) for each in expression.arguments]
    elif isinstance(expression, ObjectOf):
        opened, closed = "{", "}"
        parts = [_wide(f"{_key(name)}: ", value, inner) for name, value in expression.fields]
    else:
        opened, closed = "[", "]"
        parts = [_wide("", each, inner) for each in expression.items]
    if not parts:
        return text
    body = ",\n".join(f"{inner}{part}" for part in parts)
    return f"{start}{opened}\n{body}\n{indent}{closed}"


def _key(name: str) -> str:
    return name if PLAIN_NAME.fullmatch(name) else text_literal(name)


def _field(name: str) -> str:
    return f".{name}" if PLAIN_NAME.fullmatch(name) else f"[{text_literal(name)}]"


def _literal(value: object) -> str:
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, str):
        return text_literal(value)
    return json.dumps(value, allow_nan=False)


def text_literal(text: str) -> str:
    """
    Print a text in single quotes; what does not print is escaped.

    Example:
        >>> text_literal("it's\\n")
        "'it\\\\'s\\\\n'"
    """
    return "'" + "".join(_ESCAPES.get(c) or (c if c.isprintable() else _escaped(c)) for c in text) + "'"


_ESCAPES = {"'": "\\'", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escaped(character: str) -> str:
    """Return a character as JavaScript escapes it, as two halves where it is beyond 16 bits."""
    return json.dumps(character)[1:-1] if len(json.dumps(character)) > 3 else f"\\u{ord(character):04x}"


def _template(expression: TextOf) -> str:
    parts = (
        text_literal(part)[1:-1].replace("\\'", "'").replace("`", "\\`").replace("${", "\\${")
        if isinstance(part, str)
        else f"${{{expression_text(part)}}}"
        for part in expression.parts
    )
    return f"`{''.join(parts)}`"
