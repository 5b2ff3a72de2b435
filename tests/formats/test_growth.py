"""Whatever a text holds, the work is linear in its length, and nothing but errors of this package comes out."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from growth import assert_linear
from refract_asp import Sequence
from refract_asp.errors import InputError
from refract_asp.formats import load_catalog, load_mappings, load_memory, load_sequence
from refract_asp.formats.references import read_source, source_value
from refract_asp.formats.values import UnreadableError, read_json_text
from refract_asp.model import Constant
from yaml_files import tables

TABLES = tables(__file__)

JSON = '{"city": "Paris", "days": 2}'


@pytest.mark.parametrize("labels", [[], ["var1", "x", "a-b", "größe"]])
@pytest.mark.parametrize("piece", TABLES["references, piece"])
def test_references(piece: str, labels: list[str]) -> None:
    def there_and_back(length: int) -> None:
        text = piece * (length // len(piece))
        for source in (read_source(text, labels=labels), Constant(value=text)):
            assert read_source(source_value(source, labels), labels=labels) == source

    assert_linear(there_and_back, 300)
    there_and_back(10_000)


@pytest.mark.parametrize("piece", TABLES["dialects"])
def test_dialects(piece: str) -> None:
    def read(length: int) -> None:
        try:
            load_sequence(piece * (length // len(piece)), "loose")
        except InputError as error:
            assert str(error).isprintable()  # noqa: PT017

    assert_linear(read, 300)
    read(20_000)


def outcome(text: str) -> str:
    """Return the tools of the calls that are read, or the kind of error that they are refused with."""
    try:
        return ", ".join(call.name for call in load_sequence(text).calls)
    except InputError as error:
        return type(error).__name__


@pytest.mark.parametrize("end", ["y", "y;", ";", "\n"])
def test_returns_in_one_line(end: str) -> None:
    """With the square of them this would take minutes."""
    assert outcome(";return x" * 30_000 + end) == outcome(";return x" * 3 + end)


@pytest.mark.parametrize("filler", [" ", "\n", "\r", "\u3000", '\\"', "`", "* "])
@pytest.mark.parametrize(("before", "after"), TABLES["rows"])
def test_a_row_of_the_same(before: str, filler: str, after: str) -> None:
    """With the square of them this would take an hour; how many there are changes nothing else."""
    few, many = (f"{before}{filler * (n // len(filler))}{after}" for n in (2_000, 50_000))
    assert outcome(many) == outcome(few)


@pytest.mark.parametrize("piece", TABLES["the same again and again"])
def test_the_same_again_and_again(piece: str) -> None:
    few, many = (piece * (n // len(piece)) for n in (1_000, 40_000))
    assert outcome(many) in (outcome(few), "LimitError")


@pytest.mark.parametrize(("before", "piece", "after"), TABLES["mending"])
def test_mending(before: str, piece: str, after: str) -> None:
    def mend(times: int) -> None:
        with suppress(UnreadableError):
            read_json_text(before + piece * times + after)

    assert_linear(mend, 200)


@pytest.mark.slow
@pytest.mark.parametrize(("before", "piece", "after"), TABLES["python"])
def test_python(before: str, piece: str, after: str) -> None:
    assert_linear(lambda times: load_sequence(before + piece * times + after, "python"), 200)


# -- any text --------------------------------------------------------------------------

TEXTS = (
    st.text(max_size=40)
    | st.text(alphabet="Tv=(),\"'`$.{}[]1 \n;#", max_size=25)
    | st.text(alphabet="fx=(),'[]{}.:1 \n*#\\-", max_size=25)
    | st.text(alphabet="tools:[]{}name -\n&*!'\"<?", max_size=30)
    | st.lists(st.sampled_from(TABLES["pieces"]), max_size=7).map("".join)
)
LOADERS: list[Callable[[str], Any]] = [load_catalog, load_memory, load_mappings]


@settings(max_examples=examples(600))
@given(TEXTS)
def test_no_text_gets_past_the_errors_of_this_package(text: str) -> None:
    for format in (None, "python"):
        try:
            sequence, message = load_sequence(text, format), ""
        except InputError as error:
            sequence, message = Sequence(), str(error)
        assert message.isprintable()
        assert load_sequence(sequence.dump("pretty"), "pretty").calls == sequence.calls
        is_loose = sequence.format == "loose" and not sequence.notes
        is_all_read = format == "python" and "<" not in text  # what a model only thought is not
        if not message and (is_all_read or is_loose):
            assert sequence.dump() == text
    for load in LOADERS:
        try:
            load(text)
        except InputError as error:
            assert str(error).isprintable()  # noqa: PT017
