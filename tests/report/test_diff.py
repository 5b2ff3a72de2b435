"""The printed diff: the forms of the seed document, every kind of edit, and what holds for all of them."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from growth import lines_run
from refract_asp.model import Call, ConfirmArgument, ConfirmTool, Constant, RepairResult, Sequence
from refract_asp.model.edits import MoveCall
from refract_asp.model.sources import Reference, Source
from refract_asp.report.diff import MAX_MARKED, diff_rows, diff_text
from refract_asp.report.terminal import escaped
from refract_asp.report.text import summary

Build = Callable[..., RepairResult]

NEW_YORK = 'var1 = SkyScrapperSearchAirport(query="New York")'
LONDON = 'var2 = SkyScrapperSearchAirport(query="London")'
FLIGHT = (
    'var3 = SkyScrapperFlightSearch(originSkyId="$var1.skyId$", destinationSkyId="$var2.skyId$", '
    'originEntityId="$var1.entityId$", destinationEntityId="$var2.entityId$", date="2024-08-15")'
)
PLACE = 'var4 = TripadvisorSearchLocation(query="London")'
HOTELS = 'var5 = TripadvisorSearchHotels(geoId="$var4.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")'
NO_ORIGIN = FLIGHT.replace('originSkyId="$var1.skyId$", ', "")
NO_DATE = FLIGHT.replace(', date="2024-08-15"', "")
NEWS = "var7 = NewsAPISearchByKeyWord()"
FROM_NEWS = FLIGHT.replace("2024-08-15", "$var7.date$")
ASKED = FLIGHT.replace('"$var1.skyId$"', "originSkyId")
ALL = [NEW_YORK, LONDON, FLIGHT, PLACE, HOTELS]


def changed(**replaced: str) -> list[str]:
    """Return the five calls with some of them replaced, as in `changed(call3=...)`."""
    lines = list(ALL)
    for name, line in replaced.items():
        lines[int(name.removeprefix("call")) - 1] = line
    return lines


# each: given lines, repaired lines, origins (None: the same calls in order), the diff of seed 000
SEED = {
    "missing label": (
        changed(call2=LONDON.removeprefix("var2 = ")),
        ALL,
        None,
        f"""\
  {NEW_YORK}
- {LONDON.removeprefix("var2 = ")}
+ {LONDON}
? +++++++

  {FLIGHT}
  {PLACE}
  {HOTELS}""",
    ),
    "missing input parameter": (
        changed(call3=NO_ORIGIN),
        ["ask(originSkyId)", *changed(call3=ASKED)],
        None,
        f"""\
+ ask(originSkyId)
  {NEW_YORK}
  {LONDON}
- {NO_ORIGIN}
+ {ASKED}
?                                +++++++++++++++++++++++++

  {PLACE}
  {HOTELS}""",
    ),
    "made up input parameter": (
        changed(call3=FLIGHT.replace("originSkyId", "originalSkyId")),
        ["ask(originSkyId)", *changed(call3=ASKED)],
        None,
        f"""\
+ ask(originSkyId)
  {NEW_YORK}
  {LONDON}
- {FLIGHT.replace("originSkyId", "originalSkyId")}
?                                      --      ^^^^ ^^^    --

+ {ASKED}
?                                            ^ ^^^^^

  {PLACE}
  {HOTELS}""",
    ),
    "made up variable": (
        changed(call3=FLIGHT.replace("$var2.skyId", "$var20.skyId")),
        ALL,
        None,
        f"""\
  {NEW_YORK}
  {LONDON}
- {FLIGHT.replace("$var2.skyId", "$var20.skyId")}
?                                                                                   -

+ {FLIGHT}
  {PLACE}
  {HOTELS}""",
    ),
    "made up field": (
        changed(call3=FLIGHT.replace("$var2.skyId", "$var2.skyayeId")),
        ["ask(skyayeId)", *changed(call3=FLIGHT.replace('"$var2.skyId$"', "skyayeId"))],
        None,
        f"""\
+ ask(skyayeId)
  {NEW_YORK}
  {LONDON}
- {FLIGHT.replace("$var2.skyId", "$var2.skyayeId")}
?                                                                             -------        --

