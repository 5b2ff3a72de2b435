"""
How unlike two names are; numbers for the rules to weigh, never a decision.

Names are folded first: case, `_`, `-`, dots, blanks and camelCase do not count. Lengths are bounded
before anything is compared, so that a huge name stays cheap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz.distance import OSA

from refract_asp.model.paths import FieldPath

__all__ = [
    "FAR",
    "fit_distance",
    "fold",
    "is_kin",
    "is_said",
    "is_shortened",
    "is_slip",
    "leaf",
    "leaf_names",
    "meaning_distance",
    "mismatch",
    "name_distance",
    "path_distance",
    "shared_prefixes",
    "tails",
    "tokens",
    "tool_distance",
    "words",
]

FAR = 20
"""The distance of two names that have nothing in common; 0 is that of equal ones."""

SAID = 10
"""The distance of two names that differ, but of which the description of one mentions the other."""
CLEAR = 14
"""Up to this distance a likeness is clear; beyond it there is none to speak of."""
UNLIKE = 0.5
"""A spelling less similar than this is not similar at all."""
SHORTENED = 0.65
"""How similar a field is to the same name with letters left out, as `messages` to `msg`."""

COMMON_WORDS = frozenset(
    [
        "code",
        "data",
        "date",
        "description",
        "id",
        "key",
        "location",
        "name",
        "number",
        "status",
        "text",
        "time",
        "title",
        "type",
        "url",
        "value",
    ]
)
"""Words that a description may use without meaning a field of that name."""

MAX_LENGTH = 200
"""Characters of a name that are compared."""
MAX_DESCRIPTION = 2000
"""Characters of a description that are read."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MARKS = re.compile(r"[\W_]")
_WORD = re.compile(r"[^\W_]+")
_ASCII_WORD = re.compile("[a-z0-9]+")


@lru_cache(maxsize=65536)
def tokens(name: str) -> tuple[str, ...]:
    """
    Return the words of a name, folded.

    Example:
        >>> tokens("originSkyId"), tokens("Exchange Rate"), tokens("authorID")
        (('origin', 'sky', 'id'), ('exchange', 'rate'), ('author', 'id'))
    """
    words = _CAMEL.sub(" ", name[:MAX_LENGTH])
    if words.isascii():
        return tuple(_ASCII_WORD.findall(words.lower()))
    return tuple(word.lower() for word in _WORD.findall(words))


@lru_cache(maxsize=65536)
def words(name: str) -> tuple[str, ...]:
    """
    Return the words of a name, folded and in the singular.

    Example:
        >>> words("searchQueries"), words("status_boxes")
        (('search', 'query'), ('status', 'box'))
    """
    return tuple(_singular(word) for word in tokens(name))


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] not in "sui" else word


@lru_cache(maxsize=65536)
def fold(name: str) -> str:
    """
    Return a name without case and punctuation.

    Example:
        >>> fold("file_path") == fold("FilePath")
        True
    """
    return "".join(tokens(name)) or name[:MAX_LENGTH].lower()


@lru_cache(maxsize=65536)
def name_distance(name: str, other: str) -> int:
    """
    Return how unlike two names are, from 0 (equal once folded) to 20.

    A name whose words are all among those of the other is near; else the words in common and the
    edits from one spelling to the other count, whichever makes them nearer.

    Example:
        >>> name_distance("skyId", "sky_id"), name_distance("skyId", "originSkyId")
        (0, 3)
    """
    first, second = fold(name), fold(other)
    if first == second:
        return 0
    spelling = OSA.normalized_similarity(first, second)
    spelling = spelling if spelling >= UNLIKE else 0.0
    words, others = set(tokens(name)), set(tokens(other))
    common = words & others
    shared = 0.0
    if common:
        weight = sum(map(len, common))
        smaller = min(sum(map(len, words)), sum(map(len, others)))
        union = sum(map(len, words | others))
        shared = weight / union
        if weight == smaller:  # one holds all the words of the other
            shared = 0.7 + 0.3 * shared
    elif min(len(first), len(second)) >= 4 and (first in second or second in first):
        shared = 0.6
    return max(1, round(FAR * (1 - max(shared, spelling))))


def is_slip(name: str, other: str) -> bool:
    """
    Whether two names are the same once folded, or but for one character that is wrong, lost or swapped.

    Example:
        >>> is_slip("filePath", "file_path"), is_slip("amuont", "amount"), is_slip("min_price", "max_price")
        (True, True, False)
    """
    first, second = fold(name), fold(other)
    return first == second or (min(len(first), len(second)) >= 4 and is_one_letter(name, other))


def is_one_letter(name: str, other: str) -> bool:
    """
    Whether two names, once folded, are one character apart that is wrong, lost or swapped.

    Example:
        >>> is_one_letter("ode", "code"), is_one_letter("code", "Code")
        (True, False)
    """
    return OSA.distance(fold(name), fold(other), score_cutoff=1) == 1


