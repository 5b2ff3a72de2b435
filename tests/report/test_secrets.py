"""Secret values: in the repaired sequence, and in no text about it."""

import json
from functools import cache
from typing import Any

import pytest

from refract_asp import Goal, Refractor, RepairResult, check, repair
from refract_asp.errors import InputError
from refract_asp.evaluation.cost_models import compare
from refract_asp.model import Sequence
from refract_asp.model.secrets import is_secret
from refract_asp.report.costs import comparison_text
from renderers import RENDERERS

from .renderings import cases

SECRET = "hunter2 is mine"

DATA = cases("secrets")
TOOLS: dict[str, Any] = {"tools": DATA["tools"]}
CASES: dict[str, str] = DATA["calls"]


def asked(case: str, secret: str) -> str:
    """The sequence of a case, with a secret in it."""
    return CASES[case].replace("{}", json.dumps(secret)[1:-1])


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_no_text_tells_a_secret(case: str) -> None:
    for report in (check(asked(case, SECRET), TOOLS), _repaired(case)):
        telling = [name for name, render in RENDERERS.items() if SECRET in render(report)]
        assert telling == []


@cache
def _repaired(case: str) -> RepairResult:
    return repair(asked(case, SECRET), TOOLS, alternatives=3, next_best=True)


@pytest.mark.parametrize("case", CASES)
def test_results_keep_secrets_as_data(case: str) -> None:
    """Of a result from data texts hide by names: what only a schema marks is not known any more."""
    data = _repaired(case).model_dump(mode="json")
    assert SECRET in json.dumps(data["given"])
    again = RepairResult.model_validate(data)
    assert again.sequence == _repaired(case).sequence
    by_schema = ("of which the schema tells", "wrong type", "marked", "too short", "an object")
    if not any(each in case for each in by_schema):
        assert SECRET not in again.diff() + again.explain()


def test_what_is_repaired_is_whole() -> None:
    result = repair(f'Logn(user="u", password="{SECRET}", note="{SECRET}")', TOOLS)
    assert result.sequence.dump("nestful")[0]["arguments"]["password"] == SECRET
    assert result.diff().splitlines()[:2] == [
        '- Logn(user="u", password="(secret)", note="(secret)")',
        '+ Login(user="u", password="(secret)", note="(secret)")',
    ]


def test_a_secret_that_changes_is_seen_to_change() -> None:
    result = repair("Login(user=1, password=12345)", TOOLS)
    assert '+ Login(user="1", password="(another secret)")' in result.diff().splitlines()
    (told,) = (each for each in result.diagnostics() if each.parameter == "password")
    assert told.message == "password should be string, not (secret)"
    assert (told.fix, told.tip) == (None, "Give password what is expected: string")
    steps = [step for edit in result.edits if edit.kind == "transform" for step in edit.steps]
    assert [(step.before, step.after) for step in steps] == [("1", '"1"'), ("(secret)", "(secret)")]


def test_goals_tell_no_secrets() -> None:
    goal = Goal.tool("Login", {"user": "ann", "password": SECRET})
    report = check('Login(user="ann")', TOOLS, goals=[goal])
    (violation,) = report.violations
    assert violation.given == 'Login(user="ann", password="(secret)")'
    assert SECRET not in violation.message
    with pytest.raises(InputError, match=r"password=.{0,3}\(secret\)"):
        check("Login()", TOOLS, goals=[Goal.tool("Logn", {"password": SECRET})])


def test_statements_tell_no_secrets() -> None:
    result = repair('Logn(user="u", password="x1234")', TOOLS)
    contrast = result.why_not(f'call 1.password = "{SECRET}"')
    assert contrast.statement == "call 1.password = (secret)"
    assert SECRET not in contrast.reason
    for text in (f"call 1.password = {SECRET} \\", f'let password = "{SECRET}"'):
        with pytest.raises(InputError) as caught:
            result.why_not(text)
        assert SECRET not in str(caught.value)


def test_a_text_that_cannot_be_read_tells_no_secret() -> None:
    for text in (f'password: "{SECRET}" and what not', f"api_key = '{SECRET}'; x"):
        with pytest.raises(InputError) as caught:
            Sequence.load(text)
        assert "hunter2" not in str(caught.value)


def test_comparing_tells_no_secrets() -> None:
    wanted = f'Login(user="u", note="{SECRET}")'
    example = {"sequence": asked("misspelt name", SECRET), "expected": wanted}
    found = compare([example], TOOLS, "default", "prune", encodings=[])
    text = comparison_text(found)
    assert found.differences or "differ in none" in text
    assert SECRET not in text
    assert all(SECRET not in str(each.expected) for each in found.differences)


@pytest.mark.slow
def test_facts_hold_no_values() -> None:
    for case in CASES:
        for program in ("check", "repair"):
            assert "hunter2" not in Refractor(TOOLS).facts(asked(case, SECRET), program=program)  # type: ignore[arg-type]


def test_a_hook_takes_the_place_of_the_rule() -> None:
    calls = 'Logn(user="ann", password="x1234")'
    seen: list[str] = []

    def rule(name: str, schema: Any) -> bool:
        seen.append(name)
        return name == "user" and schema["type"] == "string"

    hidden = repair(calls.replace("Logn", "Login").replace('"ann"', '["ann"]'), TOOLS, secrets=rule)
    assert 'user="(another secret)", password="x1234"' in hidden.diff()
    assert "user" in seen
    shown = repair(calls, TOOLS, secrets=lambda *_: False)
    assert 'password="x1234"' in shown.diff()
    with pytest.raises(InputError, match="secrets cannot be str"):
        Refractor(TOOLS, secrets="password")  # type: ignore[arg-type]


def test_names_of_secrets() -> None:
    assert [name for name in DATA["secret"].split() if not is_secret(name, {})] == []
    assert [name for name in DATA["plain"].split() if is_secret(name, {})] == []


SAID = [
    ("note", {"format": "password"}, True),
    ("note", {"writeOnly": True}, True),
    ("note", {"writeOnly": "yes", "format": 5, "type": 7}, False),
    ("note", {"type": "boolean", "writeOnly": True}, True),
    ("pin", {"type": "boolean"}, False),  # what is true or false is no secret
    ("password", {"type": ["bool", "null"]}, False),
]


@pytest.mark.parametrize(("name", "schema", "secret"), SAID)
def test_what_a_schema_says(name: str, schema: dict[str, Any], secret: bool) -> None:
    assert is_secret(name, schema) == secret


@pytest.mark.slow
def test_the_command_line(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from refract_asp.cli.app import app

    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), "utf-8")
    (tmp_path / "calls.txt").write_text(asked("misspelt tool", SECRET), "utf-8")

    def run(*words: str) -> str:
        return CliRunner().invoke(app, [*words, "calls.txt", "--catalog", "tools.json"]).output

    assert SECRET in run("solve", "--emit", "calls")
    assert SECRET in run("solve", "--to", "nestful")
    for words in ("check", "check --format json", "solve --explain", "solve --emit diff"):
        text = run(*words.split())
        assert "(secret)" in text or words.startswith("check")
        assert SECRET not in text
    assert SECRET not in run("facts")
    words = ("solve", "--format", "json", "--explain", "--why-not")
    told = json.loads(run(*words, "drop call 1.password"))
    assert SECRET in json.dumps(told["sequence"])
    assert SECRET not in json.dumps([told[each] for each in ("diff", "explanation", "violations")])
