"""The cache on disk: what is found there answers as what was read, and nothing else is ever found there."""

import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from refract_asp import Catalog
from refract_asp.bench.generating import Dials, generate, synthetic_catalog
from refract_asp.errors import InputError
from refract_asp.formats import MIN_KEPT, catalog_cache
from refract_asp.formats.catalog_cache import SETTING, Store, cache_folder, restored, stored
from refract_asp.formats.yaml_text import yaml_text

TOOLS = 900


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use a cache of one's own, which does not exist yet."""
    monkeypatch.setenv(SETTING, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def large() -> Catalog:
    return generate(Dials(tools=TOOLS, calls=40)).catalog.model_copy(update={"name": "large"})


@pytest.fixture
def file(tmp_path: Path, large: Catalog) -> Path:
    """Write a catalog that is large enough to be kept."""
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(large.dump()), encoding="utf-8")
    assert path.stat().st_size > MIN_KEPT
    return path


def kept(folder: Path) -> list[Path]:
    return Store(folder).files()


def only(folder: Path) -> Path:
    """Return the only file in the cache."""
    (path,) = folder.iterdir()
    return path


def planted(folder: Path) -> None:
    """Put another catalog in place of the one that is kept, as if that had been read."""
    (entry,) = kept(folder)
    text = Store(folder).get(entry.stem)
    assert text is not None
    first = restored(text).tools[0].model_copy(update={"name": "planted"})
    Store(folder).put(entry.stem, stored(Catalog(tools=(first,))))


# -- what is found ---------------------------------------------------------------------


@pytest.mark.slow
def test_a_catalog_is_read_once(folder: Path, file: Path, large: Catalog) -> None:
    assert Catalog.load(file).tools == large.tools
    planted(folder)
    assert list(Catalog.load(file).by_name) == ["planted"]


@pytest.mark.slow
@pytest.mark.parametrize("format", ["native", "openai", "mcp"])
@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_what_is_found_is_what_was_read(folder: Path, large: Any, format: str, suffix: str) -> None:
    data = large.dump(format)
    path = folder.with_name(f"tools{suffix}")
    path.write_text(yaml_text(data) if suffix == ".yaml" else json.dumps(data), encoding="utf-8")
    fresh = Catalog.load(path, cache=False)
    assert not folder.exists()
    first, second = Catalog.load(path), Catalog.load(path)
    assert len(kept(folder)) == 1
    for catalog in (first, second):
        assert catalog == fresh
        assert (catalog.name, catalog.format) == (fresh.name, fresh.format)
        assert catalog.model_dump_json() == fresh.model_dump_json()
        assert [tool.output_fields for tool in catalog] == [tool.output_fields for tool in fresh]


@pytest.mark.slow
def test_a_changed_file_is_read_again(folder: Path, file: Path, large: Catalog) -> None:
    Catalog.load(file)
    before = file.stat()
    name = large.tools[0].name
    other = name[::-1]
    changed = file.read_text(encoding="utf-8").replace(f'"{name}"', f'"{other}"', 1)
    file.write_text(changed, encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size
    assert Catalog.load(file).tools[0].name == other
    assert len(kept(folder)) == 2


@pytest.mark.slow
def test_the_same_text_is_found_and_named_after_its_file(folder: Path, tmp_path: Path) -> None:
    data = synthetic_catalog(TOOLS).dump("openai")
    for name in ("one", "two"):
        (tmp_path / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
        assert Catalog.load(tmp_path / f"{name}.json").name == name
    assert len(kept(folder)) == 1


@pytest.mark.slow
def test_another_format_is_another_question(folder: Path, tmp_path: Path, large: Catalog) -> None:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(large.dump("openai")), encoding="utf-8")
    Catalog.load(path)
    with pytest.raises(InputError, match=r"tools\.json"):
        Catalog.load(path, format="nestful")
    assert Catalog.load(path, format="openai") == Catalog.load(path)
    assert len(kept(folder)) == 2


def test_mistakes_are_told_each_time(folder: Path, file: Path) -> None:
    wrong = file.read_text(encoding="utf-8").replace('"parameters"', '"paramters"', 1)
    file.write_text(wrong, encoding="utf-8")
    for _ in range(2):
        with pytest.raises(InputError, match="paramters"):
            Catalog.load(file)
    assert not kept(folder)


# -- when nothing is kept ----------------------------------------------------------------


def test_small_files_are_not_kept(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(synthetic_catalog(20).dump()), encoding="utf-8")
    assert len(Catalog.load(path)) == 20
    assert not folder.exists()


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["off", ""])
def test_the_user_may_want_none(folder: Path, file: Path, monkeypatch: Any, setting: str) -> None:
    monkeypatch.setenv(SETTING, setting)
    assert cache_folder() is None
    assert len(Catalog.load(file)) == TOOLS
    assert not folder.exists()


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(SETTING)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "refract-asp"
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    for unset in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", unset)
        assert cache_folder() == tmp_path / "me" / ".cache" / "refract-asp"


