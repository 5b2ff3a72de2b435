"""References inside texts: what is one, what is text, the escape between them, and the spellings of others."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp import Catalog, Refractor, Sequence
from refract_asp.errors import FormatError, LimitError
from refract_asp.formats import (
    mark_malformed,
    read_source,
    respell,
    slot_text,
    source_value,
)
from refract_asp.model import Ask, Call, Constant, Reference, Source, Structure, Template
from refract_asp.model.sequence import slots_of

from .made import TRICKY_TEXTS, constant, sources, template_of, texts


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


# -- other spellings -------------------------------------------------------------------

LABELS = ["var1", "x", "a-b", "größe"]
X = Reference(label="var1", path=("x",))


@pytest.mark.parametrize(
    ("text", "path", "spelling"),
    [
        ("$var1.x$", ("x",), "dollars"),
        ("$var1.x", ("x",), "dollar"),
        ("$var1", (), "dollar"),
        ("$var1[0].x-y", (0, "x-y"), "dollar"),
        ("$var1['a b']", ("a b",), "dollar"),
        ("${var1.x}", ("x",), "braces"),
        ("${ var1.Exchange Rate }", ("Exchange Rate",), "braces"),
        ("${var1}", (), "braces"),
        ("{{var1.x}}", ("x",), "curly"),
        ("{{ var1.items[12].id }}", ("items", 12, "id"), "curly"),
        ("{{var1['a}}b']}}", ("a}}b",), "curly"),
    ],
)
def test_a_text_that_is_one_reference_in_any_spelling(
    text: str, path: tuple[Any, ...], spelling: str
) -> None:
    source = read_source(text, labels=LABELS)
    assert isinstance(source, Reference)
    assert (source.label, source.path, source.spelling) == ("var1", path, spelling)
    printed = source_value(source, LABELS)
    assert read_source(printed, labels=LABELS) == source
    assert printed == text or " " in text


@pytest.mark.parametrize(
    "text",
    ["${HOME}", "{{name}}", "$x2y", "$HOME/bin", "${y.x}", "{{ user.name }}", "$5", "${var1", "{{var1.x}",
     "{{var1. }}", "${var1.}", "{{{var1", "$", "{{}}", "${}", "\\$y", "C:\\{{y}}", "var1.x"],
)  # fmt: skip
def test_what_stays_text(text: str) -> None:
    assert read_source(text, labels=LABELS) == Constant(value=text)
    assert source_value(Constant(value=text), LABELS) == text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("from $var1.x to ${var1.x}.", ("from ", X, " to ", X, ".")),
        ("$var1.x, $var1.x and $var1.x", (X, ", ", X, " and ", X)),
        ("$var1.x. Then", (X, ". Then")),
        ("{{{var1.x}}}", ("{", X, "}")),
        ("$${var1.x}", ("$", X)),
        ("\\\\${var1.x}", ("\\", X)),
        ("$var1.x$ or {{var9.x}}", (X, " or ", Reference(label="var9", path=("x",)))),
    ],
)
def test_references_among_text(text: str, parts: tuple[Any, ...]) -> None:
    source = read_source(text, labels=LABELS)
    assert source == Template(parts=parts)
    assert source_value(source, LABELS) == text


@pytest.mark.parametrize(
    "text", ["${var1.x}", "a {{var1.x}} b", "$var1", "$var1.x and $var1.x", "\\${var1.x}"]
)
def test_text_that_looks_like_a_reference_is_escaped(text: str) -> None:
    printed = source_value(Constant(value=text), LABELS)
    assert "\\" in printed
    assert read_source(printed, labels=LABELS) == Constant(value=text)
    assert source_value({"a": 1} and Constant(value={"k": [text]}), LABELS) == {"k": [printed]}


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("$a.$var1.x", "$a.\\$var1.x"),
        ("$$a.$var1.x", "$$a.\\$var1.x"),
        ("$a[0].${ var1.x }", "$a[0].\\${ var1.x }"),
        ("$a.\\$var1.x", "$a.\\\\\\$var1.x"),
        ("$a.$$var1.x", "$a.$\\$var1.x"),
        ("$a.$var1-.$x", "$a.\\$var1-.\\$x"),
        ("$a.$var1.x$", "$a.$$var1.x$"),
    ],
)
def test_the_escape_of_one_reference_does_not_become_a_part_of_another(
    text: str, printed: str
) -> None:
    source = Constant(value=text)
    assert source_value(source, LABELS) == printed
    assert read_source(printed, labels=LABELS) == source


def test_a_field_that_ends_in_a_backslash_is_read_where_nothing_is_escaped_after_it() -> None:
    odd = Reference(label="a", path=("\\",))
    for text, after in (
        ("$a.\\$", ()),
        ("$a.\\$b", ("b",)),
        ("$a.\\$zz.x", ("zz.x",)),
        ("$a.\\$$var1.x", (X,)),
    ):
        assert read_source(text, labels=LABELS) == (Template(parts=(odd, *after)) if after else odd)


def test_nested_values() -> None:
    source = read_source({"a": ["${var1.x}", "no"], "b": "{{y}}"}, labels=LABELS)
    inner = Structure(value=[X, Constant(value="no")])
    assert source == Structure(value={"a": inner, "b": Constant(value="{{y}}")})


def test_labels_written_like_one_count() -> None:
    sequence = Sequence.load(
        [
            {"name": "A", "label": "var1"},
            {"name": "B", "arguments": {"a": "${var9.x}", "b": "${v9.x}"}},
        ]
    )
    assert sequence.calls[1].arguments == {
        "a": Reference(label="var9", path=("x",)),
        "b": Constant(value="${v9.x}"),
    }


TOOLS = Catalog.load(
    {
        "tools": [
            {"name": "A", "effect": "read", "returns": {"place": "string", "id": "string"}},
            {"name": "B", "effect": "read", "parameters": {"place": {"type": "string", "required": True},
                                                           "id": {"type": "string"}}},
        ]
    }
)  # fmt: skip


@pytest.mark.parametrize("form", ["$l.p$", "$l.p", "${l.p}", "{{l.p}}"])
def test_a_repair_writes_references_as_they_came_in(form: str) -> None:
    def written(label: str, field: str) -> str:
        return form.replace("l", label).replace("p", field, 1) if label != "l" else form

    calls = [
        {"name": "A", "arguments": {}, "label": "var1"},
        {
            "name": "B",
            "arguments": {"place": written("var7", "place"), "id": written("var1", "idd")},
            "label": None,
        },
    ]
    result = Refractor(TOOLS, confirm="never").repair(calls)
    wanted = {"place": written("var1", "place"), "id": written("var1", "id")}
    assert result.sequence.dump()[1]["arguments"] == wanted
    missing = [calls[0], {"name": "B", "arguments": {"id": written("var1", "id")}, "label": None}]
    filled = Refractor(TOOLS, confirm="never").repair(missing)
    assert filled.sequence.dump()[1]["arguments"] == wanted


def test_labels_that_memory_knows() -> None:
    calls = [
        {
            "name": "B",
            "arguments": {"place": "${known.place}", "id": "{{known.id}} of ${HOME}"},
            "label": None,
        }
    ]
    memory = {"known": {"place": "x", "id": "y"}}
    refractor = Refractor(TOOLS)
    result = refractor.repair(calls, memory=memory)
    assert result.verdict == "valid"
    assert {slot.label for s in result.given.calls[0].arguments.values() for slot in slots_of(s)
            if isinstance(slot, Reference)} == {"known"}  # fmt: skip
    assert result.sequence.dump() == calls
    wrong = [{"name": "B", "arguments": {"place": "${known.plce}"}, "label": None}]
    mended = refractor.repair(wrong, memory=memory)
    assert mended.answer(confirmed=True).dump()[0]["arguments"] == {"place": "${known.place}"}


def test_respelling_leaves_the_rest_alone() -> None:
    values: dict[str, Any] = {
        "a": ["${known.x}", {"b": "${HOME}"}],
        "c": "to ${known.x}, then $var1.x$",
        "d": "\\${known.x}",
        "e": 5,
    }
    sequence = Sequence.load([{"name": "A", "label": "var1"}, {"name": "B", "arguments": values}])
    assert respell(sequence, ["var1", "other"]) is sequence
    assert respell(sequence, []) is sequence
    respelt = respell(sequence, ["known"])
    arguments = respelt.calls[1].arguments
    known = Reference(label="known", path=("x",))
    assert arguments["a"] == Structure(value=[known, Constant(value={"b": "${HOME}"})])
    assert arguments["c"] == Template(parts=("to ", known, ", then ", X))
    assert arguments["d"] == Constant(value="\\${known.x}")
    assert respelt.dump() == sequence.dump()


@pytest.mark.parametrize(
    "text",
    [
        "${var1.x$y}",
        "{{var1.x$y}}",
        "${var1.x{y}",
        "{{var1.x{y}}",
        "{{var1.x}y}}",
        "${var1['x$y']}",
    ],
)
def test_no_reference_reaches_over_a_dollar_or_a_brace(text: str) -> None:
    """So each search for one ends at the next of them, and all of them together look at the text once."""
    assert read_source(text, labels=LABELS) == Constant(value=text)


_PATHS = st.lists(
    st.sampled_from(["x", "a b", "x ", ",", "a.b", "}", "{{", "é", "", "it's", "var1", "a-", "\\"])
    | st.integers(0, 12),
    max_size=2,
).map(tuple)
_REFERENCES = st.builds(
    lambda label, path, spelling: Reference(
        label=label, path=path, spelling=spelling if label != "zz" else "dollars"
    ),
    st.sampled_from([*LABELS, "var9", "zz"]),
    _PATHS,
    st.sampled_from(["dollars", "dollar", "braces", "curly"]),
)
_TEXTS = st.lists(
    st.text(alphabet="$\\{}.[] ,'a", max_size=4)
    | st.sampled_from(
        ["$var1.x", "${var1.x}", "{{var1.x}}", "$x$", "var1.x", "x", "${", "}", "$var1.x, "]
    ),
    max_size=4,
).map("".join)


@settings(max_examples=examples(500))
@given(st.lists(_TEXTS | _REFERENCES, max_size=5).map(template_of))
@example(template_of(["$a.$var1.x"]))
@example(template_of(["$a.\\", X, "$$a.${var1.x}{{var1.x}}"]))
@example(template_of(["$zz.\\$var1-.$x"]))
@example(template_of([Reference(label="zz", path=("\\",)), "var1.x"]))
def test_every_source_survives_in_any_spelling(source: Source) -> None:
    printed = source_value(source, LABELS)
    assert repr(read_source(printed, labels=LABELS)) == repr(source)


@settings(max_examples=examples(300))
@given(_TEXTS)
def test_labels_that_do_not_occur_change_nothing(text: str) -> None:
    assert repr(read_source(text, labels=["qq"])) == repr(read_source(text))


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(
    st.lists(_TEXTS | _REFERENCES, max_size=5).map(template_of),
    st.sampled_from(["pretty", "nestful", "openai"]),
)
@example(template_of(["$a.$var1.x"]), "pretty")
@example(template_of(["$a.$var1.x"]), "nestful")
@example(template_of(["$a.$var1.x"]), "openai")
def test_sequences_survive(source: Source, format: str) -> None:
    calls = [Call(name="A", label=label) for label in LABELS]
    sequence = Sequence(calls=(*calls, Call(name="B", arguments={"a": source})))
    again = Sequence.load(sequence.dump(format), format)
    assert again.calls[-1].arguments == sequence.calls[-1].arguments


# -- what means a reference and cannot be read as one ----------------------------------

DECLARED = {("items",), ("items", 0), ("items", 0, "id"), ("id",)}
ITEM = ("a", ("items", 0, "id"))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("$a.items[-1].id$", ITEM),
        ("$a.items[first].id$", ITEM),
        ("$b.items[*].id$", ("b", ("items", 0, "id"))),
        ("$a[x y].id$", ("a", ("x y", "id"))),
        ("{{steps.a.id}}", ("a", ("id",))),
        ("{a.id}", ("a", ("id",))),
        ("<a.id>", ("a", ("id",))),
        ("a.id", ("a", ("id",))),
        ("a.result.id", ("a", ("id",))),
        ("a.name", None),
        ("b.id", None),
        ("{{b.id}}", None),
        ("$a.items[0].id$", None),
        ("to $a.items[-1].id$", None),
        ("a.id" * 200, None),
    ],
)
def test_what_clearly_means_a_reference(text: str, meant: Any) -> None:
    calls = [{"name": "Find", "label": "a"}, {"name": "Read", "arguments": {"id": {"k": [text]}}}]
    sequence = Sequence.load(calls)
    given_source = sequence.calls[1].arguments["id"]
    marked = mark_malformed(sequence, (), lambda tool, path: path in DECLARED)
    if meant is None:
        assert marked is sequence
        return
    read = Reference(label=meant[0], path=meant[1], written=text)
    assert marked.calls[1].arguments["id"] == Structure(value={"k": Structure(value=[read])})
    assert given_source == sequence.calls[1].arguments["id"]
    assert marked.dump() == sequence.dump()
