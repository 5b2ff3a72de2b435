"""Data sets: what is read, one by one, and what is said of what cannot be read."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from declaring import called
from refract_asp import Catalog, Goal, Sequence
from refract_asp.errors import FormatError, InputError, LimitError
from refract_asp.evaluation.cases import Case, case_row
from refract_asp.formats.examples import MAX_LINE_BYTES, count_examples, load_examples
from refract_asp.model.example import Example
from yaml_files import tables

from .made import within
from .test_format_cases import rows

CALLS = 'var1 = Search(query="London")'
NESTFUL = [{"name": "Search", "arguments": {"query": "London"}, "label": "var1"}]
OPENAI = {"tool_calls": [called("Search", '{"query": "London"}')]}
TOOLS = {"tools": [{"name": "Search", "parameters": {"query": {"type": "string"}}}]}
FULL: dict[str, Any] = tables(__file__)["full"]


def one(data: Any) -> Example:
    (example,) = load_examples(data)
    return example


def written(folder: Path, name: str, *lines: Any) -> Path:
    path = folder / name
    texts = (x if isinstance(x, str) else json.dumps(x) for x in lines)
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


def test_beside_messages_stands_what_is_known_of_them() -> None:
    known = {"id": 7, "model": "small", "created": 1735689600, "session_id": "s"}
    found = one({"messages": [{"role": "assistant", **OPENAI}], **known})
    assert len(found.sequence.calls) == 1
    assert found.id == "7"
    time = "2025-01-01T00:00:00.000+00:00"
    assert found.meta == {"model": "small", "time": time, "session": "s", "trace": "s"}
    call = OPENAI["tool_calls"][0]  # the id of a call is none of a record
    assert one(call).id is None


def test_what_only_cases_have_is_kept_as_meta() -> None:
    case = Case("a", Sequence.load(CALLS), Catalog.load(TOOLS), Sequence.load(CALLS), kind="label")
    example = one(case_row(case))
    assert (example.sequence, example.expected) == (case.sequence, case.expected)
    assert (example.id, example.meta) == ("a", {"kind": "label", "informed": True})
    with pytest.raises(FormatError, match="an example has no key 'kind'"):
        one({"sequence": CALLS, "kind": "label"})


def test_all_that_an_example_may_hold() -> None:
    example = one(FULL)
    assert example.sequence == example.expected == example.history == Sequence.load(CALLS)
    assert list(example.catalog.by_name) == ["Search"]
    assert example.memory.values == {"day": 3}
    assert [mapping.source for mapping in example.mappings] == ["id"]
    assert (example.goals, example.id, example.name) == ((Goal.tool("Search"),), "7", "7")
    assert example.meta == {"source": "x"}


def test_what_may_be_absent() -> None:
    absent = dict.fromkeys(("expected", "memory", "catalog", "id"))
    assert one({"sequence": CALLS, **absent}) == Example(sequence=Sequence.load(CALLS))


@pytest.mark.parametrize("calls", [CALLS, [CALLS], NESTFUL, {"output": NESTFUL}, OPENAI])
def test_sequences_in_any_format(calls: Any, tmp_path: Path) -> None:
    path = written(tmp_path, "data.jsonl", {"sequence": calls}, {"sequence": calls})
    first, second = load_examples(path)
    assert first.sequence.calls[0].name == second.sequence.calls[0].name == "Search"
    assert (first.place, second.name) == (f"{path}:1", f"{path}:2")


@pytest.mark.parametrize("name", ["data.jsonl", "data.ndjson", "data.json", "data.txt"])
def test_lines_are_found_whatever_the_name(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, name, {"sequence": CALLS}, "", {"sequence": CALLS}, "")
    assert [example.place for example in load_examples(path)] == [f"{path}:1", f"{path}:3"]
    assert count_examples(path) == 2


def test_a_list_of_examples_and_one(tmp_path: Path) -> None:
    many = written(tmp_path, "many.json", [{"sequence": CALLS}, {"output": NESTFUL, "input": "?"}])
    assert [example.place for example in load_examples(many)] == [f"{many}: [0]", f"{many}: [1]"]
    assert (count_examples(many), count_examples([FULL, FULL, FULL])) == (2, 3)
    single = written(tmp_path, "one.json", json.dumps(FULL, indent=2))
    assert one(single).name == "7"


FILES = (CALLS, f"# note\n{CALLS}\n", json.dumps(NESTFUL), json.dumps(OPENAI, indent=1))


@pytest.mark.parametrize("text", [*FILES, '[Search(query="L")]'])
def test_a_file_with_one_sequence(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, "calls", text)
    assert [call.name for call in one(path).sequence.calls] == ["Search"]
    assert (one(path).place, one(text).place, count_examples(path)) == (str(path), "<text>", 1)


def test_rows_of_a_data_set_are_its_sequences(tmp_path: Path) -> None:
    rows = [{"input": "?", "output": json.dumps(NESTFUL)}] * 3
    for path in (written(tmp_path, "rows.json", rows), written(tmp_path, "rows.jsonl", *rows)):
        assert [example.sequence.calls[0].name for example in load_examples(path)] == ["Search"] * 3


def test_what_is_there_already() -> None:
    def stream() -> Iterator[Any]:
        yield Sequence.load(CALLS)
        yield {"sequence": CALLS}
        yield Example(sequence=Sequence.load(CALLS), place="mine")

    assert [example.place for example in load_examples(stream())] == ["[0]", "[1]", "mine"]
    assert count_examples(stream()) is None
    assert [len(example.sequence.calls) for example in load_examples([NESTFUL, NESTFUL])] == [1, 1]
    assert [len(example.sequence.calls) for example in load_examples(NESTFUL * 2)] == [2]
    assert list(load_examples([])) == []


def test_lines_are_read_one_at_a_time(tmp_path: Path) -> None:
    path = written(tmp_path, "data.jsonl", {"sequence": CALLS}, {"sequence": CALLS}, "{ not JSON")
    stream = load_examples(path)
    assert next(stream).place.endswith(":1")
    assert next(stream).place.endswith(":2")
    with pytest.raises(FormatError, match=r":3:3: not valid JSON"):
        next(stream)


BAD_LINES = [(row["line"], row["error"]) for row in rows("bad_lines")]


@pytest.mark.parametrize(("line", "what"), [*BAD_LINES, ("[" * 100_000, "nested deeper than 64")])
def test_a_bad_line_is_told(tmp_path: Path, line: str, what: str) -> None:
    (tmp_path / "up.yaml").write_text(json.dumps(TOOLS), encoding="utf-8")
    folder = tmp_path / "inside"
    folder.mkdir()
    path = written(folder, "data.jsonl", {"sequence": CALLS}, line, {"sequence": CALLS})
    with pytest.raises(InputError, match=what) as caught:
        list(load_examples(path))
    assert "\n" not in str(caught.value)
    assert str(caught.value).isprintable()
    told: list[InputError] = []
    read = list(load_examples(path, mistakes=told.append))
    assert [example.place[-1] for example in read] == ["1", "3"]
    assert [str(each) for each in told] == [str(caught.value)]


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"sequence": "A()"}\r\n{"sequence": "\xff"}\n')
    told: list[InputError] = []
    read = list(load_examples(path, mistakes=told.append))
    assert [str(example.sequence) for example in read] == ["A()"]
    assert "data.jsonl:2: this is not UTF-8 text (line 1, byte 14)" in str(told[0])


def test_a_line_without_end(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    endless = b"x" * (2 * MAX_LINE_BYTES + 5)
    path.write_bytes(b'{"sequence": "A()"}\n"' + endless + b'"\n{"sequence": "B()"}\n')
    told: list[InputError] = []
    read = list(load_examples(path, mistakes=told.append))
    assert [example.place[-1] for example in read] == ["1", "3"]
    assert isinstance(told[0], LimitError)
    assert count_examples(path) == 3


def test_no_file_and_data_of_another_kind(tmp_path: Path) -> None:
    for name in ("missing.jsonl", "missing.json", "."):
        with pytest.raises(FormatError):
            list(load_examples(tmp_path / name))
    with pytest.raises(FormatError, match="examples are needed"):
        list(load_examples(7))


def test_catalogs_by_name_and_beside_the_data(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(json.dumps(TOOLS), encoding="utf-8")
    named = ("travel", "mine.yaml", "travel", TOOLS, TOOLS)
    lines = [{"sequence": CALLS, "catalog": name} for name in named]
    path = written(tmp_path, "data.jsonl", *lines)
    catalogs = [example.catalog for example in load_examples(path)]
    assert catalogs[0] is catalogs[2] is not None
    assert catalogs[3] is catalogs[4] is not None
    assert list(catalogs[1].by_name) == ["Search"]
    with pytest.raises(FormatError, match="there is no catalog"):
        one({"sequence": CALLS, "catalog": "mine.yaml"})


LEAVES = st.none() | st.booleans() | st.integers() | st.floats()
KEYS = st.sampled_from(["output", "name", "arguments", "label", *FULL])
JSON = within(LEAVES | st.sampled_from([CALLS, "travel", "A(", ""]), KEYS, 12)


@given(st.lists(JSON | st.text(), max_size=4))
@settings(max_examples=examples(300), derandomize=True, database=None)
def test_whatever_is_in_a_line_it_is_read_or_told(lines: list[Any]) -> None:
    """Lines that can be read are read, the others are told, and none is lost."""
    text = "\n".join(["{}", "{}", *(x if isinstance(x, str) else json.dumps(x) for x in lines)])
    told: list[InputError] = []
    read = list(load_examples(text, mistakes=told.append))
    assert len(read) + len(told) == count_examples(text)
    assert all(isinstance(example, Example) and example.place for example in read)
    assert all("<text>" in str(error) for error in told)
    for entry in lines:
        told.clear()
        assert len(list(load_examples(iter([entry]), mistakes=told.append))) + len(told) == 1
