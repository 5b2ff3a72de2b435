"""What a hook tells: records of the standard log, and the function of the program."""

import copy
import logging
import pickle
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from refract_asp import Catalog
from refract_asp.integrations import Decision, Hook, ToolCall, events
from refract_asp.integrations.adapters import framework

BANK = Catalog.load(Path(__file__).parent / "bank.yaml")
LOGGER = "refract_asp.integrations"
HOOK = Hook(BANK)
RIGHT = ToolCall("a", "find_account", {"owner": "Ada"})
FIXABLE = ToolCall("b", "find_acount", {"owner": "Ada"})
MISSING = ToolCall("c", "find_account", {})
UNKNOWN = ToolCall("d", "paint_house", {})
SECRET = ToolCall("e", "login", {"pasword": "hunter2"})


BECOMES = "the tool becomes find_account"
OPEN = ["pasword goes to password", "user is asked for"]


RECORDS: list[tuple[ToolCall, str, str, list[str]]] = [
    (RIGHT, "DEBUG", "passed find_account (a)", []),
    (FIXABLE, "INFO", f"repaired find_acount (b): {BECOMES}", [BECOMES]),
    (MISSING, "INFO", "sent back find_account (c): owner is asked for", ["owner is asked for"]),
    (UNKNOWN, "INFO", "sent back paint_house (d): unrepairable", []),
    (SECRET, "INFO", f"sent back login (e): {'; '.join(OPEN)}", OPEN),
]


@pytest.mark.parametrize(("call", "level", "message", "edits"), RECORDS)
def test_each_decision_is_one_record(
    call: ToolCall, level: str, message: str, edits: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, LOGGER):
        HOOK([call])
    (record,) = [each for each in caplog.records if each.name == LOGGER]
    assert (record.levelname, record.getMessage()) == (level, message)
    told = vars(record)
    assert (told["ids"], told["tools"], told["edits"]) == ([call.id], [call.name], edits)
    assert told["seconds"] > 0
    assert "hunter2" not in str(told)


def test_what_is_refused_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, LOGGER):
        Hook(BANK, max_retries=0)([MISSING], conversation=1)
    (record,) = caplog.records
    assert (record.levelname, vars(record)["reason"]) == ("WARNING", "retries")


def test_the_function_gets_each_decision(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[Decision] = []

    def hear(decision: Decision) -> None:
        heard.append(decision)
        raise RuntimeError("the metrics are gone")

    decisions = [Hook(BANK, on_decision=hear)([each]) for each in (RIGHT, FIXABLE, MISSING)]
    assert heard == decisions
    assert [each.outcome for each in heard] == ["pass", "repair", "retry"]
    assert caplog.messages.count("on_decision failed") == 3


def test_opentelemetry_gets_events_and_counts() -> None:
    span, counter, duration = Mock(), Mock(), Mock()
    telemetry = events._Telemetry(lambda: span, counter, duration)
    decide = Hook(BANK, time_limit=None)
    decision = decide([RIGHT, FIXABLE, MISSING, SECRET])
    events._measure(decision, 0.1, telemetry)
    duration.record.assert_called_once_with(0.1, {"refract_asp.outcome": "retry"})
    counted = [call.args for call in counter.add.call_args_list]
    kinds = [(count, each["refract_asp.outcome"]) for count, each in counted]
    assert kinds[:3] == [(1, "pass"), (1, "repair"), (1, "retry")]
    told = [call.args for call in span.add_event.call_args_list]
    by_id = {each["gen_ai.tool.call.id"]: (name, each) for name, each in told}
    assert "a" not in by_id
    name, repair = by_id["b"]
    assert (name, repair["gen_ai.operation.name"]) == ("refract_asp.repair", "execute_tool")
    assert (repair["gen_ai.tool.name"], repair["refract_asp.edits"]) == ("find_acount", [BECOMES])
    name, held = by_id["c"]
    assert name == "refract_asp.held_back"
    assert "Add owner" in held["refract_asp.feedback"]
    assert "hunter2" not in str(told)


UNTRIED = [
    ("pytest", "1.4.7, 2.0", None, r"tried with pytest 1\.4\.7, 2\.0; installed is"),
    ("no-such-framework", "1.0", None, r"pip install 'refract-asp\[some\]'"),
    ("pytest", version("pytest"), ImportError("no module"), "lacks something: no module"),
]


@pytest.mark.parametrize(("package", "tried", "wrong", "message"), UNTRIED)
def test_a_framework_that_was_not_tried_is_told(
    package: str, tried: str, wrong: Exception | None, message: str
) -> None:
    with pytest.raises(ImportError, match=message), framework(package, "some", tried):
        raise wrong or AssertionError("nothing is imported")


def test_warm_is_heard_by_nobody(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[Decision] = []
    decide = Hook(BANK, on_decision=heard.append)
    with caplog.at_level(logging.DEBUG, LOGGER):
        assert decide.warm() is decide
    assert not caplog.records
    assert not heard


@pytest.mark.parametrize("copied", [lambda each: pickle.loads(pickle.dumps(each)), copy.deepcopy])
def test_copies_decide_alike(copied: Any) -> None:
    for hook in (Hook(BANK, max_retries=1, memory={"owner": "Ada"}), Hook(BANK, deny=["login"])):
        hook([RIGHT])
        for call in (RIGHT, FIXABLE, MISSING, ToolCall("d", "login", {"password": "x"})):
            assert copied(hook)([call]).calls == hook([call]).calls
