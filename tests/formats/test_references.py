"""References inside texts: what is one, what is text, and the escape that keeps them apart."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp.errors import FormatError, LimitError
from refract_asp.formats import read_source, slot_text, source_value
from refract_asp.formats.references import reads_as_body
from refract_asp.model import Ask, Constant, Reference, Structure, Template

from .made import TRICKY_TEXTS, constant, sources, texts


@pytest.mark.parametrize(
    ("text", "label", "path"),
    [
        ("$var1.skyId$", "var1", ("skyId",)),
        ("$date_from_user$", "date_from_user", ()),
        ("$_x$", "_x", ()),
        ("$a-b.c-d$", "a-b", ("c-d",)),
        ("$größe.höhe$", "größe", ("höhe",)),
        ("$var1.Exchange Rate$", "var1", ("Exchange Rate",)),
        ("$var1[0].id$", "var1", (0, "id")),
        ("$var1.a[12][3].b$", "var1", ("a", 12, 3, "b")),
        ("$var1.0$", "var1", ("0",)),
        ("$var1.it's$", "var1", ("it's",)),
        ("$var1['@odata.id']$", "var1", ("@odata.id",)),
        ("$var1['%24ref'].x$", "var1", ("$ref", "x")),
        ("$['page size']$", "page size", ()),
        ("$['it%27s 100%25']['']$", "it's 100%", ("",)),
    ],
)
def test_a_text_that_is_one_reference(text: str, label: str, path: tuple[str | int, ...]) -> None:
    reference = Reference(label=label, path=path)
    assert read_source(text) == reference
    assert slot_text(reference) == text
    assert read_source(text, asks=[label]) == (reference if path else Ask(name=label))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "$",
        "$$",
        "$$$$",
        "$100-$200",
        "$500-$1000",
        "US$$",
        "$var1.artist_id",
        "var1.x$",
        "$1st$",
        "$-a$",
        "$.x$",
        "$a b$",
        "$a.$",
        "$a..b$",
        "$a[x]$",
        "$a[-1]$",
        "$a[0]b$",
        "$a[1234567890]$",
        "$a['b$",
        "price: 5$ or 6$",
        '$["a"]$',
    ],
)
def test_a_text_without_a_reference_stays_byte_for_byte(text: str) -> None:
    assert constant(text)
    assert source_value(Constant(value=text)) == text


RATE = Reference(label="var1", path=("Exchange Rate",))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("100 * $var1.Exchange Rate$", ("100 * ", RATE)),
        ("$var1.Exchange Rate$ * 100", (RATE, " * 100")),
        ("$a$$b$", (Reference(label="a"), Reference(label="b"))),
        ("$a$b$", (Reference(label="a"), "b$")),
        ("$5 to $word$", ("$5 to ", Reference(label="word"))),
        ("$$a$ is $a$", ("$a$ is ", Reference(label="a"))),
        ("$$$a$", ("$", Reference(label="a"))),
        ("$$$$$a$.", ("$$", Reference(label="a"), ".")),
        ("a\n$x$\n", ("a\n", Reference(label="x"), "\n")),
    ],
)
def test_a_text_with_references_inside(text: str, parts: tuple[Any, ...]) -> None:
    assert read_source(text) == Template(parts=parts)
    assert source_value(Template(parts=parts)) == text


@pytest.mark.parametrize(
    ("literal", "written"),
    [
        ("$var1.x$", "$$var1.x$"),
        ("$$var1.x$", "$$$$var1.x$"),
        ("$a$b$", "$$a$$b$"),
        ("pay $100 or $amount$ now", "pay $100 or $$amount$ now"),
        ("$['q']$", "$$['q']$"),
    ],
)
def test_a_dollar_is_written_twice_only_where_it_would_read_as_a_reference(
    literal: str, written: str
) -> None:
    assert source_value(Constant(value=literal)) == written
    assert read_source(written) == Constant(value=literal)
    nested = {"a": [literal, 1]}
    assert source_value(Constant(value=nested)) == {"a": [written, 1]}
    assert read_source({"a": [written, 1]}) == Constant(value=nested)


def test_an_asked_name_is_an_ask_also_inside_a_text() -> None:
    assert read_source("$date$", asks={"date"}) == Ask(name="date")
    assert read_source("on $date$", asks={"date"}) == Template(parts=("on ", Ask(name="date")))
    assert read_source("$date.day$", asks={"date"}) == Reference(label="date", path=("day",))
    assert read_source(["$date$"], asks={"date"}) == Structure(value=[Ask(name="date")])


def test_structures_hold_references_and_constants_do_not() -> None:
    source = read_source({"a": [1, "$x$"], "b": {"c": [True, None]}, "$x$": ()})
    inner = Structure(value=[Constant(value=1), Reference(label="x")])
    assert source == Structure(
        value={"a": inner, "b": Constant(value={"c": [True, None]}), "$x$": Constant(value=[])}
    )
    assert read_source({"a": [1, {"b": "c"}]}) == Constant(value={"a": [1, {"b": "c"}]})


def test_a_constant_is_a_copy() -> None:
    given_list = [[1]]
    source = read_source(given_list)
    given_list[0].append(2)
    assert source == Constant(value=[[1]])


def _nested(depth: int) -> Any:
    value: Any = "x"
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


def test_the_depth_is_bounded_in_both_directions() -> None:
    assert source_value(read_source(_nested(64))) == _nested(64)
    for depth in (65, 5000):
        with pytest.raises(LimitError, match="deeper than 64"):
            read_source(_nested(depth))
        with pytest.raises(LimitError, match="deeper than 64"):
            source_value(Constant(value=_nested(depth)))
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(LimitError):
        read_source(endless)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": [0, float("nan")]}, r"place: a\[1\]: nan is not a JSON value"),
        (float("inf"), "place: inf is not"),
        ({"a": {1: 2}}, "place: a: the key 1 is not a text"),
        ({"a": {"b": object()}}, r"place: a\.b: a value of type object"),
        ({"a": b"x"}, "type bytes"),
        ("\ud800", "half a character"),
        pytest.param(10**5000, "too many digits", id="digits"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(value: Any, message: str) -> None:
    with pytest.raises((FormatError, LimitError), match=message):
        read_source(value, where="place")


@pytest.mark.parametrize(
    "text", ["a.b$c", "a.b$", "a['b$c']", "a[0].b$.c", "$", "['a$b']", "['a'].b$c"]
)
def test_no_part_of_a_reference_reaches_over_a_dollar(text: str) -> None:
    """So each search for one ends at the next dollar, and all of them together look at the text once."""
    assert not reads_as_body(text)


@settings(max_examples=examples(300))
@given(texts)
def test_every_text_survives_as_a_constant(text: str) -> None:
    assert read_source(source_value(Constant(value=text))) == Constant(value=text)


@settings(max_examples=examples(200))
@given(st.data())
def test_every_source_survives(data: st.DataObject) -> None:
    asks = data.draw(st.sampled_from([[], ["date"], ["we ird", "$x$"]]))
    source = data.draw(sources(asks, bare=False))
    assert repr(read_source(source_value(source), asks=asks)) == repr(source)


@pytest.mark.parametrize("text", TRICKY_TEXTS)
def test_what_was_read_is_written_as_it_stood(text: str) -> None:
    read = read_source(text)
    assert read_source(source_value(read)) == read


@pytest.mark.parametrize("index", [-1, 10**9])
def test_an_index_that_cannot_be_written_is_an_error(index: int) -> None:
    with pytest.raises(FormatError, match="index"):
        slot_text(Reference(label="a", path=(index,)))
