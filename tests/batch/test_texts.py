"""Reports of batches as text and in Markdown, read in the snapshots; nothing from outside gets loose."""

import re
from functools import cache

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from syrupy.assertion import SnapshotAssertion
from tests.batch.travel_rows import GOOD, TWICE, row_of, rows_of, traces, travelled

from refract_asp.evaluation.reports import MAX_TEXT, report_markdown, report_text
from refract_asp.evaluation.rows import Row
from refract_asp.evaluation.summary import Summary, summarise
from refract_asp.evaluation.versus import Versus, compare_rows

HOSTILE = [
    "a|b", "a\\|b", "a\\\\|b", "|", "`", "`a", "a`", "``` x ```", "`a`|`b`", "<script>alert(1)</script>", "<!-- x",
    "</details>", "@all", "#1", "[x](http://evil.example)", "![x](y)", "http://evil.example",
    "www.evil.example", "a@evil.example", "**bold**", "~~x~~", "&lt;b&gt;", "\\", "a\nb",
    "\n\n# head", "::error::x", ":tada:",
    "\x1b[31mred", "\u202eflip", "- item", " ",
]  # fmt: skip
FIGURES = re.compile(r"[-+\d/., %]+|[a-z_]+")


@cache
def run() -> Summary:
    return summarise(travelled(), times={0: 0.0123, 1: 0.4})


@cache
def two_runs() -> Versus:
    after = [
        line.replace(b'checkOut=\\"2024-08-18\\"', b'checkOt=\\"2024-08-18\\"')
        .replace(b"TripadvisorSearchLocations", b"TripadvisorSearchLocation")
        .replace(b'SkyScrapperSearchAirport(query=\\"Oslo', b'Zzz(a=\\"Oslo')
        for line in traces()[:-1]
    ]
    return compare_rows(travelled(), rows_of(after))


@pytest.mark.parametrize("width", [80, 200])
def test_a_run_as_text(width: int, snapshot: SnapshotAssertion) -> None:
    text = report_text(run(), "out.jsonl", width=width)
    assert max(map(len, text.splitlines())) <= width
    assert text == snapshot


def test_a_run_step_by_step_with_truth_and_compression(snapshot: SnapshotAssertion) -> None:
    steps = rows_of([*traces()[:5], {"sequence": GOOD, "expected": GOOD}], stepwise=True)
    assert report_text(summarise(steps), "steps.jsonl", listed=1) == snapshot
    assert report_text(summarise(rows_of([TWICE, GOOD], "compress"))) == snapshot


def test_colours_are_on_demand() -> None:
    plain, colored = (report_text(run(), color=color) for color in (False, True))
    assert "\x1b" not in plain
    assert "\x1b[1mmost frequent faults\x1b[0m" in colored
    assert "\x1b[31m" in report_text(two_runs(), color=True)


@pytest.mark.parametrize("width", [80, 200])
def test_two_runs_as_text(width: int, snapshot: SnapshotAssertion) -> None:
    text = report_text(two_runs(), "old.jsonl", "out.jsonl", width=width)
    assert max(map(len, text.splitlines())) <= width
    assert text == snapshot


def test_in_markdown(snapshot: SnapshotAssertion) -> None:
    assert report_markdown(run(), "out.jsonl") == snapshot
    assert report_markdown(two_runs(), "old.jsonl", "out.jsonl") == snapshot


# -- hostile input -------------------------------------------------------------


def tokens(text: str) -> list[Token]:
    """Read Markdown with the tables of GitHub."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return [each for block in parser.parse(text) for each in (block, *(block.children or ()))]


@cache
def plain_rows() -> list[Row]:
    return rows_of([[f"T{n}(a=1)"] for n in range(4)])


def hostile_rows(text: str) -> list[Row]:
    said = {"tool": text, "attempted": text, "message": text, "fix": text}
    rows = []
    for row in plain_rows():
        changed = {
            "id": f"{text}{row.number}",
            "meta": {text: text, "model": f"{text}{row.number % 2}"},
            "tools": (text,),
            "diagnostics": tuple(each.model_copy(update=said) for each in row.diagnostics),
            "tags": tuple(each.model_copy(update={"parameter": text}) for each in row.tags),
        }
        rows.append(row.model_copy(update=changed))
    return rows


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_from_outside_gets_loose(text: str) -> None:
    rows = hostile_rows(text)
    found = summarise(rows)
    before = [row.model_copy(update={"verdict": "valid", "diagnostics": ()}) for row in rows]
    both = compare_rows(before, rows)
    for told in (report_text(found, text, color=False), report_text(both, text, text)):
        assert told.replace("\n", "").isprintable()
    ours = ("<details><summary>", "</details>")
    for told in (report_markdown(found, text), report_markdown(both, text, text)):
        read = tokens(told)
        assert not {each.type for each in read} & {"link_open", "image", "html_inline", "s_open"}
        assert all(each.content.startswith(ours) for each in read if each.type == "html_block")
        folded = [each.content for each in read if each.type == "html_block"]
        assert len([each for each in folded if each.startswith(ours[0])]) * 2 == len(folded)
        rows_told = rows_of_tables(read)
        assert rows_told
        for row in rows_told:  # a cell that was split would push a name into a column of figures
            assert all(FIGURES.fullmatch(each) for each in row[1:]), row


def rows_of_tables(read: list[Token]) -> list[list[str]]:
    """Return what stands in the cells of each row below a heading."""
    rows: list[list[str]] = []
    for number, each in enumerate(read):
        if each.type == "tr_open":
            rows.append([])
        elif each.type == "td_open":
            rows[-1].append(read[number + 1].content)
    return [row for row in rows if row]


@pytest.mark.slow
def test_a_comment_never_becomes_too_long() -> None:
    metas = [{f"field{f}": f"{'x' * 90}{n % 20}" for f in range(60)} for n in range(80)]
    text = report_markdown(summarise([row_of(n, meta=meta) for n, meta in enumerate(metas)]))
    assert len(text) <= MAX_TEXT
    assert text.endswith("The rest is left out, as the text would be too long.")


def test_secrets_are_never_told() -> None:
    calls = ['TripadvisorSearchLocation(query="x", api_key="s3cr3t-value")']
    rows = rows_of([{"sequence": calls, "meta": {"token": "s3cr3t-value"}}] * 4)
    assert rows[0].shown is not None  # there is something to hide
    found, both = summarise(rows), compare_rows(rows_of([GOOD] * 4), rows)
    told = [
        report_text(found), report_markdown(found), found.model_dump_json(),
        report_text(both), report_markdown(both), both.model_dump_json(),
    ]  # fmt: skip
    assert not [each for each in told if "s3cr3t" in each]
