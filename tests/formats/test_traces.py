"""Records of agents as data sets: what is read from them, and what is never taken for a call."""

import json
import tracemalloc
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refract_asp import Catalog, Sequence
from refract_asp.errors import InputError
from refract_asp.formats.traces import KINDS, trace_entries

from .made import within
from .test_format_cases import rows

ROWS = rows("traces")


def calls(data: Any) -> list[str]:
    """Return calls as a person writes them; one whose arguments cannot be read with what was written."""
    found: list[str] = []
    for entry in data:
        sequence = Sequence.load([entry])
        if sequence.calls[0].malformed is None:
            found += sequence.dump("pretty")
        else:
            found.append("{name}: {arguments}".format(**entry["function"]))
    return found


def told(entry: Any) -> Any:
    """Return what an entry stands for."""
    if isinstance(entry, InputError):
        return entry.what
    given = entry["sequence"] if isinstance(entry, dict) else json.dumps(entry)
    return given if isinstance(given, str) else calls(given)


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
@pytest.mark.parametrize("kind", ["auto", "own"])
def test_records_are_read(row: dict[str, Any], kind: str) -> None:
    kind = row.get("kind", "jsonl") if kind == "own" else "auto"
    if kind == "auto" and row["name"] == "records of another tool":
        return
    text = "\n".join(x if isinstance(x, str) else json.dumps(x) for x in row["lines"])
    found = [entry for _, entry in trace_entries(text, kind)]
    assert len(found) == len(row["turns"]), found
    for entry, wanted in zip(found, row["turns"], strict=True):
        said = told(entry)
        assert said == wanted or (isinstance(wanted, str) and said.startswith(wanted))
    if "traces" in row:
        assert [told(entry) for _, entry in trace_entries(text, kind, "trace")] == row["traces"]
    if "ids" in row:
        assert [entry["id"] for entry in found] == row["ids"]
    for entry, wanted in ((found[:1], row), (found[-1:], row.get("last", {}))):
        for key in wanted.keys() & {"meta", "memory"}:
            assert entry[0].get(key) == wanted[key]
        if "history" in wanted:
            assert calls(entry[0]["history"]) == wanted["history"]
        if "tools" in wanted:
            assert list(Catalog.load(entry[0]["catalog"]).by_name) == wanted["tools"]


def test_every_kind_is_tried() -> None:
    assert {row["kind"] for row in ROWS if "kind" in row} | {"auto", "jsonl"} == set(KINDS)


CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}
LINE = json.dumps(CALL)


TEXTS: list[tuple[str, list[Any]]] = [
    (f"[{LINE[:-9]}", ["this is not JSON"]),
    (f"{LINE}\n{LINE[:-9]}", [["f()"], "not valid JSON"]),
    (f'[{{"choices": [{{"message": {LINE}}}]}}, {{"choices": [', [["f()"], "this is not JSON"]),
    (json.dumps({"data": [{"output": CALL}, {"output": CALL}]}, indent=2), [["f()"], ["f()"]]),
    (f"{json.dumps(CALL, indent=1)}\n{json.dumps(CALL, indent=1)}", [["f()"], ["f()"]]),
    ('{"output": ' * 90_000, ["this is not JSON"]),
    ('{"x": ' * 400 + LINE + "}" * 400, ["the text under x should be JSON"]),
    ("just words", ["this is not JSON"]),
]


@pytest.mark.parametrize(("text", "wanted"), TEXTS)
def test_files_that_are_broken_or_printed_with_care(text: str, wanted: list[Any]) -> None:
    found = [told(entry) for _, entry in trace_entries(text)]
    assert len(found) == len(wanted)
    for said, each in zip(found, wanted, strict=True):
        assert said == each or (isinstance(each, str) and said.startswith(each))


def test_a_log_of_inspect_may_be_an_archive(tmp_path: Path) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": {"n": 1}}}
    sample = {"id": 7, "messages": [{"role": "assistant", "tool_calls": [call]}]}
    held = {
        "_journal/start.json": json.dumps({"eval": {"model": "large"}}),
        "samples/7_epoch_1.json": json.dumps(sample),
        "samples/8_epoch_1.json": "{",
        "summaries.json": json.dumps([sample]),
        "header.json": json.dumps({"eval": {"model": "large"}, "samples": [sample]}),
    }
    log = tmp_path / "log.eval"
    with ZipFile(log, "w", ZIP_DEFLATED) as archive:
        for name, text in held.items():
            archive.writestr(name, text)
    (place, entry), (_, error) = trace_entries(log, "inspect", name="log")
    assert place == "log: samples/7_epoch_1.json: samples[0]"
    assert (calls(entry["sequence"]), entry["meta"]["model"]) == (["f(n=1)"], "large")
    assert "samples/8_epoch_1.json" in str(error)
    assert isinstance(error, InputError)
    log.write_bytes(log.read_bytes()[:200])
    with pytest.raises(InputError, match="inspect log dump"):
        list(trace_entries(log))


@pytest.mark.parametrize("form", [("[", ",\n ", "]"), ("", "\n", "")])
def test_a_long_export_is_read_as_it_comes(tmp_path: Path, form: tuple[str, str, str]) -> None:
    begin, between, end = form
    record = json.dumps({"output": CALL, "input": "x" * 50_000})
    path = tmp_path / "export.json"
    path.write_text(begin + between.join([record] * 400) + end, "utf-8")
    tracemalloc.start()
    assert sum(1 for _ in trace_entries(path)) == 400
    assert tracemalloc.get_traced_memory()[1] < path.stat().st_size / 2
    tracemalloc.stop()


KEYS = [
    *("role", "content", "tool_calls", "function", "name", "arguments", "id", "type", "input"),
    *("output", "attributes", "gen_ai.tool.name", "messages", "tools", "parts", "spans"),
    *("run_type", "inputs", "0"),
]
LEAVES = st.none() | st.integers() | st.sampled_from(["", "f", "{}", '[{"', "assistant", "TOOL"])
JSON = within(LEAVES, st.sampled_from(KEYS), 20)


@given(JSON)
def test_no_record_stops_the_others(record: Any) -> None:
    text = "\n".join(json.dumps(each) for each in (record, {"output": CALL}))
    for entries in (trace_entries(text), trace_entries(text, per="trace")):
        assert ["f()"] in [told(entry) for _, entry in entries]
