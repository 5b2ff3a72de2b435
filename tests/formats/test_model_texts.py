"""Texts of models in every dialect of the table, with what stands around them; and prose, which is none."""

from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.depth import THOROUGH, every_tenth

from refract_asp import Refractor, Sequence
from refract_asp.errors import InputError
from refract_asp.formats.model_dialects import DIALECTS, FENCE
from refract_asp.model import Constant
from yaml_files import tables

from .chat_formats import CATALOG
from .model_texts import texts

TABLES = tables(__file__)

EXAMPLES = [(row.name, text) for row in (*DIALECTS, FENCE) for text in row.examples]
WANTED = [("weather", {"city": "Paris", "days": 2})]


def plain(sequence: Sequence) -> list[tuple[str, dict[str, Any]]]:
    """Return the names and the constant arguments of calls."""
    found = []
    for call in sequence.calls:
        assert call.malformed is None
        given = call.arguments.items()
        found.append((call.name, {k: s.value if isinstance(s, Constant) else s for k, s in given}))
    return found


@pytest.mark.parametrize(("name", "text"), EXAMPLES)
def test_every_example_of_the_table_is_read_and_printed(name: str, text: str) -> None:
    sequence = Sequence.load(text)
    assert (sequence.format, plain(sequence)) == ("loose", WANTED)
    assert sequence.dump() == text
    result = Refractor(CATALOG).repair(text.replace("weather", "wether"))
    assert result.verdict == "repaired"
    assert plain(Sequence.load(result.sequence.dump())) == WANTED


@pytest.mark.property
def test_every_dialect_reads_as_it_is_meant() -> None:
    missed = Counter[str]()
    every = list(texts())
    for each in every_tenth(every):
        try:
            assert plain(Sequence.load(each.text)) == each.calls
        except (AssertionError, InputError):
            missed[f"{each.dialect}, {each.wrapping}, {each.slip}"] += 1
    assert len(every) > 9_000
    assert not missed


@pytest.mark.property
def test_what_is_complete_only_grows() -> None:
    for each in texts():
        if each.slip != "none" or each.wrapping != "alone" or len(each.calls) < 3:
            continue
        most = 0
        for end in range(0, len(each.text) + 1, 7 if THOROUGH else 31):
            read = plain(Sequence.load_partial(each.text[:end]))
            assert read == each.calls[: len(read)], each.text[:end]
            assert len(read) >= most, each.text[:end]
            most = len(read)
        assert plain(Sequence.load_partial(each.text)) == each.calls


def test_the_page_shows_every_example() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reading.md").read_text("utf-8")
    for name, text in EXAMPLES:
        assert f"| {name} |" in page.replace("\\|", "|")
        assert text.replace("\n", " ⏎ ").replace("|", "\\|") in page


@pytest.mark.parametrize("text", TABLES["what stands between tags"])
@pytest.mark.parametrize("note", ["true", "42", "null", "[1, 2]", '{"a": 1}', "1e5"])
def test_what_stands_between_tags_is_a_text_where_a_text_is_declared(text: str, note: str) -> None:
    declared = {"zip": {"type": "string"}, "parcels": {"type": "integer"}, "note": "string"}
    fixer = Refractor({"tools": [{"name": "ship", "parameters": declared}]})
    result = fixer.repair(text.format(note))
    assert result.verdict == "valid"
    assert plain(result.sequence) == [("ship", {"zip": "01067", "parcels": 3, "note": note})]


FILES = Refractor(TABLES["files"])


@pytest.mark.parametrize(("text", "wanted"), TABLES["what coding agents and chatglm write"])
def test_what_coding_agents_and_chatglm_write_comes_back(text: str, wanted: str) -> None:
    result = FILES.repair(text)
    assert (result.verdict, result.sequence.dump()) == ("repaired", wanted)


