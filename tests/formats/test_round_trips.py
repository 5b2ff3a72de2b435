"""What is made up, however hostile, is printed in every form and read back as the same."""

import json
from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp import Sequence
from refract_asp.errors import FormatError
from refract_asp.formats import dump_catalog, load_catalog, load_memory
from refract_asp.formats.model_dialects import NO_TOOLS
from refract_asp.formats.references import read_source, source_value
from refract_asp.formats.values import Origin, UnreadableError, read_json_text
from refract_asp.formats.yaml_text import parse_yaml, yaml_text
from refract_asp.model import Call, Catalog, Constant, Parameter, Reference, Source, Tool
from refract_asp.model.catalog import legal_name

from . import made
from .chat_formats import FORMATS

# -- sequences -------------------------------------------------------------------------


@settings(max_examples=examples(150))
@given(made.sequences())
def test_the_printed_form(sequence: Sequence) -> None:
    lines = sequence.dump("pretty")
    assert all(line.isprintable() for line in lines)
    for text in (lines, "\n".join(lines)):
        assert made.same(Sequence.load(text, "pretty"), sequence)


@settings(max_examples=examples(100))
@given(made.sequences(bare=False))
def test_nestful(sequence: Sequence) -> None:
    data = sequence.dump("nestful")
    for text in (data, json.dumps(data)):
        assert made.same(Sequence.load(text, "nestful"), sequence)


HELD = st.dictionaries(made.names, made.sources([], bare=False), max_size=2)
CALL = st.builds(Call, name=made.names, arguments=HELD, label=st.none() | made.labels)


@pytest.mark.slow
@pytest.mark.parametrize("format", [*(form.name for form in FORMATS), "loose"])
@settings(max_examples=examples(40))
@given(drawn=st.lists(CALL, min_size=1, max_size=3))
def test_calls_of_chats(format: str, drawn: list[Call]) -> None:
    calls = [call.model_copy(update={"id": f"id{n}"}) for n, call in enumerate(drawn)]
    if format == "loose":  # which takes `\_` for an underscore, `<` for a tag, `None` for no tool
        plain = [call.model_copy(update={"name": call.name.replace("\\", "")}) for call in calls]
        calls = [each for each in plain if "<" not in each.name and each.name not in NO_TOOLS]
    if not calls:
        return
    printed = Sequence(calls=tuple(calls)).dump(format)
    if format not in ("loose", "mcp"):  # providers of models refuse other names
        calls = [each.model_copy(update={"name": legal_name(each.name)}) for each in calls]
    for text in [printed] if isinstance(printed, str) else [printed, json.dumps(printed)]:
        again = Sequence.load(text, format)
        assert repr(again.calls) == repr(tuple(calls))
        assert again.dump() == printed
        assert Sequence.load(text).format == format


WORDS = st.sampled_from(["x", "y1", "city", "größe", "var1"])
STEPS = st.sampled_from(["id", "a b", "", "class", "é"]) | st.integers(0, 9)
BOUND = made.values.map(lambda value: Constant(value=value)) | st.builds(
    lambda name, path: Reference(label=name, path=tuple(path), bare=not path),
    WORDS,
    st.lists(STEPS, max_size=2),
)
PLAIN_CALL = st.builds(
    Call,
    name=st.sampled_from(["f", "weather.get", "é"]),
    arguments=st.dictionaries(WORDS | st.sampled_from(["a b", "class"]), BOUND, max_size=3),
    label=st.none() | WORDS,
)


@settings(max_examples=examples(150))
@given(st.lists(PLAIN_CALL, max_size=4))
def test_python(calls: list[Call]) -> None:
    named = [call for call in calls if not any(call.name.startswith(f"{c.label}.") for c in calls)]
    try:
        text = Sequence(calls=tuple(named)).dump("python")
    except FormatError:
        assert any({"a b", "class"} & call.arguments.keys() for call in named)
        return
    again = Sequence.load(text, "python")
    assert repr(again.calls) == repr(tuple(named))
    assert again.dump() == text


# -- references ------------------------------------------------------------------------

