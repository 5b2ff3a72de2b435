"""References in the spellings of other systems: read where a label is borne, printed as they came in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp import Catalog, Refractor, Sequence
from refract_asp.formats import read_source, respell, source_value
from refract_asp.model import Call, Constant, Reference, Source, Structure, Template
from refract_asp.model.sources import slots_of

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
def test_a_text_that_is_one_reference(text: str, path: tuple[Any, ...], spelling: str) -> None:
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


def _source(parts: list[Any]) -> Source:
    joined: list[Any] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        elif part != "":
            joined.append(part)
    if all(isinstance(part, str) for part in joined):
        return Constant(value="".join(joined))
    return joined[0] if len(joined) == 1 else Template(parts=tuple(joined))


@settings(max_examples=examples(500))
@given(st.lists(_TEXTS | _REFERENCES, max_size=5).map(_source))
@example(_source(["$a.$var1.x"]))
@example(_source(["$a.\\", X, "$$a.${var1.x}{{var1.x}}"]))
@example(_source(["$zz.\\$var1-.$x"]))
@example(_source([Reference(label="zz", path=("\\",)), "var1.x"]))
def test_every_source_survives(source: Source) -> None:
    printed = source_value(source, LABELS)
    assert repr(read_source(printed, labels=LABELS)) == repr(source)


@settings(max_examples=examples(300))
@given(_TEXTS)
def test_labels_that_do_not_occur_change_nothing(text: str) -> None:
    assert repr(read_source(text, labels=["qq"])) == repr(read_source(text))


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(
    st.lists(_TEXTS | _REFERENCES, max_size=5).map(_source),
    st.sampled_from(["pretty", "nestful", "openai"]),
)
@example(_source(["$a.$var1.x"]), "pretty")
@example(_source(["$a.$var1.x"]), "nestful")
@example(_source(["$a.$var1.x"]), "openai")
def test_sequences_survive(source: Source, format: str) -> None:
    calls = [Call(name="A", label=label) for label in LABELS]
    sequence = Sequence(calls=(*calls, Call(name="B", arguments={"a": source})))
    again = Sequence.load(sequence.dump(format), format)
    assert again.calls[-1].arguments == sequence.calls[-1].arguments
