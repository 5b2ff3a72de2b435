"""The examples of the synthetic API use benchmark's text, dial by dial, as this package answers them."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from refract_asp.bench.problems import Listed, execute, get_example
from refract_asp.errors import InputError

CONE: dict[str, Any] = {
    "signature": "solids.volume_of_cone()",
    "description": "gets the volume of a cone",
    "func_name": "get_volume_of_cone",
}
TURN: dict[str, Any] = {
    "signature": "image.rotate().blur()",
    "description": "rotates an image, then blurs it",
}
CYLINDER: dict[str, Any] = {"description": "gets the volume of a cylinder"}


def bullet(func: Listed) -> str:
    """Print a function as the text does it."""
    arglist = ", ".join(func.args)
    return f"- {func.library_name}.{func.name}({arglist}): {func.definition}"


EXAMPLES: dict[str, dict[str, Any]] = {
    "two arguments": {"signature": CONE["signature"], "description": CONE["description"]},
    "a name": CONE,
    "the whole test case": {**CONE, "return_test_case": True},
    "a result as an argument": {
        "signature": "image.rotate(degrees=image.get_width())",
        "description": "turns an image by its width",
    },
    "a result as the subject": {
        "signature": "molecule.get_atom_with_atomic_num(55).get_atomic_weight()",
        "description": "gets the atomic weight of the atom with the atomic number 55",
    },
    "several levels": {
        "signature": "image.rotate_right(5).rotate_left(5).rotate_right(image.get_width())",
        "description": "turns an image to and fro",
    },
    "a text": {
        "signature": 'melody.get_note_with_pitch("A").to_midi()',
        "description": "gets the number of the note A",
    },
    "fixing no arguments": {**CYLINDER, "signature": "solids.volume_of_cylinder()"},
    "fixing the first argument": {**CYLINDER, "signature": "solids.volume_of_cylinder(radius=5)"},
    "fixing both in reverse order": {
        **CYLINDER,
        "signature": "solids.volume_of_cylinder(height=4, radius=5)",
    },
    "the natural order": {**TURN, "func_name": "rotate_then_blur"},
    "an order by the header": {**TURN, "func_name": "rotate_then_blur(image, pixels, degrees)"},
    "an order by a list": {**TURN, "arg_order": ["image", "pixels", "degrees"]},
    "an order by a function": {**TURN, "arg_order": sorted},
    "other names outside": {
        **TURN,
        "signature": "image.rotate(degrees=arg1).blur(pixels=arg2)",
        "func_name": "rotate_then_blur(image, arg1, arg2)",
    },
    "other names, ordered by those inside": {
        **TURN,
        "signature": "image.rotate(degrees=arg1).blur(pixels=arg2)",
        "func_name": "rotate_then_blur(image, pixels, degrees)",
    },
    "num_distractors": {**CONE, "num_distractors": 4},
    "n_distractors by library": {**TURN, "n_distractors": {"image": 2}},
    "target_func_location: an index": {**CONE, "num_distractors": 4, "target_func_location": 0},
    "target_func_location: a fraction": {**CONE, "num_distractors": 4, "target_func_location": 0.75},
    "target_func_location: indexes": {
        **TURN,
        "num_distractors": 2,
        "target_func_location": {"rotate": 3, "blur": 0},
    },
    "target_func_location: fractions": {
        **TURN,
        "num_distractors": 2,
        "target_func_location": {"rotate": 1.0, "blur": 0.5},
    },
    "function_noise_type: number": {**CONE, "num_distractors": 2, "function_noise_type": "number"},
    "func_noise: swap": {**CONE, "num_distractors": 2, "func_noise": "swap"},
    "desc_noise_type: swap": {**CONE, "num_distractors": 2, "desc_noise_type": "swap"},
    "desc_noise_type: empty": {**CONE, "num_distractors": 2, "desc_noise_type": "empty"},
    "arg_noise_type: number": {**CONE, "num_distractors": 1, "arg_noise_type": "number"},
    "fewshot": {
        **CONE,
        "fewshot": [{**TURN, "func_name": "turn"}, {**CYLINDER, "signature": "solids.volume_of_cylinder(5)"}],
    },
    "indent": {**CONE, "indent": 2},
    "use_quotes": {**CONE, "use_quotes": True},
    "intro": {**CONE, "intro": "These functions are at hand:"},
    "task_description_preamble": {**CONE, "task_description_preamble": "Please write a function that "},
    "joiner": {**CONE, "num_distractors": 1, "joiner": "\n\n"},
    "format_function": {**CONE, "num_distractors": 4, "format_function": bullet},
}


def test_the_examples_of_the_text(snapshot: SnapshotAssertion) -> None:
    told = []
    for name, arguments in EXAMPLES.items():
        made = get_example(**arguments)
        assert execute(made.target, made.test) == (True, None)
        told.append(f"## {name}\n{made.prompt}{made.target}\n--\n{made.test}\n")
    assert "\n".join(told) == snapshot


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
