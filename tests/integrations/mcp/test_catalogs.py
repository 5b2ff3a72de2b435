"""Catalogs that servers give, where the command line or the caller names them."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from conversing import SERVER
from typer.testing import CliRunner, Result

from refract_asp import Catalog
from refract_asp.cli.app import app
from refract_asp.errors import InputError, RefractError
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
    names = {name.split("__")[1] for name in server_catalog("mcp:servers.json").by_name}
    assert names == {"one", "two"}
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


def test_nothing_read_starts_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_slip_in_the_name_of_a_tool_that_is_denied_runs_no_other() -> None:
    schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    same: dict[str, Any] = {"inputSchema": schema, "annotations": {"readOnlyHint": True}}
    tools = [{"name": name, **same} for name in ("get_user", "get_users", "send_mail")]
    for options in (GuardOptions(deny=["get_user"]), GuardOptions(allow=["get_users", "send_*"])):
        guard = Guard(tools, options)
        told = guard.judged({"name": "get_usr", "arguments": {"id": "7"}})
        assert (told.action, told.reason) == ("answer", "denied")
        assert "get_user may" not in told.text
        for name, wanted in (("get_userss", "get_users"), ("sendmail", "send_mail")):
            run = guard.judged({"name": name, "arguments": {"id": "7"}})
            assert (run.action, run.name) == ("repair", wanted)
