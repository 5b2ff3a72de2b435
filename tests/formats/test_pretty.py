"""The printed form: one call a line."""

import pytest

from refract_asp.errors import FormatError
from refract_asp.formats import load_sequence
from refract_asp.formats.pretty import ask_text, call_text, confirm_text, source_text
from refract_asp.model import Ask, Call, ConfirmArgument, Constant, Reference, Structure

from .made import HOSTILE


def one(text: str) -> Call:
    sequence = load_sequence(text, "pretty")
    assert len(sequence.calls) == 1
    return sequence.calls[0]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_printed_on_one_visible_line_and_read_back(name: str) -> None:
    arguments = {name: Constant(value=name), "p": Reference(label=name)}
    call = Call(name=name, label=name, arguments=arguments)
    for given_call in (call, call.model_copy(update={"label": None})):
        line = call_text(given_call)
        assert line.isprintable()
        assert one(line) == given_call


def test_a_call_of_a_tool_named_like_a_pseudo_line_is_quoted() -> None:
    assert call_text(Call(name="ask")) == '"ask"()'
    assert call_text(Call(name="confirm", arguments={"a": Constant(value=1)})) == '"confirm"(a=1)'
    assert call_text(Call(name="ask", label="x")) == "x = ask()"


def test_sources_and_lines_as_text() -> None:
    assert source_text(Constant(value="a\x1b\u202e")) == '"a\\u001b\\u202e"'
    assert source_text(Constant(value="Zürich")) == '"Zürich"'
    assert source_text(Ask(name="date")) == "date"
    assert source_text(Ask(name="filter[price]")) == "\"$['filter[price]']$\""
    assert source_text(Reference(label="true", bare=True)) == '"$true$"'
    listed = Structure(value=[Ask(name="date"), Constant(value="$x$")])
    assert source_text(listed) == '["$date$", "$$x$"]'
    assert ask_text("a b") == 'ask("a b")'
    call = Call(name="T", arguments={"a": Constant(value=1)})
    assert confirm_text(call, ConfirmArgument(parameter="a")) == "confirm(a=1)"
    assert confirm_text(call, ConfirmArgument(parameter="b")) == "confirm(b=null)"
    with pytest.raises(FormatError, match="nan"):
        source_text(Constant(value=float("nan")))
