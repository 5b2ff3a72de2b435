"""YAML as JSON values: nothing guessed, nothing built, nothing endless; memory and mappings read it too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp.errors import FormatError, LimitError
from refract_asp.formats import load_memory
from refract_asp.formats import yaml_text as writing
from refract_asp.formats.values import Origin
from refract_asp.formats.yaml_text import parse_yaml, yaml_text

from .made import HOSTILE, scalars, values


def read(text: str) -> Any:
    return parse_yaml(text, Origin("<text>"))[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2024-08-15", "2024-08-15"),
        ("2024-08-15T10:00:00Z", "2024-08-15T10:00:00Z"),
        ("12:30", "12:30"),
        ("010", "010"),
        ("1_000", "1_000"),
        ("e5", "e5"),
        (".", "."),
        ("y", "y"),
        ("=", "="),
        ("0", 0),
        ("-12", -12),
        ("+3", 3),
        ("0x1F", 31),
        ("1.5", 1.5),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("-1.5E-2", -0.015),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("'1'", "1"),
        ('"no"', "no"),
        ("!!str 5", "5"),
        ("! 5", "5"),
        ("!!int 5", 5),
        ("|\n  a\n  b\n", "a\nb\n"),
    ],
)
def test_a_scalar(text: str, value: Any) -> None:
    assert repr(read(text)) == repr(value)
    if text and "\n" not in text:
        assert repr(read(f"a: [{text}]")) == repr({"a": [value]})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: &x {b: 1}\nc: *x", {"a": {"b": 1}, "c": {"b": 1}}),
        ("- &x 1\n- *x", [1, 1]),
        ("a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}", {"a": {"b": 1, "c": 2}, "d": {"c": 3, "b": 1}}),
        ("a: {<<: [{b: 1}, {b: 2, c: 2}]}", {"a": {"b": 1, "c": 2}}),
        ('a: {"<<": 1}', {"a": {"<<": 1}}),
        ("[]", []),
        ("# nothing", None),
        ("200: ok\n-1: no one", {"200": "ok", "-1": "no one"}),
    ],
)
def test_aliases_and_merge_keys(text: str, value: Any) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\non: 2", "^<text>:2: `on` is a truth value .*Put it in quotes."),
        ("parameters: {no: 1}", "^<text>:1: `no`"),
        ("enum: [SE, NO]", "^<text>:1: `NO` is a truth value .* or write true or false"),
        ("1.5: a", "^<text>:1: a key reads as 1.5, not as a text. Put it in quotes."),
        ("0x10: a", "a key reads as 16, not as a text"),
        ('1: a\n"1": b', "^<text>:2: the key '1' stands twice"),
        ("true: a", "^<text>:1: a key reads as true"),
        ("~: a", "a key reads as null"),
        ("? [a]\n: b", "a key is a list or an object"),
        ("a: &x [b]\n? *x\n: c", "a key is a list or an object"),
        ("a: 1\nb: 2\na: 3", "^<text>:3: the key 'a' stands twice \\(first in line 1\\)"),
        ("a: *b", "nothing is anchored as 'b'"),
        ("&a [*a]", "nothing is anchored as 'a'"),
        ("{<<: 5}", "takes an object"),
        ("a: 1\n--- \nb: 2", "^<text>:2: the text holds more than one document"),
        ("!!python/object/apply:os.system ['true']", "the tag .* is not allowed"),
        ("a: !!python/name:os.system x", "the tag .* is not allowed"),
        ("!!binary aGk=", "the tag .* is not allowed"),
        ("a: .nan", "not a JSON value"),
        ("a: -.inf", "not a JSON value"),
        ("a: 1e999", "too large"),
        ("a: " + "9" * 5000, "too large"),
        ("a: [1", "^<text>:[12]: not valid YAML"),
        ("a: b: c", "^<text>:1: not valid YAML"),
        ("a:\n\tb: 1", "^<text>:2: not valid YAML"),
        ("a: \x1b[31m", "not valid YAML"),
        ("a: \ud800", "half a character"),
        ('a: "\\ud800"', "^<text>:1: "),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as raised:
        read(text)
    assert str(raised.value).isprintable()


def test_aliases_cannot_blow_up() -> None:
    lines = ["a0: &a0 [" + ", ".join(["x"] * 10) + "]"]
    lines += [f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 10) + "]" for n in range(1, 12)]
    with pytest.raises(LimitError, match="aliases repeat more than 100,000"):
        read("\n".join(lines))


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        "- " * 20_000,
        '{"a": ' * 100_000,
        "\n".join(" " * n + "a:" for n in range(200)),
    ],
)
def test_depth_is_bounded(text: str) -> None:
    with pytest.raises(LimitError, match="deeper than 64"):
        read(text)


def test_size_is_bounded() -> None:
    with pytest.raises(LimitError, match="longer than 20,000,000"):
        read("a" * 20_000_001)


@settings(max_examples=examples(100))
@given(
    st.dictionaries(st.text(max_size=6), values, max_size=3).filter(
        lambda data: json.dumps(data, ensure_ascii=False).isprintable()
    )
)
def test_what_json_holds_yaml_reads_alike(data: dict[str, Any]) -> None:
    assert repr(read(json.dumps(data, ensure_ascii=False))) == repr(data)
    assert repr(load_memory(json.dumps(data)).values) == repr(data)
    assert repr(load_memory(data).values) == repr(data)


def test_memory_from_files(tmp_path: Path) -> None:
    for name, text in {
        "m.json": '{"a": [1, null]}',
        "m.yaml": "a: [1, ~]",
        "n.yml": '{"a": [1, null]}',
    }.items():
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        assert load_memory(path).values == {"a": [1, None]}


def test_memory_is_a_copy() -> None:
    data = {"a": [1]}
    memory = load_memory(data)
    data["a"].append(2)
    assert memory.values == {"a": [1]}


# -- writing ---------------------------------------------------------------------------

WORDS = ["no", "yes", "1e3", "0x1F", "010", "1_000", "~", "", "null", "<<", "=", "12:30", ".inf"]
LINES = ["a\nb", "a\n", "\na", "a\n\nb\n\n", " a\nb", "a \nb", "- a\n- b", "a: 1\nb", "---\na"]
texts = st.text(max_size=12) | st.sampled_from([*WORDS, *LINES, *HOSTILE])
printed: st.SearchStrategy[Any] = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=examples(400))
@given(printed)
@example(["x" * 300, "word " * 100, {"x" * 300: 1}])
@example([[], {}, [[]], "\U000e0001", "\U0001f600"])
def test_every_value_reads_back(value: Any) -> None:
    text = yaml_text(value)
    assert text.replace("\n", "").isprintable()
    assert repr(parse_yaml(text, Origin())[0]) == repr(value)
    assert repr(yaml.safe_load(text)) == repr(value)


def test_what_would_not_be_read_back_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "MAX_TEXT", 10)
    with pytest.raises(LimitError, match="Write it as JSON"):
        yaml_text("x" * 20)
