"""The printed form: one call a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from tests.depth import examples

from refract_asp.errors import FormatError, InputError, LimitError, UnknownFormatError
from refract_asp.formats import (
    ask_text,
    call_text,
    confirm_text,
    dump_sequence,
    load_sequence,
    source_text,
)
from refract_asp.model import (
    Ask,
    Call,
    ConfirmArgument,
    ConfirmDrop,
    ConfirmTool,
    Constant,
    Reference,
    Sequence,
    Structure,
    Template,
)

from .made import HOSTILE, same, sequences

TRAVEL = """\
ask(originSkyId)
var1 = SkyScrapperSearchAirport(query="New York")
var2 = SkyScrapperSearchAirport(query="London")
confirm(originEntityId="$var1.entityId$")
confirm(SkyScrapperFlightSearch)
confirm(without adults)
var3 = SkyScrapperFlightSearch(originSkyId=originSkyId, originEntityId="$var1.entityId$", date=date_from_user)
return {"flights": "$var3$"}"""


def one(text: str) -> Call:
    sequence = load_sequence(text, "pretty")
    assert len(sequence.calls) == 1
    return sequence.calls[0]


def test_everything_that_a_sequence_can_hold() -> None:
    sequence = load_sequence(TRAVEL)
    assert sequence.asks == ("originSkyId",)
    assert [call.label for call in sequence.calls] == ["var1", "var2", "var3"]
    assert sequence.calls[0].arguments == {"query": Constant(value="New York")}
    assert sequence.calls[2].arguments == {
        "originSkyId": Ask(name="originSkyId"),
        "originEntityId": Reference(label="var1", path=("entityId",)),
        "date": Reference(label="date_from_user", bare=True),
    }
    assert sequence.calls[2].confirms == (
        ConfirmArgument(parameter="originEntityId"),
        ConfirmTool(),
        ConfirmDrop(parameter="adults"),
    )
    assert sequence.returns == {"flights": Reference(label="var3")}
    assert sequence.format == "pretty"
    assert sequence.dump() == TRAVEL.split("\n")
    assert str(sequence) == TRAVEL


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"x"', "x"),
        ("1", 1),
        ("-1.5e3", -1500.0),
        ("true", True),
        ("false", False),
        ("null", None),
        ('[1, "a", {"b": []}]', [1, "a", {"b": []}]),
        ('"a\\u0041\\n\\"b\\""', 'aA\n"b"'),
        ('"a, b) # c ="', "a, b) # c ="),
        ('"$100-$200"', "$100-$200"),
        ('"$$var1.x$"', "$var1.x$"),
    ],
)
def test_a_value_is_any_json(text: str, value: Any) -> None:
    assert repr(one(f"T(a={text})").arguments) == repr({"a": Constant(value=value)})


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("T()", Call(name="T")),
        ("  v = T ( ) ; ", Call(name="T", label="v")),
        (
            "v=T(a = 1 ,b=2,)",
            Call(name="T", label="v", arguments={"a": Constant(value=1), "b": Constant(value=2)}),
        ),
        (
            "WeatherAPI.com_Realtime(q=1)",
            Call(name="WeatherAPI.com_Realtime", arguments={"q": Constant(value=1)}),
        ),
        ("v = Real-Time_Search()", Call(name="Real-Time_Search", label="v")),
        (
            '"we(ird" = "a\\nb"("p q"=1)',
            Call(name="a\nb", label="we(ird", arguments={"p q": Constant(value=1)}),
        ),
        ("T(\n  a=[\n1,\n2],\n)\n", Call(name="T", arguments={"a": Constant(value=[1, 2])})),
        ("\ufeff# first\r\n\r\n  # second\r\nT()\r\n# last", Call(name="T")),
        ("T()  # why", Call(name="T")),
        ('x = ask(q="v")', Call(name="ask", label="x", arguments={"q": Constant(value="v")})),
        ('ask(q="v")', Call(name="ask", arguments={"q": Constant(value="v")})),
        ('"ask"(q="v")', Call(name="ask", arguments={"q": Constant(value="v")})),
        ("ask()", Call(name="ask")),
        ("confirm()", Call(name="confirm")),
        (
            'x = confirm(q="v")',
            Call(name="confirm", label="x", arguments={"q": Constant(value="v")}),
        ),
        ('"confirm"(q=1)', Call(name="confirm", arguments={"q": Constant(value=1)})),
        ("return(a=1)", Call(name="return", arguments={"a": Constant(value=1)})),
        ("return = T()", Call(name="T", label="return")),
        (
            'T(a={"b": "$x.y$", "c": "to $x$"})',
            Call(
                name="T",
                arguments={
                    "a": Structure(
                        value={
                            "b": Reference(label="x", path=("y",)),
                            "c": Template(parts=("to ", Reference(label="x"))),
                        }
                    )
                },
            ),
        ),
    ],
)
def test_a_call(text: str, call: Call) -> None:
    assert one(text) == call


def test_a_call_that_could_not_be_read_says_why() -> None:
    call = one('x = T(!  "cut \\"off\\"" )')
    assert call == Call(name="T", label="x", malformed='cut "off"')
    assert one(call_text(call)) == call
    assert call_text(call) == 'x = T(! "cut \\"off\\"")'
    with pytest.raises(FormatError, match="Nothing follows the reason"):
        load_sequence('T(! "why", a=1)', "pretty")


def test_asks_count_wherever_their_line_stands() -> None:
    sequence = load_sequence(
        'T(a=x, b="$x$", c="to $x$", d=["$x$"], e="$x.y$", f=z)\nask(x, "a b")\nask(x)'
    )
    assert sequence.asks == ("x", "a b")
    assert sequence.calls[0].arguments == {
        "a": Ask(name="x"),
        "b": Ask(name="x"),
        "c": Template(parts=("to ", Ask(name="x"))),
        "d": Structure(value=[Ask(name="x")]),
        "e": Reference(label="x", path=("y",)),
        "f": Reference(label="z", bare=True),
    }


def test_several_calls_on_a_line_need_a_semicolon() -> None:
    assert len(load_sequence("a = T(); b = U();").calls) == 2


@pytest.mark.parametrize("data", ["", "  \n", "# nothing\n", [""], ["# nothing", " "]])
def test_an_empty_text_is_an_empty_sequence(data: Any) -> None:
    assert same(load_sequence(data), Sequence())


def test_a_list_of_texts_is_read_line_by_line() -> None:
    lines = ["ask(q)", "confirm(S)", "var1 = S(q=q)", "a = T(); b = U()", 'return {"x": "$a$"}']
    assert same(load_sequence(lines), load_sequence("\n".join(lines)))
    assert same(load_sequence('["a = T()"]'), load_sequence("a = T()"))


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ('T("x")', "<text>:1:3", "argument 1 of 'T' has no name"),
        ('T(a=1, "x")', "<text>:1:8", "argument 2 of 'T' has no name"),
        ("T(5)", "<text>:1:3", "argument 1"),
        ("T($v.x$)", "<text>:1:3", "argument 1"),
        ("T([1])", "<text>:1:3", "argument 1"),
        ('T(a="x"', "<text>:1:8", "not closed. The text seems to be cut off"),
        ('T(a="x', "<text>:1:5", "Unterminated string. The text seems to be cut off"),
        ("T(a=", "<text>:1:5", "a value is expected"),
        ("T(", "<text>:1:3", "not closed"),
        ("a = T()\nb = U(a=[1,", "<text>:2:12", "cut off"),
        ("T(a=1 b=2)", "<text>:1:7", "',' or '\\)' is expected"),
        ("T(a=2024-08-15)", "<text>:1:9", "double quotes"),
        ("T(a='x')", "<text>:1:5", "double quotes"),
        ("T(a=$v.x$)", "<text>:1:5", "references stand in double quotes"),
        ("T(a=True)", "<text>:1:5", "True is not a JSON value. Write true"),
        ("T(a=NaN)", "<text>:1:5", "NaN is not"),
        ("T(a=[Infinity])", "<text>:1:5", "Infinity is not"),
        ("T(a=1e999)", "<text>:1:5", "too large"),
        ('T(a={"b": 1, "b": 2})', "<text>:1:5", "the key 'b' twice"),
        ("T(a=1, a=2)", "<text>:1:8", "'a' is given twice"),
        ("T(a=U(b=1))", "<text>:1:6", "a call cannot stand inside a call"),
        ("T() U()", "<text>:1:4", "one call a line"),
        ("x == T()", "<text>:1:4", "a tool is expected"),
        ("x T()", "<text>:1:3", "'\\(' is expected after 'x'"),
        ("= T()", "<text>:1:1", "a call is expected"),
        ("T(a=`x`)", "<text>:1:5", "a value is expected"),
        ("ask(a b)", "<text>:1:7", "',' or '\\)'"),
        ("ask(a", "<text>:1:6", "not closed"),
        ("\nconfirm(a=1)", "<text>:2:1", "no call follows this confirm"),
        ("confirm(a=2)\nT(a=1)", "<text>:1:1", "what is confirmed, 'a', is not what"),
        ("confirm(a=1)\nT(a=true)", "<text>:1:1", "what is confirmed, 'a'"),
        ("confirm(b=1)\nT(a=1)", "<text>:1:1", "what is confirmed, 'b'"),
        ("confirm(U)\nT(a=1)", "<text>:1:1", "what is confirmed, 'U'"),
        ('return {"a": 1}\nT()', "<text>:2:1", "nothing may follow the return"),
        ('return {"a": 1}\nreturn {"a": 1}', "<text>:2:1", "nothing may follow the return"),
        ('return {"a": 1', "<text>:1:15", "cut off"),
        ('T(a="x\ny")', "<text>:1:7", "Invalid control character"),
        ('"\\ud800"()', "<text>:1:1", "half a character"),
        ('T(a=["\\ud800"])', "<text>:1:1", r"T: a: \[0\]: the text holds half a character"),
        ("T(\ud800=1)", "<text>:1:1", "half a character"),
    ],
)
def test_a_mistake_is_named_with_line_and_column(text: str, place: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as raised:
        load_sequence(text, "pretty")
    assert raised.value.where.startswith(place)


@pytest.mark.parametrize("depth", [65, 900, 100_000])
def test_deep_values_are_refused(depth: int) -> None:
    with pytest.raises(LimitError, match="deeper than 64"):
        load_sequence(f"T(a={'[' * depth}{']' * depth})")
    with pytest.raises(LimitError, match="deeper than 64"):
        load_sequence("T(a=" + '{"a":' * depth + "1" + "}" * depth + ")")


def test_numbers_of_many_digits_are_refused() -> None:
    with pytest.raises(LimitError, match="too many digits"):
        load_sequence(f"T(a={'9' * 5000})")


@pytest.mark.parametrize("item", [1, None, ["T()"], {"name": "T"}])
def test_a_list_holds_texts_only(item: Any) -> None:
    with pytest.raises(FormatError, match=r"\[1\]: a text is needed"):
        load_sequence(["T()", item], "pretty")
    with pytest.raises(InputError, match="a text or a list of texts"):
        load_sequence({"name": "T"}, "pretty")


def test_a_mistake_in_a_list_names_the_item() -> None:
    with pytest.raises(FormatError, match=r"^\[1\]:1:3: argument 1"):
        load_sequence(["T()", "U(1)"])


def test_a_mistake_in_a_file_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "calls.txt"
    path.write_text("T()\nU(a=1, a b)\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"calls\.txt:2:8: argument 2"):
        load_sequence(path)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_printed_on_one_visible_line_and_read_back(name: str) -> None:
    call = Call(
        name=name,
        label=name,
        arguments={name: Constant(value=name), "p": Reference(label=name)},
    )
    for given_call in (call, call.model_copy(update={"label": None})):
        line = call_text(given_call)
        assert line.isprintable()
        assert one(line) == given_call


def test_long_texts_pass() -> None:
    text = "x$" * 50_000
    assert one(call_text(Call(name=text, arguments={text: Constant(value=text)}))).name == text


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
    assert (
        source_text(Structure(value=[Ask(name="date"), Constant(value="$x$")]))
        == '["$date$", "$$x$"]'
    )
    assert ask_text("a b") == 'ask("a b")'
    call = Call(name="T", arguments={"a": Constant(value=1)})
    assert confirm_text(call, ConfirmArgument(parameter="a")) == "confirm(a=1)"
    assert confirm_text(call, ConfirmArgument(parameter="b")) == "confirm(b=null)"
    with pytest.raises(FormatError, match="nan"):
        source_text(Constant(value=float("nan")))


def test_prose_is_no_sequence() -> None:
    with pytest.raises(UnknownFormatError, match=r"Tried: .*pretty"):
        load_sequence("I would search for flights first")


@settings(max_examples=examples(150))
@given(sequences())
def test_every_sequence_reads_back(sequence: Sequence) -> None:
    lines = dump_sequence(sequence, "pretty")
    assert all(line.isprintable() for line in lines)
    assert same(load_sequence(lines, "pretty"), sequence)
    assert same(load_sequence("\n".join(lines), "pretty"), sequence)
