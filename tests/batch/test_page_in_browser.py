"""The page of a run in a browser: it sorts, filters and opens, asks for nothing, and nothing breaks out."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.batch.browser import Browser, program
from tests.batch.page_pictures import MODES, PAGES, WIDTHS, colours, written
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
    versus = compare_rows(earlier, rows)
    path = tmp_path_factory.mktemp("pages") / "small.html"
    html = summary_page(lambda: iter(rows), summarise(rows), versus, title=HOSTILE)
    path.write_text(html, encoding="utf-8")
    return path


@pytest.fixture
def tab(browser: Browser, small: Path) -> Iterator[Browser]:
    """The small page, opened anew; whatever is done with it, it asks for nothing and complains of nothing."""
    browser.open(small)
    yield browser
    assert browser.complaints == []
    assert browser.value("window.bad") is None


def texts(tab: Browser, selector: str) -> Any:
    """Return the texts of elements."""
    return tab.value(f"[...document.querySelectorAll({selector!r})].map(e => e.textContent)")


def names(tab: Browser) -> Any:
    """Return the names in the list."""
    return texts(tab, "#all tbody th")


def click(tab: Browser, selector: str, number: int = 0) -> None:
    tab.value(f"document.querySelectorAll({selector!r})[{number}].click()")


def choose(tab: Browser, field: str, value: str) -> None:
    """Write into a field of the filters, or choose what has this text."""
    tab.value(
        f"(() => {{ const e = document.querySelector({field!r});"
        f"e.value = [...(e.options ?? [])].find(o => o.textContent === {value!r})?.value ?? {value!r};"
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
def test_lists_and_tables_are_sorted(tab: Browser) -> None:
    as_they_came = [row.name for row in small_run()]
    verdicts = texts(tab, "#all tbody .badge")
    assert verdicts[0] == "! error"
    assert verdicts[-2:] == ["\u2713 valid"] * 2
    click(tab, "#all thead button")
    assert names(tab) == as_they_came
    click(tab, "#all thead button")
    assert names(tab) == as_they_came[::-1]
    click(tab, "#all thead button", 4)
    counts = list(map(int, texts(tab, "#all tbody td:nth-child(5)")))
    assert counts == sorted(row.count for row in small_run())
    sort = "[...document.querySelectorAll('#all thead th')].map(e => e.getAttribute('aria-sort'))"
    assert tab.value(sort)[:5] == ["none", "none", "none", "none", "ascending"]
    table = "#p1 + div table"
    click(tab, f"{table} thead button")
    found = texts(tab, f"{table} tbody th")
    assert found == sorted(found, key=str.lower)
    click(tab, f"{table} thead button")
    assert texts(tab, f"{table} tbody th") == found[::-1]


@pytest.mark.slow
def test_the_list_is_filtered(tab: Browser) -> None:
    for field, value, expected in (
        ("#verdict", "repaired", ["unlabelled", "login"]),
        ("#text", "small good valid", ["good"]),
        ("#text", "nothing at all", []),
        ("#tag", "missing_label", ["unlabelled"]),
        ("#tool", "Qqqqq", ["made up"]),
        ("#fields select", "large", ["lost", "made up", "__proto__"]),
    ):
        choose(tab, field, value)
        found = [name for name in names(tab) if name != HOSTILE[:80] + "..."]
        assert sorted(found) == sorted(expected)
        assert texts(tab, "#count")[0].startswith(f"{len(names(tab))} of 8")
        click(tab, "#filters button")
        tab.wait("document.querySelectorAll('#all tbody tr').length === 8")


def test_a_sequence_is_opened_by_a_link(tab: Browser, small: Path) -> None:
    assert "+ var4 = TripadvisorSearchLocation" in open_named(tab, "unlabelled")
    assert tab.value("document.querySelectorAll('#s2 svg.calls rect.changed').length") > 0
    assert "Did you mean" in open_named(tab, "lost")
    assert texts(tab, "#full script, #full img") == []
    tab.open(small, fragment="#s1")
    tab.wait("document.querySelector('#s1').open")


def test_all_can_be_done_with_the_keyboard(tab: Browser) -> None:
    focus = "document.activeElement.textContent.trim()"
    tab.press("Tab")
    assert tab.value(focus) == "To the list of sequences"
    assert tab.value("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    tab.value("document.querySelectorAll('#all thead button')[1].focus()")
    tab.press(" ")
    assert names(tab)[0] != "good"
    tab.value("document.querySelector('#all tbody a').focus()")
    tab.press("Enter")
    tab.wait("document.activeElement.tagName === 'SUMMARY'")
    assert tab.value("document.activeElement.parentElement.open")


@pytest.fixture(scope="module")
def pictured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages that are looked at."""
    folder = tmp_path_factory.mktemp("pictured")
    return {name: written(name, folder) for name in PAGES}


