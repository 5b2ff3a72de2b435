"""How places and values are called in what people read of a mutation."""

from __future__ import annotations

import json

from refract_asp.bench.mutations.tokens import Token
from refract_asp.model import Constant, Sequence, Source, Structure, Template

__all__ = ["place_text", "source_text", "value_text"]


def place_text(sequence: Sequence, token: Token) -> str:
    """Name the call of a token: `call 2 (var2, SearchHotels)`."""
    call = sequence.calls[token.call]
    return f"call {token.call + 1} ({call.label or 'no label'}, {call.name})"


def source_text(source: Source) -> str:
    """Print what an argument is bound to."""
    if isinstance(source, Template):
        return "".join(map(str, source.parts))
    return value_text(source.value) if isinstance(source, Constant | Structure) else str(source)


def value_text(value: object) -> str:
    """Print a value as JSON, or as Python where references stand in it."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError:
        return repr(value)
