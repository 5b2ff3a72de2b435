"""Tests of adapters: each file needs the framework that it is named after, and is left out where that is absent."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from faults import RAN

HERE = Path(__file__).resolve().parent
MODULES = {"openai_agents": "agents", "kits": "haystack"}
"""The module that shows whether a framework is there, where it has another name than the file."""


def _is_there(path: Path) -> bool:
    name = path.stem.removeprefix("test_")
    return find_spec(MODULES.get(name, name)) is not None


collect_ignore = [path.name for path in sorted(HERE.glob("test_*.py")) if not _is_there(path)]


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    """Forget what the tools were called with in another test."""
    RAN.clear()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder, so that `-m frameworks` takes these alone."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("frameworks")