+ {FLIGHT.replace('"$var2.skyId$"', "skyayeId")}
  {PLACE}
  {HOTELS}""",
    ),
    "wrong label, the lost call added": (
        changed(call2=LONDON.replace("var2", "var20")),
        [NEW_YORK, LONDON.replace("var2", "var20"), LONDON, *ALL[2:]],
        [0, 1, None, 2, 3, 4],
        f"""\
  {NEW_YORK}
  {LONDON.replace("var2", "var20")}
+ {LONDON}
  {FLIGHT}
  {PLACE}
  {HOTELS}""",
    ),
    "missing step": (
        [NEW_YORK, LONDON, FLIGHT, HOTELS],
        [NEW_YORK, LONDON, PLACE, FLIGHT, HOTELS],
        [0, 1, None, 2, 3],
        f"""\
  {NEW_YORK}
  {LONDON}
+ {PLACE}
  {FLIGHT}
  {HOTELS}""",
    ),
    "a new call enables a mapping": (
        changed(call3=NO_DATE),
        [NEW_YORK, LONDON, NEWS, FROM_NEWS, PLACE, HOTELS],
        [0, 1, None, 2, 3, 4],
        f"""\
  {NEW_YORK}
  {LONDON}
+ {NEWS}
- {NO_DATE}
+ {FROM_NEWS}
?{" " * 164}++++++++++++++++++++

  {PLACE}
  {HOTELS}""",
    ),
    "a new call, confirmed": (
        changed(call3=NO_DATE),
        [NEW_YORK, LONDON, NEWS, 'confirm(date="$var7.date$")', FROM_NEWS, PLACE, HOTELS],
        [0, 1, None, 2, 3, 4],
        f"""\
  {NEW_YORK}
  {LONDON}
+ {NEWS}
+ confirm(date="$var7.date$")
- {NO_DATE}
+ {FROM_NEWS}
?{" " * 164}++++++++++++++++++++

  {PLACE}
  {HOTELS}""",
    ),
    "a new mapping, confirmed": (
        changed(call3=NO_ORIGIN),
        [NEW_YORK, LONDON, 'confirm(originSkyId="$var1.skyId$")', FLIGHT, PLACE, HOTELS],
        None,
        f"""\
  {NEW_YORK}
  {LONDON}
