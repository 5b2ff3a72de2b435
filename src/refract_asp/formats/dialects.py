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

Prose without any mark has brackets and names as well, so what is taken for a call there has to be clear: an object
with a name and arguments; calls in a list; a call that has a line, or the rest of a line after a colon, for
itself, and names its arguments. What is only mentioned in a sentence is no call.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from refract_asp.errors import LimitError, shown
from refract_asp.formats import chat, model_dialects, python, values
from refract_asp.formats.blocks import Block, CallText, called, json_values, marked, to_json
from refract_asp.formats.model_dialects import FENCE, LAYOUT, folded, unfolded
from refract_asp.formats.references import Known, known_of
from refract_asp.formats.source import Format, refuse_open
from refract_asp.formats.values import Origin, UnreadableError, located
from refract_asp.model import Call, Sequence
from refract_asp.model.paths import is_position
from refract_asp.model.schema_words import literal
from refract_asp.ports import regex

# A model writes no longer answer; the patterns of all dialects go through it.
MAX_PROSE = 300_000
# How many marks of calls, and how many objects and lists, one text may have.
MAX_BLOCKS = 2000

# What may stand between the blocks that count together: marks of lists.
_BESIDE = " \t\r\n,;.`'\"()[]*>-0123456789"
_ESCAPED = regex(r"\\([_*\-.])")


# -- blocks in texts -------------------------------------------------------------------


def blocks_of(text: str, origin: Origin) -> tuple[list[Block], list[Block]]:
    """
    Return the blocks of a text that count, in their order, and later ones that do not.

    Marks that mean nothing else come first, then the first fence that holds calls, or the calls that stand
    in the prose before it.

    Raises:
        LimitError: there are too many marks.
    """
    lowered = text.lower()
    matches = []
    for row in model_dialects.DIALECTS:
        several = row.pattern.finditer(text) if row.mark in lowered else ()
        matches += [(match, row) for match in islice(several, MAX_BLOCKS + 1)]
    fences = list(islice(FENCE.pattern.finditer(text), MAX_BLOCKS + 1)) if "```" in text else []
    if max(len(matches), len(fences), lowered.count("<tool_call>")) > MAX_BLOCKS:
        raise _refused(f"more than {MAX_BLOCKS:,} marked calls", origin)
    found: list[Block] = []
    for match, row in sorted(matches, key=lambda each: each[0].start()):
        if not found or match.start() >= found[-1].end:
            found += marked(match, row, origin)
    if told := [block for block in found if not block.is_empty]:
        return told, []
    fenced = [block for match in fences for block in marked(match, FENCE, origin)]
    before = text[: fenced[0].start] if fenced else text
    readers = (_in_json, _named, quoted_calls, _in_call_text)
    blocks = next(filter(None, (read(before, origin) for read in readers)), fenced)
    first, *others = _together(blocks, text, _BESIDE) or [[]]
    later = chain.from_iterable(others if blocks is fenced else [*others, fenced])
    return first or found, list(later)


def _together(blocks: list[Block], text: str, marks: str) -> list[list[Block]]:
    """Return blocks in groups, inside of which nothing but some marks stands between them."""
    groups: list[list[Block]] = []
    for block in blocks:
        if groups and not text[groups[-1][-1].end : block.start].strip(marks):
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def _refused(what: str, origin: Origin) -> LimitError:
    return LimitError(f"the text has {what}.", where=origin.at(), hint="Give it in parts.")


# -- calls in prose --------------------------------------------------------------------

