"""What is a plan and what is not, and where it stops being one."""

from __future__ import annotations

import threading

import pytest

from refract_asp.errors import InputError, PlanError
from refract_asp.plan import UNDEFINED, parse_expression, parse_plan
from refract_asp.plan.syntax import FieldOf, IndexOf, Invocation, ListOf, Literal, Name, ObjectOf

SEED = """\
return domainC({
  slot3: domainA({slot1: 'foo'}).field1,
  slot4: domainB({slot2: 'bar'})[0].field2,
});
"""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'it\\'s'", "it's"),
        ('"a\\n\\u0041\\x41\\u{1F600}"', "a\nAA\U0001f600"),
        ("'\\ud83d\\ude00'", "\U0001f600"),
        ("'\\d+'", "\\d+"),
        ("''", ""),
        ("12345678901234567890", 12345678901234567890),
        ("-1.5", -1.5),
        ("+456", 456),
        (".5", 0.5),
        ("1e3", 1000),
        ("0", 0),
        ("true", True),
        ("null", None),
        ("undefined", UNDEFINED),
    ],
)
def test_a_literal(text: str, value: object) -> None:
    assert parse_expression(text).require() == Literal(value)


def test_every_form_of_an_expression() -> None:
    text = "f({a: [1, x], 'b c': null}).d['e f'][0][g()].at('9:00am', -2)"
    made = Invocation(
        Name("f"), (ObjectOf((("a", ListOf((Literal(1), Name("x")))), ("b c", Literal(None)))),)
    )
    read = IndexOf(FieldOf(FieldOf(made, "d"), "e f"), Literal(0))
    read = IndexOf(read, Invocation(Name("g"), ()))
    assert parse_expression(text).require() == Invocation(
        FieldOf(read, "at"), (Literal("9:00am"), Literal(-2))
    )


def test_comments_stay_with_their_alias() -> None:
    text = "/* one */ a = f(/* two */ 1); // three\n// four\nb = 2;\nreturn a // five\n// six"
    plan = parse_plan(text).require()
    assert [alias.comments for alias in plan.aliases] == [
        ("/* one */", "/* two */", "// three"),
        ("// four",),
    ]
    assert plan.comments == ("// five", "// six")


def test_the_example_of_the_seed_has_one_comma_too_many() -> None:
    (diagnostic,) = parse_plan(SEED).diagnostics
    assert (diagnostic.code, diagnostic.place.line, diagnostic.place.column) == (
        "trailing_comma",
        3,
        43,
    )


