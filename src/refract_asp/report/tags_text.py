"""Error tags as text: which there are, and where."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from refract_asp.model.tags import MEANINGS
from refract_asp.report.available import name_text
from refract_asp.report.terminal import escaped, painted

if TYPE_CHECKING:
    from refract_asp.model.sequence import Sequence
    from refract_asp.model.tags import TaggedFault, Tags

__all__ = ["tags_text"]


def tags_text(
    tags: Tags, given: Sequence, truth: Sequence | None = None, *, color: bool = False, width: int = 80
) -> str:
    """
    Print the tags of a sequence as a whole, then each mistake with its place and what its tag means.

    Args:
        tags: the mistakes.
        given: the sequence in which they are.
        truth: the sequence that it was compared with, if it was.
        color: whether to add terminal colours.
        width: at how many columns lines are wrapped.

    Example:
        >>> from refract_asp.model import Sequence
        >>> from refract_asp.model.tags import TaggedFault, Tags
        >>> tags = Tags(faults=(TaggedFault(tag="forbidden", call=0),))
        >>> print(tags_text(tags, Sequence.load("Pay(sum=3)")))
        1 tag: forbidden
        <BLANKLINE>
        call 1 (Pay): forbidden: a house rule forbids it
    """
    if not tags.faults:
        return "no tags: nothing differs." if truth is not None else "no tags: nothing is wrong."
    names = [f"{tag} ({count})" if count > 1 else tag for tag, count in tags.counts.items()]
    number = len(names)
    head = _wrapped(f"{number} tag{'s' if number != 1 else ''}: {', '.join(names)}", width)
    lines = []
    for fault in tags.faults:
        line = f"{_place(fault, given, truth)}: {fault.tag}: {MEANINGS[fault.tag]}"
        wrapped = _wrapped(line, width)
        lines.append(wrapped.replace(fault.tag, painted(fault.tag, "bold", "red"), 1) if color else wrapped)
    return "\n".join([head, "", *lines])


def _place(fault: TaggedFault, given: Sequence, truth: Sequence | None) -> str:
    if fault.call is None:
        if truth is None or fault.truth is None:
            return "sequence"
        call = truth.calls[fault.truth]
        return f"sequence (call {fault.truth + 1} of the truth, {name_text(call.label or call.name)})"
    if fault.call == len(given.calls):
        place = "what is returned"
    else:
        call = given.calls[fault.call]
        place = f"call {fault.call + 1} ({name_text(call.label or call.name)})"
    return place if fault.parameter is None else f"{place}, {name_text(fault.parameter)}"


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(
        escaped(text),
        max(width, 20),
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
