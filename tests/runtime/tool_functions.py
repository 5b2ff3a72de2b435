"""Functions of tools that a process of its own can find."""

import asyncio
import os
import sys
import time
from typing import Any


def add(a: int, b: int = 1) -> int:
    return a + b


def takes_all(arguments: dict[str, Any]) -> dict[str, Any]:
    return {"got": arguments}


async def add_later(a: int, b: int = 1) -> int:
    await asyncio.sleep(0)
    return a + b


def prints_garbage() -> str:
    sys.stdout.write("\x00garbage{]\n")
    sys.stdout.flush()
    os.write(2, b"more garbage\n")
    return "fine"


def dies() -> None:
    os._exit(3)


def exits() -> None:
    sys.exit(4)


def is_killed() -> None:
    os.kill(os.getpid(), 9)


def fails(text: str) -> None:
    raise ValueError(text)


def stays(path: str) -> None:
    with open(path, "w") as file:
        file.write(str(os.getpid()))
    time.sleep(3600)


def process_id() -> int:
    return os.getpid()


def much(size: int) -> str:
    return "x" * size
