"""The page of a run in a browser: it sorts, filters and opens, asks for nothing, and nothing breaks out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.batch.browser import Browser, program
from tests.batch.page_rows import HOSTILE, many, small_run

from refract_asp.evaluation.page import summary_page
from refract_asp.evaluation.summary import summarise
from refract_asp.evaluation.versus import compare_rows

pytestmark = pytest.mark.browser

MANY = 10_000


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests."""
    if program() is None:
        why = "there is no Chromium: install Debian's package `chromium`"
        if os.environ.get("REFRACT_ASP_REQUIRE_BROWSER") == "1":
            pytest.fail(why)
        pytest.skip(why)
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of a few sequences, against an earlier run."""
    rows = small_run()
    earlier = [row.model_copy(update={"verdict": "valid", "edits": ()}) for row in rows]
    html = summary_page(
        lambda: iter(rows), summarise(rows), compare_rows(earlier, rows), title=HOSTILE
    )
    path = tmp_path_factory.mktemp("pages") / "small.html"
    path.write_text(html, encoding="utf-8")
    return path


@pytest.fixture
def tab(browser: Browser, small: Path) -> Iterator[Browser]:
    """The small page, opened anew; whatever is done with it, it asks for nothing and complains of nothing."""
    browser.open(small)
    yield browser
    assert browser.requests == []
    assert browser.complaints == []
    assert browser.value("window.bad") is None


def names(tab: Browser) -> list[str]:
    """Return the names in the list."""
    found: list[str] = tab.value(
        "[...document.querySelectorAll('#all tbody th')].map(e => e.textContent)"
    )
    return found


def set_value(tab: Browser, field: str, value: str) -> None:
    """Choose or write what a field of the filters says."""
    tab.value(
        f"(() => {{ const e = document.querySelector({field!r}); e.value = {value!r};"
        "e.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


def open_named(tab: Browser, name: str) -> Any:
    """Open the sequence of a name from the list, and return the text that is shown."""
    link = f"[...document.querySelectorAll('#all tbody a')].find(e => e.textContent === {name!r})"
    number = tab.value(f"{link}.getAttribute('href')")
    tab.value(f"{link}.click()")
    tab.wait(f"document.querySelector('{number}').open")
    return tab.value(f"document.querySelector('{number}').innerText")


@pytest.mark.slow
def test_the_list_is_sorted(tab: Browser) -> None:
    as_they_came = [row.name for row in small_run()]
    assert names(tab) == as_they_came
    click = "document.querySelectorAll('#all thead button')[{}].click()"
    sort = "[...document.querySelectorAll('#all thead th')].map(e => e.getAttribute('aria-sort'))"
    tab.value(click.format(0))
    assert names(tab) == as_they_came[::-1]
    assert tab.value(sort)[:2] == ["descending", "none"]
    tab.value(click.format(4))
    counts = tab.value(
        "[...document.querySelectorAll('#all tbody tr')].map(e => +e.cells[4].textContent)"
    )
    assert counts == sorted(row.count for row in small_run())
    assert tab.value(sort)[:5] == ["none", "none", "none", "none", "ascending"]


@pytest.mark.slow
def test_tables_are_sorted(tab: Browser) -> None:
    column = "[...document.querySelectorAll('h2#tools + div table tbody tr')].map(e => e.cells[{}].textContent)"
    head = "document.querySelectorAll('h2#tools + div table thead button')[{}].click()"
    tab.value(head.format(0))
    found = tab.value(column.format(0))
    assert found == sorted(found, key=str.lower)
    assert len(found) > 2
    tab.value(head.format(0))
    assert tab.value(column.format(0)) == found[::-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("#verdict", "repaired", ["unlabelled", "login"]),
        ("#verdict", "error", ["traces.jsonl:8"]),
        ("#text", "ripadvisorSEARCH", ["unlabelled"]),
        ("#text", "small 2024-08-01 valid", ["good"]),
        ("#text", "nothing at all", []),
    ],
)
def test_the_list_is_filtered(tab: Browser, field: str, value: str, expected: list[str]) -> None:
    set_value(tab, field, value)
    assert [name for name in names(tab) if name != HOSTILE[:80] + "..."] == expected
    assert tab.value("document.getElementById('count').textContent").startswith(
        f"{len(names(tab))} of 8"
    )


def test_filters_by_mistake_tool_and_metadata(tab: Browser) -> None:
    chosen = (
        "(() => {{ const e = document.querySelector({0!r});"
        "e.value = [...e.options].find(o => o.textContent === {1!r}).value;"
        "e.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
    )
    tab.value(chosen.format("#tag", "missing_label"))
    assert names(tab) == ["unlabelled"]
    tab.value("document.querySelector('#filters button').click()")
    tab.wait("document.querySelectorAll('#all tbody tr').length === 8")
    tab.value(chosen.format("#tool", "Qqqqq"))
    assert names(tab) == ["made up"]
    tab.value("document.querySelector('#filters button').click()")
    tab.wait("document.querySelectorAll('#all tbody tr').length === 8")
    tab.value(chosen.format("#fields select", "large"))
    assert names(tab) == ["lost", "made up", "__proto__"]


def test_a_sequence_is_opened(tab: Browser) -> None:
    text = open_named(tab, "unlabelled")
    assert "+ var4 = TripadvisorSearchLocation" in text
    assert tab.value("document.querySelectorAll('#s2 svg.calls rect.changed').length") > 0
    assert tab.value("getComputedStyle(document.querySelector('#s2 pre .new')).color") != tab.value(
        "getComputedStyle(document.querySelector('#s2 pre .gone')).color"
    )
    text = open_named(tab, "lost")
    assert "Did you mean" in text
    assert "+ ask(query)" in text
    assert tab.value("document.querySelector('#s1 svg.calls').getBoundingClientRect().width") > 300


@pytest.mark.slow
def test_each_can_be_opened(tab: Browser) -> None:
    for name in names(tab):
        assert open_named(tab, name)
    assert tab.value("document.querySelectorAll('#full script, #full img').length") == 0


@pytest.mark.slow
def test_links_open_sequences(tab: Browser, small: Path) -> None:
    tab.value("document.querySelector('#faults + div a').click()")
    tab.wait("/^#s\\d+$/.test(location.hash)")
    number = tab.value("location.hash")
    tab.wait(f"document.querySelector('{number}').open")
    tab.open(small, fragment=number)
    tab.wait(f"document.querySelector('{number}').open")


def test_all_can_be_done_with_the_keyboard(tab: Browser) -> None:
    focus = "document.activeElement.textContent.trim()"
    tab.press("Tab")
    assert tab.value(focus) == "To the list of sequences"
    assert tab.value("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    tab.value("document.querySelectorAll('#all thead button')[1].focus()")
    tab.press(" ")
    assert (
        names(tab) == sorted(names(tab), key=lambda name: name.strip("_<").lower())
        or names(tab)[0] != "good"
    )
    tab.value("document.querySelector('#all tbody a').focus()")
    opener = tab.value(focus)
    tab.press("Enter")
    tab.wait("document.activeElement.tagName === 'SUMMARY'")
    assert opener in tab.value(focus)
    assert tab.value("document.activeElement.parentElement.open")


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out(browser: Browser, small: Path, width: int) -> None:
    browser.open(small, width=width)
    assert browser.value("document.documentElement.scrollWidth") <= width
    open_named(browser, "lost")
    assert browser.value("document.documentElement.scrollWidth") <= width


def test_it_can_be_read_without_a_script(browser: Browser, small: Path) -> None:
    browser.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.send("Page.navigate", url=small.as_uri())
        browser.wait("document.readyState === 'complete' && !!document.querySelector('#full')")
        assert browser.value("document.querySelector('#s1 > summary').checkVisibility()")
        assert browser.value("document.querySelector('#overall').checkVisibility()")
        assert not browser.value("document.querySelector('#list').checkVisibility()")
    finally:
        browser.send("Emulation.setScriptExecutionDisabled", value=False)


@pytest.mark.slow
def test_many_sequences(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "many.html"
    path.write_text(summary_page(lambda: many(MANY), summarise(many(MANY))), encoding="utf-8")
    assert path.stat().st_size < 10_000_000
    times = []
    for _ in range(3):  # the machine may be busy once
        browser.open(path)
        times.append(browser.value("performance.now()"))
        if times[-1] < 2_000:
            break
    assert min(times) < 2_000
    assert (
        browser.value("document.getElementById('count').textContent")
        == "10,000 of 10,000 sequences"
    )
    assert len(names(browser)) == 50
    browser.value("document.getElementById('after').click()")
    assert names(browser)[0] == "trace 50"
    set_value(browser, "#text", "trace 9999")
    assert names(browser) == ["trace 9999"]
    assert browser.requests == []
    assert browser.complaints == []
