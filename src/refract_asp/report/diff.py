"""Given and repaired sequence against each other, paired by call and printed as `difflib.ndiff` prints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Several
from difflib import IS_CHARACTER_JUNK, SequenceMatcher
from itertools import accumulate, pairwise, zip_longest
from typing import Literal, TypeAlias

from refract_asp.formats.pretty import lines_of
from refract_asp.formats.references import known_of
from refract_asp.model import RepairResult, Sequence
from refract_asp.report.secrets import without_secrets
from refract_asp.report.terminal import Style, escaped, painted

Mark: TypeAlias = Literal[" ", "-", "+", "?"]
Lines: TypeAlias = Several[str]
Row: TypeAlias = tuple[Mark, str]
"""A line of a diff and its mark: in both, in the given one only, in the repaired one only, or a hint."""

MAX_MARKED = 2_000
"""Lines longer than this get no `?` line."""

_WORK = 40_000
"""How many pairs of equal characters two lines may have; beyond it no `?` line is computed."""

_CUTOFF = 0.75
"""How alike two lines have to be for a `?` line; the bound of `difflib.ndiff`."""

_COLORS: dict[str, tuple[Style]] = {"+": ("green",), "-": ("red",), "?": ("cyan",)}


def diff_text(result: RepairResult, *, color: bool = False, width: int | None = None) -> str:
    """
    Print given and repaired sequence against each other; the empty text means that nothing changed.

    Lines of both are marked with two blanks, lines of the given one alone with `-`, of the repaired
    one alone with `+`; a line with `?`, followed by an empty one, points at what differs in the line
    above it. With `color` changed words are marked inside the lines instead, and a call that is wider
    than `width` columns stands on several lines, one for each argument.

    Example:
        >>> from refract_asp import repair
        >>> tool = {"name": "Pay", "parameters": {"amount": {"type": "number"}}}
        >>> diff_text(repair('Pay(amount="4")', {"tools": [tool]})).splitlines()[::3]
        ['- Pay(amount="4")', '+ Pay(amount=4)']
    """
    rows = diff_rows(result)
    if not color:
        ends = {"?": "\n"}
        return "\n".join(f"{mark} {text}{ends.get(mark, '')}" for mark, text in rows)
    lines: list[str] = []
    at = 0
    while at < len(rows):
        mark, text = rows[at]
        near = rows[at : at + 4]
        marks = [each for each, _ in near]
        if marks[:3] in (["-", "?", "+"], ["-", "+", "?"]):  # hints tell the difference of the two
            old, new = [each for mark, each in near if mark != "?"][:2]
            lines += _marked_pair(old, new, width)
            at += 4 if marks == ["-", "?", "+", "?"] else 3
            continue
        if mark != "?":
            parts = [text] if width is None or len(text) + 2 <= width else _parts(text)
            lines += [painted(f"{mark} {part}", *_COLORS.get(mark, ())) for part in parts]
        at += 1
    return "\n".join(lines)


def painted_diff(text: str) -> str:
    """Return the text of a diff in colours."""
    return "\n".join(painted(line, *_COLORS.get(line[:1], ())) for line in text.split("\n"))


# -- on a terminal -------------------------------------------------------------------------

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)


def _marked_pair(old: str, new: str, width: int | None) -> Iterator[str]:
    """Yield a call before and after with the changed words marked, one argument a line where it is wide."""
    if width is None or max(len(old), len(new)) + 2 <= width:
        yield from _marked(old, new)
        return
    olds, news = _parts(old), _parts(new)
    keys = [list(map(_key, parts)) for parts in (olds, news)]
    matcher = SequenceMatcher(None, keys[0], keys[1], autojunk=False)
    for _, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        gone, added = olds[old_start:old_end], news[new_start:new_end]
        for before, after in zip_longest(gone, added):
            if before is None or after is None:
                mark: Mark = "+" if before is None else "-"
                yield painted(f"{mark} {before or after}", *_COLORS[mark])
            elif before == after:
                yield f"  {after}"
            else:
                yield from _marked(before, after)


def _marked(old: str, new: str) -> tuple[str, str]:
    """Return two lines with their marks, in colours, the words in reverse that only one of them has."""
    words = _WORD.findall(old), _WORD.findall(new)
    lines = [painted("- ", "red")], [painted("+ ", "green")]
    for tag, *ends in SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes():
        for side, style in enumerate[Style](("red", "green")):
            text = "".join(words[side][ends[2 * side] : ends[2 * side + 1]])
            styles: tuple[Style, ...] = (style,) if tag == "equal" else (style, "reverse")
            lines[side].append(painted(text, *styles))
    return "".join(lines[0]), "".join(lines[1])


def _parts(line: str) -> list[str]:
    """Split a call into what opens it, its arguments, and what closes it."""
    depth, start, parts, quoted = 0, 0, list[str](), False
    for at, sign in enumerate(line):
        if sign == '"' and line[at - 1 : at] != "\\":
            quoted = not quoted
        if quoted:
            continue
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 1 and sign in "(," and (sign == "," or not parts):
            parts.append(line[start : at + 1])
            start = at + 1
        elif depth == 0 and sign == ")" and parts:
            parts.append(line[start:at])
            start = at
    parts.append(line[start:])
    first, *middle, last = (part.strip() for part in parts) if len(parts) > 1 else (line, "")
    return [first, *(f"    {part}" for part in middle if part), *([last] if last else [])]


def _key(part: str) -> str:
    """Return the name of an argument, by which it is found on the other side."""
    found = re.match(r"([^=\s\"]+)=", part.strip())
    return found[1] if found else part.strip()[-1:]


def diff_rows(result: RepairResult) -> list[Row]:
    """
    Return the lines of the diff with their marks, none when nothing changed.

    The rows marked blank or `-` are the lines of the given sequence, those marked blank or `+` the
    lines of the repaired one, both in order. Each text is safe to print on a terminal.
    """
    if result.given == result.sequence:
        return []
    result = without_secrets(result)
    old, new = _blocks(result.given), _blocks(result.sequence)
    if old == new:
        return []
    rows = list(_merge(old[0], new[0]))
    rows += _calls(old[1:-1], new[1:-1], _kept(result))
    is_line = len(old[-1]) == len(new[-1]) == 1
    rows += _line(old[-1][0], new[-1][0]) if is_line else _merge(old[-1], new[-1])
    return rows


def _blocks(sequence: Sequence) -> list[Lines]:
    """Return the lines of a sequence: the asks, for each call its confirms and then itself, what is returned."""
    lines = [escaped(line) for line in lines_of(sequence, known_of(sequence))]
    sizes = [len(sequence.asks), *(len(call.confirms) + 1 for call in sequence.calls)]
    return [lines[start:end] for start, end in pairwise([0, *accumulate(sizes), len(lines)])]


def _kept(result: RepairResult) -> Iterator[tuple[int, int]]:
    """Yield which given call is which repaired one, for those that keep their order."""
    moved = {edit.call for edit in result.edits if edit.kind == "move_call"}
    last = -1
    for new, old in enumerate(result.origins[: len(result.sequence.calls)]):
        if old is not None and last < old < len(result.given.calls) and old not in moved:
            yield old, new
            last = old


def _calls(
    old: Several[Lines], new: Several[Lines], pairs: Iterable[tuple[int, int]]
) -> Iterator[Row]:
    """Print calls in order: those that both have against each other, the others as gone or as added."""
    from_old = from_new = 0
    for to_old, to_new in (*pairs, (len(old), len(new))):
        yield from (("-", line) for block in old[from_old:to_old] for line in block)
        yield from (("+", line) for block in new[from_new:to_new] for line in block)
        if to_old < len(old) and to_new < len(new):  # its confirms stand before a call
            yield from _merge(old[to_old][:-1], new[to_new][:-1])
            yield from _line(old[to_old][-1], new[to_new][-1])
        from_old, from_new = to_old + 1, to_new + 1


def _merge(old: Lines, new: Lines) -> Iterator[Row]:
    """Print lines that are the same or are not, such as asks and confirms."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        yield from ((" " if tag == "equal" else "-", line) for line in old[old_start:old_end])
        yield from (("+", line) for line in new[new_start:new_end] if tag != "equal")


def _line(old: str, new: str) -> Iterator[Row]:
    """Print one line that became another, with hints below unless both are too long or too unlike."""
    if old == new:
        yield " ", old
        return
    gone = added = ""
    counts = Counter(new)
    work = sum(times * counts[sign] for sign, times in Counter(old).items())
    if max(len(old), len(new)) <= MAX_MARKED and work <= _WORK:
        changes = SequenceMatcher(IS_CHARACTER_JUNK, old, new, autojunk=False).get_opcodes()
        same = sum(end - start for tag, start, end, _, _ in changes if tag == "equal")
        if 2 * same / (len(old) + len(new)) >= _CUTOFF:
            gone = "".join(_SIGNS[tag][0] * (end - start) for tag, start, end, _, _ in changes)
            added = "".join(_SIGNS[tag][1] * (end - start) for tag, _, _, start, end in changes)
    yield "-", old
    if gone.rstrip():
        yield "?", gone.rstrip()
    yield "+", new
    if added.rstrip():
        yield "?", added.rstrip()


_SIGNS = {"equal": "  ", "replace": "^^", "delete": "- ", "insert": " +"}
