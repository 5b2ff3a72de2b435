"""`refract-asp catalog maps`: learn and compute mappings, and write them to a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from refract_asp.cli import inputs, options, output
from refract_asp.errors import InputError, shown

if TYPE_CHECKING:
    from refract_asp.mappings import Embedder
    from refract_asp.model import Catalog, Mapping

__all__ = ["EPILOG", "write_maps"]

EPILOG = """
Examples:

\b
  refract-asp catalog maps travel
  refract-asp catalog maps tools.yaml --threshold 0.7 -o maps.yaml
  refract-asp catalog maps tools.yaml --learn past.txt -o maps.json
  refract-asp catalog maps tools.yaml --merge mine.yaml -o maps.yaml
  refract-asp solve calls.txt --catalog tools.yaml --mappings maps.yaml
"""
TFIDF, NONE = "tfidf", "none"


def write_maps(
    catalog: Annotated[
        str, typer.Argument(metavar="CATALOG", help="File with the tools, or the name of a shipped catalog.")
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
        int, typer.Option("--min-count", metavar="N", min=1, help="How often a pair has to be seen.")
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
            "--threshold", metavar="WEIGHT", min=0.0, max=1.0, help="The least weight of a computed one."
        ),
    ] = 0.6,
    merge: Annotated[
        list[str] | None,
        typer.Option(
            "--merge", metavar="FILE", help="Keep the mappings of this file, and their weights; repeatable."
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
            "--format", metavar="text|json", help="YAML or JSON; by default as the file is named, else YAML."
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
    from refract_asp.mappings import learn as learn_from
    from refract_asp.mappings import merge as merged

    loaded = inputs.read_catalog(catalog, source_format, no_cache=no_cache)
    given = [mapping for source in merge or () for mapping in inputs.read_mappings(source)]
    sequences = [sequence for source in learn or () for sequence in _sequences(source)]
    learnt = learn_from(sequences, loaded, min_count) if sequences else ()
    computed = _computed(loaded, embedder, top_k, threshold)
    found = merged(learnt, computed, given=given)
    data = [mapping.model_dump(mode="json") for mapping in found]
    output.write(_text(data, format, to_file), to_file)


def _computed(catalog: Catalog, embedder: str, top_k: int, threshold: float) -> tuple[Mapping, ...]:
    from refract_asp.mappings import compute

    if embedder == NONE:
        return ()
    with _progress(len(catalog)) as progress:
        return compute(catalog, _embedder(embedder), top_k, threshold, progress)


def _embedder(name: str) -> Embedder | None:
    """Return what the name means; None for the one that is built in."""
    if name == TFIDF:
        return None
    from refract_asp.mappings import SentenceTransformers

    return SentenceTransformers(name)


def _sequences(source: str) -> Iterator[Any]:
    """Yield the sequence of a file, or those in the lines of a .jsonl file."""
    if Path(source).suffix.lower() != ".jsonl":
        yield inputs.read_sequence(source)[0]
        return
    from refract_asp.formats import read_text
    from refract_asp.model import Sequence

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
    with typer.progressbar(length=length, label="comparing tools", show_eta=False, file=sys.stderr) as bar:
        yield lambda done, _: bar.update(done - bar.pos)


def _text(data: list[dict[str, Any]], format: options.OutputFormat | None, to_file: str | None) -> str:
    is_json = to_file is not None and Path(to_file).suffix.lower() == ".json" if format is None else False
    if is_json or format is options.OutputFormat.JSON:
        return output.json_text(data)
    from refract_asp.formats.yaml_writing import yaml_text

    return yaml_text(data)
