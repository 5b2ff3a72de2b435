"""How long a prompt is in tokens, and what is left out of it where it would be too long."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace

from refract_asp.report.prompt_content import Content

__all__ = ["estimated_tokens", "shortened"]

_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[^\x00-\x7f]+|\n| +|[\x00-\x7f]")
LETTERS = 3
"""So many letters of a word make a token at least."""
_GAP = "..."
LONG_WORD = 16
"""Of a word with more letters than that, which is none of any language, two of three letters make one."""


def estimated_tokens(text: str) -> int:
    """
    Return about how many tokens a text has, for the tokenizers that models use.

    No tokenizer is asked, so the estimate is high rather than low: a token for every three letters of a
    word, for each digit and each mark, and for each byte of what is not ASCII. A space before a word is free.
    Prompts came out 1.4 to 1.7 times as long as two tokenizers in use have them, text in other scripts more.

    Example:
        >>> estimated_tokens("Search for hotels"), estimated_tokens('geoId="$var1.geoId$"')
        (5, 12)
    """
    total = 0
    for piece in _PIECE.findall(text):
        if not piece.isascii():
            total += len(piece.encode("utf-8", "surrogatepass"))
        elif not piece[0].isalpha():
            total += piece != " "
        else:
            total += -(-len(piece) // LETTERS) if len(piece) <= LONG_WORD else -(-len(piece) * 2 // 3)
    return total


def shortened(content: Content) -> Iterator[Content]:
    """
    Yield what is told, then ever less of it: what is least needed goes first.

    That is: long lists of what there is, further suggestions, further alternatives, the other calls of the
    sequence, the farthest ones first, further issues with what puts them right, the alternatives, the user's
    words. The faulty calls stay in any case, other calls as long as it is told how they change.
    """
    whole = content.sequence
    yield content
    for most in (10, 5, 2, 0):
        content = _with_lists(content, most)
        yield content
    for most in (1, 0):
        issues = tuple(replace(issue, suggestions=issue.suggestions[:most]) for issue in content.issues)
        content = replace(content, issues=issues)
        yield content
    while len(content.alternatives) > 1:
        content = replace(content, alternatives=content.alternatives[: len(content.alternatives) // 2])
        yield content
    reach = len(whole)
    while reach:
        reach //= 2
        content = _with_calls(content, whole, reach)
        yield content
    while len(content.issues) > 1:
        content = _with_calls(_with_issues(content, len(content.issues) // 2), whole, 0)
        yield content
    if content.alternatives:
        content = _with_calls(replace(content, alternatives=()), whole, 0)
        yield content
    while content.words:
        content = replace(content, words=content.words[: len(content.words) // 2])
        yield content
    yield replace(content, issues=(), issues_more=0, sequence_more=0)


def _with_calls(content: Content, whole: tuple[str, ...], reach: int) -> Content:
    """Return it with those calls of the whole sequence that are near a faulty one, or change besides."""
    faulty = {number - 1 for number in content.faulty}
    ends = sorted(faulty) or [len(whole) - 1]
    near = {number for number in range(len(whole)) if _distance(number, ends) <= reach}
    fixes = [fix for each in content.alternatives for fix in each.fixes if not fix.issues]
    changed = {fix.call for fix in fixes if fix.call is not None} - faulty
    kept = near | changed if reach else changed
    more = sum(number not in kept | faulty for number in range(len(whole)))
    kept = kept if more else kept | faulty
    lines: list[str] = []
    for number, line in enumerate(whole):
        if number in kept:
            lines.append(line)
        elif lines[-1:] != [_GAP]:
            lines.append(_GAP)
    return replace(content, sequence=() if lines == [_GAP] else tuple(lines), sequence_more=more)


def _distance(number: int, ordered: list[int]) -> int:
    """Return how far a number is from the nearest of some."""
    place = bisect_left(ordered, number)
    return min(abs(each - number) for each in ordered[max(0, place - 1) : place + 1])


def _with_lists(content: Content, most: int) -> Content:
    """Return it with so many entries of each list of what there is."""
    issues = tuple(
        replace(
            issue,
            entries=issue.entries[:most],
            more=issue.more + max(0, len(issue.entries) - most),
            title=issue.title if most else "",
        )
        for issue in content.issues
    )
    return replace(content, issues=issues)


def _with_issues(content: Content, most: int) -> Content:
    """
    Return it with the first issues, and of each alternative what puts these right.

    What changes besides follows from what is wrong before, so it stays as far as all before is told.
    """
    issues = content.issues[:most]
    told = {issue.number for issue in issues}
    hidden = [issue.call for issue in content.issues[most:] if issue.call is not None]
    end = min(hidden, default=None)
    alternatives = []
    for each in content.alternatives:
        fixes = [
            replace(fix, issues=tuple(number for number in fix.issues if number in told))
            for fix in each.fixes
            if told & set(fix.issues)
            or (not fix.issues and (fix.call is None or end is None or fix.call < end))
        ]
        alternatives.append(replace(each, fixes=tuple(fixes)))
    more = content.issues_more + len(content.issues) - most
    return replace(content, issues=issues, issues_more=more, alternatives=tuple(alternatives))