# How many places of a text may look like a call and be none; each is looked at, at most to the end of the text.
MAX_TRIED = 300
# How many characters may be looked at again, besides as many times the length of the text.
_FREE = 20_000
_NAME = r"(?:[^\W\d]|\\_)(?:[\w.\-]|\\_){0,199}+"
_NAMED = regex(rf"^[^\S\n]*+(?P<name>{_NAME})\s*+(?=\{{)", re.M)
_NEXT_NAMED = regex(r"\n[^\S\n]*(?=[^\W\d][\w.\\-]*\s*\{)")
_OPEN = regex(r"[{\[]")
_CUT = "the text is cut off: brackets are not closed."
_KEY = regex(r"""\{\s*["'](?:name|tool_name|function_name)["']\s*:\s*["']([^"'\n]{1,200})["']""")
_HEAD = regex(rf"(?<![\w.\\$]){_NAME}\(")
_CHAIN = regex(r"\.(?:[^\W\d]|\\_)(?:[\w.]|\\_){0,99}+\(")
_JOINT = regex(rf"""['"`\s]*+[,;]?['"`\s]*+(?:and\s++)?(?={_NAME}\()""")
_COMMA = regex(r"""['"`\s]*[,;]['"`\s]*""")
_CLOSING = regex(r"""['"`)\s]*\]+['"`]?(?:\(\))?""")
_AFTER = regex(r"""['"`*\]\[()\s.;,]*""")
# What may stand before a call on its line.
_ALONE = regex(r"""[\s>*•\-`'"(]*(?:\d{1,3}[.)][\s`'"]*)?""")
_LABEL = regex(r"""[\s>*#•\-\d.]*[A-Za-z][\w \t'’*()/\-]{0,60}:[\s*`'"]*""")
_BOUND = regex(r"[\s`'\"]*[^\W\d]\w{0,60}\s*=\s*(?:await\s+)?|[\s`]*(?:await|return)\s+")
_EXAMPLE = regex(rf"\b(?:{'|'.join(model_dialects.PROSE['example'])})\b", re.I)
_CODE = regex(rf"^[^\S\n]*(?:{'|'.join(model_dialects.PROSE['code'])})\b", re.M)
# A line that is meant as a call, read or not: its bracket closes at the end of the line, or nowhere in it.
_CALL_LINE = regex(
    r"(?m)^[^\S\n]*(?:\w+\s*=\s*)?[^\s(\[]+\([^\n]*\)[^\S\n]*+[;,]?[^\S\n]*+$"
    rf"|^[ \t>*•\-`'\"\d.)]*+(?:[A-Za-z][\w \t'’*/\-]{{0,60}}:[ *`'\"]*+)?(?:\w{{1,60}}\s*=\s*)?{_NAME}"
    r"\(\s*+(?:\w+\s*=|[\"'])[^\n)]*+$"
)
_WORDS = frozenset(model_dialects.PROSE["words"])


def _in_json(text: str, origin: Origin) -> list[Block]:
    blocks: list[Block] = []
    position = spent = tried = 0
    while (match := _OPEN.search(text, position)) is not None:
        tried += 1
        if max(tried - MAX_BLOCKS, spent - _FREE - 8 * len(text)) > 0:
            what = f"more than {MAX_BLOCKS:,} objects and lists, or brackets that never close"
            raise _refused(what, origin)
        start = match.start()
        try:
            value, end = values.LENIENT.raw_decode(text, start)
            found: list[Any] = [(start, end, value, ())]
        except (ValueError, RecursionError):
            # all of it, and the lines before it, which an error of JSON counts
            spent += 2 * ((values.end_of_value(text, start) or len(text)) - start) + start // 100
            found, _ = json_values(text, start)
        if not found:
            key = _KEY.match(text, start)
            if key is not None and values.end_of_value(text, start) is None:
                if blocks:  # what stands in a call that is cut off is none
                    where = origin.at_character(text, start)
                    blocks.append(Block(start, len(text.rstrip()), "json", where, key[1], _CUT))
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
        # braces that begin no object are code
        if block.malformed is None or re.match(r"\{\s*(?:[\"'}]|\w+\s*:|\Z)", said):
            blocks.append(block)
        position = max(end, body + 1)
    return blocks


def _in_call_text(text: str, origin: Origin) -> list[Block]:
    blocks: list[Block] = []
    is_code = _CODE.search(text) is not None
    position = tried = 0
    while (match := _HEAD.search(text, position)) is not None:
        position = match.end()
        place = _begins(text, match.start(), is_code=is_code)
        if place is None:
            continue
        if tried - len(blocks) == MAX_TRIED or tried == MAX_BLOCKS:
            raise _refused(f"more than {tried:,} calls and what only looks like one", origin)
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
            blocks[-1].end = start = end - len(cut)
            where = origin.at_character(text, start)
            blocks.append(Block(start, end, "json", where, cut.partition("(")[0].strip(), _CUT))
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
    position, opening = start, _HEAD.match(text, start)
    while opening is not None:
        begin, end = opening.start(), _end_of_call(text, opening.end() - 1)
        while end is not None and (link := _CHAIN.match(text, end)) is not None:
            end = _end_of_call(text, link.end() - 1)
        if end is None:
            cut = text[begin:].rstrip()
            return (pieces, begin + len(cut), cut) if pieces and is_list else None
        pieces.append(text[begin:end])
        position, joint = end, (_JOINT if is_list else _COMMA).match(text, end)
        is_joined = joint is not None and joint.end() > end
        opening = _HEAD.match(text, joint.end()) if joint is not None and is_joined else None
    return pieces, position, ""


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
    return called(said.replace("\\_", "_")), ("escaped underscores",)


