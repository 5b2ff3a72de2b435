"""`result.why_not(...)`: what another repair costs more, or why there is none."""

from __future__ import annotations

import copy
import pickle

import pytest

from refract_asp import Catalog, Refractor, RepairResult, repair
from refract_asp.errors import StatementError
from refract_asp.formats import load_sequence
from refract_asp.rules.results import means_the_same

GIVEN = """
var1 = SkyScrapperSearchAirport(query="New York")
var2 = SkyScrapperSearchAirport(query="London")
var3 = SkyScrapperFlightSearch(originalSkyId="$var1.skyId$", destinationSkyId="$var20.skyId$", originEntityId="$var1.entityId$", destinationEntityId="$var2.entityId$", date="$departure$")
"""  # noqa: E501


@pytest.fixture(scope="module")
def refractor(catalog: Catalog) -> Refractor:
    return Refractor(catalog)


@pytest.fixture(scope="module")
def result(refractor: Refractor) -> RepairResult:
    return refractor.repair(GIVEN)


@pytest.mark.parametrize(
    "statement",
    [
        "keep var3",
        "keep call 1.query",
        "ask  var3.date ",
        "ask call 3.date",
        "rename var3.originalSkyId to originSkyId",
        "drop var3.originalSkyId",
        "var3.destinationSkyId = $var2.skyId$",
        'var3.originSkyId="$var1.skyId$"',
        'call 1.query = "New York"',
    ],
)
def test_what_the_answer_does_costs_nothing_more(result: RepairResult, statement: str) -> None:
    contrast = result.why_not(statement)
    assert contrast.is_answer
    assert contrast.is_possible
    assert contrast.result is not None
    assert contrast.result.sequence == result.sequence
    assert contrast.extra == {2: 0}
    assert not contrast.reason


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("ask var3.destinationSkyId", "destinationSkyId=destinationSkyId"),
        ("var3.destinationSkyId = $var1.skyId$", 'destinationSkyId="$var1.skyId$"'),
        ("keep var3.destinationSkyId", "var20 = SkyScrapperSearchAirport(query=query)"),
        ("var3.destinationSkyId = $var20.skyId$", "var20 = SkyScrapperSearchAirport(query=query)"),
        ("call SkyScrapperSearchAirport", "var20 = SkyScrapperSearchAirport(query=query)"),
        ("ask var3.originSkyId", "originSkyId=originSkyId"),
    ],
)
def test_the_cheapest_repair_that_has_it_costs_more(
    refractor: Refractor, result: RepairResult, statement: str, line: str
) -> None:
    contrast = result.why_not(statement)
    assert contrast.result is not None, contrast.reason
    assert line in str(contrast.result.sequence)
    assert contrast.extra[2] == contrast.result.total[2] - result.total[2] > 0
    answered = contrast.result.answer(
        dict.fromkeys(contrast.result.sequence.asks, "x"), confirmed=True
    )
    assert refractor.check(answered).verdict == "valid"


@pytest.mark.parametrize(
    ("statement", "reason", "codes"),
    [
        (
            "keep var3.originalSkyId",
            "it would leave: SkyScrapperFlightSearch has no parameter originalSkyId",
            ["undeclared_parameter"],
        ),
        (
            "drop var3.date",
            "it would leave: SkyScrapperFlightSearch requires date",
            ["missing_parameter"],
        ),
        (
            "var3.originSkyId = $var2.name$",
            "it would leave: $var2.name$ reads name, which SkyScrapperSearchAirport does not return",
            ["unknown_field"],
        ),
        ("keep var3.date", "it would leave: $departure$ names nothing that is known", ["unknown_variable"]),
        ("ask var1.query", "nothing would be wrong with it, but no rule asks for what is right", []),
        ("var1.query = $var2.skyId$", "it would leave: $var2.skyId$ reads from a call that comes later",
         ["read_before_written"]),
        ('var3.date = "2024-08-15"', "no rule offers that value", []),
        ("delete var2", "nothing would be wrong without it, but no rule", []),
        ("rename var1 to TripadvisorSearchHotels", "no rule gives that call this tool", []),
        ("call TripadvisorSearchHotels", "no rule adds such a call", []),
        ("call SkyScraperSearchAirport", "the catalog has no tool SkyScraperSearchAirport; the nearest", []),
        ("rename var1.query to name", "it would leave: SkyScrapperSearchAirport has no parameter name",
         ["undeclared_parameter", "missing_parameter"]),
    ],
)  # fmt: skip
def test_what_cannot_be_had_has_a_reason(
    result: RepairResult, statement: str, reason: str, codes: list[str]
) -> None:
    contrast = result.why_not(statement)
    assert contrast.result is None
    assert contrast.extra == {}
    assert contrast.reason.startswith(reason), contrast.reason
    assert [violation.code for violation in contrast.violations] == codes
    assert contrast.statement == statement


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("", "no statement"),
        ("  ", "no statement"),
        (None, "no statement"),
        ("keep", "cannot be understood"),
        ("make it better", "cannot be understood"),
        ("keep var9", "no call bears the label 'var9'"),
        ("keep var9.date", "no call bears the label 'var9.date'"),
        ("keep call 4", "there is no call 4"),
        ("keep call 0", "there is no call 0"),
        ("keep var3.foo", "the given call has no argument 'foo'"),
        ("drop var3", "is said of an argument"),
        ("delete var3.date", "is said of a call"),
        ("var3.date = ", "is no value"),
        ("var3.date = 1, x=2", "is no value"),
        ("var3.date = $var9.date$", "no call bears the label 'var9', and memory does not know it"),
        ("var9.date = 1", "no call bears the label 'var9'"),
        ("rename var3.foo to bar", "the given call has no argument 'foo'"),
        ("keep " + "x" * 20_000, "too long"),
        ("keep \x1b[31mvar3", "no call bears the label"),
    ],
)
def test_what_cannot_be_understood_is_told(
    result: RepairResult, statement: str, message: str
) -> None:
    with pytest.raises(StatementError, match=message) as error:
        result.why_not(statement)
    assert "\x1b" not in str(error.value)


