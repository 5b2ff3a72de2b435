"""Grading: what passes, what does not and why, and that nothing of an answer ever runs."""

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion
from tests.bench.problems.test_making import REFUSED, without_version

from refract_asp.bench.problems import Function, Library, execute, get_example
from refract_asp.errors import InputError
from yaml_files import tables

RIGHT = "return solids.volume_of_cone(5, height)"
CONE = get_example("solids.volume_of_cone(radius=5)", "gets the volume", "get_volume").test


@pytest.mark.parametrize("sample", tables(__file__)["answers that are as good"])
def test_answers_that_are_as_good(sample: str) -> None:
    assert execute(sample, CONE) == (True, None)


def test_answers_that_are_not(snapshot: SnapshotAssertion, recwarn: Any) -> None:
    shared = ["v0 = height", *(f"v{i} = solids.f(v{i - 1}, v{i - 1})" for i in range(1, 800))]
    long = [
        "return 0x" + "f" * 9_000,
        "return " + "-" * 49_000 + "1",
        "return solids" + ".a" * 150,
        "return solids" + ".a" * 20_000,
        "(" * 1_000_000,
        "\n    ".join([*shared, "return v799"]),
        '"\\' * 24_000,
        '\\"""\n' * 9_000,
        "return solids.volume_of_cone(" + "9" * 5_000 + ", height)",
        "return solids." + "x" * 40_000 + "(5)",
    ]
    told = []
    for sample in [*REFUSED["answers"], *long]:
        passed, reason = execute(sample, CONE)
        assert not passed
        assert len(reason) < 1_000
        assert reason.isprintable()
        told.append(f"{sample[:60]!r}: {without_version(reason)}")
    assert "\n".join(told) == snapshot
    assert not recwarn.list


def test_no_answer_runs(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    before = set(sys.modules)
    for text in (
        f"open({str(mark)!r}, 'w')",
        f"return open({str(mark)!r}, 'w')",
        f"return __import__('pathlib').Path({str(mark)!r}).touch()",
        f"return exec({str(mark)!r})",
        f"x: open({str(mark)!r}, 'w') = 5\n    return x",
        "import this",
        "return [c for c in ().__class__.__base__.__subclasses__()]",
    ):
        assert not execute(text, CONE)[0]
    assert not mark.exists()
    assert "this" not in set(sys.modules) - before


PARTS = ("return ", "solids", ".", "(", ")", ",", "5", "=", "height", "\n    ", "f", "'", "-")


@given(st.lists(st.sampled_from(PARTS)))
def test_any_code_is_graded(parts: list[str]) -> None:
    passed, reason = execute("".join(parts), CONE)
    assert passed is (reason is None)


def test_several_answers() -> None:
    assert execute([RIGHT, "return 1", RIGHT], CONE)[0::2] == [(True, None), (True, None)]
    assert execute([], CONE) == []
    for wrong in ([5], None):
        with pytest.raises(InputError, match="a text or a list of texts is needed"):
            execute(wrong, CONE)  # type: ignore[call-overload]


def test_a_test_without_parameters_tells_what_it_can() -> None:
    both = get_example("solids.volume_of_cone(5, 4)", "gets the volume").test
    bare, neither = (
        "\n".join(line for line in test.split("\n") if not line.startswith("# parameters"))
        for test in (CONE, both)
    )
    assert execute("return solids.volume_of_cone(height=height, radius=5)", bare) == (True, None)
    assert execute("return solids.volume_of_cone(height, 5)", bare)[0] is False
    assert execute("return solids.volume_of_cone(5, 4)", neither) == (True, None)
    passed, reason = execute("return solids.volume_of_cone(radius=5, height=4)", neither)
    assert not passed
    assert "has no argument radius: it takes what the test does not name" in (reason or "")


@pytest.mark.parametrize("name", ["Dummy", "x", "y", "test"])
def test_any_name_of_a_function_or_a_library_can_be_tested(name: str) -> None:
    library = Library(name, name, "class", (Function("f", "", ("x", "y")),))
    numbers = get_example(f"{name}.f(x=1, y=2)", "does it", name, libraries=[library])
    names = get_example(f"{name}.f(x=a, y=b)", "does it", libraries=[library])
    cone = get_example("solids.volume_of_cone(5, 4)", "gets the volume", name)
    for made in (numbers, names, cone):
        assert execute(made.target, made.test) == (True, None)


LINES = CONE.split("\n")
NAMES = '[["radius", "height"]]'
NO_TESTS = [
    "",
    "assert True",
    "x" * 300_000,
    "\n".join(LINES[1:]),
    "\n".join(line for line in LINES if not line.startswith("x =")),
    CONE.replace("x = get_volume(", "x = get_volume(5, "),
    CONE.replace("height=", "depth="),
    CONE.replace('"dummy_height_1")', "open('x'))"),
    CONE.replace("solids = Dummy()", "solids = open('x')"),
    CONE.replace("y = solids.", "y = cubes."),
    CONE.replace("y = ", "y = 1 + "),
    CONE.replace("'    '", "'  x '"),
    *(CONE.replace(NAMES, names) for names in ("[[]]", "5", "nope", "[" * 100_000)),
    CONE.replace("def get_volume(height):", "def get_volume(height): return 5;"),
    CONE.replace("def get_volume(height):", "async def get_volume(height):"),
]


@pytest.mark.parametrize("test", NO_TESTS)
def test_what_is_no_test_is_an_error(test: str) -> None:
    with pytest.raises(InputError, match=r"this is no test of a problem: \w"):
        execute("return 1", test)


def test_deep_signatures_are_graded() -> None:
    made = get_example("image" + ".invert()" * 50, "inverts it often")
    assert execute(made.target, made.test) == (True, None)
    assert not execute(made.target.removesuffix(".invert()"), made.test)[0]


def test_numbers_and_texts_that_look_alike() -> None:
    test = get_example("image.blur(pixels=0.5).crop(width=None, height='x')", "cuts it").test
    assert execute('return image.blur(.50).crop(None, "x")', test) == (True, None)
    alike = get_example("solids.volume_of_cone(radius='dummy_height_1')", "gets it")
    assert execute(alike.target, alike.test) == (True, None)  # the text stands for no argument
    zero = get_example("image.blur(pixels=0.0)", "blurs it").test
    assert execute("return image.blur(-0.0)", zero)[0] is False
