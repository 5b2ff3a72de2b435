"""The printed form: one call a line."""

import pytest

from refract_asp.errors import FormatError
from refract_asp.formats import load_sequence
from refract_asp.formats.pretty import call_text, confirm_text, source_text
from refract_asp.model import Call, ConfirmArgument, Constant, Reference

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


def test_what_no_text_reads_as() -> None:
    assert source_text(Reference(label="true", bare=True)) == '"$true$"'
    assert confirm_text(Call(name="T"), ConfirmArgument(parameter="b")) == "confirm(b=null)"
    with pytest.raises(FormatError, match="nan"):
        source_text(Constant(value=float("nan")))
