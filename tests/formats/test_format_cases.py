"""The tables in `cases`: what is written in every format, and what is read from it."""

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from refract_asp.errors import InputError
from refract_asp.formats import load_catalog, load_mappings, load_memory, load_sequence
from refract_asp.formats.references import read_source, slot_text, source_value
from refract_asp.formats.values import Origin, UnreadableError, read_json_text
from refract_asp.formats.yaml_text import parse_yaml
from refract_asp.model import Catalog, Reference, Sequence
from yaml_files import read_yaml


def rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of a table."""
    table: list[dict[str, Any]] = read_yaml(Path(__file__).parent / "cases" / f"{name}.yaml")
    return table


def cases(name: str) -> pytest.MarkDecorator:
    """Return what runs a test with each row of a table."""
    return pytest.mark.parametrize("row", rows(name), ids=lambda row: str(row["given"])[:40])


def refused(load: Callable[..., Any], *given: Any) -> str:
    """Return why something is refused, but for the list of all formats."""
    with pytest.raises((InputError, UnreadableError)) as raised:
        load(*given)
    assert str(raised.value).isprintable()
    return re.split(" The nearest is | It reads as | Known: ", str(raised.value))[0]


@cases("sequences")
def test_sequences(row: dict[str, Any]) -> None:
    given, format = row["given"], row.get("format")
    if "error" in row:
        assert refused(load_sequence, copy.deepcopy(given), format) == row["error"]
        return
    sequence = load_sequence(copy.deepcopy(given), format)
    lines = sequence.dump("pretty")
    assert (sequence.format, lines) == (row["read"], row["calls"])
    assert list(sequence.notes) == row.get("notes", [])
    printed = sequence.dump()
    assert printed == row.get("printed", lines if printed == lines else given)
    assert copy.deepcopy(sequence).dump() == printed
    assert Sequence.load(given, sequence.format) == sequence
    if not isinstance(given, str):
        names = [call.name for call in Sequence.load(json.dumps(given), format).calls]
        assert names == [call.name for call in sequence.calls]


@cases("catalogs")
def test_catalogs(row: dict[str, Any]) -> None:
    given, format = row["given"], row.get("format")
    if "error" in row:
        assert refused(load_catalog, given, format) == row["error"]
        return
    catalog = load_catalog(given, format)
    data = catalog.dump()
    assert (catalog.format, data.get("name")) == (row["read"], row.get("name"))
    assert data["tools"] == row["tools"]
    assert list(map(str, catalog.notes)) == row.get("notes", [])
    assert Catalog.load(data).tools == catalog.tools
    assert load_catalog(given, catalog.format) == catalog
    if not isinstance(given, str):
        assert load_catalog(json.dumps(given), format) == catalog


@cases("memory")
def test_memory(row: dict[str, Any]) -> None:
    if "error" in row:
        assert refused(load_memory, row["given"]) == row["error"]
    else:
        assert repr(load_memory(row["given"]).values) == repr(row["gives"])


@cases("mappings")
def test_mappings(row: dict[str, Any]) -> None:
    if "error" in row:
        assert refused(load_mappings, row["given"]) == row["error"]
    else:
        read = [each.model_dump(exclude_defaults=True) for each in load_mappings(row["given"])]
        assert read == row["gives"]


@cases("yaml")
def test_yaml(row: dict[str, Any]) -> None:
    def read(text: str) -> Any:
        return parse_yaml(text, Origin("<text>"))[0]

    if "error" in row:
        assert refused(read, row["given"]) == row["error"]
    else:
        assert repr(read(row["given"])) == repr(row["gives"])


@cases("mending")
def test_mending(row: dict[str, Any]) -> None:
    if "error" in row:
        assert refused(read_json_text, row["given"]) == row["error"]
    else:
        value, slips = read_json_text(row["given"])
        assert (repr(value), list(slips)) == (repr(row["value"]), row["mended"])


@cases("references")
def test_references(row: dict[str, Any]) -> None:
    labels = row.get("labels", [])
    source = read_source(row["given"], asks=row.get("asks", []), labels=labels)
    data = {"kind": source.kind, **source.model_dump(mode="json", exclude_defaults=True)}
    assert data == row["source"]
    assert source_value(source, labels) == row.get("printed", row["given"])
    if isinstance(source, Reference):
        assert source.spelling == row.get("spelling", "dollars")
        assert read_source(slot_text(source), labels=labels) == source
