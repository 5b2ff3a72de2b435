"""Reads the smallest parts of a plan: names, keys, texts and numbers."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from refract_asp.errors import shown
from refract_asp.plan.nodes import text_of
from refract_asp.plan.printing import PLAIN_NAME
from refract_asp.plan.refusals import HINT, Refusals, RefusedError
from refract_asp.plan.reserved import PYTHON_WORDS, is_reserved
from refract_asp.plan.texts import BadTextError, decoded

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Atoms"]

_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)?(?:(?<=[0-9])|(?=\.))(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_QUOTES = "“”„‘’‚"
_NO_ALIASES = frozenset({"await", "let", "static", "yield", "return", "undefined"})


class Atoms:
    """
    Reads what holds no other expression.

    Args:
        refusals: notes what is refused.
    """

    def __init__(self, refusals: Refusals) -> None:
        """Keep where refusals are noted."""
        self._note, self._refuse = refusals.note, refusals.refuse

    def name(self, node: Node, *, is_alias: bool = False) -> str | None:
        """Return a name that may be read, or bound; None where it is refused."""
        name = text_of(node)
        if not self.is_plain(name, node):
            return None
        if name in PYTHON_WORDS:
            what = f"{name} is `{PYTHON_WORDS[name]}`."
            self._note("python_word", what, node, f"Write {PYTHON_WORDS[name]}.")
            return None
        if name in ("await", "yield") and not is_alias:  # a script may have such names, a module may not
            what = f"`{name}` cannot stand in a plan."
            self._note("await" if name == "await" else "excluded", what, node, HINT)
            return None
        if is_alias and name in _NO_ALIASES:
            self._note("excluded", f"`{name}` cannot be bound.", node, "Use another name.")
            return None
        return name

    def key(self, node: Node) -> str | None:
        """Return the key of a field; None where it is refused."""
        if node.type == "property_identifier":
            name = text_of(node)
            return name if self.is_plain(name, node) else None
        if node.type != "string":
            self._note("excluded", "a key is no name.", node, "Keys are names, as in {city: 'Oslo'}.")
            return None
        name = self.string(node)
        if is_reserved(name):
            self.is_plain(name, node)
            return None
        if PLAIN_NAME.fullmatch(name):
            self._note("quoted_key", f"the key {shown(name)} stands in quotes.", node, "Remove the quotes.")
            return None
        return name

    def is_plain(self, name: str, node: Node) -> bool:
        """Whether a name may be used; else that is noted."""
        if is_reserved(name):
            what = f"{shown(name)} is a name that plans may not use."
            self._note("reserved_name", what, node, "It reaches inside of objects.")
            return False
        if PLAIN_NAME.fullmatch(name):
            return True
        foreign = next((c for c in name if not c.isascii()), "")
        if foreign and foreign in _QUOTES:
            self._note("smart_quotes", "curly quotes stand around a text.", node, "Use straight ones.")
            return False
        if foreign:
            told = f"{shown(foreign)!r} ({unicodedata.name(foreign, 'a character without a name')})"
            what = f"the name {shown(name)} holds {told}."
        else:
            what = f"{shown(name)} is no name."
        self._note("foreign_name", what, node, "Names are made of the letters A to Z, digits and `_`.")
        return False

    def string(self, node: Node) -> str:
        """Return what a text between quotes says."""
        try:
            return decoded(text_of(node)[1:-1])
        except BadTextError:
            self._note("half_character", "the text holds half a character.", node, "Write it whole.")
            raise RefusedError from None

    def number(self, node: Node, sign: str) -> int | float:
        """Return a number, whole where nothing is lost by it; `sign` stands before it."""
        text = text_of(node)
        if not text or not _NUMBER.fullmatch(text) or len(text) > 400:
            what = f"{shown(text, 40)} is no decimal number."
            self._note("number_form", what, node, "Write it as in 0.5, 12 or 1.5e3.")
            raise RefusedError
        if text.isdigit():
            return int(sign + text)
        value = float(sign + text)
        if value in (float("inf"), float("-inf")):
            self._note("number_form", f"{shown(text, 40)} is too large.", node, "Use a smaller number.")
            raise RefusedError
        return int(value) if value.is_integer() and abs(value) < 2**53 else value

    def signed(self, node: Node) -> int | float:
        """Return a number with its sign."""
        operator, operand = node.child_by_field_name("operator"), node.child_by_field_name("argument")
        if operator is None or operand is None or operand.type != "number" or text_of(operator) not in "+-":
            self._refuse(node)
            raise RefusedError
        if operator.end_byte != operand.start_byte:
            self._note("excluded", "a sign stands apart from its number.", node, "Write it directly before.")
            raise RefusedError
        return self.number(operand, text_of(operator))
