"""Python call text: read as a syntax tree, never run."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples

from refract_asp import Catalog, Refractor, Sequence
from refract_asp.errors import FormatError, LimitError
from refract_asp.formats import bind_positions
from refract_asp.model import Call, Constant, Reference, Source, Structure, Template


def read(text: str) -> tuple[Call, ...]:
    sequence = Sequence.load(text, "python")
    assert sequence.dump() == text
    return sequence.calls


def one(text: str) -> Call:
    (call,) = read(text)
    return call


def said(text: str) -> list[tuple[str | None, str, dict[str, Source]]]:
    return [(call.label, call.name, call.arguments) for call in read(text)]


def const(value: Any) -> Constant:
    return Constant(value=value)


@pytest.mark.parametrize(
    "text",
    [
        "f(1)",
        "f('x')",
        "x = f(True)",
        "f(a='x')",
        "a.b().c()",
        "f(g(x=1))",
        "[f(a=1), g(b=2)]",
        "[f(a='x')]",
        "# why\nf('x')",
        "f('x')\ng(-1)\n",
        "import solids\nreturn_value = solids.volume_of_cone(5, 2)",
        "f(\n    'x',\n    b=[1],\n)",
        "f(k={'a': (1, 2)})",
        "await f('x')",
        "await_it = await f('x')",
    ],
)
def test_it_is_detected_and_printed_as_it_stood(text: str) -> None:
    sequence = Sequence.load(text)
    assert sequence.format == "python"
    assert sequence.dump() == text
    assert copy.deepcopy(sequence).dump() == text


@pytest.mark.parametrize(
    "text", ["f(a=1)", 'x = f(a="x")', "f()", 'x = f(a="$v.x$"); y = g()', "f(a=x)"]
)
def test_what_the_printed_form_reads_stays_its_own(text: str) -> None:
    assert Sequence.load(text).format == "pretty"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-1.5e3", -1500.0),
        ("+2", 2),
        ("'x'", "x"),
        ('"a" "b"', "ab"),
        ("True", True),
        ("true", True),
        ("None", None),
        ("null", None),
        ("false", False),
        ("[1, (2, {3})]", [1, [2, [3]]]),
        ("()", []),
        ("{'a': {'b': None}}", {"a": {"b": None}}),
        ("r'\\d'", "\\d"),
        ("'\\d'", "\\d"),
        ("'é'", "é"),
        ("'''a\nb'''", "a\nb"),
        ("(1)", 1),
        ("'$100'", "$100"),
    ],
)
def test_values_are_literals(text: str, value: Any) -> None:
    assert repr(one(f"f(a={text})").arguments) == repr({"a": const(value)})


def test_positions_are_names_until_a_catalog_is_known() -> None:
    assert one("f('x', 2, c=3)").arguments == {"*1": const("x"), "*2": const(2), "c": const(3)}
    assert one("f(**{'a b': 1}, c=2)").arguments == {"a b": const(1), "c": const(2)}


def test_labels_fields_and_variables() -> None:
    calls = said("r = f(1)\ng(r, r.id, r['a b'][0].c, who, user.name, ['$r.x$', r.y])")
    assert calls[1] == (
        None,
        "g",
        {
            "*1": Reference(label="r", bare=True),
            "*2": Reference(label="r", path=("id",)),
            "*3": Reference(label="r", path=("a b", 0, "c")),
            "*4": Reference(label="who", bare=True),
            "*5": Reference(label="user", path=("name",)),
            "*6": Structure(
                value=[Reference(label="r", path=("x",)), Reference(label="r", path=("y",))]
            ),
        },
    )
    assert one("f('to $r.x$')").arguments["*1"] == Template(
        parts=("to ", Reference(label="r", path=("x",)))
    )


def test_a_call_inside_a_call_is_a_step_of_its_own() -> None:
    assert said("var1 = f(g(x=1).id, k=[h()])") == [
        ("var2", "g", {"x": const(1)}),
        ("var3", "h", {}),
        (
            "var1",
            "f",
            {
                "*1": Reference(label="var2", path=("id",)),
                "k": Structure(value=[Reference(label="var3")]),
            },
        ),
    ]


def test_each_link_of_a_chain_is_a_call_on_what_came_before() -> None:
    assert said("image.rotate(45).blur(pixels=2).size()") == [
        ("var1", "image.rotate", {"*1": const(45)}),
        ("var2", "blur", {"*1": Reference(label="var1"), "pixels": const(2)}),
        (None, "size", {"*1": Reference(label="var2")}),
    ]
    assert said("i = open_image('a')\ni.rotate(45)")[1] == (
        None,
        "rotate",
        {"*1": Reference(label="i"), "*2": const(45)},
    )
    assert said("a.b(1).c.d()")[1][1:] == ("d", {"*1": Reference(label="var1", path=("c",))})


def test_a_name_bound_to_a_value_stands_for_it() -> None:
    assert one("city = 'Paris'\nf(city)").arguments == {"*1": const("Paris")}
    assert read("r = f(1)\nx = r.id\ng(x, x.y)")[1].arguments == {
        "*1": Reference(label="r", path=("id",)),
        "*2": Reference(label="r", path=("id", "y")),
    }


def test_a_label_may_be_used_again() -> None:
    assert [c.label for c in read("x = f(1)\nx = g(x)\nh(x)")] == ["x", "x", None]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("f(1, 'a'", "<text>:1:2", "never closed"),
        ("f(1)\ng(2 3)", "<text>:2:3", "not valid Python"),
        ("f(1)\nif x:\n  g()", "<text>:2:1", "only calls and their labels"),
        ("def f(): pass", "<text>:1:1", "only calls"),
        ("x == f(1)", "<text>:1:1", "a call is expected"),
        ("a, b = f(1)", "<text>:1:1", "only calls"),
        ("x = 1 + f(1)", "<text>:1:1", "this is no value"),
        ("f(1)(2)", "<text>:1:1", "no call of a tool"),
        ("(lambda: 1)()", "<text>:1:1", "no call of a tool"),
        ("'é'; f(1)\n'é' + f(2)", "<text>:1:1", "a call is expected"),
        ("f('\x00')", "<text>", "not valid Python"),
    ],
)
def test_what_does_not_call_is_an_error_with_line_and_column(
    text: str, place: str, message: str
) -> None:
    with pytest.raises(FormatError, match=message) as raised:
        Sequence.load(text, "python")
    assert raised.value.where.startswith(place)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("f'{x}'", "an f-string is not read"),
        ("1 + 2", "this is no value .BinOp."),
        ("[x for x in y]", "no value"),
        ("lambda: 1", "no value"),
        ("x if y else z", "no value"),
        ("*a", r"a `\*` is not read"),
        ("**a", r"`\*\*` of anything"),
        ("{**a}", "is not read here"),
        ("{1: 2}", "the key 1 is not a text"),
        ("{'a': 1, 'a': 2}", "the key 'a' is given twice"),
        ("b'x'", "type bytes"),
        ("2j", "type complex"),
        ("...", "type ellipsis"),
        ("1e999", "inf is not a JSON value"),
        ("'\\ud800'", "half a character"),
        ("a=1, a=2", "'a' is given twice"),
        ("x[1:2]", "a field or an index"),
        ("x[y]", "a field or an index"),
        ("'a'.b", "no value"),
        ("[" * 70 + "]" * 70, "deeper than 64"),
    ],
)
def test_a_bad_argument_spoils_its_call_alone(argument: str, message: str) -> None:
    text = f"x = f(1)\ny = g({argument})\nh(b=x)"
    first, broken, last = Sequence.load(text, "python").calls
    assert broken.malformed is not None
    assert broken.malformed.startswith("<text>:2:")
    assert broken.malformed.isprintable()
    assert re.search(message, broken.malformed)
    assert (first.malformed, last.malformed, broken.name, broken.label) == (None, None, "g", "y")
    assert broken.arguments == {}
    assert Sequence.load(text, "python").dump() == text


def test_nothing_is_run(tmp_path: Any) -> None:
    path = tmp_path / "made"
    Sequence.load(f"open({str(path)!r}, 'w')\n__import__('os').system('touch {path}')", "python")
    assert not path.exists()


@pytest.mark.parametrize(
    "text",
    [
        "f(" * 1000 + ")" * 1000,
        "f(1" + "+1" * 50_000 + ")",
        "f(" + "-" * 100_000 + "1)",
        "f(x" + ".a" * 100_000 + ")",
        "(" * 100_000,
        "f('" + "x" * 2_000_000 + "')",
        "f(" + "not " * 50_000 + "x)",
        "f(a=" + "9" * 5000 + ")",
        "f(" + '"\\' * 400_000,
        "f(" + '\\"""\n' * 180_000,
    ],
)
def test_hostile_texts_are_read_or_refused(text: str) -> None:
    """Of each so much that reading it would not end, were a part of it looked at again and again."""
    try:
        message = "" if len(Sequence.load(text, "python").calls) == 1 else "\n"
    except (FormatError, LimitError) as error:
        message = str(error)
    assert message.isprintable()


