"""Catalogs with one JSON value a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from refract_asp.errors import FormatError, InputError
from refract_asp.formats import load_catalog

from .catalog_samples import ANTHROPIC, OPENAI, SEAL


@pytest.mark.parametrize("tools", [ANTHROPIC, OPENAI, SEAL])
def test_lines_are_a_list(tools: list[object], tmp_path: Path) -> None:
    text = "\n".join(json.dumps(tool) for tool in tools)
    catalog = load_catalog(tools)
    assert load_catalog(text) == catalog
    assert load_catalog("\ufeff\n" + text.replace("\n", "\r\n\r\n") + "\n\n") == catalog
    for suffix in ("jsonl", "ndjson", "json"):
        path = tmp_path / f"tools.{suffix}"
        path.write_text(text + "\n", encoding="utf-8")
        assert load_catalog(path).tools == catalog.tools
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps(tools[0]), encoding="utf-8")
    assert len(load_catalog(path)) == 1


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ('{"api_name": ', r"^<text>:4:14: not valid JSON"),
        (
            '{"api_name": "a", "api_name": "b"}',
            r"^<text>:4: an object holds the key 'api_name' twice",
        ),
        ('{"api_name": "T", "parameters": {"a": NaN}}', r"^<text>:4: .*NaN is not a JSON value"),
        ('{"api_name": 5}', r"^<text>:4: \[2\]\.api_name: the name of the tool is needed"),
        ('{"api_name": "search"}', r"^<text>:4: \[2\]\.name: two tools are named 'search'"),
        ('{"api_name": "\\ud800"}', r"\[2\]\.api_name: .*lone surrogate"),
        ("[" * 100_000, r"^<text>:4:?.*nested deeper"),
    ],
)
def test_a_mistake_is_named_with_its_line(last: str, message: str) -> None:
    text = "\n".join([json.dumps(SEAL[0]), "", json.dumps(SEAL[1]), last])
    with pytest.raises(InputError, match=message):
        load_catalog(text)


def test_two_values_on_one_line_are_no_lines() -> None:
    with pytest.raises(FormatError, match="One JSON value is expected"):
        load_catalog('{"api_name": "a"} {"api_name": "b"}')
