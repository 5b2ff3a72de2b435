"""Values of types that nobody should pass: each is refused with an error of our own."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from declaring import ENDLESS, NEEDED, tool
from refract_asp import Refractor, Sequence, check, repair
from refract_asp.errors import LimitError, RefractError

SEARCH = {"tools": [tool("Search", "read", date=NEEDED)]}
CALL = 'Search(date="x")'
HUGE = 10**5000


class Mute:
    """An object that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


NO_WEIGHTS = (HUGE, -1, 10**7, "1")
OPTIONS: dict[str, list[Any]] = {
    "max_new_calls": [None, -1],
    "max_tries": [HUGE, 0],
    "alternatives": [1.5, Decimal("1")],
    "time_limit": ["1", True, -1, float("nan")],
    "allow": [1, "Search", [[]], ["NoSuchTool"]],
    "deny": [[HUGE], ["NoSuchTool"]],
    "encodings": [None, "rules.lp", [b"x"], ["\0"], ["\ud800"]],
    "encodings_dir": [0, "/does/not/exist"],
    "cost_model": [Path("\0"), 3, "defualt", Path("/does/not/exist.lp")],
    "constants": [1, {3: 1}, {"weight_askk": 1}, *({"weight_ask": n} for n in NO_WEIGHTS)],
    "confirm": [[], Mute(), "always"],
    "mappings": [[{"source": "", "target": "x"}], [{"source": "a", "target": "b", "weight": 2}]],
}


@pytest.mark.parametrize(
    "options", [{name: value} for name, values in OPTIONS.items() for value in values], ids=list
)
def test_options(options: dict[str, Any]) -> None:
    with pytest.raises(RefractError):
        Refractor(SEARCH, **options)


JUDGED: list[Any] = [
    *((given, SEARCH) for given in (ENDLESS, [ENDLESS], Mute())),
    *((CALL, given) for given in (ENDLESS, Mute())),
    (CALL, SEARCH, {HUGE: 1}),
    (CALL, SEARCH, None, ENDLESS),
]


@pytest.mark.parametrize("given", JUDGED)
def test_what_is_judged(given: tuple[Any, ...]) -> None:
    with pytest.raises(RefractError):
        repair(*given)


ANSWERS: list[Any] = [
    *(({}, confirmed) for confirmed in (None, 0, [5])),
    *((values, True) for values in (3, {"date": Mute()}, {HUGE: 1}, {"date": 5})),
]


@pytest.mark.parametrize(("values", "confirmed"), ANSWERS)
def test_answers(values: Any, confirmed: Any) -> None:
    result = repair("Search()", SEARCH)
    with pytest.raises(RefractError):
        result.answer(values, confirmed=confirmed)


@pytest.mark.parametrize("limit", [1e10, float("inf"), HUGE], ids=["large", "infinite", "huge"])
def test_a_limit_beyond_all_measure_is_none(limit: float) -> None:
    result = repair('Serch(date="x")', SEARCH, time_limit=limit)
    assert (result.verdict, result.optimal) == ("repaired", True)


@pytest.mark.slow
def test_a_very_long_sequence_is_checked_but_not_repaired() -> None:
    text = "\n".join(["Search()"] * 501)
    assert len(check(text, SEARCH).violations) == 501
    with pytest.raises(LimitError, match="at most 500"):
        repair(text, SEARCH)


@pytest.mark.slow
def test_a_text_of_very_many_references_is_not_repaired() -> None:
    with pytest.raises(LimitError, match="at most 4000"):
        repair([{"name": "Search", "arguments": {"date": "$a.b$ " * 5000}}], SEARCH)


def test_an_ask_does_not_take_the_name_that_an_unresolved_call_refers_to() -> None:
    result = repair('Search()\nZzz(when="$date$")', SEARCH)
    assert result.unresolved == (1,)
    assert Sequence.load(result.sequence.dump("pretty")) == result.sequence
