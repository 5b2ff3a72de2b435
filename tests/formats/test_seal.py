"""The catalog of Seal-Tools."""

from __future__ import annotations

from refract_asp.formats import load_catalog


def test_a_tool() -> None:
    (tool,) = load_catalog(
        [
            {
                "api_name": "find",
                "api_description": "Finds.",
                "field": "Search",
                "parameters": {
                    "a": {"type": "str"},
                    "b": {"type": "int", "description": "How many."},
                },
                "required": ["a"],
                "responses": {"rate": {"type": "float"}, "words": {"type": "list"}},
            }
        ]
    )
    assert (tool.name, tool.description, tool.effect) == ("find", "Finds.", "unknown")
    assert [(p.name, p.required, p.json_schema) for p in tool.parameters.values()] == [
        ("a", True, {"type": "str"}),
        ("b", False, {"type": "int", "description": "How many."}),
    ]
    assert [(field.path, field.type) for field in tool.output_fields] == [
        (("rate",), "number"),
        (("words",), "array"),
    ]


def test_without_responses_nothing_is_known_of_the_output() -> None:
    assert load_catalog({"api_name": "find"}).tools[0].output_schema is None
