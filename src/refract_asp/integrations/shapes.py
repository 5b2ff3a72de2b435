"""
Kinds of calls that were found right: what is of the same kind is right without asking the rules.

A call that differs only in plain values is, where they fit their schemas: the rules see no more of them. Of other
values, as lists and texts with brackets, they see what is stated as facts: where it is the same, so is the verdict.
"""

from __future__ import annotations

import math
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from refract_asp.errors import InputError
from refract_asp.model import Sequence
from refract_asp.model.sequence import constants_of
from refract_asp.refractor import Refractor

__all__ = ["Shapes"]

MAX_SHAPES = 10_000
"""So many kinds of right calls with plain values are known at once."""
MAX_STATED = 1_000
"""So many sets of facts are."""
MAX_VALUES, MAX_CHARACTERS = 500, 20_000
"""So many values, and characters of texts, are read while an event loop waits."""
MAX_PLAIN = 10_000
"""Characters of a text that surely is nothing but text."""
MAX_BITS = 1_000
"""Bits of a whole number that surely can be printed."""

# In such a text neither a reference nor a call can hide, and no half of a character stands.
_PLAIN = re.compile(r"[^${}()<>\[\]\ud800-\udfff]*")


class Shapes:
    """
    The kinds of calls that one `Refractor` found right; thread-safe.

    Example:
        >>> amount = {"type": "integer", "required": True}
        >>> shapes = Shapes(Refractor({"tools": [{"name": "Pay", "parameters": {"amount": amount}}]}))
        >>> shapes.has("Pay", {"amount": 3})
        False
        >>> shapes.keep("Pay", {"amount": 3})
        >>> shapes.has("Pay", {"amount": 5}), shapes.has("Pay", {"amount": "5"})
        (True, False)
    """

    def __init__(self, refractor: Refractor) -> None:
        """Know none yet; of rules of the user's nothing can be told beforehand."""
        self._refractor = refractor
        said = refractor.options
        rules = said.encodings or said.patterns or said.encodings_dir is not None
        self._is_open = not (rules or refractor._engine.own)
        self._known: OrderedDict[Hashable, None] = OrderedDict()
        self._stated: OrderedDict[Hashable, None] = OrderedDict()
        self._messages: OrderedDict[Hashable, None] = OrderedDict()
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy in another process is made of; facts are not sent."""
        empty: OrderedDict[Hashable, None] = OrderedDict()
        return {**vars(self), "_stated": empty, "_messages": empty.copy(), "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what another process sent."""
        vars(self).update(state, _lock=threading.Lock())

    # -- one call with plain values --------------------------------------------------

    def has(self, name: object, arguments: object) -> bool:
        """Whether a call differs from one that was found right only in plain values that fit their schemas."""
        if type(name) is not str or type(arguments) is not dict:
            return False
        if (name, frozenset(arguments)) not in self._known:
            return False
        index = self._refractor._engine.index
        if not all(
            _is_plain(value) and index.fits_schema(name, parameter, value)
            for parameter, value in arguments.items()
        ):
            return False
        whole = index.rules_of(name)
        return whole is None or whole.is_valid(arguments)

    def keep(self, name: str, arguments: Mapping[str, Any]) -> None:
        """Note of which kind a right call is, if it has declared parameters and plain values alone."""
        tool = self._refractor.catalog.by_name.get(name)
        declared = tool.parameters if tool is not None else {}
        if not self._is_open or not arguments.keys() <= declared.keys():
            return
        if all(map(_is_plain, arguments.values())):
            self._add(self._known, (name, frozenset(arguments)), MAX_SHAPES)

    # -- calls with any values -------------------------------------------------------

    def has_stated(self, calls: list[tuple[Any, Any]], read: Callable[[], Sequence]) -> bool:
        """
        Whether what is stated of calls is what was stated of calls that were found right.

        They are read only where calls with the same parameters were, and where they are small.
        """
        if not all(type(name) is str and type(arguments) is dict for name, arguments in calls):
            return False
        if _message(calls) not in self._messages or not _is_small(calls):
            return False
        try:
            return _facts(self._refractor._instance(read(), None, (), (), None)) in self._stated
        except InputError:
            return False

    def keep_stated(self, calls: list[tuple[str, Any]], instance: Any) -> None:
        """Note what was stated of calls that were found right."""
        facts = _facts(instance) if self._is_open else None
        if facts is not None:
            self._add(self._stated, facts, MAX_STATED)
            self._add(self._messages, _message(calls), MAX_SHAPES)

    def _add(self, to: OrderedDict[Hashable, None], kind: Hashable, most: int) -> None:
        with self._lock:
            to[kind] = None
            while len(to) > most:
                to.popitem(last=False)


def _message(calls: list[tuple[str, Any]]) -> Hashable:
    """Return the tools and parameters of calls."""
    return tuple((name, frozenset(arguments)) for name, arguments in calls)


def _is_small(value: object) -> bool:
    """Whether little is in a value, so that it is read in no time."""
    left = [value]
    values, characters = 0, 0
    while left:
        each = left.pop()
        values += 1
        if isinstance(each, str):
            characters += len(each)
        elif isinstance(each, dict):
            left += each.values()
        elif isinstance(each, list | tuple):
            left += each
        if values + len(left) > MAX_VALUES or characters > MAX_CHARACTERS:
            return False
    return True


def _facts(instance: Any) -> Hashable:
    """Return all that the rules get to see of calls; None where more than their values is in them."""
    more = (instance.opened, instance.inner, instance.nested, instance.copies, instance.references)
    if any(more) or instance.history:
        return None
    for call in instance.sequence.calls:
        if call.malformed is not None or call.confirms:
            return None
        if len(constants_of(call.arguments)) < len(call.arguments):
            return None
    return frozenset(instance.facts), frozenset(instance.predicates), repr(instance.discordant)


def _is_plain(value: object) -> bool:
    """Whether the rules see nothing of a value but whether it fits its schema; JSON can hold it at all."""
    if isinstance(value, str):
        return len(value) <= MAX_PLAIN and _PLAIN.fullmatch(value) is not None
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and value.bit_length() <= MAX_BITS