def test_an_added_call_may_be_gone(refractor: Refractor) -> None:
    result = refractor.repair(
        'b = TripadvisorSearchHotels(geoId="$a.geoId$", checkIn="a", checkOut="b")'
    )
    assert "a = TripadvisorSearchLocation(query=query)" in str(result.sequence)
    contrast = result.why_not("delete a")
    assert contrast.result is not None
    assert "geoId=geoId" in str(contrast.result.sequence)
    asked = result.why_not("ask a.query")
    assert asked.is_answer


def test_a_label_that_two_calls_bear_is_refused(refractor: Refractor) -> None:
    result = refractor.repair(
        'a = SkyScrapperSearchAirport(quary="x")\na = SkyScrapperSearchAirport(query="y")'
    )
    with pytest.raises(StatementError, match="Say call 1 and call 2"):
        result.why_not("keep a")
    assert result.why_not("keep call 2").is_answer


def test_a_valid_sequence_can_be_asked_too(refractor: Refractor) -> None:
    result = refractor.repair('a = SkyScrapperSearchAirport(query="x")')
    assert result.why_not("keep a.query").is_answer
    contrast = result.why_not("ask a.query")
    assert contrast.reason == "nothing would be wrong with it, but no rule asks for what is right"


def test_inside_a_text(catalog: Catalog) -> None:
    given = 'a = SkyScrapperSearchAirport(query="x")\nb = SkyScrapperSearchAirport(query="to $a.skyID$!")'
    result = Refractor(catalog).repair(given)
    assert 'query="to $a.skyId$!"' in str(result.sequence)
    assert result.why_not('b.query = "to $a.skyId$!"').is_answer
    other = result.why_not('b.query = "to $a.entityId$!"')
    assert other.extra[2] > 0
    assert result.why_not('b.query = "from $a.skyId$!"').reason.startswith(
        "no rule offers that value"
    )


def test_tied_tools_cost_the_same() -> None:
    """A tie is told and not guessed; each of the tools costs as little as the other one."""
    parameter = {"date": {"type": "string", "required": True}}
    tools = [
        {"name": name, "effect": "read", "parameters": parameter} for name in ("find_a", "find_b")
    ]
    result = Refractor({"tools": tools}).repair('find_c(date="x")')
    assert result.unresolved == (0,)
    for name in ("find_a", "find_b"):
        contrast = result.why_not(f"rename call 1 to {name}")
        assert contrast.result is not None
        assert contrast.result.sequence.calls[0].name == name
        assert contrast.extra == {2: 0}
    left = result.why_not("keep call 1")
    assert left.extra[2] > 0
    assert left.is_answer


def test_a_result_of_data_alone_tells_so(result: RepairResult) -> None:
    data = result.model_dump(mode="json")
    for copied in (RepairResult.model_validate(data), pickle.loads(pickle.dumps(result))):
        assert copied == result
        with pytest.raises(StatementError, match="holds no more than its data"):
            copied.why_not("keep var3")
    assert copy.deepcopy(result).why_not("keep var3").is_answer
    assert RepairResult.model_validate_json(result.model_dump_json()) == result
    contrast = result.why_not("ask var3.destinationSkyId")
    assert type(contrast).model_validate(contrast.model_dump(mode="json")) == contrast


def test_labels_are_names() -> None:
    """A repair that differs from the answer in its labels alone is the answer."""
    find = {"name": "Find", "effect": "read", "returns": {"key": {"type": "string"}}}
    book = {
        "name": "Book",
        "effect": "read",
        "parameters": {"key": {"type": "string", "required": True}},
    }
    result = repair('Find()\nBook(key="$x.key$")\nFind()', {"tools": [find, book]})
    named = load_sequence('y = Find()\nBook(key="$y.key$")\nFind()')
    assert means_the_same(result, result.model_copy(update={"sequence": named}))
    for text in (
        'y = Find()\nBook(key="$y.tag$")\nFind()',
        'y = Find()\nBook(key="$z.key$")\nFind()',
    ):
        other = result.model_copy(update={"sequence": load_sequence(text)})
        assert not means_the_same(result, other), text
    moved = result.model_copy(
        update={"sequence": named, "origins": tuple(reversed(result.origins))}
    )
    assert not means_the_same(result, moved)


def test_one_near_tool_is_one() -> None:
    result = repair("Book()", {"tools": [{"name": "Book", "effect": "read"}]})
    assert "; the nearest is Book" in result.why_not("call Boook").reason
