"""What is endless, huge or nested too deep is refused or stays cheap; what is built elsewhere is never run."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from declaring import ENDLESS
from refract_asp.errors import FormatError, InputError, LimitError
from refract_asp.formats import catalog_mistakes, load_catalog, load_memory, load_sequence
from refract_asp.formats.pretty import call_text
from refract_asp.formats.references import read_source, slot_text, source_value
from refract_asp.formats.values import UnreadableError, read_json_text
from refract_asp.formats.yaml_text import yaml_text
from refract_asp.model import Call, Constant, Reference


def nested(depth: int) -> Any:
    value: Any = "x"
    for level in range(depth):
        value = [value] if level % 2 else {"properties": value}
    return value


ROUND: dict[str, Any] = {}
ROUND["properties"] = {"a": ROUND}
ALIASES = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 10) + "]\n" for n in range(1, 12)
)
MANY = [{"name": "S"}] * 20_001
DEEP = "deeper than 64"
REFUSED: list[tuple[Callable[[Any], Any], Any, str]] = [
    *((load_sequence, f"T(a={'[' * depth}{']' * depth})", DEEP) for depth in (65, 900, 100_000)),
    *((load_sequence, "T(a=" + '{"a":' * n + "1" + "}" * n + ")", DEEP) for n in (65, 100_000)),
    (load_sequence, '[{"name": "T", "arguments": {"a": ' + "[" * 100_000, DEEP),
    (load_sequence, f"T(a={'9' * 5000})", "too many digits"),
    (read_source, ENDLESS, DEEP),
    *((read_source, nested(depth), DEEP) for depth in (65, 5000)),
    (source_value, Constant(value=nested(5000)), DEEP),
    (read_source, {"a": [0, float("nan")]}, r"^a\[1\]: nan is not a JSON value"),
    (read_source, {"a": {1: 2}}, "^a: the key 1 is not a text"),
    (read_source, {"a": {"b": object()}}, r"^a\.b: a value of type object"),
    (read_source, "\ud800", "half a character"),
    (read_source, 10**5000, "too many digits"),
    (slot_text, Reference(label="a", path=(-1,)), "index"),
    (slot_text, Reference(label="a", path=(10**9,)), "index"),
    (load_catalog, [{"name": "T", "input_schema": ROUND}], DEEP),
    (load_catalog, {"tools": [{"name": "T", "parameters": {"p": nested(200)}}]}, DEEP),
    (load_catalog, '[{"name": "T", "input_schema": {"default": NaN}}]', "NaN is not a JSON value"),
    (load_catalog, '{"tools": [{"name": "T", "inputSchema": {"maximum": 1e999}}]}', "too large"),
    (load_memory, ALIASES, "aliases repeat more than 100,000"),
    (load_memory, "a" * 20_000_001, "longer than 20,000,000"),
    (load_memory, "a: " + "9" * 5000, "too large"),
    (load_memory, "a: \x1b[31m", "not valid YAML"),
    (load_memory, "a: \ud800", "half a character"),
    *((load_sequence, text, f"longer than {len(text) - 1:,} characters. Give the calls in parts")
      for text in ("[" * 10_000_001, "x" * 1_000_001)),
    (load_sequence, "S()\n" * 20_001, "longer than 20,000 entries"),
    *((load_sequence, many, "than 20,000 entries") for many in (MANY, {"output": MANY}, json.dumps(MANY))),
    (load_sequence, f'[{{"name": "T", "arguments": {{"a": [{"1, " * 200_000}1]}}}}]', "than 200,000 values"),
    (load_sequence, f"I will do {{it}}:\n{'a ' * 150_000}", "prose is longer than 300,000 characters"),
    (load_memory, "- \n" * 1_000_001, "more than 1,000,000 values"),
    *((load_memory, text, DEEP) for text in ("- " * 20_000, "".join(f"{' ' * n}a:\n" for n in range(200)))),
]  # fmt: skip


@pytest.mark.parametrize(("load", "given", "message"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused(load: Callable[[Any], Any], given: Any, message: str) -> None:
    with pytest.raises((FormatError, LimitError), match=message) as raised:
        load(given)
    assert str(raised.value).isprintable()


def test_commas_inside_of_texts_are_no_values() -> None:
    table = '"a", [b], {c' * 100_000
    (call,) = load_sequence(json.dumps([{"name": "T", "arguments": {"a": table}}])).calls
    assert call.arguments["a"] == Constant(value=table)


def test_a_long_text_of_python_is_read_in_parts_and_none_of_them_shows() -> None:
    lines = [f"x{n} = f({n},\r\n  ['(', {{'a': -{n}}}])  # it's {n}" for n in range(1_500)]
    lines += ["y = g(x1.a, '''", "z = f(2)", "''')", "h(x1=1)"]
    text = "\r\n".join(lines)
    sequence = load_sequence(text, "python")
    assert sequence.dump() == text
    assert [call.label for call in sequence.calls] == [*(f"x{n}" for n in range(1_500)), "y", None]
    first, second = sequence.calls[-2].arguments.values()
    assert (first, second) == (Reference(label="x1", path=("a",)), Constant(value="\nz = f(2)\n"))
    with pytest.raises(FormatError, match=r"^<text>:3005:3: not valid Python"):
        load_sequence(f"{text}\r\nh(1 2)", "python")


def test_a_statement_too_long_for_the_parser_is_read_like_calls_in_prose() -> None:
    calls = [f"f(a={n}, c={[1] * 20})" for n in range(1_900)]
    text = f"[{', '.join(calls)}]"
    assert len(load_sequence(text).calls) == len(calls)
    with pytest.raises(FormatError, match="more than 100,000 characters outside of texts"):
        load_sequence(f"f(a={[1] * 40_000})", "python")


SAID = 'Search(query="a{}")'
CUT = [
    ("- " + SAID + "\n", "more than 2,000 calls"),
    ('{{"name": "Search", "arguments": {{"query": "{}"}}}}\n', "more than 2,000 objects and lists"),
]


@pytest.mark.parametrize(("line", "message"), CUT)
def test_no_call_in_prose_is_lost_without_a_word(line: str, message: str) -> None:
    for count in (301, 1_000):
        text = "I will do this:\n" + "".join(map(line.format, range(count)))
        assert len(load_sequence(text).calls) == count
    with pytest.raises(LimitError, match=message):
        load_sequence("I will do this:\n" + "".join(map(line.format, range(2_001))))


def test_brackets_without_end_are_told() -> None:
    text = "So it is { and\n" * 300 + CUT[1][0].format(1)
    with pytest.raises(LimitError, match="brackets that never close"):
        load_sequence(text)


def test_references_of_one_text_are_counted_as_they_are_read() -> None:
    read_source("$a.b$ " * 20_000)
    with pytest.raises(LimitError, match="more than 20,000 references"):
        read_source("$a.b$ " * 200_000)


@pytest.mark.parametrize("piece", ["{", "'", "/*", "{'a':", "[1,", "# \n", "'a' "])
def test_nearly_json_without_an_end(piece: str) -> None:
    with pytest.raises(UnreadableError):
        read_json_text(piece * (150_000 // len(piece)))


PYTHON = [
    "f(" * 1000 + ")" * 1000,
    "f(1" + "+1" * 50_000 + ")",
    "f(" + "-" * 100_000 + "1)",
    "f(x" + ".a" * 100_000 + ")",
    "(" * 100_000,
    "f('" + "x" * 2_000_000 + "')",
    "f(" + "not " * 50_000 + "x)",
    "f(a=" + "9" * 5000 + ")",
    "f(" + '"\\' * 400_000,
    "f(" + '\\"""\n' * 180_000,
]


