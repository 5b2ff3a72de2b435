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

import re
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from refract_asp.errors import LimitError, shown
from refract_asp.formats import bare, chat, values
from refract_asp.formats.blocks import Block, CallText, marked, to_json
from refract_asp.formats.model_dialects import DIALECTS, FENCE, LAYOUT, folded, unfolded
from refract_asp.formats.references import Known, known_of
from refract_asp.formats.source import Format, refuse_open
from refract_asp.formats.thoughts import without_thinking
from refract_asp.formats.values import Origin, located
from refract_asp.model import Call, Sequence

MAX_TEXT = 10_000_000
# How many marks of calls one text may have.
MAX_BLOCKS = 2000

# What may stand between the blocks that count together: marks of lists.
_BESIDE = " \t\r\n,;.`'\"()[]*>-0123456789"
_ESCAPED = re.compile(r"\\([_*\-.])")


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
    matches = [
        (match, row)
        for row in DIALECTS
        if row.mark in lowered
        for match in islice(row.pattern.finditer(text), MAX_BLOCKS + 1)
    ]
    fences = list(islice(FENCE.pattern.finditer(text), MAX_BLOCKS + 1)) if "```" in text else []
    if max(len(matches), len(fences), lowered.count("<tool_call>")) > MAX_BLOCKS:
        what = f"the text has more than {MAX_BLOCKS:,} marked calls."
        raise LimitError(what, where=origin.at(), hint="Give it in parts.")
    found: list[Block] = []
    end = 0
    for match, row in sorted(matches, key=lambda each: each[0].start()):
        if match.start() < end:
            continue
        for block in marked(match, row, origin):
            found.append(block)
            end = block.end
    if any(not block.is_empty for block in found):
        return [block for block in found if not block.is_empty], []
    fenced: list[Block] = []
    for match in fences:
        fenced += marked(match, FENCE, origin)
    before = text[: fenced[0].start] if fenced else text
    blocks = bare.bare_blocks(before, origin) or fenced
    count = 1
    while count < len(blocks):
        if text[blocks[count - 1].end : blocks[count].start].strip(_BESIDE):
            break
        count += 1
    later = blocks[count:] if blocks is fenced else [*blocks[count:], *fenced]
    return blocks[:count] or found, later


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
    if len(data) > MAX_TEXT:
        raise LimitError(f"the text is longer than {MAX_TEXT:,} characters.", where=origin.at())
    text = without_thinking(data)
    blocks, later = blocks_of(text, origin)
    if not blocks:
        raise origin.error("no calls are found in the text.", hint=f"As in {LAYOUT.looks}.")
    calls, notes, _ = _read_blocks(blocks)
    has_labels = any(isinstance(block.document, CallText) for block in blocks)
    rest: Any = {"calls": tuple(chain.from_iterable(calls)), "unlabelled": not has_labels}
    told = [
        f"{block.where}: later calls are not read; the first block with calls counts."
        for block in later[:1]
    ]
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
        is_whole = ended and (not block.is_cut or block.style != "pairs")
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


FORMAT: Format[Sequence] = Format(
    "loose", "sequence", LAYOUT.looks, _detects, _read, _write, is_last=True
)
