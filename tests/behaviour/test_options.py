"""`RepairOptions`: one object for everything that repairs, and single options by name."""

import re
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from declaring import NEEDED, TEXT, tool
from refract_asp import Refractor, RepairOptions, check, compress, repair
from refract_asp.errors import AnswerError, InputError
from refract_asp.integrations import Hook
from refract_asp.model import Call, Constant
from refract_asp.options import RepairKeywords
from yaml_files import tables

TABLES = tables(__file__)

LIBRARY: Any = TABLES["library"]
STRAY = 'FindBook(title="Emma", shelf="A3")'


KEPT = [{"options": RepairOptions(undeclared="keep")}, {"undeclared": "keep"}]


@pytest.mark.parametrize("given", KEPT)
def test_an_option_means_the_same_in_the_object_and_by_name(given: dict[str, Any]) -> None:
    report = check(STRAY, LIBRARY, **given)
    assert report.verdict == "valid"
    assert report.notes == ("shelf of call 1 is not declared by FindBook.",)
    assert repair(STRAY, LIBRARY, **given).verdict == "valid"
    assert compress(STRAY, LIBRARY, **given).verdict == "valid"
    assert Refractor(LIBRARY, **given).check(STRAY).verdict == "valid"
    assert Hook(LIBRARY, **given)(STRAY).outcome == "pass"


def test_the_options_by_name_are_those_of_the_object() -> None:
    assert get_type_hints(RepairKeywords) == get_type_hints(RepairOptions)


def test_an_option_by_name_takes_the_place_of_the_one_in_the_object() -> None:
    options = RepairOptions(undeclared="keep", max_tries=2)
    refractor = Refractor(LIBRARY, options, undeclared="reject")
    assert (refractor.options.undeclared, refractor.options.max_tries) == ("reject", 2)
    assert refractor.check(STRAY).verdict == "invalid"


def test_one_object_serves_several_refractors() -> None:
    own = [Path(__file__).parents[2] / "docs" / "examples" / "search.lp"]
    options = RepairOptions(mappings=[("title", "book")], encodings=(path for path in own))
    assert Refractor(LIBRARY, options).options == Refractor(LIBRARY, options).options
    assert options.encodings == tuple(own)


def test_a_misspelt_option_is_a_type_error_that_names_it() -> None:
    for call in (
        lambda: RepairOptions(alternatves=5),  # type: ignore[call-arg]
        lambda: repair(STRAY, LIBRARY, alternatves=5),
        lambda: Hook(LIBRARY, alternatves=5),
    ):
        with pytest.raises(TypeError, match="alternatves"):
            call()


@pytest.mark.parametrize(("option", "value"), TABLES["a wrong value is refused"])
def test_a_wrong_value_is_refused_before_any_catalog_is_read(option: str, value: object) -> None:
    with pytest.raises(InputError, match=option.split("_dir")[0]):
        RepairOptions(**{option: value})  # type: ignore[arg-type]


def test_something_else_is_no_options_object() -> None:
    with pytest.raises(InputError, match="options cannot be"):
        Refractor(LIBRARY, {"undeclared": "keep"})  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [3, {"x": 1}, {"title": object()}, "confirmed", [7]])
def test_what_answers_nothing_is_refused(wrong: Any) -> None:
    result = repair("FindBook()", LIBRARY)
    with pytest.raises(AnswerError):
        result.answer({}, confirmed=wrong) if isinstance(wrong, list) else result.answer(wrong)


def test_an_answer_that_does_not_fit_is_refused_with_what_does() -> None:
    tone = {"type": "string", "enum": ["kind", "firm"], "required": True}
    result = repair("Write()", {"tools": [tool("Write", tone=tone)]})
    with pytest.raises(AnswerError, match='tone takes one of "kind", "firm"'):
        result.answer({"tone": "rude"})


RATE = [{"name": "Sum", "arguments": {"text": "100 * $rate.x$"}}]


@pytest.mark.parametrize("wrong", [None, [1], {"a": 1}, "%"])
def test_an_answer_inside_a_text_fits_the_text(wrong: Any) -> None:
    text = {"type": "string", "pattern": r"^[\w *.]+$", "required": True}
    result = repair(RATE, {"tools": [{"name": "Sum", "parameters": {"text": text}}]})
    assert str(result.answer({"text": True})) == 'Sum(text="100 * true")'
    with pytest.raises(AnswerError):
        result.answer({"text": wrong})


def test_a_refractor_takes_no_more_options() -> None:
    with pytest.raises(InputError, match="takes no more options"):
        Hook(Refractor(LIBRARY), options=RepairOptions())


async def test_the_async_twins_answer_the_same() -> None:
    refractor = Refractor(LIBRARY)
    asked = [refractor.check_async(STRAY), refractor.repair_async(STRAY, goals=["FindBook"])]
    verdicts = [(await each).verdict for each in (*asked, refractor.compress_async(STRAY))]
    assert verdicts == ["invalid", "repaired", "repaired"]
    assert Refractor.repair_async.__name__ == "repair_async"


def test_a_history_may_be_given_as_calls() -> None:
    history = [Call(name="FindBook", label="a", arguments={"title": Constant(value="x")})]
    assert check('FindBook(title="$a$")', LIBRARY, history=history).verdict == "valid"


FLEET: Any = TABLES["fleet"]
SLIP = 'remove_devce(device="a7")'


@pytest.mark.parametrize(("effects", "verdict", "reason"), TABLES["the user says what tools do"])
def test_the_user_says_what_tools_do(effects: Any, verdict: str, reason: str) -> None:
    result = repair(SLIP, FLEET, effects=effects)
    assert result.verdict == verdict
    assert [reason in confirm.reason for confirm in result.confirms] == [True] * bool(reason)


def test_what_the_user_says_of_a_tool_comes_before_the_catalog() -> None:
    refractor = Refractor(FLEET, effects={"wipe_*": "destructive", "list_*": "read"})
    effects = [tool.effect for tool in refractor.catalog.tools]
    assert effects == ["unknown", "destructive", "read"]


@pytest.mark.parametrize(("effects", "message"), TABLES["effects that cannot be meant are refused"])
def test_effects_that_cannot_be_meant_are_refused(effects: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        Refractor(FLEET, effects=effects)


def test_tools_are_allowed_and_denied_by_globs() -> None:
    assert repair(SLIP, FLEET, deny=["remove_*", "wipe*"]).verdict == "unrepairable"
    kept = Refractor(FLEET, allow=["*_device"], deny=["wipe*"]).catalog
    assert [tool.name for tool in kept.tools] == ["remove_device"]


def test_a_tool_that_is_left_out_is_not_called_unknown_to_the_catalog() -> None:
    calls = ['remove_device(device="a7")', SLIP]
    said = [check(text, FLEET, deny=["remove_*"]).violations[0].message for text in calls]
    left_out = "remove_device may not be used: `allow` or `deny` leaves it out"
    assert said == [left_out, "the catalog has no tool remove_devce"]


@pytest.mark.parametrize(("effects", "confirms"), [("infer", 1), ("declared", 0)])
def test_calls_that_write_by_name_do_not_move_unseen(effects: str, confirms: int) -> None:
    tools = [tool("cancel_booking", booking=NEEDED), tool("send_note", text=NEEDED)]
    tools.append(tool("create_booking", returns={"id": TEXT}, guest=NEEDED))
    calls = 'cancel_booking(booking="$v.id$")\nsend_note(text="Done")\n'
    calls += 'v = create_booking(guest="A")'
    result = repair(calls, {"tools": tools}, effects=effects)
    assert bool(result.confirms) == bool(confirms)
