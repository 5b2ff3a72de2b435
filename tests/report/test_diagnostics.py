"""Diagnostics: what there is, what was probably meant, and what to change."""

from __future__ import annotations

from typing import Any

from refract_asp import Catalog, check, repair
from refract_asp.model.diagnostic import Diagnostic, Limits
from refract_asp.resources import catalog_path

SLACK = Catalog.load(catalog_path("slack"))
FETCH = 'fetch-messages = SLACK_FETCH_CONVERSATION_HISTORY(channel="C1")\n'


def diagnose(sequence: str, catalog: Any = SLACK, limits: Limits | None = None) -> tuple[Diagnostic, ...]:
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


def test_a_misspelt_field_of_a_flight_is_found() -> None:
    """The letters of the right name in their order are enough."""
    (found,) = check(
        'var2 = SkyScrapperSearchAirport(query="London")\n'
        'var3 = SkyScrapperFlightSearch(originSkyId="$var2.skyId$", destinationSkyId="$var2.skyayeId$", '
        'originEntityId="$var2.entityId$", destinationEntityId="$var2.entityId$", date="2024-08-15")',
        catalog_path("travel"),
    ).diagnostics()
    assert "$var2.skyId$" in found.suggestions
    assert found.fix == "Change $var2.skyayeId$ to $var2.skyId$"


def test_a_repair_says_what_it_changed() -> None:
    """The edit that answers a violation is the change that is told."""
    (found,) = repair('fetch = GITHUB_GET_ISSUE(repository="a/b", numbr=1)', SLACK).diagnostics()[:1]
    assert found.edit is not None
    assert found.edit.kind == "rename_parameter"
    assert found.fix == "Change numbr to number"
