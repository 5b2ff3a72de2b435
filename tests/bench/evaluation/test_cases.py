"""Files of cases: what a row may say, what is refused and where, and that what is written reads back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from declaring import NEEDED, TEXT, tool
from refract_asp import Catalog, Memory, Sequence
from refract_asp.bench.mutations import Open, mutate
from refract_asp.errors import FormatError, InputError, LimitError
from refract_asp.evaluation.cases import (
    MAX_LINE_BYTES,
    Broken,
    Case,
    Digests,
    read_cases,
    write_cases,
)

SEARCH = tool("Search", "read", {"id": TEXT}, query=NEEDED)
TOOLS = {"tools": [SEARCH, tool("Book", id=NEEDED)]}
WRONG, RIGHT = ["Serch(query=1)"], ["Search(query=1)"]
ROW: dict[str, Any] = {"catalog": TOOLS, "sequence": WRONG, "expected": RIGHT}


def lines(*rows: Any) -> str:
    return "\n".join(json.dumps(row) for row in rows) + "\n"


def one(**more: Any) -> Case:
    return next(read_cases([{**ROW, **more}]))


def test_a_row_needs_three_things() -> None:
    case = one()
    assert (case.id, case.kind, case.informed, case.memory) == ("1", "", True, None)
    assert (case.also, case.open, case.mutations, case.dials) == ((), (), (), {})
    assert not case.is_right


def test_a_row_may_say_more() -> None:
    case = one(
        schema_version=1,
        id="executable#12",
        also=[["Search(query=2)"], [{"name": "Search", "arguments": {"query": 3}}]],
        open=[{"call": 0, "parameters": ["query"]}],
        mutations=[
            {"kind": "tool_name", "what": "Search is now Serch", "call": 0, "variant": "misspelt"}
        ],
        informed=False,
        memory={"day": "2024-08-15"},
        dials={"tools": 2, "coupling": "chain", "likeness": 0.5, "odd": None},
        meta={"anything": [1]},
    )
    assert [str(each) for each in case.also] == ["Search(query=2)", "Search(query=3)"]
    assert case.open == (Open(0, frozenset({"query"})),)
    assert case.mutations == (Broken("tool_name", "Search is now Serch", 0, None, "misspelt"),)
    assert case.memory == Memory(values={"day": "2024-08-15"})
    assert case.dials["likeness"] == 0.5
    assert (case.kind, case.informed) == ("tool_name", False)


def test_the_kind_follows_from_what_was_broken() -> None:
    two = [{"kind": "tool_name"}, {"kind": "label"}]
    assert one(mutations=two).kind == "mix"
    assert one(mutations=two[:1] * 2).kind == "tool_name"
    assert one(sequence=ROW["expected"]).kind == "none"
    assert one(mutations=two, kind="mine").kind == "mine"


def test_catalogs_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "catalogs").mkdir()
    (tmp_path / "catalogs" / "c1.json").write_text(json.dumps(TOOLS), "utf-8")
    rows = [{**ROW, "catalog": name} for name in ("catalogs/c1.json", "catalogs/c1.json", "travel")]
    (tmp_path / "cases.jsonl").write_text(lines(*rows, {**ROW, "catalog": None}), "utf-8")
    first, second, shipped, default = read_cases(
        tmp_path / "cases.jsonl", {"tools": [{"name": "Only"}]}
    )
    assert first.catalog is second.catalog
    assert shipped.catalog_name == "travel"
    assert list(default.catalog.by_name) == ["Only"]


def test_ids_are_the_numbers_of_lines(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("\n" + lines(ROW) + "\n" + lines(ROW), "utf-8")
    assert [(case.id, case.place) for case in read_cases(file)] == [
        ("2", f"{file}:2"),
        ("4", f"{file}:4"),
    ]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([1], "a case is an object"),
        ("Search(query=1)", "a case is an object"),
        ({"catalog": TOOLS, "sequence": []}, "the case has no 'expected'"),
        ({"expected": [], "catalog": TOOLS}, "the case has no 'sequence'"),
        ({"sequence": [], "expected": []}, "the case has no 'catalog'"),
        ({**ROW, "catalog": "no-such"}, "cases.jsonl:2: catalog: there is no catalog 'no-such'"),
        ({**ROW, "catalog": "../outside.json"}, "cases.jsonl:2: catalog: there is no catalog"),
        ({**ROW, "catalog": "/etc/passwd"}, "cases.jsonl:2: catalog: there is no catalog"),
        ({**ROW, "catalog": 7}, "cases.jsonl:2: catalog"),
        (
            {**ROW, "expcted": 1},
            "cases.jsonl:2: expcted: extra inputs are not permitted. A case has id, catalog",
        ),
        ({**ROW, "schema_version": 2}, "schema_version: input should be 1"),
        ({**ROW, "sequence": 3}, "cases.jsonl:2: sequence"),
        ({**ROW, "also": "Search()"}, "cases.jsonl:2: also: a list of at most 100 is needed"),
        ({**ROW, "also": [{"a": 1}]}, "cases.jsonl:2: also[0]"),
        ({**ROW, "also": [[]] * 101}, "also: a list of at most 100"),
        ({**ROW, "open": [3]}, "cases.jsonl:2: open[0]: "),
        (
            {**ROW, "open": [{"call": True, "parameters": []}]},
            "open[0].call: input should be a valid integer",
        ),
        (
            {**ROW, "open": [{"call": 0, "parameters": [1]}]},
            "open[0].parameters[0]: input should be",
        ),
        (
            {**ROW, "open": [{"call": 9, "parameters": []}]},
            "open names call 9, and expected has 1 calls",
        ),
        ({**ROW, "mutations": [{"kind": 1}]}, "mutations[0].kind: input should be a valid string"),
        (
            {**ROW, "mutations": [{"kind": "x", "call": "1"}]},
            "mutations[0].call: input should be a valid integer",
        ),
        ({**ROW, "kind": ["x"]}, "cases.jsonl:2: kind: input should be a valid string"),
        (
            {**ROW, "kind": "x" * 201},
            "cases.jsonl:2: kind: string should have at most 200 characters",
        ),
        ({**ROW, "id": "x" * 201}, "cases.jsonl:2: id: the text is longer than 200"),
        ({**ROW, "id": {}}, "cases.jsonl:2: id"),
        ({**ROW, "id": "first"}, "the id 'first' is used twice"),
        ({**ROW, "informed": 1}, "cases.jsonl:2: informed: input should be a valid boolean"),
        ({**ROW, "memory": []}, "cases.jsonl:2: memory: an object is needed"),
        ({**ROW, "dials": []}, "cases.jsonl:2: dials: input should be an object"),
        ({**ROW, "dials": {"tools": [1]}}, "cases.jsonl:2: dials.tools"),
        (
            {**ROW, "dials": {str(n): n for n in range(51)}},
            "dials: dictionary should have at most 50 items",
        ),
    ],
)
def test_what_is_refused_names_its_line(row: Any, said: str, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(lines({**ROW, "id": "first"}, row), "utf-8")
    (tmp_path.parent / "outside.json").write_text(json.dumps(TOOLS), "utf-8")
    reading = read_cases(file)
    assert next(reading).id == "first"
    with pytest.raises(InputError) as caught:
        next(reading)
    assert f"{file}:2" in str(caught.value)
    assert said in str(caught.value)


def test_what_is_no_json_names_its_line(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(lines({**ROW, "id": "first"}) + '{"sequence": \n', "utf-8")
    with pytest.raises(FormatError, match=r"cases\.jsonl:2"):
        list(read_cases(file))


def test_a_long_line_is_refused_and_the_next_read(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(lines({**ROW, "meta": {"x": "y" * MAX_LINE_BYTES}}, ROW), "utf-8")
    mistakes: list[InputError] = []
    assert [case.id for case in read_cases(file, mistakes=mistakes.append)] == ["2"]
    assert [type(each) for each in mistakes] == [LimitError]
    assert "cases.jsonl:1" in str(mistakes[0])


def test_mistakes_are_passed_over_where_somebody_hears_them() -> None:
    mistakes: list[InputError] = []
    found = list(read_cases([ROW, {**ROW, "sequence": None}, ROW], mistakes=mistakes.append))
    assert [case.id for case in found] == ["1", "3"]
    assert len(mistakes) == 1


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    catalog = Catalog.load(TOOLS)
    gold = Sequence.load('a = Search(query="Rome")\nBook(id="$a.id$")')
    mutations = [
        mutate(gold, catalog, kind, "0") for kind in ("tool_name", "missing_step", "lost_constant")
    ]
    more: Any = {"dials": {"tools": 2}, "memory": Memory(values={"x": 1})}
    given = [Case.of(each, catalog, each.kind, **more) for each in mutations if each is not None]
    assert len(given) == 3
    given += list(
        read_cases([{**ROW, "id": "shipped", "catalog": "travel", "also": [["Search(query=2)"]]}])
    )
    returning = [
        {"name": "A", "arguments": {}, "label": "l"},
        {"name": "var_result", "arguments": {"r": "$l.x$"}},
    ]
    unread = [{"id": "c1", "type": "function", "function": {"name": "A", "arguments": "{bad"}}]
    for name, calls in (("returning", returning), ("unread", unread)):
        given += list(read_cases([{**ROW, "id": name, "catalog": "travel", "sequence": calls}]))
    assert write_cases(tmp_path / "cases.jsonl", iter(given)) == len(given)
    assert len(list((tmp_path / "catalogs").iterdir())) == 1
    back = list(read_cases(tmp_path / "cases.jsonl"))
    digests = Digests()
    assert [digests.case(case) for case in back] == [digests.case(case) for case in given]
    for before, after in zip(given, back, strict=True):
        assert after.catalog.dump("native")["tools"] == before.catalog.dump("native")["tools"]
        own = {
            "catalog": before.catalog,
            "catalog_name": before.catalog_name,
            "place": before.place,
        }
        assert replace(after, **own) == before


def test_nothing_is_left_of_a_file_that_was_not_finished(tmp_path: Path) -> None:
    def cases() -> Any:
        yield one()
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_cases(tmp_path / "cases.jsonl", cases())
    assert list(tmp_path.iterdir()) == []


def test_a_catalog_may_stand_in_its_row(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases.jsonl", [one()], folder="")
    assert [path.name for path in tmp_path.iterdir()] == ["cases.jsonl"]
    assert next(read_cases(tmp_path / "cases.jsonl")).catalog.by_name.keys() == {"Search", "Book"}
