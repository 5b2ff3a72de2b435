"""The printed diff: the forms of the seed document, every kind of edit, and what holds for all of them."""

import difflib
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from growth import lines_run
from refract_asp.model import Call, ConfirmArgument, ConfirmTool, Constant, RepairResult, Sequence
from refract_asp.model.edits import MoveCall
from refract_asp.model.sequence import Reference, Source
from refract_asp.report.diff import MAX_MARKED, diff_rows, diff_text
from refract_asp.report.terminal import escaped
from refract_asp.report.text import summary

from .renderings import cases

Build = Callable[..., RepairResult]

CASES = cases("diffs")


@pytest.mark.parametrize("name", CASES)
def test_pairs_lines_by_call(result: Build, name: str) -> None:
    wanted, origins = CASES[name]["diff"], CASES[name]["origins"]
    moved = CASES[name].get("moved", ())
    lines, marks = wanted.splitlines(), (("  ", "- "), ("  ", "+ "))
    before, after = ("\n".join(each[2:] for each in lines if each[:2] in mark) for mark in marks)
    edits = tuple(MoveCall(call=call, before=call, after=origins.index(call)) for call in moved)
    assert result(before, after, origins, edits=edits).diff() == wanted


def test_shows_what_is_returned() -> None:
    def returning(label: str) -> Sequence:
        call = Call(name="A", label=label)
        return Sequence(calls=(call,), returns={"total": Reference(label=label, path=("sum",))})

    before, after = returning("v1"), returning("v2")
    rows = diff_rows(RepairResult(verdict="repaired", given=before, sequence=after, origins=(0,)))
    assert [mark for mark, _ in rows] == ["-", "?", "+", "?"] * 2
    assert "v1.sum" in rows[4][1]
    assert "v2.sum" in rows[6][1]
    gone = Sequence(calls=before.calls)
    rows = diff_rows(RepairResult(verdict="repaired", given=before, sequence=gone, origins=(0,)))
    assert [mark for mark, _ in rows] == [" ", "-"]


def changed(before: Call, after: Call) -> RepairResult:
    """Return a result in which one call became another."""
    given, repaired = Sequence(calls=(before,)), Sequence(calls=(after,))
    return RepairResult(verdict="repaired", given=given, sequence=repaired, origins=(0,))


def valued(value: str) -> Call:
    return Call(name="A", arguments={"x": Constant(value=value)})


def chained(calls: int) -> Sequence:
    """Return calls of which each reads the one before."""
    first = Call(name="Get", label="v0", arguments={"q": Constant(value="$100")})
    others = (
        Call(name="Get", label=f"v{n}", arguments={"q": Reference(label=f"v{n - 1}", path=("id",))})
        for n in range(1, calls)
    )
    return Sequence(calls=(first, *others))


@pytest.mark.slow
@pytest.mark.parametrize("format", ["pretty", "nestful", "python"])
def test_the_work_of_printing_grows_with_the_calls(format: str) -> None:
    few, many = chained(500), chained(2_000)
    assert lines_run(lambda: many.dump(format)) < 5 * lines_run(lambda: few.dump(format))


def test_a_diff_of_many_calls_is_built_only_where_something_changed() -> None:
    many = chained(2_000)
    both: Any = {"given": many, "sequence": many, "origins": tuple(range(2_000))}
    unchanged = RepairResult(verdict="valid", **both)
    assert summary(unchanged) == "valid: nothing has to change."
    assert lines_run(unchanged.diff) < 500


