"""Problems: what signatures, dials and libraries make of a prompt, a target and a test, and what is refused."""

import ast
import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion
from tests.depth import examples

from refract_asp.bench.problems import Function, execute, get_example, make, minimal_pair, shipped
from refract_asp.bench.problems.signatures import SUBJECTS, Library, load_libraries, read_signature
from refract_asp.errors import FormatError, InputError
from refract_asp.formats.tool_lists import said
from yaml_files import read_yaml, tables

TABLES = tables(__file__)

REFUSED = read_yaml(Path(__file__).with_name("refused.yaml"))
CONE: dict[str, Any] = TABLES["cone"]
TURN = {"signature": "image.rotate().blur()", "description": "turns it", "func_name": "turn"}
ATOM = {"signature": "molecule.get_atom_with_label('C').get_charge()", "description": "gets it"}
SHOT = {**CONE, "signature": "solids2.volume_of_cylinder(radius=2)", "func_name": "get"}
IMAGE = TABLES["image"]


def without_version(message: object) -> str:
    """Return a message without what Python says of its syntax, which differs between its versions."""
    return re.sub(r"(not valid Python): .*", r"\1", str(message))


def refusals(rows: list[Any], made: Any) -> str:
    """Return what is said of each row."""
    found = []
    for row in rows:
        with pytest.raises(InputError) as caught:
            made(row)
        found.append(f"{str(row)[:60]!r}: {without_version(caught.value)}")
    return "\n".join(found)


def test_signatures_that_say_nothing(snapshot: SnapshotAssertion) -> None:
    nested = "image.blur(" * 60 + ")" * 60
    long = ["9" * 4200, "9" * 5000, nested, "(" * 5000, "1" + " " * 15_000, "'\0'"]
    rows = [*REFUSED["signatures"], "image" + ".blur()" * 51, *(f"image.blur({x})" for x in long)]
    assert refusals(rows, lambda text: get_example(text, "does it")) == snapshot


def test_dials_that_cannot_be_set(snapshot: SnapshotAssertion) -> None:
    rows = [*REFUSED["dials"], {"description": "x" * 30_000}, {"fewshot": [SHOT] * 1001}]
    assert refusals(rows, lambda dials: make({**CONE, **dials})) == snapshot
    assert refusals([[], {}, {"signature": "image.blur()"}], make) == snapshot
    for places in ({"blur": 1, "rotate": 1}, {"blur": 6}, {"blur": 999_999}):
        with pytest.raises(InputError, match="is taken, or beyond the end"):
            make({**TURN, "num_distractors": 4, "target_func_location": places})


def test_libraries_that_cannot_be_used(snapshot: SnapshotAssertion) -> None:
    rows = REFUSED["libraries"]
    assert refusals(rows, lambda other: load_libraries([{**IMAGE, **other}])) == snapshot
    image = shipped()["image"]
    for libraries, message in (([image, image], "two libraries have the id"), ([], "no library")):
        with pytest.raises(InputError, match=message):
            get_example("image.blur()", "blurs it", libraries=libraries)
    with pytest.raises(InputError, match="two arguments of f have one name"):
        Library("a", "a", "import", (Function("f", "", ("x", "x")),))


NO_LIBRARIES = [
    ([IMAGE, IMAGE], r"\[1\]\.id: two libraries have the id image"),
    (5, "a list of libraries is needed"),
    ([5], r"\[0\]: a library with a list"),
    ("{", "not valid JSON"),
    (Path("/nowhere/x.json"), "there is no such file"),
]