CATALOG = Catalog.load(
    {
        "tools": [
            {
                "name": "open_image",
                "effect": "read",
                "parameters": {"file": {"type": "string", "required": True}},
                "returns": {"schema": {"type": "string"}},
            },
            {
                "name": "rotate",
                "effect": "read",
                "parameters": {
                    "image": {"type": "string", "required": True},
                    "degrees": {"type": "number", "required": True},
                },
                "returns": {"schema": {"type": "string"}},
            },
        ]
    }
)


def test_positions_get_the_names_that_the_tool_declares() -> None:
    tool = CATALOG.by_name["rotate"]
    call = one("rotate('x', 45)")
    assert bind_positions(call, tool).arguments == {"image": const("x"), "degrees": const(45)}
    assert bind_positions(call, None) is call
    for text in ("rotate('x', 45, 2)", "rotate('x', image='y')", "rotate(degrees=1)"):
        call = one(text)
        assert bind_positions(call, tool) is call
    assert bind_positions(one("rotate('x', degrees=45)"), tool).arguments == {
        "image": const("x"),
        "degrees": const(45),
    }


def test_valid_calls_by_position_come_back_untouched() -> None:
    refractor = Refractor(CATALOG)
    text = "open_image('a.png').rotate(45)  # twice\nopen_image('b.png')"
    result = refractor.repair(text)
    assert result.verdict == "valid"
    assert result.sequence.dump() == text