def marked(text: str) -> str:
    """Return a text with the words in angle brackets that stand in reverse, and without other colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", re.sub(r"\x1b\[3[12];7m(.*?)\x1b\[0m", r"<\1>", text))


def test_colours_mark_the_words_that_changed(result: Build) -> None:
    text = result("A()\nv = B(x=1)", "A()\nvar = B(x=1)").diff(color=True)
    assert marked(text).splitlines() == ["  A()", "- <v> = B(x=1)", "+ <var> = B(x=1)"]
    assert "\x1b[31m" in text
    unlike = result("v = Search(x=1)", 'v = News(topic="weather in Rome")').diff(color=True)
    assert "<" not in marked(unlike)


def test_a_wide_call_stands_on_a_line_for_each_argument(result: Build) -> None:
    before = 'v = Book(city="Rome", note="a (b), \\"c\\" [d", days=[1, 2], odd=1, end={"a": 1})'
    after = 'v = Book(city="Roma", note="a (b), \\"c\\" [d", days=[1, 2], new=1, end={"a": 1})'
    changed = result(before, after)
    assert len(marked(changed.diff(color=True, width=200)).splitlines()) == 2
    assert marked(changed.diff(color=True, width=60)).splitlines() == [
        "  v = Book(",
        '-     city="<Rome>",',
        '+     city="<Roma>",',
        '      note="a (b), \\"c\\" [d",',
        "      days=[1, 2],",
        "-     <odd>=1,",
        "+     <new>=1,",
        '      end={"a": 1}',
        "  )",
    ]
    assert changed.diff(width=60) == changed.diff()
    other = marked(result(before, "w = A()").diff(color=True, width=60)).splitlines()
    assert other[:2] + other[-2:] == ["- v = Book(", '-     city="Rome",', "- )", "+ w = A()"]


def test_no_control_character_reaches_the_terminal() -> None:
    hostile = "\x1b[2J\u202e\u2066\x9b1m\r\n\t\x00\u2028\ufeff\U000e0001"
    before = valued(hostile)
    result = changed(before, before.model_copy(update={"name": f"A{hostile}", "label": "v"}))
    for color in (False, True):
        plain = re.sub("\x1b\\[(?:0|31|32|36|3[12];7)m", "", diff_text(result, color=color))
        assert plain.replace("\n", "").isprintable()
        assert all(line[:2] in ("  ", "- ", "+ ", "? ", "") for line in plain.splitlines())


@pytest.mark.parametrize(("length", "hints"), [(MAX_MARKED - 10, True), (MAX_MARKED + 1, False)])
def test_long_lines_have_no_hints(length: int, hints: bool) -> None:
    value = "".join(chr(0x4E00 + n) for n in range(length - 8))
    marks = [mark for mark, _ in diff_rows(changed(valued(value + "a"), valued(value + "b")))]
    assert marks == (["-", "?", "+", "?"] if hints else ["-", "+"])


SLOW = [("ab" * n, "ba" * n) for n in (150, 900)]
SLOW += [("a.b," * n, ".a,b" * n) for n in (110, 450)]
SLOW += [("a" * n, "a" * (n - 10)) for n in (220, 1800)]


@pytest.mark.parametrize(("one", "other"), SLOW)
def test_lines_made_to_be_slow_are_not_compared(one: str, other: str) -> None:
    """To compare the shorter ones takes a hundred lines of Python for each character, and more."""
    result = changed(valued(one), valued(other))
    assert [mark for mark, _ in diff_rows(result)] == ["-", "+"]
    assert lines_run(result.diff) < 20 * len(one + other)


NAMES = st.sampled_from(["A", "B", "SearchAirport", "SearchHotels"])
TEXTS = st.text(st.sampled_from('ab "\\\n\x1b\u202eé😀$'), max_size=6)
SOURCES: st.SearchStrategy[Source] = st.one_of(
    st.builds(Constant, value=st.one_of(TEXTS, st.integers(0, 99), st.none())),
    st.builds(Reference, label=st.sampled_from(["v1", "v2"]), path=st.just(("id",))),
)


@st.composite
def calls(draw: st.DrawFn) -> Call:
    arguments = draw(st.dictionaries(st.sampled_from(["x", "y", "skyId"]), SOURCES, max_size=3))
    confirms = [ConfirmArgument(parameter=name) for name in arguments if draw(st.booleans())]
    tool = [ConfirmTool()] if draw(st.booleans()) else []
    label = draw(st.sampled_from([None, "v1", "v2"]))
    return Call(name=draw(NAMES), arguments=arguments, label=label, confirms=(*confirms, *tool))


@st.composite
def sequences(draw: st.DrawFn) -> Sequence:
    returned = st.dictionaries(st.sampled_from("rs"), SOURCES, min_size=1, max_size=2)
    return Sequence(
        calls=tuple(draw(st.lists(calls(), max_size=6))),
        asks=tuple(draw(st.lists(st.sampled_from("abcd"), unique=True, max_size=3))),
        returns=draw(st.none() | returned),
    )


@st.composite
def results(draw: st.DrawFn) -> RepairResult:
    before, after = draw(sequences()), draw(sequences())
    numbers = st.none() | st.integers(0, max(0, len(before.calls)))
    origins = draw(st.lists(numbers, max_size=len(after.calls)))
    kept = [before.calls[o] if o is not None and o < len(before.calls) and draw(st.booleans()) else c
            for o, c in zip(origins, after.calls, strict=False)]  # fmt: skip
    after = after.model_copy(update={"calls": (*kept, *after.calls[len(kept) :])})
    moved = draw(st.sets(st.integers(0, 5), max_size=2))
    edits = tuple(MoveCall(call=call, before=0, after=0) for call in moved)
    both: Any = {"given": before, "sequence": after, "origins": tuple(origins)}
    return RepairResult(verdict="repaired", edits=edits, **both)


@pytest.mark.slow
@given(results())
@settings(max_examples=examples(150))
def test_both_sequences_can_be_read_off(result: RepairResult) -> None:
    rows = diff_rows(result)
    before = [escaped(line) for line in result.given.dump("pretty")]
    after = [escaped(line) for line in result.sequence.dump("pretty")]
    if before == after:
        assert rows == []
    else:
        assert [text for mark, text in rows if mark in " -"] == before
        assert [text for mark, text in rows if mark in " +"] == after
    hints = [(rows[i - 1][0], text) for i, (mark, text) in enumerate(rows) if mark == "?"]
    assert all(of in "-+" and text.strip("+-^ ") == "" and text.strip() for of, text in hints)


@given(st.text('abc=(,$. "', max_size=60), st.text('abc=(,$. "', max_size=60))
@settings(max_examples=examples(150))
def test_hints_of_one_call_are_those_of_ndiff(before: str, after: str) -> None:
    result = changed(valued(before), valued(after))
    old, new = str(result.given), str(result.sequence)
    assert result.diff() == ("" if old == new else "\n".join(difflib.ndiff([old], [new])))
