"""A batch on real dask clusters: the same rows as here, whatever happens to workers and scheduler."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
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
DIED = "the workers that took it died, or did not come back in time."


def answers(entries: Any, scheduler: object = None, catalog: Any = TOOLS, **options: Any) -> Any:
    question = question_of(catalog, **options)
    engine = here if scheduler is None else engine_of(question, scheduler=str(scheduler))
    return (answer.line for answer in engine(question, entries_of(entries)))


def lines(*given: Any, **options: Any) -> list[str]:
    return list(answers(*given, **options))


class Command:
    """`batch run` in a folder, over some data with its tools, into out.jsonl."""

    def __init__(self, folder: Path, count: int) -> None:
        self.folder, self.part = folder, folder / "out.jsonl.part"
        (folder / "tools.json").write_text(json.dumps(TOOLS), "utf-8")
        (folder / "in.jsonl").write_text("\n".join(map(json.dumps, data(count))), "utf-8")

    def begin(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        data, tools = str(self.folder / "in.jsonl"), str(self.folder / "tools.json")
        given = [data, "--catalog", tools, "-o", "out.jsonl", "--secrets", *arguments]
        return subprocess.Popen(
            [sys.executable, "-m", "refract_asp", "batch", "run", *given],
            env={**ENVIRONMENT, **environment},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def until_a_row_is_there(self) -> None:
        until(lambda: self.part.exists() and self.part.stat().st_size, "the first row")

    def goes_on(self, *arguments: str) -> None:
        """Assert that some rows are kept, and that going on gives those of one process."""
        assert 0 < self.part.read_bytes().count(b"\n") < 100
        assert ended(self.begin(*arguments, "--resume"))[0] == 0
        rows = (self.folder / "out.jsonl").read_text("utf-8").splitlines()
        assert rows == lines(self.folder / "in.jsonl", catalog=self.folder / "tools.json")


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


# -- two workers ---------------------------------------------------------------


def test_entries_are_taken_as_there_is_room(cluster: Cluster) -> None:
    taken = 0

    def endless() -> Iterator[Any]:
        nonlocal taken
        while True:
            taken += 1
            yield ["Search(query=1)"]

    read = 3 * CHUNK
    rows = analyse(endless(), TOOLS, scheduler=str(cluster.file))
    assert [row.number for row in islice(rows, read)] == list(range(read))
    assert taken <= read + 2 * AHEAD * CHUNK


def test_a_worker_that_is_killed_costs_no_row(cluster: Cluster) -> None:
    entries = data(80)
    rows = answers(entries, cluster.file)
    found = [next(rows)]
    with Client(scheduler_file=str(cluster.file), set_as_default=False) as client:
        os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)
    assert [*found, *rows] == lines(entries)


def test_an_entry_that_ends_its_worker_costs_its_row(cluster: Cluster) -> None:
    entries = data(40)
    entries[20] = tool("die")
    rows = lines(entries, cluster.file, secrets=fatal)
    died = json.loads(rows[20])
    assert (died["number"], died["place"], died["error"]) == (20, "[20]", DIED)
    entries[20] = "Search(query=1)"
    expected = lines(entries, secrets=fatal)
    assert rows[:20] + rows[21:] == expected[:20] + expected[21:]


def test_an_entry_that_does_not_come_back_is_ended(cluster: Cluster) -> None:
    options: dict[str, Any] = {"secrets": fatal, "time_limit": 0.1}
    rows = list(analyse([tool("stay"), "Pay(id=1)"], TOOLS, scheduler=str(cluster.file), **options))
    assert [(row.verdict, row.error) for row in rows] == [(None, DIED), ("valid", None)]


# -- what becomes of a cluster -------------------------------------------------


def test_without_a_worker_it_is_waited_for(scheduler: Cluster) -> None:
    said: list[str] = []
    question = question_of(TOOLS)
    engine = engine_of(question, scheduler=str(scheduler.file), told=said.append)
    with dask.config.set(EARLY), pytest.raises(InputError, match="no worker after 1 s") as caught:
        list(engine(question, entries_of(data(1))))
    assert caught.value.hint.startswith("Start one: dask worker ADDRESS.")
    waiting = r"The cluster at tcp://127.0.0.1:\d+ has no worker yet; waiting up to 1 s."
    assert [bool(re.fullmatch(waiting, text)) for text in said] == [True]


def test_a_worker_may_join_when_all_are_lost(scheduler: Cluster) -> None:
    entries = data(40)
    first = scheduler.worker()
    rows = answers(entries, scheduler.file)
    found = [next(rows)]
    scheduler.kill(first)
    scheduler.worker("--no-nanny")
    assert [*found, *rows] == lines(entries)


def test_a_scheduler_that_is_lost_leaves_what_can_be_gone_on_with(
    scheduler: Cluster, tmp_path: Path
) -> None:
    scheduler.worker("--no-nanny")
    command, how = Command(tmp_path, 100), ("--scheduler", str(scheduler.file))
    process = command.begin(*how, DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="1s")
    command.until_a_row_is_there()
    scheduler.kill(scheduler.scheduler)
    code, out, err = ended(process)
    assert (code, out) == (2, "")
    said = (
        r"error: tcp://127.0.0.1:\d+: the cluster was lost: its scheduler has gone. "
        r"Start it again. With -o FILE the run can be resumed with --resume.\n"
    )
    assert re.fullmatch(said, err)
    command.goes_on("--workers", "1")


def test_workers_with_other_packages_are_refused(scheduler: Cluster, tmp_path: Path) -> None:
    other = tmp_path / "other" / "refract_asp-99.dist-info"
    other.mkdir(parents=True)
    metadata = "Metadata-Version: 2.1\nName: refract-asp\nVersion: 99\n"
    (other / "METADATA").write_text(metadata, "utf-8")
    paths = os.pathsep.join([str(other.parent), ENVIRONMENT["PYTHONPATH"]])
    worker = scheduler.worker("--no-nanny", environment={"PYTHONPATH": paths})
    said = r"it has refract-asp 99, clingo .*Install there refract-asp "
    with pytest.raises(InputError, match=said):
        lines(data(1), scheduler.file)
    scheduler.kill(worker)
    (tmp_path / "without.py").write_text("import sys\nsys.modules['refract_asp'] = None\n", "utf-8")
    scheduler.worker("--no-nanny", "--preload", str(tmp_path / "without.py"))
    with pytest.raises(InputError, match=r"a worker cannot do it: .*refract_asp"):
        lines(data(1), scheduler.file)


# -- no cluster ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("a server that is none", "there is no cluster: it did not answer in 1 s."),
        ("morse://127.0.0.1:1", "there is no cluster: unknown address scheme 'morse'"),
        ("\0\x1b[31m" + "x" * 10_000, "there is no cluster: "),
        ("scheduler.json", "this is no file that dask scheduler --scheduler-file writes."),
        ("none.json", "there is no such file after 1 s."),
    ],
)
def test_an_address_without_a_cluster_is_told(
    address: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scheduler.json").write_text("{}", "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as server, dask.config.set(EARLY):
        if address.startswith("a server"):
            address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(InputError) as caught:
            lines(data(1), address)
    assert caught.value.what.startswith(told)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1_000


def test_the_package_that_is_not_installed_is_told(tmp_path: Path) -> None:
    (tmp_path / "distributed.py").write_text("raise ImportError('not installed')", "utf-8")
    paths = os.pathsep.join([str(tmp_path), ENVIRONMENT["PYTHONPATH"]])
    how = ("--scheduler", "tcp://127.0.0.1:1")
    found = ended(Command(tmp_path, 1).begin(*how, PYTHONPATH=paths))
    hint = "Install it: pip install 'refract-asp[dask]'."
    assert found == (2, "", f"error: a cluster needs the package distributed. {hint}\n")
    assert not list(tmp_path.glob("out*"))
