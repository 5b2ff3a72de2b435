"""Connects with a dask cluster that runs already."""

from __future__ import annotations

import asyncio
import atexit
import json
import logging
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from refract_asp.errors import LONGEST_TEXT, InputError, shown

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Told", "address_of", "check_installed", "connected", "patience"]

Told = Callable[[str], None]
"""Is told in one line what somebody waits for."""
PATIENCE = "refract-asp.patience"
"""The setting of dask that says how long somebody waits for a worker."""
PATIENT = "60 s"
"""So long where nothing is set."""
SETTINGS = {
    "distributed.admin.large-graph-warning-threshold": "1 TiB",  # entries are as long as they are
    "distributed.diagnostics.computations.nframes": 0,  # no program text goes to the scheduler
}


def check_installed() -> None:
    """
    Refuse to work where the extra `dask` is missing.

    Raises:
        InputError: it is not installed.
    """
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise InputError(
            "a cluster needs the package distributed.", hint="Install it: pip install 'refract-asp[dask]'."
        ) from None


def address_of(scheduler: str, patience: float, told: Told) -> str:
    """
    Return the address of a scheduler, which may stand in a file that the scheduler has yet to write.

    Raises:
        InputError: the file does not come, or holds something else.

    Example:
        >>> address_of("tcp://10.0.0.1:8786", 60.0, print)
        'tcp://10.0.0.1:8786'
    """
    path = Path(scheduler)
    if "://" in scheduler or not (path.suffix == ".json" or _is_file(path)):
        return scheduler
    end = time.monotonic() + patience
    is_told = False
    while True:
        with suppress(OSError, ValueError, TypeError, KeyError):
            return str(json.loads(path.read_bytes())["address"])
        where = shown(path, LONGEST_TEXT)
        if time.monotonic() > end:
            is_there = _is_file(path)
            what = "this is no file that dask scheduler --scheduler-file writes."
            raise InputError(
                what if is_there else f"there is no such file after {patience:g} s.", where=where
            )
        if not is_told:
            told(f"Waiting up to {patience:g} s for a scheduler to write {where}.")
            is_told = True
        time.sleep(0.1)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # no name that a file could have
        return False


def patience() -> float:
    """
    Return how many seconds somebody waits for a worker, or for the file of a scheduler.

    Raises:
        InputError: the setting is no time.
    """
    from dask import config
    from dask.utils import parse_timedelta

    given = config.get(PATIENCE, PATIENT)
    try:
        return float(parse_timedelta(given))
    except (ValueError, TypeError, KeyError):
        hint = "Write a time such as 10 minutes."
        raise InputError(f"the setting {PATIENCE} of dask is no time: {shown(given)}.", hint=hint) from None


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """
    Connect with a cluster; what dask logs and warns of meanwhile is told in other words, or is nothing.

    Raises:
        InputError: nobody answers at the address.
    """
    from dask import config
    from distributed import Client

    with _silent(), config.set(SETTINGS):
        try:
            _knock(address)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # other versions of what does not matter
                client = Client(address, set_as_default=False)
        except Exception as error:  # of many kinds: no connection, no such protocol, no certificate
            said = shown(error, LONGEST_TEXT).rstrip(".") or type(error).__name__
            raise InputError(
                f"there is no cluster: {said}.",
                where=shown(address, LONGEST_TEXT),
                hint="Give the address that dask scheduler prints, as tcp://10.0.0.1:8786.",
            ) from None
        atexit.register(client.close)  # rows that nobody reads to their end may be ended after its threads
        try:
            yield client
        finally:
            client.close()
            atexit.unregister(client.close)


def _knock(address: str) -> None:
    """See whether a scheduler answers: a client that comes to none may wait for ever, and leaves threads."""
    from dask import config
    from dask.utils import parse_timedelta
    from distributed import Security, rpc

    timeout = parse_timedelta(config.get("distributed.comm.timeouts.connect"))

    async def knock() -> None:
        how = Security().get_connection_args("client")
        async with rpc(address, timeout=2 * timeout, connection_args=how) as scheduler:
            await asyncio.wait_for(scheduler.identity(), timeout)

    def run() -> None:
        try:
            asyncio.run(knock())
        except TimeoutError:
            raised.append(OSError(f"it did not answer in {timeout:g} s"))
        except Exception as error:
            raised.append(error)

    raised: list[Exception] = []
    thread = threading.Thread(target=run, daemon=True)  # where a loop runs already, as in a notebook, too
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


@contextmanager
def _silent() -> Iterator[None]:
    """Keep what dask logs off the terminal."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
