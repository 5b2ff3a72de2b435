"""The NESTFUL data sets, whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from refract_asp.formats import dump_catalog, load_catalog, load_sequence
from refract_asp.model import Reference, Sequence

from .made import same

pytestmark = pytest.mark.data


def _rows(data_dir: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(
        (data_dir / "nestful" / f"{name}-data.json").read_text(encoding="utf-8")
    )
    return rows


@pytest.mark.parametrize(("name", "count"), [("executable", 85), ("glaive", 169)])
def test_every_gold_sequence_reads_and_prints_back(data_dir: Path, name: str, count: int) -> None:
    rows = _rows(data_dir, name)
    assert len(rows) == count
    for row in rows:
        sequence = load_sequence(row)
        assert sequence.dump() == row["output"]
        assert sequence.returns is not None
        assert len(sequence.calls) == len(row["output"]) - 1
        assert same(load_sequence(sequence.dump("pretty")), sequence)
        assert same(load_sequence(json.dumps(row)), sequence)


def test_every_broken_sequence_reads_and_its_printed_form_too(data_dir: Path) -> None:
    text = (data_dir / "nestful" / "generated_errors.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    assert len(rows) == 400
    for row in rows:
        for key in ("broken", "gold"):
            sequence, printed = load_sequence(row[key]), load_sequence(row[f"pretty_{key}"])
            assert sequence.returns is not None
            assert "\n".join(printed.dump()) == row[f"pretty_{key}"]
            assert _shape(printed) == _shape(sequence)


def _shape(sequence: Sequence) -> list[Any]:
    return [(call.name, call.label, list(call.arguments)) for call in sequence.calls]


@pytest.mark.parametrize(("name", "count"), [("executable", 39), ("glaive", 64)])
def test_every_specification_reads_and_prints_back(data_dir: Path, name: str, count: int) -> None:
    path = data_dir / "nestful" / f"{name}-spec.json"
    catalog = load_catalog(path)
    assert len(catalog) == count
    assert catalog.name == f"{name}-spec"
    for format in ("native", "nestful"):
        assert load_catalog(dump_catalog(catalog, format)).tools == catalog.tools
    entries = {entry["name"]: entry for entry in json.loads(path.read_text(encoding="utf-8"))}
    for tool in catalog:
        given = entries[tool.name]["query_parameters"]
        assert list(tool.parameters) == list(given)
        for parameter in tool.parameters.values():
            assert parameter.required is (given[parameter.name].get("required") is True)
            assert parameter.json_schema["type"] == given[parameter.name]["type"]
        assert tool.effect == ("read" if name == "executable" else "unknown")


def test_prices_stay_text_and_blanks_in_fields_are_read(data_dir: Path) -> None:
    printed = [line for row in _rows(data_dir, "glaive") for line in load_sequence(row).dump("pretty")]
    assert any('"$100-$200"' in line for line in printed)
    slots = [
        part
        for row in _rows(data_dir, "executable")
        for call in load_sequence(row).calls
        for source in call.arguments.values()
        for part in getattr(source, "parts", ())
        if isinstance(part, Reference)
    ]
    assert Reference(label="var1", path=("Exchange Rate",)) in slots


def test_the_shipped_travel_catalog_agrees_with_the_specification(data_dir: Path) -> None:
    travel = load_catalog(Path(__file__).resolve().parents[2] / "catalogs" / "travel.yaml")
    spec = load_catalog(data_dir / "nestful" / "executable-spec.json").by_name

    def bare(schema: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in schema.items() if key != "description"}

    for tool in travel:
        real = spec[tool.name]
        assert tool.description != real.description
        assert list(tool.parameters) == list(real.parameters)
        for name, parameter in tool.parameters.items():
            assert parameter.required == real.parameters[name].required
            assert bare(parameter.json_schema) == bare(real.parameters[name].json_schema)
        fields = {(field.path, field.type) for field in tool.output_fields}
        missing = {(field.path, field.type) for field in real.output_fields} - fields
        assert missing <= {(("date",), "integer")}
