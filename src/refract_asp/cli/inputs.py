"""Reading what the arguments name: files, standard input, shipped catalogs."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from refract_asp.cli.options import TARGET
from refract_asp.errors import LONGEST_TEXT, ConstantError, FormatError, InputError, shown
from refract_asp.formats import catalog_mistakes, load_catalog, load_mappings, read_text
from refract_asp.formats.given import load_goals
from refract_asp.model import Catalog, Goal, Mapping, Memory, Sequence
from refract_asp.resources import catalog_names, catalog_path, house_rule_names, house_rule_path

__all__ = [
    "STDIN",
    "find_catalog",
    "load",
    "no_example",
    "only_one_stdin",
    "read_catalog",
    "read_catalog_mistakes",
    "read_constants",
    "read_cost_model",
    "read_data",
    "read_encodings",
    "read_file",
    "read_folder",
    "read_goals",
    "read_mappings",
    "read_memory",
    "read_sequence",
    "read_words",
    "standard_input",
]

STDIN = "-"


def only_one_stdin(*sources: str | None) -> None:
    """Refuse to read two things from standard input."""
    if sources.count(STDIN) > 1:
        raise InputError(
            "only one input can be read from standard input.", hint="Name a file for the others."
        )


def no_example(sources: Iterable[str]) -> FormatError:
    """Return the error that files hold no example."""
    names = ", ".join(map(_name, sources))
    return FormatError(
        f"there is no example in {names}.",
        hint='Write {"sequence": ..., "expected": ...}, one a line.',
    )


def _not_written(path: Path) -> Path:
    """Refuse a file, or a folder with rules or templates, over which the command would write its answer."""
    target = Path(TARGET.get() or STDIN)
    if not target.is_file() or not path.exists():
        return path
    is_inside = path.is_dir() and target.resolve().is_relative_to(path.resolve())
    if target.samefile(path) or (is_inside and target.suffix in (".lp", ".j2")):
        raise InputError(
            "this file is read, too.",
            where=shown(target, LONGEST_TEXT),
            hint="Write to another file.",
        )
    return path


def read_file(source: str, *, in_place: bool = False) -> Path:
    """Return the path of a file that exists; only `in_place` may it be the one that the command writes."""
    path = Path(source)
    if path.is_dir():
        raise InputError("this is a folder, not a file.", where=shown(source, LONGEST_TEXT))
    if not path.exists():
        raise InputError("there is no such file.", where=shown(source, LONGEST_TEXT))
    return path if in_place else _not_written(path)


def read_encodings(sources: Iterable[str] | None) -> tuple[Path, ...]:
    """Return the paths of files with rules, each named by its path or as house rules that are shipped."""
    found = tuple(house_rule_path(Path(source)) for source in sources or ())
    for source, path in zip(sources or (), found, strict=True):
        if not path.exists():
            names = ", ".join(house_rule_names())
            raise InputError(
                "there is no such file or house rule.",
                where=shown(source, LONGEST_TEXT),
                hint=f"Shipped: {names}.",
            )
    return tuple(read_file(str(path)) for path in found)


def read_folder(source: str | None) -> Path | None:
    """Return the path of a folder that exists."""
    if source is not None and not Path(source).is_dir():
        raise InputError("there is no such folder.", where=shown(source, LONGEST_TEXT))
    return _not_written(Path(source)) if source is not None else None


def standard_input() -> BinaryIO:
    """Return standard input, open for reading bytes."""
    if sys.stdin is None:
        raise InputError(
            "it is closed.", where="standard input", hint="Name a file, or pipe something in."
        )
    _not_written(Path("/dev/stdin"))
    return sys.stdin.buffer


def _content(source: str, *, in_place: bool = False) -> Path | str:
    """Return the path of a file, or the text that standard input holds."""
    if source != STDIN:
        return read_file(source, in_place=in_place)
    try:
        return standard_input().read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"this is not UTF-8 at byte {error.start}.", where="standard input"
        ) from None


def load(loader: Any, source: str, *arguments: Any) -> Any:
    """Load what `source` names; a mistake on standard input says that it is there."""
    return _loaded(loader, _content(source), source, *arguments)


def _loaded(loader: Any, content: Path | str, source: str, *arguments: Any) -> Any:
    try:
        return loader(content, *arguments)
    except InputError as error:
        if source != STDIN:
            raise
        raise _on_stdin(error) from None


def _on_stdin(error: InputError) -> InputError:
    """Return the mistake with standard input as its place."""
    where = f"standard input{error.where.removeprefix('<text>')}"
    return type(error)(error.what, where=where, hint=error.hint)


def _name(source: str) -> str:
    return "standard input" if source == STDIN else shown(source, LONGEST_TEXT)


def read_data(source: str, *, in_place: bool = False) -> Path | str:
    """Return the file with a data set, or what standard input holds."""
    return _content(source, in_place=in_place)


def read_words(source: str) -> str:
    """Read what the user said from a file or standard input."""
    return read_text(_content(source))


def read_sequence(
    source: str, format: str | None = None, *, in_place: bool = False
) -> tuple[Sequence, Path | str]:
    """
    Read the calls from a file or standard input; return what they were read from as well.

    Raises:
        FormatError: it holds nothing at all, as where the program that should have written it died.
    """
    content = _content(source, in_place=in_place)
    sequence: Sequence = _loaded(Sequence.load, content, source, format)
    if not sequence.calls and _is_blank(content, sequence):
        raise FormatError(
            "it is empty.",
            where=_name(source),
            hint="See whether the program that should have filled it failed; a sequence without calls is [].",
        )
    return sequence, content


def _is_blank(content: Path | str, sequence: Sequence) -> bool:
    """Whether nothing was read; a pipe cannot be read again, and nothing in it has the format of lines."""
    if isinstance(content, Path) and not content.is_file():
        return sequence.format == "pretty"
    return not read_text(content).strip()


def read_history(source: str | None) -> Sequence | tuple[()]:
    """Read the calls that were made already."""
    if source is None:
        return ()
    history: Sequence = load(Sequence.load, source)  # an empty one: no call was made yet
    return history


def read_memory(source: str | None) -> Memory | None:
    """Read the values that are known already."""
    if source is None:
        return None
    memory: Memory = load(Memory.load, source)
    return memory


def read_mappings(source: str | None) -> tuple[Mapping, ...]:
    """Read which output may fill which parameter."""
    return tuple(load(load_mappings, source)) if source is not None else ()


def read_goals(texts: Iterable[str] | None, source: str | None) -> tuple[Goal, ...]:
    """Return the goals of the command line, then those of a file."""
    listed = load_goals(list(texts or ()))
    return listed if source is None else (*listed, *load(load_goals, source))


def find_catalog(name: str) -> Path:
    """Return the path of a catalog: the file of that name, else the shipped catalog."""
    path = Path(name)
    if path.is_file() or (path.exists() and not path.is_dir()):
        return _not_written(path)
    shipped = catalog_names()
    if name in shipped:
        return _not_written(catalog_path(name))
    what = (
        "this is a folder, not a file."
        if path.is_dir()
        else "there is no such file or shipped catalog."
    )
    raise InputError(what, where=shown(name, LONGEST_TEXT), hint=f"Shipped: {', '.join(shipped)}.")


def read_catalog(name: str, format: str | None = None, *, no_cache: bool = False) -> Catalog:
    """Read a catalog from a file, from standard input or from those shipped."""

    def load(content: Path | str, format: str | None) -> Catalog:
        return load_catalog(content, format, cache=not no_cache)

    catalog: Catalog = _load_catalog(load, name, format)
    return catalog


def read_catalog_mistakes(
    name: str, format: str | None = None
) -> tuple[Catalog, tuple[InputError, ...]]:
    """Read a catalog as far as it goes: return the tools that can be read, and the mistakes in others."""
    catalog, mistakes = _load_catalog(catalog_mistakes, name, format)
    return catalog, tuple(_on_stdin(mistake) if name == STDIN else mistake for mistake in mistakes)


def _load_catalog(loader: Any, name: str, format: str | None) -> Any:
    return load(loader, name, format) if name == STDIN else loader(find_catalog(name), format)


def read_cost_model(name: str) -> str | Path:
    """Return the name of a cost model, or the path when it is a file."""
    path = Path(name)
    return path if (path.suffix == ".lp" or "/" in name) and read_file(name) else name


def read_constants(pairs: Iterable[str] | None) -> dict[str, int]:
    """Read `NAME=VALUE` pairs; the last one wins."""
    constants: dict[str, int] = {}
    for pair in pairs or ():
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise ConstantError("this is not NAME=VALUE.", where=f"-c {shown(pair)}")
        try:
            constants[name.strip()] = int(value)
        except ValueError:
            raise ConstantError(
                f"{shown(value)!r} is not a whole number.", where=f"-c {shown(name.strip())}"
            ) from None
    return constants
