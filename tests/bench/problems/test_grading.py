"""Grading: what passes, what does not and why, and that nothing of an answer ever runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion
from tests.bench.problems.refusals import without_version

from refract_asp.bench.problems import Function, Library, execute, get_example
from refract_asp.errors import InputError

CONE = get_example("solids.volume_of_cone(radius=5)", "gets the volume", "get_volume").test
CYLINDER = get_example("solids3.volume_of_cylinder()", "gets the volume", "get_volume").test
TURN = get_example(
    "image.rotate().blur(pixels=image.get_width()).flip_vertical()", "turns it", "turn"
).test
ATOM = get_example("molecule.get_atom_with_label('C').get_charge()", "gets the charge").test


@pytest.mark.parametrize(
    ("sample", "test"),
    [
        ("return solids.volume_of_cone(5, height)", CONE),
        ("return solids.volume_of_cone(height=height, radius=5)", CONE),
        ("return (solids.volume_of_cone(+5, (height)))", CONE),
        ("radius = 5\n    return solids.volume_of_cone(radius, height)", CONE),
        (
            '"""Says how large it is."""\n    # so\n    return solids.volume_of_cone(5, height)',
            CONE,
        ),
        ("return solids.volume_of_cone(\n        5,\n        height,\n    )", CONE),
        ("s = solids\n    return s.volume_of_cone(5, height)", CONE),
        ("f = solids.volume_of_cone\n    return f(5, height)", CONE),
        ("return solids.volume_of_cylinder(height=height, width=width, length=length)", CYLINDER),
        (
            "w = image.get_width()\n    i = image.rotate(degrees)\n    return i.blur(w).flip_vertical()",
            TURN,
        ),
        ("\n    return molecule.get_atom_with_label('C').get_charge()", ATOM),
        (
            "return \uff53olids.volume_of_cone(0x5, height)",
            CONE,
        ),  # Python reads a wide letter as the plain one
        ("return solids.volume_of_cone(5, height)\n    print(height + 1)\n    x = [height]", CONE),
    ],
)
def test_answers_that_are_as_good(sample: str, test: str) -> None:
    assert execute(sample, test) == (True, None)


WRONG = [
    "return solids.volume_of_cone(height, 5)",
    "return solids.volume_of_cone('5', height)",
    "return solids.volume_of_cone(True, height)",
    "return solids.volume_of_cone(-5, height)",
    "return solids.volume_of_cone(5, 'dummy_height_1')",
    "return solids.volume_of_cone(5)",
    "return solids.volume_of_cone(5, height, 1)",
    "return solids.volume_of_cone(5, depth=height)",
    "return solids.volume_of_cone(5, radius=height)",
    "return solids.volume_of_cone(radius=5, radius=5)",
    "return solids.volume_of_cube(5, height)",
    "return solids.volume_of_cone",
    "return",
    "solids.volume_of_cone(5, height)",
    "solids.volume_of_cone(4, 4)\n    return solids.volume_of_cone(5, height)",
    "return solids(5)",
    "return height(5)",
    "",
    "return (",
    "```python\nreturn 1\n```",
]


def test_answers_that_are_not(snapshot: SnapshotAssertion) -> None:
    said = []
    for sample in WRONG + NOT_READ:
        passed, reason = execute(sample, CONE)
        assert not passed
        said.append(f"{sample[:60]!r}: {without_version(reason or '')}")
    assert "\n".join(said) == snapshot


NOT_READ = [
    "import os\n    return os",
    "while True:\n        pass",
    "return [x for x in y]",
    "if height:\n        return 1",
    "global solids\n    return 1",
    "def g():\n        return 1\n    return g()",
    "class A: pass\n    return A",
    "return (lambda: 1)()",
    "return f'{height}'",
    "return height + 1",
    "return [height]",
    "a, b = height\n    return a",
    "solids.volume_of_cone = height\n    return 1",
    "return (x := 5)",
    "return solids.volume_of_cone(*[5, height])",
    "return solids[0]",
    "return (yield 5)",
    "return await height",
    "return solids.__class__",
    "__x = 5\n    return __x",
    "return Dummy()",
    "return b'x'",
    "return 1\nimport os",
    "match height:\n        case 1:\n            return 1",
    "return 0x" + "f" * 9_000,
]


@pytest.mark.parametrize(
    ("below", "reason"),
    [
        ("yield", "yield is not read"),
        ("print((x := 5))", "an assignment inside an expression is not read"),
        ("global height", "global is not read"),
        ("solids = 5", "solids is read before it gets a value"),
        ("solids: int", "solids is read before it gets a value"),
    ],
)
def test_code_below_the_return_that_changes_the_function(below: str, reason: str) -> None:
    answer = "return solids.volume_of_cone(5, height)"
    assert execute(answer, CONE) == (True, None)
    passed, told = execute(f"{answer}\n    {below}", CONE)
    assert not passed
    assert told is not None
    assert reason in told


def test_a_library_that_gets_another_value_is_a_name_of_the_function() -> None:
    for answer in (
        "solids = solids\n    return solids.volume_of_cone(5, height)",
        "volume = solids.volume_of_cone(5, height)\n    solids = 5\n    return volume",
    ):
        assert execute(answer, CONE) == (False, "solids is read before it gets a value")
    turned = (
        "image = image.rotate(degrees).blur(image.get_width())\n    return image.flip_vertical()"
    )
    assert execute(turned, TURN) == (True, None)


def test_places_are_those_of_the_answer() -> None:
    reason = execute("return 'a", CONE)[1]
    assert reason is not None
    assert reason.startswith("answer:1:8: not valid Python: unterminated")
    reason = execute("a = 5\n    return 'a", CONE)[1]
    assert reason is not None
    assert reason.startswith("answer:2:12: not valid Python: unterminated")


def test_no_answer_makes_python_warn(recwarn: pytest.WarningsRecorder) -> None:
    for answer in (
        "return 1if height else 2",
        "return [0x1for x in y]",
        "return .5or 3",
        "return '\\d'",
    ):
        assert not execute(answer, CONE)[0]
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


@pytest.mark.parametrize(
    "sample",
    [
        "(" * 1_000_000,
        "return " + "-" * 40_000 + "1",
        "return solids" + ".a" * 20_000,
        "return \x00",
        "return '\ud800'",
        "\ud800",
        "\n".join(f"    v{i} = solids.f(v{i - 1}, v{i - 1})" for i in range(1, 900)),
        '"\\' * 24_000,
        '\\"""\n' * 9_000,
        "\\'''\n" * 9_000 + "\\",
        "return solids.volume_of_cone(" + "9" * 5_000 + ", height)",
        "return solids." + "x" * 40_000 + "(5)",
    ],
    ids=range(12),
)
def test_hostile_answers_fail_within_bounds(sample: str) -> None:
    passed, reason = execute(sample, CONE)
    assert not passed
    assert reason
    assert len(reason) < 1_000
    assert reason.isprintable()


