"""What signatures say, and what is wrong with those that say nothing."""

from __future__ import annotations

import pytest

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
        (
            "solids.volume_of_cone()",
            "def func(radius, height): return solids.volume_of_cone(radius, height)",
        ),
        (
            "solids2.volume_of_cone(height=4)",
            "def func(radius): return solids.volume_of_cone(radius, 4)",
        ),
        (
            "solids.volume_of_cone(height=4, radius=5)",
            "def func(): return solids.volume_of_cone(5, 4)",
        ),
        ("solids.volume_of_cone(5, 4)", "def func(): return solids.volume_of_cone(5, 4)"),
        (
            "image.rotate(45).blur()",
            "def func(image, pixels): return image.rotate(45).blur(pixels)",
        ),
        (
            "image.rotate(degrees=arg1).blur(pixels=arg2)",
            "def func(image, arg1, arg2): return image.rotate(arg1).blur(arg2)",
        ),
        (
            "image.blur(pixels=image.get_width())",
            "def func(image): return image.blur(image.get_width())",
        ),
        (
            "image.rotate_right(5).rotate_left(5).rotate_right(image.get_width())",
            "def func(image): return image.rotate_right(5).rotate_left(5).rotate_right(image.get_width())",
        ),
        (
            "molecule.get_atom_with_atomic_num(55).get_atomic_weight()",
            "def func(molecule): return molecule.get_atom_with_atomic_num(55).get_atomic_weight()",
        ),
        (
            'melody.get_note_with_pitch("A").to_midi()',
            "def func(melody): return melody.get_note_with_pitch('A').to_midi()",
        ),
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


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("", "one call is needed"),
        ("image", "one call is needed"),
        ("image.blur(); image.blur()", "one call is needed"),
        ("x = image.blur()", "one call is needed"),
        ("image.blur(", "not valid Python"),
        ("blur()", "called as library.function"),
        ("pictures.blur()", r"there is no library 'pictures'. Known: molecule, atom, image"),
        ("image.blurr()", r"image has no function blurr. It has rotate, rotate_left"),
        ("image.blur.now()", "called on a library or on what a call returns"),
        ("image.blur()()", "called as library.function"),
        ("image.get_width().blur()", "image.get_width returns int, which is no class"),
        ("molecule.get_atom_with_label('C').get_mass()", "atom has no function get_mass"),
        ("image.blur(1, 2)", r"image.blur gets 2 values by position, it takes 1. It takes pixels."),
        ("image.get_width(1)", r"takes 0. It takes nothing."),
        ("image.blur(degrees=1)", r"image.blur has no argument degrees. It takes pixels."),
        ("image.blur(1, pixels=2)", "gets pixels twice"),
        ("image.blur(pixels=1, pixels=2)", "gets pixels twice"),
        ("image.blur(*[1])", r"\* and \*\* have no meaning"),
        ("image.blur(**{'pixels': 1})", r"\* and \*\* have no meaning"),
        ("image.blur(1 + 1)", "pixels is neither a value, a name nor a call"),
        ("image.blur([1])", "pixels is neither"),
        ("image.blur(lambda: 1)", "pixels is neither"),
        ("image.blur(f'{1}')", "pixels is neither"),
        ("image.blur(--1)", "pixels is neither"),
        ("image.blur(-True)", "pixels is neither"),
        ("image.blur(1e999)", "a number without an end"),
        ("image.blur(b'x')", "type bytes cannot be fixed"),
        ("image.blur(1j)", "type complex cannot be fixed"),
        ("image.blur(...)", "type ellipsis cannot be fixed"),
        (f"image.blur({'9' * 4200})", "the number is too large"),
        (f"image.blur({'9' * 5000})", "not valid Python"),
        ("image.blur(__import__)", "cannot be the name of an argument"),
        ("image" + ".blur()" * 51, "more than 50 calls stand in each other"),
        ("image.blur(" * 60 + ")" * 60, "more than 50"),
        ("(" * 5000, "nested"),
        ("image.blur()" + " " * 15_000 + "#", "longer than 10,000 characters"),
        ("image.blur('\x00')", "not valid Python"),
    ],
)
def test_signatures_that_say_nothing(signature: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        get_example(signature, "does it")


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        (
            "image.rotate(degrees=pixels).blur()",
            "two things are named pixels outside: the argument degrees",
        ),
        ("image.rotate(degrees=n).blur(pixels=n)", "two things are named n outside"),
        ("image.rotate(degrees=pixels1).blur().blur()", "two things are named pixels1"),
        ("solids.volume_of_cone(radius=solids)", "two things are named solids outside: the module"),
        ("note.to_midi(note)", "it takes 0"),
    ],
)
def test_names_that_meet(signature: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        get_example(signature, "does it")


def test_an_argument_named_like_its_object() -> None:
    over = Library("image", "image", "class", (Function("over", "", ("image", "by"), ("image",)),))
    with pytest.raises(InputError, match=r"two things are named image outside: the object"):
        get_example("image.over()", "lays it over", libraries=[over])
    made = get_example("image.over(image=other)", "lays it over", libraries=[over])
    assert made.outer.head() == "def func(image, other, by):"


@pytest.mark.parametrize(
    ("func_name", "order", "wanted"),
    [
        ("turn", None, "def turn(image, degrees, pixels):"),
        ("turn(image, pixels, degrees)", None, "def turn(image, pixels, degrees):"),
        ("turn(pixels, degrees, image)", None, "def turn(pixels, degrees, image):"),
        ("turn(pixels, degrees)", None, "def turn(image, pixels, degrees):"),
        ("turn", ["pixels", "image", "degrees"], "def turn(pixels, image, degrees):"),
        ("turn", ("pixels", "degrees"), "def turn(image, pixels, degrees):"),
        ("turn", sorted, "def turn(degrees, image, pixels):"),
        ("turn", lambda names: names[::-1], "def turn(pixels, degrees, image):"),
    ],
)
def test_the_order_of_the_outer_arguments(func_name: str, order: object, wanted: str) -> None:
    made = get_example("image.rotate().blur()", "turns it", func_name, arg_order=order)
    assert made.outer.head() == wanted
    assert 'x = turn(degrees="dummy_degrees_0", pixels="dummy_pixels_1", image=image)' in made.test


def test_an_order_may_name_what_is_renamed_by_either_name() -> None:
    signature = "image.rotate(degrees=arg1).blur(pixels=arg2)"
    assert target(signature, "turn(image, degrees, pixels)").startswith(
        "def turn(image, arg1, arg2):"
    )
    assert target(signature, "turn(arg2, image, degrees)").startswith(
        "def turn(arg2, image, arg1):"
    )


@pytest.mark.parametrize(
    ("func_name", "order", "message"),
    [
        (
            "turn(image, pixels)",
            None,
            r"is image, pixels. It needs each of these once: image, degrees, pixels",
        ),
        ("turn(image, pixels, degrees, sharp)", None, "It needs each of these once"),
        ("turn(image, pixels, pixels)", None, "It needs each of these once"),
        ("turn", [], "the order of the arguments is empty"),
        ("turn", ["pixels"], "It needs each of these once"),
        ("turn", lambda names: 5, "arg_order: a list of names is needed"),
        ("turn", lambda names: None, "arg_order: a list of names is needed"),
        ("turn", [1, 2], "arg_order: a list of names is needed"),
        ("turn", "pixels", "arg_order: a list of names"),
        (
            "turn(image, degrees, pixels)",
            ["image", "degrees", "pixels"],
            "said twice, by func_name and by",
        ),
        ("turn it", None, "cannot be the name of a function"),
        ("def", None, "cannot be the name of a function"),
        ("__turn", None, "cannot be the name of a function"),
        ("turn(image=1)", None, "cannot be the name of a function"),
        ("turn(*image)", None, "cannot be the name of a function"),
        ("turn(image: int)", None, "cannot be the name of a function"),
        ("turn() -> int", None, "cannot be the name of a function"),
        ("turn(): pass\ndef more()", None, "cannot be the name of a function"),
        ("turn(): pass #", None, "cannot be the name of a function"),
        ("", None, "cannot be the name of a function"),
    ],
)
def test_orders_and_names_that_cannot_be(func_name: str, order: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        get_example("image.rotate().blur()", "turns it", func_name, arg_order=order)


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
