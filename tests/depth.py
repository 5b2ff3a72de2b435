"""How much random testing is done: `make test` tries a tenth of the examples, `make test-all` all of them."""

from __future__ import annotations

import os

__all__ = ["examples"]

THOROUGH = os.environ.get("REFRACT_ASP_THOROUGH") == "1"


def examples(number: int) -> int:
    """Return how many random examples a property is tried on of those that a thorough run takes."""
    return number if THOROUGH else max(5, number // 10)
