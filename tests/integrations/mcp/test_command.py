"""`refract-asp mcp-proxy` as a client starts it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conversing import SERVER
from typer.testing import CliRunner

from processes import finished, started
from refract_asp.cli.app import app
from waiting import PATIENCE, is_running, until

COMMAND = [sys.executable, "-S", str(SERVER)]


def line(id: int, method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}) + "\n"


def call(id: int, name: str, **arguments: Any) -> str:
    return line(id, "tools/call", name=name, arguments=arguments)


def test_a_conversation_that_batch_reads(tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    calls = call(1, "add", a=1, b=2), call(2, "add_", a="1", b=2), call(3, "add", a=1)
    secret = call(4, "login", user="me", password="hunter2", more=1)
    words = ("mcp-proxy", "--time-limit", str(PATIENCE), "--log", str(log))
    done = finished(*words, "--", *COMMAND, input="".join((*calls, secret)))
    assert done.returncode == 0, done.stderr
    answers = [json.loads(each) for each in done.stdout.splitlines()]
    texts = {each["id"]: each["result"]["content"][0]["text"] for each in answers}
    assert (texts[1], texts[2]) == ("3", "3")
    assert done.stderr.startswith(f"refract-asp: starting {sys.executable} -S")
    assert "refract-asp: repaired add_ (1): the tool becomes add" in done.stderr
    assert "hunter2" not in log.read_text("utf-8") + done.stderr
    rows = [json.loads(each) for each in log.read_text("utf-8").splitlines()]
    assert [row["meta"]["outcome"] for row in rows] == ["pass", "repair", "answer", "answer"]
    out = tmp_path / "out.jsonl"
    words = ["batch", str(log), "-o", str(out), "--workers", "1"]
    assert CliRunner().invoke(app, words).exit_code == 0
    judged = [json.loads(each) for each in out.read_text("utf-8").splitlines()]
    assert [each["verdict"] for each in judged[:3]] == ["valid", "repaired", "needs_input"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_log_that_cannot_be_written_stops_no_call(tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    log.symlink_to("/dev/full")
    calls = call(1, "add", a=1, b=2) + call(2, "add_", a="1", b=2)
    done = finished("mcp-proxy", "--quiet", "--log", str(log), "--", *COMMAND, input=calls)
    assert [json.loads(each)["id"] for each in done.stdout.splitlines()] == [1, 2]
    assert done.stderr.count("lacks calls") == 1


def test_what_tools_do_can_be_said_beside_the_server(tmp_path: Path) -> None:
    """As in `test_proxy.py` a client that cannot ask is told; not where the tool is said to only read."""
    effects = tmp_path / "effects.yaml"
    effects.write_text("delete_*: read\n", "utf-8")
    words, texts = ("mcp-proxy", "--quiet", "--time-limit", str(PATIENCE)), []
    for more in ((), ("--effects", str(effects))):
        given = call(1, "delete_order", orderid="O-1")
        done = finished(*words, *more, "--", *COMMAND, input=given)
        texts.append(json.loads(done.stdout)["result"]["content"][0]["text"])
    assert "If that is what you mean" in texts[0]
    assert '"order_id": "O-1"' in texts[1]
    assert "If that" not in texts[1]


def test_files_as_input_and_output(tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_text(line(0, "initialize") + call(1, "add", a="1", b=2), "utf-8")
    with source.open("rb") as given, target.open("wb") as answers:
        done = finished("mcp-proxy", "--quiet", "--", *COMMAND, stdin=given, stdout=answers)
    assert (done.returncode, done.stderr) == (0, "")
    assert [json.loads(each)["id"] for each in target.read_text("utf-8").splitlines()] == [0, 1]


def test_the_server_ends_with_the_proxy(tmp_path: Path) -> None:
    script = f"echo $$ > {tmp_path}/id; exec {' '.join(COMMAND)}"
    how: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with started("mcp-proxy", "--", "sh", "-c", script, **how) as process:
        assert process.stdout is not None
        process.stdin.write((line(0, "initialize") + call(1, "wait", seconds=600)).encode())
        process.stdin.flush()
        process.stdout.readline()
        server = int((tmp_path / "id").read_text("utf-8"))
        os.kill(process.pid, signal.SIGTERM)
        answer = json.loads(process.stdout.readline())
        assert (answer["id"], answer["error"]["code"]) == (1, -32000)
        assert process.wait(PATIENCE) == 130
    until(lambda: not is_running(server), "the end of the server")