def is_kin(name: str, other: str) -> bool:
    """
    Whether a name looks like another one: a slip in one of its words, a short form, or a part of it.

    Example:
        >>> is_kin("recipent_adress", "recipient_address"), is_kin("lat", "latitude"), is_kin("id", "user_id")
        (True, True, True)
        >>> is_kin("order_id", "customer_id"), is_kin("tax", "total_amount")
        (False, False)
    """
    first, second = words(name), words(other)
    if is_slip(name, other) or set(first) <= set(second) or set(second) <= set(first):
        return True
    return any(
        one != two and (is_slip(one, two) or _is_short_form(one, two))
        for one in first
        for two in second
    )


def _is_short_form(word: str, other: str) -> bool:
    """Whether of two words the one is the beginning of the other, or what is left without its vowels."""
    short, long = sorted((word, other), key=len)
    is_beginning = len(short) >= 3 and long.startswith(short)
    return is_beginning or (not set(short[1:]) & set("aeiou") and is_shortened(short, long))


@lru_cache(maxsize=65536)
def leaf_names(path: FieldPath) -> tuple[str, ...]:
    """
    Return the names under which the value at a path may go: its field, and parent plus field.

    Example:
        >>> leaf_names(("author", 0, "id"))
        ('id', 'author_id')
    """
    fields = [step for step in path if isinstance(step, str)]
    return tuple("_".join(fields[-length:]) for length in range(1, min(len(fields), 2) + 1))


def meaning_distance(name: str, other: str) -> int:
    """
    Return how unlike two names are in meaning, from 0 (equal once folded) to 20 (no likeness).

    Words count here, singular or plural; a similar spelling of different words does not.

    Example:
        >>> meaning_distance("amount", "converted_amount"), meaning_distance("time", "title")
        (4, 20)
    """
    if fold(name) == fold(other):
        return 0
    words, others = (
        {word.rstrip("s") for word in tokens(name)},
        {word.rstrip("s") for word in tokens(other)},
    )
    common = words & others
    if not common:
        return FAR
    weight = sum(map(len, common))
    share = weight / sum(map(len, words | others))
    if common in (words, others):  # one holds all the words of the other
        share = 0.7 + 0.3 * share
    return max(1, round(FAR * (1 - share)))


def fit_distance(
    path: FieldPath, kind: str, parameter: str, wanted: str, said: bool = False
) -> int:
    """
    Return how unlike an output path and a parameter are, from 0 to 20.

    Deep paths and other types count a little against it; `said` tells that the description of the
    one mentions the other, which makes them somewhat alike. Below a clear likeness all are far.
    """
    names = leaf_names(path)
    distance = min((meaning_distance(name, parameter) for name in names), default=FAR)
    if said:
        distance = min(distance, SAID)
    depth = sum(isinstance(step, str) for step in path) - 1
    distance += min(max(depth, 0), 3) + mismatch(kind, wanted)
    return distance if distance <= CLEAR else FAR


def is_said(name: str, description: str) -> bool:
    """
    Whether a description mentions a name.

    Example:
        >>> is_said("geoId", "The geoId of the place, from the location search.")
        True
    """
    if not description or len(name) < 3 or fold(name) in COMMON_WORDS:
        return False
    return f" {' '.join(tokens(name))} " in f" {' '.join(tokens_of_text(description))} "


@lru_cache(maxsize=16384)
def tokens_of_text(text: str) -> tuple[str, ...]:
    """Return the words of a description, folded and bounded."""
    return tuple(word.lower() for word in _WORD.findall(_CAMEL.sub(" ", text[:MAX_DESCRIPTION])))


def mismatch(kind: str, wanted: str) -> int:
    """
    Return what a JSON type counts against a value where another one is wanted.

    Example:
        >>> mismatch("integer", "number"), mismatch("number", "string"), mismatch("object", "string")
        (0, 1, 2)
    """
    if kind == wanted or "any" in (kind, wanted) or (kind, wanted) == ("integer", "number"):
        return 0
    return 2 if {kind, wanted} & {"object", "array"} else 1


NAMESPACE = 0.12
"""What a namespace counts that only one of two names of tools has."""
SERVERS = frozenset({"mcp", "functions", "function", "tools", "tool", "default", "api"})
"""First words of names that tell where a tool comes from, and not what it does."""
_SCOPE = re.compile(r"[./:]+|__+|-(?=\w)")


def path_distance(written: str, path: str) -> int:
    """
    Return how unlike a path as it was written and one that exists are in spelling.

    From 0 (equal) to 20 (nothing in common), and a little beyond where it is reached in another way.

    The last field counts.

    Example:
        >>> path_distance("skyayeId", "skyId"), path_distance("author.id", "author[0].id")
        (8, 1)
    """
    if written == path:
        return 0
    first, second = fold(leaf(written)), fold(leaf(path))
    similarity = OSA.normalized_similarity(first, second)
    if similarity < UNLIKE:
        similarity = SHORTENED if is_shortened(first, second) else _whole(written, path)
    distance = round(FAR * (1 - similarity))
    if _parent(written) != _parent(path):
        distance += 1 if fold(_parent(written)) == fold(_parent(path)) else 4
    if written.count("[") != path.count("["):
        distance += 1
    return max(1, distance)


