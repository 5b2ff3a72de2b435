"""The page of a run: what is in it, that it needs nothing else, and that nothing breaks out of it."""

import json
import re
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.batch.page_rows import ENTRIES, HOSTILE, SECRET, many, small_run
from tests.batch.travel_rows import rows_of

from declaring import TEXT, tool
from refract_asp.evaluation import page as pages
from refract_asp.evaluation.page import section_of, summary_page
from refract_asp.evaluation.summary import summarise
from refract_asp.evaluation.versus import compare_rows

LISTED = re.compile(r'<script type="application/json" id="listed">([^<]*)</script>')


def page_of(rows: Any, **more: Any) -> str:
    """Return the page of rows."""
    held = tuple(rows)
    return summary_page(lambda: iter(held), summarise(held), **more)


def listed(html: str) -> Any:
    """Return the sequences that a page lists, as data."""
    (text,) = LISTED.findall(html)
    return json.loads(text)


def in_full(html: str) -> list[int]:
    """Return the numbers of the sequences that a page shows in full."""
    return [int(number) for number in re.findall(r'<details id="s(\d+)">', html)]


def readable(html: str) -> str:
    """Return a page without style, scripts, charts, and single sequences."""
    details = r"(<details id=.*?</summary>).*?</details>\n(?=<)"
    html = re.sub(details, r"\1...\n", html, flags=re.DOTALL)
    return re.sub(r"<(style|script|svg)\b.*?</\1>", r"<\1.../>", html, flags=re.DOTALL)


def test_a_page(snapshot: SnapshotAssertion) -> None:
    rows = small_run()
    earlier = [row.model_copy(update={"verdict": "valid", "edits": ()}) for row in rows]
    assert readable(page_of(rows, versus=compare_rows(earlier, rows))) == snapshot


@pytest.mark.parametrize("number", [0, 1, 3, 6, 7])
def test_a_sequence(number: int, snapshot: SnapshotAssertion) -> None:
    html = section_of(small_run()[number])
    assert re.sub(r"\n+", "\n", readable(html).replace("><", ">\n<")).strip() == snapshot


def test_it_needs_nothing_else_and_tells_no_secret() -> None:
    html = page_of(small_run())
    assert SECRET not in html
    assert "(secret)" in html
    assert "default-src 'none'" in html
    for name in ("src", "href", "action", "data", "srcset"):
        values = re.findall(rf'<[^>]*\s{name}="([^"]*)"', LISTED.sub("", html))
        assert all(value == "data:," or value.startswith("#") for value in values), name
    assert set(re.findall(r"https?://[\w./]*", html)) <= {"http://www.w3.org/2000/svg"}
    assert "@import" not in html
    assert "url(" not in html


def test_nothing_breaks_out() -> None:
    html = page_of(small_run(), title=HOSTILE)
    assert html.count("<script") == html.count("</script>") == 2
    assert "<img" not in html
    assert "innerHTML" not in html


def test_a_large_run_shows_some_of_each_kind_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "FULL", 2)
    html = page_of(small_run())
    rows = {row.number: row for row in small_run()}
    assert [rows[number].is_executable for number in in_full(html)].count(True) == 2
    assert len(in_full(html)) == 4
    assert len(listed(html)) == 8
    links = {int(number) for number in re.findall(r'href="#s(\d+)"', html)}
    assert links <= set(in_full(html))


def test_a_page_stays_below_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "FULL_BYTES", 8_000)
    html = page_of(row.model_copy(update={"number": n}) for n, row in enumerate(small_run() * 30))
    assert 0 < len(in_full(html)) < 16
    assert len(listed(html)) == 240


@pytest.mark.slow
def test_ten_thousand_sequences_stay_below_6_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    # what is shown in full has a bound of its own, so that drawing it says nothing here
    monkeypatch.setattr(pages, "FULL", 0)
    html = page_of(many(10_000))
    assert len(html) + 2 * pages.FULL_BYTES < 6_000_000


