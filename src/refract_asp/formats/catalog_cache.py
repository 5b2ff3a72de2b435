"""
Large catalogs from files, which are read once: what came of it is kept in a folder of the user.

Nothing here is needed: where the folder cannot be used, nothing is kept and nothing is found. A catalog is
kept as data: JSON, in which what tools share (parameters, definitions, outputs) is written once.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from refract_asp.formats.source import read_file
from refract_asp.model import Catalog, Parameter, Tool
from refract_asp.model.conventions import Remark
from refract_asp.resources import version_of

# The environment variable that names another folder, or says "off".
SETTING = "REFRACT_ASP_CACHE"
OFF = frozenset({"", "0", "off", "no", "false"})
# How many catalogs are kept.
MAX_ENTRIES = 32
# Larger catalogs are not kept.
MAX_BYTES = 64_000_000
_SUFFIX = ".refract-asp-kept"
_TO_TEXT = partial(json.dumps, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


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
    if (named := os.environ.get(SETTING)) is not None:
        return None if named.strip().lower() in OFF else Path(named)
    home = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not home.is_absolute():  # others are to be ignored
        home = Path(os.path.expanduser("~/.cache"))
    return home / "refract-asp" if home.is_absolute() else None


@dataclass(frozen=True)
class Store:
    """
    Texts that are kept in a folder that only the user may write, by key.

    Attributes:
        folder: where they are, made when something is kept; None keeps nothing.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = Store(Path(folder) / "cache")
        ...     store.get("abc"), store.put("abc", "what was found"), store.get("abc")
        (None, True, 'what was found')
    """

    folder: Path | None

    def get(self, key: str) -> str | None:
        """Return the text that is kept under a key, or None."""
        for path in self.files():
            if path.stem == key:
                with suppress(OSError, ValueError):
                    os.utime(path)  # what is in use stays
                    return path.read_text("utf-8")
        return None

    def put(self, key: str, text: str) -> bool:
        """Keep a text under a key, in place of what was there; whether that could be done."""
        body = text.encode("utf-8", "surrogatepass")
        if self.folder is None or len(body) > MAX_BYTES:
            return False
        try:
            self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            if not self._is_private():
                return False
            with tempfile.TemporaryDirectory(dir=self.folder) as made:  # what is left of it goes
                (file := Path(made, key)).write_bytes(body)
                file.chmod(0o600)
                file.replace(self.folder / f"{key}{_SUFFIX}")  # as a whole or not at all
        except OSError:
            return False
        for path in self.files()[MAX_ENTRIES:]:
            path.unlink(missing_ok=True)
        return True

    def files(self) -> list[Path]:
        """Return the files that are kept, what was used last first."""
        found = []
        if self.folder is not None and self._is_private():
            for path in self.folder.glob(f"*{_SUFFIX}"):
                with suppress(OSError):
                    status = path.lstat()
                    found += [(-status.st_mtime, path)] if stat.S_ISREG(status.st_mode) else []
        return [path for _, path in sorted(found)]

    def _is_private(self) -> bool:
        """Whether the folder is the user's, and nobody else can put anything there."""
        try:
            status = os.lstat(str(self.folder))
        except (OSError, ValueError):
            return False
        is_mine = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
        is_open = os.name == "posix" and bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
        return stat.S_ISDIR(status.st_mode) and is_mine and not is_open


def kept_catalog(path: Path, format: str | None, read: Callable[[str], Catalog]) -> Catalog:
    """
    Return the catalog of a file: the one that is kept, else what `read` makes of its text.

    It is found by the text itself, so that what was changed is read again; and by the version of this
    package, so that nothing is found that another one wrote.

    Raises:
        InputError: as `read` does.
    """
    text = read_file(path)
    store = Store(cache_folder())
    if store.folder is None:
        return read(text)
    key = hashlib.sha256(f"{_writer()} {path.suffix.lower()} {format}\n{text}".encode()).hexdigest()
    with suppress(ValueError, TypeError, KeyError, IndexError, RecursionError):
        return restored(store.get(key) or "")
    catalog = read(text)
    with suppress(ValueError, TypeError, RecursionError):  # what JSON cannot hold is not kept
        store.put(key, stored(catalog))
    return catalog


@cache
def _writer() -> str:
    """Return what tells this package from others that keep catalogs; a checkout changes without a version."""
    modules = Path(__file__).resolve().parents[1].rglob("*.py")
    changed = max((each.stat().st_mtime_ns for each in modules), default=0)
    return f"{changed} {version_of('refract-asp')}"


_FIELDS = [name for name in Tool.model_fields if name != "parameters"]


def stored(catalog: Catalog) -> str:
    """
    Return a catalog as text.

    Raises:
        ValueError: a schema holds what is no JSON value.
        RecursionError: it is nested too deep.

    Example:
        >>> tool = Tool(name="Search", parameters={"query": Parameter(name="query", required=True)})
        >>> restored(stored(Catalog(tools=(tool,)))) == Catalog(tools=(tool,))
        True
    """
    numbers: dict[str, int] = {}

    def once(value: Any) -> int:
        """Return the number of a value that may stand in many places, and is written once."""
        return numbers.setdefault(_TO_TEXT(value), len(numbers))

    defined: dict[int, int] = {}

    def split(value: Any) -> Any:
        """Return a schema beside the numbers of its definitions, and anything else as it is."""
        if not isinstance(value, dict) or not isinstance(value.get("$defs"), dict):
            return value
        for definition in value["$defs"].values():
            if id(definition) not in defined:
                defined[id(definition)] = once(definition)
        places = {name: defined[id(definition)] for name, definition in value["$defs"].items()}
        return [{**value, "$defs": None}, places]

    tools = []
    for tool in catalog.tools:
        parameters = [once([p.name, p.required, p.json_schema]) for p in tool.parameters.values()]
        fields = [once(split(getattr(tool, name))) for name in _FIELDS]
        tools.append([fields, parameters, once(tool.output_paths)])
    notes = [[n.tool, n.place, n.said, n.is_loose] for n in catalog.notes]
    rest = _TO_TEXT([catalog.name, catalog.format, tools, notes])
    return f"[{rest},[{','.join(numbers)}]]"


def restored(text: str) -> Catalog:
    """
    Return the catalog that `stored` wrote; nothing is checked again.

    Raises:
        ValueError, TypeError, KeyError, IndexError: the text is another one.
    """
    (name, format, rows, told), values = json.loads(text)

    @cache
    def joined(number: int) -> Any:
        value = values[number]
        if isinstance(value, list) and not any(isinstance(each, dict) for each in value):
            return tuple(tuple(each) if isinstance(each, list) else each for each in value)
        if isinstance(value, list):
            value, places = value
            value["$defs"] = {each: values[number] for each, number in places.items()}
        return value

    @cache
    def parameter(number: int) -> Parameter:
        each, required, schema = values[number]
        return Parameter.model_construct(name=each, required=required, json_schema=schema)

    tools = []
    for fields, given, paths in rows:
        parameters = {each.name: each for each in map(parameter, given)}
        said = dict(zip(_FIELDS, map(joined, fields), strict=True))
        tool = Tool.model_construct(parameters=parameters, **said)
        tool.keep_paths(joined(paths))
        tools.append(tool)
    notes = tuple(Remark(*each) for each in told)
    return Catalog.model_construct(tools=tuple(tools), name=name, format=format, notes=notes)