@pytest.mark.parametrize(("data", "message"), NO_LIBRARIES)
def test_what_is_no_library(data: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load_libraries(data)


# -- signatures ------------------------------------------------------------------------

TARGETS = TABLES["targets"]


@pytest.mark.parametrize("signature", TARGETS)
def test_targets(signature: str) -> None:
    made = get_example(signature, "does it")
    assert f"{made.outer.head()} {made.target}" == TARGETS[signature]


TEXTS = ['it\'s "x"', "\\", "a\nb", '"""', "'''", "\u2028\u202e", "\ud800", "\x00", ")"]


@pytest.mark.parametrize("text", TEXTS)
def test_texts_survive_printing(text: str) -> None:
    made = get_example(f"melody.get_note_with_pitch({text!a})", "finds the note")
    again = read_signature(made.target.removeprefix("return "), shipped())
    assert again.arguments == made.call.arguments
    assert made.target.isprintable()
    assert len(made.test.split("\n")) == 8
    assert execute(made.target, made.test) == (True, None)


def test_classes_are_arguments_and_results_by_id_or_by_name() -> None:
    paper = Library("paper", "paper", "import", (Function("paste", "", ("picture", "corner")),))
    libraries = [paper, shipped()["image"]]
    made = get_example("paper.paste(picture=image)", "pastes it", libraries=libraries)
    assert made.outer.head() == "def func(image, corner):"
    assert 'x = func(corner="dummy_corner_1", image=image)' in made.test
    page = Library("page2", "page", "class", (Function("number"),))
    book = Library("book", "book", "class", (Function("open_at", "", ("at",), ("null", "page")),))
    made = get_example("book.open_at(at=3).number()", "tells it", libraries=[book, page])
    assert made.target == "return book.open_at(3).number()"
    assert [entry.key for entry in made.pool] == [("book", "open_at"), ("page2", "number")]
    over = Library("image", "image", "class", (Function("over", "", ("image", "by")),))
    with pytest.raises(InputError, match="two things are named image"):
        get_example("image.over()", "lays it over", libraries=[over])
    made = get_example("image.over(image=other)", "lays it over", libraries=[over])
    assert made.outer.head() == "def func(image, other, by):"


def test_ids_may_share_a_name_but_not_a_list() -> None:
    two = (Function("volume", "", ("radius", "height")), Function("area"))
    three = (Function("volume", "", ("length",)), Function("edge"))
    functions = {"two": two, "three": three}
    libraries = [Library(id, "solids", "import", each) for id, each in functions.items()]
    with pytest.raises(InputError, match=r"three\.volume and two\.volume are both printed solids"):
        get_example("two.volume(radius=three.volume())", "gets it", libraries=libraries)
    edge = {"signature": "two.volume(radius=three.edge())", "description": "gets it"}
    made = make({**edge, "num_distractors": {"two": 1}}, libraries)
    assert [".".join(each.key) for each in made.pool] == ["three.edge", "two.area", "two.volume"]
    assert made.prompt.count("import solids\n") == 1
    with pytest.raises(InputError, match="1 distractors are wanted from three, 0 exist"):
        # it would be printed as the other
        make({**edge, "num_distractors": {"three": 1}}, libraries)


# -- which functions are listed, and where -----------------------------------------------


def keys(arguments: dict[str, Any], **dials: Any) -> list[str]:
    return [".".join(function.key) for function in make({**arguments, **dials}).pool]


def test_distractors() -> None:
    pool = keys(CONE, num_distractors=9)
    assert len({*pool}) == 10
    assert pool == keys(CONE, n_distractors=9)
    drawn = {tuple(sorted(keys(CONE, num_distractors=4, random_seed=seed))) for seed in range(20)}
    assert len(drawn) > 10
    for seed in range(30):  # an example that is drawn as a distractor is listed once
        pool = keys(CONE, num_distractors=6, fewshot=[SHOT], random_seed=seed)
        assert len(pool) == len({*pool})
        assert "solids2.volume_of_cylinder" in pool


SHARED = [(5, 3, 3), ({"atom": 3, "molecule": 0}, 1, 4), ({"atom": 2}, 1, 3)]  # 2.5 each, so 2


@pytest.mark.parametrize(("wanted", "molecules", "atoms"), SHARED)
def test_distractors_are_shared_out_by_calls(wanted: Any, molecules: int, atoms: int) -> None:
    libraries = [key.split(".")[0] for key in keys(ATOM, num_distractors=wanted)]
    assert libraries == ["molecule"] * molecules + ["atom"] * atoms


PLACES = [(0, 0), (2, 2), (4, 4), (0.0, 0), (0.5, 2), (1.0, 4), (0.3, 1), (-1, 2)]


@pytest.mark.parametrize(("place", "wanted"), PLACES)
def test_where_a_single_function_stands(place: float, wanted: int) -> None:
    pool = keys(CONE, num_distractors=4, target_func_location=place)
    assert pool.index("solids2.volume_of_cone") == wanted
    assert sorted(pool) == sorted(keys(CONE, num_distractors=4))


def test_places_by_name() -> None:
    wanted = {"blur": 0.5, "image.rotate": 2}  # what has an index is placed first
    pool = keys(TURN, num_distractors=4, target_func_location=wanted)
    assert (pool.index("image.blur"), pool.index("image.rotate")) == (3, 2)


# -- noise and form ------------------------------------------------------------------------


@pytest.mark.slow
def test_a_thousand_swaps_leave_nothing_where_it_was() -> None:
    noise = {"func_noise": "swap", "desc_noise_type": "swap"}
    for seed in range(1000):
        made = make({**CONE, **noise, "num_distractors": seed % 9 + 1, "random_seed": seed})
        for each in made.pool:
            assert each.name != each.function.name
            assert each.definition != said(each.function.doc)
        assert len({function.name for function in made.pool}) == len(made.pool)


def test_arguments_by_number_are_named_so_in_answers() -> None:
    test = make({**CONE, "arg_noise_type": "number"}).test
    assert execute("return solids.volume_of_cone(arg1=height, arg0=radius)", test) == (True, None)
    why = "solids.volume_of_cone has no argument radius: it takes arg0, arg1"
    by_name = "return solids.volume_of_cone(radius=radius, height=height)"
    assert execute(by_name, test) == (False, why)


def test_the_form_of_a_prompt(snapshot: SnapshotAssertion) -> None:
    form = {"indent": "\t", "use_quotes": True, "joiner": "\n---\n", "section_joiner": "\n===\n"}
    words = {"intro": "Look:", "task_description_preamble": "Code that ", "begin_token": ""}
    shots = {"num_distractors": 1, "fewshot": [{**SHOT, "end_token": ""}]}
    made = make({**CONE, **form, **words, **shots})
    assert made.prompt == snapshot
    assert execute(f"v = {made.target.removeprefix('return ')}\n\treturn v", made.test)[0]
    library = Library("say", "say", "import", (Function("it", 'Says """hello""" or "no"', ()),))
    prompt = get_example("say.it()", "says it", libraries=[library], use_quotes=True).prompt
    (line,) = (line for line in prompt.split("\n") if "hello" in line)
    assert ast.literal_eval(line.strip()) == 'Says """hello""" or "no"'


PAIRS = TABLES["pairs"]


@pytest.mark.parametrize("dial", PAIRS)
def test_minimal_pairs(dial: str) -> None:
    first, second = minimal_pair({**CONE, "num_distractors": 4}, dial, PAIRS[dial])
    one, other = dict(first.dials), dict(second.dials)
    assert sum(one[name] != other[name] for name in one) == 1
    assert first.prompt != second.prompt
    known = [function.key for function in second.pool]
    kept = [function.key for function in first.pool]
    assert {*kept} <= {*known}  # whatever was drawn is drawn again
    assert kept == known or dial in ("num_distractors", "target_func_location", "fewshot")


def test_a_pair_must_differ() -> None:
    for dial, value in (("n_distractors", 0), ("indent", 4), ("desc_noise_type", "none")):
        with pytest.raises(InputError, match=f"the dial {dial} has this value already"):
            minimal_pair(CONE, dial, value)
    with pytest.raises(InputError, match="there is no dial 'nmber'"):
        minimal_pair(CONE, "nmber", 4)


SIGNATURES = [
    *TARGETS,
    "solids2.volume_of_cone()",
    "solids3.volume_of_prism(width=5, length=w)",
    "image.rotate(degrees=r).crop(width=3)",
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
    except InputError:  # nothing to swap with, or both printed alike
        return
    assert execute(made.target, made.test) == (True, None)
    assert made.prompt.endswith(f"{made.outer.head()}\n{made.dials.margin}")
    for call in made.call.calls():
        name = next(f.name for f in made.pool if f.key == call.key)
        assert f".{name}(" in made.target
        assert not execute(made.target.replace(f".{name}(", ".another("), made.test)[0]


# -- libraries -------------------------------------------------------------------------------


def test_a_library_in_json(tmp_path: Path) -> None:
    flip = Function("flip", "", (), ("image",))
    width = Function("get_width", "Returns the width.", (), ("int",))
    library = Library("image", "image", "class", (flip, width))
    (tmp_path / "libraries.json").write_text(json.dumps([IMAGE]), "utf-8")
    for data in (IMAGE, [IMAGE], json.dumps(IMAGE), tmp_path / "libraries.json", library.as_data()):
        assert load_libraries(data) == (library,)
    prompt = get_example("image.flip().get_width()", "flips it", libraries=[library]).prompt
    assert "def image.flip()\ndef image.get_width():\n    Returns the width.\n" in prompt


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_catalogs_are_not_stale(subject: str) -> None:
    maker = runpy.run_path(str(Path(__file__).parents[3] / "docs" / "make_catalogs.py"))
    is_same = maker["path"](subject).read_text("utf-8") == maker["text"](subject)
    assert is_same, "run `make catalogs`"
