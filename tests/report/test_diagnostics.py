"""Diagnostics: what there is, what was probably meant, and what to change."""

from __future__ import annotations

from typing import Any

import pytest

from refract_asp import Catalog, check, repair
from refract_asp.model.diagnostic import Diagnostic, Limits
from refract_asp.resources import catalog_path

SLACK = Catalog.load(catalog_path("slack"))
FETCH = 'fetch-messages = SLACK_FETCH_CONVERSATION_HISTORY(channel="C1")\n'


def diagnose(
    sequence: str, catalog: Any = SLACK, limits: Limits | None = None
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a check."""
    return check(sequence, catalog).diagnostics(limits)


def returning(count: int) -> dict[str, Any]:
    """Return a catalog of a tool with so many output fields and one that takes a text."""
    fields = {f"field{number:02}": {"type": "string"} for number in range(count)}
    return {
        "tools": [
            {"name": "Get", "returns": fields},
            {"name": "Put", "parameters": {"text": {"type": "string", "required": True}}},
        ]
    }


def test_a_lost_field_is_told_in_three_tiers() -> None:
    """D1, D2, D6, D9, D10: the outputs with their types, in order, then what was meant, then the change."""
    (found,) = diagnose(FETCH + 'sum = LLM_GENERATE(prompt="Sum up: $fetch-messages.msg$")')
    assert str(found) == (
        "error: call 2 (sum), prompt: $fetch-messages.msg$ reads msg, which SLACK_FETCH_CONVERSATION_HISTORY "
        "does not return [unknown_field]\n"
        "\n"
        "  Available outputs of fetch-messages (SLACK_FETCH_CONVERSATION_HISTORY):\n"
        "    $fetch-messages.result$ (object)\n"
        "    $fetch-messages.result.messages$ (array)\n"
        "    $fetch-messages.result.messages[0]$ (object)\n"
        "    $fetch-messages.result.messages[0].text$ (string)\n"
        "    $fetch-messages.result.messages[0].user$ (string)\n"
        "    $fetch-messages.result.messages[0].ts$ (string)\n"
        "\n"
        "  Did you mean: $fetch-messages.result.messages$?\n"
        "\n"
        "  Common fix: Change $fetch-messages.msg$ to $fetch-messages.result.messages$"
    )


def test_twenty_fields_are_shown() -> None:
    """D3: 34 fields show 20 and say how many more there are; 20 have no tail."""
    for count, more in ((34, 14), (21, 1), (20, 0)):
        (found,) = diagnose('a = Get()\nPut(text="$a.x$")', returning(count))
        assert found.available is not None
        assert (len(found.available.entries), found.available.more) == (min(count, 20), more)
        assert (f"... and {more} more" in str(found)) is bool(more)


def test_a_wrong_type_lists_the_fields_of_the_right_one() -> None:
    """D11: five of them, and how many more."""
    (found,) = diagnose(
        'fetch = GITHUB_GET_ISSUE(repository="a/b", number=1)\n'
        'SLACK_SEND_MESSAGE(channel="C1", text="$fetch.issue_data$")'
    )
    assert found.available is not None
    assert (found.given, found.expected) == ("object", "string")
    names = [entry.text.rpartition(".")[2].rstrip("$") for entry in found.available.entries]
    assert names == ["title", "body", "url", "state", "author"]
    assert found.available.more == 2


def test_a_repair_says_what_it_changed() -> None:
    """The edit that answers a violation is the change that is told."""
    result = repair('fetch = GITHUB_GET_ISSUE(repository="a/b", numbr=1)', SLACK)
    found = result.diagnostics()[0]
    assert found.edit is not None
    assert found.edit.kind == "rename_parameter"
    assert found.fix == "Change numbr to number"


def test_a_label_that_was_borne_again_is_not_offered() -> None:
    """What is missing is offered only from the call that a label names there."""
    tools = {
        "tools": [
            {"name": "Get", "returns": {"id": "string"}},
            {
                "name": "Put",
                "parameters": {"id": {"type": "string", "required": True}},
                "returns": {"ok": "string"},
            },
        ]
    }
    (found,) = diagnose('a = Get()\na = Put(id="2")\nPut()', tools)
    assert found.suggestions == ()
    assert diagnose("a = Get()\nPut()", tools)[0].fix == 'Add id="$a.id$"'


def test_values_of_memory_are_offered_where_they_fit() -> None:
    tools = {"tools": [{"name": "Pay", "parameters": {"n": {"type": "integer", "required": True}}}]}
    assert check("Pay()", tools, {"n": 3}).diagnostics()[0].fix == 'Add n="$n$"'
    assert check("Pay()", tools, {"n": "x"}).diagnostics()[0].fix is None


def test_a_default_that_does_not_fit_is_no_advice() -> None:
    schema = {"type": "integer", "required": True, "default": "zzz"}
    (found,) = diagnose("Pay()", {"tools": [{"name": "Pay", "parameters": {"n": schema}}]})
    assert found.fix is None


def test_two_wrong_names_do_not_claim_one_parameter() -> None:
    """The first takes it; the missing one says the same change."""
    tools = {
        "tools": [{"name": "Get", "parameters": {"query": {"type": "string", "required": True}}}]
    }
    fixes = [each.fix for each in diagnose('Get(qury="a", query_text="b")', tools)]
    assert fixes == ["Change qury to query", None, "Change qury to query"]


def test_a_riskier_tool_or_a_rival_is_no_sure_change() -> None:
    """U2, U3: a narrow margin, or a tool that destroys something, is told as such."""
    tools = {
        "tools": [{"name": "bind", "effect": "destructive"}, {"name": "fond", "effect": "read"}]
    }
    (found,) = diagnose("find()", {"tools": tools["tools"][:1]})
    assert (found.fix, found.tip) == (
        None,
        "bind may be meant; make sure of it",
    )
    tools = {"tools": [{"name": "create_user"}, {"name": "delete_user"}]}
    (found,) = diagnose("remove_user()", tools)
    assert found.fix is None
    assert found.tip is not None
    assert "create_user or delete_user may be meant" in found.tip


@pytest.mark.parametrize(
    ("calls", "fix", "tip"),
    [
        ('a = F(x="$a.y$")', None, "a call cannot read what it returns itself"),
        ('a = F(x="$b.y$")\nb = F(x="$a.y$")', None, "or one of them read from elsewhere"),
        ('a = F(x="$b.y$")\nb = F(x="1")', "Move call 2 (b) before call 1 (a)", None),
        (
            'a = F(x="$c.y$")\nb = F(x="1")\nc = F(x="$b.y$")',
            "Move call 1 (a) behind call 3 (c)",
            None,
        ),
    ],
)
def test_order(calls: str, fix: str | None, tip: str | None) -> None:
    """The move that is told puts the order right, or none is told."""
    tools = {"tools": [{"name": "F", "parameters": {"x": "string"}, "returns": {"y": "string"}}]}
    found = diagnose(calls, tools)[0]
    assert found.fix == fix
    assert tip is None or tip in (found.tip or "")


def test_how_much_is_shown_does_not_change_the_advice() -> None:
    calls = (
        FETCH
        + 'LLM_GENERATE(promt="a", prompt="$fetch-messages.msg$", model="larg")\n'
        + 'LLM_GENERAT(x="$ftch.result$")'
    )
    few = diagnose(calls, limits=Limits(suggestions=0, fields=0, right_type=0))
    assert [each.fix for each in few] == [each.fix for each in diagnose(calls)]
