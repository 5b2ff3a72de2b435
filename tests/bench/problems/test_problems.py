"""Problems: which functions are listed and where, what noise does, how all of it is printed."""

from __future__ import annotations

import ast
import itertools
import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples
from tests.hash_seeds import printed

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


def test_large_libraries() -> None:
    functions = tuple(
        Function(f"f{number}", "Does it.", ("a", "b"), ("l",)) for number in range(5_000)
    )
    many = [Library("l", "l", "class", functions)]
    chain = "l" + "".join(f".f{number}(1, 2)" for number in range(50))
    places = {f"f{number}": 0.5 for number in range(50)}
    shots = [{"signature": chain.replace(".f", ".f1"), "description": "does more"}] * 50
    made = get_example(
        chain,
        "does it",
        libraries=many,
        num_distractors=4_900,
        target_func_location=places,
        fewshot=shots,
    )
    assert len(made.pool) == len({function.key for function in made.pool})
    assert execute(made.target, made.test) == (True, None)


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


@pytest.mark.parametrize(
    ("arguments", "place", "message"),
    [
        (CONE, 5, r"the list has 5 functions, the places 0 to 4, not 5"),
        (CONE, -2, "an index is at least -1 and at most 1,000,000, not -2"),
        (CONE, 1.5, "a fraction lies between"),
        (CONE, float("nan"), "a fraction lies between"),
        (CONE, True, "an index, or a fraction"),
        (CONE, "0", "an index, or a fraction"),
        (
            CONE,
            {"volume_of_cone": -1},
            "target_func_location.volume_of_cone: an index is at least 0",
        ),
        (
            CONE,
            {"volume_of_cube": 0},
            "'volume_of_cube' names no function that is called. Called are",
        ),
        (
            CONE,
            {"volume_of_cone": 0, "solids2.volume_of_cone": 1},
            "one function is given two places",
        ),
        (CONE, {1: 0}, "the names of functions are texts"),
        (TURN, 0, "the signature calls 2 functions, so one place does not do"),
        (TURN, 0.5, "the signature calls 2 functions"),
        (TURN, {"blur": 1, "rotate": 1}, "two functions have one place, not 1"),
    ],
)
def test_places_that_cannot_be_had(arguments: dict[str, Any], place: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make({**arguments, "num_distractors": 4, "target_func_location": place})


def test_names_by_number_change_target_test_and_examples() -> None:
    made = make({**CONE, "num_distractors": 2, "fewshot": [SHOT], "func_noise": "number"})
    assert [function.name for function in made.pool] == [f"func{index}" for index in range(4)]
    by_key = {function.key[1]: function.name for function in made.pool}
    assert made.target == f"return solids.{by_key['volume_of_cone']}(radius, height)"
    assert f"y = solids.{by_key['volume_of_cone']}(" in made.test
    assert f"    return solids.{by_key['volume_of_cylinder']}(2, height)\n[END]" in made.prompt
    assert "volume_of" not in made.prompt.split("\n\n")[1]


def test_swapped_names_are_renamed_once() -> None:
    plain = make({**CONE, "num_distractors": 4})
    made = make({**CONE, "num_distractors": 4, "function_noise_type": "swap"})
    assert [f.key for f in made.pool] == [f.key for f in plain.pool]
    assert sorted(f.name for f in made.pool) == sorted(f.name for f in plain.pool)
    assert all(f.name != f.key[1] for f in made.pool)
    assert [f.definition for f in made.pool] == [f.definition for f in plain.pool]
    (cone,) = (f for f in made.pool if f.key[1] == "volume_of_cone")
    assert made.target == f"return solids.{cone.name}(radius, height)"


def test_swapped_and_empty_descriptions() -> None:
    plain = make({**CONE, "num_distractors": 4})
    made = make({**CONE, "num_distractors": 4, "desc_noise_type": "swap"})
    pairs = list(zip(made.pool, plain.pool, strict=True))
    assert all(a.name == b.name and a.definition != b.definition for a, b in pairs)
    assert sorted(a.definition for a, _ in pairs) == sorted(b.definition for _, b in pairs)
    bare = make({**CONE, "num_distractors": 1, "description_noise_type": "empty"})
    listed = bare.prompt.split("\n\n")[1].split("\n")
    assert all(
        line.startswith("def solids.") and line.endswith("(radius, height)") for line in listed
    )


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


def test_a_swap_across_libraries_leaves_no_two_names_alike() -> None:
    for seed in range(100):
        made = make({**ATOM, "num_distractors": 8, "func_noise": "swap", "random_seed": seed})
        assert all(function.name != function.key[1] for function in made.pool)
        assert len({(function.library_name, function.name) for function in made.pool}) == len(
            made.pool
        )
        assert execute(made.target, made.test) == (True, None)


@pytest.mark.parametrize("dial", ["function_noise_type", "description_noise_type"])
def test_there_may_be_nothing_to_swap_with(dial: str) -> None:
    with pytest.raises(
        InputError, match=f"{dial}: there is nothing to swap with: one function is listed"
    ):
        make({**CONE, dial: "swap"})


def test_examples() -> None:
    made = make(
        {
            **CONE,
            "fewshot": [SHOT, {**TURN, "begin_token": "[CODE]"}],
            "num_distractors": 2,
            "indent": 2,
        }
    )
    parts = made.prompt.split("\n\n")
    assert parts[2] == (
        "Write a function that gets the volume of a cylinder with radius 2.\n[BEGIN]\nimport solids\n"
        "def get_cylinder(height):\n  return solids.volume_of_cylinder(2, height)\n[END]"
    )
    assert parts[3] == (
        "Write a function that turns it.\n[CODE]\ndef turn(image, degrees, pixels):\n"
        "  return image.rotate(degrees).blur(pixels)\n[END]"
    )
    assert [f.key[1] for f in made.pool if f.key[0] == "image"] == ["rotate", "blur"]
    assert [f.key for f in made.pool].count(("solids2", "volume_of_cylinder")) == 1


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


@pytest.mark.parametrize(
    ("dials", "message"),
    [
        (
            {"n_distractor": 1},
            "there is no dial 'n_distractor'. Known: signature, description, func_name",
        ),
        (
            {"num_distractors": 1, "n_distractors": 1},
            "the dial num_distractors is given under two names",
        ),
        (
            {"num_distractors": -1},
            "num_distractors: a whole number from 0 to 1,000,000 is needed, .*not -1",
        ),
        ({"num_distractors": 10**5000}, "num_distractors: a whole number from 0"),
        ({"target_func_location": 10**5000}, "an index is at least -1"),
        ({"num_distractors": True}, "num_distractors: a whole number from 0"),
        ({"num_distractors": 1.0}, "num_distractors: a whole number from 0"),
        ({"num_distractors": {"solids2": "1"}}, "num_distractors.solids2: a whole number"),
        (
            {"num_distractors": {"solids2": {"x": 1}}},
            "num_distractors.solids2: a whole number .* a dict",
        ),
        (
            {"num_distractors": {"cubes": 1}},
            "^num_distractors: there is no library 'cubes'. Known: molecule",
        ),
        ({"target_func_location": 1}, "the list has one function, the place 0, not 1"),
        (
            {"task_description_preamble": "Here they are:"},
            "stand right behind ':'.* is the dial intro",
        ),
        ({"task_description_preamble": "Code that"}, "stand right behind 't'"),
        ({"libraries": 5}, "libraries: a value of type int is no library"),
        ({"libraries": ["image"]}, "libraries: a value of type str is no library"),
        ({"func_name": "\uff46"}, "func_name: '\uff46' cannot be the name of a function"),
        ({"num_distractors": {"image": 1}}, "calls nothing of the library image. It calls solids2"),
        (
            {"func_noise": "shuffle"},
            "function_noise_type: one of none, number, swap is needed, not 'shuffle'",
        ),
        ({"desc_noise_type": "number"}, "description_noise_type: one of none, empty, swap"),
        ({"arg_noise_type": "swap"}, "arg_noise_type: one of none, number"),
        ({"arg_noise_type": None}, "arg_noise_type: one of none, number is needed, not None"),
        ({"indent": 0}, "indent: a number from 1 to 100"),
        ({"indent": True}, "indent: a number from 1"),
        ({"indent": "xx"}, "indent: spaces or tabs"),
        ({"use_quotes": 1}, "use_quotes: true or false is needed, not 1"),
        ({"format_function": "f"}, "format_function: a Python function is needed"),
        ({"joiner": None}, "joiner: a text is needed"),
        ({"random_seed": "1"}, "random_seed: a whole number"),
        ({"random_seed": True}, "random_seed: a whole number"),
        ({"return_test_case": "yes"}, "return_test_case: true or false"),
        ({"fewshot": SHOT}, "fewshot: a list of examples"),
        ({"fewshot": [5]}, r"fewshot\[0\]: an object of dials"),
        (
            {"fewshot": [{"signature": "solids2.volume_of_cone()"}]},
            r"fewshot\[0\]: the description is missing",
        ),
        (
            {"fewshot": [{**SHOT, "num_distractors": 1}]},
            r"fewshot\[0\]: an example cannot set num_distractors",
        ),
        ({"fewshot": [{**SHOT, "dials": 1}]}, r"fewshot\[0\]: there is no dial 'dials'"),
        (
            {"fewshot": [{**SHOT, "signature": "x.y()"}]},
            r"fewshot\[0\]: signature 'x.y\(\)': there is no library",
        ),
        ({"description": 5}, "description: a text is needed, not 5"),
        ({"description": "x" * 30_000}, "description: the text is longer"),
    ],
)
def test_dials_that_cannot_be_set(dials: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        get_example(**{**CONE, **dials})


def test_what_is_missing_is_told() -> None:
    with pytest.raises(InputError, match="the signature is missing"):
        make({"description": "x"})
    with pytest.raises(InputError, match="an object of dials is needed"):
        make([])  # type: ignore[arg-type]


PAIRS = [
    ("num_distractors", 6),
    ("target_func_location", 0),
    ("function_noise_type", "number"),
    ("function_noise_type", "swap"),
    ("description_noise_type", "swap"),
    ("description_noise_type", "empty"),
    ("arg_noise_type", "number"),
    ("fewshot", [SHOT]),
    ("use_quotes", True),
    ("description", "gets how large it is"),
    ("func_name", "get(height, radius)"),
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


@pytest.mark.slow
def test_the_hash_seed_does_not_matter() -> None:
    code = (
        "import json; from refract_asp.bench.problems import BENCHMARKS, benchmark, made\n"
        "rows = {}\n"
        "for name in BENCHMARKS:\n"
        "    some = dict(list(benchmark(name).items())[::7])\n"
        "    rows |= {name + id: [c.prompt, c.target, c.test] for id, c in made(some).items()}\n"
        "print(json.dumps(rows))"
    )
    assert len(json.loads(printed(code))) > 100


def test_nothing_is_imported_that_is_not_asked_for() -> None:
    code = "import sys, refract_asp; print([m for m in sys.modules if m.startswith('refract_asp.bench')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_pair_of_noises_makes_a_problem() -> None:
    for function, description, argument in itertools.product(
        ("none", "number", "swap"), ("none", "empty", "swap"), ("none", "number")
    ):
        made = make(
            {
                **TURN,
                "num_distractors": 5,
                "func_noise": function,
                "desc_noise_type": description,
                "arg_noise_type": argument,
            }
        )
        assert execute(made.target, made.test) == (True, None)
