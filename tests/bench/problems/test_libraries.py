"""Libraries in JSON and in Python, and the catalogs that say the same."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.bench.problems.refusals import refusal

from refract_asp.bench.problems import (
    SUBJECTS,
    Function,
    Library,
    Registry,
    get_example,
    load_libraries,
)
from refract_asp.errors import FormatError, InputError
from refract_asp.resources import catalog_names

ROOT = Path(__file__).resolve().parents[3]
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
        {
            "function_name": "flip_horizontal",
            "documentation": "",
            "arglist": [""],
            "return_type": ["image"],
        },
        {"name": "get_width", "doc": "Returns the width.", "args": [], "return_type": "int"},
    ],
}


def test_a_library_in_json() -> None:
    library = Library.load(IMAGE)
    assert library == Library(
        "image",
        "image",
        "class",
        (
            Function(
                "rotate",
                "Returns the image rotated by [number of degrees|degrees].",
                ("degrees",),
                ("image",),
            ),
            Function("flip_horizontal", "", (), ("image",)),
            Function("get_width", "Returns the width.", (), ("int",)),
        ),
    )
    made = get_example("image.rotate().flip_horizontal()", "turns it", libraries=[library])
    assert made.target == "return image.rotate(degrees).flip_horizontal()"
    assert (
        "def image.rotate(degrees):\n    Returns the image rotated by the given number of degrees.\n"
        in made.prompt
    )
    assert "def image.flip_horizontal()\n" in made.prompt  # of which nothing is said


def test_files_and_texts(tmp_path: Path) -> None:
    path = tmp_path / "libraries.json"
    path.write_text(json.dumps([IMAGE]), "utf-8")
    assert (
        load_libraries(path) == load_libraries(path.read_text("utf-8")) == load_libraries([IMAGE])
    )


WRONG = [
    {"functions": []},
    {"style": "struct"},
    {"library_name": "my image"},
    {"functions": [{"function_name": "class"}]},
    {"functions": [{"function_name": "f", "arglist": ["a", "a"]}]},
    {"functions": [{"function_name": "f"}, {"function_name": "f"}]},
    {"functions": [5]},
    {"id": "\ufb01le"},
    {"functions": [{"function_name": "f", "arglist": ["\uff58", "x"]}]},
]


def test_libraries_that_cannot_be_used(snapshot: SnapshotAssertion) -> None:
    said = [refusal(load_libraries, [{**IMAGE, **library}]) for library in WRONG]
    assert "\n".join(said) == snapshot


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([IMAGE, IMAGE], r"\[1\]\.id: two libraries have the id image"),
        (5, "a list of libraries is needed"),
        ([5], r"\[0\]: a library with a list"),
        ("{", "not valid JSON"),
        (Path("/nowhere/x.json"), "there is no such file"),
    ],
)
def test_what_is_no_library(data: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load_libraries(data)
    with pytest.raises(InputError, match="there are 0 libraries, one is needed"):
        Library.load([])


def test_python_refuses_the_same() -> None:
    with pytest.raises(InputError, match="two arguments of f have one name"):
        Library("a", "a", "import", (Function("f", "", ("x", "x")),))
    with pytest.raises(InputError, match="the style is import or class, not 'module'"):
        Library("a", "a", "module", (Function("f"),))


def test_ids_may_share_a_name_but_not_a_list() -> None:
    two = Library(
        "solids2",
        "solids",
        "import",
        (Function("volume", "", ("radius", "height")), Function("area")),
    )
    three = Library(
        "solids3", "solids", "import", (Function("volume", "", ("length",)), Function("edge"))
    )
    registry = Registry([two, three])
    with pytest.raises(
        InputError, match=r"solids3\.volume and solids2\.volume are both printed solids\.volume"
    ):
        get_example("solids2.volume(radius=solids3.volume())", "gets it", libraries=registry)
    made = get_example(
        "solids2.volume(radius=solids3.edge())",
        "gets it",
        libraries=registry,
        num_distractors={"solids2": 1},
    )
    assert [(f.key, f.name) for f in made.pool] == [
        (("solids3", "edge"), "edge"),
        (("solids2", "area"), "area"),
        (("solids2", "volume"), "volume"),
    ]
    assert made.prompt.count("import solids\n") == 1
    with pytest.raises(InputError, match="1 distractors are wanted from solids3, 0 exist"):
        get_example(
            "solids2.volume(radius=solids3.edge())",
            "gets it",
            libraries=registry,
            num_distractors={"solids3": 1},
        )  # its volume would be printed as the other one


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "make_catalogs", ROOT / "docs" / "make_catalogs.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_catalogs_are_not_stale(maker: ModuleType, subject: str) -> None:
    assert subject in catalog_names()
    assert maker.path(subject).read_text("utf-8") == maker.text(subject), "run `make catalogs`"