LABELS = ["var1", "x", "a-b", "größe"]
X = Reference(label="var1", path=("x",))
ODD = ["x", "a b", "x ", ",", "a.b", "}", "{{", "é", "", "it's", "var1", "a-", "\\"]
SPELT = st.builds(
    lambda label, path, spelling: Reference(
        label=label, path=tuple(path), spelling=spelling if label != "zz" else "dollars"
    ),
    st.sampled_from([*LABELS, "var9", "zz"]),
    st.lists(st.sampled_from(ODD) | st.integers(0, 12), max_size=2),
    st.sampled_from(["dollars", "dollar", "braces", "curly"]),
)
LIKE = ["$var1.x", "${var1.x}", "{{var1.x}}", "$x$", "var1.x", "x", "${", "}", "$var1.x, "]
PIECES = st.lists(st.text(alphabet="$\\{}.[] ,'a", max_size=4) | st.sampled_from(LIKE), max_size=4)
MIXED = st.lists(PIECES.map("".join) | SPELT, max_size=5).map(made.template_of)


@settings(max_examples=examples(300))
@given(st.data(), made.texts | PIECES.map("".join))
def test_sources(data: st.DataObject, text: str) -> None:
    asks = data.draw(st.sampled_from([[], ["date"], ["we ird", "$x$"]]))
    for source in (data.draw(made.sources(asks, bare=False)), Constant(value=text)):
        assert repr(read_source(source_value(source), asks=asks)) == repr(source)
    read = read_source(text)
    assert read_source(source_value(read)) == read
    assert repr(read_source(text, labels=["qq"])) == repr(read)


@settings(max_examples=examples(500))
@given(MIXED)
@example(made.template_of(["$a.$var1.x"]))
@example(made.template_of(["$a.\\", X, "$$a.${var1.x}{{var1.x}}"]))
@example(made.template_of(["$zz.\\$var1-.$x"]))
@example(made.template_of([Reference(label="zz", path=("\\",)), "var1.x"]))
def test_sources_in_any_spelling(source: Source) -> None:
    printed = source_value(source, LABELS)
    assert repr(read_source(printed, labels=LABELS)) == repr(source)


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(MIXED, st.sampled_from(["pretty", "nestful", "openai"]))
@example(made.template_of(["$a.$var1.x"]), "pretty")
@example(made.template_of(["$a.$var1.x"]), "openai")
def test_sources_in_sequences(source: Source, format: str) -> None:
    calls = [Call(name="A", label=label) for label in LABELS]
    sequence = Sequence(calls=(*calls, Call(name="B", arguments={"a": source})))
    again = Sequence.load(sequence.dump(format), format)
    assert again.calls[-1].arguments == sequence.calls[-1].arguments


# -- values ----------------------------------------------------------------------------

FIELDS = st.dictionaries(st.text(max_size=5), made.values, max_size=3)
YAML = ["no", "yes", "1e3", "0x1F", "010", "1_000", "~", "", "null", "<<", "=", "12:30", ".inf"]
LINES = ["a\nb", "a\n", "\na", "a\n\nb\n\n", " a\nb", "a \nb", "- a\n- b", "a: 1\nb", "---\na"]
YAML_TEXTS = st.text(max_size=12) | st.sampled_from([*YAML, *LINES, *made.HOSTILE])
YAML_VALUES = made.within(made.scalars | YAML_TEXTS, YAML_TEXTS, 8)


@settings(max_examples=examples(400))
@given(YAML_VALUES)
@example(["x" * 300, "word " * 100, {"x" * 300: 1}])
@example([[], {}, [[]], "\U000e0001", "\U0001f600"])
def test_yaml(value: Any) -> None:
    text = yaml_text(value)
    assert text.replace("\n", "").isprintable()
    assert repr(parse_yaml(text, Origin())[0]) == repr(yaml.safe_load(text)) == repr(value)


@settings(max_examples=examples(100))
@given(FIELDS.filter(lambda data: json.dumps(data, ensure_ascii=False).isprintable()))
def test_json_read_as_yaml(data: dict[str, Any]) -> None:
    text = json.dumps(data, ensure_ascii=False)
    assert repr(parse_yaml(text, Origin())[0]) == repr(load_memory(text).values) == repr(data)


