"""
`refract-asp catalog`: look at catalogs, find mistakes in them, convert them, compute mappings.

Examples:

  refract-asp catalog list
  refract-asp catalog show travel
  refract-asp catalog show travel --tool SkyScrapperFlightSearch
  refract-asp catalog check tools.yaml
  refract-asp catalog convert openapi.json tools.yaml
  refract-asp catalog convert tools.yaml - --to openai
  refract-asp catalog maps tools.yaml -o maps.yaml
  refract-asp catalog cache
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import typer

from refract_asp import mappings
from refract_asp.cli import inputs, output
from refract_asp.cli.options import FORMAT, NO_CACHE, OUTPUT, Format, Group, argument, writes_to
from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.formats import read_text
from refract_asp.formats.catalog_cache import Store, cache_folder
from refract_asp.formats.yaml_text import yaml_text
from refract_asp.model import Catalog, Mapping, Sequence, Tool
from refract_asp.model.paths import path_text
from refract_asp.model.schemas import schema_type
from refract_asp.report.terminal import count, escaped, folded
from refract_asp.resources import catalog_names
from refract_asp.rules.index import broken_schemas
from refract_asp.settings import option

app = Group(__doc__)
CATALOG = argument("CATALOG", "File with the tools, or the name of a shipped catalog.")
FROM_HELP = "Format of the catalog, when it is not to be detected."
FROM = option(None, FROM_HELP, "FORMAT", "--from")
FROM_OR_FORMAT = option(None, FROM_HELP, "FORMAT", "--from", "--format")


@app.adds("list")
def list_catalogs() -> None:
    """Print the names of the shipped catalogs, one a line."""
    output.write("\n".join(catalog_names()))


@app.adds("check", "Say what is wrong with a catalog.")
def check_catalog(catalog: str = CATALOG, source_format: str | None = FROM_OR_FORMAT) -> None:
    """Read a catalog and say what is wrong with each of its tools and schemas, or that it is ok."""
    loaded, mistakes = inputs.read_catalog_mistakes(catalog, source_format)
    complaints = [str(mistake) for mistake in mistakes]
    for tool, parameter, reason in broken_schemas(loaded):
        place = f"{shown(tool)}.{shown(parameter)}" if parameter else shown(tool)
        complaints.append(f"{place}: the schema cannot be judged: {reason}.")
    for complaint in complaints:
        output.complain("error", complaint)
    if complaints:
        raise typer.Exit(2)
    output.write(f"ok: {count(len(loaded), 'tool')}")


@app.adds("convert", "Write a catalog in another format.")
def convert_catalog(
    catalog: str = argument(
        "IN", "File with the tools, - for standard input, or a shipped catalog."
    ),
    target: str = argument(
        "OUT", "File to write; - writes to standard output.", callback=writes_to
    ),
    source_format: str | None = FROM_OR_FORMAT,
    to: str = option("native", "Format to write: native unless another is named.", "FORMAT"),
    no_cache: bool = NO_CACHE,
) -> None:
    """
    Write a catalog in another format.

    Files that end in .json are JSON, files that end in .yaml or .yml are YAML. Elsewhere native catalogs
    are YAML, others JSON. What a format has no words for is lost.

    Examples:

      refract-asp catalog convert openapi.json tools.yaml
      refract-asp catalog convert tools.yaml tools.json --to openai
      refract-asp catalog convert - - --from mcp < tools_list.json
    """
    data = inputs.read_catalog(catalog, source_format, no_cache=no_cache).dump(to)
    suffix = Path(target).suffix.lower()
    is_yaml = suffix in (".yaml", ".yml") or (suffix != ".json" and to == "native")
    output.write(yaml_text(data) if is_yaml else output.json_text(data), target)


@app.adds("show")
def show_catalog(
    catalog: str = CATALOG,
    tool: str | None = option(None, "Show this tool alone, with all it says.", "NAME"),
    source_format: str | None = FROM,
    no_cache: bool = NO_CACHE,
    format: Format = FORMAT,
    to_file: str | None = OUTPUT,
) -> None:
    """
    Print the tools of a catalog with their parameters and outputs.

    A star marks parameters that have to be given.
    """
    loaded = inputs.read_catalog(catalog, source_format, no_cache=no_cache)
    if tool is not None:
        if tool not in loaded.by_name:
            from difflib import get_close_matches

            near = ", ".join(map(shown, get_close_matches(tool, loaded.by_name, n=3)))
            hint = f"Near: {near}." if near else "`catalog show` lists them."
            raise InputError(f"the catalog has no tool {shown(tool)!r}.", hint=hint)
        loaded = loaded.filter([tool])
    if format == "json":
        text = output.json_text({"schema_version": 1, **loaded.model_dump(mode="json")})
    else:
        lines = _overview(loaded) if tool is None else _details(loaded.tools[0])
        text = "\n".join(lines)
    output.write(text, to_file)


def _parameters(tool: Tool) -> Iterator[tuple[str, str, str]]:
    """Yield the name of each parameter, its type, and what its schema says besides."""
    for each in tool.parameters.values():
        name = f"{escaped(each.name)}{'*' if each.required else ''}"
        schema = each.json_schema
        about = [shown(schema["description"], LONGEST_TEXT)] if schema.get("description") else []
        if isinstance(values := schema.get("enum"), list):
            about.append(f"one of {', '.join(map(shown, values[:20]))}")
        if "default" in schema:
            about.append(f"default {shown(schema['default'])}")
        told = "; ".join(part.rstrip(".") for part in about)
        yield name, schema_type(schema, tool.input_schema), told
    if tool.additional_parameters:
        yield "any other", "any", ""


def _overview(catalog: Catalog) -> Iterator[str]:
    """Yield a block of lines for every tool."""
    width = output.text_width()
    for index, tool in enumerate(catalog):
        if index:
            yield ""
        yield f"{escaped(tool.name)} ({tool.effect})"
        takes = ", ".join(name for name, _, _ in _parameters(tool)) or "nothing"
        fields = [escaped(path_text(field.path)) for field in tool.output_fields]
        returns = ", ".join(fields) or "nothing named"
        yield folded(takes, width, "  takes    ", " " * 11)
        is_open = tool.output_schema is None
        yield folded("not specified" if is_open else returns, width, "  returns  ", " " * 11)


def _details(tool: Tool) -> Iterator[str]:
    """Yield all that a tool says of itself: a line for each parameter and output."""
    yield f"{escaped(tool.name)} ({tool.effect})"
    if tool.description:
        yield folded(shown(tool.description, 2_000), output.text_width(), "  ", "  ")
    yield from ("", "takes")
    yield from _table(_parameters(tool))
    yield from ("", "returns")
    if tool.output_schema is None:
        yield "  not specified"
    fields = tool.output_fields
    yield from _table((escaped(path_text(field.path)), field.type, "") for field in fields)


def _table(rows: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """Yield rows with their columns aligned; only the last column is wrapped."""
    cells = list(rows)
    first, second = (max((len(row[i]) for row in cells), default=0) for i in (0, 1))
    for name, kind, about in cells:
        head = f"  {name:<{first}}  {kind:<{second}}"
        room = max(30, output.text_width() - len(head) - 2)
        lines = textwrap.wrap(about, room) or [""]
        yield f"{head}  {lines[0]}".rstrip()
        yield from (f"{'':<{len(head)}}  {more}" for more in lines[1:])


@app.adds("maps", "Say which outputs may fill which parameters.")
def write_maps(
    catalog: str = CATALOG,
    learn: list[str] | None = option(
        None,
        "Learn from the sequence in this file, or from one in each line of a .jsonl file; repeatable.",
        "FILE",
    ),
    min_count: int = option(1, "How often a pair has to be seen.", "N", min=1),
    embedder: str = option(
        "tfidf",
        "What compares descriptions: character n-grams, a model of sentence-transformers (name or "
        "folder), or nothing, to learn alone.",
        "tfidf|MODEL|none",
    ),
    top_k: int = option(5, "How many computed ones a parameter gets.", "N", min=1, max=1000),
    threshold: float = option(
        0.6, "The least weight of a computed one.", "WEIGHT", min=0.0, max=1.0
    ),
    merge: list[str] | None = option(
        None, "Keep the mappings of this file, and their weights; repeatable.", "FILE"
    ),
    source_format: str | None = FROM,
    no_cache: bool = NO_CACHE,
    format: Format | None = option(
        None, "YAML or JSON; by default as the file is named, else YAML.", "text|json"
    ),
    to_file: str | None = OUTPUT,
) -> None:
    """
    Say which outputs may fill which parameters, as --mappings reads it.

    Computed is what is described alike: names, descriptions, types, and the tools. Learnt is what
    past sequences read from where. Of equal pairs the larger weight stays, but for those of --merge.

    Examples:

      refract-asp catalog maps travel
      refract-asp catalog maps tools.yaml --threshold 0.7 -o maps.yaml
      refract-asp catalog maps tools.yaml --learn past.txt -o maps.json
      refract-asp catalog maps tools.yaml --merge mine.yaml -o maps.yaml
      refract-asp solve calls.txt --catalog tools.yaml --mappings maps.yaml
    """
    inputs.only_one_stdin(catalog, *(learn or ()), *(merge or ()))
    loaded = inputs.read_catalog(catalog, source_format, no_cache=no_cache)
    given = [mapping for source in merge or () for mapping in inputs.read_mappings(source)]
    sequences = [sequence for source in learn or () for sequence in _sequences(source)]
    learnt = mappings.learn(sequences, loaded, min_count) if sequences else ()
    computed: tuple[Mapping, ...] = ()
    if embedder != "none":
        # None is the one that is built in
        comparing = None if embedder == "tfidf" else mappings.SentenceTransformers(embedder)
        with output.progress("comparing tools", len(loaded)) as done:
            computed = mappings.compute(loaded, comparing, top_k, threshold, lambda *_: done())
    found = mappings.merge(learnt, computed, given=given)
    data = [mapping.model_dump(mode="json") for mapping in found]
    named_json = format is None and Path(to_file or "").suffix.lower() == ".json"
    is_json = format == "json" or named_json
    output.write(output.json_text(data) if is_json else yaml_text(data), to_file)


def _sequences(source: str) -> Iterator[Any]:
    """Yield the sequence of a file, or those in the lines of a .jsonl file."""
    if Path(source).suffix.lower() != ".jsonl":
        yield inputs.read_sequence(source)[0]
        return
    for number, line in enumerate(read_text(inputs.read_file(source)).splitlines(), 1):
        if line.strip():
            try:
                yield Sequence.load(line)
            except InputError as error:
                where = f"{shown(source)}:{number}{error.where.removeprefix('<text>')}"
                raise type(error)(error.what, where=where, hint=error.hint) from None


@app.adds("cache")
def show_cache(
    clear: bool = option(False, "Remove all that is kept."),
    format: Format = FORMAT,
    to_file: str | None = OUTPUT,
) -> None:
    """
    Tell what is kept of large catalogs, so that they need not be read again.

    The folder is refract-asp in $XDG_CACHE_HOME or ~/.cache; REFRACT_ASP_CACHE names another one, or turns
    the cache off (REFRACT_ASP_CACHE=off).
    """
    store = Store(cache_folder())
    sizes = [path.stat().st_size for path in store.files()]
    removed = store.clear() if clear else 0
    kept = [] if clear else sizes
    data = {
        "schema_version": 1,
        "folder": None if store.folder is None else str(store.folder),
        "catalogs": len(kept),
        "bytes": sum(kept),
        "removed": removed,
    }
    told = f"{count(len(sizes), 'catalog')}, {sum(sizes) / 1e6:.1f} MB"
    text = f"{escaped(str(store.folder))}: {'removed ' if clear else ''}{told}"
    if store.folder is None:
        text = "The cache is off."
    output.write(output.json_text(data) if format == "json" else text, to_file)
