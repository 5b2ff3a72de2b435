"""`result.why_not(...)`: what another repair costs more, or why there is none; see `why_not.yaml`."""

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from declaring import NEEDED, TEXT, tool
from refract_asp import Catalog, Refractor, RepairResult, repair
from refract_asp.errors import StatementError
from refract_asp.formats import load_sequence
from refract_asp.model.explanation import Explanation
from refract_asp.rules.engine import means_the_same
from yaml_files import read_yaml

ASKED = read_yaml(Path(__file__).with_name("why_not.yaml"))


REFRACTOR = Refractor("travel")


def repaired(number: int) -> RepairResult:
    return REFRACTOR.repair(ASKED[number]["given"])


@pytest.fixture(scope="module")
def result() -> RepairResult:
    return repaired(0)


def rows(kind: str) -> list[Any]:
    def every() -> Iterator[Any]:
        for number, each in enumerate(ASKED):
            found = each.get(kind, {})
            pairs = found.items() if isinstance(found, dict) else ((text, "") for text in found)
            for statement, expected in pairs:
                yield pytest.param(number, statement, expected, id=f"{number}: {statement}")

    return list(every())


@pytest.mark.parametrize(("number", "statement", "_expected"), rows("is the answer"))
def test_what_the_answer_does_costs_no_more(number: int, statement: str, _expected: str) -> None:
    result = repaired(number)
    contrast = result.why_not(statement)
    assert contrast.is_answer
    assert contrast.is_possible
    assert contrast.result.sequence == result.sequence
    assert set(contrast.extra.values()) <= {0}
    assert not contrast.reason


@pytest.mark.parametrize(("number", "statement", "line"), rows("costs more"))
def test_the_cheapest_repair_that_has_it_costs_more(number: int, statement: str, line: str) -> None:
    result = repaired(number)
    contrast = result.why_not(statement)
    assert line in str(contrast.result.sequence)
    assert contrast.extra[2] == contrast.result.total[2] - result.total[2] > 0
    values = dict.fromkeys(contrast.result.sequence.asks, "x")
    answered = contrast.result.answer(values, confirmed=True)
    assert REFRACTOR.check(answered).verdict == "valid"


@pytest.mark.parametrize(("number", "statement", "reason"), rows("cannot be had"))
def test_what_cannot_be_had_has_a_reason(number: int, statement: str, reason: str) -> None:
    contrast = repaired(number).why_not(statement)
    assert (contrast.result, contrast.extra, contrast.statement) == (None, {}, statement)
    assert contrast.reason.startswith(reason), contrast.reason
    assert bool(contrast.violations) == reason.startswith("it would leave")


@pytest.mark.parametrize(("number", "statement", "message"), rows("is an error"))
def test_what_cannot_be_understood_is_told(number: int, statement: str, message: str) -> None:
    with pytest.raises(StatementError, match=message) as error:
        repaired(number).why_not(statement)
    assert "\x1b" not in str(error.value)


@pytest.mark.parametrize("statement", [None, "keep " + "x" * 20_000])
def test_no_statement_and_one_too_long(result: RepairResult, statement: Any) -> None:
    with pytest.raises(StatementError, match=r"no statement|too long"):
        result.why_not(statement)


def test_tied_tools_cost_the_same() -> None:
    """A tie waits for a confirm; each of the tools costs as little as the other one."""
    names = ("find_a", "find_b")
    tools = [tool(name, "read", date=NEEDED) for name in names]
    result = Refractor({"tools": tools}).repair('find_c(date="x")')
    assert (result.verdict, result.ambiguous, result.optimal) == ("needs_input", True, True)
    for name in names:
        contrast = result.why_not(f"rename call 1 to {name}")
        assert contrast.result.sequence.calls[0].name == name
        assert contrast.extra == {2: 0}
    left = result.why_not("keep call 1")
    assert not left.is_answer
    assert left.extra[2] > 0


def test_a_result_of_data_alone_tells_so(result: RepairResult) -> None:
    data = result.model_dump(mode="json")
    for copied in (RepairResult.model_validate(data), pickle.loads(pickle.dumps(result))):
        assert copied == result
        with pytest.raises(StatementError, match="holds no more than its data"):
            copied.why_not("keep var3")
    assert copy.deepcopy(result).why_not("keep var3").is_answer
    contrast = result.why_not("ask var3.destinationSkyId")
    assert type(contrast).model_validate(contrast.model_dump(mode="json")) == contrast


def test_labels_are_names() -> None:
    """A repair that differs from the answer in its labels alone is the answer."""
    tools = [tool("Find", "read", {"key": TEXT}), tool("Book", "read", key=NEEDED)]
    result = repair('Find()\nBook(key="$x.key$")\nFind()', {"tools": tools})
    named = load_sequence('y = Find()\nBook(key="$y.key$")\nFind()')
    assert means_the_same(result, result.model_copy(update={"sequence": named}))
    for read in ("y.tag", "z.key"):
        other = load_sequence(f'y = Find()\nBook(key="${read}$")\nFind()')
        assert not means_the_same(result, result.model_copy(update={"sequence": other}))
    update = {"sequence": named, "origins": tuple(reversed(result.origins))}
    assert not means_the_same(result, result.model_copy(update=update))


# -- `result.explanation()` ------------------------------------------------------------


PARTS = read_yaml(Path(__file__).with_name("explanations.yaml"))
CASES = {name: (part["catalog"], case) for part in PARTS for name, case in part["cases"].items()}


@pytest.mark.parametrize("name", CASES)
def test_what_would_be_without_an_edit(name: str) -> None:
    catalog, case = CASES[name]
    known = {key: case[key] for key in ("memory", "history", "goals") if key in case}
    refractor = Refractor(catalog, **case.get("options", {}))
    result = getattr(refractor, case.get("by", "repair"))(case["calls"], **known)
    explanation = result.explanation()
    reasons = {reason.edit.kind: reason for reason in explanation.reasons}
    wanted: dict[str, Any] = case["edits"]
    assert {kind: reasons[kind].outcome for kind in wanted} == wanted
    first = reasons[next(iter(wanted))]
    assert first.extra == case.get("extra", first.extra)
    assert bool(first.extra) == (first.outcome in ("dearer", "equal"))
    if "instead" in case:
        assert [str(each.after) for each in first.instead] == [case["instead"]]
    assert case.get("says", "") in " ".join(result.explain().split())
    assert Explanation.model_validate(explanation.model_dump(mode="json")) == explanation
    assert sum(each.cost for each in explanation.criteria) == sum(explanation.total.values())


@pytest.mark.parametrize("limit", [0, 1e-9])
def test_without_time_nothing_is_compared(catalog: Catalog, limit: float) -> None:
    result = Refractor(catalog).repair('SkyScrapperSearchAirport(qury="x")', time_limit=limit)
    assert all(reason.outcome == "unknown" for reason in result.explanation().reasons)
