"""How long a prompt is in tokens, and what is left out of it where it would be too long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from refract_asp.report.prompt_content import Content

__all__ = ["estimated_tokens", "shortened"]

_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[^\x00-\x7f]+|\n| +|[\x00-\x7f]")
LETTERS = 3
"""So many letters of a word make a token at least."""
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
    sequence, further issues, the alternatives, the user's words. The faulty calls stay in any case.
    """
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
    while content.sequence:
        kept = content.sequence[: len(content.sequence) // 2]
        more = content.sequence_more + len(content.sequence) - len(kept)
        content = replace(content, sequence=kept, sequence_more=more)
        yield content
    while len(content.issues) > 1:
        content = _with_issues(content, len(content.issues) // 2)
        yield content
    if content.alternatives:
        content = replace(content, alternatives=())
        yield content
    while content.words:
        content = replace(content, words=content.words[: len(content.words) // 2])
        yield content
    yield replace(content, issues=(), issues_more=0, sequence_more=0)


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
    """Return it with the first issues, and of each alternative what puts these right."""
    issues = content.issues[:most]
    told = {issue.number for issue in issues}
    alternatives = tuple(
        replace(each, fixes=tuple(fix for fix in each.fixes if not fix.issues or told & set(fix.issues)))
        for each in content.alternatives
    )
    more = content.issues_more + len(content.issues) - most
    return replace(content, issues=issues, issues_more=more, alternatives=alternatives)
