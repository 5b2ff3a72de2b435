"""Two runs of many sequences side by side as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from refract_asp.batch.changes import UNLIKELY, FaultChange, Moved, Versus
from refract_asp.batch.telling import (
    counted,
    difference,
    fault_title,
    left_out_lines,
    told_changes,
    verdict_on,
)
from refract_asp.batch.text_parts import LISTED, NAME, bold, example_lines, listing, told_lines
from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.report.tables import chance_text, count, percent, table, wrapped
from refract_asp.report.terminal import painted

__all__ = ["versus_text"]


def versus_text(
    found: Versus,
    a: str = "",
    b: str = "",
    *,
    listed: int = LISTED,
    color: bool = False,
    width: int = 80,
) -> str:
    """Print two runs side by side: how each share changed, what got worse, what is new; `a` came first."""
    heads = [f"A: {shown(a, LONGEST_TEXT)}", f"B: {shown(b, LONGEST_TEXT)}"] if a and b else []
    verdict = verdict_on(found)
    if color:
        verdict = painted(verdict, "red" if found.is_worse else "green")
    blocks = [
        "\n".join([*wrapped([*heads, *left_out_lines(found)], width), verdict]),
        _changes(found, color),
        *_chances(found, width),
        "\n".join(_moved("got worse", found.got_worse, found.worse, listed, color, width)),
        "\n".join(_moved("got better", found.got_better, found.better, listed, color, width)),
        "\n".join(_new_faults("new faults", found.new_faults, listed, color, width)),
        "\n".join(_new_faults("faults that are gone", found.gone_faults, listed, color, width)),
        _tag_changes(found, color),
        _tool_changes(found, listed, color, width),
        _names("came in the same, but other calls are to be made", found.differ, found.differing, width),
        _names("only in A", found.names_only_a, found.only_a, width),
        _names("only in B", found.names_only_b, found.only_b, width),
    ]
    return "\n\n".join(block for block in blocks if block)


# -- two runs ------------------------------------------------------------------


def _changes(found: Versus, color: bool) -> str:
    rows = [
        (
            measure.title,
            f"{counted(change.a)} {percent(change.a.value)}",
            f"{counted(change.b)} {percent(change.b.value)}",
            difference(change.difference),
            change.only_a,
            change.only_b,
        )
        for measure, change in told_changes(found)
    ]
    return table(("in both", "A", "B", "B-A", "more A", "more B"), rows, color)


def _chances(found: Versus, width: int) -> Iterator[str]:
    """Yield for each measure that changed much how likely that is by chance."""
    for measure, change in told_changes(found):
        if change.p_value <= UNLIKELY:
            yield "\n".join(wrapped([f"{measure.title}: {chance_text(change.p_value)}"], width))


def _moved(
    title: str, moved: Sequence[Moved], total: int, listed: int, color: bool, width: int
) -> Iterator[str]:
    if not total:
        return
    yield bold(f"{title}: {total}", color)
    for each in moved[:listed]:
        name = shown(each.name, 60) if each.same_input else f"{shown(each.name, 60)} (came in otherwise)"
        why = f": {each.why}" if each.why else ""
        yield from told_lines(f"{name}: {each.before} -> ", each.after, why, color, width)
    if total > min(listed, len(moved)):
        yield f"({total - min(listed, len(moved))} more)"


def _new_faults(
    title: str, faults: Sequence[FaultChange], listed: int, color: bool, width: int
) -> Iterator[str]:
    if not faults:
        return
    yield bold(title, color)
    for number, each in enumerate(faults[:listed], start=1):
        text = f"{number}. {fault_title(each)}"
        yield from wrapped([f"{text} ({count(each.sequences, 'sequence')})"], width)
        if each.example is not None:
            yield from example_lines(each.example, width)
    if len(faults) > listed:
        yield f"({len(faults) - listed} more)"


def _tag_changes(found: Versus, color: bool) -> str:
    rows = [
        (each.tag, each.a.count, each.b.count, each.only_a, each.only_b, f"{each.p_value:.3f}")
        for each in found.tags
    ]
    return table(("sequences with", "A", "B", "only A", "only B", "p"), rows, color) if rows else ""


def _tool_changes(found: Versus, listed: int, color: bool, width: int) -> str:
    rows = [
        (
            shown(each.tool, NAME),
            [counted(each.a), counted(each.b), difference(each.difference), f"{each.p_value:.3f}"],
        )
        for each in found.tools[:listed]
    ]
    return listing("faulty calls of", ["A", "B", "B-A", "p"], rows, found.tools, color, width)


def _names(title: str, names: Iterable[str], total: int, width: int) -> str:
    if not total:
        return ""
    told = [shown(name, 60) for name in names][:LISTED]
    more = f" and {total - len(told)} more" if total > len(told) else ""
    return "\n".join(wrapped([f"{title}: {', '.join(told)}{more}"], width))
