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
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from refract_asp import mappings
from refract_asp.cli import inputs, output
from refract_asp.cli.options import Count, Group, OutputFile, SourceFormat, writes_to
from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.formats import load_mappings
from refract_asp.formats.yaml_text import yaml_text
from refract_asp.model import Mapping, Tool
from refract_asp.model.paths import path_text
from refract_asp.model.schemas import schema_type
from refract_asp.report.terminal import count, escaped
from refract_asp.resources import catalog_names
from refract_asp.rules.index import broken_schemas

app = Group(__doc__)


@app.adds("list")
def list_catalogs() -> None:
    """Print the names of the shipped catalogs, one a line."""
    output.write("\n".join(catalog_names()))


@app.adds("check")
def check_catalog(catalog: str, source_format: SourceFormat = None) -> None:
    """
    Report what is wrong with a catalog: each mistake in its tools and schemas, or that it is ok.

    Notes say how schemas were read that are not JSON Schema, and which parts of them are not judged.

    Examples:

      refract-asp catalog check tools.yaml

    Exit codes: 0 it is ok, 2 there is a mistake, or it cannot be read.

    Args:
        catalog (CATALOG): File with the tools, or the name of a shipped catalog.
        source_format (FORMAT): Format of the catalog, when it is not to be detected.
    """
    loaded, mistakes = inputs.read_catalog_mistakes(catalog, source_format)
    complaints = list(map(str, mistakes))
    for tool, parameter, reason in broken_schemas(loaded):
        place = ".".join(map(shown, filter(None, (tool, parameter))))
        complaints.append(f"{place}: the schema cannot be judged: {reason}.")
    if not loaded and not mistakes:
        complaints.append(f"{inputs.name_of(catalog)}: the catalog has no tools.")
    for remark in loaded.notes:
        output.complain("note", str(remark))
    for complaint in complaints:
        output.complain("error", complaint)
    if complaints:
        raise typer.Exit(2)
    output.write(f"ok: {count(len(loaded), 'tool')}")


@app.adds("convert")
def convert_catalog(
    catalog: str,
    target: Annotated[str, typer.Argument(callback=writes_to)],
    source_format: SourceFormat = None,
    to: str = "native",
    tool: list[str] | None = None,
    tag: list[str] | None = None,
    no_cache: bool = False,
) -> None:
    """
    Write a catalog in another format.

    Files that end in .json are JSON, files that end in .yaml or .yml are YAML. Elsewhere native catalogs
    are YAML, others JSON. What a format has no words for is lost.

    Examples:

      refract-asp catalog convert openapi.json tools.yaml
      refract-asp catalog convert tools.yaml tools.json --to openai
      refract-asp catalog convert - - --from mcp < tools_list.json

    Args:
        catalog (IN): File with the tools, - for standard input, or a shipped catalog.
        target (OUT): File to write; - writes to standard output.
        source_format (FORMAT): Format of the catalog, when it is not to be detected.
        to (FORMAT): Format to write: native unless another is named.
        tool (NAME|GLOB): Write this tool, or tools such as 'issues/*'; repeatable.
        tag (TAG): Write tools with this tag; repeatable.
        no_cache: Read the catalog anew, and keep nothing of it.
    """
    loaded = inputs.read_catalog(catalog, source_format, no_cache=no_cache)
    data = inputs.chosen(loaded, tool, tag).dump(to)
    suffix = Path(target).suffix.lower()
    is_yaml = suffix in (".yaml", ".yml") or (suffix != ".json" and to == "native")
    output.write(yaml_text(data) if is_yaml else output.json_text(data), target)


