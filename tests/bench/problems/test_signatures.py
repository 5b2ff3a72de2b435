"""What signatures say, and what is wrong with those that say nothing."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.bench.problems.refusals import refusal

from refract_asp.bench.problems import (
    Function,
    Library,
    Registry,
    get_example,
    read_signature,
    shipped,
)
from refract_asp.bench.problems.signatures import Argument, Open, Subject
from refract_asp.errors import InputError


def target(signature: str, func_name: str = "func", **dials: object) -> str:
    made = get_example(signature, "does it", func_name, **dials)
    return f"{made.outer.head()} {made.target}"


@pytest.mark.parametrize(
    ("signature", "wanted"),
    [
        ("solids.volume_of_cone(5, 4)", "def func(): return solids.volume_of_cone(5, 4)"),
        (
            "solids.volume_of_cone(radius=image.get_width(), height=molecule.get_mass())",
            "def func(image, molecule): return solids.volume_of_cone(image.get_width(), molecule.get_mass())",
        ),
        (
            "image.blur().distort().blur(pixels=3)",
            "def func(image, pixels1, pixels2): return image.blur(pixels1).distort(pixels2).blur(3)",
        ),
        (
            "solids.volume_of_cone(radius=5, height=radius)",
            "def func(radius): return solids.volume_of_cone(5, radius)",
        ),
        (
            "solids2.volume_of_cone(radius=solids2.volume_of_cone())",
            "def func(radius, height1, height2): "
            "return solids.volume_of_cone(solids.volume_of_cone(radius, height1), height2)",
        ),
        (
            "image.blur(-3).crop(width=True, height=None)",
            "def func(image): return image.blur(-3).crop(True, None)",
        ),
    ],
)
def test_targets(signature: str, wanted: str) -> None:
    assert target(signature) == wanted


@pytest.mark.parametrize(
    "text", ['it\'s "x"', "\\", "a\nb", '"""', "'''", "\u2028\u202e", "\ud800", "\x00", ")"]
)
def test_texts_survive_printing(text: str) -> None:
    made = get_example(f"melody.get_note_with_pitch({text!a})", "finds the note")
    assert made.outer.arguments == ("melody",)
    (call,) = made.call.calls()
    assert call.arguments == (Argument(text),)
    again = read_signature(made.target.removeprefix("return "), shipped())
    assert again.arguments == (Argument(text),)
    assert made.target.isprintable()
    assert len(made.test.split("\n")) == 8


def test_what_a_call_holds() -> None:
    call = read_signature("image.blur(pixels=p).distort(image.get_width())", shipped())
    inner = list(call.calls())
    assert [each.key[1] for each in inner] == ["blur", "get_width", "distort"]
    assert inner[0].subject == Subject(shipped()["image"])
    assert list(call.open()) == [Open("pixels", "p", 0)]
    assert len(list(call.subjects())) == 2


def test_an_object_of_a_class_may_be_an_argument() -> None:
    paste = Library("paper", "paper", "import", (Function("paste", "", ("picture", "corner"), ()),))
    made = get_example(
        "paper.paste(picture=image)", "pastes it", libraries=[paste, shipped()["image"]]
    )
    assert made.outer.head() == "def func(image, corner):"
    assert made.target == "return paper.paste(image, corner)"
    assert 'x = func(corner="dummy_corner_1", image=image)' in made.test


def test_the_type_of_a_result_names_the_next_library_by_id_or_name() -> None:
    page = Library("page2", "page", "class", (Function("number"),))
    book = Library("book", "book", "class", (Function("open_at", "", ("at",), ("null", "page")),))
    made = get_example("book.open_at(at=3).number()", "tells the number", libraries=[book, page])
    assert made.target == "return book.open_at(3).number()"
    assert [entry.key for entry in made.entries] == [("book", "open_at"), ("page2", "number")]


