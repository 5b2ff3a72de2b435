"""Problems: which functions are listed and where, what noise does, how all of it is printed."""

from __future__ import annotations

import ast
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion
from tests.bench.problems.refusals import refusal
from tests.depth import examples

from refract_asp.bench.problems import (
    Function,
    Library,
    Listed,
    execute,
    get_example,
    make,
    minimal_pair,
)
from refract_asp.errors import InputError
from refract_asp.formats.dataset_catalogs import said

CONE: dict[str, Any] = {
    "signature": "solids2.volume_of_cone()",
    "description": "gets the volume of a cone",
    "func_name": "get_volume",
}
TURN: dict[str, Any] = {
    "signature": "image.rotate().blur()",
    "description": "turns it",
    "func_name": "turn",
}
ATOM: dict[str, Any] = {
    "signature": "molecule.get_atom_with_label('C').get_charge()",
    "description": "gets the charge",
}
SHOT: dict[str, Any] = {
    "signature": "solids2.volume_of_cylinder(radius=2)",
    "description": "gets the volume of a cylinder with radius 2",
    "func_name": "get_cylinder",
}


def names(arguments: dict[str, Any], **dials: Any) -> list[str]:
    return [function.name for function in make({**arguments, **dials}).pool]


def keys(arguments: dict[str, Any], **dials: Any) -> list[str]:
    return [".".join(function.key) for function in make({**arguments, **dials}).pool]


def test_distractors_are_drawn_from_what_is_not_called() -> None:
    pool = names(CONE, num_distractors=9)
    assert len(set(pool)) == 10
    assert pool == names(CONE, n_distractors=9)
    assert names(CONE) == ["volume_of_cone"]
    with pytest.raises(InputError, match=r"10 distractors are wanted from solids2, 9 exist"):
        make({**CONE, "num_distractors": 10})


def test_distractors_are_shared_out_by_calls() -> None:
    pool = keys(ATOM, num_distractors=5)
    assert [key.split(".")[0] for key in pool] == ["molecule"] * 3 + ["atom"] * 3  # 2.5 each, so 2
    chain = {
        **ATOM,
        "signature": "molecule.get_atom_with_label(label=molecule.get_mass()).get_charge()",
    }
    pool = keys(chain, num_distractors=6)
    assert [key.split(".")[0] for key in pool] == ["molecule"] * 6 + ["atom"] * 3
    pool = keys(ATOM, num_distractors={"atom": 3, "molecule": 0})
    assert [key.split(".")[0] for key in pool] == ["molecule"] + ["atom"] * 4
    assert len(keys(ATOM, num_distractors={"atom": 2})) == 4


def test_another_seed_draws_others() -> None:
    drawn = {tuple(sorted(names(CONE, num_distractors=4, random_seed=seed))) for seed in range(20)}
    assert len(drawn) > 10


@pytest.mark.parametrize(
    ("place", "wanted"), [(0, 0), (2, 2), (4, 4), (0.0, 0), (0.5, 2), (1.0, 4), (0.3, 1), (-1, 2)]
)
def test_where_a_single_function_stands(place: float, wanted: int) -> None:
    pool = names(CONE, num_distractors=4, target_func_location=place)
    assert pool.index("volume_of_cone") == wanted
    rest = [name for name in names(CONE, num_distractors=4) if name != "volume_of_cone"]
    assert [name for name in pool if name != "volume_of_cone"] == rest


def test_a_place_beside_examples() -> None:
    pool = names(CONE, num_distractors=3, target_func_location=4, fewshot=[SHOT])
    assert len(pool) == 5
    assert pool[4] == "volume_of_cone"


def test_places_by_name() -> None:
    pool = names(TURN, num_distractors=4, target_func_location={"blur": 0, "rotate": 1.0})
    assert (pool[0], pool[-1], len(pool)) == ("blur", "rotate", 6)
    pool = names(TURN, num_distractors=4, target_func_location={"image.blur": 5})
    assert pool.index("blur") == 5
    pool = names(TURN, num_distractors=3, target_func_location={"blur": 0.5, "rotate": 0.5})
    assert {pool[1], pool[2]} == {"blur", "rotate"}
    pool = names(TURN, num_distractors=3, target_func_location={"blur": 0.5, "rotate": 2})
    assert (pool[2], pool[1]) == ("rotate", "blur")


PLACES = [
    (CONE, 5),
    (CONE, 1.5),
    (CONE, float("nan")),
    (CONE, {"volume_of_cone": -1}),
    (CONE, {"volume_of_cube": 0}),
    (CONE, {"volume_of_cone": 0, "solids2.volume_of_cone": 1}),
    (CONE, {1: 0}),
    (TURN, 0),
    (TURN, {"blur": 1, "rotate": 1}),
]


