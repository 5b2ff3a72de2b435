"""Reading what the arguments name: files, standard input, shipped catalogs."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from glob import glob
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from refract_asp.cli import late
from refract_asp.cli.options import TARGET
from refract_asp.cli.output import complain, is_shown, wrong_file
from refract_asp.errors import LONGEST_TEXT, ConstantError, FormatError, InputError, meant, shown
from refract_asp.resources import catalog_names, catalog_path, house_rule_names, house_rule_path

if TYPE_CHECKING:
    from refract_asp.formats.examples import Mistakes
    from refract_asp.model import Catalog, Sequence
    from refract_asp.model.example import Example

STDIN = "-"
FOLDER = "this is a folder, not a file."


def only_one_stdin(*sources: str | None) -> None:
    """Refuse to read two things from standard input."""
    if sources.count(STDIN) > 1:
        hint = "Name a file for the others."
        raise InputError("only one input can be read from standard input.", hint=hint)


def name_of(source: str) -> str:
    """Return what messages call a source."""
    return "standard input" if source == STDIN else shown(source, LONGEST_TEXT)


def nothing_in(sources: Iterable[str], what: str, line: str) -> FormatError:
    """Return the error that files hold none of `what`, a `line` of which is written so."""
    names = ", ".join(map(name_of, sources))
    return FormatError(f"there is no {what} in {names}.", hint=f"Write {line}, one a line.")


def names_in(*texts: str) -> list[str]:
    """Return the names in texts with commas between them."""
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


# -- files -----------------------------------------------------------------------


def _not_written(path: Path) -> Path:
    """Refuse a file, or a folder with rules or templates, over which the command would write its answer."""
    target = Path(TARGET.get() or STDIN)
    if not target.is_file() or not path.exists():
        return path
    is_inside = path.is_dir() and target.resolve().is_relative_to(path.resolve())
    if target.samefile(path) or (is_inside and target.suffix in (".lp", ".j2")):
        raise wrong_file(target, "this file is read, too.", "Write to another file.")
    return path


def read_file(source: str, *, in_place: bool = False) -> Path:
    """Return the path of a file that exists; only `in_place` may it be the one that the command writes."""
    path = Path(source)
    if path.is_dir() or not path.exists():
        raise wrong_file(source, FOLDER if path.is_dir() else "there is no such file.")
    return path if in_place else _not_written(path)


def files_of(named: Iterable[str]) -> list[str]:
    """
    Return the files that are named, each once; a pattern stands for those that fit it, sorted.

    Raises:
        InputError: no file fits a pattern.
    """
    found: list[str] = []
    for name in named:
        is_pattern = any(mark in name for mark in "*?[") and not Path(name).exists()
        fitting = sorted(glob(name, recursive=True)) if is_pattern else [name]
        if not fitting:
            raise wrong_file(name, "no file fits this pattern.")
        found += [each for each in fitting if not (is_pattern and Path(each).is_dir())]
    return list(dict.fromkeys(found))


def read_folder(source: str | None) -> Path | None:
    """Return the path of a folder that exists."""
    if source is not None and not Path(source).is_dir():
        raise wrong_file(source, "there is no such folder.")
    return None if source is None else _not_written(Path(source))


def standard_input() -> BinaryIO:
    """Return standard input, open for reading bytes."""
    if sys.stdin is None:
        raise wrong_file("standard input", "it is closed.", "Name a file, or pipe something in.")
    _not_written(Path("/dev/stdin"))
    return sys.stdin.buffer


def read_data(source: str, *, in_place: bool = False) -> Path | str:
    """Return the path of a file, or the text that standard input holds."""
    if source != STDIN:
        return read_file(source, in_place=in_place)
    from refract_asp.formats.source import file_errors, read_rest

    with file_errors("standard input"):
        return read_rest(standard_input(), "standard input")


def _on_stdin(mistake: InputError, name: str = "standard input") -> InputError:
    """Return the mistake with standard input, or another name of a text, as its place."""
    where = name + mistake.where.removeprefix("<text>").removeprefix(name)
    return type(mistake)(mistake.what, where=where, hint=mistake.hint)


def load(
    loader: Any, source: str | None, *arguments: Any, content: Path | str | None = None
) -> Any:
    """
    Load what `source` names, or its `content`; None where it names nothing.

    A mistake on standard input, or in JSON on the command line, says that it is there.
    """
    if source is None:
        return None
    try:
        return loader(read_data(source) if content is None else content, *arguments)
    except InputError as mistake:
        if source == STDIN or content is source:
            raise _on_stdin(mistake, "standard input" if source == STDIN else "--memory") from None
        raise


def inline(source: str | None) -> str | None:
    """Return JSON that stands on the command line itself, None for the name of a file."""
    is_json = source is not None and source.lstrip()[:1] == "{" and not Path(source).exists()
    return source if is_json else None


def total_of(sources: Iterable[Any], limit: int | None = None) -> int | None:
    """Return how many entries data sets hold, where somebody sees the bar and it can be known."""
    if not is_shown():
        return None
    counts: list[int | None] = [None]
    with suppress(InputError, OSError):  # whoever reads it says why it cannot be read
        counts = [late.examples.count_examples(each) for each in sources]
    if None in counts:
        return None
    known = sum(filter(None, counts))
    return known if limit is None else min(known, limit)


def read_examples(
    sources: Iterable[str], mistakes: Mistakes | None = None, limit: int | None = None
) -> tuple[Iterator[Example], int | None]:
    """Return the examples of data sets, and their number, where somebody sees the bar and it can be known."""
    contents = [(read_data(each), "standard input" if each == STDIN else None) for each in sources]
    loaded = partial(late.examples.load_examples, mistakes=mistakes)
    found = (loaded(data, name=name) for data, name in contents)
    total = total_of((data for data, _ in contents), limit)
    return islice(chain.from_iterable(found), limit), total


# -- what a repair is made from --------------------------------------------------


def read_sequence(
    source: str, format: str | None = None, content: Path | str | None = None
) -> Sequence:
    """
    Read the calls from a file or standard input; `content` is what that holds, where it was looked up already.

    Raises:
        FormatError: it holds nothing at all, as where the program that should have written it died.
    """
    content = read_data(source) if content is None else content
    sequence: Sequence = load(late.model.Sequence.load, source, format, content=content)
    if not sequence.calls:
        # a pipe cannot be read again, and nothing in it has the format of lines
        is_pipe = isinstance(content, Path) and not content.is_file()
        if sequence.format == "pretty" if is_pipe else not late.formats.read_text(content).strip():
            failed = "See whether the program that should have filled it failed"
            hint = f"{failed}; a sequence without calls is []."
            raise FormatError("it is empty.", where=name_of(source), hint=hint)
    return sequence


def read_encodings(sources: Iterable[str] | None) -> tuple[Path, ...]:
    """Return the paths of files with rules, each named by its path or as house rules that are shipped."""
    found = [(source, house_rule_path(Path(source))) for source in sources or ()]
    for source, path in found:
        if not path.exists():
            hint = meant(source, house_rule_names(), "Shipped")
            raise wrong_file(source, "there is no such file or house rule.", hint)
    return tuple(read_file(str(path)) for _, path in found)


def read_cost_model(name: str) -> str | Path:
    """Return the name of a cost model, or the path when it is a file."""
    path = Path(name)
    return path if (path.suffix == ".lp" or "/" in name) and read_file(name) else name


def read_effects(said: str) -> Any:
    """Return a word for where effects come from, or the mapping in the file that is named."""
    return said if said in ("infer", "declared") else load(late.given.load_effects, said)


def read_pairs(
    option: str,
    form: str,
    pairs: Iterable[str] | None,
    error: type[InputError | ConstantError] = InputError,
) -> Iterator[tuple[str, str]]:
    """Read pairs such as `NAME=VALUE`."""
    for pair in pairs or ():
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise error(f"this is not {form}.", where=f"{option} {shown(pair)}")
        yield name.strip(), value


def answer_of(text: str, schema: Any) -> Any:
    """Return an answer: what its JSON says, or the text where one is wanted or it is no JSON."""
    wants_text = isinstance(schema, dict) and schema.get("type") == "string"
    if not wants_text or text.startswith('"'):
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    return text


def read_constants(pairs: Iterable[str] | None) -> dict[str, int]:
    """Read `NAME=VALUE` pairs; the last one wins."""
    constants = {}
    for name, value in read_pairs("-c", "NAME=VALUE", pairs, ConstantError):
        try:
            constants[name] = int(value)
        except ValueError:
            what = f"{shown(value)!r} is not a whole number."
            raise ConstantError(what, where=f"-c {shown(name)}") from None
    return constants


# -- catalogs --------------------------------------------------------------------


def is_shipped(name: str) -> bool:
    """Whether this is the name of a shipped catalog, and no file."""
    return name in catalog_names() and not Path(name).exists()


def _catalog_source(name: str) -> Any:
    """Return what Python code holds, or the file of a catalog or of a shipped one; None for standard input."""
    if (code := _code_of(name)) is not None:
        return code
    path = Path(name)
    if name == STDIN or (path.exists() and not path.is_dir()):
        return None if name == STDIN else _not_written(path)
    if name in catalog_names():
        return catalog_path(name)
    if path.is_dir() or path.name != name or path.suffix:
        raise wrong_file(name, FOLDER if path.is_dir() else "there is no such file.")
    hint = meant(name, catalog_names(), "Shipped")
    raise wrong_file(name, "there is no such file or shipped catalog.", hint)


# What the name of a catalog begins with that an MCP server gives.
SERVER = "mcp:"


def _catalog_of_server(name: str) -> Catalog:
    """Return the tools of the MCP server that the command line names; it is shown before it is started."""
    from refract_asp.integrations.mcp.catalogs import server_catalog

    return server_catalog(name, say=partial(complain, "mcp"))


def read_catalog(name: str, format: str | None = None, *, no_cache: bool = False) -> Catalog:
    """Read a catalog from a file, from standard input, from those shipped or from an MCP server."""
    if name.startswith(SERVER):
        return _catalog_of_server(name)
    loader = partial(late.formats.load_catalog, format=format, cache=not no_cache)
    catalog: Catalog = load(loader, name, content=_catalog_source(name))
    return catalog


_CODE = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)?")


def _code_of(name: str) -> Any:
    """
    Return what `module:attribute` names, or `module:` as a whole, which is imported; None for anything else.

    Raises:
        InputError: a file of Python is named, there is no such module or attribute, or its own code fails.
    """
    where = shown(name, LONGEST_TEXT)
    hint = "Write module:attribute, as in tools.weather:TOOLS, or module: for all its functions."
    if name.endswith(".py"):
        raise InputError("a file of Python code is no catalog.", where=where, hint=hint)
    named = None if Path(name).exists() else _CODE.fullmatch(name)
    if named is None:
        return None
    if "" not in sys.path:
        sys.path.insert(0, "")  # as `python -m` finds modules
    try:
        found: Any = importlib.import_module(named[1])
        for word in (named[2] or "").split("."):
            found = getattr(found, word) if word else found
    except Exception as error:  # whatever the module's own code raises
        what = f"it cannot be imported: {type(error).__name__}: {shown(error, 200)}".rstrip(": ")
        raise InputError(f"{what.rstrip('.')}.", where=where, hint=hint) from None
    return found


def chosen(catalog: Catalog, names: list[str] | None, tags: list[str] | None) -> Catalog:
    """
    Return the tools of a catalog with one of some names or globs, and one of some tags; all for none.

    Raises:
        InputError: there is no such tool; the message names the nearest, or the existing ones.
    """
    found = catalog.filter(names or None, tags or None) if names or tags else catalog
    if not found.tools and catalog.tools:
        known = {tag for tool in catalog for tag in tool.tags} if tags else catalog.by_name
        what = f" {shown(', '.join(names))!r}" if names else ""
        tagged = f" with the tag {shown(tags[0])!r}" if tags else ""
        hint = meant((tags or names or [""])[0], known, "Tags" if tags else "Its tools", 20)
        raise InputError(f"the catalog has no tool{what}{tagged}.", hint=hint or "It has no tags.")
    return found


def read_catalog_mistakes(
    name: str, format: str | None = None
) -> tuple[Catalog, tuple[InputError, ...]]:
    """Read a catalog as far as it goes: return the tools that can be read, and the mistakes in others."""
    if name.startswith(SERVER):
        return _catalog_of_server(name), ()
    content = _catalog_source(name)
    catalog, mistakes = load(late.formats.catalog_mistakes, name, format, content=content)
    return catalog, tuple(_on_stdin(mistake) if name == STDIN else mistake for mistake in mistakes)
