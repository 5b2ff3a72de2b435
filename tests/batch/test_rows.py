"""Reading what a batch wrote: whole lines, cut lines, other files, and times."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.batch.travel_rows import GOOD, NO_DATE, WRONG_FIELD, rows_of, write

from refract_asp.errors import FormatError, LimitError
from refract_asp.evaluation import rows as reading
from refract_asp.evaluation.rows import read_rows, times_of


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return write(tmp_path / "out.jsonl", rows_of([GOOD, WRONG_FIELD, NO_DATE]))


def test_blank_lines_and_a_missing_last_line_break_do_no_harm(out: Path) -> None:
    out.write_bytes(b"\n" + out.read_bytes().rstrip(b"\n"))
    assert [row.number for row in read_rows(out)] == [0, 1, 2]


@pytest.mark.parametrize("kept", [1, 30, 400, -2])
def test_a_line_that_was_cut_says_how_to_go_on(out: Path, kept: int) -> None:
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:2]) + lines[2][:kept])
    found = read_rows(out)
    assert [next(found).number, next(found).number] == [0, 1]
    with pytest.raises(
        FormatError, match=r"out\.jsonl:3: the last line ends in the middle.*--resume"
    ):
        next(found)


@pytest.mark.parametrize(
    "line",
    [
        b'{"sequence": "Search(q=1)"}',
        b"not JSON at all",
        b"\xff\xfe{}",
        b"[1, 2]",
        b"[" * 100_000,
        b'{"schema_version": 2, "number": 0, "place": "", "digest": "", "mode": "repair"}',
    ],
)
def test_what_is_no_row_is_named_by_file_and_line(out: Path, line: bytes) -> None:
    first = out.read_bytes().splitlines()[0]
    out.write_bytes(first + b"\n" + line + b"\n" + first + b"\n")
    with pytest.raises(FormatError, match=r"out\.jsonl:2: this is no line of a batch: .*-o FILE"):
        list(read_rows(out))


def test_a_line_that_is_too_long_is_not_read(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_ROW_BYTES", 2_000)
    out.write_bytes(b'{"a": "' + b"x" * 3_000 + b'"}\n')
    with pytest.raises(LimitError, match=r"out\.jsonl:1: the line is longer than 2,000 bytes"):
        list(read_rows(out))


def test_times_are_found_by_number(out: Path) -> None:
    (out.parent / "out.times.jsonl").write_bytes(
        b'{"schema_version": 1, "run": {"mode": "repair"}}\n'
        b'{"number": 2, "seconds": 0.5}\n{"number": 0, "seconds": 1}\n{"number": 2, "seconds": 0.25}\n'
    )
    times = times_of(out)
    assert times is not None
    assert dict(times) == {0: 1.0, 2: 0.25}
    assert (len(times), times.get(1), times.get(7)) == (2, None, None)


@pytest.mark.parametrize(
    "line",
    [
        b'{"number": -1, "seconds": 1}', b'{"number": 99999999999999, "seconds": 1}',
        b'{"number": 1, "seconds": -1}', b'{"number": 1, "seconds": NaN}',
        b'{"number": 1, "seconds": Infinity}', b'{"number": true, "seconds": 1}',
        b'{"number": 1, "seconds": "fast"}', b'{"number": 1}', b"[]", b"{", b"\xff", b'{"number": 1, "sec',
    ],
)  # fmt: skip
def test_what_is_no_time_is_left_out(out: Path, line: bytes) -> None:
    (out.parent / "out.times.jsonl").write_bytes(b'{"number": 0, "seconds": 2}\n' + line)
    times = times_of(out)
    assert times is not None
    assert {number: seconds for number, seconds in times.items() if seconds < 10**9} == {0: 2.0}
