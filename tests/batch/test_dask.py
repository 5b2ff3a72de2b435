"""A batch on real dask clusters: the same rows as here, whatever happens to workers and scheduler."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import dask
import pytest
from distributed import Client

from refract_asp.batch import analyse
from refract_asp.errors import InputError
from refract_asp.evaluation.cluster import AHEAD
from refract_asp.evaluation.engine import CHUNK, engine_of, entries_of, here, question_of
from waiting import PATIENCE, until

from .clusters import ENVIRONMENT, Cluster
from .fatal_entries import TOOLS, data, fatal, tool

pytestmark = pytest.mark.slow


EARLY = {"distributed.comm.timeouts.connect": "1 s", "refract-asp.patience": "1 s"}
"""Settings of dask with which nobody waits long."""


def lines(entries: list[Any], scheduler: object = None, **options: Any) -> list[str]:
    question = question_of(TOOLS, **options)
    engine = here if scheduler is None else engine_of(question, scheduler=str(scheduler))
    return [answer.line for answer in engine(question, entries_of(entries))]


def command(folder: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "refract_asp", "batch", "run", *arguments],
        env={**ENVIRONMENT, **environment},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler and two workers, each with a nanny that begins it anew; a task may end one."""
    folder = tmp_path_factory.mktemp("cluster")
    found = Cluster(folder, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0")
    try:
        found.worker(), found.worker()
        with Client(scheduler_file=str(found.file), set_as_default=False) as client:
            client.wait_for_workers(2, timeout=PATIENCE)
        yield found
    finally:
        found.kill()


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler without workers."""
    found = Cluster(tmp_path)
    try:
        yield found
    finally:
        found.kill()


@pytest.fixture
def files(tmp_path: Path) -> Callable[[int], list[str]]:
    """Write data, and return the arguments of the command that judges it into out.jsonl."""

    def write(count: int) -> list[str]:
        (tmp_path / "tools.json").write_text(json.dumps(TOOLS), "utf-8")
        (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, data(count))), "utf-8")
        return [
            f"{tmp_path / 'in.jsonl'}",
            "--catalog",
            f"{tmp_path / 'tools.json'}",
            "-o",
            "out.jsonl",
        ]

    return write


def all_rows(folder: Path) -> list[str]:
    """What one process makes of the data."""
    question = question_of(folder / "tools.json")
    return [answer.line for answer in here(question, entries_of(folder / "in.jsonl"))]


# -- two workers ---------------------------------------------------------------


def test_the_rows_are_those_of_one_process(cluster: Cluster) -> None:
    entries = data(50)
    assert lines(entries, cluster.file) == lines(entries)


def test_an_address_does_as_a_file_does(cluster: Cluster) -> None:
    address = json.loads(cluster.file.read_text("utf-8"))["address"]
    assert [row.verdict for row in analyse(data(2), TOOLS, scheduler=address)] == [
        "repaired",
        "repaired",
    ]


def test_entries_are_taken_as_there_is_room(cluster: Cluster) -> None:
    taken = 0

    def endless() -> Iterator[Any]:
        nonlocal taken
        while True:
            taken += 1
            yield ["Search(query=1)"]

    rows = analyse(endless(), TOOLS, scheduler=str(cluster.file))
    read = 3 * CHUNK
    assert [row.number for row in islice(rows, read)] == list(range(read))
    assert taken <= read + 2 * AHEAD * CHUNK


def test_the_question_goes_there_once_and_nothing_stays(cluster: Cluster) -> None:
    rows = analyse(iter(data(1_000)), TOOLS, scheduler=str(cluster.file))
    next(rows)
    with Client(scheduler_file=str(cluster.file), set_as_default=False) as client:
        found = client.run_on_scheduler(tasks)
        assert [reads for name, reads in found.items() if name.startswith("hold-")] == [0]
        assert {reads for name, reads in found.items() if name.startswith("work-")} == {1}
        rows.close()  # type: ignore[attr-defined]
        until(lambda: not client.run_on_scheduler(tasks), "the end of all tasks")


def tasks(dask_scheduler: Any) -> dict[str, int]:
    """Return the tasks of a scheduler, and how many others each reads."""
    return {str(key): len(task.dependencies) for key, task in dask_scheduler.tasks.items()}


def test_a_worker_that_is_killed_costs_no_row(cluster: Cluster) -> None:
    entries = data(80)
    question = question_of(TOOLS)
    answers = engine_of(question, scheduler=str(cluster.file))(question, entries_of(entries))
    found = [next(answers).line]
    with Client(scheduler_file=str(cluster.file), set_as_default=False) as client:
        os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)
    found += [answer.line for answer in answers]
    assert found == lines(entries)


def test_an_entry_that_ends_its_worker_costs_its_row(cluster: Cluster) -> None:
    entries = data(40)
    entries[20] = tool("die")
    rows = lines(entries, cluster.file, secrets=fatal)
    died = json.loads(rows[20])
    assert (died["number"], died["place"], died.get("verdict")) == (20, "[20]", None)
    assert died["error"] == "the workers that took it died, or did not come back in time."
    entries[20] = "Search(query=1)"
    assert rows[:20] + rows[21:] == (expected := lines(entries, secrets=fatal))[:20] + expected[21:]


def test_an_entry_that_does_not_come_back_is_ended(cluster: Cluster) -> None:
    options: dict[str, Any] = {"secrets": fatal, "time_limit": 0.1}
    rows = list(analyse([tool("stay"), "Pay(id=1)"], TOOLS, scheduler=str(cluster.file), **options))
    assert [row.verdict for row in rows] == [None, "valid"]
    assert rows[0].error == "the workers that took it died, or did not come back in time."


def test_an_interrupt_leaves_what_can_be_gone_on_with(
    cluster: Cluster, files: Callable[[int], list[str]], tmp_path: Path
) -> None:
    given = [*files(100), "--engine", "dask", "--scheduler", str(cluster.file)]
    process = command(tmp_path, *given)
    part = tmp_path / "out.jsonl.part"
    until(lambda: part.exists() and part.stat().st_size, "the first row")
    process.send_signal(signal.SIGINT)
    code, out, err = ended(process)
    assert (code, out) == (130, "")
    assert re.fullmatch(
        r"interrupted: \d+ rows are kept; the same command with --resume goes on.\n", err
    )
    assert 0 < part.read_bytes().count(b"\n") < 100
    code, out, err = ended(command(tmp_path, *given, "--resume"))
    assert (code, err) == (0, "")
    assert out.startswith("100 sequences: ")
    assert (tmp_path / "out.jsonl").read_text("utf-8").splitlines() == all_rows(tmp_path)


def test_catalogs_beside_the_data_are_read_by_the_workers(cluster: Cluster, tmp_path: Path) -> None:
    entry = {"sequence": ["Pay(id=1)"], "catalog": "tools.json"}
    (tmp_path / "in.jsonl").write_text(f"{json.dumps(entry)}\n" * 2, "utf-8")
    question = question_of()
    engine = engine_of(question, scheduler=str(cluster.file))
    rows = [
        json.loads(answer.line) for answer in engine(question, entries_of(tmp_path / "in.jsonl"))
    ]
    assert "there is no catalog 'tools.json'" in rows[0]["error"]
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), "utf-8")
    rows = [
        json.loads(answer.line) for answer in engine(question, entries_of(tmp_path / "in.jsonl"))
    ]
    assert [row["verdict"] for row in rows] == ["valid", "valid"]


# -- what becomes of a cluster -------------------------------------------------


def test_without_a_worker_it_is_waited_for(scheduler: Cluster) -> None:
    said: list[str] = []
    question = question_of(TOOLS)
    engine = engine_of(question, scheduler=str(scheduler.file), told=said.append)
    with dask.config.set(EARLY), pytest.raises(InputError) as caught:
        list(engine(question, entries_of(data(1))))
    assert caught.value.what == "the cluster has no worker after 1 s."
    assert caught.value.hint.startswith("Start one: dask worker ADDRESS.")
    (text,) = said
    assert re.fullmatch(
        r"The cluster at tcp://127.0.0.1:\d+ has no worker yet; waiting up to 1 s.", text
    )


def test_a_worker_may_join_when_all_are_lost(scheduler: Cluster) -> None:
    entries = data(40)
    first = scheduler.worker()
    question = question_of(TOOLS)
    answers = engine_of(question, scheduler=str(scheduler.file))(question, entries_of(entries))
    found = [next(answers).line]
    scheduler.kill(first)
    scheduler.worker("--no-nanny")
    found += [answer.line for answer in answers]
    assert found == lines(entries)


def test_a_scheduler_that_is_lost_leaves_what_can_be_gone_on_with(
    scheduler: Cluster, files: Callable[[int], list[str]], tmp_path: Path
) -> None:
    scheduler.worker("--no-nanny")
    given = files(100)
    early = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "1s"}
    process = command(
        tmp_path, *given, "--engine", "dask", "--scheduler", str(scheduler.file), **early
    )
    part = tmp_path / "out.jsonl.part"
    until(lambda: part.exists() and part.stat().st_size, "the first row")
    scheduler.kill(scheduler.scheduler)
    code, out, err = ended(process)
    assert (code, out) == (2, "")
    assert re.fullmatch(
        r"error: tcp://127.0.0.1:\d+: the cluster was lost: its scheduler has gone. "
        r"Start it again; with -o FILE the run goes on with --resume.\n",
        err,
    )
    kept = part.read_text("utf-8").splitlines()
    assert 0 < len(kept) < 100
    assert ended(command(tmp_path, *given, "--workers", "1", "--resume"))[0] == 0
    assert (tmp_path / "out.jsonl").read_text("utf-8").splitlines() == all_rows(tmp_path)


def test_workers_with_other_packages_are_refused(scheduler: Cluster, tmp_path: Path) -> None:
    other = tmp_path / "other" / "refract_asp-99.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: refract-asp\nVersion: 99\n", "utf-8"
    )
    paths = os.pathsep.join([str(other.parent), ENVIRONMENT["PYTHONPATH"]])
    worker = scheduler.worker("--no-nanny", environment={"PYTHONPATH": paths})
    with pytest.raises(
        InputError,
        match=r"other packages than this process: refract-asp 99, clingo .*Install there .*refract-asp ",
    ):
        lines(data(1), scheduler.file)
    scheduler.kill(worker)
    (tmp_path / "without.py").write_text("import sys\nsys.modules['refract_asp'] = None\n", "utf-8")
    scheduler.worker("--no-nanny", "--preload", str(tmp_path / "without.py"))
    with pytest.raises(InputError, match=r"has other packages than this process: .*refract_asp"):
        lines(data(1), scheduler.file)


# -- no cluster ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("tcp://127.0.0.1:1", "there is no cluster: it did not answer in 1 s."),
        ("morse://127.0.0.1:1", "there is no cluster: unknown address scheme 'morse'"),
        ("", "there is no cluster: "),
        ("x" * 10_000, "there is no cluster: "),
        ("\0\x1b[31m", "there is no cluster: "),
        ("scheduler.json", "this is no file that dask scheduler --scheduler-file writes."),
        ("none.json", "there is no such file after 1 s."),
    ],
)
def test_an_address_without_a_cluster_is_told(
    address: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scheduler.json").write_text("{}", "utf-8")
    with dask.config.set(EARLY), pytest.raises(InputError) as caught:
        lines(data(1), address)
    assert caught.value.what.startswith(told)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1_000


def test_a_setting_that_is_no_time_is_told() -> None:
    with (
        dask.config.set({"refract-asp.patience": "long"}),
        pytest.raises(InputError, match="is no time: long"),
    ):
        lines(data(1), "tcp://127.0.0.1:1")


def test_what_is_no_scheduler_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, dask.config.set(EARLY):
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(InputError, match=r"there is no cluster: it did not answer in 1 s\."):
            lines(data(1), address)


def test_the_package_that_is_not_installed_is_told(
    files: Callable[[int], list[str]], tmp_path: Path
) -> None:
    (tmp_path / "distributed.py").write_text(
        "raise ImportError('as where it is not installed')", "utf-8"
    )
    paths = os.pathsep.join([str(tmp_path), ENVIRONMENT["PYTHONPATH"]])
    given = [*files(1), "--engine", "dask", "--scheduler", "tcp://127.0.0.1:1"]
    assert ended(command(tmp_path, *given, PYTHONPATH=paths)) == (
        2,
        "",
        "error: a cluster needs the package distributed. Install it: pip install 'refract-asp[dask]'.\n",
    )
    assert not list(tmp_path.glob("out*"))
