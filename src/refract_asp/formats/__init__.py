"""
Reading and printing of sequences, catalogs, memory and mappings; one module for each format.

A `pathlib.Path` is a file, a text is content, lists and dicts are data, and what is already built passes
through. A format is found by what the data looks like, or forced by its name. To add one, write a module
with a `Format` (see `source`) and name it below; the first that detects the data reads it.

What is printed reads back as the same sequence, as far as it is written the usual way: an ask stands in
`asks` and no reference without a path has its name, the texts of a template do not touch, and what
holds no reference is a constant.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from refract_asp.errors import FormatError, InputError, NotDataError, UnknownFormatError, shown
from refract_asp.formats import (
    dialects,
    functions,
    nestful,
    openapi,
    plan,
    pretty,
    protocols,
    python,
    source,
    tool_lists,
)
from refract_asp.formats.catalogs import listed
from refract_asp.formats.given import load_mappings, load_memory
from refract_asp.formats.model_dialects import without_thinking
from refract_asp.formats.source import Foreign, Format
from refract_asp.formats.values import Origin, located, parse_json, plain
from refract_asp.model import Call, Catalog, Sequence, Tool
from refract_asp.model.catalog import collection_paused
from refract_asp.resources import catalog_names, catalog_path

__all__ = ["CATALOG_FORMATS", "SEQUENCE_FORMATS", "catalog_mistakes", "dump_catalog"]
__all__ += ["dump_sequence", "load_catalog", "load_mappings", "load_memory"]
__all__ += ["load_partial", "load_sequence", "read_text"]

SEQUENCE_FORMATS: tuple[Format[Sequence], ...] = (
    *protocols.FORMATS,
    *(module.FORMAT for module in (nestful, plan, pretty, python, dialects)),
)
CATALOG_FORMATS: tuple[Format[Catalog], ...] = (
    tool_lists.NATIVE,
    tool_lists.NESTFUL_SPEC,
    openapi.FORMAT,
    *tool_lists.FORMATS,
    functions.FORMAT,
)

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_ENDS = re.compile(r"[)\]}>](?=['\"`]?\s*(?:[,;<\[]|\Z)|[^\S\n]*\n)")
# How many places at which a call may have ended are looked at, from the end.
MAX_ENDS = 40
# Bytes of a file from which on what came of it is kept in the cache; smaller ones are read as fast.
MIN_KEPT = 250_000


def load_sequence(data: Any, format: str | None = None) -> Sequence:
    """
    Read a sequence; in a text, what a model only thought (`<think>`) is passed over.

    Args:
        data: a file, a text, data, calls, or a sequence, which is returned as it is. Objects with
            `model_dump` and dataclasses, as the messages of SDKs are, count as data, at any depth.
        format: the name of a format, or None to find it by what the data looks like.

    Raises:
        NotDataError: something is given that no model writes, such as a function or a set.
        FormatError: the data is not of the format; the message names the place.
        UnknownFormatError: no format fits, or none has the name.
        LimitError: a value is nested deeper than 64.

    Example:
        >>> load_sequence('var1 = Search(query="London")').calls[0].name
        'Search'
    """
    if isinstance(data, Sequence):
        return data
    if isinstance(data, Call):
        data = [data]
    if isinstance(data, list | tuple) and data and all(isinstance(call, Call) for call in data):
        return Sequence(calls=tuple(data))
    is_text = isinstance(data, str | Path)
    try:
        sequence = _read_sequence(data, format)
    except (FormatError, UnknownFormatError) as error:
        if not is_text:
            _refuse_foreign(data, said=f"{error.what.rstrip('.')}: ", hint=error.hint)
        raise
    for number, call in enumerate(sequence.calls, 1):
        if call.malformed is not None and not is_text:
            _refuse_foreign(call.written, f"call {number}")
    return sequence


def load_partial(text: str, format: str | None = None) -> Sequence:
    """
    Read the beginning of a text that a model still writes: the calls that are complete so far.

    A call is complete when its own end was written; until the first is, there are none. What is written later
    adds calls and changes none, unless it shows that all of this was only a thought.

    Raises:
        UnknownFormatError: no format has the name.
        LimitError: the text is too large or nested too deep.

    Example:
        >>> begun = '[{"name": "f", "arguments": {"a": 1}}, {"name": "g", "argu'
        >>> [call.name for call in load_partial(begun).calls]
        ['f']
    """
    if format is not None:
        source.find(SEQUENCE_FORMATS, format)
    best = Sequence()
    ends = [match.end() for match in _ENDS.finditer(text)][-MAX_ENDS:]
    left = 3
    for end in sorted({len(text), *ends}, reverse=True):
        with suppress(FormatError, UnknownFormatError):
            sequence = load_sequence(text[:end], format)
            calls = dialects.complete(sequence)
            if len(calls) > len(best.calls):
                best = sequence if calls == sequence.calls else Sequence(calls=calls)
            left -= bool(calls)
        if not left:
            break
    return best


def _refuse_foreign(data: Any, where: str = "", said: str = "", hint: str = "") -> None:
    """Refuse data that cannot be read where it holds objects that stand for no data: no model wrote that."""
    foreign: list[Foreign] = []
    source.as_data(data, foreign)
    if foreign:
        place, value = foreign[0]
        what = f"{said}no model writes a value of type {shown(type(value).__name__, 60)}."
        advice = "Give a text, a pathlib.Path, JSON data, objects with `model_dump`, dataclasses, or a Sequence."
        hint = f"{advice} {hint}".rstrip()
        raise NotDataError(what, where=Origin(where).at(place), hint=hint) from None


def _read_sequence(data: Any, format: str | None) -> Sequence:
    forced = None if format is None else source.find(SEQUENCE_FORMATS, format)
    text, origin = source.text_of(data)

    def format_of(content: Any) -> Format[Sequence]:
        return forced or source.detect(SEQUENCE_FORMATS, content, origin, CATALOG_FORMATS)

    if not isinstance(text, str):
        held, origin = source.opened(data, yaml=False)
        return format_of(held).read(source.short(held, origin), origin)
    is_prose = text.lstrip()[:1] not in ("{", "[")
    answer = without_thinking(source.short(text, origin, is_prose=is_prose))
    in_json = answer.lstrip()[:1] in ("{", "[")

    def read(known: Format[Sequence]) -> Sequence:
        """Read the answer in the text; only the dialects, which print prose as well, get the thinking too."""
        if known is dialects.FORMAT:
            return known.read(text, origin)
        sequence = known.read(answer, origin)
        if answer is text or not isinstance(sequence.written, str):
            return sequence
        return sequence.model_copy(update={"written": sequence.written.lstrip()})

    refused: InputError | None = None
    no_plan: FormatError | None = None
    fitting = None
    if in_json:
        try:
            content = source.short(parse_json(answer, origin, lenient=True), origin)
            fitting = format_of(content)
            return fitting.read(content, origin)
        except (FormatError, UnknownFormatError) as error:
            # what is a message of a provider holds no other calls in its text
            if len(answer) > source.MAX_TEXT or fitting in protocols.FORMATS:
                raise
            refused = error
    for known in SEQUENCE_FORMATS if forced is None else (forced,) if refused else ():
        if not known.detects(answer):
            continue
        try:
            sequence = read(known)  # the first format that reads all of it
        except FormatError as error:
            no_plan = error if known.name == "plan" else no_plan
            continue
        # a plan with a slip is no text of Python in which no call can be read
        if no_plan is not None and all(call.malformed for call in sequence.calls):
            raise no_plan
        return sequence
    if refused is not None:
        raise refused
    return read(format_of(answer))


def read_text(data: Path | str) -> str:
    """
    Return the text that a file or a text holds, without a byte order mark.

    Raises:
        FormatError: the file cannot be read.
    """
    return str(source.text_of(data)[0])


def dump_sequence(sequence: Sequence, format: str | None = None) -> Any:
    """
    Print a sequence, by default in the format it was read from, else as NESTFUL.

    Raises:
        UnknownFormatError: no format has the name.
        FormatError: a constant is not a JSON value, or the format cannot say what is open, unreadable or
            given back: only pretty and nestful can.

    Example:
        >>> dump_sequence(load_sequence([{"name": "Search", "arguments": {"query": "London"}}]), "pretty")
        ['Search(query="London")']
    """
    known = source.find(SEQUENCE_FORMATS, format or sequence.format or "nestful", to_write=True)
    return known.write(sequence) if known.write is not None else None


def load_catalog(data: Any, format: str | None = None, *, cache: bool = True) -> Catalog:
    """
    Read a catalog; one without a name takes that of its file.

    Args:
        data: the name of a shipped catalog, a file, a text in JSON (also one value a line) or YAML, data,
            functions, pydantic models and tool objects, tools, or a catalog, which is returned as it is.
        format: the name of a format, or None to find it by what the data looks like.
        cache: whether what came of a large file is kept for the next time, in a folder of the user
            (`refract_asp.formats.catalog_cache`).

    Raises:
        FormatError: the data is not of the format; the message names the place.
        UnknownFormatError: no format fits, or none has the name.
        CatalogError: two tools have one name.
        LimitError: the text is too large, or a value nested deeper than 64.

    Example:
        >>> load_catalog("tools: [{name: Search, effect: read}]").by_name["Search"].effect
        'read'
    """
    if isinstance(data, Catalog):
        return data
    if isinstance(data, list | tuple) and data and all(isinstance(tool, Tool) for tool in data):
        return Catalog(tools=tuple(data))
    data = _shipped(data)
    large = False
    with suppress(OSError, ValueError):
        large = cache and isinstance(data, Path) and data.stat().st_size >= MIN_KEPT
    with collection_paused():
        if not large:
            return _named(_read_catalog(data, format), data)
        from refract_asp.formats.catalog_cache import kept_catalog

        # What is kept has no name: the same text may stand in another file.
        kept = kept_catalog(data, format, lambda text: _read_catalog(data, format, text=text))
        return _named(kept, data)


def _shipped(data: Any) -> Any:
    """
    Return the file of the shipped catalog that a text names; everything else as it is.

    Raises:
        UnknownFormatError: the text is a word that can be nothing but a name, and no catalog has it.
    """
    if not isinstance(data, str) or not _NAME.fullmatch(data):
        return data
    names = catalog_names()
    if data in names:
        return catalog_path(data)
    hint = f"Shipped: {', '.join(names)}. For a file give a pathlib.Path."
    raise UnknownFormatError(f"there is no shipped catalog {shown(data, 60)!r}.", hint=hint)


def catalog_mistakes(
    data: Any, format: str | None = None
) -> tuple[Catalog, tuple[InputError, ...]]:
    """
    Read a catalog as far as it goes: return the tools that can be read, and what is wrong with the others.

    Raises:
        InputError: as `load_catalog` does, where nothing can be read.

    Example:
        >>> catalog, mistakes = catalog_mistakes({"tools": [{"name": "a"}, {"nmae": "b"}, {"name": "c"}]})
        >>> len(catalog), [mistake.where for mistake in mistakes]
        (2, ['tools[1].nmae'])
    """
    mistakes: list[InputError] = []
    data = _shipped(data)
    try:
        return _named(_read_catalog(data, format, mistakes), data), tuple(mistakes)
    except InputError as error:
        if not mistakes:
            raise
        return Catalog(), (*mistakes, error)


def _read_catalog(
    data: Any, format: str | None, mistakes: list[InputError] | None = None, text: str = ""
) -> Catalog:
    forced = None if format is None else source.find(CATALOG_FORMATS, format)
    if functions.FORMAT.detects(data) and forced in (None, functions.FORMAT):
        return functions.FORMAT.read(data, Origin(mistakes=mistakes))
    content, origin = source.opened(data, yaml=True, lines=True, text=text)
    content, origin = listed(content), replace(origin, mistakes=mistakes)
    known = forced or source.detect(CATALOG_FORMATS, content, origin, SEQUENCE_FORMATS)
    return known.read(content, origin)


def _named(catalog: Catalog, data: Any) -> Catalog:
    """Return a catalog that has the name of its file, where it has none of its own."""
    if catalog.name or not isinstance(data, Path):
        return catalog
    return catalog.model_copy(update={"name": data.stem})


def dump_catalog(catalog: Catalog, format: str = "native") -> Any:
    """
    Print a catalog as data that JSON and YAML can hold.

    Raises:
        UnknownFormatError: no format has the name, or it is only read.
        FormatError: a schema holds what is not a JSON value.

    Example:
        >>> dump_catalog(load_catalog("tools: [{name: Search, effect: read}]"), "native")
        {'tools': [{'name': 'Search', 'effect': 'read'}]}
    """
    known = source.find(CATALOG_FORMATS, format, to_write=True)
    with located(Origin()):
        return plain(known.write(catalog) if known.write is not None else None)
