"""Results as a repair would build them, from the printed sequences."""

from collections.abc import Callable
from typing import Any

import pytest

from refract_asp.model import RepairResult
from refract_asp.model import Sequence as Calls


@pytest.fixture
def result() -> Callable[..., RepairResult]:
    """Build a result from what was given, what came out, and which call came from which."""

    def build(given: str, repaired: str, origins: Any = None, **more: Any) -> RepairResult:
        before, after = Calls.load(given), Calls.load(repaired)
        same = tuple(range(len(after.calls)))
        more = {"verdict": "repaired", "origins": same if origins is None else origins, **more}
        return RepairResult(given=before, sequence=after, **more)

    return build