def test_places_that_cannot_be_had(snapshot: SnapshotAssertion) -> None:
    said = [
        refusal(make, {**arguments, "num_distractors": 4, "target_func_location": place})
        for arguments, place in PLACES
    ]
    assert "\n".join(said) == snapshot


def test_arguments_by_number() -> None:
    made = make({**CONE, "arg_noise_type": "number", "fewshot": [SHOT]})
    assert (
        "def solids.volume_of_cone(arg0, arg1):\n"
        "    Works out how much room is inside a cone with the radius arg0 and the height arg1.\n"
        in made.prompt
    )
    assert made.target == "return solids.volume_of_cone(radius, height)"
    assert (
        "def get_cylinder(height):\n    return solids.volume_of_cylinder(2, height)" in made.prompt
    )
    assert execute("return solids.volume_of_cone(arg1=height, arg0=radius)", made.test) == (
        True,
        None,
    )
    passed, reason = execute(
        "return solids.volume_of_cone(radius=radius, height=height)", made.test
    )
    assert not passed
    assert reason == "solids.volume_of_cone has no argument radius: it takes arg0, arg1"


@pytest.mark.slow
def test_a_thousand_swaps_leave_nothing_where_it_was() -> None:
    for seed in range(1000):
        made = make(
            {
                **CONE,
                "num_distractors": seed % 9 + 1,
                "func_noise": "swap",
                "desc_noise_type": "swap",
                "random_seed": seed,
            }
        )
        docs = [said(entry.function.doc) for entry in made.entries]
        for function, doc in zip(made.pool, docs, strict=True):
            assert function.name != function.key[1]
            assert function.definition != doc
        assert len({function.name for function in made.pool}) == len(made.pool)


@pytest.mark.parametrize("dial", ["function_noise_type", "description_noise_type"])
def test_there_may_be_nothing_to_swap_with(dial: str) -> None:
    with pytest.raises(
        InputError, match=f"{dial}: there is nothing to swap with: one function is listed"
    ):
        make({**CONE, dial: "swap"})


def test_an_example_that_is_drawn_as_a_distractor_is_listed_once() -> None:
    for seed in range(30):
        pool = keys(CONE, num_distractors=6, fewshot=[SHOT], random_seed=seed)
        assert len(pool) == len(set(pool))
        assert "solids2.volume_of_cylinder" in pool


def test_the_form_of_a_prompt() -> None:
    made = make(
        {
            **CONE,
            "indent": "\t",
            "use_quotes": True,
            "joiner": "\n---\n",
            "section_joiner": "\n===\n",
            "intro": "Look:",
            "task_description_preamble": "Code that ",
            "begin_token": "",
            "num_distractors": 1,
            "return_test_case": True,
        }
    )
    doc = '"""Works out how {} with the given radius and the given height{}."""'
    assert made.prompt == (
        "Look:\n===\n"
        f"def solids.volume_of_prism(radius, height):\n\t{doc.format('much room is inside a prism', '')}"
        "\n---\n"
        f"def solids.volume_of_cone(radius, height):\n\t{doc.format('much room is inside a cone', '')}\n===\n"
        "Code that gets the volume of a cone.\nimport solids\ndef get_volume(radius, height):\n\t"
    )
    assert execute(made.target, made.test) == (True, None)
    assert execute(f"v = solids.volume_of_cone(radius, height)\n\t{'return v'}", made.test) == (
        True,
        None,
    )


def test_quotes_inside_quotes() -> None:
    library = Library("say", "say", "import", (Function("it", 'Says """hello""" or "no"', ()),))
    prompt = get_example("say.it()", "says it", libraries=[library], use_quotes=True).prompt
    (line,) = (line for line in prompt.split("\n") if "hello" in line)
    assert ast.literal_eval(line.strip()) == 'Says """hello""" or "no"'


def test_functions_may_be_printed_by_the_caller() -> None:
    def ff(func: Listed) -> str:
        return f"- {func.library_name}.{func.name}({', '.join(func.args)}): {func.definition}"

    made = make({**CONE, "format_function": ff})
    assert made.prompt.split("\n\n")[1].startswith(
        "- solids.volume_of_cone(radius, height): Works out"
    )
    with pytest.raises(InputError, match="format_function: it returns no text, but a int"):
        make({**CONE, "format_function": lambda func: 5})


