"""The blocks of calls in the text of a model: how the body of each is read and printed, whatever marks it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from refract_asp.errors import InputError
from refract_asp.formats import chat, pretty, python, values
from refract_asp.formats.model_dialects import LAYOUT, NO_TOOLS, Dialect, folded, unfolded
from refract_asp.formats.source import Format
from refract_asp.formats.values import Origin, UnreadableError
from refract_asp.model import Call, Constant, Sequence, Source, Tool
from refract_asp.model.paths import POSITION, as_list, is_position, list_of, object_of
from refract_asp.model.schemas import schema_types, type_of
from refract_asp.ports import regex

_NAMED_BODY = regex(
    r"\s*(?P<name>(?:[^\W\d]|\\_)(?:[\w.\-]|\\_){0,199})\s*(?=\{|```|<(?:\w+_)?arg_key>)"
)
_TOOL = regex(r"[^\W\d][\w.\-]{0,199}")
# Of blanks only the first is where something may end, here and in the dialects: each row of them is seen once.
_FENCED = regex(r"\s*+```[\w+\-]*+\s*+(?P<body>(?:\S.*?)??)(?:(?<!\s)\s*+)?(?:```\s*+)?", re.S)
_KEY = regex(
    r"""["'](?:name|tool_name|function_name|tool|function|action)["']\s*:\s*["']([^"'\n]{1,200})["']"""
)
_BETWEEN = regex(r"[\s,;]*")
_PAIR = regex(
    r"<(?P<tag>(?:｜DSML｜|\w+:)?(?:parameter|param|argument|arg))(?:=|\s+name=)[\"']?(?P<key>[^\"'>\n]{1,200})[\"']?"
    r"(?P<more>\s[^>]*)?>(?P<value>.*?)(?P<end></(?P=tag)>|(?=<(?P=tag)[=\s])|\Z)"
    r"|<(?P<tag2>\w*arg_)key>\s*(?P<key2>[^<\n]{1,200}?)\s*</(?P=tag2)key>\s*<(?P=tag2)value>(?P<value2>.*?)"
    r"(?P<end2></(?P=tag2)value>|(?=<(?P=tag2)key>)|\Z)",
    re.S,
)
# An argument whose tag is its name; a key that is said again stands as `_AGAIN` in what is printed.
_CHILD = regex(
    r"<(?P<key>[^\W\d][\w.\-]{0,199})>(?P<value>.*?)(?P<end></(?P=key)>)\s*+(?P<more>)", re.S
)
_AGAIN = "\0"
# What stands for itself is no text: JSON, and several paragraphs.
_NOT_TEXT = regex(r"\s*(?:[{\[]|```)|.*?\S[^\S\n]*+\n[^\S\n]*+\n\s*+\S", re.S)
_ESCAPE = regex(r"""(<escape>|<\|"\|>)(?P<text>.*?)\1""", re.S)
_QUOTED_JSON = regex(
    r'"(?:-?[\d.]+(?:[eE][-+]?\d+)?|true|false|null|True|False|None|[\[{].*[\]}])"', re.S
)
_WORDS = {"True": True, "False": False, "None": None}


class CallText(list[Any]):
    """Calls as data that were written as call text, in which names stand for labels."""


class Untyped(dict[str, Any]):
    """Arguments that were written between tags, where a text cannot be distinguished from other values."""

    def __init__(self, values: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        """Take what the arguments probably stand for, and those of them that may be texts, as they stood."""
        super().__init__(values)
        self.texts = texts


def as_declared(call: Call, tool: Tool | None) -> Call:
    """
    Return a call with texts where its tool takes texts, if its arguments were written without types.

    Example:
        >>> from refract_asp.model import Catalog, Sequence
        >>> catalog = Catalog.load({"tools": [{"name": "find", "parameters": {"zip": "string"}}]})
        >>> call = Sequence.load("<function=find><parameter=zip>90210</parameter></function>").calls[0]
        >>> call.arguments["zip"].value, as_declared(call, catalog.by_name["find"]).arguments["zip"].value
        (90210, '90210')
    """
    written = object_of(call.written).get("arguments")
    if not isinstance(written, Untyped) or tool is None:
        return call
    texts: dict[str, Source] = {}
    for name, text in written.texts.items():
        declared, source = tool.parameters.get(name), call.arguments.get(name)
        if declared is not None and isinstance(source, Constant):
            taken = schema_types(declared.json_schema, tool.input_schema)
            if "string" in taken and type_of(source.value) not in taken:
                texts[name] = Constant(value=text)
    return call.model_copy(update={"arguments": {**call.arguments, **texts}}) if texts else call


@dataclass
class Block:
    """
    A piece of a text that holds calls.

    Attributes:
        start: where it begins in the text, and `end` where it ends.
        style: in which way its calls are written.
        where: its place, for messages.
        name: of the call that could not be read, and `malformed` why.
        head: what stands before the calls or the name, `middle` after the name, `tail` after all.
        pair: what stands before a key, after it, and after its value, where each argument has tags.
        document: its calls as data; None when they could not be read.
        slips: what was mended.
        is_cut: whether the text ends before the block does.
    """

    start: int
    end: int
    style: str
    where: str
    name: str = ""
    malformed: str | None = None
    head: str = ""
    middle: str = ""
    tail: str = ""
    pair: tuple[str, str, str] = ('<parameter name="', '">', "</parameter>")
    document: Any = None
    slips: tuple[str, ...] = ()
    is_cut: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is not even the name of a tool."""
        return self.malformed is not None and not self.name

    def printed(self, data: Any) -> str:
        """Print the block with other calls in it."""
        if self.style == "json":
            return f"{self.head}{to_json(data)}{self.tail}"
        entries = as_list(data)
        if self.style == "folded":
            return f"{self.head}{to_json(folded(entries))}{self.tail}"
        if self.style == "tag":
            return "\n".join(f"{self.head}{to_json(entry)}{self.tail}" for entry in entries)
        before, between, after = self.pair
        texts = getattr((self.document or {}).get("arguments"), "texts", {})
        printed = []
        for entry in entries:
            held = "" if self.style == "pairs" else to_json(entry["arguments"])
            if self.style == "keywords":
                given = {key: Constant(value=value) for key, value in entry["arguments"].items()}
                held = python.call_text(Call(name="f", arguments=given))[len("f(") : -1]
            for key, value in entry["arguments"].items() if self.style == "pairs" else ():
                # it reads back, or it stood there and is a text because its tool takes one
                is_text = isinstance(value, str) and value in (_typed(value), texts.get(key))
                text = value if is_text else to_json(value)
                held += f"{before}{key}{between}{text}{after.replace(_AGAIN, key)}"
            printed.append(f"{self.head}{entry['name']}{self.middle}{held}{self.tail}")
        return "\n".join(printed)


def to_json(value: Any) -> str:
    """Print a value as JSON."""
    return json.dumps(value, ensure_ascii=False)


def _typed(text: str) -> Any:
    """Return what the text between the tags of an argument stands for: JSON other than a text, or itself."""
    text = text.removeprefix("\n").removesuffix("\n")
    bare = text.strip()
    if bare in _WORDS:
        return _WORDS[bare]
    with suppress(UnreadableError, ValueError, RecursionError):
        if bare[:1] in ("[", "{"):
            return values.read_json_text(bare)[0]
        if bare[:1] in {*"-0123456789tfn"} or _QUOTED_JSON.fullmatch(bare):
            return values.DECODER.decode(bare)
    return text


def marked(match: re.Match[str], row: Dialect, origin: Origin) -> list[Block]:
    """Return the blocks that a mark begins, none where it holds no calls."""
    text, (start, end) = match.string, match.span()
    group = "body" if match["body"] is not None else "line"
    body = match[group]
    first, last = match.span(group)
    block = Block(start, end, "json", origin.at_character(text, start))
    given = match["name"] if "name" in row.pattern.groupindex else None
    if given is not None:
        head, after = match.span("name")
        block.name = given.strip().strip("*`\"' ")
        block.head, block.middle = text[start:head], text[after:first]
    else:
        block.head = text[start:first]
    block.is_cut = last >= len(text.rstrip())
    if block.is_cut:
        last = first + len(body.rstrip())
        body, block.end = text[first:last], last
    block.tail = "" if block.is_cut else text[last:end]
    if row.name in ("tags", "fence") and given is None:
        block.style = "tag" if row.name == "tags" and body.lstrip()[:1] != "[" else "json"
        block.tail = block.tail or (f"</{match['tag']}>" if row.name == "tags" else "\n```")
    return list(_filled(block, body, first, text, row))


def _filled(block: Block, body: str, first: int, text: str, row: Dialect) -> Iterator[Block]:
    """Read the body of a block, which begins at `first`; yield it, and what is cut off after it."""
    inner = _FENCED.fullmatch(body)
    if inner is not None and row.name != "fence":
        first += inner.start("body")
        body = inner["body"]
    try:
        if not block.name and body.strip()[:1] in ("{", "["):
            broken = _read_values(block, body, first, text)
            if broken is not None:
                if block.end == broken.start:
                    yield block
                yield broken
                return
        elif block.name:
            _read_arguments(block, body, first, row)
        else:
            _read_body(block, body, row)
    except UnreadableError as error:
        key = _KEY.search(body)
        if row.sure or key is not None:
            name = key or _NAMED_BODY.match(body)
            block.name = block.name or ("" if name is None else name[1])
            block.malformed = f"the arguments: {error.what}" if block.middle else error.what
            yield block
            return
        block.document = called(body)
    is_found = _is_found(block)
    is_quoted = text[max(0, block.start - 1) : block.start] == "`"  # a mark that is only mentioned
    if is_found or (row.sure and not is_quoted):
        block.malformed = None if is_found else "no call is found here."
        yield block


def _read_values(block: Block, body: str, first: int, text: str) -> Block | None:
    """
    Read the JSON values of a body, which begins at `first`.

    Returns:
        A call after them that cannot be read, where there is one; the block ends there if it holds calls.
    """
    lead = len(body) - len(body.lstrip())
    found, error = json_values(body, lead)
    if not found:
        raise error or UnreadableError("not valid JSON.")
    stop = found[-1][1]
    documents = [value for _, _, value, _ in found]
    block.document = documents[0] if len(documents) == 1 else documents
    if not _is_found(block):
        listed = list_of(block.document)
        if (entries := unfolded(block.document)) is not None:
            block.document, block.style = entries, "folded"
        else:  # they may be texts of calls, each by itself or all together
            are_texts = all(isinstance(each, str) for each in listed)
            calls = called("\n".join(listed)) if are_texts else None
            said = text[first + lead : first + stop]
            block.document = calls or called(said) or block.document
    block.slips = tuple(dict.fromkeys(slip for each in found for slip in each[3]))
    rest = body[stop:]
    if rest.strip() and block.is_cut:
        block.end = first + stop
    elif rest.strip() and block.tail:
        block.tail = rest + block.tail
    if error is None or (key := _KEY.search(rest)) is None:
        return None
    at = first + stop + len(rest) - len(rest.lstrip(" \n\t,;"))
    if _is_found(block):
        block.end, block.tail = at, text[first + stop : at]
    return Block(at, first + len(body), "json", block.where, key[1], error.what)


def _read_arguments(block: Block, body: str, first: int, row: Dialect) -> None:
    """Read a body that begins at `first` and is the arguments of the name before it."""
    if row.writes == "keywords":
        calls = None if block.is_cut else called(f"call({body})")
        if calls is None or len(calls) != 1:
            what = "the text is cut off." if block.is_cut else "no call of Python has such ones."
            raise UnreadableError(what, "Write `tool_call(name='value')`.")
        block.style = "keywords"
        block.document = {"name": block.name, "arguments": calls[0].get("arguments", {})}
        return
    lead = len(body) - len(body.lstrip())
    pairs = [] if row.writes == "children" else list(_PAIR.finditer(body))
    position = lead
    # tags that are the names of arguments, of which all are, or none as in JSON
    while row.writes == "children" and position < len(body) and (pairs or body[lead] == "<"):
        if (pair := _CHILD.match(body, position)) is None:
            what = "between the tags of the arguments stands something else, or one has no end."
            raise UnreadableError(what, "Ask for the call again.")
        pairs.append(pair)
        position = pair.end()
    block.middle += body[: pairs[0].start()] if pairs else ""
    argue = _argue_by_text if row.writes == "text" else _argue
    argue(block, body, pairs)
    is_open = block.is_cut and block.style == "named"
    stop = values.end_of_value(body, lead) if is_open else None
    block.end = block.end if stop is None else first + stop


def _read_body(block: Block, body: str, row: Dialect) -> None:
    """Read a body that begins with a name, or in which all of a call stands."""
    pairs = list(_PAIR.finditer(body))
    named = _NAMED_BODY.match(body)
    if named is not None and body[named.end()] == "<":
        block.name = named["name"]
        block.middle = body[named.end("name") : pairs[0].start()] if pairs else "\n"
        block.head += body[: named.start("name")]
        _argue(block, body[named.end() :], pairs)
    elif named is not None:
        held = _FENCED.fullmatch(rest := body[named.end() :])
        value, block.slips = values.read_json_text(_whole_json(held["body"] if held else rest))
        block.document = {"name": named["name"], "arguments": value}
    elif row.sure and _TOOL.fullmatch(body.strip()):
        block.document = {"name": body.strip(), "arguments": {}}
    else:
        block.document = called(body) or called(body.replace("\\_", "_"))


def _is_found(block: Block) -> bool:
    return bool(chat.find_entries(LAYOUT, block.document).found)


def _argue_by_text(block: Block, body: str, pairs: list[re.Match[str]]) -> None:
    """Read the arguments of a block whose name is known, or one text, the first argument of the tool."""
    try:
        _argue(block, body, pairs)
    except UnreadableError:
        if _NOT_TEXT.match(body):
            raise
    held = block.document["arguments"] if block.document else body.strip()
    if isinstance(held, dict) or held is None:
        return
    block.style = "text"
    calls = called(f"{block.name}({held})") if block.document is None else None
    arguments = {} if held in NO_TOOLS else {f"{POSITION}1": held}
    block.document = {"name": block.name, "arguments": arguments}
    given = calls[0].get("arguments") or {} if calls else {}
    if calls and given and not any(map(is_position, given)):  # each of them has a name
        block.document = calls[0]


def _argue(block: Block, body: str, pairs: list[re.Match[str]]) -> None:
    """Read the arguments of a block whose name is known."""
    if pairs:
        if block.is_cut and not (pairs[-1]["end"] or pairs[-1]["end2"]):
            what = "the text is cut off inside an argument."
            raise UnreadableError(what, "Ask for the call again.")
        held: dict[str, Any] = {}
        texts: dict[str, str] = {}
        for pair in pairs:
            key = (pair["key"] or pair["key2"]).strip()
            if key in held:
                what = f"an object holds the key {key!r} twice."
                raise UnreadableError(what, "Remove one of the two.")
            raw = pair["value"] if pair["key"] else pair["value2"]
            held[key] = raw if 'string="true"' in (pair["more"] or "") else _typed(raw)
            if not isinstance(held[key], str):
                texts[key] = raw.removeprefix("\n").removesuffix("\n")
        held = Untyped(held, texts)
        block.pair, block.style = _around_values(pairs[0]), "pairs"
        block.tail = pairs[0].string[pairs[-1].end() :].lstrip() + block.tail
    else:
        if block.is_cut and not body.strip():
            raise UnreadableError("the text is cut off before them.", "Ask for the call again.")
        block.style = "named"
        said = _ESCAPE.sub(lambda found: to_json(found["text"]), body)
        held, block.slips = values.read_json_text(_whole_json(said.strip()) or "{}")
        if block.head.rstrip().endswith("call:"):  # where keys have no quotes
            block.slips = ()
    block.document = {"name": block.name, "arguments": held}


def _around_values(pair: re.Match[str]) -> tuple[str, str, str]:
    """Return what stands before the key of an argument in tags, between key and value, and after the value."""
    suffix = "" if pair["key"] else "2"
    text, start = pair.string, pair.start()
    spaces = re.match(r"\s*", text[pair.end("end" + suffix) :])
    padding = "\n" if pair["value" + suffix][:1] == "\n" else ""
    closing = f"</{_AGAIN}>" if pair.re.pattern == _CHILD.pattern else pair["end" + suffix] or ""
    return (
        text[start : pair.start("key" + suffix)],
        text[pair.end("key" + suffix) : pair.start("value" + suffix)] + padding,
        padding + closing + (spaces[0] if spaces else ""),
    )


def _whole_json(text: str) -> str:
    """Return the JSON value that a text begins with; all of the text where it has no end."""
    text = text.strip()
    if text[:1] not in ("{", "["):
        return text
    end = values.end_of_value(text, 0)
    return text if end is None else text[:end]


def json_values(
    text: str, start: int, *, inside: bool = False
) -> tuple[list[tuple[int, int, Any, tuple[str, ...]]], UnreadableError | None]:
    """Return the JSON values that follow each other from a place on, and why the next cannot be read."""
    found: list[tuple[int, int, Any, tuple[str, ...]]] = []
    position = start
    while text[position : position + 1] in ("{", "["):
        slips: tuple[str, ...] = ()
        try:
            value, end = values.LENIENT.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = values.end_of_value(text, position) or len(text)
            said = text[position:end]
            plain = said.replace("\\_", "_")
            try:
                value, slips = values.read_json_text(plain)
                slips += () if plain == said else ("escaped underscores",)
            except UnreadableError as error:
                if said[:1] == "[" and not found and not inside:
                    at = position + 1 + len(said[1:]) - len(said[1:].lstrip())
                    held, _ = json_values(text, at, inside=True)  # what is whole in it can be read
                    if held:
                        return held, error
                    if (calls := called(plain)) is not None:
                        slips = () if plain == said else ("escaped underscores",)
                        return [(position, end, calls, slips)], None
                return found, error
        found.append((position, end, value, slips))
        between = _BETWEEN.match(text, end)
        position = between.end() if between is not None else end
    return found, None


_TEXT_FORMATS: tuple[Format[Sequence], ...] = (pretty.FORMAT, python.FORMAT)


def called(body: str) -> CallText | None:
    """Return the calls of call text as data, None where it is none."""
    for known in _TEXT_FORMATS:
        with suppress(InputError):
            sequence = known.read(body, Origin()) if known.detects(body) else Sequence()
            broken = sequence.is_open or any(call.malformed for call in sequence.calls)
            if sequence.calls and not broken:
                plain = sequence.model_copy(update={"format": None, "written": None})
                return CallText(chat.write_document(LAYOUT, plain))
    return None
