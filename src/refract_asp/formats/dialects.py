r"""
The many ways in which models write calls, in data and inside of texts; read under the name "loose".

    {"tool_calls": [{"name": "f", "arguments": {...}}]}    a list under a key, or the list, or one call;
    {"tool": "f", "args": {...}}                           under any of the usual keys
    {"name": "f", "arguments": "{...}"}                    with arguments as JSON text, null or []
    <tool_call>{"name": "f", "arguments": {...}}</tool_call>
    <function=f>{...}</function>
    ```json                                                a fenced block with JSON or call text,
    [{"name": "f", "parameters": {...}}]                   with prose around it
    ```
    Action: f
    Action Input: {...}
    [TOOL_CALLS] [{"name": "f", "arguments": {...}}]
    f                                                      a name, then its arguments
    {...}

JSON in texts is mended as `values` tells; escaped names (`solve\_x`) lose their backslashes. A block that
is cut off is a malformed call, under its name where that was still written. Text around the blocks is kept;
a block that did not change is printed as it stood.
What a model only thought (`without_thinking`) holds no calls.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from refract_asp.errors import InputError, LimitError, shown
from refract_asp.formats import chat, pretty, python, values
from refract_asp.formats.references import Known, known_of
from refract_asp.formats.source import Format, refuse_open
from refract_asp.formats.values import Origin, UnreadableError, located
from refract_asp.model import Call, Sequence

MAX_TEXT = 10_000_000
# How many marks of calls one text may have.
MAX_BLOCKS = 2000

_TAG = r"<(?P<tag>(?:tool|function)_call|tool_use)>(?P<held>.*?)(?:</(?P=tag)>|(?=<(?P=tag)>)|\Z)"
_CALL = r"<function=(?P<function>[^>\n]{1,200})>(?P<called>.*?)(?:</function>|(?=<function=)|\Z)"
_FENCE = r"```(?P<language>[\w-]*)[^\S\n]*\n(?P<fenced>.*?)(?:\n[^\S\n]*```|\Z)"
_ACTION = (
    r"^[^\S\n]*Action:[^\S\n]*(?P<action>[^\n]{1,200})\n\s*Action Input:"
    r"(?P<acted>.*?)(?=\n\s*(?:Observation|Thought|Action|Final Answer):|\Z)"
)
_MISTRAL = r"\[TOOL_CALLS\](?P<mistral>\s*\[.*?)(?=\[TOOL_CALLS\]|\Z)"
_BLOCK = re.compile("|".join((_TAG, _CALL, _FENCE, _ACTION, _MISTRAL)), re.S | re.M)
_NAMED = re.compile(r"^[^\S\n]*+(?P<name>(?:[^\W\d]|\\_)(?:[\w.\-]|\\_){0,199}+)\s*+(?=\{)", re.M)
_NAMED_BODY = re.compile(r"\s*(?P<name>(?:[^\W\d]|\\_)(?:[\w.\-]|\\_){0,199})\s*(?=\{)")
_MARK = re.compile(
    r"<(?:tool_call|function_call|tool_use|function=)|```|^[^\S\n]*Action:|\[TOOL_CALLS\]|\\_", re.M
)
_KEY = re.compile(
    r"""["'](?:name|tool_name|function_name|tool|function|action)["']\s*:\s*["']([^"'\n]{1,200})["']"""
)
_NEXT_NAMED = re.compile(r"\n[^\S\n]*(?=[^\W\d][\w.\\-]*\s*\{)")
_BETWEEN = re.compile(r"[\s,;]*")
_THINKING = re.compile(r"<(?P<end>/?)(?:think|thinking|reasoning)\s*+>", re.I)
# A text in quotes where a value stands, by what is before it and after it; prose has unpaired
# quotes.
_QUOTED = (
    r"`[^`\n]++`|[(\[{,:=]\s*+[bfru]{0,2}"
    r"""(?>"{3}.*?"{3}|'{3}.*?'{3}|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')"""
    r"(?=\s*+(?:[,;:=)\]}]|\Z)|[^\S\n]*+\n)"
)
_THINKING_OR_QUOTED = re.compile(f"{_THINKING.pattern}|{_QUOTED}", re.I | re.S)

_NAMES = ("name", "tool_name", "function_name", "tool", "function", "action")
_ARGUMENTS = (
    "arguments",
    "parameters",
    "args",
    "input",
    "kwargs",
    "action_input",
    "tool_input",
    "tool_kwargs",
)
_WRAPPERS = ("function", "functionCall", "function_call", "tool_call")
_BESIDES = frozenset({"id", "type", "label"})
_NOT_A_CALL = chat.NOT_A_CALL | {"returns"}
# The last ones are those of Pydantic AI, LlamaIndex and Haystack.
_LISTS = ("tool_calls", "calls", "function_calls", "actions", "parts", "blocks", "_content")
_SAID = frozenset({"part_kind", "block_type", "text"})
_IDS = ("id", "tool_call_id", "call_id", "tool_id")
_ESCAPED = re.compile(r"\\([_*\-.])")


# -- entries of any shape --------------------------------------------------------------


@lru_cache(maxsize=256)
def _shape(*keys: str, optional: bool, id: str = "id") -> chat.Shape:
    *outer, name, arguments = keys
    places: dict[str, Any] = {"name": (*outer, name), "arguments": (*outer, arguments), "id": (id,)}
    return chat.Shape(**places, loose=True, optional=optional)


class _Loose(chat.Layout):
    def shape_of(self, entry: Any) -> chat.Shape | None:
        """Return the shape of an entry by the keys that it has."""
        if not isinstance(entry, dict):
            return None
        outer = [key for key in _WRAPPERS if isinstance(entry.get(key), dict)][:1]
        inside = entry[outer[0]] if outer else entry
        name = next((key for key in _NAMES if isinstance(inside.get(key), str)), None)
        arguments = next((key for key in _ARGUMENTS if key in inside), None)
        if name is None or _NOT_A_CALL.intersection(inside):
            return None
        if arguments is None:
            bare = name in _NAMES[:3] and inside.keys() <= {name, *_BESIDES}
            return _shape(*outer, name, "arguments", optional=True) if bare else None
        is_description = arguments == "parameters" and entry.get("type") == "function"
        id = next((key for key in _IDS if key in entry), "id")
        return None if is_description else _shape(*outer, name, arguments, optional=False, id=id)

    def is_broken(self, entry: Any) -> bool:
        """Whether an entry should be a call and is none; parts that a message says may stand beside it."""
        return not (isinstance(entry, dict) and _SAID & entry.keys()) and super().is_broken(entry)


_LAYOUT = _Loose(
    name="loose",
    looks='{"tool_calls": [...]}, <tool_call>{...}</tool_call>, fenced JSON, "Action: ..." and the like',
    shapes=(chat.Shape(name=("name",), arguments=("arguments",), prefix="call_", spare=True),),
    lists=((), *((*way, key) for way in ((), (chat.ANY,), ("message",)) for key in _LISTS)),
)


# How a call is printed whose name and arguments stand apart.
_FORMS = {
    "function": "<function={}>{}</function>",
    "action": "Action: {}\nAction Input: {}",
    "named": "{}\n{}",
}


# -- blocks in texts -------------------------------------------------------------------


class CallText(list[Any]):
    """Calls as data that were written as call text, in which names stand for labels."""


@dataclass
class Block:
    """
    A piece of a text that holds calls.

    Attributes:
        start: where it begins in the text, and `end` where it ends.
        style: in which way its calls are written.
        where: its place, for messages.
        name: of the call that could not be read, and `malformed` why.
        head: what stands before the calls, as the tag, and `tail` what stands after them.
        document: its calls as data; None when they could not be read.
        slips: what was mended.
    """

    start: int
    end: int
    style: str
    where: str
    name: str = ""
    malformed: str | None = None
    head: str = ""
    tail: str = ""
    document: Any = None
    slips: tuple[str, ...] = ()

    @classmethod
    def marked(cls, match: re.Match[str], origin: Origin) -> Block | None:
        """Return the block that a mark begins, if it holds calls."""
        group = match.lastgroup or ""
        body, start, end = match[group], match.start(), match.end()
        block = cls(start, end, "json", origin.at_character(match.string, start))
        if group in ("acted", "mistral"):
            block.end = match.start(group) + len(body.rstrip())
        if style := {"called": "function", "acted": "action"}.get(group):
            block.style = style
            return block.with_arguments(match[style], body)
        if group == "fenced":
            block.head = match.string[start : match.start(group)]
            block.tail = match.string[match.end(group) : end] or "\n```"
        elif group == "mistral":
            block.head = "[TOOL_CALLS] "
        else:
            block.style, block.head, block.tail = "tag", f"<{match['tag']}>", f"</{match['tag']}>"
        return block if block.holds_calls(body, sure=group != "fenced") else None

    def printed(self, data: Any) -> str:
        """Print the block with other calls in it."""
        if self.style == "json":
            return f"{self.head}{_json(data)}{self.tail}"
        entries = data if isinstance(data, list) else [data]
        if self.style == "tag":
            return "\n".join(f"{self.head}{_json(entry)}{self.tail}" for entry in entries)
        form = _FORMS[self.style]
        return "\n".join(form.format(entry["name"], _json(entry["arguments"])) for entry in entries)

    def with_arguments(self, name: str, body: str) -> Block:
        """Return the block with a call whose name and arguments stand apart."""
        self.name = name.strip()
        try:
            value, self.slips = values.read_json_text(body.strip() or "{}")
            self.document = {"name": self.name, "arguments": value}
        except UnreadableError as error:
            self.malformed = f"the arguments: {error.what}"
        return self

    def read_values(self, body: str) -> None:
        """Read a body that is JSON; several values after each other are a list."""
        found = []
        position = 0
        with suppress(ValueError, RecursionError):
            while position < len(body):
                value, position = values.LENIENT.raw_decode(body, position)
                found.append(value)
                if between := _BETWEEN.match(body, position):
                    position = between.end()
            self.document = found[0] if len(found) == 1 else found
            return
        plain = body.replace("\\_", "_")
        try:
            self.document, self.slips = values.read_json_text(plain)
            self.slips += () if plain == body else ("escaped underscores",)
        except UnreadableError:
            self.document = _called(body)
            if self.document is None:
                raise

    def holds_calls(self, body: str, *, sure: bool) -> bool:
        """Read a body that is JSON, a name with JSON, or call text; whether it holds calls, as it is `sure` to."""
        named = _NAMED_BODY.match(body)
        functions = [match for match in _BLOCK.finditer(body) if match["function"]]
        try:
            if body.strip()[:1] in ("{", "["):
                self.read_values(body.strip())
            elif functions:
                self.document = [
                    {"name": each["function"], "arguments": values.read_json_text(text)[0]}
                    for each in functions
                    for text in [each["called"].strip() or "{}"]
                ]
            elif named is not None:
                value, self.slips = values.read_json_text(body[named.end() :].strip())
                self.document = {"name": named["name"], "arguments": value}
            else:
                self.document = _called(body)
        except UnreadableError as error:
            key = _KEY.search(body)
            if sure or key is not None:
                name = key or named
                self.name, self.malformed = "" if name is None else name[1], error.what
                return True
            self.document = _called(body)
        is_found = bool(chat.find_entries(_LAYOUT, self.document).found)
        self.malformed = None if is_found else "no call is found here."
        return sure or is_found


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def without_thinking(text: str) -> str:
    r"""
    Return a text with blanks for what a model only thought, so that all else keeps its line and column.

    That is what stands in `<think>`, `<thinking>` or `<reasoning>`, after such a tag that is never closed,
    and before a closing one that is never opened, because many templates open it in the prompt.

    Example:
        >>> without_thinking("<think>f(1)?</think>\ng(text='a <think> tag')")
        "                    \ng(text='a <think> tag')"
    """
    if _THINKING.search(text) is None:
        return text
    pieces: list[str] = []
    end = position = 0
    while (match := _THINKING_OR_QUOTED.search(text, position)) is not None:
        position = match.end()
        if match["end"] is None:  # quoted: a tag in it is data
            continue
        start = end
        if not match["end"]:
            start = match.start()
            closing = next((tag for tag in _THINKING.finditer(text, position) if tag["end"]), None)
            position = len(text) if closing is None else closing.end()
        pieces += [text[end:start], re.sub(r"[^\r\n]", " ", text[start:position])]
        end = position
    return "".join((*pieces, text[end:]))


def _named(text: str, origin: Origin) -> list[Block]:
    """Return the blocks that are a name with JSON after it, when the text holds nothing else of note."""
    blocks: list[Block] = []
    position = 0
    while (match := _NAMED.search(text, position)) is not None:
        start, body = match.start("name"), match.end()
        try:
            end = values.LENIENT.raw_decode(text, body)[1]
        except (ValueError, RecursionError):
            following = _NEXT_NAMED.search(text, body)
            end = body + len(text[body : following.start() if following else None].rstrip())
        block = Block(start, end, "named", origin.at_character(text, start))
        blocks.append(block.with_arguments(match["name"], text[body:end]))
        position = max(end, body + 1)
    return blocks


def _called(body: str) -> CallText | None:
    """Return the calls of call text as data, None where it is none."""
    for known in (pretty.FORMAT, python.FORMAT):
        with suppress(InputError):
            sequence = known.read(body, Origin()) if known.detects(body) else Sequence()
            broken = sequence.is_open or any(call.malformed for call in sequence.calls)
            if sequence.calls and not broken:
                plain = sequence.model_copy(update={"format": None, "written": None})
                entries = chat.write_document(_LAYOUT, plain)
                return CallText(entries)
    return None


# -- the format ------------------------------------------------------------------------


@dataclass
class _Text:
    """A text and its blocks."""

    text: str
    blocks: list[Block]


def _detects(data: Any) -> bool:
    if isinstance(data, str):
        return _MARK.search(data) is not None or _NAMED.search(data) is not None
    return _LAYOUT.detects(data)


def _read(data: Any, origin: Origin) -> Sequence:
    if not isinstance(data, str):
        return chat.read_document(_LAYOUT, data, origin)
    with located(origin):
        values.check_text(data)
    if len(data) > MAX_TEXT:
        raise LimitError(f"the text is longer than {MAX_TEXT:,} characters.", where=origin.at())
    text = without_thinking(data)
    matches = list(islice(_BLOCK.finditer(text), MAX_BLOCKS + 1))
    if len(matches) > MAX_BLOCKS:
        what = f"the text has more than {MAX_BLOCKS:,} marked calls."
        raise LimitError(what, where=origin.at(), hint="Give it in parts.")
    marked = [block for match in matches if (block := Block.marked(match, origin)) is not None]
    blocks = marked or _named(text, origin)
    if not blocks and "\\_" in text and (called := _called(text.replace("\\_", "_"))) is not None:
        blocks = [Block(0, len(text), "json", origin.at_character(text, 0), document=called)]
        blocks[0].slips = ("escaped underscores",)
    if not blocks:
        raise origin.error("no calls are found in the text.", hint=f"As in {_LAYOUT.looks}.")
    calls, notes, _ = _read_blocks(blocks)
    has_labels = any(isinstance(block.document, CallText) for block in blocks)
    rest: Any = {"calls": tuple(chain.from_iterable(calls)), "unlabelled": not has_labels}
    rest["notes"] = tuple(chain.from_iterable(notes))
    return Sequence(format="loose", written=_Text(data, blocks), **rest)


def _read_blocks(
    blocks: list[Block], names: frozenset[str] | None = None
) -> tuple[list[list[Call]], list[list[str]], dict[int, int]]:
    """Return the calls and the notes of each block, and for each entry, by id, the number of its block."""
    found = [chat.find_entries(_LAYOUT, block.document).found for block in blocks]
    labels = (label for each in found for label in chat.labels_of(_LAYOUT, each))
    reading = chat.Reading(Origin(), Known(labels, only=names))
    calls: list[list[Call]] = []
    notes: list[list[str]] = []
    for block, entries in zip(blocks, found, strict=True):
        reading.origin, reading.notes = Origin(block.where), []
        calls.append([])
        notes.append(reading.notes)
        if block.malformed is not None:
            reading.number += 1
            why = f"{block.where}: {block.malformed}"
            calls[-1].append(Call(name=block.name, malformed=why, written=block))
            continue
        slips = [", ".join(block.slips)] if block.slips else []
        first = reading.number + 1
        for number, call in enumerate(reading.calls(_LAYOUT, entries), first):
            name = _ESCAPED.sub(r"\1", call.name)
            slips += ["an escaped name"] if name != call.name else []
            notes[-1] += (f"call {number} ({shown(name, 60)}): mended {slip}." for slip in slips)
            calls[-1].append(call.model_copy(update={"name": name}))
            slips = []
    if reading.nameless:
        every = list(chain.from_iterable(calls))
        reading.checked([call for call in every if not isinstance(call.written, Block)] or every)
    owners = {id(call.written): n for n, each in enumerate(calls) for call in each}
    return calls, notes, owners


def _write(sequence: Sequence) -> Any:
    written = sequence.written if sequence.format == "loose" else None
    if sequence.format == "loose" and not isinstance(written, _Text):
        return chat.write_document(_LAYOUT, sequence)
    refuse_open(sequence, "loose")
    if not isinstance(written, _Text):
        entries = chat.write_document(_LAYOUT, sequence.model_copy(update={"format": None}))
        return "\n".join(f"<tool_call>{_json(entry)}</tool_call>" for entry in entries)
    known = known_of(sequence)
    again, notes, owners = _read_blocks(written.blocks, sequence.names)
    now: list[list[Call]] = [[] for _ in written.blocks]
    for call, _, near in chat.placed(sequence.calls, owners, [False] * len(written.blocks)):
        now[near].append(call)
    text = ""
    end = 0
    for block, before, after, mended in zip(written.blocks, again, now, notes, strict=True):
        text += written.text[end : block.start]
        end = block.end
        if before == after and not mended:
            text += written.text[block.start : end]
        else:
            part = Sequence(calls=tuple(after), format="loose", written=block.document)
            text += block.printed(chat.write_document(_LAYOUT, part, known))
    return text + written.text[end:]


FORMAT: Format[Sequence] = Format("loose", "sequence", _LAYOUT.looks, _detects, _read, _write)