WRONG = [
    {"n_distractor": 1},
    {"num_distractors": 1, "n_distractors": 1},
    {"num_distractors": -1},
    {"num_distractors": 10**5000},
    {"num_distractors": {"solids2": {"x": 1}}},
    {"num_distractors": {"cubes": 1}},
    {"target_func_location": 1},
    {"task_description_preamble": "Code that"},
    {"libraries": 5},
    {"func_name": "\uff46"},
    {"num_distractors": {"image": 1}},
    {"func_noise": "shuffle"},
    {"desc_noise_type": "number"},
    {"indent": 0},
    {"indent": "xx"},
    {"use_quotes": 1},
    {"format_function": "f"},
    {"random_seed": True},
    {"return_test_case": "yes"},
    {"fewshot": SHOT},
    {"fewshot": [5]},
    {"fewshot": [{"signature": "solids2.volume_of_cone()"}]},
    {"fewshot": [{**SHOT, "num_distractors": 1}]},
    {"fewshot": [{**SHOT, "dials": 1}]},
    {"fewshot": [{**SHOT, "signature": "x.y()"}]},
    {"description": "x" * 30_000},
]


def test_dials_that_cannot_be_set(snapshot: SnapshotAssertion) -> None:
    said = [refusal(get_example, **{**CONE, **dials}) for dials in WRONG]
    assert "\n".join(said) == snapshot
    assert refusal(make, {"description": "x"}).startswith("the signature is missing")
    assert refusal(make, []).startswith("an object of dials is needed")


PAIRS = [
    ("num_distractors", 6),
    ("target_func_location", 0),
    ("function_noise_type", "swap"),
    ("description_noise_type", "swap"),
    ("arg_noise_type", "number"),
    ("fewshot", [SHOT]),
    ("description", "gets how large it is"),
]


@pytest.mark.parametrize(("dial", "value"), PAIRS, ids=[str(pair) for pair in PAIRS])
def test_minimal_pairs(dial: str, value: Any) -> None:
    first, second = minimal_pair({**CONE, "num_distractors": 4}, dial, value)
    assert set(second.dials.given()) ^ set(first.dials.given()) <= {dial}
    assert first.prompt != second.prompt
    common = [key for key in (f.key for f in first.pool) if key in {f.key for f in second.pool}]
    assert len(common) == len(first.pool)  # whatever was drawn is drawn again
    if dial not in ("num_distractors", "target_func_location", "fewshot"):
        assert [f.key for f in first.pool] == [f.key for f in second.pool]


def test_a_pair_must_differ() -> None:
    with pytest.raises(InputError, match="the dial num_distractors has this value already"):
        minimal_pair({**CONE, "n_distractors": 4}, "num_distractors", 4)
    for dial, value in (("indent", 4), ("desc_noise_type", "none"), ("fewshot", [])):
        with pytest.raises(InputError, match="has this value already"):
            minimal_pair(CONE, dial, value)
    with pytest.raises(InputError, match="return_test_case changes nothing"):
        minimal_pair(CONE, "return_test_case", False)
    with pytest.raises(InputError, match="there is no dial 'nmber'"):
        minimal_pair(CONE, "nmber", 4)


SIGNATURES = [
    "solids2.volume_of_cone()",
    "solids3.volume_of_prism(width=5, length=w)",
    "image.blur().blur().distort(pixels=image.get_width())",
    "image.rotate(degrees=r).crop(width=3)",
    "molecule.get_atom_with_label('it\\'s \"x\"').get_charge()",
    "solids.volume_of_cone(melody.get_tempo(), solids.volume_of_cylinder(radius=image.get_width()))",
    "melody.transpose(melody.get_note_with_pitch('dummy_pitch_0').to_midi()).get_note_with_pitch().get_length()",
]
DIALS = st.fixed_dictionaries(
    {
        "signature": st.sampled_from(SIGNATURES),
        "description": st.just("does it"),
        "num_distractors": st.integers(2, 5),
        "function_noise_type": st.sampled_from(["none", "number", "swap"]),
        "description_noise_type": st.sampled_from(["none", "empty", "swap"]),
        "arg_noise_type": st.sampled_from(["none", "number"]),
        "fewshot": st.lists(st.sampled_from([SHOT, TURN]), max_size=2),
        "arg_order": st.sampled_from([None, sorted, lambda names: names[::-1]]),
        "indent": st.sampled_from([1, 4, "\t"]),
        "use_quotes": st.booleans(),
        "random_seed": st.integers(0, 10**9),
    }
)


@settings(max_examples=examples(150))
@given(DIALS)
def test_every_target_passes_its_own_test_and_no_other(dials: dict[str, Any]) -> None:
    try:
        made = make(dials)
    except InputError as error:
        message = str(error)
        assert "nothing to swap with" in message or "both printed" in message, message
        return
    assert execute(made.target, made.test) == (True, None)
    assert made.prompt.endswith(f"{made.outer.head()}\n{made.dials.margin}")
    for call in made.call.calls():
        name = next(f.name for f in made.pool if f.key == call.key)
        assert f".{name}(" in made.target
        assert not execute(made.target.replace(f".{name}(", ".another("), made.test)[0]


def test_nothing_is_imported_that_is_not_asked_for() -> None:
    code = "import sys, refract_asp; print([m for m in sys.modules if m.startswith('refract_asp.bench')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
