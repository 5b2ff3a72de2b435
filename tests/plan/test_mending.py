"""Which slips of models are mended, each told at its place, and which are not."""

from __future__ import annotations

import pytest

from refract_asp.plan import parse_plan


# ruff: noqa: E501 - a row is a slip
@pytest.mark.parametrize(
    ("text", "plan", "slips"),
    [
        ("return f({a: 1,},);", "return f({a: 1});", ["trailing_comma 1:15", "trailing_comma 1:17"]),
        ("return [1, 2, ];", "return [1, 2];", ["trailing_comma 1:13"]),
        ("return f({a: 1 b: 'x' c: [1 2]} {d: 3});", "return f({a: 1, b: 'x', c: [1, 2]}, {d: 3});",
         ["missing_comma 1:15", "missing_comma 1:22", "missing_comma 1:28", "missing_comma 1:32"]),
        ("return {a: f()\n  b: 2};", "return {a: f(), b: 2};", ["missing_comma 1:15"]),
        ("return f({'a': 1, \"b\": 2, 'c d': 3});", "return f({a: 1, b: 2, 'c d': 3});",
         ["quoted_key 1:11", "quoted_key 1:19"]),
        ("return f({a, b: 1});", "return f({a: a, b: 1});", ["shorthand 1:12"]),
        ("const a = 1; let b = 2; var c = 3; return [a, b, c];",
         "a = 1;\nb = 2;\nc = 3;\nreturn [a, b, c];", ["declaration 1:1", "declaration 1:14", "declaration 1:25"]),
        ("const a = await f(); return await g(await a);", "a = f();\nreturn g(a);",
         ["declaration 1:1", "await 1:11", "await 1:29", "await 1:37"]),
        ("a = f() b = 2 return a", "a = f();\nb = 2;\nreturn a;", ["missing_semicolon 1:8", "missing_semicolon 1:14"]),
        ("a = 1;; ; return a;;", "a = 1;\nreturn a;",
         ["extra_semicolon 1:7", "extra_semicolon 1:9", "extra_semicolon 1:20"]),
        ("return f(“it's”, ‘a \"b\"’);", "return f('it\\'s', 'a \"b\"');", ["smart_quotes 1:10", "smart_quotes 1:18"]),
        ("return {“a”: 1};", "return {a: 1};", ["quoted_key 1:9"]),
        ("return f(True, False, None);", "return f(true, false, null);",
         ["python_word 1:10", "python_word 1:16", "python_word 1:23"]),
        ("# first\nreturn f(1); # last", "// first\n// last\nreturn f(1);",
         ["python_comment 1:1", "python_comment 2:14"]),
        ("return (f((a)));", "return f(a);", ["parentheses 1:8", "parentheses 1:11"]),
        ("return(f(1));", "return f(1);", ["parentheses 1:7"]),
        ("return (\n  f(1)\n);", "return f(1);", ["parentheses 1:8"]),
        ("a = await (f());\nreturn a;", "a = f();\nreturn a;", ["await 1:5", "parentheses 1:11"]),
        ("book() is called first.\nreturn f(1);", "return f(1);", ["surroundings 1:1"]),
        ("return\n  f(1);", "return f(1);", ["return_alone 1:7"]),
        ("a = f();\nuse a;", "a = f();\nreturn a;", ["use 2:1"]),
        ("Here's what I'd do:\n\nreturn f(1);", "return f(1);", ["surroundings 1:1"]),
        ("return f(1);\n\nThis calls f, as it's best.", "return f(1);", ["surroundings 3:1"]),
        ("Sure!\n```javascript\nreturn f(1);\n```\nDone.", "return f(1);", ["surroundings 1:1", "surroundings 4:1"]),
        ("~~~\nreturn f(1)\n~~~", "return f(1);", ["surroundings 1:1", "surroundings 3:1"]),
        ("```js\nnpm install\n```\n```js\nreturn f(1);\n```", "return f(1);", ["surroundings 1:1", "surroundings 6:1"]),
        ("return `a`;", "return 'a';", ["template 1:8"]),
        ("return `${a.b[0]} to ${'x'} ${1}`;", "return `${a.b[0]} to x 1`;", ["template 1:8"]),
        ("return `a ${`b ${x}`}`;", "return `a b ${x}`;", ["template 1:8", "template 1:13"]),
        ("return f({a: g(1);", "return f({a: g(1)});", ["unclosed_bracket 1:18"]),
        ("return f({a: [1]", "return f({a: [1]});", ["unclosed_bracket 1:17"]),
        ("```\nreturn f({a: 1\n```", "return f({a: 1});",
         ["surroundings 1:1", "unclosed_bracket 2:15", "surroundings 3:1"]),
    ],
)  # fmt: skip
def test_a_slip_is_mended(text: str, plan: str, slips: list[str]) -> None:
    relaxed = parse_plan(text, "relaxed")
    assert str(relaxed.plan) == plan, relaxed.diagnostics
    assert [
        f"{each.code} {each.place.line}:{each.place.column}" for each in relaxed.repairs
    ] == slips
    assert relaxed.diagnostics == ()
    strict = parse_plan(text)
    assert strict.plan is None
    assert strict.repairs == ()
    assert len(strict.diagnostics) >= 1


