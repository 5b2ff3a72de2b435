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


def repaired(tools: list[dict[str, Any]], calls: str, **weights: int) -> RepairResult:
    return Refractor(Catalog.load({"tools": tools}), constants=weights).repair(calls)


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
    result = repaired(tools[::-1] if backwards else tools, calls, weight_add_write=0)
    added = [call.name for call in result.sequence.calls if not call.name.startswith("approve")]
    assert added == [f"get_offer{n}" for n in range(count)]
    assert result.ambiguous
    assert len(result.confirms) == count  # the other tool is not ruled out