@pytest.mark.parametrize("text", PYTHON, ids=range(len(PYTHON)))
def test_python_is_read_or_refused(text: str) -> None:
    """Of each so much that reading it would not end, were a part of it looked at again and again."""
    try:
        message = "" if len(load_sequence(text, "python").calls) == 1 else "\n"
    except InputError as error:
        message = str(error)
    assert message.isprintable()


def test_nothing_is_run(tmp_path: Any) -> None:
    path = tmp_path / "made"
    load_sequence(f"open({str(path)!r}, 'w')\n__import__('os').system('touch {path}')", "python")
    assert not path.exists()


def test_what_is_large_passes() -> None:
    assert source_value(read_source(nested(64))) == nested(64)
    text = "x$" * 50_000
    line = call_text(Call(name=text, arguments={text: Constant(value=text)}))
    assert load_sequence(line).calls[0].name == text
    names = [f"p{number}" for number in range(10_000)]
    schema = {"properties": {name: {"type": "string"} for name in names}, "required": names}
    assert len(load_catalog([{"name": "T", "input_schema": schema}]).tools[0].parameters) == 10_000
    for whole in ({"$ref": "#"}, {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}):
        load_catalog([{"name": "T", "input_schema": whole}])
    _, mistakes = catalog_mistakes([{"name": 5, "input_schema": {}}] * 1000)
    assert len(mistakes) == 101


def test_a_constant_is_a_copy() -> None:
    data = {"a": [1]}
    source, memory = read_source(data), load_memory(data)
    data["a"].append(2)
    assert (source, memory.values) == (Constant(value={"a": [1]}), {"a": [1]})


def test_yaml_that_would_not_be_read_back_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("refract_asp.formats.yaml_text.MAX_TEXT", 10)
    with pytest.raises(LimitError, match="Write it as JSON"):
        yaml_text("x" * 20)
