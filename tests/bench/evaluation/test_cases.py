"""Files of cases: what a row may say, what is refused and where, and that what is written reads back."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from declaring import NEEDED, TEXT, called, tool
from refract_asp import Catalog, Memory, Sequence
from refract_asp.bench.mutations import mutate
from refract_asp.bench.mutations.mutation import Open
from refract_asp.errors import InputError, LimitError
from refract_asp.evaluation.cases import Broken, Case, Digests, read_cases, write_cases
from refract_asp.formats.examples import MAX_LINE_BYTES
from yaml_files import read_yaml

SEARCH = tool("Search", "read", {"id": TEXT}, query=NEEDED)
TOOLS = {"tools": [SEARCH, tool("Book", id=NEEDED)]}
WRONG, RIGHT = ["Serch(query=1)"], ["Search(query=1)"]
ROW: dict[str, Any] = {"catalog": TOOLS, "sequence": WRONG, "expected": RIGHT}


def lines(*rows: Any) -> str:
    return "\n".join(json.dumps(row) for row in rows) + "\n"


def one(**more: Any) -> Case:
    return next(read_cases([{**ROW, **more}]))


def test_a_row_may_say_more() -> None:
    case = one(
        schema_version=1,
        id="executable#12",
        also=[["Search(query=2)"], [{"name": "Search", "arguments": {"query": 3}}]],
        open=[{"call": 0, "parameters": ["query"]}],
        mutations=[{"kind": "tool_name", "what": "so", "call": 0, "variant": "misspelt"}],
        informed=False,
        memory={"day": "2024-08-15"},
        dials={"tools": 2, "coupling": "chain", "likeness": 0.5, "odd": None},
        meta={"anything": [1]},
    )
    assert [str(each) for each in case.also] == ["Search(query=2)", "Search(query=3)"]
    assert case.open == (Open(0, frozenset({"query"})),)
    assert case.mutations == (Broken("tool_name", "so", 0, None, "misspelt"),)
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
    only = {"tools": [{"name": "Only"}]}
    first, second, shipped, default = read_cases(tmp_path / "cases.jsonl", only)
    assert first.catalog is second.catalog
    assert shipped.catalog_name == "travel"
    assert list(default.catalog.by_name) == ["Only"]


def test_ids_are_the_numbers_of_lines(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("\n" + lines(ROW) + "\n" + lines(ROW), "utf-8")
    found = [(case.id, case.place) for case in read_cases(file)]
    assert found == [("2", f"{file}:2"), ("4", f"{file}:4")]


MANY = [f"dial {number}" for number in range(51)]
LONG: list[dict[str, Any]] = [
    {"said": "also: a list of at most 100", "more": {"also": [[]] * 101}},
    {"said": "kind: string should have at most 200 characters", "more": {"kind": "x" * 201}},
    {"said": "id: the text is longer than 200", "more": {"id": "x" * 201}},
    {"said": "dials: dictionary should have at most 50", "more": {"dials": dict.fromkeys(MANY)}},
]
REFUSED = read_yaml(Path(__file__).with_name("refused_cases.yaml"))


@pytest.mark.parametrize("refused", [*REFUSED, *LONG], ids=lambda each: each["said"])
def test_what_is_refused_names_its_line(refused: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    row = refused["row"] if "row" in refused else {**ROW, **refused["more"]}
    file.write_text(lines({**ROW, "id": "first"}, row), "utf-8")
    (tmp_path.parent / "outside.json").write_text(json.dumps(TOOLS), "utf-8")
    reading = read_cases(file)
    assert next(reading).id == "first"
    with pytest.raises(InputError) as caught:
        next(reading)
    assert f"{file}:2" in str(caught.value)
    assert refused["said"] in str(caught.value)


def test_a_long_line_is_refused_and_the_next_read(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(lines({**ROW, "meta": {"x": "y" * MAX_LINE_BYTES}}, ROW), "utf-8")
    mistakes: list[InputError] = []
    assert [case.id for case in read_cases(file, mistakes=mistakes.append)] == ["2"]
    assert [type(each) for each in mistakes] == [LimitError]
    assert "cases.jsonl:1" in str(mistakes[0])


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    catalog = Catalog.load(TOOLS)
    gold = Sequence.load('a = Search(query="Rome")\nBook(id="$a.id$")')
    kinds = ("tool_name", "missing_step", "lost_constant")
    mutations = [mutate(gold, catalog, kind, "0") for kind in kinds]
    more: Any = {"dials": {"tools": 2}, "memory": Memory(values={"x": 1})}
    given = [Case.of(each, catalog, each.kind, **more) for each in mutations if each is not None]
    assert len(given) == 3
    shipped = {**ROW, "id": "shipped", "catalog": "travel", "also": [["Search(query=2)"]]}
    given += list(read_cases([shipped]))
    returning = ["l = A()", 'return {"r": "$l.x$"}']
    for name, calls in (("returning", returning), ("unread", [called("A", "{bad")])):
        given += list(read_cases([{**ROW, "id": name, "catalog": "travel", "sequence": calls}]))
    assert write_cases(tmp_path / "cases.jsonl", iter(given)) == len(given)
    assert len(list((tmp_path / "catalogs").iterdir())) == 1
    back = list(read_cases(tmp_path / "cases.jsonl"))
    digests = Digests()
    assert [digests.case(case) for case in back] == [digests.case(case) for case in given]
    for before, after in zip(given, back, strict=True):
        assert after.catalog.dump("native")["tools"] == before.catalog.dump("native")["tools"]
        own = {name: getattr(before, name) for name in ("catalog", "catalog_name", "place")}
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
