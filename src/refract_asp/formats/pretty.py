"""
The printed form of sequences: one call a line.

    ask(originSkyId)                                       a value that the user has to give
    var1 = SkyScrapperSearchAirport(query="New York")      a call with its label
    confirm(date="$var7.date$")                            what has to be confirmed before the next call:
    confirm(NewsAPISearchByKeyWord)                        an argument, the tool,
    confirm(without adults)                                or that an argument is left out
    var3 = Flights(originSkyId=originSkyId, date="$var7.date$", adults=2)
    return {"flights": "$var3$"}                           what the sequence gives back

Values are JSON; texts hold references (`references` tells how, and how a dollar is escaped). A bare name
is an ask when an `ask` line names it, else a context variable. A label, tool or parameter that is not a
plain word is written as a JSON string, a bare name of that kind in backquotes: `"a b"=`a b``. A call
without a label whose tool is named `ask`, `confirm` or `return` is printed with its name in quotes.
Lines that start with `#` are comments; a call may go over several lines; a `;` may end it.

A call whose arguments cannot be used has the reason for arguments: `Search(! "the text is cut off")`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from refract_asp.errors import LimitError
from refract_asp.formats.origin import Origin
from refract_asp.formats.pretty_reader import NAME, RESERVED, Reader
from refract_asp.formats.reference_texts import source_value
from refract_asp.formats.references import Known, known_of
from refract_asp.formats.registry import Format
from refract_asp.formats.values import json_text
from refract_asp.model import (
    Ask,
    Call,
    Confirm,
    ConfirmArgument,
    ConfirmTool,
    Reference,
    Sequence,
    Source,
)
from refract_asp.model.paths import LABEL

__all__ = ["FORMAT", "ask_text", "call_text", "confirm_text", "lines_of", "source_text"]

_TEXT = re.compile(r"\(|\breturn\s*+\{")
_EMPTY = re.compile(r"(?:\s++|#[^\n]*+)*+")
_PLAIN_NAME = re.compile(r"[^\W\d][\w.\-]*")
_PSEUDO = frozenset({"ask", "confirm", "return"})
_MAX_TEXT = 100_000_000


def source_text(source: Source, labels: Collection[str] | Known = ()) -> str:
    """
    Print what an argument is bound to; `labels` are those that calls bear.

    Raises:
        FormatError: a constant is not a JSON value.
        LimitError: it is nested deeper than 64.

    Example:
        >>> source_text(Reference(label="var1", path=("skyId",))), source_text(Ask(name="date"))
        ('"$var1.skyId$"', 'date')
    """
    if isinstance(source, Ask):
        return _bare(source.name)
    if isinstance(source, Reference) and source.bare and not source.path:
        return _bare(source.label)
    return json_text(source_value(source, labels))


def call_text(call: Call, labels: Collection[str] | Known = ()) -> str:
    """
    Print a call on one line, without its confirms; `labels` are those that calls bear.

    Raises:
        FormatError: a constant is not a JSON value.

    Example:
        >>> call_text(Call(name="Search", label="var1"))
        'var1 = Search()'
    """
    given = (f"{_name(p)}={source_text(source, labels)}" for p, source in call.arguments.items())
    arguments = ", ".join(given) if call.malformed is None else f"! {json_text(call.malformed)}"
    if call.label is not None:
        return f"{_name(call.label)} = {_name(call.name)}({arguments})"
    return f"{json_text(call.name) if call.name in _PSEUDO else _name(call.name)}({arguments})"


def confirm_text(call: Call, confirm: Confirm, labels: Collection[str] | Known = ()) -> str:
    """Print what has to be confirmed before `call`; `labels` are those that calls bear."""
    if isinstance(confirm, ConfirmTool):
        return f"confirm({_name(call.name)})"
    parameter = _name(confirm.parameter)
    if not isinstance(confirm, ConfirmArgument):
        return f"confirm(without {parameter})"
    source = call.arguments.get(confirm.parameter)
    return f"confirm({parameter}={'null' if source is None else source_text(source, labels)})"


def ask_text(name: str) -> str:
    """Print the line that asks the user for a value."""
    return f"ask({_name(name)})"


def _name(name: str) -> str:
    if _PLAIN_NAME.fullmatch(name) or (NAME.fullmatch(name) and name.isprintable()):
        return name
    return json_text(name)


def _bare(name: str) -> str:
    if LABEL.fullmatch(name) and name not in RESERVED:
        return name
    return "`" + json_text(name)[1:-1].replace("`", "\\u0060") + "`"


def lines_of(sequence: Sequence, known: Known) -> list[str]:
    """Print a sequence, one statement a line; `known` tells references from text."""
    lines = [ask_text(name) for name in sequence.asks]
    for call in sequence.calls:
        lines.extend(confirm_text(call, confirm, known) for confirm in call.confirms)
        lines.append(call_text(call, known))
    if sequence.returns is not None:
        values = {name: source_value(source, known) for name, source in sequence.returns.items()}
        lines.append(f"return {json_text(values)}")
    return lines


def _detects(data: Any) -> bool:
    if isinstance(data, str):
        return _EMPTY.fullmatch(data) is not None or _TEXT.search(data) is not None
    return isinstance(data, list | tuple) and any(isinstance(line, str) for line in data)


def _read(data: Any, origin: Origin) -> Sequence:
    texts = [data] if isinstance(data, str) else data
    if not isinstance(texts, list | tuple):
        raise origin.error(
            "a text or a list of texts is needed.", hint='Write calls as `var1 = Tool(a="x")`.'
        )
    reader = Reader()
    for index, text in enumerate(texts):
        inner = origin if texts is not data else Origin(origin.name, base=(*origin.base, index))
        if not isinstance(text, str):
            raise inner.error(
                "a text is needed, one call in each.", hint='Write `var1 = Tool(a="x")`.'
            )
        if len(text) > _MAX_TEXT:
            raise LimitError(f"the text is longer than {_MAX_TEXT:,} characters.", where=inner.at())
        reader.read(text, inner)
    return reader.sequence()


FORMAT: Format[Sequence] = Format(
    name="pretty",
    kind="sequence",
    looks='lines such as `var1 = Tool(a="x", b="$var0.y$")`, as one text or as a list of texts',
    detects=_detects,
    read=_read,
    write=lambda sequence: lines_of(sequence, known_of(sequence, "pretty")),
)