@pytest.mark.parametrize(
    ("text", "code", "place", "met"),
    [
        ("return (x) => 1;", "excluded", (1, 8), "a function"),
        ("return function(){ };", "excluded", (1, 8), "a function"),
        ("return {f(){}};", "excluded", (1, 9), "a function"),
        ("class A {}\nreturn 1;", "excluded", (1, 1), "a class"),
        ("return new Date();", "excluded", (1, 8), "`new`"),
        ("return a + 1;", "excluded", (1, 8), "`+`"),
        ("return 1 -2;", "excluded", (1, 8), "`-`"),
        ("return - 2;", "excluded", (1, 8), "a sign stands apart"),
        ("return !a;", "excluded", (1, 8), "`!`"),
        ("return typeof a;", "excluded", (1, 8), "`typeof`"),
        ("return a ? 1 : 2;", "excluded", (1, 8), "`? :`"),
        ("return yield;", "excluded", (1, 8), "`yield`"),
        ("return f(await);", "await", (1, 10), "`await`"),
        ("return a?.b;", "excluded", (1, 8), "`?.`"),
        ("return a?.[0];", "excluded", (1, 8), "`?.`"),
        ("return a?.(1);", "excluded", (1, 8), "a call of this form"),
        ("return f(...a);", "excluded", (1, 10), "`...`"),
        ("return [1,,2];", "excluded", (1, 11), "before a comma"),
        ("return (1, 2);", "parentheses", (1, 8), "brackets around"),
        ("return /a/;", "excluded", (1, 8), "a regular expression"),
        ("return this;", "excluded", (1, 8), "`this`"),
        ("return import('os');", "excluded", (1, 8), "`import`"),
        ("return f`a`;", "excluded", (1, 8), "a call of this form"),
        ("return a.#b;", "excluded", (1, 8), "a private field"),
        ("return {[a]: 1};", "excluded", (1, 9), "a key is no name"),
        ("return {1: 2};", "excluded", (1, 9), "a key is no name"),
        ("return f()();", "excluded", (1, 8), "has no name"),
        ("a.b = 1; return a;", "excluded", (1, 1), "a field is bound"),
        ("[a] = f(); return a;", "excluded", (1, 1), "destructuring"),
        ("a += 1; return a;", "excluded", (1, 1), "an assignment"),
        ("return a = 1;", "excluded", (1, 8), "an assignment"),
        ("if (a) { }\nreturn 1;", "excluded", (1, 1), "`if`"),
        ("for (;;) {}\nreturn 1;", "excluded", (1, 1), "`for`"),
        ("while (1);\nreturn 1;", "excluded", (1, 1), "`while`"),
        ("throw a;\nreturn 1;", "excluded", (1, 1), "`throw`"),
        ("import 'fs';\nreturn 1;", "excluded", (1, 1), "`import`"),
        ("label: return 1;", "excluded", (1, 1), "a label"),
        ("#!/bin/sh\nreturn 1;", "excluded", (1, 1), "`#!`"),
        ("<!-- a\nreturn 1;", "excluded", (1, 1), "a comment of HTML"),
        ("return <a/>;", "excluded", (1, 8), "`<a/>`"),
        ("let = 1; return 2;", "excluded", (1, 1), "`let` cannot be bound"),
        ("return `a ${b}`;", "template", (1, 8), "a template"),
        ("return 0x10;", "number_form", (1, 8), "0x10"),
        ("return 007;", "number_form", (1, 8), "007"),
        ("return 1.;", "number_form", (1, 8), "1."),
        ("return 1_000;", "number_form", (1, 8), "1_000"),
        ("return 10n;", "number_form", (1, 8), "10n"),
        ("return 1e999;", "number_form", (1, 8), "too large"),
        ("return a[-1];", "bad_index", (1, 10), "-1"),
        ("return a[0.5];", "bad_index", (1, 10), "0.5"),
        ("return a[true];", "bad_index", (1, 10), "true"),
        ("a = 1;", "no_return", (1, 1), "returns nothing"),
        ("return;", "no_return", (1, 1), "nothing back"),
        ("", "no_return", (1, 1), "empty"),
        ("return 1; a = 2;", "after_return", (1, 11), "behind `return`"),
        ("f(1); return 1;", "bare_expression", (1, 1), "stands alone"),
        ("a = 1;\na = 2;\nreturn a;", "rebound_alias", (2, 1), "first on line 1"),
        ("return {a: 1, a: 2};", "duplicate_key", (1, 15), "twice"),
        ("return a.__proto__;", "reserved_name", (1, 10), "__proto__"),
        ("return a['__proto__'];", "reserved_name", (1, 10), "__proto__"),
        ("return a['\\x5f_proto__'];", "reserved_name", (1, 10), "__proto__"),
        ("return {'__class__': 1};", "reserved_name", (1, 9), "__class__"),
        ("return constructor;", "reserved_name", (1, 8), "constructor"),
        ("toString = 1; return 1;", "reserved_name", (1, 1), "toString"),
        ("return d\u043emain();", "foreign_name", (1, 8), "CYRILLIC SMALL LETTER O"),
        ("return {\u0435: 1};", "foreign_name", (1, 9), "CYRILLIC SMALL LETTER IE"),
        ("return a$b;", "foreign_name", (1, 8), "a$b"),
        ("return \\u0061b;", "foreign_name", (1, 8), "u0061b"),
        ("return '\\ud800';", "half_character", (1, 8), "half"),
        ("return '\ud800';", "half_character", (1, 9), "half"),
        ("return " + "[" * 10_000, "too_deep", (1, 1), "64"),
        ("return " + "f(" * 100 + ")" * 100, "too_deep", None, "64"),
        ("return a" + ".b" * 20_000, "too_deep", None, "64"),
        ("x" * 1_000_000, "too_long", (1, 1), "1,000,000"),
        ("return f(1));", "syntax_error", (1, 12), "`)`"),
        ("return 'a\nb';", "syntax_error", (2, 1), "`b`"),
    ],
)
def test_what_is_no_plan(text: str, code: str, place: tuple[int, int] | None, met: str) -> None:
    parsed = parse_plan(text)
    assert parsed.plan is None
    first = parsed.diagnostics[0]
    assert first.code == code, first
    assert place is None or (first.place.line, first.place.column) == place, first
    assert met in first.message
    assert len(str(first)) < 400


def test_every_mistake_is_told() -> None:
    text = "a = new X();\nb = y + 1;\na = {k: 0x1, l: 2, l: 3};\nreturn z => z;"
    assert [(each.code, each.place.line) for each in parse_plan(text).diagnostics] == [
        ("excluded", 1),
        ("excluded", 2),
        ("rebound_alias", 3),
        ("number_form", 3),
        ("duplicate_key", 3),
        ("excluded", 4),
    ]


def test_places_count_characters() -> None:
    (diagnostic,) = parse_plan("a = '\U0001f600é'; return a + 1;").diagnostics
    assert diagnostic.place.column == len("a = '\U0001f600é'; return ") + 1


def test_require_tells_every_place() -> None:
    with pytest.raises(
        PlanError, match=r"line 1, column 8: the operator `\+` cannot stand in a plan"
    ):
        parse_plan("return 1 + 1;").require()
    with pytest.raises(PlanError, match=r"plan\.js, line 1, column 5(.|\n)*line 1, column 21"):
        parse_plan("a = new X(); return !a;").require("plan.js")


@pytest.mark.parametrize("text", [None, 3, b"return 1;", ["return 1;"]])
def test_what_cannot_be_read_at_all_is_refused(text: object) -> None:
    with pytest.raises(InputError, match="a plan cannot be a value of type"):
        parse_plan(text)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="strict or relaxed"):
        parse_plan("return 1;", "loose")  # type: ignore[arg-type]


def test_threads_read_side_by_side() -> None:
    text = "a = f({x: 1}); return g({y: a.b});"
    read: list[str] = []

    def work() -> None:
        read.extend(str(parse_plan(text).plan) for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(read) == {"a = f({x: 1});\nreturn g({y: a.b});"}
    assert len(read) == 200


def test_relaxed_tells_what_could_not_be_mended() -> None:
    relaxed = parse_plan("return f({'a': 1, b: `${g()}`,});", "relaxed")
    assert [each.message for each in relaxed.diagnostics] == [
        "a template holds more than a reference."
    ]


def test_a_comment_that_does_not_end_is_told() -> None:
    parsed = parse_plan("a = '/*';\n/* why\nreturn a;")
    assert [str(each) for each in parsed.diagnostics] == [
        "line 2, column 1: the comment is not closed. Close it with `*/`."
    ]
