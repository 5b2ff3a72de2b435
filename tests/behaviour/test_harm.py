"""What may change something is not done under another name in silence; one bad schema harms nobody else."""

from __future__ import annotations

from typing import Any

import pytest

from refract_asp import Refractor

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
WRITES = {"readOnlyHint": False, "destructiveHint": False}


def refractor(
    *tools: tuple[str, dict[str, Any], dict[str, Any]], annotations: dict[str, Any] = WRITES
) -> Refractor:
    return Refractor(
        {
            "tools": [
                {
                    "name": name,
                    "inputSchema": {"type": "object", "properties": properties, **more},
                    "annotations": annotations,
                }
                for name, properties, more in tools
            ]
        }
    )


TRANSFER = refractor(
    (
        "transfer",
        {"from_account": TEXT, "to_account": TEXT, "amount": NUMBER},
        {"required": ["from_account", "to_account", "amount"]},
    )
)


@pytest.mark.parametrize(
    ("arguments", "verdict"),
    [
        ({"fromAccount": "A", "toAccount": "B", "amount": "3"}, "repaired"),
        ({"from_acount": "A", "to_account": "B", "amount": 3}, "repaired"),
        ({"account": "A", "target": "B", "amount": 3}, "needs_input"),
        ({"from_account": "A", "to_account": "B", "amount_cents": 300}, "needs_input"),
    ],
)
def test_a_value_that_was_meant_for_another_name_is_confirmed(
    arguments: dict[str, Any], verdict: str
) -> None:
    result = TRANSFER.repair([{"name": "transfer", "arguments": arguments}])
    assert result.verdict == verdict
    assert bool(result.confirms) == (verdict == "needs_input")


def test_another_action_is_confirmed() -> None:
    switch = refractor(("enable", {"id": TEXT}, {"required": ["id"]}))
    result = switch.repair([{"name": "disable", "arguments": {"id": "x"}}])
    assert result.verdict == "needs_input"
    assert str(result.sequence).startswith("confirm(enable)")


def test_sorted_properties_of_a_schema_say_nothing_of_positions() -> None:
    tool = (
        "delete",
        {"branch": TEXT, "owner": TEXT, "path": TEXT},
        {"required": ["owner", "path", "branch"]},
    )
    result = refractor(tool).repair('delete("octo", "a.py", "main")')
    assert result.verdict == "needs_input"
    assert result.confirms


BROKEN: dict[str, dict[str, Any]] = {
    "a pattern over keys": {"patternProperties": {"[": {}}},
    "a reference to nothing": {"not": {"$ref": "#/nope"}},
    "a reference to itself": {"allOf": [{"$ref": "#"}]},
    "a bound that is a text": {"minProperties": "1"},
    "a remote reference": {"if": {"$ref": "http://example.com/x"}},
}


@pytest.mark.parametrize("more", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("name", ["bad", "baad"])
def test_rules_that_cannot_be_judged_leave_the_call_and_harm_no_other(
    name: str, more: dict[str, Any]
) -> None:
    tools = refractor(("bad", {"b": NUMBER}, more), ("good", {"n": NUMBER}, {}))
    result = tools.repair(
        [{"name": name, "arguments": {"b": 1}}, {"name": "good", "arguments": {"n": "2"}}]
    )
    assert [outcome.verdict for outcome in result.outcomes] == ["unrepairable", "repaired"]


def test_a_fault_before_a_part_that_cannot_be_judged_is_told() -> None:
    inside = {"type": "object", "properties": {"k": {"type": "integer"}, "s": {"$ref": "#/nope"}}}
    tools = refractor(("bad", {"d": inside}, {}), ("good", {"n": NUMBER}, {}))
    calls = [
        {"name": "bad", "arguments": {"d": {"k": "1", "s": 1}}},
        {"name": "good", "arguments": {"n": "2"}},
    ]
    assert [v.code for v in tools.check(calls).violations] == ["invalid_value", "invalid_value"]
    assert tools.repair(calls).outcomes[1].verdict == "repaired"


def test_a_pattern_that_takes_long_to_prepare_is_refused() -> None:
    tools = refractor(("bad", {"a": {**TEXT, "pattern": "(?=.*){9999999}"}}, {}))
    report = tools.check([{"name": "bad", "arguments": {"a": "aaa!"}}])
    assert [v.code for v in report.violations] == ["broken_schema"]


def test_many_misspelt_names_take_no_longer_than_they_are() -> None:
    properties = {f"prop_{number}": TEXT for number in range(60)}
    tools = refractor(("put", properties, {"required": list(properties)}))
    given = {f"porp_{number}x": "v" for number in range(60)}
    result = tools.repair([{"name": "put", "arguments": given}])
    assert result.verdict == "needs_input"
    assert result.optimal
