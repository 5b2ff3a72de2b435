"""A run of many sequences, or two of them side by side, in Markdown: short enough for a comment."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.evaluation.figures import Summary
from refract_asp.evaluation.measures import MEASURES, measures_told
from refract_asp.evaluation.text import (
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
from refract_asp.evaluation.versus import Versus
from refract_asp.report.terminal import count, milliseconds, percent

__all__ = ["MAX_TEXT", "cell", "code", "summary_markdown", "versus_markdown"]

TEMPLATES = Path(__file__).resolve().parent / "templates"
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
    return _PIPE.sub(
        lambda match: match[1] + "\\" * (1 + len(match[1]) % 2) + "|", code(text, limit)
    )


def summary_markdown(summary: Summary, source: str = "") -> str:
    """Return a run as Markdown: its shares, groups of sequences, and folded away what goes wrong."""
    lines = [f"{head_line(summary)} {outcomes_line(summary.overall)}."]
    if summary.times is not None:
        mean, p99 = milliseconds(summary.times.mean), milliseconds(summary.times.p99)
        lines.append(f"They took {mean} ms on average, 99 % at most {p99} ms.")
    measures = measures_told(MEASURES, summary.overall.shares)
    return _filled("summary.md.j2", summary=summary, source=source, lines=lines, measures=measures)


def versus_markdown(found: Versus, a: str = "", b: str = "") -> str:
    """Return two runs side by side as Markdown; `a` is what the first one is called."""
    return _filled("versus.md.j2", found=found, a=a, b=b)


def _filled(template: str, **names: Any) -> str:
    """Fill in a template, and join its sections up to what a comment may hold."""
    filled = _templates().get_template(template).render(**names)
    text = ""
    for section in re.split(r"\n*\f\n*", filled.strip("\n")):
        if len(text) + len(section) > MAX_TEXT - len(_CUT) - 4:
            return f"{text}\n\n{_CUT}"
        text = f"{text}\n\n{section}" if text else section
    return text


@cache
def _templates() -> Environment:
    """Return what fills in the templates; `code` and `cell` are what makes text from outside harmless."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"listed": LISTED, "groups": GROUPS, "longest": LONGEST_TEXT, "place": place}
    filters = (
        cell, code, count, counted, difference, fault_title, group_name, interval, left_out_lines, percent,
        told_changes, verdict_on,
    )  # fmt: skip
    made.filters |= {each.__name__: each for each in filters}
    made.filters["columns"] = columns_of
    return made
