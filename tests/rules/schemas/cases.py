"""
Values for one parameter, and what becomes of them: (schema, given, then, *rules).

`then` is the value that the repaired call passes, and `rules` tell how it came about; or it is FITS (nothing
is touched), ASKED (no form is clear, so the user is asked) or UNRESOLVED (the schema cannot be judged).
"""

from __future__ import annotations

from enum import Enum
from typing import Any


class Then(Enum):
    """What becomes of a value that does not come into another form."""

    FITS = "untouched"
    ASKED = "asked"
    UNRESOLVED = "unresolved"


FITS, ASKED, UNRESOLVED = Then
Row = tuple[Any, ...]

INT = {"type": "integer"}
NUM = {"type": "number"}
BOOL = {"type": "boolean"}
TEXT = {"type": "string"}
NULL = {"type": "null"}
LIST = {"type": "array"}
OBJECT = {"type": "object"}


def lists(items: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


def record(
    required: tuple[str, ...] = (), closed: bool = False, **properties: Any
) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": list(required),
    }
    return {**schema, "additionalProperties": False} if closed else schema


def nested(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = {"next": value}
    return value


def each(then: Then, schema: Any, *values: Any) -> list[Row]:
    """Return rows for values of which the same becomes."""
    return [(schema, value, then) for value in values]


def become(schema: Any, rule: str, values: dict[Any, Any]) -> list[Row]:
    """Return rows for values that one rule brings into another form."""
    return [(schema, value, then, rule) for value, then in values.items()]


NODE = {
    "$defs": {"Node": record(v=INT, next={"$ref": "#/$defs/Node"})},
    "$ref": "#/$defs/Node",
}
TREE = {
    "$defs": {"Tree": {"anyOf": [INT, lists({"$ref": "#/$defs/Tree"})]}},
    "$ref": "#/$defs/Tree",
}
CABIN = {"type": "string", "enum": ["Economy", "Premium Economy", "Business"]}
POINT = record(("x", "y"), x=NUM, y=NUM)
LONG = "x" * 1_000_000
FLAG = "text_to_boolean"
N = "text_to_number"

ROWS: dict[str, list[Row]] = {
    "text to number": [
        *become(INT, N, {"42": 42, " 42 ": 42, "\n42\t": 42, "-7": -7, "+7": 7, "007": 7, "4.0": 4,
            "1e3": 1000, "9007199254740993": 9007199254740993}),
        *each(ASKED, INT, "١٢", "", " ", "4.5", "NaN", "0x10", "1_000", "1,000", "1 000", "5 km",
            "five", "²", "½", "--5", "1/2", "1+1", "1e400", "9" * 5000, "true", "\ud800", LONG),
        (INT, "9" * 30, int("9" * 30), N),
        *become(NUM, N, {"3.5": 3.5, "-.5": -0.5, "5.": 5, "1e-3": 0.001, "42": 42}),
        *each(ASKED, NUM, "NaN", "inf", "-Infinity", "1,5", "$5", "50%", "1e999"),
    ],
    "text to boolean": [
        *become(BOOL, FLAG, {"true": True, "false": False, "False": False, " FALSE ": False,
            "yes": True, "no": False, "on": True, "off": False, "1": True, "0": False}),
        *each(ASKED, BOOL, "y", "n", "t", "", "nope", "null", "enabled", "2", "not false"),
    ],
    "number to boolean": [
        (BOOL, 1, True, "number_to_boolean"),
        (BOOL, 0, False, "number_to_boolean"),
        *each(ASKED, BOOL, 2, -1, 0.5),
        (BOOL, True, FITS),
    ],
    "a boolean is no number": [
        (INT, True, ASKED),
        (NUM, False, ASKED),
        (lists(INT), [1, True], ASKED),
        ({"enum": [0, 1]}, True, ASKED),
        ({"const": 1}, True, ASKED),
    ],
    "text to null": [
        (NULL, "null", None, "text_to_null"),
        ({"type": ["integer", "null"]}, "None", None, "text_to_null"),
        ({"type": ["integer", "null"]}, "5", 5, N),
        ({"type": ["integer", "null"]}, "", ASKED),
        ({"type": ["integer", "null"]}, None, FITS),
        ({"type": ["string", "null"]}, "null", FITS),
        (TEXT, "null", FITS),
        *each(ASKED, INT, "null", None),
        (lists(INT), None, ASKED),
    ],
    "to text": [
        (TEXT, 42, "42", "to_text"),
        (TEXT, -0.5, "-0.5", "to_text"),
        (TEXT, 2.0, "2", "to_text"),
        (TEXT, True, "true", "to_text"),
        (TEXT, False, "false", "to_text"),
        (TEXT, 10**30, "1" + "0" * 30, "to_text"),
        *each(FITS, TEXT, "42", "", " 42 ", '{"a": 1}', "[1, 2]", "true", LONG),
        *each(ASKED, TEXT, {"name": "London"}, {"a": 1, "b": 2}, {}, [], ["a", "b"]),
    ],
    "whole numbers": [
        *each(FITS, INT, 3.0, 1e300, 10**40),
        (INT, 3.5, ASKED),
        (NUM, 3, FITS),
    ],
    "parse text": [
        *become(OBJECT, "parse_text", {'{"a": 1}': {"a": 1},
            ' {"a": [1, {"b": null}]} ': {"a": [1, {"b": None}]},
            "{'a': None, 'b': True}": {"a": None, "b": True}, '"{\\"a\\": 1}"': {"a": 1}, "{}": {}}),
        *become(LIST, "parse_text", {'["a"]': ["a"], "['a', 'it''s']": ["a", "its"],
            "(1, 2)": [1, 2]}),
        (lists(INT), "[1, 2]", [1, 2], "parse_text"),
        (lists(INT), '["1"]', [1], "parse_text", N),
        (lists(OBJECT), '{"a": 1}', [{"a": 1}], "parse_text", "scalar_to_list"),
        (LIST, '{"a": 1}', [{"a": 1}], "parse_text", "scalar_to_list"),
        (POINT, '{"x": "1", "y": 2}', {"x": 1, "y": 2}, "parse_text", N),
        *each(ASKED, OBJECT, '{"a": ', '{"a": 1} and more', '```json\n{"a": 1}\n```', '{"a": NaN}',
            '{"a": 1e999}', '{"a": "\\ud800"}', "[1]", "{1, 2}", "__import__('os')",
            "{'a': __import__('os')}", "London", "{" * 100_000),
        *each(ASKED, LIST, "[" * 100_000, "[" * 200 + "]" * 200, "[1, 2", "[urgent] buy milk"),
        *each(ASKED, lists(TEXT), '["a", "b', '{"a": "b"}'),
    ],
    "scalar to list": [
        *become(lists(TEXT), "scalar_to_list", {"a": ["a"], "New York": ["New York"]}),
        (lists(INT), 3, [3], "scalar_to_list"),
        (lists(INT), "3", [3], "scalar_to_list", N),
        (lists(BOOL), False, [False], "scalar_to_list"),
        (LIST, "x", ["x"], "scalar_to_list"),
        (LIST, {"a": 1, "b": 2}, [{"a": 1, "b": 2}], "scalar_to_list"),
        (lists(POINT), {"x": 1, "y": "2"}, [{"x": 1, "y": 2}], "scalar_to_list", N),
        (lists(TEXT), 5, ["5"], "scalar_to_list", "to_text"),
        (lists(TEXT), "Dear Sir, " + "x" * 200, ["Dear Sir, " + "x" * 200], "scalar_to_list"),
        (lists(CABIN), "business", ["Business"], "scalar_to_list", "enum"),
        *each(ASKED, lists(TEXT), "red, blue", "a;b", "a\nb", "", "null", None),
        *each(ASKED, lists(INT), "1,2", "a"),
        (lists(INT, minItems=2), 3, ASKED),
        (lists(TEXT), [], FITS),
    ],
    "unwrap": [
        (lists(TEXT), {"item": ["a"]}, ["a"], "unwrap"),
        (lists(TEXT), {"items": ["a", "b"]}, ["a", "b"], "unwrap"),
        (lists(TEXT), {"p": ["a"]}, ["a"], "unwrap"),
        (lists(TEXT), {"item": "a"}, ["a"], "scalar_to_list", "unwrap"),
        (INT, {"value": 5}, 5, "unwrap"),
        (INT, {"value": "5"}, 5, "unwrap", N),
        (INT, {"p": 5}, 5, "unwrap"),
        (TEXT, {"p": "London"}, "London", "unwrap"),
        (TEXT, {"text": "London"}, "London", "unwrap"),
        (POINT, {"p": {"x": 1, "y": 2}}, {"x": 1, "y": 2}, "unwrap"),
        (record(n=INT), {"n": {"n": 5}}, {"n": 5}, "unwrap"),
        (TEXT, ["a"], "a", "unwrap"),
        (INT, ["5"], 5, "unwrap", N),
        (INT, [[5]], 5, "unwrap", "unwrap"),
        (POINT, [{"x": 1, "y": 2}], {"x": 1, "y": 2}, "unwrap"),
        (TEXT, {"city": "London"}, ASKED),
        *each(ASKED, INT, {"min": 5}, [5, 6], []),
        *each(ASKED, lists(TEXT), {"red": ["a"]}, {"item": ["a"], "n": 1}),
        (OBJECT, {"item": [1]}, FITS),
    ],
    "enum": [
        *become(CABIN, "enum", {"economy": "Economy", "premium_economy": "Premium Economy",
            " PREMIUM-ECONOMY ": "Premium Economy", "PremiumEconomy": "Premium Economy",
            "Busines": "Business", "Econmoy": "Economy"}),
        ({"enum": [1, 2]}, "2", 2, N),
        ({"enum": [1, 2, None]}, "null", None, "text_to_null"),
        ({"enum": ["1", "2"]}, 2, "2", "to_text"),
        ({"enum": [True, False]}, "true", True, FLAG),
        ({"enum": ["true", "false"]}, True, "true", "to_text"),
        ({"enum": ["x"]}, ["x"], "x", "unwrap"),
        (CABIN, "Economy", FITS),
        *each(ASKED, CABIN, "First", "", "Prem", None),
        ({"enum": ["a b", "A-B"]}, "ab", ASKED),
        ({"enum": ["manager", "managed"]}, "manages", ASKED),
        ({"enum": ["low", "high"]}, "law", ASKED),
        ({"enum": ["USD", "CAD"]}, "CAN", ASKED),
        ({"enum": ["http"]}, "https", ASKED),
        ({"enum": ["active"]}, "inactive", ASKED),
        ({"enum": ["descending"]}, "ascending", ASKED),
        ({"enum": ["version 1"]}, "version 2", ASKED),
        ({"enum": [1, 2]}, 3, ASKED),
        ({"enum": ["1.0"]}, 1, ASKED),
        ({"enum": [[1, 2]]}, "[1, 2]", [1, 2], "parse_text"),
    ],
    "const": [
        ({"const": "metric"}, "Metric", "metric", "enum"),
        ({"const": 5}, "5", 5, N),
        ({"const": 5}, 5.0, FITS),
        ({"const": 5}, 7, ASKED),
        ({"const": None}, "null", None, "text_to_null"),
    ],
    "drop null": [
        (record(n=INT), {"n": None}, {}, "drop_null"),
        (record(("n",), n=INT, m=TEXT), {"n": 1, "m": None}, {"n": 1}, "drop_null"),
        (record(closed=True, n=INT), {"n": 1, "x": None}, {"n": 1}, "drop_null"),
        (record(n={"type": ["integer", "null"]}), {"n": None}, FITS),
        (record(("n",), n=INT), {"n": None}, ASKED),
        (lists(INT), [1, None], ASKED),
    ],
    "rename key": [
        (record(("path",), path=TEXT), {"filePath": "a"}, {"path": "a"}, "rename_key"),
        (record(("path",), path=TEXT), {"file_path": "a"}, {"path": "a"}, "rename_key"),
        (record(("path",), path=TEXT), {"file": "a"}, {"path": "a"}, "rename_key"),
        (record(("path",), path=TEXT), {"PATH": 5}, {"path": "5"}, "rename_key", "to_text"),
        (record(closed=True, path=TEXT), {"filePath": "a"}, {"path": "a"}, "rename_key"),
        (record(path=TEXT), {"filePath": "a"}, FITS),
        (record(("path",), path=TEXT), {"path": "b", "filePath": "a"}, FITS),
        (record(("path",), path=TEXT), {"a": "a", "b": "b"}, ASKED),
        (record(("x", "y"), x=NUM, y=NUM), {"a": 1, "b": 2}, ASKED),
    ],
    "drop key": [
        (record(closed=True, path=TEXT), {"path": "b", "file_path": "a"}, {"path": "b"}, "drop_key"),
        (record(closed=True, n=INT), {"n": 3, "x": 4}, ASKED),
    ],
    "default": [
        (record(("n",), n={"type": "integer", "default": 4}), {}, {"n": 4}, "default"),
        (record(("kind",), kind={"const": "a"}), {}, {"kind": "a"}, "default"),
        (record(("kind",), kind={"enum": ["a"]}), {}, {"kind": "a"}, "default"),
        (record(("n",), n=INT), {}, ASKED),
        (record(("n",), n={"type": "integer", "default": "a"}), {}, ASKED),
        (record(n={"type": "integer", "default": 4}), {}, FITS),
    ],
    "type lists and unions": [
        ({"type": ["string", "integer"]}, "1", FITS),
        ({"type": ["integer", "string"]}, "1", FITS),
        ({"type": ["integer", "boolean"]}, "1", 1, N),
        ({"type": ["boolean", "integer"]}, "1", True, FLAG),
        ({"type": ["boolean", "integer"]}, "7", 7, N),
        ({"anyOf": [INT, BOOL]}, "1", 1, N),
        ({"anyOf": [BOOL, INT]}, "1", True, FLAG),
        ({"anyOf": [INT, BOOL]}, "true", True, FLAG),
        ({"oneOf": [INT, lists(INT)]}, "[1]", [1], "parse_text"),
        ({"oneOf": [INT, lists(INT)]}, "1", 1, N),
        ({"anyOf": [INT, NULL]}, "none", None, "text_to_null"),
        ({"anyOf": [record(("a",), a=INT), record(("b",), b=INT)]}, {"b": "1"}, {"b": 1}, N),
        ({"anyOf": [{"enum": ["auto"]}, INT]}, "AUTO", "auto", "enum"),
        ({"anyOf": [{"enum": ["auto"]}, INT]}, "3", 3, N),
        ({"anyOf": [{"anyOf": [INT, NULL]}, BOOL]}, "off", False, FLAG),
        ({"anyOf": [{"const": "a b"}, {"const": "A-B"}]}, "ab", ASKED),
        ({"enum": ["1", 2]}, "2", 2, N),
        ({"anyOf": [INT, {"type": "string", "pattern": "^[a-z]+$"}]}, "42", 42, N),
        ({"oneOf": [{"minimum": 0}, {"maximum": 9}]}, 5, ASKED),
        ({"anyOf": [INT, BOOL]}, "x", ASKED),
        ({"allOf": [INT, {"minimum": 5}]}, "7", 7, N),
        ({"allOf": [INT, {"minimum": 5}]}, "3", ASKED),
        ({"allOf": [record(a=INT), record(b=INT)]}, {"a": "1", "b": "2"}, {"a": 1, "b": 2}, N, N),
        ({"allOf": [INT, TEXT]}, "1", ASKED),
        ({"not": TEXT}, "a", ASKED),
        ({"not": {"const": 3}, "type": "integer"}, "3", ASKED),
        ({"type": "object", "if": record(("a",)), "then": record(("b",))}, {"a": 1}, ASKED),
    ],
    "nested": [
        (lists(INT), ["1", "2"], [1, 2], N, N),
        (lists(INT), ["1", "x"], ASKED),
        (lists(lists(INT)), [["1"], 2], [[1], [2]], N, "scalar_to_list"),
        (record(a=record(b=record(c=INT))), {"a": {"b": {"c": "1"}}}, {"a": {"b": {"c": 1}}}, N),
        (record(a=lists(INT)), {"a": "[1]"}, {"a": [1]}, "parse_text"),
        (record(a=POINT), {"a": '{"x": 1, "y": 2}'}, {"a": {"x": 1, "y": 2}}, "parse_text"),
        ({"type": "object", "additionalProperties": INT}, {"a": "1"}, {"a": 1}, N),
        ({"type": "object", "additionalProperties": INT}, {"a": "b"}, ASKED),
        ({"type": "object", "patternProperties": {"^n": INT}}, {"n1": 1, "x": "1"}, FITS),
        ({"type": "array", "prefixItems": [INT, TEXT]}, ["1", 2], [1, "2"], N, "to_text"),
        ({"type": "array", "prefixItems": [INT], "items": BOOL}, ["1", "no"], [1, False], N, FLAG),
        (POINT, {"x": 1}, ASKED),
        (NODE, nested({"v": "1"}, 15), nested({"v": 1}, 15), N),
        (TREE, [["1"], 2], [[1], 2], N),
        (TREE, [[["x"]]], ASKED),
        ({"$defs": {"Id": INT}, "$ref": "#/$defs/Id"}, "5", 5, N),
        ({"definitions": {"Id": INT}, "items": {"$ref": "#/definitions/Id"}, "type": "array"}, ["5"], [5], N),
    ],
    "other keywords": [
        ({"type": "integer", "minimum": 5}, "7", 7, N),
        ({"type": "integer", "minimum": 5}, "3", ASKED),
        ({"type": "integer", "maximum": 5}, 9, ASKED),
        ({"type": "integer", "exclusiveMinimum": 5}, "5", ASKED),
        ({"type": "integer", "multipleOf": 5}, "10", 10, N),
        ({"type": "integer", "multipleOf": 5}, "12", ASKED),
        *each(FITS, {"type": "number", "multipleOf": 0.01}, 19.99, -0.07),
        ({"type": "number", "multipleOf": 0.01}, "4.35", 4.35, N),
        ({"type": "number", "multipleOf": 0.01}, 19.999, ASKED),
        ({"type": "number", "multipleOf": 0.1}, 0.3, FITS),
        ({"type": "number", "multipleOf": 0.1}, 0.35, ASKED),
        ({"type": "number", "multipleOf": 1e-9}, 3e-9, FITS),
        ({"type": "number", "multipleOf": 1e-9}, 2.5e-9, ASKED),
        ({"type": "number", "multipleOf": 1e-300}, 1e308, FITS),
        ({"type": "number", "multipleOf": 0.25}, 10**3000, FITS),
        ({"type": "number", "multipleOf": 1e308}, 1e-308, ASKED),
        ({"type": "string", "minLength": 3}, 12, ASKED),
        ({"type": "string", "minLength": 2}, 12, "12", "to_text"),
        ({"type": "string", "maxLength": 3}, "London", ASKED),
        ({"type": "string", "pattern": "^[0-9]+$"}, 12, "12", "to_text"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "ABC", ASKED),
        ({"type": "string", "format": "date"}, "tomorrow", FITS),
        (lists(INT, uniqueItems=True), ["1", "1"], ASKED),
        (lists(INT, uniqueItems=True), ["1", "2"], [1, 2], N, N),
        (lists(INT, maxItems=1), ["1", "2"], ASKED),
        (lists({}, contains=INT), ["a"], ASKED),
        ({"type": "object", "minProperties": 1}, "{}", ASKED),
        ({"type": "object", "propertyNames": {"maxLength": 1}}, {"ab": 1}, ASKED),
        ({"type": "object", "dependentRequired": {"a": ["b"]}}, {"a": 1}, ASKED),
        ({"type": "object", "properties": {"a": {}}, "unevaluatedProperties": False}, {"b": 2}, ASKED),
        ({}, {"anything": [None]}, FITS),
        ({"description": "no type at all"}, "x", FITS),
    ],
    "words of other languages": [
        ({"type": "int"}, "5", 5, N),
        ({"type": "float"}, "3.5", 3.5, N),
        ({"type": "str"}, 3, "3", "to_text"),
        ({"type": "bool"}, "False", False, FLAG),
        ({"type": "dict", "properties": {"n": {"type": "int"}}}, {"n": "3"}, {"n": 3}, N),
        ({"type": "list"}, "x", ["x"], "scalar_to_list"),
        ({"type": "tuple"}, "(1, 2)", [1, 2], "parse_text"),
        ({"type": "List[int]"}, "[1]", [1], "parse_text"),
        ({"type": "any"}, "x", FITS),
        ({"type": "Date"}, 5, FITS),
        ({"type": ["int", "none"]}, "5", 5, N),
    ],
    "older drafts": [
        ({"type": "integer", "nullable": True}, None, FITS),
        ({"type": "integer", "nullable": True}, "null", None, "text_to_null"),
        ({"enum": ["a", "b"], "type": "string", "nullable": True}, None, FITS),
        ({"type": "integer", "minimum": 5, "exclusiveMinimum": True}, 5, ASKED),
        ({"type": "integer", "minimum": 5, "exclusiveMinimum": False}, 5, FITS),
        ({"type": "array", "items": [INT, TEXT]}, ["1", 2], [1, "2"], N, "to_text"),
        ({"type": "array", "items": [INT], "additionalItems": False}, [1, 2], ASKED),
        ({"type": "object", "dependencies": {"a": ["b"]}}, {"a": 1}, ASKED),
        ({"type": "object", "dependencies": {"a": ["b"]}}, {"a": 1, "b": 2}, FITS),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"}, "5", 5, N),
    ],
    "large": [
        (lists(INT), [str(n) for n in range(10_000)], list(range(10_000)), *[N] * 100),
        (record(closed=True, **{f"k{n}": INT for n in range(999)}), {f"x{n}": n for n in range(9999)}, ASKED),
        (NODE, nested({"v": 1}, 60), FITS),
        (INT, nested(5, 60), ASKED),
        (OBJECT, '{"a": "' + LONG + '"}', {"a": LONG}, "parse_text"),
    ],
}  # fmt: skip
