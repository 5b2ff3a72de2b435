"""What pages of HTML have in common: their style, and the templates that are filled in."""

from __future__ import annotations

import json
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from refract_asp.errors import shown
from refract_asp.report.terminal import Style, count, escaped, folded, painted, table

__all__ = ["TEMPLATES", "environment", "printed", "raw_text"]

TEMPLATES = Path(__file__).resolve().parent / "templates"


@lru_cache(maxsize=16)
def environment(*folders: Path, autoescape: bool = True, sandboxed: bool = False) -> Environment:
    """
    Return what fills in the templates of these folders and the common ones.

    Whatever it puts in is escaped as HTML, but not with `autoescape=False`; `sandboxed` templates run no code.
    Known in all of them are `style`, the common style sheet, `count`, which counts things, and the filter
    `titled`, which cuts a text and quotes it where nothing of it shows.

    Example:
        >>> environment().from_string("<p>{{ name }}</p>").render(name="<b>")
        '<p>&lt;b&gt;</p>'
    """
    kind = ImmutableSandboxedEnvironment if sandboxed else Environment
    how: Any = {"undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    made = kind(loader=FileSystemLoader([*folders, TEMPLATES]), autoescape=autoescape, **how)
    made.filters["titled"] = lambda text: shown(text if text.strip() else json.dumps(text), 40)
    made.globals |= {"style": raw_text(TEMPLATES / "style.css"), "count": count}
    return made


def printed(template: Path, color: bool = False, width: int = 80, **values: Any) -> str:
    """
    Return the text that a template makes of its values for a terminal, prose on lines of 40 to 120 columns.

    Templates fold and paint what they print by themselves, as nothing that they put in is escaped.
    """
    width = max(40, min(width, 120))

    def fold(text: str, first: str = "", rest: str = "    ") -> str:
        return folded(text, width, first, rest)

    def hanging(head: str, text: str, indent: int, *styles: Style) -> str:
        """Wrap a text behind its head, which may be coloured, further lines indented."""
        lines = fold(text, head, " " * indent) or head
        return painted(head, *styles, color=color) + lines[len(head) :]

    how: Any = {"width": width, "fold": fold, "hanging": hanging}
    how |= {"escaped": escaped, "shown": shown}
    how |= {"painted": partial(painted, color=color), "table": partial(table, color=color)}
    texts = environment(template.parent, autoescape=False)
    return texts.get_template(template.name).render(values, **how)


@cache
def raw_text(path: Path) -> Markup:
    """Return what a file of this package holds, to be put into a page as it is: a style sheet or a script."""
    return Markup(path.read_text("utf-8"))