def test_values_that_double_are_shared() -> None:
    lines = [
        "v0 = height",
        *(f"v{i} = solids.f(v{i - 1}, v{i - 1})" for i in range(1, 800)),
        "return v799",
    ]
    passed, reason = execute("\n    ".join(lines), CONE)
    assert not passed
    assert reason is not None
    assert "solids.volume_of_cone is wanted" in reason


@given(
    st.lists(
        st.sampled_from(
            ["return ", "solids", ".", "(", ")", ",", "5", "=", "height", "\n    ", "f", "'", "-"]
        )
    )
)
def test_any_code_is_graded(parts: list[str]) -> None:
    passed, reason = execute("".join(parts), CONE)
    assert passed is (reason is None)


def test_several_answers() -> None:
    good = "return solids.volume_of_cone(5, height)"
    assert execute([good, "return 1", good], CONE)[0::2] == [(True, None), (True, None)]
    assert execute([], CONE) == []
    with pytest.raises(InputError, match="a text or a list of texts is needed"):
        execute([5], CONE)  # type: ignore[list-item]
    with pytest.raises(InputError, match="a text or a list of texts is needed"):
        execute(None, CONE)  # type: ignore[call-overload]


def test_a_test_without_parameters_tells_what_it_can() -> None:
    def bare(test: str) -> str:
        return "\n".join(line for line in test.split("\n") if not line.startswith("# parameters"))

    assert execute("return solids.volume_of_cone(height=height, radius=5)", bare(CONE)) == (
        True,
        None,
    )
    assert execute("return solids.volume_of_cone(height, 5)", bare(CONE))[0] is False
    both = bare(get_example("solids.volume_of_cone(5, 4)", "gets the volume").test)
    assert execute("return solids.volume_of_cone(5, 4)", both) == (True, None)
    passed, reason = execute("return solids.volume_of_cone(radius=5, height=4)", both)
    assert (passed, reason) == (
        False,
        "solids.volume_of_cone has no argument radius: the test does not name it",
    )


