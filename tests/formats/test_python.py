"""Python call text: read as a syntax tree, never run."""

from typing import Any

import pytest

from refract_asp import Catalog, Refractor, Sequence
from refract_asp.errors import FormatError
from refract_asp.formats.python import bind_positions
from refract_asp.model import Call, Constant
from yaml_files import tables

TABLES = tables(__file__)


def read(text: str) -> tuple[Call, ...]:
    sequence = Sequence.load(text, "python")
    assert sequence.dump() == text
    return sequence.calls


def one(text: str) -> Call:
    (call,) = read(text)
    return call


def const(value: Any) -> Constant:
    return Constant(value=value)


CATALOG = Catalog.load(TABLES["catalog"])


def test_positions_get_the_names_that_the_tool_declares() -> None:
    tool = CATALOG.by_name["rotate"]
    call = one("rotate('x', 45)")
    assert bind_positions(call, tool).arguments == {"image": const("x"), "degrees": const(45)}
    assert bind_positions(call, None) is call
    for text in ("rotate('x', 45, 2)", "rotate('x', image='y')", "rotate(degrees=1)"):
        call = one(text)
        assert bind_positions(call, tool) is call
    mixed = bind_positions(one("rotate('x', degrees=45)"), tool)
    assert mixed.arguments == {"image": const("x"), "degrees": const(45)}


def test_valid_calls_by_position_come_back_untouched() -> None:
    text = "open_image('a.png').rotate(45)  # twice\nopen_image('b.png')"
    result = Refractor(CATALOG).repair(text)
    assert result.verdict == "valid"
    assert result.sequence.dump() == text


def test_only_a_statement_that_changed_is_printed_anew() -> None:
    lines = ["x = open_image('a.png')", "rotat(x, 45)", "open_image( 'b.png' )"]
    result = Refractor(CATALOG).repair("\n".join(lines))
    assert result.verdict == "repaired"
    wanted = [lines[0], "rotate(image=x, degrees=45)", lines[2]]
    assert result.sequence.dump() == "\n".join(wanted)
    too_many = Refractor(CATALOG).check("rotate('a', 1, 2)")
    assert any("*3" in str(violation.parameter) for violation in too_many.violations)


def test_other_formats_are_printed_as_python() -> None:
    sequence = Sequence.load('x = f(a="$y.z$", b=[true, {"c": "$x.d e$"}], c=who)\ng(a="$x$")')
    text = sequence.dump("python")
    assert text == "x = f(a=y.z, b=[True, {'c': x['d e']}], c=who)\ng(a='$x$')"
    assert Sequence.load(text, "python").calls == sequence.calls


@pytest.mark.parametrize("lines", TABLES["what python cannot say is not printed"])
def test_what_python_cannot_say_is_not_printed(lines: list[str]) -> None:
    with pytest.raises(FormatError):
        Sequence.load(lines, "pretty").dump("python")
