"""The systems that are compared: refract, none, nearest, and answers that were recorded."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from declaring import called
from refract_asp import Catalog, Memory, Sequence, repair
from refract_asp.bench.mutations.mutation import Open
from refract_asp.errors import EncodingError, InputError
from refract_asp.evaluation import Answer, Recorded, Refract, nearest, run
from refract_asp.evaluation.systems import equivalent
from yaml_files import read_yaml, tables

from .small_cases import GOLD, SLIP, TOOLS, cases

TABLES = tables(__file__)

CATALOG = Catalog.load(TOOLS)


def fixed(sequence: Any, catalog: Any = CATALOG, memory: Any = None) -> str:
    known = None if memory is None else Memory.load(memory)
    return str(nearest(Sequence.load(sequence), Catalog.load(catalog), known).sequence)


NEAREST = TABLES["nearest"]


@pytest.mark.parametrize("broken", [*NEAREST, *TABLES["left alone"]])
def test_nearest_names(broken: str) -> None:
    assert fixed(broken) == NEAREST.get(broken, broken)


def test_nearest_knows_memory_and_open_tools() -> None:
    assert fixed('Book(id="$known_id$")', memory={"known_ids": "7"}) == 'Book(id="$known_ids$")'
    open_tool = {"name": "Any", "parameters": {"query": {}}, "additional_parameters": True}
    assert fixed("Any(quer=1)", {"tools": [open_tool]}) == "Any(quer=1)"


def test_nearest_fixes_what_is_returned_and_leaves_what_cannot_be_read() -> None:
    returning = 'ab = Search(query="x")\nreturn {"r": "$abc.id$"}'
    assert fixed(returning) == returning.replace("abc", "ab")
    unread = Sequence.load([called("Serch", "{")])
    assert nearest(unread, CATALOG).sequence.calls[0].name == "Serch"


def test_only_what_is_open_may_have_another_value() -> None:
    expected = Sequence.load("T(x=0, y=1)\nT(x=1, y=2)\nT(x=2, y=3)")
    open = [Open(1, frozenset({"y"})), Open(2, frozenset({"y"}))]
    for answer, is_right in (
        ("T(x=0, y=1)\nT(x=1, y=9)\nT(x=2)", True),
        ("T(x=0, y=9)\nT(x=1, y=2)\nT(x=2, y=3)", False),
        ("T(x=0, y=1)\nT(x=9, y=2)\nT(x=2, y=3)", False),
    ):
        assert equivalent(Sequence.load(answer), expected, open) == is_right


def test_refract_tells_all_it_knows() -> None:
    answer = Refract(alternatives=3)(Sequence.load(SLIP), CATALOG)
    assert str(answer.sequence).splitlines() == GOLD
    assert (answer.verdict, answer.edits, answer.origins) == ("repaired", 1, (0, 1))
    assert (answer.optimal, answer.ambiguous, answer.truncated) == (True, False, False)
    assert answer.check_seconds is not None
    assert answer.seconds is not None


def test_mistakes_in_options_come_first() -> None:
    with pytest.raises(InputError, match="max_new_calls"):
        Refract(max_new_calls=-1)
    with pytest.raises(EncodingError, match="no cost model"):
        Refract(cost_model="nobody")
    assert Refract(allow=["Search"]).options == {"allow": ["Search"]}


def test_refract_goes_to_other_processes_with_its_options() -> None:
    system = Refract(cost_model="refraction")
    system.prepare(CATALOG)
    again = pickle.loads(pickle.dumps(system))
    assert again.options == {"cost_model": "refraction"}
    assert again(Sequence.load(SLIP), CATALOG).verdict == "repaired"


def test_a_system_may_return_what_it_likes() -> None:
    assert Answer.load(["Search()"]).sequence == Sequence.load("Search()")
    assert Answer.load(repair(SLIP, CATALOG)).verdict == "repaired"
    with pytest.raises(InputError, match="gave no answer"):
        Answer.load(None)
    with pytest.raises(InputError):
        Answer.load(3)


def test_recorded_answers() -> None:
    recorded = Recorded.load(
        '{"id": "a", "answer": "Search(query=1)", "verdict": "repaired", "seconds": 0.5}\n'
        '{"id": 2, "answer": null}\n'
        '{"id": "c", "answer": {"what": 1}}\n'
        '{"id": "d", "answer": null, "meta": {"error": "killed after 60 s"}}\n'
    )
    answer = recorded.answer("a")
    told = (str(answer.sequence), answer.verdict, answer.seconds)
    assert told == ("Search(query=1)", "repaired", 0.5)
    none, killed = r"no answer was recorded\.", "no answer was recorded: killed after"
    for id, said in {"2": none, "e": none, "d": killed, "c": "answer"}.items():
        with pytest.raises(InputError, match=said):
            recorded.answer(id)


REFUSED = read_yaml(Path(__file__).with_name("refused_answers.yaml"))


@pytest.mark.parametrize("refused", REFUSED, ids=lambda each: each["line"])
def test_lines_that_are_no_answers(refused: dict[str, str]) -> None:
    with pytest.raises(InputError) as caught:
        Recorded.load(refused["line"])
    assert refused["said"] in str(caught.value)


WRONGLY_MADE = [
    ({"verdict": "excellent"}, "Input should be 'valid'"),
    ({"seconds": float("nan")}, "Input should be a finite number"),
    ({"check_seconds": "3"}, "Input should be a valid number"),
    ({"alternatives": ("x",)}, "Input should be"),
]


@pytest.mark.parametrize(("wrong", "said"), WRONGLY_MADE)
def test_an_answer_that_is_put_together_wrongly(wrong: dict[str, Any], said: str) -> None:
    found = run(cases()[:1], {"mine": lambda sequence, *_: Answer(sequence, **wrong)})
    assert said in (found.rows[0].scores["mine"].error or "")
