"""Among repairs of equal cost: who wins, also where there are more of them than are looked at one by one."""

from typing import Any

import pytest

from declaring import NEEDED, TEXT, tool
from refract_asp import Catalog, Refractor, RepairResult, repair
from yaml_files import tables

TABLES = tables(__file__)

COUNT = {"type": "integer", "required": True}


def repaired(tools: list[dict[str, Any]], calls: str, **weights: int) -> RepairResult:
    return Refractor(Catalog.load({"tools": tools}), constants=weights).repair(calls)


def offers(count: int) -> tuple[list[dict[str, Any]], str]:
    """Return tools and as many calls, each of which reads what one tool reads and another one deletes."""
    tools, calls = [], []
    for n in range(count):
        offer = f"offer{n}_id"
        tools.append(tool(f"delete_offer{n}", "destructive", {offer: TEXT}, limit=COUNT))
        tools.append(tool(f"get_offer{n}", "read", {offer: TEXT}, language=NEEDED))
        tools.append(tool(f"approve{n}", "write", {"approval": TEXT}, **{offer: NEEDED}))
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


# -- labels that follow another convention than the references -------------------------


TOOL = tool("Next", "read", {"o": TEXT}, x=NEEDED)


@pytest.mark.slow
@pytest.mark.parametrize("label", ["var{}", None], ids=["other labels", "no labels"])
def test_many_labels_for_many_calls_are_no_puzzle(label: str | None) -> None:
    """Each label is paid for at its own place: counted over calls this took minutes at 12 calls."""
    calls = [{"name": "Next", "arguments": {"x": "start"}, "label": label and label.format(1)}]
    calls += [
        {"name": "Next", "arguments": {"x": f"$step{n - 1}.o$"}, "label": label and label.format(n)}
        for n in range(2, 41)
    ]
    result = Refractor({"tools": [TOOL]}, time_limit=30).repair(calls)
    assert (result.verdict, result.optimal) == ("repaired", True)
    assert [call.label for call in result.sequence.calls[:39]] == [f"step{n}" for n in range(1, 40)]


# -- other repairs ---------------------------------------------------------------------


TWO_AIRPORTS = TABLES["two airports"]


def calls(result: RepairResult) -> list[str]:
    return [str(other.sequence) for other in (result, *result.alternatives)]


def test_without_next_best_only_equals_are_listed(catalog: Catalog) -> None:
    result = repair(TWO_AIRPORTS, catalog, alternatives=10, constants={"weight_add_call": 100})
    assert result.alternatives
    assert {other.total[2] for other in result.alternatives} == {result.total[2]}
    assert len(set(calls(result))) == len(calls(result))
    assert not repair(TWO_AIRPORTS, catalog).alternatives


@pytest.mark.slow
def test_more_equals_than_are_looked_at_for_the_answer() -> None:
    """Where more are as cheap than are compared, all of them are listed on request, each once."""
    names = [f"field_{letter}" for letter in "abcdefghijklmnopqrstuvwx"]
    tools: dict[str, Any] = TABLES["more equals than are looked at for the answer, tools"]
    given = "\n".join(f"{name} = Make()" for name in names) + '\nUse(value="$other.value$")'
    one = {"constants": {"weight_add_call": 500, "weight_rename_label": 400}}
    result = Refractor(tools, alternatives=100, **one).repair(given)
    others = Refractor(tools, alternatives=30, **one).repair(given)
    assert len(result.alternatives) == len(names) - 1
    assert calls(others) == calls(result)
    assert {other.total[2] for other in result.alternatives} == {result.total[2]}
    assert len(set(calls(result))) == len(names)
    assert len(Refractor(tools, alternatives=5, **one).repair(given).alternatives) == 5


def test_a_value_with_a_reference_that_does_not_fit_is_no_alternative() -> None:
    tools = TABLES["a value with a reference that does not fit is no alternative, tools"]
    refractor = Refractor(tools, alternatives=20, next_best=True, confirm="never")
    result = refractor.repair('a = Make()\nUse(text=["$a.s$"])')
    assert result.alternatives
    for other in result.alternatives:
        assert refractor.check(other.sequence).verdict == "valid", str(other.sequence)


def test_without_time_nothing_is_listed(catalog: Catalog) -> None:
    refractor = Refractor(catalog, alternatives=5, next_best=True)
    assert not refractor.repair(TWO_AIRPORTS, time_limit=0).alternatives
