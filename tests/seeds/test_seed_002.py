"""
Seed 002, example by example: what each dial does to a prompt, its target and its test.

The libraries are the project's own, so the words of the documentation are, too. Where the seed's examples
name an argument that its own library does not have (`image.rotate(pixels=...)`), the argument is put right.
"""

from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp.bench.problems import Listed, execute, get_example, load_libraries
from refract_asp.errors import InputError
from yaml_files import read_yaml, tables

TABLES = tables(__file__)

EXAMPLES: dict[str, dict[str, Any]] = read_yaml(Path(__file__).with_name("seed_002.yaml"))
TURN, CONE = EXAMPLES["order_default"], EXAMPLES["named"]


def ff(func: Listed) -> str:
    return f"- {func.library_name}.{func.name}({', '.join(func.args)}): {func.definition}"


EXAMPLES["order_by_function"] = {**TURN, "arg_order": sorted}
EXAMPLES["format_function"] = {**CONE, "num_distractors": 4, "format_function": ff}


@pytest.mark.parametrize("example", EXAMPLES)
def test_each_dial(example: str, snapshot: SnapshotAssertion) -> None:
    made = get_example(**EXAMPLES[example])
    assert f"{made.prompt}\n--- target\n{made.target}\n--- test\n{made.test}" == snapshot
    assert execute(made.target, made.test) == (True, None)


def test_the_first_example_word_for_word() -> None:
    libraries = load_libraries(TABLES["the first example word for word, libraries"])
    what = {"signature": "solids.volume_of_cone()", "description": "gets the volume of a cone"}
    results = get_example(**what, func_name="test", libraries=libraries)
    assert results.prompt == (
        "Consider the following functions:\n\n"
        "def solids.volume_of_cone(radius, height):\n"
        "    Calculates the volume of a cone with the given radius and the given height.\n\n"
        "Write a function that gets the volume of a cone.\n[BEGIN]\nimport solids\n"
        "def test(radius, height):\n    "
    )
    lines = results.test.split("\n")
    assert lines[:2] == ["# signature = def test(radius, height):", "# indent = '    '"]
    assert lines[3] == "solids = Dummy()"
    assert lines[5:7] == [
        'x = test(radius="dummy_radius_0", height="dummy_height_1")',
        'y = solids.volume_of_cone("dummy_radius_0", "dummy_height_1")',
    ]
    assert execute("return solids.volume_of_cone(radius, height)", results.test) == (True, None)


@pytest.mark.parametrize(("arguments", "message"), TABLES["what the text says otherwise"])
def test_what_the_text_says_otherwise(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        get_example(**{**TURN, **arguments})


def test_several_functions_need_several_places() -> None:
    for place in (0, 0.5):
        with pytest.raises(InputError, match="the signature calls 2 functions"):
            get_example(**TURN, num_distractors=2, target_func_location=place)
