"""The page of a run: what is in it, that it needs nothing else, and that nothing breaks out of it."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.batch.page_rows import ENTRIES, HOSTILE, SECRET, rows_of, small_run

from refract_asp.batch import packing
from refract_asp.batch.page import page
from refract_asp.batch.row import Row
from refract_asp.batch.sections import section_of
from refract_asp.batch.summary import summarise
from refract_asp.batch.versus import versus
from refract_asp.errors import FormatError
from refract_asp.report.elements import data_of, markup_of

PACKED = re.compile(r'<script type="application/octet-stream;base64" id="(\w+)">([^<]*)</script>')


def page_of(rows: Any, **more: Any) -> str:
    """Return the page of rows."""
    held = tuple(rows)
    return page(lambda: iter(held), summarise(held), **more)


def unpacked(html: str) -> dict[str, Any]:
    """Return what is packed in a page."""
    return {name: json.loads(gzip.decompress(base64.b64decode(text))) for name, text in PACKED.findall(html)}


def readable(html: str) -> str:
    """Return a page without style, scripts, charts, and single sequences."""
    html = re.sub(r"(<details id=.*?</summary>).*?</details>\n(?=<)", r"\1...\n", html, flags=re.DOTALL)
    return re.sub(r"<(style|script|svg)\b.*?</\1>", r"<\1.../>", html, flags=re.DOTALL)


def test_a_page(snapshot: SnapshotAssertion) -> None:
    rows = small_run()
    earlier = [row.model_copy(update={"verdict": "valid", "edits": ()}) for row in rows]
    assert readable(page_of(rows, versus=versus(earlier, rows))) == snapshot


@pytest.mark.parametrize("number", [0, 1, 3, 6, 7])
def test_a_sequence(number: int, snapshot: SnapshotAssertion) -> None:
    html = markup_of(section_of(small_run()[number]))
    assert readable(html).replace("><", ">\n<") == snapshot


def test_it_is_the_same_each_time() -> None:
    assert page_of(small_run()) == page_of(small_run())


def test_it_needs_nothing_else() -> None:
    html = page_of(small_run())
    assert "default-src 'none'" in html
    for name in ("src", "href", "action", "data", "srcset"):
        values = re.findall(rf'<[^>]*\s{name}="([^"]*)"', PACKED.sub("", html))
        assert all(value == "data:," or value.startswith("#") for value in values), name
    assert set(re.findall(r"https?://[\w./]*", html)) <= {"http://www.w3.org/2000/svg"}
    assert "@import" not in html
    assert "url(" not in html


def test_nothing_breaks_out() -> None:
    html = page_of(small_run(), title=HOSTILE)
    assert html.count("<script") == html.count("</script>") == len(PACKED.findall(html)) + 2
    assert "<img" not in html
    assert "innerHTML" not in html


def test_secrets_are_told_nowhere() -> None:
    html = page_of(small_run())
    assert SECRET not in html
    assert SECRET not in json.dumps(unpacked(html))
    assert "(secret)" in html


def test_who_is_in_trouble_is_held_in_full() -> None:
    html = page_of(small_run())
    whole = set(re.findall(r'<details id="s(\d+)">', html))
    troubled = {str(row.number) for row in small_run() if not row.is_executable}
    assert whole == troubled
    assert "var2 = SkyScrapperSearchAirport(query=query)" in html


def test_the_others_are_packed() -> None:
    held = unpacked(page_of(small_run()))
    rows = {row.number: row for row in small_run()}
    assert {int(number) for number in held["chunk0"]} == {
        row.number for row in rows.values() if row.is_executable
    }
    for number, told in held["chunk0"].items():
        assert told == json.loads(json.dumps(data_of(section_of(rows[int(number)]))))
    assert [line[0] for line in held["listed"]["rows"]] == list(rows)


def test_too_many_in_trouble_are_packed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "FULL", 2)
    monkeypatch.setattr(packing, "IN_CHUNK", 3)
    html = page_of(small_run())
    assert html.count("<details id=") == 2
    held = unpacked(html)
    lines = held["listed"]["rows"]
    for line in lines:
        assert line[-1] < 0 or str(line[0]) in held[f"chunk{line[-1]}"]
    assert sum(line[-1] < 0 for line in lines) == 2
    assert "the first 2 of" in html


def test_those_in_trouble_come_before_the_others() -> None:
    rows = [row.model_copy(update={"number": number}) for number, row in enumerate(small_run() * 2)]
    troubled = [row.number for row in rows if not row.is_executable]
    html = page_of(rows, most=len(troubled) + 1)
    listed = [line[0] for line in unpacked(html)["listed"]["rows"]]
    assert set(listed) == {*troubled, 0}
    assert f"{len(rows) - len(listed)} more sequences are not on this page" in html


def test_other_modes() -> None:
    checked = page_of(rows_of(mode="check"))
    assert "invalid" in checked
    stepwise = page_of(rows_of(stepwise=True))
    assert "Step by step" in stepwise
    section = markup_of(section_of(rows_of(options={"alternatives": 2})[3]))
    assert "Qqqqq" in section


def test_other_repairs_and_the_truth() -> None:
    tools = [
        {"name": "Get", "returns": {"y": {"type": "string"}}},
        {"name": "Use", "parameters": {"x": {"required": True}}},
    ]
    calls = 'a = Get()\nb = Get()\nUse(x="$%s.y$")'
    entry = {"sequence": calls % "c", "catalog": {"tools": tools}, "expected": calls % "b"}
    (row,) = rows_of((entry,), options={"alternatives": 2})
    section = markup_of(section_of(row))
    assert "Other repairs" in section
    assert "The given calls are not the expected ones; the repaired ones are." in section


def test_a_run_without_sequences() -> None:
    assert "0 sequences" in page_of(())


def test_a_row_that_was_changed_by_hand() -> None:
    row = small_run()[0].model_copy(update={"calls": [{"what": 1}], "format": "nestful"})
    assert "Its calls cannot be shown" in markup_of(section_of(row))


def test_text_that_utf_8_does_not_have() -> None:
    entries = ({**ENTRIES[0], "id": "a\ud800b\u202e", "meta": {"x\ud800": "\ud800", "m": ["\udc00"]}},) * 2
    rows = [row.model_copy(update={"verdict": "needs_input"}) for row in rows_of(entries)]
    html = page_of(rows)
    html.encode()
    assert "\u202e" not in html


def test_long_ones_are_cut() -> None:
    calls = "\n".join(f'v{n} = SkyScrapperSearchAirport(query="{"x" * 5_000}")' for n in range(400))
    (row,) = rows_of(({"sequence": calls, "meta": {f"k{n}": "v" * 9_000 for n in range(99)}},), mode="check")
    section = markup_of(section_of(row))
    assert len(section) < 600_000
    assert "and 100 more lines" in section
    assert "340 more calls are not drawn" in section


def test_rows_are_read_once_and_one_at_a_time() -> None:
    begun: list[int] = []

    def rows() -> Iterator[Row]:
        begun.append(0)
        return iter(small_run())

    begin: Callable[[], Iterator[Row]] = rows
    page(begin, summarise(small_run()))
    assert begun == [0]


def test_a_file_that_cannot_be_read_is_told() -> None:
    def rows() -> Iterator[Row]:
        yield small_run()[0]
        raise FormatError("this is no line of a batch.", where="out.jsonl:2")

    with pytest.raises(FormatError, match=r"out\.jsonl:2"):
        page(rows, summarise(small_run()))
