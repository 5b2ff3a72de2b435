"""`refract-asp catalog`: look at catalogs, find mistakes in them, convert them, compute mappings."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from refract_asp import mappings
from refract_asp.cli import inputs, options, output
from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.formats import read_text
from refract_asp.formats.catalog_cache import Store, cache_folder
from refract_asp.formats.yaml_text import yaml_text
from refract_asp.model import Catalog, Mapping, Sequence, Tool
from refract_asp.model.paths import path_text
from refract_asp.model.schemas import schema_type
from refract_asp.report.terminal import escaped, folded
from refract_asp.resources import catalog_names
from refract_asp.rules.index import broken_schemas

__all__ = ["app"]

EPILOG = """
Examples:

\b
  refract-asp catalog list
  refract-asp catalog show travel
  refract-asp catalog show travel --tool SkyScrapperFlightSearch
  refract-asp catalog check tools.yaml
  refract-asp catalog convert openapi.json tools.yaml
  refract-asp catalog convert tools.yaml - --to openai
  refract-asp catalog maps tools.yaml -o maps.yaml
  refract-asp catalog cache
"""

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    epilog=EPILOG,
)

CatalogArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="CATALOG", help="File with the tools, or the name of a shipped catalog."
    ),
]
FROM_HELP = "Format of the catalog, when it is not to be detected."
From: TypeAlias = Annotated[str | None, typer.Option("--from", metavar="FORMAT", help=FROM_HELP)]
FromOrFormat: TypeAlias = Annotated[
    str | None, typer.Option("--from", "--format", metavar="FORMAT", help=FROM_HELP)
]


@app.command("list")
def list_catalogs() -> None:
    """Print the names of the shipped catalogs, one a line."""
    output.write("\n".join(catalog_names()))


@app.command("check", short_help="Say what is wrong with a catalog.")
def check_catalog(catalog: CatalogArgument, source_format: FromOrFormat = None) -> None:
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
    count = len(loaded)
    output.write(f"ok: {count} tool{'' if count == 1 else 's'}")


CONVERT_EPILOG = """
Examples:

\b
  refract-asp catalog convert openapi.json tools.yaml
  refract-asp catalog convert tools.yaml tools.json --to openai
  refract-asp catalog convert - - --from mcp < tools_list.json
