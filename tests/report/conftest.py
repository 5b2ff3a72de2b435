"""Results as a repair would build them, from the printed sequences."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from refract_asp.model import RepairResult
from refract_asp.model import Sequence as Calls


@pytest.fixture
def result() -> Callable[..., RepairResult]:
    """Build a result from what was given, what came out, and which call came from which."""

    def build(
        given: str, repaired: str, origins: Sequence[int | None] | None = None, **more: Any
    ) -> RepairResult:
        before, after = Calls.load(given), Calls.load(repaired)
        same = tuple(range(len(after.calls)))
        return RepairResult(
            **{"verdict": "repaired", **more},
            given=before,
            sequence=after,
            origins=same if origins is None else tuple(origins),
        )

    return build
