"""The NESTFUL data sets, whole, and the catalogs of other formats."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from growth import assert_linear, lines_run
from refract_asp.formats import dump_catalog, load_catalog, load_sequence
from refract_asp.formats.examples import count_examples
from refract_asp.model import Sequence

from .made import same

pytestmark = pytest.mark.data


@pytest.mark.parametrize(("name", "count"), [("executable", 85), ("glaive", 169)])
def test_every_gold_sequence_reads_and_prints_back(data_dir: Path, name: str, count: int) -> None:
    path = data_dir / "nestful" / f"{name}-data.json"
    rows = json.loads(path.read_text("utf-8"))
    assert len(rows) == count_examples(path) == count
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


def test_every_openapi_document_loads(data_dir: Path) -> None:
    paths = sorted((data_dir / "openapi").glob("*.json"))
    assert len(paths) == 39
    for path in paths:
        catalog = load_catalog(path)
        assert catalog.format == "openapi"
        document = json.loads(path.read_text(encoding="utf-8"))
        parts = [part for item in document["paths"].values() for part in item.items()]
        operations = [part for part in parts if part[0] != "parameters"]
        assert len(catalog) == len(operations)
        for tool, (method, operation) in zip(catalog, operations, strict=True):
            assert tool.name == operation["operationId"]
            assert (tool.effect == "read") is (method in ("get", "head", "options"))


def _parts(value: Any) -> int:
    """Return how many values a document has."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_parts, inner))


@pytest.mark.parametrize(("name", "count"), [("kubeappsapi", 77), ("kubecoreapi", 245)])
def test_large_documents_share_their_definitions(data_dir: Path, name: str, count: int) -> None:
    path = data_dir / "openapi" / f"{name}.json"
    catalog = load_catalog(path)
    parts = _parts(json.loads(path.read_text("utf-8")))
    # none of the definitions is read for each tool that refers to it
    assert lines_run(lambda: load_catalog(path, cache=False)) < 50 * parts
    assert len(catalog) == count
    assert {tool.effect for tool in catalog} == {"read", "write", "destructive"}
    definitions: dict[str, int] = {}
    for tool in catalog:
        for schema in (tool.input_schema, tool.output_schema):
            for key, inner in (schema or {}).get("$defs", {}).items():
                assert definitions.setdefault(key, id(inner)) == id(inner)
    create = next(tool for tool in catalog if "spec" in tool.parameters and tool.effect == "write")
    assert "metadata" in create.parameters
    assert create.returns_path(("metadata", "ownerReferences", 0, "uid"))
    assert not create.returns_path(("metadata", "ownerReference"))
    back = load_catalog(json.dumps(catalog.dump("mcp")))
    assert [tool.parameters for tool in back] == [tool.parameters for tool in catalog]
    assert [tool.output_schema for tool in back] == [tool.output_schema for tool in catalog]


def test_the_tools_of_an_mcp_server(data_dir: Path) -> None:
    path = data_dir / "mcp" / "github-mcp-server.tools_list.json"
    catalog = load_catalog(path)
    assert (len(catalog), catalog.format) == (117, "mcp")
    assert Counter(tool.effect for tool in catalog) == {"read": 58, "write": 24, "destructive": 35}
    listed = json.loads(path.read_text("utf-8"))["result"]["tools"]
    schemas = {tool["name"]: tool["inputSchema"] for tool in listed}
    for tool in catalog:
        schema = schemas[tool.name]
        assert list(tool.parameters) == list(schema["properties"])
        assert [p.name for p in tool.parameters.values() if p.required] == [
            name for name in tool.parameters if name in schema.get("required", [])
        ]
    for format in ("mcp", "native"):
        assert load_catalog(catalog.dump(format)).tools == catalog.tools
    for format in ("openai", "anthropic", "gemini"):
        back = load_catalog(catalog.dump(format))
        assert [tool.parameters for tool in back] == [tool.parameters for tool in catalog]


def test_thousands_of_tools_load_one_by_one(data_dir: Path) -> None:
    path = data_dir / "seal_tools" / "tool.jsonl"
    rows = path.read_text("utf-8").splitlines(keepends=True)
    assert_linear(lambda count: load_catalog("".join(rows[:count])), 100)
    catalog = load_catalog(path)
    assert (len(catalog), catalog.format, catalog.name) == (4076, "seal", "tool")
    assert all(tool.output_schema for tool in catalog)
    assert load_catalog(catalog.dump()).tools == catalog.tools


def test_the_libraries_of_the_synthetic_benchmark(data_dir: Path) -> None:
    path = data_dir / "api_use" / "libraries.json"
    catalog = load_catalog(path)
    libraries = json.loads(path.read_text("utf-8"))
    names = [f"{each['id']}.{made['name']}" for each in libraries for made in each["functions"]]
    assert [tool.name for tool in catalog] == names
    assert not any("|" in tool.description for tool in catalog)
    atom = catalog.by_name["molecule.get_atom_with_atomic_num"]
    assert list(atom.parameters) == ["molecule", "atomic_num"]
    assert atom.output_schema == catalog.by_name["atom.get_affinity"].parameters["atom"].json_schema
