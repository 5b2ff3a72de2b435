"""Large catalogs from files, which are read once: what came of it is kept in the cache of the user."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from refract_asp.caching import Store, cache_folder
from refract_asp.formats.origin import read_file
from refract_asp.formats.stored import LAYOUT, restored, stored
from refract_asp.model import Catalog

__all__ = ["kept_catalog"]


def kept_catalog(path: Path, format: str | None, read: Callable[[str], Catalog]) -> Catalog:
    """
    Return the catalog of a file: the one that is kept, else what `read` makes of its text.

    It is found by the text itself, so that what was changed is read again; and by all the code that reads
    catalogs, so that nothing is found that another version wrote.

    Raises:
        InputError: as `read` does.
    """
    text = read_file(path)
    store = Store(cache_folder())
    key = _key(text, path.suffix.lower(), format) if store.folder is not None else None
    found = store.get(key) if key is not None else None
    if found is not None:
        with suppress(ValueError, TypeError, KeyError, IndexError, RecursionError):  # else it is read anew
            return restored(found)
    catalog = read(text)
    if key is not None:
        with suppress(ValueError, TypeError, RecursionError):  # what JSON cannot hold is not kept
            store.put(key, stored(catalog))
    return catalog


def _key(text: str, suffix: str, format: str | None) -> str | None:
    """Return what names a catalog and everything that it depends on, None where that cannot be told."""
    code = _code()
    if code is None:
        return None
    reader: Any = None
    if text.lstrip()[:1] not in ("{", "[") or suffix in (".yaml", ".yml"):
        import yaml

        reader = [yaml.__version__, bool(yaml.__with_libyaml__)]
    basis = json.dumps([LAYOUT, code, sys.version_info[:3], suffix, format, reader])
    return hashlib.sha256(f"{basis}\n{text}".encode()).hexdigest()


def _code() -> str | None:
    """Return what names the code that reads catalogs, None where it is no files."""
    package = Path(__file__).resolve().parents[1]
    found = hashlib.sha256()
    try:
        files = sorted(file for folder in ("formats", "model") for file in (package / folder).glob("*.py"))
        for file in files:
            content = file.read_bytes()
            found.update(f"{file.name} {len(content)}\n".encode())
            found.update(content)
    except OSError:
        return None
    return found.hexdigest() if files else None
