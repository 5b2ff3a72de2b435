"""Among repairs of equal cost: who wins, also where there are more of them than are looked at one by one."""

from __future__ import annotations

from typing import Any

import pytest

from refract_asp import Catalog, Refractor, RepairResult

TEXT = {"type": "string", "required": True}
COUNT = {"type": "integer", "required": True}


def tool(name: str, effect: str, gives: str = "", **parameters: dict[str, Any]) -> dict[str, Any]:
    returns = {field: {"type": "string"} for field in gives.split()}
    return {"name": name, "effect": effect, "parameters": parameters, "returns": returns}


def repaired(tools: list[dict[str, Any]], calls: str) -> RepairResult:
    return Refractor(Catalog.load({"tools": tools})).repair(calls)


def offers(count: int) -> tuple[list[dict[str, Any]], str]:
    """Return tools and as many calls, each of which reads what one tool reads and another one deletes."""
    tools, calls = [], []
    for n in range(count):
        offer = f"offer{n}_id"
        tools.append(tool(f"delete_offer{n}", "destructive", offer, limit=COUNT))
        tools.append(tool(f"get_offer{n}", "read", offer, language=TEXT))
        tools.append(tool(f"approve{n}", "write", "approval", **{offer: TEXT}))
        calls.append(f'var{2 * n + 2} = approve{n}({offer}="$var{2 * n + 1}.{offer}$")')
    return tools, "\n".join(calls)


@pytest.mark.parametrize("backwards", [False, True], ids=["as listed", "backwards"])
@pytest.mark.parametrize("count", [1, 6])
def test_nothing_is_deleted_where_a_tool_that_reads_would_do(count: int, backwards: bool) -> None:
    """Six such ties are 64 repairs of equal cost."""
    tools, calls = offers(count)
    result = repaired(tools[::-1] if backwards else tools, calls)
    added = [call.name for call in result.sequence.calls if not call.name.startswith("approve")]
    assert added == [f"get_offer{n}" for n in range(count)]
    assert result.ambiguous
    assert len(result.confirms) == count  # the other tool is not ruled out


def test_what_nothing_speaks_for_is_asked_in_a_call_that_is_added() -> None:
    """An idle output is as cheap as an ask for each of four parameters, which makes dozens of equals."""
    tools = [
        tool(
            "vendor_calendar", "read", "vendor_calendar_id weight_kg expires_on website", town=TEXT
        ),
        tool(
            "list_photos",
            "read",
            "photo_id",
            with_images={**TEXT, "enum": ["yes", "no"]},
            album_title=TEXT,
            owner=TEXT,
            page=COUNT,
        ),
        tool("use_photo", "read", "done", photo_id=TEXT),
    ]
    tools[0]["returns"]["weight_kg"] = {"type": "number"}
    result = repaired(
        tools, 'var1 = vendor_calendar(town="Ulm")\nvar3 = use_photo(photo_id="$var2.photo_id$")'
    )
    assert [ask.name for ask in result.asks] == ["album_title", "owner", "page", "with_images"]
    assert not result.confirms


@pytest.mark.parametrize("color", ["light", "dark"])
def test_a_second_call_that_reads_from_the_first_is_one_of_its_own(color: str) -> None:
    """Its tool is told by its arguments, although it has all those of the first call."""
    tools = [
        tool("cancel_permit", "write", "permit_id", color=TEXT, permit_id={"type": "string"}),
        tool("list_streets", "read", "street", town=TEXT),
    ]
    first = 'var1 = cancel_permit(color="light")'
    second = f'var2 = gursozunur(permit_id="$var1.permit_id$", color="{color}")'
    result = repaired(tools, f"{first}\n{second}")
    assert not result.unresolved
    assert [call.name for call in result.sequence.calls] == ["cancel_permit", "cancel_permit"]
    assert {confirm.call for confirm in result.confirms} == {1}
