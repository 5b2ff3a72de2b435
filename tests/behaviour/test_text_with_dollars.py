"""Text such as `$AAPL$` in calls of models without labels: nothing is referred to, and nothing is changed."""

import copy
import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from declaring import called
from refract_asp import Catalog, Refractor, Sequence, repair
from refract_asp.batch import analyse
from refract_asp.integrations import Hook, answers, guarded
from refract_asp.model import Constant, Reference
from refract_asp.runtime import run
from yaml_files import tables

TABLES = tables(__file__)

STRING = {"type": "string"}


def tool(name: str, required: str, outputs: dict[str, Any] | None = None, **properties: Any) -> Any:
    schema = {"type": "object", "properties": properties, "required": [required]}
    more = {"outputSchema": {"type": "object", "properties": outputs}} if outputs else {}
    return {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": True}, **more}


NUMBER = {"type": "number"}
NOTE = tool("note", "text", text=STRING, count={"type": "integer"}, more={})
RATE = tool("rate", "share", {"value": NUMBER}, share=STRING)
PLOT = tool("plot", "height", height=NUMBER, title=STRING)
CATALOG = Catalog.load([NOTE, RATE, PLOT])
REFRACTOR = Refractor(CATALOG)
HOOK = Hook(REFRACTOR)

TEXTS = TABLES["texts"]


def write(shape: str, name: str, arguments: dict[str, Any]) -> Any:
    """Return a call as a model gives it in one of several formats."""
    written, plain = json.dumps(arguments), {"name": name, "arguments": arguments}
    function = {"name": name, "arguments": written}
    langchain_call = {"name": name, "args": arguments, "id": "c1", "type": "tool_call"}
    block = {"type": "tool_use", "id": "t1", "name": name, "input": arguments}
    return {
        "openai": {"role": "assistant", "tool_calls": [called(name, written)]},
        "responses": [{"type": "function_call", "call_id": "c1", **function}],
        "anthropic": {"role": "assistant", "content": [block]},
        "gemini": {"parts": [{"functionCall": {"name": name, "args": arguments}}]},
        "langchain": {"type": "ai", "tool_calls": [langchain_call]},
        "mcp": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": plain},
        "tagged": f"I do. <tool_call>{json.dumps(plain)}</tool_call>",
        "flat": [plain],
    }[shape]


SHAPES = ["openai", "responses", "anthropic", "gemini", "langchain", "mcp", "tagged"]
openai, flat = partial(write, "openai"), partial(write, "flat")


def value(sequence: Sequence, parameter: str = "text") -> Any:
    source = sequence.calls[-1].arguments[parameter]
    assert isinstance(source, Constant)
    return source.value


# -- text stays text -----------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("shape", [*SHAPES, "flat"])
def test_a_right_call_passes_whatever_dollars_are_in_it(shape: str) -> None:
    for text in TEXTS:
        data = write(shape, "note", {"text": text, "more": {"deep": [text]}})
        before = copy.deepcopy(data)
        decision = HOOK(data)
        assert decision.outcome == "pass", text
        assert decision.data is data == before
        assert decision.sequence is not None
        for sequence in (decision.sequence, decision.ready):
            assert (value(sequence), value(sequence, "more")) == (text, {"deep": [text]})
        if shape != "flat":
            assert REFRACTOR.check(data).verdict == "valid"
            assert REFRACTOR.repair(data).sequence.dump() == data


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_a_repair_of_something_else_leaves_it_as_it_is(shape: str) -> None:
    for text in TEXTS:
        result = REFRACTOR.repair(write(shape, "note", {"txt": text, "count": "3", "more": [text]}))
        assert result.verdict == "repaired", text
        wanted = write(shape, "note", {"text": text, "count": 3, "more": [text]})
        assert result.sequence.dump() == wanted
        again = REFRACTOR.repair(wanted)
        assert (again.verdict, again.sequence) == ("valid", result.sequence)
        assert REFRACTOR.check(result.sequence).verdict == "valid"
        for format in ("nestful", "pretty", "anthropic", "openai"):
            assert value(REFRACTOR.repair(result.sequence.dump(format)).sequence) == text


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(st.text(alphabet="$ab.[]'0 \\{}x-,;", max_size=14))
def test_any_text_comes_through(text: str) -> None:
    result = REFRACTOR.repair(openai("note", {"text": text, "count": "3"}))
    assert result.sequence.dump() == openai("note", {"text": text, "count": 3})
    decision = HOOK(flat("note", {"text": text, "count": "3"}))
    assert decision.data == [{"name": "note", "arguments": {"text": text, "count": 3}}]


def test_a_flat_call_is_text_for_a_hook_only() -> None:
    data = flat("note", {"text": "$AAPL$"})
    assert HOOK(data).outcome == HOOK(data[0]).outcome == HOOK(json.dumps(data)).outcome == "pass"
    assert Sequence.load(data).calls[0].arguments["text"] == Reference(label="AAPL")
    assert REFRACTOR.repair(data).verdict == "needs_input"
    labelled = [{**data[0], "label": None}]
    assert HOOK(labelled).outcome == "retry"


def test_reports_and_prompts_show_it_as_it_stands() -> None:
    result = repair(openai("note", {"txt": "$AAPL$", "count": "3"}), CATALOG, confirm="new")
    assert '+ note(text="$AAPL$", count=3)' in result.diff()
    for kind in ("plain", "issues", "fix", "suggestions"):
        prompt = result.prompt(kind)
        assert '"$AAPL$"' in prompt
        assert "$$" not in prompt
    told = REFRACTOR.repair(openai("note", {"text": "x", "count": "$AAPL$ 3"}))
    assert all("$$" not in f"{each.message} {each.fix}" for each in told.diagnostics())


def test_what_the_catalog_has_as_text_is_written_as_it_is() -> None:
    tool = {"name": "pay", "input_schema": {"type": "object", "required": ["in"],
            "properties": {"in": {"type": "string", "default": "$USD$"}, "of": STRING}}}  # fmt: skip
    result = repair(openai("pay", {"of": "$x$"}), [tool])
    assert result.sequence.dump() == openai("pay", {"in": "$USD$", "of": "$x$"})


# -- what is known is a reference ----------------------------------------------


@pytest.mark.parametrize("shape", [*SHAPES, "flat"])
def test_a_name_that_memory_has_is_a_reference(shape: str) -> None:
    decision = HOOK(write(shape, "note", {"text": "$x$"}), memory={"x": "hello"})
    assert decision.outcome == "pass"
    assert decision.sequence.calls[0].arguments["text"] == Reference(label="x")
    assert value(decision.ready) == "hello"
    decision = HOOK(write(shape, "note", {"text": "$x.y$ or $AAPL$"}), memory={"x": {"y": "hello"}})
    assert value(decision.ready) == "hello or $AAPL$"
    decision = HOOK(write(shape, "note", {"text": "$x.z$"}), memory={"x": {"y": "hello"}})
    assert [violation.code for violation in decision.result.violations] == ["unknown_field"]


def test_a_name_of_the_history_is_a_reference() -> None:
    history = 'var1 = rate(share="AAPL")'
    plotted = openai("plot", {"height": "$var1.value$"})
    for data in (plotted, openai("note", {"text": "about $var1.value$"})):
        report = REFRACTOR.check(data, history=history)
        assert report.verdict == "valid"
        assert REFRACTOR.repair(data, history=history).sequence.dump() == data
    wrong = openai("note", {"text": "$var1.price$"})
    (violation,) = REFRACTOR.check(wrong, history=history).violations
    assert violation.code == "unknown_field"


def test_a_name_is_known_that_memory_has_but_for_a_slip() -> None:
    memory = {"account": {"iban": "DE1"}}
    result = REFRACTOR.repair(openai("note", {"text": "$acount.iban$"}), memory=memory)
    assert result.sequence.calls[0].arguments["text"] == Reference(label="account", path=("iban",))
    other = openai("note", {"text": "$y$ $paths$"})
    assert REFRACTOR.check(other, memory={"x": 1, "p": 2}).verdict == "valid"


def test_a_label_of_the_calls_is_known() -> None:
    def calls(text: str) -> Any:
        first = called("rate", '{"share": "$AAPL$"}', "1")
        return [{**first, "label": "var1"}, called("note", json.dumps({"text": text}), "2")]

    assert REFRACTOR.check(calls("$var1.value$ of $AAPL$")).verdict == "valid"
    for text, code in (("$var1.price$", "unknown_field"), ("$var9.value$", "unknown_label")):
        (violation,) = REFRACTOR.check(calls(text)).violations
        assert violation.code == code
        mended = REFRACTOR.repair(calls(text)).answer(confirmed=True)
        assert mended.dump()[0]["function"] == calls("")[0]["function"]


def test_what_stands_where_no_text_may_stand_is_a_reference() -> None:
    message = openai("plot", {"height": "$x.value$"})
    more = openai("plot", {"height": 3, "title": "$AAPL$, $$z$$"})["tool_calls"][0]
    message["tool_calls"].append({**more, "id": "c2"})
    decision = HOOK(message, memory={"share": "MSFT"})
    assert [call.name for call in decision.ready.calls] == ["rate", "plot", "plot"]
    assert decision.data["tool_calls"][0]["label"] == "x"
    # to the byte, though one call has a label now
    assert decision.data["tool_calls"][2] == message["tool_calls"][1]
    assert REFRACTOR.check(decision.data).verdict == "valid"
    tools: Any = {"rate": lambda share: {"value": 7}}
    tools["plot"] = lambda height, title="": f"{height} {title}"
    replies = answers(decision, run(decision.ready, tools, catalog=CATALOG))
    assert [reply.content for reply in replies] == ["7 ", "3 $AAPL$, $$z$$"]


# -- by option -----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("data", "verdicts"), TABLES["references may be forced or forbidden"])
def test_references_may_be_forced_or_forbidden(data: Any, verdicts: tuple[str, ...]) -> None:
    options: list[Any] = ["auto", True, False]
    for references, verdict in zip(options, verdicts, strict=True):
        refractor = Refractor(CATALOG, references=references)
        assert refractor.repair(data).verdict == verdict
        assert refractor.check(data).verdict == ("valid" if verdict == "valid" else "invalid")
    decision = Hook(CATALOG, references=False)(data)
    assert decision.outcome == ("pass" if verdicts[2] == "valid" else "retry")


def test_without_references_memory_is_not_read_from_texts() -> None:
    for text in ("$x$", "${x}", "{{x}}", "a $x.y$"):
        data = openai("note", {"text": text, "count": "3"})
        result = repair(data, CATALOG, memory={"x": {"y": "hello"}}, references=False)
        assert result.sequence.dump() == openai("note", {"text": text, "count": 3})
    for text in ('note(text="$x[\'a\'].b$", count="3")', 'note(text="\\\\${x}$$x$", count="3")'):
        result = repair(text, CATALOG, memory={"x": 1}, references=False)
        assert result.sequence.dump() == [text.replace('"3"', "3")]
    text = "note(text='$x$', count='3')"
    assert repair(text, CATALOG, references=False).sequence.dump() == text.replace("'3'", "3")


def test_a_guarded_function_reads_memory_unless_it_may_not() -> None:
    memory = {"x": "hello"}
    guard = guarded(CATALOG, tool="note", memory=memory)
    assert guard(lambda text: text)("$x$") == "hello"
    guard = guarded(CATALOG, tool="note", memory=memory, references=False)
    for text in ("$x$", "$$y$", "${x}"):
        assert guard(lambda text: text)(text) == text


@pytest.mark.parametrize("stepwise", [False, True])
def test_rows_of_a_batch_hold_it_as_it_is(stepwise: bool) -> None:
    messages = [openai("note", {"text": "$AAPL$", "count": count}) for count in ("3", 3)]
    given, wanted = (message["tool_calls"] for message in messages)
    (row,) = analyse([{"sequence": given, "expected": wanted}], CATALOG, stepwise=stepwise)
    assert (row.verdict, row.calls) == ("repaired", wanted)
    assert row.expected.repaired
