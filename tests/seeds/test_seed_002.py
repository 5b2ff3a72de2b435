"""
Seed 002, example by example: what each dial does to a prompt, its target and its test.

The libraries are the project's own, so the words of the documentation are, too. Where the seed's examples
name an argument that its own library does not have (`image.rotate(pixels=...)`), the argument is put right.
"""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp.bench.problems import Listed, execute, get_example, load_libraries
from refract_asp.errors import InputError

CONE: dict[str, Any] = {
    "signature": "solids.volume_of_cone()",
    "description": "gets the volume of a cone",
    "func_name": "get_volume_of_cone",
}
CYLINDER: dict[str, Any] = {
    "signature": "solids.volume_of_cylinder()",
    "description": "gets the volume of a cylinder",
    "func_name": "get_volume_of_cylinder",
}
TURN: dict[str, Any] = {
    "signature": "image.rotate().blur()",
    "description": "rotates an image, then blurs it",
    "func_name": "rotate_then_blur",
}
SHOT: dict[str, Any] = {
    "signature": "solids.volume_of_cylinder(radius=2)",
    "description": "gets the volume of a cylinder with radius 2",
    "func_name": "get_volume_of_cylinder_with_radius_2",
}


def ff(func: Listed) -> str:
    args = func.args
    arglist = ", ".join(args)
    return f"- {func.library_name}.{func.name}({arglist}): {func.definition}"


EXAMPLES: dict[str, dict[str, Any]] = {
    "generation": {"signature": CONE["signature"], "description": CONE["description"]},
    "named": CONE,
    "whole_test_case": {**CONE, "return_test_case": True},
    "fewshot": {**CONE, "fewshot": [SHOT], "num_distractors": 2},
    "composed_as_argument": {
        "signature": "image.blur(pixels=image.get_width())",
        "description": "blurs an image over its width",
    },
    "composed_as_subject": {
        "signature": "molecule.get_atom_with_atomic_num(55).get_atomic_weight()",
        "description": "gets the atomic weight of the atom with the atomic number 55",
    },
    "composed_deeply": {
        "signature": "image.rotate_right(5).rotate_left(5).rotate_right(image.get_width())",
        "description": "rotates an image to and fro",
    },
    "music": {
        "signature": 'melody.get_note_with_pitch("A").to_midi()',
        "description": "gets the number of the note A in MIDI",
    },
    "fixing_none": CYLINDER,
    "fixing_first": {
        **CYLINDER,
        "signature": "solids.volume_of_cylinder(radius=5)",
        "description": "gets the volume of a cylinder with radius 5",
    },
    "fixing_both_in_reverse_order": {
        **CYLINDER,
        "signature": "solids.volume_of_cylinder(height=4, radius=5)",
        "description": "gets the volume of a cylinder with height 4 and radius 5",
    },
    "order_default": TURN,
    "order_by_name": {**TURN, "func_name": "rotate_then_blur(image, pixels, degrees)"},
    "order_by_list": {**TURN, "arg_order": ["pixels", "image", "degrees"]},
    "order_by_function": {**TURN, "arg_order": sorted},
    "renamed": {
        **TURN,
        "signature": "image.rotate(degrees=arg1).blur(pixels=arg2)",
        "func_name": "rotate_then_blur(image, degrees, pixels)",
    },
    "renamed_outside": {
        **TURN,
        "signature": "image.rotate(degrees=arg1).blur(pixels=arg2)",
        "func_name": "rotate_then_blur(image, arg1, arg2)",
    },
    "renamed_and_ordered": {
        **TURN,
        "signature": "image.rotate(degrees=arg1).blur(pixels=arg2)",
        "func_name": "rotate_then_blur(image, pixels, degrees)",
    },
    "distractors": {**CONE, "num_distractors": 4},
    "distractors_by_library": {
        "signature": "molecule.get_atom_with_label().get_charge()",
        "description": "gets the charge of an atom",
        "num_distractors": {"molecule": 1, "atom": 2},
    },
    "location_index": {**CONE, "num_distractors": 2, "target_func_location": 0},
    "location_fraction": {**CONE, "num_distractors": 2, "target_func_location": 0.5},
    "location_by_name": {
        **TURN,
        "num_distractors": 2,
        "target_func_location": {"rotate": 3, "blur": 0.0},
    },
    "location_by_fractions": {
        **TURN,
        "num_distractors": 2,
        "target_func_location": {"rotate": 1.0, "blur": 0.5},
    },
    "location_far": {**CONE, "num_distractors": 4, "target_func_location": 0.75},
    "distractors_of_one_library": {**TURN, "n_distractors": {"image": 2}},
    "function_noise_number": {
        **CONE,
        "num_distractors": 2,
        "func_noise": "number",
        "fewshot": [SHOT],
    },
    "function_noise_swap": {**CONE, "num_distractors": 3, "function_noise_type": "swap"},
    "description_noise_swap": {**CONE, "num_distractors": 3, "desc_noise_type": "swap"},
    "description_noise_empty": {**CONE, "num_distractors": 2, "desc_noise_type": "empty"},
    "argument_noise_number": {**CONE, "num_distractors": 1, "arg_noise_type": "number"},
    "indent": {**CONE, "indent": 2},
    "intro": {
        **CONE,
        "intro": "There are:",
        "task_description_preamble": "Code that ",
    },
    "quotes": {**CONE, "use_quotes": True},
    "format_function": {**CONE, "num_distractors": 4, "format_function": ff},
    "joiner": {**CONE, "num_distractors": 1, "joiner": "\n\n"},
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_each_dial(example: str, snapshot: SnapshotAssertion) -> None:
    made = get_example(**EXAMPLES[example])
    assert f"{made.prompt}\n--- target\n{made.target}\n--- test\n{made.test}" == snapshot
    assert execute(made.target, made.test) == (True, None)


def test_the_first_example_word_for_word() -> None:
    libraries = load_libraries(
        {
            "library_name": "solids",
            "style": "import",
            "functions": [
                {
                    "function_name": "volume_of_cone",
                    "documentation": "Calculates the volume of a cone with [radius|radius] and "
                    "[height|height].",
                    "arglist": ["radius", "height"],
                    "return_type": ["float"],
                }
            ],
        }
    )
    results = get_example(
        signature="solids.volume_of_cone()",
        description="gets the volume of a cone",
        func_name="test",
        libraries=libraries,
    )
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        # slips of the text, which its own code would not take either
        (
            {"signature": "image.rotate(pixels=image.get_width())"},
            "image.rotate has no argument pixels. It takes",
        ),
        (
            {"signature": "image.rotate(pixels=arg1).blur(degrees=arg2)"},
            "image.rotate has no argument pixels",
        ),
        (
            {"signature": "solids.get_volume_of_sphere(radius=5)"},
            "solids has no function get_volume_of_sphere",
        ),
        # one name for two things: here it is the words before the description
        ({"task_description_preamble": "Consider the following functions:"}, "is the dial intro"),
    ],
)
def test_what_the_text_says_otherwise(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        get_example(**{**TURN, **arguments})


def test_several_functions_need_several_places() -> None:
    for place in (0, 0.5):
        with pytest.raises(InputError, match="the signature calls 2 functions"):
            get_example(**TURN, num_distractors=2, target_func_location=place)