def _is_clear_text(held: CallText, *, in_list: bool) -> bool:
    """Whether calls in prose are meant: they name their arguments, or give constants in a list."""
    for entry in held:
        if entry["name"] in _WORDS:
            return False
        for key, value in entry.get("arguments", {}).items():
            if is_position(key) and (not in_list or (isinstance(value, str) and value[:1] == "$")):
                return False
    return True


def _without_strays(blocks: list[Block], text: str) -> list[Block]:
    """Drop calls without arguments that no other call stands beside: prose has brackets after a word, too."""

    def says(block: Block) -> bool:
        entries = block.document or []
        return text[block.start] == "[" or any(entry.get("arguments") for entry in entries)

    groups = _together(blocks, text, " \t\r\n,;.`-*")
    kept = [block for group in groups if any(map(says, group)) for block in group]
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


# -- the format ------------------------------------------------------------------------


class _Folded(list[Any]):
    """Entries that came as `{"f": {...}}`."""


@dataclass
class _Text:
    """A text and its blocks."""

    text: str
    blocks: list[Block]


def _detects(data: Any) -> bool:
    if isinstance(data, str):
        return any(mark in data for mark in ("{", "(", "<", "[", "```", "Action"))
    return LAYOUT.detects(data) or unfolded(data) is not None


def _read(data: Any, origin: Origin) -> Sequence:
    if not isinstance(data, str):
        if not LAYOUT.detects(data) and (entries := unfolded(data)) is not None:
            sequence = chat.read_document(LAYOUT, entries, origin)
            return sequence.model_copy(update={"written": _Folded(entries)})
        return chat.read_document(LAYOUT, data, origin)
    with located(origin):
        values.check_text(data)
    if len(data) > MAX_PROSE:
        raise LimitError(f"prose is longer than {MAX_PROSE:,} characters.", where=origin.at())
    blocks, later = blocks_of(model_dialects.without_thinking(data), origin)
    if not blocks:
        raise origin.error("no calls are found in the text.", hint=f"As in {LAYOUT.looks}.")
    calls, notes, _ = _read_blocks(blocks)
    has_labels = any(isinstance(block.document, CallText) for block in blocks)
    rest: Any = {"calls": tuple(chain.from_iterable(calls)), "unlabelled": not has_labels}
    more = "later calls are not read; the first block with calls counts."
    told = [f"{block.where}: {more}" for block in later[:1]]
    rest["notes"] = (*chain.from_iterable(notes), *told)
    return Sequence(format="loose", written=_Text(data, blocks), **rest)


def complete(sequence: Sequence) -> tuple[Call, ...]:
    """Return the calls of a sequence that no text after its own would change."""
    text = sequence.written
    if not isinstance(text, _Text):
        return tuple(call for call in sequence.calls if call.malformed is None)
    calls: list[Call] = []
    for block, held in zip(text.blocks, _read_blocks(text.blocks)[0], strict=True):
        ended = text.text[: block.end].rstrip()[-1:] in tuple("}])>`")
        is_whole = ended and (not block.is_cut or block.style not in ("pairs", "text"))
        calls += (call for call in held if is_whole and call.malformed is None)
    return tuple(calls)


def _read_blocks(
    blocks: list[Block], names: frozenset[str] | None = None
) -> tuple[list[list[Call]], list[list[str]], dict[int, int]]:
    """Return the calls and the notes of each block, and for each entry, by id, the number of its block."""
    found = [chat.find_entries(LAYOUT, block.document).found for block in blocks]
    labels = (label for each in found for label in chat.labels_of(LAYOUT, each))
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
        for number, call in enumerate(reading.calls(LAYOUT, entries), first):
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
    if isinstance(written, _Folded):
        return folded(chat.write_document(LAYOUT, sequence))
    if sequence.format == "loose" and not isinstance(written, _Text):
        return chat.write_document(LAYOUT, sequence)
    refuse_open(sequence, "loose")
    if not isinstance(written, _Text):
        entries = chat.write_document(LAYOUT, sequence.model_copy(update={"format": None}))
        return "\n".join(f"<tool_call>{to_json(entry)}</tool_call>" for entry in entries)
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
            text += block.printed(chat.write_document(LAYOUT, part, known))
    return text + written.text[end:]


FORMAT = Format("loose", "sequence", LAYOUT.looks, _detects, _read, _write, is_last=True)
