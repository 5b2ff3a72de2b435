"""What a value has that its schema does not allow."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from refract_asp.model.paths import FieldPath

__all__ = ["Fault"]


class Fault(BaseModel):
    """
    A place in a value that does not fit the schema.

    Attributes:
        path: where in the value; empty for the value as a whole.
        keyword: the keyword of JSON Schema that it breaks, as "type" or "enum".
        expected: what the schema wants there, in words, bounded.
        given: what stands there, as JSON, bounded; of an object with fields that are too much these alone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: FieldPath = ()
    keyword: str
    expected: str
    given: str
