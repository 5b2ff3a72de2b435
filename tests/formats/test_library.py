"""Libraries of functions without code."""

from __future__ import annotations

from typing import Any

import pytest

from refract_asp.errors import FormatError
from refract_asp.formats import load_catalog
from refract_asp.model import Parameter

IMAGE = {
    "library_name": "image",
    "style": "class",
    "functions": [
        {
            "function_name": "rotate",
            "documentation": "Returns the image rotated by [number of degrees|degrees].",
            "arglist": ["degrees"],
            "return_type": ["image"],
        },
        {"function_name": "flip", "documentation": "", "arglist": [""], "return_type": ["image"]},
        {"name": "get_width", "doc": "Returns the width.", "args": [], "return_type": "int"},
        {"function_name": "over", "arglist": ["image"], "return_type": ["image", "none"]},
    ],
}


def test_methods_take_their_object_first() -> None:
    rotate, flip, width, over = load_catalog(IMAGE)
    thing = {"type": "object", "title": "image"}
    assert rotate.name == "image.rotate"
    assert rotate.description == "Returns the image rotated by the given number of degrees."
    assert list(rotate.parameters.values()) == [
        Parameter(name="image", required=True, json_schema=thing),
        Parameter(name="degrees", required=True),
    ]
    assert rotate.output_schema == thing
    assert list(flip.parameters) == ["image"]
    assert width.output_schema == {"type": "integer"}
    assert list(over.parameters) == ["self", "image"]
    assert over.output_schema == {"anyOf": [thing, {"type": "null"}]}


def test_ids_tell_libraries_of_one_name_apart() -> None:
    cone = {"function_name": "volume", "arglist": ["radius"], "return_type": ["float"]}
    libraries = [
        {"id": f"solids{n}", "library_name": "solids", "functions": [cone]} for n in (1, 2)
    ]
    catalog = load_catalog(libraries)
    assert [tool.name for tool in catalog] == ["solids1.volume", "solids2.volume"]
    assert catalog.tools[0].parameters == {"radius": Parameter(name="radius", required=True)}
    assert catalog.tools[0].output_schema == {"type": "number"}


def test_functions_alone() -> None:
    (tool,) = load_catalog([IMAGE["functions"][0]])
    assert tool.name == "rotate"
    assert list(tool.parameters) == ["degrees"]


@pytest.mark.parametrize(
    ("library", "message"),
    [
        ({"style": "struct"}, r"^style: the style is import or class"),
        ({"library_name": 5}, r"^library_name: a text is needed"),
        (
            {"functions": [{"function_name": "f", "arglist": "a"}]},
            r"\.arglist: a list of names",
        ),
        (
            {"functions": [{"function_name": "f", "arglist": ["a", "a"]}]},
            r"two arguments have one name",
        ),
        (
            {"functions": [{"function_name": "f", "return_type": 5}]},
            r"^functions\[0\]\.return_type",
        ),
        ({"functions": [{"function_name": ""}]}, r"^functions\[0\]\.function_name"),
        ({"functions": [5]}, r"^functions\[0\]: an object is needed"),
    ],
)
def test_mistakes(library: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load_catalog({**IMAGE, **library})
