"""
The blocks of a text that hold calls: tags, fences, `Action:` lines; `dialects` lists them.

What a model only thought (`without_thinking`) holds none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from refract_asp.errors import InputError, LimitError
from refract_asp.formats import pretty, python
from refract_asp.formats.mending import read_json_text
from refract_asp.formats.origin import Origin
from refract_asp.formats.reference_texts import source_value
from refract_asp.formats.references import Known
from refract_asp.formats.values import LENIENT, UnreadableError, check_text

__all__ = ["Block", "CallText", "find_blocks", "looks_like_blocks", "without_thinking"]

MAX_TEXT = 10_000_000
MAX_BLOCKS = 2000
"""How many marks of calls one text may have."""

_TAG = (
    r"<(?P<tag>tool_call|function_call|tool_use)>(?P<tagged>.*?)(?:</(?P=tag)>|(?=<(?P=tag)>)|\Z)"
)
_FUNCTION = (
    r"<function=(?P<function>[^>\n]{1,200})>(?P<called>.*?)(?:</function>|(?=<function=)|\Z)"
)
_FENCE = r"```(?P<language>[\w-]*)[^\S\n]*\n(?P<fenced>.*?)(?:\n[^\S\n]*```|\Z)"
_ACTION = (
    r"^[^\S\n]*Action:[^\S\n]*(?P<action>[^\n]{1,200})\n\s*Action Input:"
    r"(?P<acted>.*?)(?=\n\s*(?:Observation|Thought|Action|Final Answer):|\Z)"
)
_MISTRAL = r"\[TOOL_CALLS\](?P<mistral>\s*\[.*?)(?=\[TOOL_CALLS\]|\Z)"
_BLOCK = re.compile("|".join((_TAG, _FUNCTION, _FENCE, _ACTION, _MISTRAL)), re.S | re.M)
_NAMED = re.compile(r"^[^\S\n]*+(?P<name>(?:[^\W\d]|\\_)(?:[\w.\-]|\\_){0,199}+)\s*+(?=\{)", re.M)
_NAMED_BODY = re.compile(r"\s*(?P<name>(?:[^\W\d]|\\_)(?:[\w.\-]|\\_){0,199})\s*(?=\{)")
_MARK = re.compile(
    r"<(?:tool_call|function_call|tool_use|function=)|```|^[^\S\n]*Action:|\[TOOL_CALLS\]|\\_", re.M
)
_KEY = re.compile(
    r"""["'](?:name|tool_name|function_name|tool|function|action)["']\s*:\s*["']([^"'\n]{1,200})["']"""
)
_BETWEEN = re.compile(r"[\s,;]*")
_THINKING = re.compile(r"<(?P<end>/?)(?:think|thinking|reasoning)\s*+>", re.I)
_QUOTED = (
    r"`[^`\n]++`|[(\[{,:=]\s*+[bfru]{0,2}"
    r"""(?>"{3}.*?"{3}|'{3}.*?'{3}|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')"""
    r"(?=\s*+(?:[,;:=)\]}]|\Z)|[^\S\n]*+\n)"
)
"""A text in quotes where a value stands, by what is before it and after it; prose has unpaired quotes."""
_THINKING_OR_QUOTED = re.compile(f"{_THINKING.pattern}|{_QUOTED}", re.I | re.S)


class CallText(list[Any]):
    """Calls as data that were written as call text, in which names stand for labels."""


@dataclass
class Block:
    """
    A piece of a text that holds calls.

    Attributes:
        start: where it begins in the text, and `end` where it ends.
        style: in which way its calls are written.
        document: its calls as data; None when they could not be read.
        where: its place, for messages.
        name: of the call that could not be read, and `malformed` why.
        slips: what was mended.
        head: what stands before the calls, as the tag, and `tail` what stands after them.
        envelope: what stands around the calls in the document; set when it is read.
    """

    start: int
    end: int
    style: str
    document: Any
    where: str
    name: str = ""
    malformed: str | None = None
    slips: tuple[str, ...] = ()
    head: str = ""
    tail: str = ""
    envelope: Any = field(default=None, repr=False)

    def printed(self, data: Any) -> str:
        """Print the block with other calls in it."""
        entries = data if isinstance(data, list) else [data]
        if self.style == "json":
            return f"{self.head}{_json(data)}{self.tail}"
        if self.style == "tag":
            return "\n".join(f"{self.head}{_json(entry)}{self.tail}" for entry in entries)
        form = {
            "function": "<function={}>{}</function>",
            "action": "Action: {}\nAction Input: {}",
            "named": "{}\n{}",
        }[self.style]
        return "\n".join(form.format(entry["name"], _json(entry["arguments"])) for entry in entries)


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


def looks_like_blocks(text: str) -> bool:
    """Whether a text may hold such blocks."""
    return _MARK.search(text) is not None or _NAMED.search(text) is not None


def find_blocks(text: str, origin: Origin, holds_calls: Callable[[Any], bool]) -> list[Block]:
    """
    Return the blocks of a text that hold calls, but for those that a model only thought of.

    Args:
        text: the text.
        origin: where it came from.
        holds_calls: whether data holds calls.

    Raises:
        FormatError: the text holds half a character.
        LimitError: it is too long, or has too many of them.
    """
    try:
        check_text(text)
    except UnreadableError as error:
        raise error.at(origin) from None
    if len(text) > MAX_TEXT:
        raise LimitError(f"the text is longer than {MAX_TEXT:,} characters.", where=origin.at())
    text = without_thinking(text)
    finder = _Finder(text, origin, holds_calls)
    matches = list(islice(_BLOCK.finditer(text), MAX_BLOCKS + 1))
    if len(matches) > MAX_BLOCKS:
        hint = "Give it in parts."
        raise LimitError(
            f"the text has more than {MAX_BLOCKS:,} marked calls.", where=origin.at(), hint=hint
        )
    blocks = [block for match in matches for block in finder.marked(match)]
    return blocks or finder.named() or finder.escaped()


@dataclass
class _Finder:
    text: str
    origin: Origin
    holds_calls: Callable[[Any], bool]

    def marked(self, match: re.Match[str]) -> list[Block]:
        """Return the block that a mark begins, if it holds calls."""
        if match["tag"]:
            head, tail = f"<{match['tag']}>", f"</{match['tag']}>"
            return self._body(match, "tagged", "tag", head, tail, sure=True)
        if match["function"]:
            return [
                self._block(
                    match.start(), match.end(), "function", match["function"], match["called"]
                )
            ]
        if match["action"]:
            end = match.start("acted") + len(match["acted"].rstrip())
            return [
                self._block(match.start(), end, "action", match["action"].strip(), match["acted"])
            ]
        if match["mistral"]:
            return self._body(match, "mistral", "json", "[TOOL_CALLS] ", "", sure=True)
        head = self.text[match.start() : match.start("fenced")]
        closing = self.text[match.end("fenced") : match.end()] or "\n```"
        return self._body(match, "fenced", "json", head, closing, sure=False)

    def _block(self, start: int, end: int, style: str, name: str, body: str) -> Block:
        """Return a block whose name and arguments stand apart."""
        block = Block(
            start, end, style, None, self.origin.at_character(self.text, start), name.strip()
        )
        try:
            value, block.slips = read_json_text(body.strip()) if body.strip() else ({}, ())
            block.document = {"name": block.name, "arguments": value}
        except UnreadableError as error:
            block.malformed = f"the arguments: {error.what}"
        return block

    def _body(
        self, match: re.Match[str], group: str, style: str, head: str, tail: str, *, sure: bool
    ) -> list[Block]:
        """Return the block whose body is JSON, a name with JSON, or call text; it is `sure` to be one."""
        body = match[group]
        block = Block(
            match.start(),
            match.end(),
            style,
            None,
            self.origin.at_character(self.text, match.start()),
        )
        block.head, block.tail = head, tail
        if group == "mistral":
            block.end = match.start(group) + len(body.rstrip())
        named = _NAMED_BODY.match(body)
        inner = _BLOCK.search(body)
        try:
            if body.strip()[:1] in ("{", "["):
                block.document, block.slips = self._json(body.strip())
            elif inner is not None and inner["function"]:
                found = [_marked_in(each) for each in _BLOCK.finditer(body) if each["function"]]
                block.document = [each for part in found for each in part]
            elif named is not None:
                value, block.slips = read_json_text(body[named.end() :].strip())
                block.document = {"name": named["name"], "arguments": value}
            else:
                block.document = _called(body)
        except UnreadableError as error:
            name = _KEY.search(body) or named
            if not sure and (name is None or not _KEY.search(body)):
                block.document = _called(body)
            else:
                block.name = "" if name is None else name[1]
                block.malformed = error.what
        if block.malformed is None and not self.holds_calls(block.document):
            if not sure:
                return []
            block.malformed = "no call is found here."
        return [block]

    def _json(self, body: str) -> tuple[Any, tuple[str, ...]]:
        """Return the JSON value of a body; several after each other are a list."""
        values = []
        position = 0
        try:
            while position < len(body):
                value, position = LENIENT.raw_decode(body, position)
                values.append(value)
                between = _BETWEEN.match(body, position)
                position = between.end() if between is not None else position
            return (values[0] if len(values) == 1 else values), ()
        except (ValueError, RecursionError):
            pass
        plain = body.replace("\\_", "_")
        try:
            value, slips = read_json_text(plain)
        except UnreadableError:
            called = _called(body)
            if called is None:
                raise
            return called, ()
        return value, (*slips, *(("escaped underscores",) if plain != body else ()))

    def named(self) -> list[Block]:
        """Return the blocks that are a name with JSON after it, when the text holds nothing else of note."""
        blocks: list[Block] = []
        position = 0
        while (match := _NAMED.search(self.text, position)) is not None:
            end = self._end(match.end())
            blocks.append(
                self._block(
                    match.start("name"), end, "named", match["name"], self.text[match.end() : end]
                )
            )
            position = max(end, match.end() + 1)
        return blocks

    def _end(self, start: int) -> int:
        """Return where the JSON object ends that begins at `start`."""
        try:
            return LENIENT.raw_decode(self.text, start)[1]
        except (ValueError, RecursionError):
            following = re.compile(r"\n[^\S\n]*(?=[^\W\d][\w.\\-]*\s*\{)").search(self.text, start)
            rest = self.text[start : following.start() if following else len(self.text)]
            return start + len(rest.rstrip())

    def escaped(self) -> list[Block]:
        """Return the whole text as one block of call text, without the backslashes of escaped names."""
        plain = self.text.replace("\\_", "_")
        called = _called(plain) if plain != self.text else None
        if called is None:
            return []
        where = self.origin.at_character(self.text, 0)
        return [Block(0, len(self.text), "json", called, where, slips=("escaped underscores",))]


def _marked_in(match: re.Match[str]) -> list[Any]:
    """Return the call of a `<function=...>` inside of a tag."""
    value, _ = read_json_text(match["called"].strip() or "{}")
    return [{"name": match["function"], "arguments": value}]


def _called(body: str) -> CallText | None:
    """Return the calls of call text as data, None where it is none."""
    for known in (pretty.FORMAT, python.FORMAT):
        if not known.detects(body):
            continue
        try:
            sequence = known.read(body, Origin())
        except InputError:
            continue
        if not sequence.calls or sequence.is_open or any(call.malformed for call in sequence.calls):
            continue
        labels = Known(call.label for call in sequence.calls)
        return CallText(
            {
                "name": call.name,
                "arguments": {p: source_value(s, labels) for p, s in call.arguments.items()},
                **({"label": call.label} if call.label is not None else {}),
            }
            for call in sequence.calls
        )
    return None