def test_a_folder_that_cannot_be_made_does_no_harm(folder: Path, file: Path) -> None:
    folder.write_text("in the way", encoding="utf-8")
    assert len(Catalog.load(file)) == TOOLS
    assert folder.read_text(encoding="utf-8") == "in the way"
    assert not kept(folder)


# -- who may read and write ------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_it_is_the_users_alone(folder: Path, file: Path) -> None:
    before = os.umask(0)
    try:
        Catalog.load(file)
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(only(folder).stat().st_mode) == 0o600


def _opened(folder: Path, _elsewhere: Path) -> None:
    folder.chmod(0o777)  # it may be somebody else's: it stays as it is


def _given_away(folder: Path, _elsewhere: Path) -> None:
    os.chown(folder, 65534, 65534)


IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
ONLY_ROOT = pytest.mark.skipif(not IS_ROOT, reason="only root gives files away")
GIVEN_AWAY = pytest.param(_given_away, marks=ONLY_ROOT)


def _file_linked(folder: Path, elsewhere: Path) -> None:
    path = only(folder).rename(elsewhere)
    (folder / path.name).symlink_to(elsewhere)


def _folder_linked(folder: Path, elsewhere: Path) -> None:
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)


@pytest.mark.slow
@pytest.mark.parametrize("changed", [GIVEN_AWAY, _opened, _file_linked, _folder_linked])
def test_what_others_may_have_written_is_not_used(folder: Path, file: Path, changed: Any) -> None:
    Catalog.load(file)
    planted(folder)
    changed(folder, folder.with_name("elsewhere"))
    assert len(Catalog.load(file)) == TOOLS


@pytest.mark.slow
@pytest.mark.parametrize("spoilt", [b"", b"\x80" * 1000, slice(0, -100), slice(100, None)], ids=str)
def test_what_is_spoilt_is_read_anew_and_mended(folder: Path, file: Path, spoilt: Any) -> None:
    Catalog.load(file)
    path = only(folder)
    whole = path.read_bytes()
    path.write_bytes(whole[spoilt] if isinstance(spoilt, slice) else spoilt)
    assert len(Catalog.load(file)) == TOOLS
    assert path.read_bytes() == whole
    for text in ("[]", "null", "[1, 2, 3]", "no JSON", '["a", null, [], [[]]]', "[" * 5000):
        Store(folder).put(kept(folder)[0].stem, text)
        assert len(Catalog.load(file)) == TOOLS


@pytest.mark.parametrize("fails", ["write_bytes", "replace"])
def test_a_full_disk_does_no_harm(folder: Path, file: Path, monkeypatch: Any, fails: str) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, fails, full)
    assert len(Catalog.load(file)) == TOOLS
    assert not [*folder.iterdir()]


# -- how much ------------------------------------------------------------------------------------


def test_what_was_not_used_for_longest_goes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog_cache, "MAX_ENTRIES", 3)
    store = Store(folder)
    for number, key in enumerate("abc"):
        store.put(key, key)
        path = next(folder.glob(f"{key}.*"))
        os.utime(path, (number, number))
    assert store.get("a") == "a"  # which is used now
    store.put("d", "d")
    assert {entry.stem for entry in store.files()} == {"a", "c", "d"}


LOADER = """
import sys
from collections.abc import Callable
from pathlib import Path
from refract_asp import Catalog
from refract_asp.formats.catalog_cache import Store, cache_folder
for turn in range(6):
    assert len(Catalog.load(Path(sys.argv[1]))) == int(sys.argv[2])
    store = Store(cache_folder())
    for entry in store.files():
        text = store.get(entry.stem)
        assert text is None or text.startswith('[["large"'), text[:50]
    if turn % 2:
        for path in store.files():
            path.unlink(missing_ok=True)
"""


@pytest.mark.slow
def test_processes_that_write_at_once_do_no_harm(folder: Path, file: Path) -> None:
    command = [sys.executable, "-c", LOADER, str(file), str(TOOLS)]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [(process.communicate()[1], process.returncode) for process in running] == [("", 0)] * 3
    Catalog.load(file)
    assert len(kept(folder)) == 1
    assert only(folder).name.endswith(".refract-asp-kept")
