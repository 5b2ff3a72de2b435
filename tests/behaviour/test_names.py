"""Tools that lost or gained a namespace are found; a tie and a far-off name are told, not guessed."""

from __future__ import annotations

import pytest

from refract_asp import RepairResult, repair
from refract_asp.resources import catalog_path

GITHUB = [
    "mcp_github_list_issues",
    "mcp_github_get_me",
    "mcp_github_search",
    "mcp_github_create_issue",
]


def repaired(name: str, tools: list[str]) -> RepairResult:
    parameters = {"x": {"type": "number", "required": True}}
    catalog = {
        "tools": [{"name": tool, "effect": "read", "parameters": parameters} for tool in tools]
    }
    return repair([{"name": name, "arguments": {"x": 1}}], catalog)


@pytest.mark.parametrize(
    ("written", "tools", "meant"),
    [
        ("math.sqrt", ["sqrt", "pow"], "sqrt"),
        ("sqrt", ["math.sqrt", "math.pow"], "math.sqrt"),
        ("list_issues", GITHUB, "mcp_github_list_issues"),
        ("list_isues", GITHUB, "mcp_github_list_issues"),
        ("mcp_github_list_issues", ["list_issues", "get_me"], "list_issues"),
        ("functions.get_weather", ["get_weather", "get_me"], "get_weather"),
        ("solve\\_x", ["solve_x", "get_me"], "solve_x"),
        ("get-weather", ["getWeather", "send_mail"], "getWeather"),
        ("readPodd", ["readPod", "createPod", "replacePod", "listPod"], "readPod"),
    ],
)
def test_a_name_is_bridged(written: str, tools: list[str], meant: str) -> None:
    result = repaired(written, tools)
    assert (result.verdict, result.sequence.calls[0].name) == ("repaired", meant)


def test_a_tie_is_not_guessed() -> None:
    result = repaired("sqrt", ["math.sqrt", "numpy.sqrt"])
    assert (result.verdict, result.sequence.calls[0].name) == ("unrepairable", "sqrt")
    assert set(result.suggestions[0]) == {"math.sqrt", "numpy.sqrt"}


def test_a_namespace_before_one_of_two_spellings_leaves_that_one() -> None:
    twins = ["SearchRestaurants", "Search_Restaurants"]
    for tool in twins:
        assert repaired(f"api.{tool}", twins).sequence.calls[0].name == tool


def test_a_second_spelling_of_what_is_passed_means_nothing_else() -> None:
    parameters = {"file_path": {"type": "string", "required": True}, "encoding": {"type": "string"}}
    catalog = {"tools": [{"name": "read", "effect": "read", "parameters": parameters}]}
    result = repair('read(file_path="a.txt", filePath="a.txt")', catalog)
    assert (result.verdict, str(result.sequence)) == ("repaired", 'read(file_path="a.txt")')


def test_a_far_off_name_is_refused_with_suggestions() -> None:
    result = repaired("book_flight", ["get_weather", "send_mail", "read_file", "list_users"])
    assert (result.verdict, result.sequence.calls[0].name) == ("unrepairable", "book_flight")
    assert len(result.suggestions[0]) == 3


@pytest.mark.parametrize(
    ("written", "meant"),
    [("msg", "messages"), ("usr", "messages[0].user"), ("tex", "messages[0].text")],
)
def test_a_field_with_letters_left_out_is_that_field(written: str, meant: str) -> None:
    """`msg` reads `messages`, as nothing else begins with its first letter and holds all its letters."""
    fetch = 'chat = SLACK_FETCH_CONVERSATION_HISTORY(channel="C1")'
    result = repair(
        f'{fetch}\nLLM_GENERATE(prompt="Sum up: $chat.{written}$")', catalog_path("slack")
    )
    assert result.verdict == "repaired"
    assert str(result.sequence) == f'{fetch}\nLLM_GENERATE(prompt="Sum up: $chat.result.{meant}$")'
