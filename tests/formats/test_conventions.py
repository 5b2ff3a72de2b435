"""Conventions in which catalogs are written: each means the same in every format."""

from typing import Any

import pytest

from declaring import called
from refract_asp import Refractor, Sequence
from refract_asp.formats import catalog_mistakes, load_catalog
from refract_asp.rules.index import broken_schemas
from yaml_files import tables

from .made import BOOKING, booking
from .test_format_cases import rows

TABLES = tables(__file__)

WRITTEN = ("native", "openai", "anthropic", "gemini", "mcp", "nestful")
CONVENTIONS = rows("conventions")
GOOD = {"other": 5}


def holding(format: str, schema: Any) -> Any:
    """Return a catalog of one tool whose parameter `p` has a schema, beside one that has to be given."""
    return booking(format, {"p": schema, "other": {"type": "integer"}}, "other", {})


def wrong(catalog: Refractor, given: list[dict[str, Any]]) -> list[int]:
    """Return which of these arguments of one call each are wrong, by number."""
    report = catalog.check([{"name": "book", "arguments": arguments} for arguments in given])
    return sorted({violation.call for violation in report.violations})


@pytest.mark.parametrize("format", BOOKING)
@pytest.mark.parametrize("row", CONVENTIONS, ids=lambda row: row["says"])
def test_a_convention_means_the_same_in_every_format(row: dict[str, Any], format: str) -> None:
    catalog, mistakes = catalog_mistakes(holding(format, row["schema"]))
    assert (catalog.format, mistakes, list(broken_schemas(catalog))) == (format, (), [])
    read = [catalog]
    if format == "openai":  # the others have read the same
        read += [load_catalog(catalog.dump(each)) for each in WRITTEN]
    right = [GOOD, *({**GOOD, "p": value} for value in row["fits"])]
    faulty = [{"p": row["fits"][0]}, *({**GOOD, "p": value} for value in row.get("fails", ()))]
    for each in map(Refractor, read):
        assert wrong(each, right + faulty) == list(range(len(right), len(right + faulty)))
    told = [str(note) for note in catalog.notes if note.tool == "book"]
    if "note" in row:
        assert row["note"] in " ".join(told)
    else:
        assert row.get("moves") or not told


@pytest.mark.parametrize("format", BOOKING)
@pytest.mark.parametrize("schema", TABLES["what cannot be read"], ids=str)
def test_what_cannot_be_read_concerns_the_calls_that_pass_it(schema: Any, format: str) -> None:
    catalog = load_catalog(holding(format, schema))
    refractor = Refractor(catalog)
    assert wrong(refractor, [GOOD, {"other": "x"}]) == [1]
    assert [(tool, name) for tool, name, _ in broken_schemas(catalog)] == [("book", "p")]
    report = refractor.check([{"name": "book", "arguments": {**GOOD, "p": "a"}}])
    assert [violation.code for violation in report.violations] == ["broken_schema"]


def test_strict_schemas_require_nothing_that_has_a_default() -> None:
    fields = {"city": {"type": "string"}, "days": {"type": "integer", "default": 1}}
    schema = {"type": "object", "properties": fields, "required": ["city", "days"]}
    function = {"name": "forecast", "parameters": schema}
    call = [{"name": "forecast", "arguments": {"city": "Rome"}}]
    for strict, verdict in ((True, "valid"), (False, "invalid")):
        catalog = load_catalog([{"type": "function", "function": {**function, "strict": strict}}])
        assert Refractor(catalog).check(call).verdict == verdict
        assert len(catalog.notes) == strict


def test_what_is_not_judged_is_noted_where_it_would_have_been() -> None:
    catalog = load_catalog(holding("openai", {"type": "integer", "enum": ["low", "high"]}))
    for arguments, notes in ((GOOD, 0), ({**GOOD, "p": "low"}, 1)):
        report = Refractor(catalog).check([{"name": "book", "arguments": arguments}])
        assert (report.verdict, len(report.notes)) == ("valid", notes)


@pytest.mark.parametrize(("written", "verdict"), TABLES["numbers in texts may be a note"])
def test_numbers_in_texts_may_be_a_note(written: str, verdict: str) -> None:
    items = {"type": "integer", "not": {"const": 0}}
    catalog = load_catalog(holding("mcp", {"type": "array", "items": items}))
    call = [{"name": "book", "arguments": {**GOOD, "p": [written]}}]
    assert Refractor(catalog).check(call).verdict == "invalid"
    report = Refractor(catalog, lenient="scalars").check(call)
    assert report.verdict == verdict
    assert len(report.notes) == (verdict == "valid")
    result = Refractor(catalog, lenient="scalars").repair(call)
    assert verdict == "invalid" or result.sequence.dump() == Sequence.load(call).dump()


NAMES = ["issues/create", "issues/list", "issues_list", "pets.show", "x" * 70]


@pytest.mark.parametrize("format", ["openai", "anthropic", "gemini"])
def test_names_that_a_provider_refuses_are_written_as_it_takes_them(format: str) -> None:
    catalog = load_catalog({"tools": [{"name": name, "effect": "destructive"} for name in NAMES]})
    written = [tool.name for tool in load_catalog(catalog.dump(format))]
    assert written[:4] == ["issues_create", "issues_list_2", "issues_list", "pets_show"]
    assert max(map(len, written)) <= 64
    for own, name in zip(NAMES, written, strict=True):
        data = {"tool_calls": [called(name, "{}")]}
        result = Refractor(catalog).repair(data)
        assert (result.verdict, result.sequence.calls[0].name) == ("valid", own)
        if name != "issues_list_2":
            assert result.sequence.dump() == data


def test_tools_are_chosen_by_name_and_tag() -> None:
    paths = {
        f"/{name}": {"get": {"operationId": name, "tags": tags}}
        for name, tags in {"pets/list": ["pet"], "pets/show": ["pet", "public"], "ping": []}.items()
    }
    catalog = load_catalog({"openapi": "3.1.0", "paths": paths})
    for names, tags, found in (
        (["pets/*"], None, ["pets/list", "pets/show"]),
        (None, ["public"], ["pets/show"]),
        (["ping", "pets/s*"], ["pet"], ["pets/show"]),
        (["nothing"], None, []),
    ):
        assert [tool.name for tool in catalog.filter(names, tags)] == found
    again = load_catalog(catalog.dump())
    assert again.filter(tags=["pet"]).tools == catalog.filter(tags=["pet"]).tools