@pytest.mark.parametrize("name", ["Dummy", "x", "y", "test"])
def test_any_name_of_a_function_or_a_library_can_be_tested(name: str) -> None:
    library = Library(name, name, "class", (Function("f", "", ("x", "y")),))
    numbers = get_example(f"{name}.f(x=1, y=2)", "does it", name, libraries=[library])
    names = get_example(f"{name}.f(x=a, y=b)", "does it", libraries=[library])
    cone = get_example("solids.volume_of_cone(5, 4)", "gets the volume", name)
    for made in (numbers, names, cone):
        assert execute(made.target, made.test) == (True, None)


LINES = CONE.split("\n")


@pytest.mark.parametrize(
    "test",
    [
        "",
        "x" * 300_000,
        "\n".join(LINES[1:]),
        "\n".join(line for line in LINES if not line.startswith("x =")),
        CONE.replace("x = get_volume(", "x = get_volume(5, "),
        CONE.replace('"dummy_height_1")', "open('x'))"),
        CONE.replace("y = solids.", "y = cubes."),
        CONE.replace("'    '", "'  x '"),
        CONE.replace('[["radius", "height"]]', "[[]]"),
        CONE.replace('[["radius", "height"]]', "nope"),
        CONE.replace('[["radius", "height"]]', "[" * 100_000),
        CONE.replace("def get_volume(height):", "def get_volume(height): return 5;"),
        CONE.replace("def get_volume(height):", "async def get_volume(height):"),
    ],
)
def test_what_is_no_test_is_an_error(test: str) -> None:
    with pytest.raises(InputError, match="this is no test of a problem"):
        execute("return 1", test)


def test_what_is_missing_in_a_test_is_named() -> None:
    with pytest.raises(InputError, match="no test of a problem: nothing says what signature is"):
        execute("return 1", "assert True")


@pytest.mark.parametrize(
    "sample", ["return " + "-" * 49_000 + "1", "return solids" + ".a" * 20_000]
)
def test_what_is_nested_too_deep_for_python_is_told_so(sample: str) -> None:
    assert execute(sample, CONE) == (
        False,
        "answer: nested deeper than Python reads. Write it flatter",
    )


def test_deep_signatures_are_graded() -> None:
    made = get_example("image" + ".invert()" * 50, "inverts it often")
    assert execute(made.target, made.test) == (True, None)
    assert not execute(made.target.removesuffix(".invert()"), made.test)[0]
    nested = "image.get_width()"
    for _ in range(24):
        nested = f"image.blur(pixels=image.blur(pixels={nested}).get_width()).get_width()"
    with pytest.raises(InputError, match="more than 50 calls"):
        get_example(nested, "blurs it")


def test_numbers_and_texts_that_look_alike() -> None:
    test = get_example("image.blur(pixels=0.5).crop(width=None, height='x')", "cuts it").test
    assert execute('return image.blur(.50).crop(None, "x")', test) == (True, None)
    zero = get_example("image.blur(pixels=0.0)", "blurs it").test
    assert execute("return image.blur(-0.0)", zero)[0] is False