HALF_VALUES = [
    "<write_to_file>\n<path>a.xml</path>\n<content>\n<content>1</content>\n</content>\n</write_to_file>",
    "<write_to_file>\n<path>a.py</path>\n<content>\nx = 1\n",
    "<read_file>\n<path>a</path>\nand then b\n</read_file>",
    "dose\n```python\ntool_call(drug='a', mg=",
    "dose\n```python\ntool_call(drug='a\n```\nb')\n```",
    "<read_file>\n<path>" * 10_000,
    "<read_file>\n" + "".join(f"<a{n}>" for n in range(10_000)) + "</read_file>",
    "".join(f"<{name}>\n<a>" for name in ("read_file", "apply_diff") * 5_000),
]


@pytest.mark.parametrize("text", HALF_VALUES, ids=range(8))
def test_half_a_value_between_tags_is_no_argument(text: str) -> None:
    (call,) = Sequence.load(text).calls
    assert call.malformed is not None
    assert call.arguments == {}


HALF_MARKS = [
    f"<tool_use><name>{' ' * 100_000}x",
    f"tool_call( f\n```python{chr(10) * 100_000}x",
    f"to=functions.f{' ' * 100_000}x",
    "f\n```python\ntool_call(" + ") " * 50_000,
    "".join(f"<a{n}:tool_call><name>x</name><arguments>" for n in range(10_000)),
]


@pytest.mark.parametrize("text", HALF_MARKS, ids=range(5))
def test_half_a_mark_is_read_once(text: str) -> None:
    """Of each so much that reading it would not end, were a part of it looked at again and again."""
    with suppress(InputError):
        assert all(call.malformed is not None for call in Sequence.load(text).calls)


@pytest.mark.parametrize("text", TABLES["prose"])
def test_prose_stays_prose(text: str) -> None:
    read = Sequence()
    with suppress(InputError):
        read = Sequence.load(text)
    assert read.calls == ()
    assert Sequence.load_partial(text).calls == ()


LOST = [
    "f(a=1)\ng(b=)",
    "Done:\n\nf(a=1)\ntele\u202eport()\n",
    'x = f(a="1"\ny = g(b=2)',
    'x = f(a=1)\ny = g(b="2"\nz = h(c=3)',
    '1. f(a="1"\n2. g(b=2)',
    "- f(a=1)\n- g(b=2,\n",
    'First: f("x"\nThen: g(b=2)',
    'So:\n```python\nx = f(a="1"\ny = g(b=2)\n```\n',
]


@pytest.mark.parametrize("text", LOST)
def test_no_call_is_lost_because_it_cannot_be_read(text: str) -> None:
    with pytest.raises(InputError):
        Sequence.load(text)


def test_the_first_block_counts_and_later_ones_are_told() -> None:
    text = "So:\n```python\nf(a=1)\n```\nOr:\n```python\ng(a=2)\n```\n"
    sequence = Sequence.load(text)
    assert plain(sequence) == [("f", {"a": 1})]
    told = "<text>:6:1: later calls are not read; the first block with calls counts."
    assert sequence.notes == (told,)
    assert sequence.dump() == text


@pytest.mark.parametrize(("text", "calls"), TABLES["call text"])
def test_call_text(text: str, calls: Any) -> None:
    assert [list(each) for each in plain(Sequence.load(text))] == calls


@pytest.mark.parametrize(("text", "names"), TABLES["what is cut off harms no other"])
def test_what_is_cut_off_harms_no_other(text: str, names: list[str]) -> None:
    good, bad = Sequence.load(text).calls
    assert [good.name, bad.name] == names
    assert good.malformed is None
    assert bad.malformed is not None
    assert [call.name for call in Sequence.load_partial(text).calls] == ["f"]


def test_nothing_large_is_computed() -> None:
    for text in ("f(a=9**9**9)", "f(a=10**4000)", "f(a=1/0)", "f(a='x'*10**9)"):
        with pytest.raises(AssertionError):
            plain(Sequence.load(text))
