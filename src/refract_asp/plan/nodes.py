"""Nodes of the tree that tree-sitter makes: their texts, and those that are looked for inside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["comments_of", "first_leaf", "text_of"]


def text_of(node: Node) -> str:
    """Return the text of a node as it is written."""
    return (node.text or b"").decode()


def comments_of(node: Node) -> Iterator[Node]:
    """Yield the comments inside a statement, from left to right."""
    waiting = list(reversed(node.children))
    while waiting:
        inner = waiting.pop()
        if inner.type == "comment":
            yield inner
        elif inner.child_count:
            waiting += reversed(inner.children)


def first_leaf(node: Node) -> Node:
    """Return the first node within a node that holds no other."""
    while node.child_count:
        node = node.children[0]
    return node
