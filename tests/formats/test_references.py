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
from refract_asp.model import Call, Constant, Reference, Source, Structure, Template
from refract_asp.model.sequence import slots_of

from .made import TRICKY_TEXTS, sources, template_of, texts


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