"""


@app.command("convert", short_help="Write a catalog in another format.", epilog=CONVERT_EPILOG)
def convert_catalog(
    catalog: Annotated[
        str,
        typer.Argument(
            metavar="IN", help="File with the tools, - for standard input, or a shipped catalog."
        ),
    ],
    target: Annotated[
        str,
        typer.Argument(
            metavar="OUT",
            help="File to write; - writes to standard output.",
            callback=options.writes_to,
        ),
    ],
    source_format: FromOrFormat = None,
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="FORMAT", help="Format to write: native unless another is named."
        ),
    ] = "native",
    no_cache: options.NoCache = False,
) -> None:
    """
    Write a catalog in another format.

    Files that end in .json are JSON, files that end in .yaml or .yml are YAML. Elsewhere native catalogs
    are YAML, others JSON. What a format has no words for is lost.
    """
    data = inputs.read_catalog(catalog, source_format, no_cache=no_cache).dump(to)
    suffix = Path(target).suffix.lower()
    if suffix in (".yaml", ".yml") or (suffix != ".json" and to == "native"):
        text = yaml_text(data)
    else:
        text = output.json_text(data)
    output.write(text, target)


@app.command("show")
def show_catalog(
    catalog: CatalogArgument,
    tool: Annotated[
        str | None,
        typer.Option("--tool", metavar="NAME", help="Show this tool alone, with all it says."),
    ] = None,
    source_format: From = None,
    no_cache: options.NoCache = False,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    to_file: options.Output = None,
) -> None:
    """
    Print the tools of a catalog with their parameters and outputs.

    A star marks parameters that have to be given.
    """
    loaded = inputs.read_catalog(catalog, source_format, no_cache=no_cache)
    if tool is not None:
        loaded = loaded.filter([_tool(loaded, tool).name])
    if format is options.OutputFormat.JSON:
        text = output.json_text({"schema_version": 1, **loaded.model_dump(mode="json")})
    elif tool is not None:
        text = "\n".join(_details(loaded.tools[0]))
    else:
        text = "\n".join(_overview(loaded))
    output.write(text, to_file)


def _tool(catalog: Catalog, name: str) -> Tool:
    if name in catalog.by_name:
        return catalog.by_name[name]
    from difflib import get_close_matches

    near = get_close_matches(name, catalog.by_name, n=3)
    hint = f"Near: {', '.join(shown(n) for n in near)}." if near else "`catalog show` lists them."
    raise InputError(f"the catalog has no tool {shown(name)!r}.", hint=hint)


def _overview(catalog: Catalog) -> Iterator[str]:
    """Yield a block of lines for every tool."""
    width = _width()
    for index, tool in enumerate(catalog):
        if index:
            yield ""
        yield f"{escaped(tool.name)} ({tool.effect})"
        for name, text in (("takes", _parameters(tool)), ("returns", _outputs(tool))):
            yield folded(text, width, f"  {name:<8} ", " " * 11)


def _parameters(tool: Tool) -> str:
    names = [f"{escaped(p.name)}{'*' if p.required else ''}" for p in tool.parameters.values()]
    if tool.additional_parameters:
        names.append("any other")
    return ", ".join(names) or "nothing"


def _outputs(tool: Tool) -> str:
    if tool.output_schema is None:
        return "not specified"
    return (
        ", ".join(escaped(path_text(field.path)) for field in tool.output_fields) or "nothing named"
    )


def _details(tool: Tool) -> Iterator[str]:
    """Yield all that a tool says of itself: a line for each parameter and output."""
    yield f"{escaped(tool.name)} ({tool.effect})"
    if tool.description:
        yield folded(shown(tool.description, 2_000), _width(), "  ", "  ")
    yield ""
    yield "takes"
    rows = [
        (
            f"{escaped(parameter.name)}{'*' if parameter.required else ''}",
            schema_type(parameter.json_schema, tool.input_schema),
            _about(parameter.json_schema),
        )
        for parameter in tool.parameters.values()
    ]
    if tool.additional_parameters:
        rows.append(("any other", "any", ""))
    yield from _table(rows)
    yield ""
    yield "returns"
    if tool.output_schema is None:
        yield "  not specified"
    yield from _table((escaped(path_text(field.path)), field.type) for field in tool.output_fields)


def _about(schema: dict[str, Any]) -> str:
    """Return what a schema says of a parameter besides its type."""
    parts = []
    if description := schema.get("description"):
        parts.append(shown(description, LONGEST_TEXT))
    values = schema.get("enum")
    if isinstance(values, list):
        parts.append(f"one of {', '.join(shown(value) for value in values[:20])}")
    if "default" in schema:
        parts.append(f"default {shown(schema['default'])}")
    return "; ".join(part.rstrip(".") for part in parts)


def _table(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Return rows with their columns aligned; only a last column of three is wrapped."""
    cells = list(rows)
    first, second = (max((len(row[i]) for row in cells), default=0) for i in (0, 1))
    lines: list[str] = []
    for row in cells:
        head = f"  {row[0]:<{first}}  {row[1]:<{second}}"
        about = textwrap.wrap(row[2], max(30, _width() - len(head) - 2)) if len(row) > 2 else []
        lines.append(f"{head}  {about[0]}" if about else head.rstrip())
        lines += [f"{'':<{len(head)}}  {more}" for more in about[1:]]
    return lines


def _width() -> int:
    return max(40, min(output.width(), 120))


MAPS_EPILOG = """
Examples:

\b
  refract-asp catalog maps travel
  refract-asp catalog maps tools.yaml --threshold 0.7 -o maps.yaml
  refract-asp catalog maps tools.yaml --learn past.txt -o maps.json
  refract-asp catalog maps tools.yaml --merge mine.yaml -o maps.yaml
  refract-asp solve calls.txt --catalog tools.yaml --mappings maps.yaml
"""
TFIDF, NONE = "tfidf", "none"