@pytest.mark.parametrize(
    "text",
    [
        "return f({a: 1",  # a digit may be lost
        "return f({a: 'x'",  # a field may be lost
        "return f({a: 1,",
        "return f({a:",
        "return f(",
        "a = f({b: 1}",  # it returns nothing yet
        "a = f({b: 1;\nreturn a;",  # not at the end
        "return f(1]);",
        "return `${f(1)}`;",  # more than a reference
        "return `${a + 1}`;",
        "return [1,,2];",
        "return {a: 1 2};",
        "return 1; a = 2;",
        "a = 1; a = 2; return a;",
        "const {a} = f(); return a;",
        "return x => x,;",
        "return a b c;",
        "```\nreturn 1;\n```\n```\nreturn 2;\n```",  # which one is meant?
        "return f(1);\nb = 2;",  # no prose
        "Here is no plan.",
        "return “a;",
        "return {constructor};",
        "if (a) { }\nreturn 1;",  # code that would be lost
        "f(1);\nreturn 1;",
        "book({x: 1})\nreturn f(1);",
        "await book({x: 1})\nreturn f(1);",
        "if (ok)\n  return f(1);",
        "if ok:\n    return f(1)",
        "for (const x of xs)\n  a = f(x)\nreturn a",
        "const [a, b] = await Promise.all([f(), g()])\nreturn [a, b];",
        "const {a} = f()\nreturn g({a: a});",
        "a.b = f()\nreturn g({a: 1});",
        "import x from 'y'\nreturn f(1);",
        "def plan():\n    return f(1)",
        "return f(1);\nbook({x: 1})",
        "```js\na = f();\n```\nthen\n```js\nreturn g({x: a});\n```",
        "a = f();\n```js\nreturn 1;\n```",
        "```js\nreturn f(1);\n```\nbook({x: 1});",
        "return [{x: (a)b}];",  # no name `ab` comes of it
        "return 1;\nf({\n});",
        "return f({a: 'it's'});",
        "return {a b: 1};",
        "return f(1a);",
        "return {const};",
    ],
)
def test_what_is_not_mended(text: str) -> None:
    relaxed = parse_plan(text, "relaxed")
    assert relaxed.plan is None
    assert relaxed.repairs == ()
    assert relaxed.diagnostics


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = f();\n```js\nreturn 1;\n```", "line 1, column 1: code stands outside of the block"),
        ("return f({a: 'it's'});", "line 1, column 18: `s` is not expected here."),
        ("return f({a: 1", "line 1, column 10: `{` is not closed; the plan may be cut off."),
    ],
)
def test_why_it_is_not_mended_is_told(text: str, said: str) -> None:
    assert str(parse_plan(text, "relaxed").diagnostics[0]).startswith(said)


def test_what_stands_in_texts_and_comments_is_no_slip() -> None:
    text = "// don't, `a` “b” #c {'x': 1,}\na = 'const x = “y” # True';\nreturn f({a: \"await, None,]\"});"
    names = "use = 1;\nreturn f({True: use, let: a.None, const: a.await});"
    for each in (text, names):
        relaxed = parse_plan(each, "relaxed")
        assert relaxed.repairs == ()
        assert relaxed.plan == parse_plan(each).plan is not None


@pytest.mark.slow
@pytest.mark.parametrize("text", ["'" * 30_000, "{a:" * 20_000, "@#!" * 20_000, "a b " * 5_000, "“" * 60_000,
                                  "`${" * 20_000, "```\n" * 15_000, "/* " * 20_000, "‚" * 60_000, "“a” " * 12_000, "„a " * 20_000,
                                  "'\\" * 30_000, "return 1\n" * 5_000, "return \n" * 8_000])  # fmt: skip
def test_long_nonsense_is_refused(text: str) -> None:
    assert parse_plan(text, "relaxed").plan is None
