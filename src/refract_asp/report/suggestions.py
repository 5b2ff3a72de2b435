"""What was probably meant, and the valid options in the place of something that is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

from rapidfuzz.distance import Indel

from refract_asp.errors import shown
from refract_asp.model.paths import FieldPath, path_text, shared_steps
from refract_asp.rules.likeness import is_shortened, tokens

Method: TypeAlias = Literal["substring", "fuzzy"]

MAX_LENGTH = 200
"""Longer names are compared by so many characters."""
CUTOFF = 0.4
"""How alike two names have to be at least where spelling decides."""

WORD = 3
"""So many letters are like a name wherever they stand in it."""

_Rank: TypeAlias = tuple[int, float]


def find_similar_items(
    query: str,
    items: Iterable[str],
    *,
    max_results: int = 5,
    method: Method = "substring",
    cutoff: float = CUTOFF,
    sort_by_length: bool = False,
) -> list[str]:
    """
    Return the items that `query` probably meant, best first.

    Case does not count. An item is similar when it holds the query; then, when the query holds it;
    then, when both begin alike and the one has all letters of the other in their order (three at least).
    An item of one or two letters is in the query only as a word of it, or as its beginning.
    The more of the longer one the shorter one makes up, the better; then the alphabet decides.

    Args:
        query: what was written; the empty text is like nothing.
        items: the valid options.
        max_results: how many are returned at most.
        method: "fuzzy" adds, after all others, those that are spelt somewhat alike.
        cutoff: how alike, from 0 to 1, "fuzzy" ones have to be.
        sort_by_length: put short items first, whatever else.

    Example:
        >>> find_similar_items("msg", ["user", "messages", "ts"])
        ['messages']
        >>> find_similar_items("mesages", ["usages", "messages"], method="fuzzy")
        ['messages', 'usages']
    """
    ranked = []
    for item in dict.fromkeys(items):
        rank = _rank(query, item, method, cutoff)
        if rank is not None:
            ranked.append((rank, item))
    ranked.sort(key=lambda each: ((len(each[1]) if sort_by_length else 0), each[0], each[1]))
    return [item for _, item in ranked[: max(0, max_results)]]


def similar_paths(
    attempted: FieldPath, paths: Sequence[FieldPath], *, fuzzy: bool = False
) -> list[FieldPath]:
    """
    Return the paths that were probably meant, best first: their last field is like the one attempted.

    Of equally like ones those count first that begin alike, then the shallow ones. An element of a list does
    not stand beside the list. One or two letters count inside a field only as a word of it, or its beginning.

    Example:
        >>> similar_paths(("msg",), [("result",), ("result", "messages"), ("result", "messages", 0)])
        [('result', 'messages')]
    """
    written = _last(attempted)
    method: Method = "fuzzy" if fuzzy else "substring"
    ranks: dict[str, _Rank | None] = {}
    ranked = []
    for path in paths:
        if not path or isinstance(path[-1], int) or path == attempted:
            continue
        name = _last(path)
        if name not in ranks:
            says = written.lower() not in name.lower() or _says(written, name)
            ranks[name] = _rank(written, name, method, CUTOFF) if says else None
        rank = ranks[name]
        if rank is not None:
            near = (-shared_steps(attempted, path), len(path), [str(step) for step in path])
            ranked.append((rank, near, path))
    return [path for _, _, path in sorted(ranked, key=lambda each: each[:2])]


def format_did_you_mean(
    query: str,
    suggestions: Sequence[str],
    *,
    item_type: str = "item",
    fallback_items: Sequence[str] | None = None,
    max_fallback: int = 10,
) -> str:
    """
    Say what was probably meant, or the valid options where nothing is alike; empty where there is nothing.

    Example:
        >>> print(format_did_you_mean("Serch", ["Search"], item_type="tool"))
        There is no tool 'Serch'. Did you mean: Search?
        >>> print(format_did_you_mean("x", [], item_type="tool", fallback_items=["Search", "Book"]))
        There is no tool 'x'.
        Available tools:
          Search
          Book
    """
    head = f"There is no {item_type} {shown(query)!r}."
    if len(suggestions) == 1:
        return f"{head} Did you mean: {shown(suggestions[0])}?"
    title, listed = "Did you mean one of these?", [*suggestions]
    if not suggestions:
        title, listed = f"Available {item_type}s:", [*(fallback_items or ())]
    kept = listed if suggestions else listed[: max(0, max_fallback)]
    more = [f"  ... and {len(listed) - len(kept)} more"] if len(listed) > len(kept) else []
    lines = [title, *(f"  {shown(each)}" for each in kept), *more] if listed else []
    return "\n".join([head, *lines])


def _last(path: FieldPath) -> str:
    """Return the last field of a path, without indexes."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _rank(query: str, item: str, method: Method, cutoff: float) -> _Rank | None:
    """Return how good a match is, smaller is better; None where there is none."""
    first, second = query[:MAX_LENGTH].lower(), item[:MAX_LENGTH].lower()
    if not first or not second:
        return None
    quality = min(len(first), len(second)) / max(len(first), len(second))
    if first in second:
        return 0, -quality
    if second in first and _says(second, query):
        return 1, -quality
    if is_shortened(first, second):
        return 2, -quality
    if method == "fuzzy":
        likeness = Indel.normalized_similarity(first, second)
        if likeness >= cutoff:
            return 3, -likeness
    return None


def _says(short: str, long: str) -> bool:
    """Whether a name says what a part of it is; one or two letters do so as a word or a beginning alone."""
    part = short.lower()
    return len(part) >= WORD or long.lower().startswith(part) or part in tokens(long)


def value_text(value: Any) -> str:
    """Print a value as JSON, bounded."""
    return shown(json.dumps(value, ensure_ascii=False, default=str))


def inside_text(name: str, path: FieldPath) -> str:
    """
    Name a place inside an argument.

    Example:
        >>> inside_text("opts", ("level",)), inside_text("ids", (0,)), inside_text("id", ())
        ('opts.level', 'ids[0]', 'id')
    """
    joint = "." if path and isinstance(path[0], str) else ""
    return f"{name}{joint}{shown(path_text(path))}"


def change(old: str, new: str) -> str | None:
    """
    Say what to change, unless both look the same.

    Example:
        >>> change("Serch", "Search"), change("Search", "Search")
        ('Change Serch to Search', None)
    """
    return f"Change {old} to {new}" if old != new else None