+ confirm(originSkyId="$var1.skyId$")
- {NO_ORIGIN}
+ {FLIGHT}
?                                ++++++++++++++++++++++++++++

  {PLACE}
  {HOTELS}""",
    ),
}


@pytest.mark.parametrize(("before", "after", "origins", "wanted"), SEED.values(), ids=SEED.keys())
def test_prints_what_the_seed_prints(
    result: Build,
    before: list[str],
    after: list[str],
    origins: list[int | None] | None,
    wanted: str,
) -> None:
    repaired = result("\n".join(before), "\n".join(after), origins)
    assert repaired.diff().splitlines() == wanted.splitlines()


# ours: each given lines, repaired lines, origins, moved calls, the wanted lines
OURS = {
    "a wrong label": (
        ['var20 = A(x="1")', 'B(y="$var2.z$")'],
        ['var2 = A(x="1")', 'B(y="$var2.z$")'],
        [0, 1],
        [],
        ['- var20 = A(x="1")', "?     -", "", '+ var2 = A(x="1")', '  B(y="$var2.z$")'],
    ),
    "a call moved down": (
        ['B(x="$v.y$")', "v = A()", "C()"],
        ["v = A()", 'B(x="$v.y$")', "C()"],
        [1, 0, 2],
        [0],
        ['- B(x="$v.y$")', "  v = A()", '+ B(x="$v.y$")', "  C()"],
    ),
    "a call moved up": (
        ['B(x="$v.y$")', "v = A()", "C()"],
        ["v = A()", 'B(x="$v.y$")', "C()"],
        [1, 0, 2],
        [1],
        ["+ v = A()", '  B(x="$v.y$")', "- v = A()", "  C()"],
    ),
    "moved and changed": (
        ['B(x="$w.y$")', "v = A()"],
        ["v = A()", 'B(x="$v.y$")'],
        [1, 0],
        [0],
        ['- B(x="$w.y$")', "  v = A()", '+ B(x="$v.y$")'],
    ),
    "a move that no edit names": (
        ["A()", "B()", "C()"],
        ["B()", "C()", "A()"],
        [1, 2, 0],
        [],
        ["- A()", "  B()", "  C()", "+ A()"],
    ),
    "a deleted call": (
        ["v = A()", "w = B()", 'C(x="$v.y$")'],
        ["v = A()", 'C(x="$v.y$")'],
        [0, 2],
        [],
        ["  v = A()", "- w = B()", '  C(x="$v.y$")'],
    ),
    "equal calls, the second one deleted": (
        ["A()", "A()", "B()"],
        ["A()", "B()"],
        [0, 2],
        [],
        ["  A()", "- A()", "  B()"],
    ),
    "deleted and added at one place": (
        ["A()", "B()", "C()"],
        ["A()", "D()", "C()"],
        [0, None, 2],
        [],
        ["  A()", "- B()", "+ D()", "  C()"],
    ),
    "a confirm that was there stays": (
        ["confirm(A)", 'A(x="1")'],
        ["confirm(A)", 'confirm(x="2")', 'A(x="2")'],
        [0],
        [],
        [
            "  confirm(A)",
            '+ confirm(x="2")',
            '- A(x="1")',
            "?      ^",
            "",
            '+ A(x="2")',
            "?      ^",
        ],
    ),
    "an ask that was there stays": (
        ["ask(a)", "A(x=a)"],
        ["ask(b)", "ask(a)", "A(x=a, yes=b)"],
        [0],
        [],
        ["+ ask(b)", "  ask(a)", "- A(x=a)", "+ A(x=a, yes=b)"],
    ),
    "lines that share little have no hints": (
        ['v = Alpha(x="1")'],
        ["w = OmegaSearch(query=query, limit=10)"],
        [0],
        [],
        ['- v = Alpha(x="1")', "+ w = OmegaSearch(query=query, limit=10)"],
    ),
    "everything deleted": (["A()", "B()"], [], [], [], ["- A()", "- B()"]),
    "everything added": ([], ["A()"], [None], [], ["+ A()"]),
}


@pytest.mark.parametrize(
    ("before", "after", "origins", "moved", "wanted"), OURS.values(), ids=OURS.keys()
)
def test_pairs_lines_by_call(
    result: Build,
    before: list[str],
    after: list[str],
    origins: list[int | None],
    moved: list[int],
    wanted: list[str],
) -> None:
    edits = tuple(MoveCall(call=call, before=call, after=origins.index(call)) for call in moved)
    repaired = result("\n".join(before), "\n".join(after), origins, edits=edits)
    lines = repaired.diff().splitlines()
    assert lines == wanted or [*lines, ""] == wanted


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


def test_nothing_changed_prints_nothing(result: Build) -> None:
    same = "\n".join(ALL)
    assert result(same, same, verdict="valid").diff() == ""
    assert result(same, same, (), verdict="valid").diff(color=True) == ""


def steps_of(made: Callable[[], object]) -> int:
    """Return how many functions are entered: the work that is done, and the same on every machine."""
    entered = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal entered
        entered += event == "call"

    sys.setprofile(count)
    try:
        made()
    finally:
        sys.setprofile(None)
    return entered


def chained(calls: int) -> Sequence:
    """Return calls of which each reads the one before."""
    entry = {"name": "Get", "arguments": {"q": "$100"}, "label": "v0"}
    return Sequence.load(
        [
            entry,
            *(
                {**entry, "arguments": {"q": f"$v{n - 1}.id$"}, "label": f"v{n}"}
                for n in range(1, calls)
            ),
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize("format", ["pretty", "nestful", "python"])
def test_the_work_of_printing_grows_with_the_calls(format: str) -> None:
    few, many = chained(500), chained(2_000)
    assert steps_of(lambda: many.dump(format)) < 5 * steps_of(lambda: few.dump(format))


def test_a_diff_of_many_calls_is_built_only_where_something_changed(result: Build) -> None:
    many = chained(2_000)
    unchanged = RepairResult(
        verdict="valid", given=many, sequence=many, origins=tuple(range(2_000))
    )
    assert unchanged.diff() == ""
    assert summary(unchanged) == "valid: nothing has to change."
    assert steps_of(unchanged.diff) < 100
    changed = [*many.calls[:-1], many.calls[-1].model_copy(update={"label": "last"})]
    repaired = unchanged.model_copy(
        update={"sequence": Sequence(calls=tuple(changed)), "verdict": "repaired"}
    )
    assert [mark for mark, _ in diff_rows(repaired)] == [" "] * 1_999 + ["-", "?", "+", "?"]


def test_colours_marked_lines_only(result: Build) -> None:
    text = result("A()\nv = B()", "A()\nvar = B()").diff(color=True)
    assert text.splitlines() == [
        "  A()",
        "\x1b[31m- v = B()\x1b[0m",
        "\x1b[32m+ var = B()\x1b[0m",
        "\x1b[36m?  ++\x1b[0m",
    ]


def test_no_control_character_reaches_the_terminal() -> None:
    hostile = "\x1b[2J\u202e\u2066\x9b1m\r\n\t\x00\u2028\ufeff\U000e0001"
    before = Sequence(calls=(Call(name="A", arguments={"x": Constant(value=hostile)}),))
    after = Sequence(
        calls=(Call(name=f"A{hostile}", label="v", arguments={"x": Constant(value=hostile)}),)
    )
    for color in (False, True):
        text = diff_text(
            RepairResult(verdict="repaired", given=before, sequence=after, origins=(0,)),
            color=color,
        )
        plain = re.sub("\x1b\\[(?:0|31|32|36)m", "", text)
        assert plain.replace("\n", "").isprintable()
        assert all(line[:2] in ("  ", "- ", "+ ", "? ", "") for line in plain.splitlines())


@pytest.mark.parametrize("length", [MAX_MARKED - 10, MAX_MARKED + 1])
def test_long_lines_have_no_hints(length: int) -> None:
    value = "".join(chr(0x4E00 + n) for n in range(length - 8))
    lines = [f'A(x="{value}{end}")' for end in "ab"]
    before, after = (
        Sequence(calls=(Call(name="A", arguments={"x": Constant(value=value + end)}),))
        for end in "ab"
    )
    marks = [
        m
        for m, _ in diff_rows(
            RepairResult(verdict="repaired", given=before, sequence=after, origins=(0,))
        )
    ]
    assert marks == (["-", "?", "+", "?"] if len(lines[0]) <= MAX_MARKED else ["-", "+"])


@pytest.mark.parametrize(
    "pair",
    [
        ("ab" * 150, "ba" * 150),
        ("ab" * 900, "ba" * 900),
        ("a.b," * 110, ".a,b" * 110),
        ("a.b," * 450, ".a,b" * 450),
        ("a" * 220, "a" * 210),
        ("a" * 1800, "a" * 1700),
    ],
)
def test_lines_made_to_be_slow_are_not_compared(pair: tuple[str, str]) -> None:
    """To compare the shorter ones takes a hundred lines of Python for each character, and more."""
    before, after = (
        Sequence(calls=(Call(name="A", arguments={"x": Constant(value=text)}),)) for text in pair
    )
    result = RepairResult(verdict="repaired", given=before, sequence=after, origins=(0,))
    assert [mark for mark, _ in diff_rows(result)] == ["-", "+"]
    assert lines_run(result.diff) < 20 * len("".join(pair))


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
    return Call(
        name=draw(NAMES),
        arguments=arguments,
        label=draw(st.sampled_from([None, "v1", "v2"])),
        confirms=(*confirms, *tool),
    )


@st.composite
def sequences(draw: st.DrawFn) -> Sequence:
    return Sequence(
        calls=tuple(draw(st.lists(calls(), max_size=6))),
        asks=tuple(draw(st.lists(st.sampled_from("abcd"), unique=True, max_size=3))),
        returns=draw(
            st.none() | st.dictionaries(st.sampled_from("rs"), SOURCES, min_size=1, max_size=2)
        ),
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
    return RepairResult(
        verdict="repaired", given=before, sequence=after, origins=tuple(origins), edits=edits
    )


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
    sequences = [
        Sequence(calls=(Call(name="Tool", arguments={"x": Constant(value=t)}),))
        for t in (before, after)
    ]
    old, new = (s.dump("pretty")[0] for s in sequences)
    result = RepairResult(
        verdict="repaired", given=sequences[0], sequence=sequences[1], origins=(0,)
    )
    wanted = "" if old == new else "\n".join(difflib.ndiff([old], [new]))
    assert result.diff() == wanted
