"""
Seed 004, row by row: what a diagnostic shows, and how far it goes.

D1, D2, D3, D6, D9, D10, D11, D19 and D20 are tested in `tests/report/test_diagnostics.py`, D16 on real
sequences in `tests/report/test_diagnostics_of_nestful.py`.
"""

from typing import Any

import pytest

from declaring import TEXT, tool
from refract_asp import Catalog, Refractor, check
from refract_asp.model.diagnostic import Diagnostic, Limits
from refract_asp.resources import catalog_path

SLACK = Refractor(Catalog.load(catalog_path("slack")))
FETCH = 'fetch = SLACK_FETCH_CONVERSATION_HISTORY(channel="C1")\n'
PROMPT = 'LLM_GENERATE(prompt="{}")'


def diagnose(sequence: str, catalog: Any = None, limits: Any = None) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a check, by default against the catalog `slack`."""
    refractor = SLACK if catalog is None else Refractor(catalog)
    return refractor.check(sequence).diagnostics(limits)


def only(sequence: str, catalog: Any = None, limits: Limits | None = None) -> Diagnostic:
    (found,) = diagnose(sequence, catalog, limits)
    return found


def get_and_put(fields: Any, parameter: str = "text") -> Any:
    """Return a tool that gives some fields, and one that takes a text."""
    return {"tools": [tool("Get", returns=fields), tool("Put", **{parameter: TEXT})]}


def test_d4_at_most_three_suggestions() -> None:
    fields = {f"message{number}": TEXT for number in range(6)}
    tools = get_and_put(fields)
    calls = 'a = Get()\nPut(text="$a.message$")'
    assert only(calls, tools).suggestions == ("$a.message0$", "$a.message1$", "$a.message2$")
    assert len(only(calls, tools, Limits(suggestions=5)).suggestions) == 5


def test_d5_a_deep_chain_is_cut_and_says_so() -> None:
    schema: dict[str, Any] = TEXT
    for number in range(9, 1, -1):
        schema = {"type": "object", "properties": {f"f{number}": schema}}
    found = only('a = Get()\nPut(text="$a.x$")', get_and_put({"f1": schema}))
    assert found.available.is_cut
    assert [entry.text for entry in found.available.entries][-1] == "$a.f1.f2.f3.f4.f5$"
    assert "what lies deeper is not listed" in str(found)


def test_d7_the_catalog_is_the_source() -> None:
    """Of a tool that says nothing of its output everything may be read."""
    assert diagnose('a = Get()\nPut(text="$a.x$")', get_and_put(None)) == ()


def test_d8_names_that_hold_the_one_that_was_written() -> None:
    """The list itself is meant, and its elements do not stand beside it; case does not count."""
    for written in ("mess", "MESS", "message"):
        found = only(FETCH + PROMPT.format(f"x $fetch.{written}$"))
        assert found.suggestions == ("$fetch.result.messages$",)


def test_d8_the_more_of_the_name_is_written_the_better() -> None:
    fields = dict.fromkeys(("user_name_long", "user_name", "name"), TEXT)
    tools = get_and_put(fields)
    found = only('a = Get()\nPut(text="$a.nam$")', tools)
    assert found.suggestions == ("$a.name$", "$a.user_name$", "$a.user_name_long$")


def test_d13_a_missing_input_says_what_it_is() -> None:
    """Name, type, what it means, and that it is required."""
    found = only('SLACK_SEND_MESSAGE(text="Done.")')
    assert "    channel (string): Id of the channel. (required)" in str(found).splitlines()


def test_d13_the_others_say_that_they_are_optional_and_what_the_default_is() -> None:
    found = only('SLACK_FETCH_CONVERSATION_HISTORY(channel="C1", limt=3)')
    line = "    limit (integer): How many messages at most. (optional, default: 20)"
    assert line in str(found).splitlines()
    found = only('SLACK_SEND_MESSAGE(channel="C1", text="x", thread=3)')
    line = "    thread_ts (string): The message that it answers. (optional)"
    assert line in str(found).splitlines()


@pytest.mark.parametrize("reference", ["$nobody.user.name$", "$town$"])
def test_d14_what_is_read_of_something_unknown_is_told(reference: str) -> None:
    found = only(f'LLM_GENERATE(prompt="{reference}")')
    assert reference in found.message
    assert found.attempted == reference


def test_d15_no_error_hides_another() -> None:
    calls = FETCH + 'sum = LLM_GENERATE(prompt="$fetch.msg$", modell="small", temperature="hot")\n'
    calls += 'SLACK_SEND_MESAGE(text="$sum.response$")\nSLACK_SEND_MESSAGE(text="$gone.response$")'
    unknown = ["unknown_field", "unknown_label", "unknown_tool"]
    codes = ["invalid_value", "missing_parameter", "undeclared_parameter", *unknown]
    assert sorted(found.code for found in diagnose(calls)) == codes


def test_d17_strict_and_permissive() -> None:
    """The same is found; only how grave it is differs."""
    report = check("LLM_GENERATE()", catalog_path("slack"))
    strict, permissive = report.diagnostics(), report.diagnostics(strict=False)
    assert {found.severity for found in strict} == {"error"}
    assert {found.severity for found in permissive} == {"warning"}
    assert [found.model_copy(update={"severity": "error"}) for found in permissive] == list(strict)


def test_d21_what_is_spelt_somewhat_alike_only_when_asked_for() -> None:
    calls = FETCH + PROMPT.format("x $fetch.result.nessages$")
    assert only(calls).suggestions == ()
    assert only(calls, limits=Limits(fuzzy=True)).suggestions[:1] == ("$fetch.result.messages$",)


def test_d22_an_object_where_text_is_wanted() -> None:
    """Pattern 1: the fields of the right type are listed."""
    found = only(FETCH + PROMPT.format("$fetch.result$"))
    assert (found.code, found.given, found.expected) == ("type_mismatch", "object", "string")
    read = [f"$fetch.result.messages[0].{name}$" for name in ("text", "user", "ts")]
    assert [entry.text for entry in found.available.entries] == read


def test_d22_a_wrong_key() -> None:
    """Pattern 3: nothing is like it; all that there is is listed, and one of the right type tried."""
    result = {"type": "object", "properties": {"data": TEXT}}
    found = only('node = Get()\nPut(data="$node.output$")', get_and_put({"result": result}, "data"))
    assert found.code == "unknown_field"
    told = [(entry.text, entry.type) for entry in found.available.entries]
    assert told == [("$node.result$", "object"), ("$node.result.data$", "string")]
    assert found.fix is None
    assert found.tip is not None
    assert "use $node.result.data$" in found.tip
