"""Plans are run as plans whatever way they come: as text, file, sequence or repair."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from refract_asp import Sequence, repair
from refract_asp.errors import InputError
from refract_asp.plan import dates, described, parse_plan
from refract_asp.runtime import run

TEXT = "spare = log(); found = search({to: 'x', date: next(Friday).at('noon')}); return {first: found.id};"
HELPERS = dates("2024-03-08")
WANTED = {"first": "x 2024-03-15T12:00:00+00:00"}


def search(to: str, date: str) -> dict[str, str]:
    """Find something."""
    return {"id": f"{to} {date}"}


def book(id: str, who: str) -> str:
    """Book it."""
    return f"{id} for {who}"


def log() -> None:
    """Must not be called: nobody reads it."""
    raise AssertionError


@pytest.mark.parametrize(
    "what",
    [TEXT, TEXT.replace("; ", ";\n"), Sequence.load(TEXT), parse_plan(TEXT), parse_plan(TEXT).plan],
    ids=["one line", "lines", "sequence", "parsed", "plan"],
)
def test_only_what_is_returned_runs(what: Any) -> None:
    done = run(what, [search, log], context=HELPERS)
    assert done.result == WANTED
    assert [outcome.tool for outcome in done.outcomes] == ["search"]


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.js"
    path.write_text(TEXT, encoding="utf-8")
    assert run(path, [search, log], context=HELPERS).result == WANTED
    assert run(path, [search, log], context=HELPERS, is_plan=True).result == WANTED


@pytest.mark.slow
def test_a_repair() -> None:
    broken = TEXT.replace("date:", "dates:")
    result = repair(broken, described(HELPERS, [search, log]), HELPERS.memory)
    assert result.verdict == "repaired"
    done = run(result, [search, log], context=HELPERS)
    assert done.result == WANTED
    assert [outcome.tool for outcome in done.outcomes] == ["search"]


def test_an_open_repair_asks_and_knows_local_functions() -> None:
    text = "a = search({to: 'x', date: next(Friday)}); return book({id: a.id});"
    result = repair(text, described(HELPERS, [search, book]), HELPERS.memory)
    assert result.asks
    names = {ask.name: "ada" for ask in result.asks}
    done = run(result, [search, book], context=HELPERS, ask=names, confirm=True)
    assert done.result == "x 2024-03-15 for ada"
    assert run(result, [search, book], context=HELPERS).is_open


def test_what_was_mended_is_told() -> None:
    text = "const found = await search({to: 'x', date: today}); return found.id;"
    for what in (text, Sequence.load(text)):
        assert len(run(what, [search], context=HELPERS).notes) == 2


def test_a_sequence_is_no_plan() -> None:
    with pytest.raises(InputError, match="is no plan"):
        run(Sequence.load('search(to="x", date="y")'), [search], is_plan=True)


def test_a_field_that_the_result_of_a_plan_lacks_is_told_with_what_there_is() -> None:
    for near, said in (("nme", "Did you mean name?"), ("q", "It has: name, id.")):
        done = run(f"return find({{}}).{near};", {"find": lambda: {"name": 1, "id": 2}})
        assert done.outcomes[0].status == "succeeded"
        assert str(done.error) == (
            f"line 1, column 8: the result cannot be read: the object has no field '{near}'. {said}"
        )
