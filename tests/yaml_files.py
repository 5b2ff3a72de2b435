"""Read the tables of tests, in C where PyYAML has it: ten times as fast as in Python."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml


def read_yaml(path: Path) -> Any:
    """Return the one document of a file."""
    text = path.read_text("utf-8")
    # in C the escape of half a surrogate pair is refused
    with suppress(AttributeError, yaml.scanner.ScannerError):
        return yaml.load(text, yaml.CSafeLoader)
    return yaml.safe_load(text)


def tables(module: str) -> Any:
    """Return the tables that stand beside a module, in a file of its name: its `__file__` is needed."""
    return read_yaml(Path(module).with_suffix(".yaml"))