@app.adds("show", order="catalog tool tag source_format no_cache format to_file")
def show_catalog(
    out: output.Output,
    catalog: str,
    tool: list[str] | None = None,
    tag: list[str] | None = None,
    source_format: SourceFormat = None,
    no_cache: bool = False,
) -> None:
    """
    Print the tools of a catalog with their parameters and outputs.

    A star marks parameters that have to be given.

    Args:
        catalog (CATALOG): File with the tools, or the name of a shipped catalog.
        tool (NAME|GLOB): Show this tool alone, with all it says, or tools such as 'issues/*'; repeatable.
        tag (TAG): Show tools with this tag; repeatable.
        source_format (FORMAT): Format of the catalog, when it is not to be detected.
        no_cache: Read the catalog anew, and keep nothing of it.
    """
    loaded = inputs.read_catalog(catalog, source_format, no_cache=no_cache)
    loaded = inputs.chosen(loaded, tool, tag)

    def outputs(tool: Tool) -> list[tuple[str, str, str]]:
        """Return the path of each field of the output, and its type."""
        return [(escaped(path_text(field.path)), field.type, "") for field in tool.output_fields]

    how: Any = {"parameters": _parameters, "outputs": outputs}
    if tool and len(loaded) == 1:
        out.show(loaded, "tool", tool=loaded.tools[0], **how)
    else:
        out.show(loaded, "catalog", tools=loaded, **how)


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


_IS_JSON = {".yaml": False, ".yml": False, ".json": True}


@app.adds("maps")
def write_maps(
    catalog: str,
    learn: list[str] | None = None,
    min_count: Count = 1,
    embedder: str = "tfidf",
    top_k: Annotated[int, typer.Option(min=1, max=1000)] = 5,
    threshold: Annotated[float, typer.Option(min=0.0, max=1.0)] = 0.6,
    merge: list[str] | None = None,
    source_format: SourceFormat = None,
    no_cache: bool = False,
    format: Literal["text", "json"] | None = None,
    to_file: OutputFile = None,
) -> None:
    """
    Say which outputs may fill which parameters. It is written as --mappings reads it.

    Computed is what is described alike: names, descriptions, types, and the tools. Learnt is what
    past sequences read from where. Of equal pairs the larger weight stays, but for those of --merge.

    Examples:

      refract-asp catalog maps travel
      refract-asp catalog maps tools.yaml --threshold 0.7 -o maps.yaml
      refract-asp catalog maps tools.yaml --learn past.txt -o maps.json
      refract-asp catalog maps tools.yaml --merge mine.yaml -o maps.yaml
      refract-asp solve calls.txt --catalog tools.yaml --mappings maps.yaml

    Args:
        catalog (CATALOG): File with the tools, or the name of a shipped catalog.
        learn (FILE): Learn from the sequence in this file, or from one in each line of a .jsonl file;
            repeatable.
        min_count (N): How often a pair has to be seen.
        embedder (tfidf|MODEL|none): What compares descriptions: character n-grams, a model of
            sentence-transformers (name or folder), or nothing, to learn alone.
        top_k (N): How many computed ones a parameter gets.
        threshold (WEIGHT): The least weight of a computed one.
        merge (FILE): Keep the mappings of this file, and their weights; repeatable.
        source_format (FORMAT): Format of the catalog, when it is not to be detected.
        no_cache: Read the catalog anew, and keep nothing of it.
        format: YAML or JSON; by default as the file is named, else YAML.
        to_file (FILE): Write here, not to standard output.
    """
    inputs.only_one_stdin(catalog, *(learn or ()), *(merge or ()))
    loaded = inputs.read_catalog(catalog, source_format, no_cache=no_cache)
    given = [inputs.load(load_mappings, source) for source in merge or ()]
    sequences = [each.sequence for each in inputs.read_examples(learn or ())[0]]
    if learn and not sequences:
        raise inputs.nothing_in(learn, "sequence", '{"sequence": ...}')
    learnt = mappings.learn(sequences, loaded, min_count) if sequences else ()
    computed: tuple[Mapping, ...] = ()
    if embedder != "none":
        # None is the one that is built in
        comparing = None if embedder == "tfidf" else mappings.SentenceTransformers(embedder)
        with output.progress("comparing tools", len(loaded)) as done:
            computed = mappings.compute(loaded, comparing, top_k, threshold, lambda *_: done())
    found = mappings.merge(learnt, computed, given=tuple(chain.from_iterable(given)))
    data = [mapping.model_dump(mode="json") for mapping in found]
    is_json = output.by_ending(to_file, _IS_JSON, False) if format is None else format == "json"
    output.write(output.json_text(data) if is_json else yaml_text(data), to_file)
