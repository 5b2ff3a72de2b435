"""
Elements of HTML and SVG as a tree, printed as text or told as data.

Text is escaped in one place when it is printed; told as data it stays text, and a script that builds the
elements from it makes text of it again. So nothing that came from outside can become markup.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from markupsafe import escape

__all__ = ["Child", "Element", "data_of", "element", "markup_of"]


class Element(NamedTuple):
    """An element: its name, its attributes, and what is in it."""

    tag: str
    attributes: dict[str, str]
    children: tuple[Child, ...]


Child: TypeAlias = "Element | str"
"""What an element may hold."""

_VOID = frozenset({"br"})


def element(tag: str, *children: Child | None, **attributes: str | float | bool | None) -> Element:
    """
    Return an element; children and attributes that are None are left out.

    An attribute that is a word of Python bears a `_` at its end, and `_` stands for a dash: `class_`,
    `aria_label`. True stands for an attribute without a value.

    Example:
        >>> markup_of(element("p", "1 < 2 ", element("b", "yes"), class_="soft", id=None))
        '<p class="soft">1 &lt; 2 <b>yes</b></p>'
    """
    said = {
        name.rstrip("_").replace("_", "-"): "" if value is True else str(value)
        for name, value in attributes.items()
        if value is not None and value is not False
    }
    return Element(tag, said, tuple(child for child in children if child is not None))


def markup_of(child: Child) -> str:
    """Print an element and what is in it, as HTML that is XML, too."""
    if isinstance(child, str):
        return str(escape(child))
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in child.attributes.items())
    if child.tag in _VOID:
        return f"<{child.tag}{attributes}/>"
    return f"<{child.tag}{attributes}>{''.join(map(markup_of, child.children))}</{child.tag}>"


def data_of(child: Child) -> Any:
    """
    Tell an element as data: its name, its attributes (0 where there are none), its children.

    Example:
        >>> data_of(element("p", "yes", element("br"), class_="soft"))
        ['p', {'class': 'soft'}, 'yes', ['br', 0]]
    """
    if isinstance(child, str):
        return child
    return [child.tag, child.attributes or 0, *map(data_of, child.children)]
