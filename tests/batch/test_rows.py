"""Reading what a batch wrote: whole lines, cut lines, other files, and times."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.batch.travel_rows import GOOD, NO_DATE, WRONG_FIELD, rows_of, write
from typer.testing import CliRunner

from declaring import called, tool
from refract_asp import repair
from refract_asp.cli.app import app
from refract_asp.errors import FormatError, LimitError
from refract_asp.evaluation import rows as reading
from refract_asp.evaluation.rows import read_rows, times_of


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return write(tmp_path / "out.jsonl", rows_of([GOOD, WRONG_FIELD, NO_DATE]))


def test_blank_lines_and_a_missing_last_line_break_do_no_harm(out: Path) -> None:
    lines = out.read_text("utf-8").splitlines()
    out.write_bytes(b"\n" + out.read_bytes().rstrip(b"\n"))
    assert [row.line() for row in read_rows(out)] == lines


@pytest.mark.parametrize("kept", [1, 400, -2])
def test_a_line_that_was_cut_says_how_to_go_on(out: Path, kept: int) -> None:
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:2]) + lines[2][:kept])
    found = read_rows(out)
    assert [next(found).number, next(found).number] == [0, 1]
    said = r"out\.jsonl:3: the last line ends in the middle.*--resume"
    with pytest.raises(FormatError, match=said):
        next(found)


NO_ROWS = [b'{"sequence": "Search(q=1)"}', b"not JSON at all", b"\xff\xfe{}", b"[" * 100_000]
NO_ROWS += [b'{"schema_version": 2, "number": 0, "place": "", "digest": "", "mode": "repair"}']


@pytest.mark.parametrize("line", NO_ROWS)
def test_what_is_no_row_is_named_by_file_and_line(out: Path, line: bytes) -> None:
    first = out.read_bytes().splitlines()[0]
    out.write_bytes(first + b"\n" + line + b"\n" + first + b"\n")
    said = r"out\.jsonl:2: this is not a batch result line: .*-o FILE"
    with pytest.raises(FormatError, match=said):
        list(read_rows(out))


def test_a_line_that_is_too_long_is_not_read(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_ROW_BYTES", 2_000)
    out.write_bytes(b'{"a": "' + b"x" * 3_000 + b'"}\n')
    with pytest.raises(LimitError, match=r"out\.jsonl:1: the line is longer than 2,000 bytes"):
        list(read_rows(out))


def test_times_are_found_by_number_and_what_is_none_is_left_out(out: Path) -> None:
    assert times_of(out) is None
    lines = '{"schema_version": 1, "run": {"mode": "repair"}}\n{"number": 2, "seconds": 0.5}\n'
    lines += '{"number": 0, "seconds": 1}\n{"number": 2, "seconds": 0.25}\n'
    wrong = ((-1, 1), (99999999999999, 1), (1, -1), (1, "NaN"), (1, "Infinity"), ("true", 1))
    for number, seconds in (*wrong, (1, '"fast"')):
        lines += f'{{"number": {number}, "seconds": {seconds}}}\n'
    for more in (b'{"number": 1}', b"[]", b"{", b"\xff", b'{"number": 1, "sec'):
        (out.parent / "out.times.jsonl").write_bytes(lines.encode() + more)
        assert times_of(out) == {0: 1.0, 2: 0.25}


TOLD = '{"user": "ann", "password": "hunter2"'
UNREADABLE: list[Any] = [
    [called("Login", TOLD)],
    [{"name": "Login", "arguments": TOLD}],
    f'So be it: <tool_call>{{"name": "Login", "arguments": {TOLD}}}</tool_call>',
    f"Action: Login\nAction Input: {TOLD}",
    {"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "Login", "input": TOLD}]},
]  # fmt: skip


# calls whose parameter has a name that alone does not show it to be secret
RENAMED = json.loads(json.dumps(UNREADABLE).replace("password", "word"))


TELLING = [
    ({}, UNREADABLE),
    ({"format": "password"}, [*RENAMED, 'Login("ann", f"hunter2{x}")']),
    ({"type": "object", "properties": {"pin": {}}}, RENAMED),
    ({"writeOnly": True}, [[{"name": "Login", "arguments": "hunter2"}]]),
]


@pytest.mark.parametrize(("schema", "given"), TELLING)
def test_what_could_not_be_read_tells_no_secret(tmp_path: Path, schema: Any, given: Any) -> None:
    secret = {"word": schema} if schema else {"password": {}}
    tools = {"tools": [tool("Login", user={}, **secret)]}
    (tmp_path / "tools.json").write_text(json.dumps(tools), "utf-8")
    lines = [json.dumps({"sequence": calls}) for calls in given]
    (tmp_path / "data.jsonl").write_text("\n".join(lines), "utf-8")
    words = f"batch {tmp_path}/data.jsonl --catalog {tmp_path}/tools.json -o {tmp_path}/out.jsonl"
    words += " --workers 1 --restart"
    for is_kept in (False, True):
        CliRunner().invoke(app, [*words.split(), *["--secrets"] * is_kept])
        for row, _ in zip(read_rows(tmp_path / "out.jsonl"), given, strict=True):
            assert (row.verdict, row.tools) == ("unrepairable", ("Login",))
            assert ("hunter2" in row.line()) == is_kept
    for calls in given:
        result = repair(calls, tools)
        shown = [result.prompt(kind) for kind in ("plain", "issues", "fix", "suggestions")]
        assert "hunter2" not in "".join([str(result), result.diff(), result.explain(), *shown])
