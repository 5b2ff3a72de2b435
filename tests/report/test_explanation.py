"""The texts of `explain`, of alternatives and of `why_not`, as documents of 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from refract_asp import Catalog, Refractor, RepairResult
from refract_asp.model.explanation import MEANINGS, meaning_of
from refract_asp.report.explanation import alternatives_text, contrast_text, cost_text, more_text

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

GIVEN = """
var1 = SkyScrapperSearchAirport(query="New York")
var2 = SkyScrapperSearchAirport(query="London")
var3 = SkyScrapperFlightSearch(originalSkyId="$var1.skyId$", destinationSkyId="$var20.skyId$", destinationEntityId="$var2.entityId$", date="$departure$")
"""  # noqa: E501
STATEMENTS = [
    "ask var3.date",
    "keep var3.originalSkyId",
    "var3.destinationSkyId = $var1.skyId$",
    "delete var3",
    "call SkyScrapperSearchAirport",
]


@pytest.fixture(scope="module")
def result(catalog: Catalog) -> RepairResult:
    return Refractor(catalog, alternatives=4, next_best=True).repair(GIVEN)


@pytest.fixture(scope="module")
def prose(result: RepairResult) -> list[str]:
    """All texts, without the diffs, whose lines are as long as the calls."""
    texts = [
        result.explain(),
        alternatives_text(result),
        *map(contrast_text, map(result.why_not, STATEMENTS)),
    ]
    return [
        line for text in texts for line in text.splitlines() if not line.startswith(tuple("+-? "))
    ]


@pytest.mark.slow
def test_an_explanation(result: RepairResult, snapshot: SnapshotAssertion) -> None:
    assert result.explain() == snapshot


def test_alternatives(result: RepairResult, snapshot: SnapshotAssertion) -> None:
    assert alternatives_text(result) == snapshot


@pytest.mark.slow
def test_contrasts(result: RepairResult, snapshot: SnapshotAssertion) -> None:
    assert (
        "\n\n".join(contrast_text(result.why_not(statement)) for statement in STATEMENTS)
        == snapshot
    )


@pytest.mark.slow
def test_prose_is_as_wide_as_the_terminal(result: RepairResult, prose: list[str]) -> None:
    assert max(map(len, prose)) <= 80
    narrow = result.explain(width=40).splitlines()
    assert max(map(len, narrow)) <= 60, "only words that are longer stand out"
    assert len(narrow) > len(result.explain(width=200).splitlines())


@pytest.mark.slow
def test_colours_change_nothing_else(result: RepairResult) -> None:
    import re

    painted = [
        (result.explain(color=True), result.explain()),
        (alternatives_text(result, color=True), alternatives_text(result)),
        *(
            (contrast_text(each, color=True), contrast_text(each))
            for each in map(result.why_not, STATEMENTS)
        ),
    ]
    for colored, plain in painted:
        assert "\x1b[" in colored
        assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain


def test_a_result_of_data_alone_says_what_it_knows(result: RepairResult) -> None:
    loaded = RepairResult.model_validate(result.model_dump(mode="json"))
    explanation = loaded.explanation()
    assert {reason.outcome for reason in explanation.reasons} == {"unknown"}
    full = result.explanation()
    assert [reason.violations for reason in explanation.reasons] == [
        each.violations for each in full.reasons
    ]
    assert explanation.criteria == full.criteria
    text = loaded.explain()
    assert "instead" not in text
    assert "note: what would be without an edit" in text


def test_a_valid_sequence_needs_no_explanation(catalog: Catalog) -> None:
    result = Refractor(catalog).repair('SkyScrapperSearchAirport(query="x")')
    assert result.explain() == "explanation: 0 edits, cost 0 (model default); no repair is cheaper"


def test_names_of_the_input_are_harmless() -> None:
    tools = {
        "tools": [
            {"name": "Get", "effect": "read", "parameters": {"am\x1b[31mount": {"required": True}}}
        ]
    }
    result = Refractor(tools, alternatives=3, next_best=True).repair('Get(**{"am\x1b[31mont": 3})')
    assert result.edits
    texts = [
        result.explain(),
        alternatives_text(result),
        contrast_text(result.why_not("keep call 1")),
    ]
    assert not any("\x1b" in text for text in texts)


def test_every_shipped_kind_has_a_meaning(catalog: Catalog) -> None:
    import re

    from refract_asp.resources import encodings_path

    page = (encodings_path() / "README.md").read_text("utf-8").partition("\n## Penalties")[2]
    kinds = re.findall(r"^\| `(\w+)` \|", page.partition("\n## Constants")[0], re.M)
    assert set(kinds) == set(MEANINGS)
    assert meaning_of("my_own") == "a penalty of this cost model"


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        ({}, "0"),
        ({2: 0}, "0"),
        ({2: 7}, "7"),
        ({3: 0, 2: 7}, "7 at level 2"),
        ({3: 1, 2: -7}, "1 at level 3 and -7 at level 2"),
        ({101: 0, 100: 1, 2: 4}, "1 call and 4 for edits"),
        (
            {101: 3, 100: 2, 4: 1, 2: 4},
            "3 for what mends faults, 2 calls, 1 for edits at level 4 and 4 for edits at level 2",
        ),
    ],
)
def test_a_cost_is_told_by_level(cost: dict[int, int], text: str) -> None:
    assert cost_text(cost) == text


@pytest.mark.parametrize(
    ("extra", "text"),
    [
        ({2: 7}, "7 more"),
        ({101: 0, 100: 1, 2: -4}, "1 call more and 4 less for edits"),
        ({101: 2, 100: -2, 2: 0}, "2 more for what mends faults and 2 calls fewer"),
    ],
)
def test_what_is_paid_more_is_told_in_words(extra: dict[int, int], text: str) -> None:
    assert more_text(extra) == text