@app.command("maps", short_help="Say which outputs may fill which parameters.", epilog=MAPS_EPILOG)
def write_maps(
    catalog: Annotated[
        str,
        typer.Argument(
            metavar="CATALOG", help="File with the tools, or the name of a shipped catalog."
        ),
    ],
    learn: Annotated[
        list[str] | None,
        typer.Option(
            "--learn",
            metavar="FILE",
            help="Learn from the sequence in this file, or from one in each line of a .jsonl file; "
            "repeatable.",
        ),
    ] = None,
    min_count: Annotated[
        int,
        typer.Option("--min-count", metavar="N", min=1, help="How often a pair has to be seen."),
    ] = 1,
    embedder: Annotated[
        str,
        typer.Option(
            "--embedder",
            metavar="tfidf|MODEL|none",
            help="What compares descriptions: character n-grams, a model of sentence-transformers (name or "
            "folder), or nothing, to learn alone.",
        ),
    ] = TFIDF,
    top_k: Annotated[
        int,
        typer.Option(
            "--top-k", metavar="N", min=1, max=1000, help="How many computed ones a parameter gets."
        ),
    ] = 5,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold",
            metavar="WEIGHT",
            min=0.0,
            max=1.0,
            help="The least weight of a computed one.",
        ),
    ] = 0.6,
    merge: Annotated[
        list[str] | None,
        typer.Option(
            "--merge",
            metavar="FILE",
            help="Keep the mappings of this file, and their weights; repeatable.",
        ),
    ] = None,
    source_format: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FORMAT", help="Format of the catalog, when it is not to be detected."
        ),
    ] = None,
    no_cache: options.NoCache = False,
    format: Annotated[
        options.OutputFormat | None,
        typer.Option(
            "--format",
            metavar="text|json",
            help="YAML or JSON; by default as the file is named, else YAML.",
        ),
    ] = None,
    to_file: options.Output = None,
) -> None:
    """
    Say which outputs may fill which parameters, as --mappings reads it.

    Computed is what is described alike: names, descriptions, types, and the tools. Learnt is what
    past sequences read from where. Of equal pairs the larger weight stays, but for those of --merge.
    """
    inputs.only_one_stdin(catalog, *(learn or ()), *(merge or ()))
    loaded = inputs.read_catalog(catalog, source_format, no_cache=no_cache)
    given = [mapping for source in merge or () for mapping in inputs.read_mappings(source)]
    sequences = [sequence for source in learn or () for sequence in _sequences(source)]
    learnt = mappings.learn(sequences, loaded, min_count) if sequences else ()
    computed = _computed(loaded, embedder, top_k, threshold)
    found = mappings.merge(learnt, computed, given=given)
    data = [mapping.model_dump(mode="json") for mapping in found]
    output.write(_maps_text(data, format, to_file), to_file)


def _computed(catalog: Catalog, embedder: str, top_k: int, threshold: float) -> tuple[Mapping, ...]:
    if embedder == NONE:
        return ()
    with _progress(len(catalog)) as progress:
        return mappings.compute(catalog, _embedder(embedder), top_k, threshold, progress)


def _embedder(name: str) -> mappings.Embedder | None:
    """Return what the name means; None for the one that is built in."""
    if name == TFIDF:
        return None
    return mappings.SentenceTransformers(name)


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


@contextmanager
def _progress(length: int) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar on standard error where that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    with typer.progressbar(
        length=length, label="comparing tools", show_eta=False, file=sys.stderr
    ) as bar:
        yield lambda done, _: bar.update(done - bar.pos)


def _maps_text(
    data: list[dict[str, Any]], format: options.OutputFormat | None, to_file: str | None
) -> str:
    is_json = (
        to_file is not None and Path(to_file).suffix.lower() == ".json" if format is None else False
    )
    if is_json or format is options.OutputFormat.JSON:
        return output.json_text(data)
    return yaml_text(data)


@app.command("cache")
def show_cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all that is kept.")] = False,
    format: options.OutputFormatChoice = options.OutputFormat.TEXT,
    to_file: options.Output = None,
) -> None:
    """
    Tell what is kept of large catalogs, so that they need not be read again.

    The folder is refract-asp in $XDG_CACHE_HOME or ~/.cache; REFRACT_ASP_CACHE names another one, or turns
    the cache off (REFRACT_ASP_CACHE=off).
    """
    store = Store(cache_folder())
    sizes = [path.stat().st_size for path in store.files()]
    removed = store.clear() if clear else 0
    if format is options.OutputFormat.JSON:
        text = output.json_text(
            {
                "schema_version": 1,
                "folder": None if store.folder is None else str(store.folder),
                "catalogs": 0 if clear else len(sizes),
                "bytes": 0 if clear else sum(sizes),
                "removed": removed,
            }
        )
    elif store.folder is None:
        text = "The cache is off."
    else:
        kept = f"{len(sizes)} catalog{'' if len(sizes) == 1 else 's'}, {sum(sizes) / 1e6:.1f} MB"
        text = f"{escaped(str(store.folder))}: {'removed ' if clear else ''}{kept}"
    output.write(text, to_file)
