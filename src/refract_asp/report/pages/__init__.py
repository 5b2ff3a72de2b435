"""What pages of HTML have in common: their style, and the templates that are filled in."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from refract_asp.report.terminal import count

__all__ = ["TEMPLATES", "environment", "raw_text"]

TEMPLATES = Path(__file__).resolve().parent / "templates"


@cache
def environment(*folders: Path, autoescape: bool = True) -> Environment:
    """
    Return what fills in the templates of these folders and the common ones.

    Whatever it puts in is escaped as HTML, but not with `autoescape=False`.
    Known in all of them are `style`, the common style sheet, and `count`, which counts things.

    Example:
        >>> environment().from_string("<p>{{ name }}</p>").render(name="<b>")
        '<p>&lt;b&gt;</p>'
    """
    made = Environment(
        loader=FileSystemLoader([*folders, TEMPLATES]),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"style": raw_text(TEMPLATES / "style.css"), "count": count}
    return made


@cache
def raw_text(path: Path) -> Markup:
    """Return what a file of this package holds, to be put into a page as it is: a style sheet or a script."""
    return Markup(path.read_text("utf-8"))