WRONG = [
    "",
    "image.blur(); image.blur()",
    "image.blur(",
    "blur()",
    "pictures.blur()",
    "image.blurr()",
    "image.blur.now()",
    "image.get_width().blur()",
    "molecule.get_atom_with_label('C').get_mass()",
    "image.blur(1, 2)",
    "image.blur(degrees=1)",
    "image.blur(1, pixels=2)",
    "image.blur(*[1])",
    "image.blur(1 + 1)",
    "image.blur(-True)",
    "image.blur(1e999)",
    "image.blur(b'x')",
    f"image.blur({'9' * 4200})",
    f"image.blur({'9' * 5000})",
    "image.blur(__import__)",
    "image" + ".blur()" * 51,
    "image.blur(" * 60 + ")" * 60,
    "(" * 5000,
    "image.blur()" + " " * 15_000 + "#",
    "image.blur('\x00')",
]


def test_signatures_that_say_nothing(snapshot: SnapshotAssertion) -> None:
    said = [f"{text[:60]!r}: {refusal(get_example, text, 'does it')}" for text in WRONG]
    assert "\n".join(said) == snapshot


MEETING = [
    "image.rotate(degrees=pixels).blur()",
    "image.rotate(degrees=n).blur(pixels=n)",
    "image.rotate(degrees=pixels1).blur().blur()",
    "solids.volume_of_cone(radius=solids)",
    "note.to_midi(note)",
]


def test_names_that_meet(snapshot: SnapshotAssertion) -> None:
    assert "\n".join(refusal(get_example, text, "does it") for text in MEETING) == snapshot


def test_an_argument_named_like_its_object() -> None:
    over = Library("image", "image", "class", (Function("over", "", ("image", "by"), ("image",)),))
    with pytest.raises(InputError, match=r"two things are named image outside: the object"):
        get_example("image.over()", "lays it over", libraries=[over])
    made = get_example("image.over(image=other)", "lays it over", libraries=[over])
    assert made.outer.head() == "def func(image, other, by):"


@pytest.mark.parametrize(
    ("func_name", "order", "wanted"),
    [
        ("turn(pixels, degrees, image)", None, "def turn(pixels, degrees, image):"),
        ("turn(pixels, degrees)", None, "def turn(image, pixels, degrees):"),
        ("turn", ("pixels", "degrees"), "def turn(image, pixels, degrees):"),
        ("turn", lambda names: names[::-1], "def turn(pixels, degrees, image):"),
    ],
)
def test_the_order_of_the_outer_arguments(func_name: str, order: object, wanted: str) -> None:
    made = get_example("image.rotate().blur()", "turns it", func_name, arg_order=order)
    assert made.outer.head() == wanted
    assert 'x = turn(degrees="dummy_degrees_0", pixels="dummy_pixels_1", image=image)' in made.test


ORDERS = [
    ("turn(image, pixels)", None),
    ("turn(image, pixels, pixels)", None),
    ("turn", []),
    ("turn", lambda names: 5),
    ("turn", "pixels"),
    ("turn(image, degrees, pixels)", ["image", "degrees", "pixels"]),
    ("turn it", None),
    ("__turn", None),
    ("turn(image=1)", None),
    ("turn(image: int)", None),
    ("turn() -> int", None),
    ("turn(): pass\ndef more()", None),
]


def test_orders_and_names_that_cannot_be(snapshot: SnapshotAssertion) -> None:
    signature = "image.rotate().blur()"
    said = [
        refusal(get_example, signature, "turns it", name, arg_order=order) for name, order in ORDERS
    ]
    assert "\n".join(said) == snapshot


def test_a_module_is_not_hidden() -> None:
    with pytest.raises(InputError, match="func_name: solids is the name of the module that"):
        get_example("solids.volume_of_cone()", "gets it", "solids")
    module = Library("pictures", "image", "import", (Function("open_at", "", ("at",), ("image",)),))
    with pytest.raises(InputError, match="signature: image is a module and an object at once"):
        get_example(
            "pictures.open_at(at=image)", "opens it", libraries=[module, shipped()["image"]]
        )


def test_libraries_must_be_known() -> None:
    with pytest.raises(InputError, match="there is no library"):
        Registry([])
    image = shipped()["image"]
    with pytest.raises(InputError, match="two libraries have the id image"):
        Registry([image, image])
