"""`refract-asp catalog`: look at catalogs, find mistakes in them, convert them, compute mappings."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from refract_asp.cli import inputs, maps, options, output
from refract_asp.errors import LONGEST_TEXT, InputError, shown
from refract_asp.report.terminal import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from refract_asp.model import Catalog, Tool

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
    help="Look at catalogs of tools, check and convert them, find out what may fill what.",
    epilog=EPILOG,
)

CatalogArgument: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="CATALOG", help="File with the tools, or the name of a shipped catalog."),
]
FROM_HELP = "Format of the catalog, when it is not to be detected."
From: TypeAlias = Annotated[str | None, typer.Option("--from", metavar="FORMAT", help=FROM_HELP)]
FromOrFormat: TypeAlias = Annotated[
    str | None, typer.Option("--from", "--format", metavar="FORMAT", help=FROM_HELP)
]


@app.command("list")
def list_catalogs() -> None:
    """Print the names of the shipped catalogs, one a line."""
    from refract_asp.resources import catalog_names

    output.write("\n".join(catalog_names()))


@app.command("check", short_help="Say what is wrong with a catalog.")
def check_catalog(catalog: CatalogArgument, source_format: FromOrFormat = None) -> None:
    """Read a catalog and say what is wrong with each of its tools and schemas, or that it is ok."""
    from refract_asp.rules.index import broken_schemas

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
        typer.Argument(metavar="IN", help="File with the tools, - for standard input, or a shipped catalog."),
    ],
    target: Annotated[str, typer.Argument(metavar="OUT", help="File to write; - writes to standard output.")],
    source_format: FromOrFormat = None,
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help="Format to write: native unless another is named.")
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
        from refract_asp.formats.yaml_writing import yaml_text

        text = yaml_text(data)
    else:
        text = output.json_text(data)
    output.write(text, target)


@app.command("show")
def show_catalog(
    catalog: CatalogArgument,
    tool: Annotated[
        str | None, typer.Option("--tool", metavar="NAME", help="Show this tool alone, with all it says.")
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


app.command("maps", short_help="Say which outputs may fill which parameters.", epilog=maps.EPILOG)(
    maps.write_maps
)


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
    from refract_asp.caching import Store, cache_folder

    store = Store(cache_folder())
    entries = store.entries()
    removed = store.clear() if clear else 0
    size = sum(entry.size for entry in entries)
    if format is options.OutputFormat.JSON:
        text = output.json_text(
            {
                "schema_version": 1,
                "folder": None if store.folder is None else str(store.folder),
                "catalogs": len(store.entries()),
                "bytes": sum(entry.size for entry in store.entries()),
                "removed": removed,
            }
        )
    elif store.folder is None:
        text = "The cache is off."
    else:
        kept = f"{len(entries)} catalog{'' if len(entries) == 1 else 's'}, {size / 1e6:.1f} MB"
        text = f"{escaped(str(store.folder))}: {'removed ' if clear else ''}{kept}"
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
        yield from _entry("takes", _parameters(tool), width)
        yield from _entry("returns", _outputs(tool), width)


def _parameters(tool: Tool) -> str:
    names = [f"{escaped(p.name)}{'*' if p.required else ''}" for p in tool.parameters.values()]
    if tool.additional_parameters:
        names.append("any other")
    return ", ".join(names) or "nothing"


def _outputs(tool: Tool) -> str:
    from refract_asp.model.paths import path_text

    if tool.output_schema is None:
        return "not specified"
    return ", ".join(escaped(path_text(field.path)) for field in tool.output_fields) or "nothing named"


def _entry(name: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=f"  {name:<8} ",
        subsequent_indent=" " * 11,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _details(tool: Tool) -> Iterator[str]:
    """Yield all that a tool says of itself: a line for each parameter and output."""
    from refract_asp.model.paths import path_text
    from refract_asp.model.schemas import schema_type

    yield f"{escaped(tool.name)} ({tool.effect})"
    if tool.description:
        yield from textwrap.wrap(
            shown(tool.description, 2_000), _width(), initial_indent="  ", subsequent_indent="  "
        )
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
