"""What a sequence returns: the name under which a lost output is returned tells which call is missing."""

from __future__ import annotations

from refract_asp import Catalog, Sequence, repair
from refract_asp.model import Reference

READ = {"effect": "read"}
TOOLS = {
    "tools": [
        {
            "name": "find_hotels",
            **READ,
            "parameters": {"city": {"type": "string", "required": True}},
            "returns": {"hotel_id": {"type": "string"}},
        },
        {
            "name": "weather_forecast",
            **READ,
            "parameters": {"city": {"type": "string", "required": True}},
            "returns": {"summary": {"type": "string"}},
        },
        {
            "name": "book_room",
            **READ,
            "parameters": {"hotel_id": {"type": "string", "required": True}},
            "returns": {"booking": {"type": "string"}},
        },
    ]
}
CATALOG = Catalog.load(TOOLS)


def returning(text: str, **returns: str) -> Sequence:
    """Return a sequence that returns whole outputs, by label."""
    whole = {name: Reference(label=label) for name, label in returns.items()}
    return Sequence.load(text).model_copy(update={"returns": whole})


def test_the_name_tells_which_call_is_missing() -> None:
    result = repair(
        returning('var1 = find_hotels(city="Rome")', hotels="var1", forecast="var2"), CATALOG
    )
    assert [call.name for call in result.sequence.calls] == ["find_hotels", "weather_forecast"]
    assert result.asks
    assert [edit.kind for edit in result.edits] == ["add_call"]


def test_another_output_is_not_returned_silently() -> None:
    """Nothing is like the name, and what the call gives is returned already."""
    result = repair(
        returning('var1 = find_hotels(city="Rome")', hotels="var1", zebra="var2"), CATALOG
    )
    assert result.verdict == "needs_input" or "zebra" not in (result.sequence.returns or {})


def test_a_lost_call_feeds_what_stood_after_it() -> None:
    """The number that is missing tells where it stood, and nothing is left of what was read from it."""
    text = 'var2 = book_room()\nvar3 = weather_forecast(city="Rome")'
    result = repair(returning(text, hotels="var1", booking="var2", forecast="var3"), CATALOG)
    assert str(result.sequence).splitlines()[2] == 'var2 = book_room(hotel_id="$var1.hotel_id$")'
    assert result.sequence.calls[0].name == "find_hotels"


def test_what_is_only_returned_attracts_what_is_open() -> None:
    """It is as dear as an ask, which is the answer; the output is an alternative."""
    tools = {"tools": [*TOOLS["tools"]]}
    tools["tools"][2] = {
        **tools["tools"][2],
        "parameters": {"room": {"type": "string", "required": True}},
    }
    text = 'var1 = find_hotels(city="Rome")\nvar2 = book_room()'
    result = repair(returning(text, hotels="var1", booking="var2"), tools, alternatives=3)
    assert result.sequence.asks == ("room",)
    assert any('room="$var1.hotel_id$"' in str(other.sequence) for other in result.alternatives)
