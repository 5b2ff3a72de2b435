"""Values and references that do not fit, beside other things that are wrong."""

from __future__ import annotations

from typing import Any

from refract_asp import Catalog, RepairResult, check, repair
from refract_asp.report.text import summary

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}


def tool(name: str, returns: dict[str, Any], **parameters: Any) -> dict[str, Any]:
    declared = {name: {"schema": schema, "required": True} for name, schema in parameters.items()}
    return {"name": name, "effect": "read", "parameters": declared, "returns": returns}


CATALOG = Catalog.load(
    {
        "tools": [
            tool("Find", {"id": TEXT, "name": TEXT, "tags": TEXTS, "more": {"type": "object"}}),
            tool("Tag", {}, tags=TEXTS, amount={"type": "integer"}),
            tool("Show", {}, query=TEXT, id=TEXT),
        ]
    }
)
MEMORY = {"stay": "abc"}


def answered(result: RepairResult, **values: Any) -> str:
    answer = result.answer(values, confirmed=True)
    assert check(answer, CATALOG, MEMORY).violations == ()
    return str(answer)


def test_a_text_that_is_put_into_a_list_is_read_as_before() -> None:
    """`$5$` names nothing, there or here."""
    result = repair('Tag(tags="from $about$ on", amount=1)', CATALOG)
    assert result.verdict == "repaired"
    assert answered(result) == 'Tag(tags=["from $about$ on"], amount=1)'


def test_a_name_that_memory_is_read_under_is_not_put_on_a_call() -> None:
    result = repair('Find()\nShow(query="$stay.id$", id="$stay$")', CATALOG, MEMORY)
    assert str(result.sequence).endswith('id="$stay$")')
    answered(result, **dict.fromkeys(result.sequence.asks, "x"))
    assert "stay = Find" not in str(result.sequence)


def test_a_reference_is_not_pointed_to_what_another_one_may_read() -> None:
    """The id inside the text may be any field that is alike; the tags have to be a list."""
    result = repair('var1 = Find()\nTag(tags="$var1.id$", amount="1 * $var2.id$")', CATALOG)
    assert 'tags="$var1.tags$"' in str(result.sequence) or 'tags=["$var1.id$"]' in str(
        result.sequence
    )
    again = check(result.sequence, CATALOG)
    assert "type_mismatch" not in [violation.code for violation in again.violations]


def test_a_reference_is_only_taken_out_of_a_list_where_its_type_fits() -> None:
    good = repair('var1 = Find()\nShow(query="x", id=["$var1.id$"])', CATALOG)
    assert str(good.sequence) == 'var1 = Find()\nShow(query="x", id="$var1.id$")'
    bad = repair('var1 = Find()\nShow(query="x", id=["$var1.more$"])', CATALOG)
    assert bad.verdict == "needs_input"


def test_what_is_read_is_put_into_a_list() -> None:
    result = repair('var1 = Find()\nTag(tags="$var1.name$", amount=1)', CATALOG)
    assert answered(result) == 'var1 = Find()\nTag(tags=["$var1.name$"], amount=1)'


def test_a_new_form_and_a_new_name_at_once() -> None:
    result = repair('Tag(tgs="red", amount="3")', CATALOG)
    assert answered(result) == 'Tag(tags=["red"], amount=3)'
    assert [edit.kind for edit in result.edits] == ["rename_parameter", "transform", "transform"]


def test_an_ask_inside_a_value_says_where_it_stands() -> None:
    pair = {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]}
    tools = Catalog.load({"tools": [{"name": "T", "parameters": {"pair": {"schema": pair}}}]})
    result = repair([{"name": "T", "arguments": {"pair": ["$var9.x$", "s"]}}], tools)
    assert [(ask.name, ask.parameter, ask.path) for ask in result.asks] == [("pair", "pair", (0,))]
    assert "what stands at pair[0]" in summary(result)
    assert check(result.answer({"pair": 3}), tools).verdict == "valid"


def test_a_list_is_asked_for_where_the_call_bears_a_lost_label() -> None:
    """Nobody reads the call under the label that it has; mended, somebody does, and one value is meant."""
    result = repair('var7 = Show(query=["a", "b"], id="1")\nShow(query="$var1.id$", id="2")', READ)
    assert result.sequence.asks == ("query",)
    assert len(result.sequence.calls) == 2


def test_a_call_is_no_element_of_a_list() -> None:
    inner = {"name": "List", "arguments": {}}
    result = repair([{"name": "Keep", "arguments": {"items": inner}, "label": "var2"}], READ)
    assert str(result.sequence) == 'var1 = List()\nvar2 = Keep(items="$var1.found$")'


READ = Catalog.load(
    {
        "tools": [
            tool("Show", {"id": TEXT}, query=TEXT, id=TEXT),
            tool("List", {"found": {"type": "array"}}),
            tool("Keep", {}, items={"type": "array"}),
        ]
    }
)