def is_shortened(name: str, other: str) -> bool:
    """
    Whether of two names the one is the other with letters left out, but for the first one.

    Example:
        >>> is_shortened("msg", "messages"), is_shortened("user", "usr"), is_shortened("id", "identity")
        (True, True, False)
    """
    short, long = sorted((name, other), key=len)
    if len(short) < 3 or short[0] != long[0]:
        return False
    letters = iter(long)
    return all(letter in letters for letter in short)


def _whole(written: str, path: str) -> float:
    """Compare two paths of different depth: what is one field in the one may be two in the other."""
    if (
        written.count(".") == path.count(".")
        or written.startswith(path)
        or path.startswith(written)
    ):
        return 0.0
    similarity = OSA.normalized_similarity(fold(written), fold(path))
    return similarity if similarity >= 0.7 else 0.0


def _parent(path: str) -> str:
    return re.sub(r"\[\d+\]", "", path.rpartition(".")[0])


def leaf(path: str) -> str:
    """Return the last field of a path as it is printed."""
    return path.rpartition(".")[2].partition("[")[0]


def shared_prefixes(names: Iterable[str], at_least: int = 3) -> frozenset[str]:
    """Return the folded beginnings, of whole words, that at least so many names have in common."""
    count: dict[str, int] = {}
    for name in names:
        prefix = ""
        for word in tokens(name)[:-1]:
            prefix += word
            count[prefix] = count.get(prefix, 0) + 1
    return frozenset(prefix for prefix, number in count.items() if number >= at_least)


def _shared_prefix(name: str, prefixes: frozenset[str]) -> str:
    """Return the longest beginning of a name, folded, that many tools share, or nothing."""
    prefix = longest = ""
    for word in tokens(name)[:-1]:
        prefix += word
        if prefix in prefixes:
            longest = prefix
    return longest


def tails(name: str) -> tuple[str, ...]:
    """
    Return what is left of a name, folded, when words are taken off its front; the longest first.

    Example:
        >>> tails("mcp_github_list_issues")
        ('githublistissues', 'listissues', 'issues')
    """
    words = tokens(name)
    return tuple("".join(words[number:]) for number in range(1, min(len(words), 8)))


def _without_namespace(written: str, tool: str, prefixes: frozenset[str]) -> float:
    """Return how unlike two names are, from 0 to 1, when one of them loses the namespace before it."""
    first, second = fold(written), fold(tool)
    found = [1.0]
    for name, other in ((written, second), (tool, first)):
        for match in _SCOPE.finditer(name[:MAX_LENGTH]):
            rest = fold(name[match.end() :])
            if rest:
                found.append(OSA.normalized_distance(rest, other))
    for name, other in ((tool, first), (written, second)):
        prefix = ""
        words = tokens(name)
        for number, word in enumerate(words[:-1], 1):
            prefix += word
            if prefix in prefixes or words[0] in SERVERS:
                found.append(OSA.normalized_distance("".join(words[number:]), other))
    return min(found)


def tool_distance(written: str, tool: str, prefixes: frozenset[str] = frozenset()) -> int:
    """
    Return how unlike two names of tools are, from 0 (equal once folded) to 100.

    A prefix that many tools share does not make them alike: what comes after it is compared. Where
    two tools differ in `_` and the like alone, the one that is written in the same way is nearer by 1.

    A namespace that one of the two has and the other has not counts a little, however long it is.

    Example:
        >>> tool_distance("SkyCrapperFlightSearch", "SkyScrapperFlightSearch")
        4
        >>> tool_distance("math.sqrt", "sqrt"), tool_distance("sqrt", "math.sqrt")
        (12, 12)
    """
    first, second = fold(written), fold(tool)
    distance = OSA.normalized_distance(first, second)
    own, other = _shared_prefix(written, prefixes), _shared_prefix(tool, prefixes)
    if own.startswith(other) or first.startswith(other):
        own = other
    elif second.startswith(own):
        other = own
    if own and other:
        rest = OSA.normalized_distance(first[len(own) :], second[len(other) :])
        distance = min(1.0, max(distance, rest) + OSA.normalized_distance(own, other))
    if distance > 0:
        distance = min(distance, NAMESPACE + _without_namespace(written, tool, prefixes))
    otherwise = 0 < distance < 1 and not _is_marked_alike(written[:MAX_LENGTH], tool[:MAX_LENGTH])
    return round(100 * distance) + otherwise


def _is_marked_alike(written: str, tool: str) -> bool:
    """Whether two names of tools have the same `_` and the like, but for a namespace before one of them."""
    if written.endswith(tool) or tool.endswith(written):
        return True
    return _MARKS.findall(written) == _MARKS.findall(tool)