@settings(max_examples=examples(150))
@given(FIELDS, st.data(), st.text(alphabet="{}[]:,'\"ab1 \\/#\n", max_size=20))
def test_no_prefix_of_json_is_read(value: Any, data: st.DataObject, noise: str) -> None:
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    assert repr(read_json_text(text)) == repr((json.loads(text), ()))
    with pytest.raises(UnreadableError):
        read_json_text(text[: data.draw(st.integers(0, len(text) - 1))])
    with suppress(UnreadableError):
        assert json.dumps(read_json_text(noise)[0])


# -- catalogs --------------------------------------------------------------------------

WRITTEN = ["native", "openai", "anthropic", "gemini", "mcp", "nestful"]
KNOWN = st.sampled_from(["type", "schema", "required", "on", "1", "#script", "\u202e"])
KEYS = KNOWN | st.text(min_size=1, max_size=5)
NULLABLE: Any = {"type": ["string", "null"], "default": None}
SCHEMAS = st.recursive(
    st.sampled_from([{}, *({"type": each} for each in ("string", "float", "file")), NULLABLE])
    | st.fixed_dictionaries({"type": st.just("string"), "enum": st.lists(KEYS, max_size=2)}),
    lambda inner: (
        inner.map(lambda items: {"type": "array", "items": items})
        | inner.map(lambda field: {"schema": field})
        | st.dictionaries(KEYS, inner, max_size=2).flatmap(
            lambda fields: st.sampled_from([{}, {"required": list(fields)[:1]}]).map(
                lambda more: {"type": "object", "properties": fields, **more}
            )
        )
    ),
    max_leaves=4,
)
PARAMETERS = st.dictionaries(KEYS, st.tuples(st.booleans(), SCHEMAS), max_size=3).map(
    lambda drawn: {
        name: Parameter(name=name, required=flag, json_schema=schema)
        for name, (flag, schema) in drawn.items()
    }
)
TOOLS = st.builds(
    Tool,
    name=KEYS,
    description=st.text(max_size=5),
    effect=st.sampled_from(["read", "write", "destructive", "unknown"]),
    parameters=PARAMETERS,
    output_schema=st.none() | SCHEMAS,
    additional_parameters=st.booleans(),
)
CATALOGS = st.lists(TOOLS, max_size=3, unique_by=lambda tool: tool.name).map(
    lambda drawn: Catalog(tools=tuple(drawn), format="native")
)


@settings(max_examples=examples(100))
@given(CATALOGS)
def test_native_catalogs(catalog: Catalog) -> None:
    data = dump_catalog(catalog, "native")
    once = load_catalog(data)  # in standard words, which read back as the same
    assert load_catalog(json.dumps(data)) == once
    again = dump_catalog(once, "native")
    assert load_catalog(again).tools == once.tools == load_catalog(json.dumps(again)).tools


@pytest.mark.slow
@pytest.mark.parametrize("format", WRITTEN)
@settings(max_examples=examples(60))
@given(catalog=CATALOGS)
def test_catalogs_as_far_as_there_are_words(format: str, catalog: Catalog) -> None:
    legal = {name: form for form, name in catalog.legal_names.items()}
    is_provider = format in ("openai", "anthropic", "gemini")
    once = load_catalog(json.loads(json.dumps(catalog.dump(format))), format)
    assert load_catalog(once.dump(format), format) == once
    assert len(once) == len(catalog)
    for tool, before in zip(once, catalog, strict=True):
        name = legal.get(before.name, before.name) if is_provider else before.name
        assert (tool.name, tool.description) == (name, before.description)
        assert list(tool.parameters) == list(before.parameters)
        if format != "nestful":
            assert tool.additional_parameters is before.additional_parameters
            required = {p.name for p in before.parameters.values() if p.required}
            assert {p.name for p in tool.parameters.values() if p.required} == required
        has_words = format in ("native", "mcp", "nestful")
        assert tool.effect == (before.effect if has_words else "unknown")