LOOKS = Path(__file__).with_name("looks.js").read_text("utf-8")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_cut_pale_or_without_a_name(
    name: str, width: int, mode: str, browser: Browser, pictured: dict[str, Path]
) -> None:
    browser.open(pictured[name], width=width, mode=mode)
    browser.value("document.querySelectorAll('details').forEach(e => e.open = true)")
    assert browser.value(LOOKS) == []
    assert browser.complaints == []


def test_looking_finds_what_is_wrong(browser: Browser, pictured: dict[str, Path]) -> None:
    """The script that looks at the pages notices what it is there for."""
    spoilt = {
        "main.style.width = '3000px'": "the page scrolls sideways",
        "main.querySelector('h1').style.cssText = 'width: 3ch; overflow-wrap: anywhere'": "is broken",
        "main.querySelector('h1').style.cssText = 'width: 3ch; overflow: hidden; white-space: nowrap'": "is cut",
        "main.querySelector('dd').style.color = '#999'": "too little contrast",
        "main.querySelector('#text').parentElement.replaceWith(main.querySelector('#text'))": "has no label",
        "main.querySelector('h2').outerHTML = '<h4>x</h4>'": "skips a level",
    }
    for script, complaint in spoilt.items():
        browser.open(pictured["travel"])
        browser.value(f"(() => {{ const main = document.querySelector('main'); {script}; }})()")
        assert any(complaint in each for each in browser.value(LOOKS)), script


@pytest.mark.parametrize("mode", MODES)
def test_tiles_have_the_colours_of_their_verdicts(mode: str, browser: Any, pictured: Any) -> None:
    browser.open(pictured["travel"], mode=mode)
    hues = {"valid": "green", "repaired": "blue", "needs_input": "amber", "unrepairable": "red"}
    for verdict, hue in hues.items():
        found = colours(browser, f".tile.{verdict}")
        light = found.pop("light")
        assert (light > 0.8, light < 0.3) == (mode == "light", mode == "dark")
        assert found.pop("grey") > 0.8
        assert found.pop(hue) > 0.02
        assert sum(found.values()) < 0.01  # as the edges of letters may be
    found = colours(browser, ".stack")
    expected = {"green": 0.25, "blue": 0.5, "amber": 0.125, "red": 0.125}
    assert {hue: found[hue] for hue in expected} == pytest.approx(expected, abs=0.08)


def test_an_empty_list_can_be_cleared(browser: Browser, pictured: dict[str, Path]) -> None:
    browser.open(pictured["travel"])
    choose(browser, "#text", "nothing at all")
    assert browser.value("document.querySelector('#none').checkVisibility()")
    assert not browser.value("document.querySelector('#all').checkVisibility()")
    click(browser, "#none button")
    browser.wait("document.querySelectorAll('#all tbody tr').length === 8")
    assert not browser.value("document.querySelector('#none').checkVisibility()")


def test_it_can_be_read_without_a_script(browser: Browser, small: Path) -> None:
    browser.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.send("Page.navigate", url=small.as_uri())
        browser.wait("document.readyState === 'complete' && !!document.querySelector('#full')")
        places, script = "#s1 > summary", "document.querySelector('{}').checkVisibility()"
        seen = [browser.value(script.format(each)) for each in (places, "#p1", "#list")]
        assert seen == [True, True, False]
    finally:
        browser.send("Emulation.setScriptExecutionDisabled", value=False)


@pytest.mark.slow
def test_many_sequences(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "many.html"
    path.write_text(summary_page(lambda: many(MANY), summarise(many(MANY))), encoding="utf-8")
    assert path.stat().st_size < 6_000_000
    browser.open(path)
    assert texts(browser, "#count") == ["10,000 of 10,000 sequences"]
    click(browser, "#all thead button")
    click(browser, "#after")
    assert (names(browser)[0], len(names(browser))) == ("trace 50", 50)
    choose(browser, "#text", "trace 9999")
    assert names(browser) == ["trace 9999"]
    assert browser.complaints == []
