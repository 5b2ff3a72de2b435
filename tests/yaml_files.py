"""Read the tables of tests, in C where PyYAML has it: ten times as fast as in Python."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml


def read_yaml(path: Path) -> Any:
    """Return the one document of a file, in which no key stands twice: the first case would be lost."""
    text = path.read_text("utf-8")
    # in C the escape of half a surrogate pair is refused
    with suppress(AttributeError, yaml.scanner.ScannerError):
        return _read(yaml.CSafeLoader(text), path)
    return _read(yaml.SafeLoader(text), path)


def _read(loader: Any, path: Path) -> Any:
    root = loader.get_single_node()
    left, seen = [root], set()
    while left:
        node = left.pop()
        if id(node) in seen or isinstance(node, yaml.ScalarNode):
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            keys = [(key.tag, key.value) for key, _ in node.value if key.id == "scalar"]
            twice = {value for tag, value in keys if keys.count((tag, value)) > 1}
            assert not twice, f"{path}:{node.start_mark.line + 1}: {twice}"
        left += [
            each for pair in node.value for each in (pair if isinstance(pair, tuple) else [pair])
        ]
    return loader.construct_document(root)


def tables(module: str) -> Any:
    """Return the tables that stand beside a module, in a file of its name: its `__file__` is needed."""
    return read_yaml(Path(module).with_suffix(".yaml"))
