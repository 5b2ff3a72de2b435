"""
Reads what is asked about a repair, as `keep var3.date` or `var3.date = $var1.day$`.

The language is small: a statement says of a call, or of an argument, what a repair should do with it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from refract_asp.errors import RefractError, StatementError, shown
from refract_asp.model import Sequence, Source
from refract_asp.model.secret_names import HIDDEN, text_without_secrets
from refract_asp.rules.choices import CallId, Inner, Part
from refract_asp.rules.instance import Instance

__all__ = ["Names", "Statement", "Wish", "read_statement"]

Wish: TypeAlias = Literal[
    "keep_call", "delete", "rename_tool", "call", "keep", "drop", "ask", "read", "rename"
]
LONGEST = 10_000
"""Characters of a statement."""
LISTED = 12
"""So many labels are named in a message."""
UNDERSTOOD = (
    'Understood: keep var1, keep var1.date, drop var1.date, ask var1.date, var1.date = "$var2.day$", '
    "rename var1 to Tool, rename var1.date to day, delete var1, call Tool; `call 3` stands for the third."
)
_NUMBERED = re.compile(r"call\s+(\d{1,9})(?:\.(.+))?", re.S)
_RETURNS = "returns"


@dataclass(frozen=True, slots=True)
class Statement:
    """What a repair should do: with a call, with an argument of it, or with a tool."""

    wish: Wish
    call: CallId | None = None
    parameter: str = ""
    target: str = ""
    source: Source | None = None


class Names:
    """The calls that a statement may name: by label, as given or as repaired, or by number."""

    def __init__(
        self,
        instance: Instance,
        repaired: Sequence,
        order: Iterable[CallId],
        unresolved: Collection[int] = (),
    ) -> None:
        """Collect the labels of the given and of the repaired sequence, in which some calls stay as given."""
        self.instance = instance
        self.unresolved = unresolved
        self.repaired = dict(zip(order, repaired.calls, strict=False))
        given: dict[str, list[CallId]] = {}
        for number, call in enumerate(instance.sequence.calls):
            if call.label is not None:
                given.setdefault(call.label, []).append(number)
        now: dict[str, list[CallId]] = {}
        for each, call in self.repaired.items():
            if call.label is not None:
                now.setdefault(call.label, []).append(each)
        self.bearers = {**now, **given}
        if instance.is_returning:
            self.bearers.setdefault(_RETURNS, [len(instance.sequence.calls)])

    def call(self, text: str) -> CallId:
        """Return the call that a text names; refuse one that names none, or several."""
        match = _NUMBERED.fullmatch(text)
        if match is not None and match[2] is None and text not in self.bearers:
            return self._at(int(match[1]))
        bearers = self.bearers.get(text, [])
        if len(bearers) == 1:
            return self._real(bearers[0], text)
        if bearers:
            numbers = " and ".join(f"call {each + 1}" for each in bearers if isinstance(each, int))
            raise StatementError(f"several calls bear the label {shown(text)}.", hint=f"Say {numbers}.")
        known = ", ".join(shown(label, 60) for label in list(self.bearers)[:LISTED]) or "none"
        raise StatementError(
            f"no call bears the label {shown(text)!r}.",
            hint=f"Labels: {known}; `call 1` is the first of {len(self.instance.sequence.calls)}.",
        )

    def place(self, text: str) -> tuple[CallId, str] | None:
        """Return the argument that a text names, or None when it names none."""
        match = _NUMBERED.fullmatch(text)
        if match is not None and match[2] is not None:
            return self._at(int(match[1])), match[2].strip()
        for label in sorted(self.bearers, key=len, reverse=True):
            if text.startswith(f"{label}.") and text != f"{label}.":
                return self.call(label), text[len(label) + 1 :].strip()
        return None

    def is_secret(self, call: CallId, parameter: str) -> bool:
        """Whether all that is given to an argument is secret."""
        known = [self.repaired[call].name] if call in self.repaired else []
        known += [self.instance.call(call).name] if isinstance(call, int) else []
        return any(self.instance.index.secrets.is_argument(tool, parameter) for tool in known)

    def _at(self, number: int) -> CallId:
        count = len(self.instance.sequence.calls)
        if not 1 <= number <= count:
            raise StatementError(f"there is no call {number}.", hint=f"The sequence has {count}.")
        return number - 1

    @staticmethod
    def _real(call: CallId, text: str) -> CallId:
        if isinstance(call, Inner | Part):
            raise StatementError(
                f"{shown(text)} was made of an argument of another call.",
                hint="Ask about that argument.",
            )
        return call


def read_statement(text: object, names: Names) -> Statement:
    """
    Read a statement.

    Raises:
        StatementError: it cannot be understood, or names no call or argument of the sequence.
    """
    if not isinstance(text, str) or not text.strip():
        raise StatementError("there is no statement.", hint=UNDERSTOOD)
    if len(text) > LONGEST:
        raise StatementError(f"a statement of {len(text)} characters is too long.", hint=UNDERSTOOD)
    text = text.strip()
    word, _, rest = text.partition(" ")
    rest = rest.strip()
    left, equals, right = text.partition("=")
    if equals and (place := names.place(left.strip())) is not None:
        return Statement("read", *place, source=_source(right.strip(), names.is_secret(*place)))
    if word in ("keep", "drop", "ask", "delete") and rest:
        return _about_one(word, rest, names)
    if word == "call" and rest:
        return Statement("call", target=rest)
    if word == "rename" and " to " in rest:
        before, _, after = rest.rpartition(" to ")
        place = names.place(before.strip())
        if place is None:
            return Statement("rename_tool", names.call(before.strip()), target=after.strip())
        _must_be_given(*place, names)
        return Statement("rename", *place, target=after.strip())
    if equals:
        names.call(left.strip().partition(".")[0])
    raise StatementError(f"{shown(text_without_secrets(text))!r} cannot be understood.", hint=UNDERSTOOD)


def _about_one(word: str, rest: str, names: Names) -> Statement:
    """Read a statement about one call, or one argument."""
    place = None if rest in names.bearers else names.place(rest)
    if place is None:
        if word in ("drop", "ask"):
            names.call(rest.partition(".")[0])
            raise StatementError(f"`{word}` is said of an argument.", hint=UNDERSTOOD)
        return Statement("keep_call" if word == "keep" else "delete", names.call(rest))
    if word == "delete":
        raise StatementError("`delete` is said of a call.", hint="An argument is left out by `drop`.")
    if word == "keep":
        _must_be_given(*place, names)
        return Statement("keep", *place)
    if word == "drop":
        call, parameter = place
        now = names.repaired[call].arguments if call in names.repaired else {}
        if parameter not in now:
            _must_be_given(call, parameter, names)
        return Statement("drop", *place)
    return Statement("ask", *place)


def _must_be_given(call: CallId, parameter: str, names: Names) -> None:
    given = names.instance.call(call).arguments if isinstance(call, int) else {}
    if parameter not in given:
        listed = ", ".join(shown(each, 60) for each in list(given)[:LISTED]) or "none"
        raise StatementError(
            f"the given call has no argument {shown(parameter)!r}.", hint=f"Its arguments: {listed}."
        )


def _source(text: str, is_secret: bool) -> Source:
    """Read a value as it stands in the printed form; a lone reference may go without quotes."""
    told = HIDDEN if is_secret else shown(text)
    if re.fullmatch(r"\$[^\s\"$]+\$", text):
        text = f'"{text}"'
    try:
        (call,) = Sequence.load(f"f(x={text})", "pretty").calls
        (source,) = call.arguments.values()
    except (RefractError, ValueError):
        raise StatementError(
            f"{told!r} is no value.", hint='Write a reference as "$var1.id$", a text in quotes.'
        ) from None
    return source
