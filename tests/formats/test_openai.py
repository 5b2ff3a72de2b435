"""OpenAI's tools as catalogs."""

from __future__ import annotations

from refract_asp.formats import load_catalog

from .catalog_samples import ABOUT, INPUT, OPENAI


def test_tools_that_run_elsewhere_are_passed_over() -> None:
    tools = [
        {"type": "web_search"},
        *OPENAI,
        {"type": "mcp", "server_label": "x", "server_url": "y"},
    ]
    assert [tool.name for tool in load_catalog(tools)] == ["search", "note"]
    assert len(load_catalog([{"type": "web_search"}], "openai")) == 0


def test_a_custom_tool_takes_a_text() -> None:
    for tool in (
        {"type": "custom", "name": "run", "description": "Runs code.", "format": {"type": "text"}},
        {"type": "custom", "custom": {"name": "run", "description": "Runs code."}},
    ):
        (run,) = load_catalog([tool])
        assert (run.name, run.description) == ("run", "Runs code.")
        assert run.parameters["input"].required
        assert run.parameters["input"].json_schema == {"type": "string"}


def test_words_for_types_are_kept() -> None:
    entry = {"name": "T", "parameters": {"type": "dict", "properties": {"a": {"type": "float"}}}}
    assert load_catalog([entry]).tools[0].parameters["a"].json_schema == {"type": "float"}


def test_what_is_open_stays_open() -> None:
    closed, open_ended = (
        load_catalog([{"type": "function", "name": "T", "parameters": {**INPUT, **more}}]).tools[0]
        for more in ({"additionalProperties": False}, {"additionalProperties": True})
    )
    assert (closed.additional_parameters, open_ended.additional_parameters) == (False, True)
    assert closed.effect == "unknown"
    assert closed.output_schema is None


def test_written_as_for_the_chat_interface() -> None:
    assert load_catalog(OPENAI).dump("openai") == [
        {
            "type": "function",
            "function": {"name": "search", "description": ABOUT, "parameters": INPUT},
        },
        {
            "type": "function",
            "function": {
                "name": "note",
                "description": "",
                "parameters": {"type": "object", "properties": {}},
            },
        },
    ]