def test_those_in_trouble_come_before_the_others() -> None:
    rows = [row.model_copy(update={"number": number}) for number, row in enumerate(small_run() * 2)]
    troubled = [row.number for row in rows if not row.is_executable]
    html = page_of(rows, most=len(troubled) + 1)
    assert {row["number"] for row in listed(html)} == {*troubled, 0}
    assert f"{len(rows) - len(troubled) - 1} more sequences are not on this page" in html


def test_other_repairs_steps_and_the_truth() -> None:
    tools = [tool("Get", returns={"y": TEXT}), tool("Use", x={"required": True})]
    calls = 'a = Get()\nb = Get()\nUse(x="$%s.y$")'
    entry = {"sequence": calls % "c", "catalog": {"tools": tools}, "expected": calls % "b"}
    (row,) = rows_of((entry,), options={"alternatives": 2})
    section = section_of(row)
    assert "Other repairs" in section
    assert "The given calls are not the expected ones; the repaired ones are." in section
    assert "Step by step" in section_of(rows_of(ENTRIES[:1], stepwise=True)[0])


def test_what_is_wrong_is_marked_in_the_drawing() -> None:
    calls = 'a = SkyScrapperSearchAirport(query="x")\nb = SkyScraperSearchAirport(query="y")'
    (row,) = rows_of([{"sequence": calls}], mode="check")
    assert re.findall(r'class="(box[^"]*)"', section_of(row)) == ["box", "box wrong"]


def test_a_row_that_was_changed_by_hand() -> None:
    row = small_run()[0].model_copy(update={"calls": [{"what": 1}], "format": "nestful"})
    assert "Its calls cannot be shown" in section_of(row)


def test_text_that_utf_8_does_not_have() -> None:
    meta = {"x\ud800": "\ud800", "m": ["\udc00"]}
    entries = [{**ENTRIES[0], "id": "a\ud800b\u202e", "meta": meta}] * 2
    rows = [row.model_copy(update={"verdict": "needs_input"}) for row in rows_of(entries)]
    html = page_of(rows)
    html.encode()
    assert "\u202e" not in html


def test_long_ones_are_cut() -> None:
    calls = "\n".join(f'v{n} = SkyScrapperSearchAirport(query="{"x" * 2_000}")' for n in range(400))
    meta = {f"k{n}": "v" * 9_000 for n in range(99)}
    (row,) = rows_of([{"sequence": calls, "meta": meta}], mode="check")
    section = section_of(row)
    assert len(section) < 600_000
    assert "and 100 more lines" in section
    assert "340 more calls are not drawn" in section


def test_what_is_open_is_listed_as_questions() -> None:
    needed = {"required": True}
    tools = [tool("Pay", "write", customer_id=needed), tool("Get", "read", id=needed)]
    calls = "Get()\nconfirm(customer_id=3)\nPay(customer_id=3)"
    (row,) = rows_of([{"sequence": calls, "catalog": {"tools": tools}}])
    section = section_of(row).replace("<wbr>", "")
    asked = section.split("What you have to answer")[1].split("</ol>")[0]
    assert re.findall(r"<strong>(.*?)</strong>", asked) == ["Which value?", "Is this right?"]
    assert "id of Get" in asked
    assert "customer_id of Pay" in asked
    assert "What you have to answer" not in section_of(small_run()[0])


def test_errors_of_one_cause_are_counted_together() -> None:
    rows = rows_of([b'{"sequence": '] * 3 + [b'{"x": 1}'] * 2 + [ENTRIES[0]])
    html = page_of(rows).replace("<wbr>", "")
    causes = html.split('id="p1"')[1].split("</table>")[0]
    assert "Causes of errors" in causes
    assert re.findall(r'data-v="(\d+)"', causes) == ["3", "2"]
    assert re.findall(r'href="#s(\d+)"', causes) == ["0", "3"]
    assert "This run has no sequence" in page_of([])


def test_the_head_names_catalogs_models_and_what_else_is_known() -> None:
    html = page_of(small_run(), about={"judged": "today"})
    head = html.split('<dl class="about">')[1].split("</dl>")[0]
    told = dict(re.findall(r"<dt>(\w+)</dt><dd>(.*?)</dd>", head))
    assert (told["models"], told["judged"]) == ("small, large", "today")
    assert told["calls"] == str(sum(row.count for row in small_run()))
