"""
A folder of the user that keeps what took long to work out: as text, by a key that names all it depends on.

Nothing here is needed: where the folder cannot be used, nothing is kept and nothing is found. Only files
that the user owns and nobody else may write are read; they are whole, or they count as absent. What was not
used for longest goes when there is too much.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["SETTING", "Entry", "Store", "cache_folder"]

SETTING = "REFRACT_ASP_CACHE"
"""The environment variable that names another folder, or says "off"."""
OFF = frozenset({"", "0", "off", "no", "false"})

MAX_ENTRIES = 32
MAX_BYTES = 256_000_000
"""How much is kept, all in all."""
MAX_ENTRY_BYTES = 64_000_000
"""Larger texts are not kept."""
ABANDONED = 3600.0
"""Seconds after which a file that was never finished goes."""

_SUFFIX = ".refract-asp-kept"
_UNFINISHED = ".refract-asp-part"
_MARK = b"refract-asp cache 1 "


def cache_folder() -> Path | None:
    """
    Return the folder of the cache, which may not exist yet, or None where the user wants none.

    It is what `REFRACT_ASP_CACHE` names, else `refract-asp` in `XDG_CACHE_HOME` or in `~/.cache`.

    Example:
        >>> import os
        >>> os.environ["REFRACT_ASP_CACHE"] = "off"
        >>> cache_folder() is None
        True
        >>> del os.environ["REFRACT_ASP_CACHE"]
    """
    named = os.environ.get(SETTING)
    if named is not None:
        return None if named.strip().lower() in OFF else Path(named)
    home = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(home):  # others are to be ignored
        return Path(home) / "refract-asp"
    try:
        return Path.home() / ".cache" / "refract-asp"
    except RuntimeError:
        return None


@dataclass(frozen=True, slots=True)
class Entry:
    """A text that is kept: its key, its size in bytes, and when it was used last, in seconds of the epoch."""

    key: str
    size: int
    used: float


class Store:
    """
    Texts that are kept in a folder, by key.

    Args:
        folder: where they are; None keeps nothing.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = Store(Path(folder) / "cache")
        ...     store.get("abc"), store.put("abc", "what was found"), store.get("abc")
        (None, True, 'what was found')
    """

    def __init__(self, folder: Path | None) -> None:
        """Take a folder; it is made when something is kept."""
        self.folder = folder

    def get(self, key: str) -> str | None:
        """Return the text that is kept under a key; None where there is none, or it was tampered with."""
        if self.folder is None or not _is_private(self.folder):
            return None
        try:
            raw = _read(self._path(key))
            head, _, body = raw.partition(b"\n")
            if head != _MARK + _digest(body):
                return None
            text = body.decode()
        except (OSError, ValueError):
            return None
        with suppress(OSError):
            os.utime(self._path(key))  # what is in use stays
        return text

    def put(self, key: str, text: str) -> bool:
        """Keep a text under a key, in place of what was there; whether that could be done."""
        body = text.encode("utf-8", "surrogatepass")
        if self.folder is None or len(body) > MAX_ENTRY_BYTES:
            return False
        try:
            _make(self.folder)
            if not _is_private(self.folder):
                return False
            self._write(key, _MARK + _digest(body) + b"\n" + body)
            self._bound()
        except OSError:
            return False
        return True

    def entries(self) -> list[Entry]:
        """Return what is kept, what was used last first."""
        found = []
        for path in self._files(_SUFFIX):
            with suppress(OSError):
                status = path.lstat()
                found.append(Entry(path.name.removesuffix(_SUFFIX), status.st_size, status.st_mtime))
        return sorted(found, key=lambda entry: (-entry.used, entry.key))

    def clear(self) -> int:
        """Remove all that is kept; return how many texts it was."""
        count = 0
        for path in [*self._files(_SUFFIX), *self._files(_UNFINISHED)]:
            with suppress(OSError):
                path.unlink()
                count += path.suffix == _SUFFIX
        return count

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        assert key.isalnum(), key
        return self.folder / f"{key}{_SUFFIX}"

    def _files(self, suffix: str) -> Iterator[Path]:
        if self.folder is not None and self.folder.is_dir():
            with suppress(OSError):
                yield from sorted(self.folder.glob(f"*{suffix}"))

    def _write(self, key: str, raw: bytes) -> None:
        """Write a file that is there as a whole or not at all, whoever else writes it."""
        number, name = tempfile.mkstemp(_UNFINISHED, f"{key[:16]}-", self.folder)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(raw)
            os.replace(name, self._path(key))
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise

    def _bound(self) -> None:
        """Remove what was not used for longest while there is too much, and what was never finished."""
        size = 0
        for number, entry in enumerate(self.entries()):
            size += entry.size
            if number >= MAX_ENTRIES or size > MAX_BYTES:
                with suppress(OSError):
                    self._path(entry.key).unlink()
        for path in self._files(_UNFINISHED):
            with suppress(OSError):
                if path.lstat().st_mtime < time.time() - ABANDONED:
                    path.unlink()


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()


def _make(folder: Path) -> None:
    """Make a folder that is the user's alone; one that is there already stays as it is."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)


def _is_private(folder: Path) -> bool:
    """Whether a folder is the user's, and nobody else can put anything there."""
    try:
        status = folder.lstat()
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(status.st_mode) and _is_mine(status) and not _is_open(status)


def _is_mine(status: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def _is_open(status: os.stat_result) -> bool:
    return os.name == "posix" and bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _read(path: Path) -> bytes:
    """
    Read a file of the user's own; links are not followed.

    Raises:
        OSError: there is none that can be trusted.
    """
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_BINARY", "O_NONBLOCK"):  # the last: a pipe that nobody writes to is no wait
        flags |= getattr(os, name, 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or not _is_mine(status) or _is_open(status):
            raise PermissionError(f"{path} is not the user's own")
        if status.st_size > 2 * MAX_ENTRY_BYTES:
            raise OSError(f"{path} is too large")
        return file.read()
