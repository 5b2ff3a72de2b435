"""How much is tried of what is many: `make test` takes a tenth of the examples, `make test-all` all of them."""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

THOROUGH = os.environ.get("REFRACT_ASP_THOROUGH") == "1"


def examples(number: int) -> int:
    """Return how many random examples a property is tried on of those that a thorough run takes."""
    return number if THOROUGH else max(5, number // 10)


def every_tenth(given: Iterable[T]) -> Iterator[T]:
    """
    Yield some of what a thorough run takes all of; mark the test as `property`, so that there is such a run.

    The step is a prime near ten, so that each column of a table made by nested loops has its turn.
    """
    return islice(given, 0, None, 1 if THOROUGH else 11)
