"""Catalogs that servers give, where the command line or the caller names them."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from conversing import SERVER
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.depth import examples
from typer.testing import CliRunner, Result

from refract_asp import Catalog
from refract_asp.cli.app import app
from refract_asp.errors import InputError, RefractError
from refract_asp.integrations import Hook
from refract_asp.integrations.mcp import Guard, GuardOptions, server_catalog
from yaml_files import tables

TABLES = tables(__file__)

COMMAND = [sys.executable, "-S", str(SERVER)]


def invoked(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), prog_name="refract-asp")


@pytest.mark.parametrize("how", [[], ["paged"], ["modern"]])
def test_a_command(how: list[str]) -> None:
    told: list[str] = []
    catalog = server_catalog(f"mcp:{shlex.join([*COMMAND, *how])}", say=told.append)
    assert len(catalog) == 11
    assert catalog.by_name["add"].effect == "read"
    assert told == [f"starting {shlex.join([*COMMAND, *how])}"]


@pytest.mark.parametrize(("source", "why"), TABLES["what is wrong is told"])
def test_what_is_wrong_is_told(source: str, why: str) -> None:
    timeout = 0.3 if "hang" in source else 30.0
    with pytest.raises(InputError, match=why):
        server_catalog(f"mcp:{source.replace('SERVER', shlex.join(COMMAND))}", timeout=timeout)


def test_a_configuration_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOW", "paged")
    monkeypatch.chdir(tmp_path)
    servers: dict[str, Any] = {
        "one": {"command": COMMAND[0], "args": [*COMMAND[1:], "${HOW}", "${NONE:-x}"]},
        "two": {"command": COMMAND[0], "args": COMMAND[1:], "env": {"A": "b"}},
        "off": {"command": "/no/such/program", "disabled": True},
    }
    file = Path("servers.json")
    file.write_text(json.dumps({"mcpServers": servers}), "utf-8")
    assert {name.split("__")[1] for name in server_catalog("mcp:servers.json").by_name} == {
        "one",
        "two",
    }
    assert len(server_catalog("servers.json#two")) == 11
    with pytest.raises(InputError, match=r"no such server\. There are: one, two"):
        server_catalog("servers.json#three")
    for said, why in (
        ({"mcpServers": {"x": {}}}, "neither a command nor a URL"),
        ({"tools": []}, "configures no MCP servers"),
        ({"mcpServers": {"x": {"command": "${NO_SUCH_VARIABLE}"}}}, "NO_SUCH_VARIABLE is not set"),
    ):
        file.write_text(json.dumps(said), "utf-8")
        with pytest.raises(InputError, match=why):
            server_catalog("servers.json")


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("calls.json").write_text('[{"name": "add", "arguments": {"a": "1", "b": 2}}]', "utf-8")
    source = f"mcp:{shlex.join(COMMAND)}"
    found = invoked("solve", "calls.json", "--catalog", source, "--emit", "calls")
    assert json.loads(found.stdout)[0]["arguments"] == {"a": 1, "b": 2}
    assert found.stderr == f"mcp: starting {shlex.join(COMMAND)}\n"
    assert invoked("catalog", "check", source).stdout == "ok: 11 tools\n"


def test_nothing_that_is_read_starts_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = "mcp:touch started"
    with pytest.raises(RefractError):
        Catalog.load(source)
    servers = {"mcpServers": {"x": {"command": "touch", "args": ["started"]}}}
    rows: list[Any] = [
        {"sequence": "f()", "catalog": source},
        {"sequence": "f()", "catalog": servers},
        {"messages": [{"role": "user", "content": "x"}], "tools": source},
        {**servers, "sequence": "f()"},
    ]
    Path("rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    for words in (["--from", "auto"], []):
        invoked("batch", "rows.jsonl", "--workers", "1", *words)
    Path("servers.json").write_text(json.dumps(servers), "utf-8")
    assert invoked("catalog", "show", "servers.json").exit_code == 2
    assert not Path("started").exists()


# -- what a guard finds right without asking the rules, the rules find right, too ------


TEXT = st.text(st.characters(codec="utf-8"), max_size=8) | st.sampled_from(TABLES["text"])
VALUES = (
    TEXT
    | st.integers(-3, 12)
    | st.booleans()
    | st.none()
    | st.floats(-2, 2)
    | st.lists(TEXT, max_size=2)
)
PROPERTIES = TABLES["properties"]
INPUT = {"type": "object", "properties": PROPERTIES, "required": ["q"]}
TOOLS: list[dict[str, Any]] = [
    {"name": "find", "inputSchema": INPUT},
    {"name": "pick", "inputSchema": {**INPUT, "minProperties": 2, "additionalProperties": True}},
]
GUARD, HOOK = Guard(TOOLS), Hook({"tools": TOOLS}, references=False, max_new_calls=0)


@settings(max_examples=examples(300))
@given(
    st.sampled_from(["find", "pick"]),
    st.dictionaries(st.sampled_from([*PROPERTIES, "other"]), VALUES, max_size=4),
)
def test_it_agrees_with_the_rules(name: str, arguments: dict[str, Any]) -> None:
    params = {"name": name, "arguments": arguments}
    before = GUARD.is_like_a_right_one(params)
    verdict = GUARD.judged(params)
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    outcome = HOOK(request).outcome
    assert (verdict.action == "pass") == (outcome == "pass"), json.dumps(arguments)
    assert outcome == "pass" or not before


def test_a_kind_of_call_is_judged_once() -> None:
    guard = Guard(TOOLS)
    first, like = ({"name": "find", "arguments": {"q": text}} for text in ("a", "b"))
    other = {"name": "find", "arguments": {"q": "find(q='a')"}}
    assert not guard.is_like_a_right_one(first)
    assert guard.judged(first).action == "pass"
    assert guard.is_like_a_right_one(like)
    assert guard.is_like_a_right_one({"name": "find", "arguments": {"q": "f(x)"}})
    assert not guard.is_like_a_right_one(other)
    assert not guard.is_like_a_right_one({"name": "find", "arguments": {"q": "too long"}})


def test_a_slip_in_the_name_of_a_tool_that_is_denied_runs_no_other() -> None:
    names = ("get_user", "get_users", "send_mail")
    schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    tools = [
        {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": True}}
        for name in names
    ]
    for options in (GuardOptions(deny=["get_user"]), GuardOptions(allow=["get_users", "send_*"])):
        guard = Guard(tools, options)
        told = guard.judged({"name": "get_usr", "arguments": {"id": "7"}})
        assert (told.action, told.reason) == ("answer", "denied")
        assert "get_user may" not in told.text
        run = guard.judged({"name": "get_userss", "arguments": {"id": "7"}})
        assert (run.action, run.name) == ("repair", "get_users")
        run = guard.judged({"name": "sendmail", "arguments": {"id": "7"}})
        assert (run.action, run.name) == ("repair", "send_mail")