def test_only_a_statement_that_changed_is_printed_anew() -> None:
    result = Refractor(CATALOG).repair(
        "x = open_image('a.png')\nrotat(x, 45)\nopen_image( 'b.png' )"
    )
    assert result.verdict == "repaired"
    assert (
        result.sequence.dump()
        == "x = open_image('a.png')\nrotate(image=x, degrees=45)\nopen_image( 'b.png' )"
    )
    too_many = Refractor(CATALOG).check("rotate('a', 1, 2)")
    assert any("*3" in str(violation.parameter) for violation in too_many.violations)


def test_other_formats_are_printed_as_python() -> None:
    sequence = Sequence.load('x = f(a="$y.z$", b=[true, {"c": "$x.d e$"}], c=who)\ng(a="$x$")')
    text = sequence.dump("python")
    assert text == "x = f(a=y.z, b=[True, {'c': x['d e']}], c=who)\ng(a='$x$')"
    assert Sequence.load(text, "python").calls == sequence.calls


@pytest.mark.parametrize(
    "lines",
    [
        ["a-b = f()"],
        ["Real-Time_Search(a=1)"],
        ['"a b"()'],
        ["class = f()"],
        ["ask(x)", "f(a=x)"],
        ['f(! "why")'],
        ["confirm(f)", "f()"],
        ["x = f()", "x.g(a=1)"],
    ],
)
def test_what_python_cannot_say_is_not_printed(lines: list[str]) -> None:
    with pytest.raises(FormatError):
        Sequence.load(lines, "pretty").dump("python")


_NAMES = st.sampled_from(["x", "y1", "city", "größe", "var1"])
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=5,
)
_STEPS = st.lists(
    st.sampled_from(["id", "a b", "", "class", "é"]) | st.integers(0, 9), max_size=2
).map(tuple)
_SOURCES = _VALUES.map(const) | st.builds(
    lambda n, p: Reference(label=n, path=p, bare=not p), _NAMES, _STEPS
)


@settings(max_examples=examples(150))
@given(
    st.lists(
        st.builds(
            lambda name, arguments, label: Call(name=name, arguments=arguments, label=label),
            st.sampled_from(["f", "weather.get", "é"]),
            st.dictionaries(_NAMES | st.sampled_from(["a b", "class"]), _SOURCES, max_size=3),
            st.none() | _NAMES,
        ),
        max_size=4,
    )
)
def test_every_call_reads_back(calls: list[Call]) -> None:
    named = [call for call in calls if not any(call.name.startswith(f"{c.label}.") for c in calls)]
    try:
        text = Sequence(calls=tuple(named)).dump("python")
    except FormatError:
        assert any({"a b", "class"} & call.arguments.keys() for call in named)
        return
    again = Sequence.load(text, "python")
    assert repr(again.calls) == repr(tuple(named))
    assert again.dump() == text
