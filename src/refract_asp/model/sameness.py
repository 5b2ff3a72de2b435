"""
When two sequences are the same: the same calls with the same arguments, up to label names and the order
of independent calls; and the same returns, where they say what they return.

A call is told by the hash of its tool and arguments, a reference by the hash of the call that it reads from
and its path. Two sequences are the same when the multisets of their calls are; what they return counts
as one more call. What has still to be confirmed, and under which name something is asked, counts for nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from refract_asp.model.sequence import Call, Sequence
from refract_asp.model.sources import Constant, Reference, Source, Structure, Template

__all__ = ["Form", "Told", "canonical", "digests", "same", "told"]

Form: TypeAlias = list[Any]
"""A source as data: its kind, and what it says. Equal sources have equal forms, whatever the labels are."""


@dataclass(frozen=True, slots=True)
class Told:
    """
    A call without its label, or what a sequence returns.

    Attributes:
        digest: the hash of all it says; equal calls have equal ones.
        tool: the tool that is called, and whether its arguments could not be read; None for what is returned.
        arguments: the form of each argument, in which a reference names the digest of what it reads from.
    """

    digest: str
    tool: tuple[str, bool] | None
    arguments: dict[str, Form]


def canonical(sequence: Sequence, others: Mapping[int, Call] | None = None) -> Counter[str]:
    """
    Return the multiset of the hashes of the calls, and of what is returned.

    Args:
        sequence: the sequence.
        others: calls that are taken in place of those at an index.
    """
    return Counter(each.digest for each in told(sequence, others))


def digests(sequence: Sequence, others: Mapping[int, Call] | None = None) -> list[str]:
    """Return the hash of each call in order; `others` are taken in place of the calls there."""
    return [each.digest for each in told(sequence, others) if each.tool is not None]


def same(left: Sequence, right: Sequence) -> bool:
    """
    Whether both hold the same calls with the same arguments.

    Example:
        >>> one = Sequence.load('a = Search(query="London")\\nb = Search(query="Rome")\\nGo(to="$a.id$")')
        >>> other = Sequence.load('b = Search(query="Rome")\\nx = Search(query="London")\\nGo(to="$x.id$")')
        >>> same(one, other)
        True
        >>> same(one, Sequence.load(str(one).replace("$a", "$b")))
        False
    """
    return canonical(left) == canonical(right)


def told(sequence: Sequence, others: Mapping[int, Call] | None = None) -> list[Told]:
    """Return each call in order without its label, and last what is returned where that is said."""
    found = list(_calls(sequence, others or {}))
    if sequence.returns is not None:
        producer = {
            call.label: each.digest
            for call, each in zip(sequence.calls, found, strict=True)
            if call.label is not None
        }
        found.append(_told(None, sequence.returns, producer))
    return found


def _calls(sequence: Sequence, others: Mapping[int, Call]) -> Iterator[Told]:
    producer: dict[str, str] = {}
    for index, given in enumerate(sequence.calls):
        call = others.get(index, given)
        each = _told((call.name, call.malformed is not None), call.arguments, producer)
        yield each
        if given.label is not None:
            producer[given.label] = each.digest


def _told(
    tool: tuple[str, bool] | None, arguments: Mapping[str, Source], producer: Mapping[str, str]
) -> Told:
    forms = {parameter: _form(source, producer) for parameter, source in arguments.items()}
    text = json.dumps([tool, forms], sort_keys=True)
    return Told(hashlib.sha256(text.encode()).hexdigest(), tool, forms)


def _form(source: Source, producer: Mapping[str, str]) -> Form:
    if isinstance(source, Constant):
        return ["constant", json.dumps(source.value, sort_keys=True)]
    if isinstance(source, Reference):
        if source.label in producer:
            return ["call", producer[source.label], list(source.path)]
        return ["free", source.label, list(source.path)]
    if isinstance(source, Template):
        return ["text", [["part", x] if isinstance(x, str) else _form(x, producer) for x in source.parts]]
    if isinstance(source, Structure):
        if isinstance(source.value, dict):
            return ["object", {key: _form(inner, producer) for key, inner in source.value.items()}]
        return ["list", [_form(inner, producer) for inner in source.value]]
    return ["ask"]
