"""A run of many sequences, or two of them side by side, in Markdown: short enough for a comment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from refract_asp.batch.changes import FaultChange, Moved, Versus
from refract_asp.batch.figures import FaultFigures, Grouping, Summary
from refract_asp.batch.measures import measures_told
from refract_asp.batch.telling import (
    columns_of,
    counted,
    difference,
    fault_title,
    group_name,
    head_line,
    interval,
    left_out_lines,
    outcomes_line,
    place,
    told_changes,
    verdict_on,
)
from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.model.shares import Share
from refract_asp.report.tables import count, milliseconds, percent

__all__ = ["MAX_TEXT", "cell", "code", "summary_markdown", "versus_markdown"]

LISTED = 10
"""So many tools, parameters, faults and sequences are listed."""
GROUPS = 20
MAX_TEXT = 60_000
"""So long is a text at most; comments on GitHub may have 65,536 characters."""
_CUT = "The rest is left out, as the text would be too long."
_TICKS = re.compile("`+")
_PIPE = re.compile(r"(\\*)\|")


def code(text: object, limit: int = 100) -> str:
    """
    Return a text from outside so that it is shown as it is, and is nothing else.

    Between backticks nothing is read as a link, a mention, HTML or an emphasis, and there is always one more
    of them than the text has in a row.

    Example:
        >>> print(code("@all <b>"), code("a`b"), code("`"), code(""))
        `@all <b>` ``a`b`` `` ` `` -
    """
    clean = shown(text, limit).strip()
    if not clean:
        return "-"
    ticks = "`" * (1 + max(map(len, _TICKS.findall(clean)), default=0))
    blank = " " if clean[0] == "`" or clean[-1] == "`" else ""
    return f"{ticks}{blank}{clean}{blank}{ticks}"


def cell(text: object, limit: int = 100) -> str:
    r"""
    Return a text from outside for a cell of a table, where a line that stands upright would end it.

    A backslash takes that meaning from it, if it is not itself one that another backslash has made plain.

    Example:
        >>> print(cell("a|b"), cell("a\\|b"))
        `a\|b` `a\\\|b`
    """
    return _PIPE.sub(lambda match: f"{match[1]}{_odd(match[1])}|", code(text, limit))


def _odd(before: str) -> str:
    return "\\" if len(before) % 2 == 0 else "\\\\"


def summary_markdown(summary: Summary, source: str = "") -> str:
    """Return a run as Markdown: its shares, groups of sequences, and folded away what goes wrong."""
    title = f"### Batch: {code(source, LONGEST_TEXT)}" if source else "### Batch"
    overall = summary.overall
    if not overall.sequences:
        return f"{title}\n\nThere is no sequence."
    rows = [
        [measure.title, counted(found), percent(found.value), interval(found)]
        for measure in measures_told(overall.shares)
        for found in [overall.shares[measure.name]]
    ]
    times = summary.times
    told = [f"{head_line(summary)} {outcomes_line(overall)}."]
    if times is not None:
        mean, p99 = milliseconds(times.mean), milliseconds(times.p99)
        told.append(f"They took {mean} ms on average, 99 % at most {p99} ms.")
    return _joined(
        [
            title,
            " ".join(told).replace("_", "\\_"),
            _table(["all sequences", "", "share", "95 % interval"], rows),
            *(_group(grouping) for grouping in summary.groupings),
            _folded("Mistakes by kind, tool and parameter", _mistakes(summary)),
            _folded("Most frequent faults", [_list(_fault(each) for each in summary.faults[:LISTED])]),
            _folded(
                f"{count(summary.troubled, 'sequence')} cannot be executed",
                [_list(_troubles(summary))] if summary.troubled else [],
            ),
        ]
    )


def versus_markdown(found: Versus, a: str = "", b: str = "") -> str:
    """Return two runs side by side as Markdown; `a` is what the first one is called."""
    title = "### Batch: two runs"
    if a and b:
        title += f"\n\n- A: {code(a, LONGEST_TEXT)}\n- B: {code(b, LONGEST_TEXT)}"
    changes = [
        [
            f"**{measure.title}**" if change.worse else measure.title,
            _share(change.a),
            _share(change.b),
            difference(change.difference),
            f"{change.p_value:.3f}",
        ]
        for measure, change in told_changes(found)
    ]
    tools = [
        [cell(each.tool), counted(each.a), counted(each.b), difference(each.difference)]
        for each in found.tools[:LISTED]
    ]
    tags = [[cell(each.tag), str(each.a.count), str(each.b.count)] for each in found.tags]
    return _joined(
        [
            title,
            f"**{verdict_on(found)}** {' '.join(left_out_lines(found))}",
            _table(["in both", "A", "B", "B - A", "p"], changes),
            _folded(f"{found.worse} got worse", [_list(_moved(found.got_worse, found.worse))], found.worse),
            _folded(
                f"{found.better} got better", [_list(_moved(found.got_better, found.better))], found.better
            ),
            _folded("New faults", [_list(_fault(each) for each in found.new_faults[:LISTED])]),
            _folded("Faults that are gone", [_list(_fault(each) for each in found.gone_faults[:LISTED])]),
            _folded(
                "Changes by kind and tool",
                [
                    _table(["sequences with", "A", "B"], tags),
                    _table(["faulty calls of", "A", "B", "B - A"], tools),
                ],
            ),
            _folded(
                f"{count(found.differing, 'sequence')} came in the same, but other calls are to be made",
                [_list(_names(found.differ, found.differing))],
                found.differing,
            ),
        ]
    )


# -- parts ---------------------------------------------------------------------


def _joined(sections: Iterable[str]) -> str:
    """Join sections up to what a comment may hold."""
    text = ""
    for section in sections:
        if not section:
            continue
        if len(text) + len(section) > MAX_TEXT - len(_CUT) - 4:
            return f"{text}\n\n{_CUT}"
        text = f"{text}\n\n{section}" if text else section
    return text


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    lines = [heads, ["---", *["--:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _folded(title: str, parts: Iterable[str], number: int = 1) -> str:
    """Return parts that are shown when their title is clicked; nothing where there are none."""
    told = "\n\n".join(part for part in parts if part)
    return f"<details><summary>{title}</summary>\n\n{told}\n\n</details>" if told and number else ""


def _group(grouping: Grouping) -> str:
    measures = columns_of(grouping)
    groups = grouping.groups[:GROUPS]
    rows = [
        [
            cell(group_name(group.value)),
            str(group.figures.sequences),
            *(_share(group.figures.shares.get(measure.name)) for measure in measures),
        ]
        for group in groups
    ]
    heads = [f"by {cell(grouping.field)}", "sequences", *(measure.head for measure in measures)]
    more = len(grouping.groups) - len(groups)
    told = _table(heads, rows)
    return f"{told}\n\n{more} more values." if more else told


def _share(found: Share | None) -> str:
    return "-" if found is None else f"{counted(found)} {percent(found.value)}"


def _mistakes(summary: Summary) -> Iterator[str]:
    yield _table(
        ["kind", "sequences", "share"],
        [[cell(tag.tag), counted(tag.sequences), percent(tag.sequences.value)] for tag in summary.tags],
    )
    yield _table(
        ["tool", "faulty calls", "share"],
        [
            [cell(tool.tool), counted(tool.faulty), percent(tool.faulty.value)]
            for tool in summary.tools[:LISTED]
            if tool.faulty.count
        ],
    )
    yield _table(
        ["parameter", "faulty calls", "share"],
        [
            [cell(place(each.tool, each.parameter), 200), counted(each.faulty), percent(each.faulty.value)]
            for each in summary.parameters[:LISTED]
        ],
    )


def _fault(fault: FaultFigures | FaultChange) -> str:
    number = fault.sequences if isinstance(fault.sequences, int) else fault.sequences.count
    text = f"{code(fault_title(fault), LONGEST_TEXT)}: {count(number, 'sequence')}"
    if fault.example is None:
        return text
    text += f", as {code(fault.example.name)}: {code(fault.example.message, LONGEST_TEXT)}"
    return text if fault.example.fix is None else f"{text}; fix: {code(fault.example.fix, LONGEST_TEXT)}"


def _troubles(summary: Summary) -> Iterator[str]:
    listed = summary.troubles[:LISTED]
    for each in listed:
        yield f"{code(each.name)}: {code(each.outcome)}, {code(each.why, LONGEST_TEXT)}"
    if summary.troubled > len(listed):
        yield f"{summary.troubled - len(listed)} more"


def _moved(moved: Sequence[Moved], total: int) -> Iterator[str]:
    listed = moved[:LISTED]
    for each in listed:
        why = f", {code(each.why, LONGEST_TEXT)}" if each.why else ""
        yield f"{code(each.name)}: {code(each.before)} to {code(each.after)}{why}"
    if total > len(listed):
        yield f"{total - len(listed)} more"


def _names(names: Sequence[str], total: int) -> Iterator[str]:
    listed = names[:LISTED]
    yield from (code(name) for name in listed)
    if total > len(listed):
        yield f"{total - len(listed)} more"
