"""
Calls in prose without any mark: JSON that says what it calls, and call text that stands for itself.

Prose has brackets and names as well, so what is taken for a call has to be clear: an object with a name and
arguments; calls in a list; a call that has a line, or the rest of a line after a colon, for itself, and names
its arguments. What is only mentioned in a sentence is no call.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from refract_asp.formats import chat, python, values
from refract_asp.formats.blocks import Block, CallText, called, json_values
from refract_asp.formats.model_dialects import LAYOUT, unfolded
from refract_asp.formats.values import Origin, UnreadableError
from refract_asp.model.paths import is_position
from refract_asp.model.schema_words import literal

# How many places of a text are looked at, each at most to its end.
MAX_TRIED = 300
# How many characters may be looked at again, besides as many times the length of the text.
_FREE = 20_000
_NAMED = re.compile(r"^[^\S\n]*+(?P<name>(?:[^\W\d]|\\_)(?:[\w.\-]|\\_){0,199}+)\s*+(?=\{)", re.M)
_NEXT_NAMED = re.compile(r"\n[^\S\n]*(?=[^\W\d][\w.\\-]*\s*\{)")
_OPEN = re.compile(r"[{\[]")
_KEY = re.compile(
    r"""\{\s*["'](?:name|tool_name|function_name)["']\s*:\s*["']([^"'\n]{1,200})["']"""
)
_HEAD = re.compile(r"(?<![\w.\\$])(?:[^\W\d]|\\_)(?:[\w.\-]|\\_){0,199}+\(")
_CHAIN = re.compile(r"\.(?:[^\W\d]|\\_)(?:[\w.]|\\_){0,99}+\(")
_JOINT = re.compile(
    r"""['"`\s]*[,;]?['"`\s]*(?:and\s+)?(?=(?:[^\W\d]|\\_)(?:[\w.\-]|\\_){0,199}+\()"""
)
_COMMA = re.compile(r"""['"`\s]*[,;]['"`\s]*""")
_CLOSING = re.compile(r"""['"`)\s]*\]+['"`]?(?:\(\))?""")
_AFTER = re.compile(r"""['"`*\]\[()\s.;,]*""")
# What may stand before a call on its line.
_ALONE = re.compile(r"""[\s>*•\-`'"(]*(?:\d{1,3}[.)][\s`'"]*)?""")
_LABEL = re.compile(r"""[\s>*#•\-\d.]*[A-Za-z][\w \t'’*()/\-]{0,60}:[\s*`'"]*""")
_BOUND = re.compile(r"[\s`'\"]*[^\W\d]\w{0,60}\s*=\s*(?:await\s+)?|[\s`]*(?:await|return)\s+")
_EXAMPLE = re.compile(
    r"\b(?:example|e\.?g|instance|format|syntax|usage|signature|like|not|never|instead|such|definition"
    r"|def|class|function|note|where|tools?|available|don't|dont|avoid|wrong|incorrect|invalid)\b",
    re.I,
)
_CODE = re.compile(
    r"^[^\S\n]*(?:def|class|async def|import|from|function|const|let|var|for|while|if|public)\b",
    re.M,
)
# A line that is meant as a call, whether it can be read or not.
_CALL_LINE = re.compile(r"^[^\S\n]*(?:\w+\s*=\s*)?[^\s(\[]+\([^\n]*\)[^\S\n]*[;,]?[^\S\n]*$", re.M)
_WORDS = frozenset(
    {"if", "while", "for", "return", "def", "class", "with", "lambda", "and", "or", "not", "in"}
)


def bare_blocks(text: str, origin: Origin) -> list[Block]:
    """Return the blocks of a text that has no marks of calls, in their order."""
    readers = (_in_json, _named, quoted_calls, _in_call_text)
    return next(filter(None, (read(text, origin) for read in readers)), [])


def _in_json(text: str, origin: Origin) -> list[Block]:
    blocks: list[Block] = []
    position = spent = 0
    while spent <= _FREE + 8 * len(text) and (match := _OPEN.search(text, position)) is not None:
        start = match.start()
        try:
            value, end = values.LENIENT.raw_decode(text, start)
            found: list[Any] = [(start, end, value, ())]
        except (ValueError, RecursionError):
            spent += 2 * ((values.end_of_value(text, start) or len(text)) - start)
            found, _ = json_values(text, start)
        if not found:
            key = _KEY.match(text, start)
            if key is not None and values.end_of_value(text, start) is None:
                if blocks:  # what stands in a call that is cut off is none
                    why = "the text is cut off: brackets are not closed."
                    where = origin.at_character(text, start)
                    blocks.append(Block(start, len(text.rstrip()), "json", where, key[1], why))
                break
            position = start + 1
            continue
        for begin, end, value, slips in found:
            whole = not text[:begin].strip() and not text[end:].strip(" \t\r\n;,.")
            style, document = "json", value
            entries = unfolded(value)
            texts = (each for entry in value for each in entry.values())
            # in prose they are calls where their arguments are texts
            if entries is not None and (whole or all(isinstance(each, str) for each in texts)):
                style, document = "folded", entries
            if style == "folded" or isinstance(value, CallText) or _is_clear(value, whole=whole):
                where = origin.at_character(text, begin)
                blocks.append(Block(begin, end, style, where, document=document, slips=slips))
        position = found[-1][1]
    return blocks


def _is_clear(value: Any, *, whole: bool) -> bool:
    """Whether a JSON value holds calls; in prose each has to have a name and an object of arguments."""
    found = chat.find_entries(LAYOUT, value).found
    if not found or whole:
        return bool(found)
    for entry, _ in found:
        shape = LAYOUT.shape_of(entry)
        held = None if shape is None else chat.step_into(entry, shape.arguments)
        if not isinstance(held, dict) and not (isinstance(held, str) and held.strip()[:1] == "{"):
            return False
    return True


def _named(text: str, origin: Origin) -> list[Block]:
    """Return the blocks that are a name with JSON after it."""
    blocks: list[Block] = []
    position = 0
    while (match := _NAMED.search(text, position)) is not None:
        start, body = match.start("name"), match.end()
        try:
            end = values.LENIENT.raw_decode(text, body)[1]
        except (ValueError, RecursionError):
            following = _NEXT_NAMED.search(text, body)
            end = body + len(text[body : following.start() if following else None].rstrip())
        name, said = match["name"], text[body:end]
        block = Block(start, end, "named", origin.at_character(text, start), name, middle="\n")
        try:
            held, block.slips = values.read_json_text(said.strip())
            block.document = {"name": name, "arguments": held}
        except UnreadableError as error:
            block.malformed = f"the arguments: {error.what}"
        is_code = (
            block.malformed is not None and re.match(r"\{\s*(?:[\"'}]|\w+\s*:|\Z)", said) is None
        )
        if not is_code:
            blocks.append(block)
        position = max(end, body + 1)
    return blocks


def _in_call_text(text: str, origin: Origin) -> list[Block]:
    blocks: list[Block] = []
    is_code = _CODE.search(text) is not None
    position = tried = 0
    while tried < MAX_TRIED and (match := _HEAD.search(text, position)) is not None:
        position = match.end()
        place = _begins(text, match.start(), is_code=is_code)
        if place is None:
            continue
        tried += 1
        begin, in_list = place
        found = _calls_from(text, match.start(), is_list=in_list)
        if found is None:
            continue
        pieces, end, cut = found
        if not in_list:
            pieces[0] = text[begin : match.start()] + pieces[0]
        closing = _CLOSING.match(text, end) if in_list else None
        end = closing.end() if closing is not None else end
        rest = text[end : (text.find("\n", end) + 1 or len(text) + 1) - 1]
        # in a sentence only a list that has an end is clear
        if not cut and closing is None and _AFTER.fullmatch(rest) is None:
            continue
        whole = not (text[:begin].strip(" \t\r\n`'\"[") or text[end:].strip(" \t\r\n`'\"].;,"))
        held, slips = _read_pieces(pieces)
        if held is None or not (whole or _is_clear_text(held, in_list=in_list)):
            continue
        where = origin.at_character(text, begin)
        blocks.append(Block(begin, end, "json", where, document=held, slips=slips))
        position = end
        if cut:
            why = "the text is cut off: brackets are not closed."
            blocks[-1].end = start = end - len(cut)
            where = origin.at_character(text, start)
            blocks.append(Block(start, end, "json", where, cut.partition("(")[0].strip(), why))
    return _without_strays(blocks, text)


def _begins(text: str, start: int, *, is_code: bool) -> tuple[int, bool] | None:
    """
    Return where a call begins whose name is at a place, with the list or the label before it.

    Returns:
        The place, and whether a list begins there; None where the name stands in a sentence or in code.
    """
    opening = re.search(r"""\[\s*['"`]?\s*\Z""", text[max(0, start - 40) : start])
    if opening is not None:
        return start - len(opening[0]), True
    before = text[text.rfind("\n", 0, start) + 1 : start]
    bound = _BOUND.fullmatch(before)
    is_labelled = _LABEL.fullmatch(before) is not None and _EXAMPLE.search(before) is None
    if is_code or not (bound or is_labelled or _ALONE.fullmatch(before)):
        return None
    return start - (len(before.lstrip(" \t`'\"")) if bound else 0), False


def _calls_from(text: str, start: int, *, is_list: bool) -> tuple[list[str], int, str] | None:
    """Return the calls that follow each other from a place on, where they end, and one that is cut off."""
    pieces: list[str] = []
    position = start
    while True:
        opening = _HEAD.match(text, position)
        if opening is None:
            break
        end = _end_of_call(text, opening.end() - 1)
        while end is not None and (link := _CHAIN.match(text, end)) is not None:
            end = _end_of_call(text, link.end() - 1)
        if end is None:
            cut = text[position:].rstrip()
            return (pieces, position + len(cut), cut) if pieces and is_list else None
        pieces.append(text[position:end])
        position = end
        joint = _JOINT.match(text, end) if is_list else _COMMA.match(text, end)
        if joint is None or joint.end() == end or _HEAD.match(text, joint.end()) is None:
            break
        position = joint.end()
    return (pieces, end or position, "") if pieces else None


def _end_of_call(text: str, opened: int) -> int | None:
    """Return where the bracket that opens somewhere in a text is closed, None where it is not."""
    depth = 0
    for match in python.BRACKETS.finditer(text, opened):
        if match[0] in python.OPENING:
            depth += 1
        elif match[0] in python.CLOSING:
            depth -= 1
            if depth == 0:
                return match.end()
    return None


def _read_pieces(pieces: list[str]) -> tuple[CallText | None, tuple[str, ...]]:
    said = "\n".join(piece.strip() for piece in pieces)
    if (held := called(said)) is not None:
        return held, ()
    plain = said.replace("\\_", "_")
    if plain != said and (held := called(plain)) is not None:
        return held, ("escaped underscores",)
    return None, ()


def _is_clear_text(held: CallText, *, in_list: bool) -> bool:
    """Whether calls in prose are meant: they name their arguments, or give constants in a list."""
    for entry in held:
        arguments = entry.get("arguments", {})
        if entry["name"] in _WORDS:
            return False
        for key, value in arguments.items():
            if is_position(key) and (not in_list or (isinstance(value, str) and value[:1] == "$")):
                return False
    return True


def _without_strays(blocks: list[Block], text: str) -> list[Block]:
    """Drop calls without arguments that no other call stands beside: prose has brackets after a word, too."""

    def says(block: Block) -> bool:
        entries = block.document or []
        return text[block.start] == "[" or any(entry.get("arguments") for entry in entries)

    kept: list[Block] = []
    group: list[Block] = []
    for block in (*blocks, None):
        if block is None or (group and text[group[-1].end : block.start].strip(" \t\r\n,;.`-*")):
            kept += group if any(map(says, group)) else []
            group = []
        group += [block] if block is not None else []
    # a line that should be a call and is none spoils the others: it would be lost
    starts = [*(block.start for block in kept), len(text)]
    between = zip([0, *(block.end for block in kept)], starts, strict=True)
    is_spoilt = any(_CALL_LINE.search(text[end:start]) for end, start in between)
    return [] if is_spoilt else kept


def quoted_calls(text: str, origin: Origin) -> list[Block]:
    """Return the block of a list of texts each of which is a call, which may have prose around it."""
    for match in re.finditer(r"\[\s*(?=['\"](?:[^\W\d]|\\_)[\w.\\\-]*\()", text):
        end = _end_of_call(text, match.start())
        if end is None:
            continue
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            listed = literal(text[match.start() : end])
            if all(isinstance(each, str) for each in listed):
                held, slips = _read_pieces(listed)
                if held is not None and _is_clear_text(held, in_list=True):
                    where = origin.at_character(text, match.start())
                    return [Block(match.start(), end, "json", where, document=held, slips=slips)]
    return []
