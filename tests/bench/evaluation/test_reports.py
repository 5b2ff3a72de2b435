"""Reports: as they are read, in 80 and 200 columns, as a page; and that nothing hostile gets through."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp import Sequence
from refract_asp.evaluation import Refract, Run, nearest, run, unchanged
from refract_asp.evaluation.page import run_page
from refract_asp.evaluation.reports import compared_text, run_text
from refract_asp.evaluation.runs import errors_of, lines_between, misses_of
from refract_asp.evaluation.summary import summary_of
from refract_asp.evaluation.versus import compare_runs
from refract_asp.model.shares import Times, share
from refract_asp.report.pages.charts import LEFT, PLOT, Cell, bars, fitted, lines, times

from .small_cases import ROWS, cases, row

EVIL = "</script><svg onload=alert(1)>\"'&{{1234*1000}}{%x%}\x1b[31m\u202e"


def timed(found: Run) -> Run:
    """Return a run whose times are the same each time."""
    rows = []
    for number, each in enumerate(found.rows, start=1):
        scores = {}
        for place, (name, score) in enumerate(each.scores.items(), start=1):
            check = 0.001 * number if score.check_seconds is not None else None
            taken = {"seconds": 0.01 * number / place**4, "check_seconds": check}
            scores[name] = score.model_copy(update=taken)
        rows.append(each.model_copy(update={"scores": scores}))
    return found.model_copy(update={"rows": tuple(rows), "versions": {"refract-asp": "1.0"}})


SYSTEMS = {"refract": Refract(), "none": unchanged, "nearest": nearest}
FOUND = timed(run(cases(), SYSTEMS, source="cases.jsonl"))
BEFORE = timed(
    run(cases(ROWS[:4]), {"refract": Refract(cost_model="refraction"), "nearest": unchanged})
)


def hostile() -> Run:
    said: Any = {"kind": EVIL, "mutations": [{"kind": EVIL, "what": EVIL, "variant": EVIL}]}
    call = f"Serch(query={EVIL[:30]!r})".replace("'", '"')
    given = row(EVIL, [call], ["Search(query=1)"], dials={EVIL: EVIL, "n": 1}, **said)
    other = row(f"{EVIL}2", ["Search(query=2)"], ["Search(query=1)"], dials={EVIL: "x", "n": 2})

    def raising(*_: Any) -> Any:
        raise ValueError(EVIL)

    return run(cases([given, other]), {EVIL: raising, "none": unchanged}, source=EVIL)


class Page(HTMLParser):
    """Collects the elements, attributes and texts of a page, and checks that what is opened is closed."""

    VOID = frozenset({"meta", "br", "rect", "line", "circle", "polyline"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def ids(self) -> list[str]:
        return [attributes["id"] or "" for _, attributes in self.tags if "id" in attributes]


@pytest.mark.parametrize("width", [80, 200])
def test_text(width: int, snapshot: SnapshotAssertion) -> None:
    text = run_text(FOUND, summary_of(FOUND), misses=2, width=width)
    tables = text.partition("refract, miss")[0]
    assert max(map(len, tables.splitlines())) <= width
    assert text == snapshot


def test_many_systems_take_several_tables(snapshot: SnapshotAssertion) -> None:
    systems = {f"a-system-with-a-long-name-{n}": unchanged for n in range(5)}
    found = timed(run(cases(), systems))
    text = run_text(found, summary_of(found, ["kind"]), width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert text == snapshot


def test_two_runs_as_text(snapshot: SnapshotAssertion) -> None:
    assert compared_text(compare_runs(BEFORE, FOUND), BEFORE, FOUND) == snapshot


def test_colour_changes_nothing_but_colours() -> None:
    plain = run_text(FOUND, summary_of(FOUND), misses=2)
    colored = run_text(FOUND, summary_of(FOUND), misses=2, color=True)
    assert plain != colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == plain
    two = compare_runs(BEFORE, FOUND)
    assert "\x1b[1m" in compared_text(two, BEFORE, FOUND, color=True)


def test_a_partial_run_says_so() -> None:
    part = FOUND.model_copy(update={"complete": False})
    assert "interrupted: this is what was found so far." in run_text(part, summary_of(part))
    assert "interrupted: this is what was found so far." in run_page(part, summary_of(part))
    assert "(interrupted)" in compared_text(compare_runs(part, FOUND), part, FOUND)


def test_a_run_without_rows_can_be_told() -> None:
    empty = FOUND.model_copy(update={"rows": (), "complete": False})
    assert "0 cases" in run_text(empty, summary_of(empty))
    Page(run_page(empty, summary_of(empty)))


def test_misses_begin_with_those_that_could_be_known() -> None:
    rows = [{**ROWS[3], "id": "first"}, row("second", ["Search()"], ["Search(query=1)"])]
    found = run(cases(rows), {"none": unchanged})
    assert [miss.id for miss in misses_of(found, "none")] == ["second", "first"]


def test_lines_between() -> None:
    assert list(lines_between([], ["a"])) == [("+", "a")]
    assert list(lines_between(["a"], ["a"])) == []


# -- charts --------------------------------------------------------------------


def test_bars_are_as_long_as_their_shares() -> None:
    first: list[Cell | None] = [("restored", share(1, 4)), None]
    chart = bars(["a", "b"], ["one", "two"], [first, [None, ("restored", share(0, 0))]])
    (mark,), _ = chart.marks
    assert mark.x == LEFT + PLOT / 4
    assert mark.low < mark.x < mark.high
    assert mark.title == "a, one: restored 1 of 4, 25.0 %"


def test_lines_leave_gaps_and_have_one_point_at_least() -> None:
    full, half = ("restored", share(4, 4)), ("restored", share(2, 4))
    chart = lines(["1", "2", "3"], ["one"], [[full], [None], [half]])
    assert [len(marks) for marks in chart.marks] == [2]
    high, low = chart.marks[0]
    assert high.y < low.y  # above
    assert len(lines(["1"], ["one"], [[full]]).marks[0]) == 1


def test_times_stand_on_powers_of_ten() -> None:
    found = Times(count=3, p50=0.01, p95=0.1, p99=0.1, max=1.0)
    chart = times([("answer", 0, found)])
    assert chart is not None
    assert [mark.x - LEFT for mark in chart.marks[0]] == [0, PLOT / 2, PLOT / 2, PLOT]
    assert [tick.text for tick in chart.axis] == ["10 ms", "100 ms", "1 s"]
    nothing = Times(count=1, p50=0.0, p95=0.0, p99=0.0, max=0.0)
    assert times([("answer", 0, nothing)]) is not None
    assert times([]) is None


# -- pages ---------------------------------------------------------------------


def test_page(snapshot: SnapshotAssertion) -> None:
    assert run_page(FOUND, summary_of(FOUND), misses=1) == snapshot


def two_runs() -> str:
    return run_page(
        BEFORE,
        summary_of(BEFORE),
        (FOUND, summary_of(FOUND), compare_runs(BEFORE, FOUND)),
        misses=1,
    )


def test_page_of_two_runs(snapshot: SnapshotAssertion) -> None:
    body = two_runs().partition("</style>")[2]
    assert body == snapshot


@pytest.mark.parametrize("text", [run_page(FOUND, summary_of(FOUND)), two_runs()])
def test_a_page_needs_nothing_else(text: str) -> None:
    found = Page(text)
    assert {"script", "link", "img", "iframe", "object", "use"}.isdisjoint(
        tag for tag, _ in found.tags
    )
    attributes = {name for _, given in found.tags for name in given}
    assert {"src", "href", "srcset", "xlink:href"}.isdisjoint(attributes)
    assert not any(name.startswith("on") for name in attributes)
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text


def test_a_page_can_be_read_without_eyes() -> None:
    found = Page(two_runs())
    ids = found.ids()
    assert len(ids) == len(set(ids))
    charts = [
        given for tag, given in found.tags if tag == "svg" and given.get("aria-hidden") != "true"
    ]
    assert len(charts) >= 4
    for chart in charts:
        assert chart["role"] == "img"
        assert all(each in ids for each in (chart["aria-labelledby"] or "").split())
    assert sum(tag == "table" for tag, _ in found.tags) > len(charts)
    assert ("html", {"lang": "en"}) in found.tags


def test_hostile_names_stay_text() -> None:
    found = hostile()
    text = run_page(
        found, summary_of(found), (found, summary_of(found), compare_runs(found, found))
    )
    read = Page(text)
    assert "script" not in {tag for tag, _ in read.tags}
    assert not any(name.startswith("on") for _, given in read.tags for name in given)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "1234000" not in "".join(read.texts)
    assert any("</script><svg onload" in each for each in read.texts)
    for told in (
        run_text(found, summary_of(found), misses=5),
        compared_text(compare_runs(found, found), found, found),
    ):
        assert "\x1b" not in told
        assert "\u202e" not in told


def test_lines_of_a_hostile_file_stay_text() -> None:
    score = FOUND.rows[3].scores["none"].model_copy(update={"answer": (EVIL,), "error": None})
    scores = dict.fromkeys(FOUND.systems, score)
    bad = FOUND.rows[3].model_copy(update={"scores": scores, "given": (EVIL, EVIL)})
    found = FOUND.model_copy(update={"rows": (bad,)})
    read = Page(run_page(found, summary_of(found)))
    assert "script" not in {tag for tag, _ in read.tags}
    assert "\x1b" not in run_text(found, summary_of(found), misses=5)


def test_a_long_source_is_one_line_of_a_page_and_no_warning() -> None:
    found = FOUND.model_copy(update={"cases": FOUND.cases.model_copy(update={"source": "a" * 300})})
    assert 'class="warn"' not in run_page(found, summary_of(found))


@pytest.mark.slow
def test_why_there_is_no_answer() -> None:
    def failing(sequence: Sequence, *_: Any) -> Any:
        raise ValueError(len(str(sequence)) if "Rome" in str(sequence) else "no Rome")

    found = run(cases(), {"mine": failing, "none": unchanged})
    told = errors_of(found, "mine")
    assert told[0] == "mine: no answer to 2 cases, as lost: ValueError: no Rome"
    assert len(told) == 4
    assert told[3].startswith("mine: no answer to 1 case more")
    assert errors_of(found, "none") == []
    assert told[0] in run_text(found, summary_of(found), width=200)
    assert told[0] in run_page(found, summary_of(found))


def test_wide_names_are_cut_beside_charts() -> None:
    assert fitted("W" * 30) == f"{'W' * 13}..."
    assert fitted("\u8868" * 30) == f"{chr(0x8868) * 13}..."
    assert fitted("missing_reference_of_call") == "missing_reference_of_call"


@pytest.mark.slow
def test_a_page_is_bounded() -> None:
    many = [row(str(n), ["Srch(query=1)"], ["Search(query=1)"], dials={"n": n}) for n in range(100)]
    found = run(cases(many), {"none": unchanged})
    text = run_page(found, summary_of(found, ["kind", "n"]), misses=3)
    assert text.count("<h3>") == 3
    assert "100 not as expected, of which 3 are listed" in text
    assert text.count("<circle") == 60 + 1  # a dial is shown up to 60 values; and the time


@pytest.mark.slow
@pytest.mark.parametrize(("systems", "distinct"), [(4, 8), (5, 10), (12, 24), (13, 24)])
def test_each_of_many_systems_has_a_look_of_its_own(systems: int, distinct: int) -> None:
    found = timed(run(cases(), {f"system-{number}": unchanged for number in range(systems)}))
    summary = summary_of(found)
    text = run_page(found, summary, (found, summary, compare_runs(found, found)))
    legend = text.partition('<ul class="legend">')[2].partition("</ul>")[0]
    looks = re.findall(r'class="([fo\d ]+)"', legend)
    assert (len(looks), len(set(looks))) == (2 * systems, distinct)
    bars_of_chart = set(re.findall(r'<rect [^>]*class="([fo\d ]+)"/>\n<line class="whisker"', text))
    assert bars_of_chart == set(looks)
    lines_of_chart = re.findall(r'<polyline class="([kd\d ]+)"', text)
    assert len(set(lines_of_chart)) == distinct
    for style in {each for seen in (*looks, *lines_of_chart) for each in seen.split()}:
        assert f".{style}" in text.partition("</style>")[0]
    assert ("The colours come again" in text) == (2 * systems > 8)
    assert ("look like earlier ones" in text) == (2 * systems > 24)
