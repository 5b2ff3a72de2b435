"""
How unlike two names are; numbers for the rules to weigh, never a decision.

Names are folded first: case, `_`, `-`, dots, blanks and camelCase do not count. Lengths are bounded
before anything is compared, so that a huge name stays cheap.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import accumulate, islice, product, zip_longest
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from rapidfuzz.distance import OSA

from refract_asp.model import Tool
from refract_asp.model.paths import FieldPath, fields_of, path_text

# The distance of two names that have nothing in common; 0 is that of equal ones.
FAR = 20

# A spelling less similar than this is not similar at all.
UNLIKE = 0.5
# How similar a field is to the same name with letters left out, as `messages` to `msg`.
SHORTENED = 0.65

# Characters of a name that are compared.
MAX_LENGTH = 200
# Characters of a description that are read.
MAX_DESCRIPTION = 2000


class Limits(NamedTuple):
    """
    What the encodings say of likeness; the words are in likeness.lp and words.lp.

    Attributes:
        constants: all constants of the encodings, by their names.
        common: names that may belong to anything.
        short: pairs of words of which the first is short for the second.
    """

    constants: Mapping[str, int] = MappingProxyType({})
    common: frozenset[str] = frozenset()
    short: frozenset[tuple[str, ...]] = frozenset()

    def number(self, name: str) -> int:
        """Return a constant of likeness.lp; it is far where nobody says it."""
        return self.constants.get(name, FAR)


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MARKS = re.compile(r"[\W_]")
_WORD = re.compile(r"[^\W_]+")
_PARTS = re.compile(r"\d+|\D+")
_EXPRESSION = re.compile(
    r"\w\s*\(|[+%<>=!&|^~]|\?(?!\.)|^\s*-|\s[-*/]\s|\w\*\w|\w/\d\d|\s(?:and|or|if|else)\s|\bnot\s",
    re.I,
)
_MARK = re.compile(r"\d+|^\D$")
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
    found = list(tokens(name))
    for number, word in enumerate(found):
        if len(word) > 4 and word.endswith("ies"):
            found[number] = f"{word[:-3]}y"
        elif len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
            found[number] = word[:-2]
        elif len(word) > 3 and word.endswith("s") and word[-2] not in "sui":
            found[number] = word[:-1]
    return tuple(found)


def stems(path: FieldPath) -> set[str]:
    """
    Return the words of the names in a path, folded and without the ending of a plural.

    Example:
        >>> sorted(stems(("authors", 0, "bookId")))
        ['author', 'book', 'id']
    """
    return {word.rstrip("s") for field in fields_of(path) for word in tokens(field)}


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
    shared = _shared(set(tokens(name)), set(tokens(other)))
    if not shared and min(len(first), len(second)) >= 4 and (first in second or second in first):
        shared = 0.6
    return max(1, round(FAR * (1 - max(shared, spelling if spelling >= UNLIKE else 0.0))))


def _shared(words: set[str], others: set[str]) -> float:
    """Return the share of the words in common; it is large where one name has all words of the other."""
    common = words & others
    share = sum(map(len, common)) / (sum(map(len, words | others)) or 1)
    return 0.7 + 0.3 * share if common and common in (words, others) else share


def is_slip(name: str, other: str) -> bool:
    """
    Whether two names are the same once folded, or but for one character that is wrong, lost or swapped.

    Or for two pairs of letters that are swapped. A word of one letter more is none: it may be a unit.

    Example:
        >>> is_slip("filePath", "file_path"), is_slip("amuont", "amount"), is_slip("aelrst", "alerts")
        (True, True, True)
        >>> is_slip("depth", "depth_m")
        False
    """
    first, second, said, own = fold(name), fold(other), set(words(name)), set(words(other))
    if first == second or said < own or own < said or is_told_apart(name, other):
        return first == second
    is_near = min(len(first), len(second)) >= 4 and is_one_letter(name, other)
    is_swapped = len(first) > 4 and sorted(first) == sorted(second)
    return is_near or (is_swapped and OSA.distance(first, second) == 2)


def is_told_apart(name: str, other: str) -> bool:
    """
    Whether two names have other numbers, other words of one letter, or say who does and who gets something.

    What else is the same is two things then.

    Example:
        >>> is_told_apart("employer_id", "employee_id"), is_told_apart("bill", "biller")
        (True, True)
        >>> is_told_apart("player1", "player2"), is_told_apart("c_to_f", "f_to_c"), is_told_apart("line", "line1")
        (True, True, False)
        >>> is_told_apart("convert3D", "convert_3d")
        False
    """
    first, second = _marks(name), _marks(other)
    has_marks = first != second and () not in (first, second)
    has_roles = any(map(_is_role, words(name), words(other)))
    return fold(name) != fold(other) and (has_marks or has_roles)


def _is_role(one: str, other: str) -> bool:
    """Whether of two words one names who does what the other one says, or both sides of it."""
    short, long = sorted((one, other), key=len)
    is_side = one[:-2] == other[:-2] and {one[-2:], other[-2:]} in ({"er", "ee"}, {"or", "ee"})
    return is_side or (len(short) > 3 and long in (f"{short}er", f"{short}or"))


@lru_cache(maxsize=65536)
def _marks(name: str) -> tuple[str, ...]:
    """Return the numbers and the words of one letter in a name."""
    return tuple(mark.lstrip("0") for token in tokens(name) for mark in _MARK.findall(token))


def begins_otherwise(name: str, other: str) -> bool:
    """
    Whether one word of a name begins with another letter than in the other name: that is hardly ever a slip.

    Nor is one letter more in front, unless it is typed twice; one less is.

    Example:
        >>> begins_otherwise("mow_field", "sow_field"), begins_otherwise("pay_biweekly", "pay_weekly")
        (True, True)
        >>> begins_otherwise("clock_user", "lock_user"), begins_otherwise("llock_user", "lock_user")
        (True, False)
        >>> begins_otherwise("ste_mode", "set_mode"), begins_otherwise("est_mode", "set_mode")
        (False, False)
    """
    first, second = words(name), words(other)
    pairs = [pair for pair in zip(first, second, strict=False) if pair[0] != pair[1]]
    if len(first) != len(second) or len(pairs) != 1:
        return False
    one, two = pairs[0]
    is_near = OSA.distance(one, two, score_cutoff=2) <= 2 and len(one) != len(two) - 1
    return is_near and one[0] != two[0] and sorted(one) != sorted(two)


def is_lost_letter(name: str, other: str) -> bool:
    """Whether two words are one character apart; a wrong one makes another word of a short one."""
    is_near = OSA.distance(name, other, score_cutoff=1) == 1
    is_wrong = is_near and len(name) == len(other) and sorted(name) != sorted(other)
    is_long = min(len(name), len(other)) >= (5 if is_wrong else 3)
    return is_near and is_long and not _is_role(name, other)


def beginnings(word: str, other: str) -> set[str]:
    """
    Return what a word has before another one, whose rest may be cut short or have a slip of the pen.

    Example:
        >>> "un" in beginnings("unlock", "lock"), beginnings("deactivte", "activate")
        (True, {'de'})
    """
    is_long = len(other) > 2 and OSA.distance(word, other) > 1
    found = set()
    for at in range(1, len(word) - 2):
        is_cut = other.startswith(word[at:]) or is_lost_letter(word[at:], other)
        found |= {word[:at]} if word[at:] == other or (is_long and is_cut) else set()
    return found


@lru_cache(maxsize=65536)
def _parts(label: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of a label and, apart from them, its numbers."""
    parts = [part for token in tokens(label) for part in _PARTS.findall(token)]
    numbers = (part.lstrip("0") or "0" for part in parts if part[0].isdecimal())
    return tuple(part for part in parts if not part[0].isdecimal()), tuple(numbers)


def label_words(label: str) -> tuple[str, ...]:
    """
    Return the words of a label, in the singular, and its numbers.

    Example:
        >>> label_words("foundPatients_2"), label_words("var12")
        (('found', 'patient', '2'), ('var', '12'))
    """
    return words(" ".join(sum(_parts(label), ())))


def label_distance(written: str, label: str) -> int | None:
    """
    Return how far a label is from one that it may have been meant for, None where it hardly was.

    0 is another way to write it, 1 a letter that is wrong, lost or swapped, or a digit that is repeated,
    2 a digit or a word that is lost, or one too many. A wrong digit makes another label.

    Example:
        >>> label_distance("var_02", "var2"), label_distance("var33", "var3"), label_distance("anne", "ann")
        (0, 1, 1)
        >>> label_distance("var12", "var2"), label_distance("var4", "var2"), label_distance("user_b", "user_a")
        (2, None, None)
    """
    (words, numbers), (others, digits) = _parts(written), _parts(label)
    if "".join(words) == "".join(others):
        pairs = [pair for pair in zip_longest(numbers, digits, fillvalue="") if len(set(pair)) == 2]
        if not pairs:
            return 0
        short, long = sorted(pairs[0], key=len)
        if len(pairs) > 1 or len(long) != len(short) + 1 or OSA.distance(short, long) > 1:
            return None
        return 1 if long in {short[:n] + short[n - 1 :] for n in range(1, len(long))} else 2
    if numbers != digits:
        return None
    if set(words) < set(others) or set(others) < set(words):
        return 2 if words and others else None
    pairs = [pair for pair in zip(words, others, strict=False) if len(set(pair)) == 2]
    is_slip = len(words) == len(others) and len(pairs) == 1 and is_lost_letter(*pairs[0])
    return 1 if is_slip else None


def is_one_letter(name: str, other: str) -> bool:
    """
    Whether two names, once folded, are one character apart that is wrong, lost or swapped.

    Example:
        >>> is_one_letter("ode", "code"), is_one_letter("code", "Code"), is_one_letter("phone1", "phone2")
        (True, False, False)
    """
    is_near = OSA.distance(fold(name), fold(other), score_cutoff=1) == 1
    return is_near and not is_told_apart(name, other)


def is_short_form(name: str, other: str) -> bool:
    """
    Whether a name has the words of another one, of which some are cut short or lack vowels, or their initials.

    Example:
        >>> is_short_form("lat", "latitude"), is_short_form("dest_dir", "destination_directory")
        (True, True)
        >>> is_short_form("dob", "date_of_birth")
        True
        >>> is_short_form("pos", "position_x"), is_short_form("to", "total")
        (False, False)
    """
    first, second = words(name), words(other)
    if len(second) > 2 and first == ("".join(word[0] for word in second),):
        return True
    return len(first) == len(second) and all(map(_is_short, first, second))


def _is_short(word: str, long: str) -> bool:
    """Whether a word is another one, its beginning, or what is left of it without vowels."""
    is_without_vowels = set(word[1:]).isdisjoint("aeiou") and is_shortened(word, long)
    is_begun = len(word) >= 3 and long.startswith(word) and not _is_role(word, long)
    return word == long or is_without_vowels or is_begun


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
    is_part = set(first) <= set(second) or set(second) <= set(first)
    if is_part or is_slip(name, other) or is_short_form(name, other) or is_short_form(other, name):
        return True
    pairs = (sorted(pair, key=len) for pair in product(first, second) if pair[0] != pair[1])
    return any(_is_short(short, long) or is_slip(short, long) for short, long in pairs)


@lru_cache(maxsize=65536)
def leaf_names(path: FieldPath) -> tuple[str, ...]:
    """
    Return the names under which the value at a path may go: its field, and parent plus field.

    Example:
        >>> leaf_names(("author", 0, "id"))
        ('id', 'author_id')
    """
    fields = fields_of(path)
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
    share = _shared(stems((name,)), stems((other,)))
    return max(1, round(FAR * (1 - share))) if share else FAR


def fit_distance(
    path: FieldPath, kind: str, name: str, wanted: str, limits: Limits, *, said: bool = False
) -> int:
    """
    Return how unlike an output path and the name of a parameter are, from 0 to 20.

    Deep paths and other types count a little against it; `said` tells that the description of the
    one mentions the other, which makes them somewhat alike. Below a clear likeness all are far.
    """
    distance = min((meaning_distance(each, name) for each in leaf_names(path)), default=FAR)
    if said:
        distance = min(distance, limits.number("said_fit"))
    depth = len(fields_of(path)) - 1
    distance += min(max(depth, 0), 3) + mismatch(kind, wanted)
    return distance if distance <= limits.number("clear_fit") else FAR


def is_said(name: str, description: str, common: Collection[str] = ()) -> bool:
    """
    Whether a description mentions a name that is none of the common ones.

    Example:
        >>> is_said("geoId", "The geoId of the place, from the location search.")
        True
    """
    if not description or len(name) < 3 or fold(name) in common:
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


# What a namespace counts that only one of two names of tools has.
NAMESPACE = 0.12
# First words of names that tell where a tool comes from, and not what it does.
SERVERS = frozenset({"mcp", "functions", "function", "tools", "tool", "default", "api"})
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
    parents = [re.sub(r"\[\d+\]", "", each.rpartition(".")[0]) for each in (written, path)]
    if parents[0] != parents[1]:
        distance += 1 if fold(parents[0]) == fold(parents[1]) else 4
    return max(1, distance + (written.count("[") != path.count("[")))


def is_expression(path: str) -> bool:
    """
    Whether a path as it was written computes something with what it names.

    Example:
        >>> is_expression("weight * 2"), is_expression("!done"), is_expression("sum(items)")
        (True, True, True)
        >>> is_expression("items[*].id"), is_expression("user/name"), is_expression("items.0.first name")
        (False, False, False)
    """
    return _EXPRESSION.search(path) is not None


@lru_cache(maxsize=65536)
def left_words(name: str, other: str) -> tuple[str, ...]:
    """
    Return the words of a name or path that have no counterpart in another one.

    Example:
        >>> left_words("boss.email", "owner_email"), left_words("rows.last.id", "rows[0].id")
        (('boss',), ('last',))
        >>> left_words("high_52w", "high"), left_words("dob", "date_of_birth")
        (('52w',), ())
    """
    is_short = is_short_form(name, other) or is_short_form(other, name)
    if is_short or is_one_letter(name, other) or is_slip(name, other):
        return ()
    meant = (*words(other), "0")  # the first of a list goes without saying
    return tuple(word for word in words(name) if not any(is_kin(word, each) for each in meant))


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
    is_part = written.startswith(path) or path.startswith(written)
    if is_part or written.count(".") == path.count("."):
        return 0.0
    similarity = OSA.normalized_similarity(fold(written), fold(path))
    return similarity if similarity >= 0.7 else 0.0


def leaf(path: str) -> str:
    """Return the last field of a path as it is printed."""
    return path.rpartition(".")[2].partition("[")[0]


def _prefixes(name: str) -> Iterator[str]:
    """Yield the beginnings of a name, folded, that end before a word; the shortest first."""
    return accumulate(tokens(name)[:-1])


def shared_prefixes(names: Iterable[str]) -> frozenset[str]:
    """Return the folded beginnings, of whole words, that three names or more have in common."""
    count = Counter(prefix for name in names for prefix in _prefixes(name))
    return frozenset(prefix for prefix, number in count.items() if number >= 3)


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
    found = [1.0]
    for name, other in ((written, fold(tool)), (tool, fold(written))):
        rests = (fold(name[match.end() :]) for match in _SCOPE.finditer(name[:MAX_LENGTH]))
        found += [OSA.normalized_distance(rest, other) for rest in rests if rest]
        folded, is_server = fold(name), tokens(name)[:1] and tokens(name)[0] in SERVERS
        own = [each for each in _prefixes(name) if each in prefixes or is_server]
        found += [OSA.normalized_distance(folded[len(prefix) :], other) for prefix in own]
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
    both = ([each for each in _prefixes(name) if each in prefixes] for name in (written, tool))
    own, other = (max(each, key=len, default="") for each in both)
    if own.startswith(other) or first.startswith(other):
        own = other
    elif second.startswith(own):
        other = own
    if own and other:
        rest = OSA.normalized_distance(first[len(own) :], second[len(other) :])
        distance = min(1.0, max(distance, rest) + OSA.normalized_distance(own, other))
    if distance > 0:
        distance = min(distance, NAMESPACE + _without_namespace(written, tool, prefixes))
    written, tool = written[:MAX_LENGTH], tool[:MAX_LENGTH]
    is_end = written.endswith(tool) or tool.endswith(written)
    is_marked_alike = is_end or _MARKS.findall(written) == _MARKS.findall(tool)
    return round(100 * distance) + (0 < distance < 1 and not is_marked_alike)


# A path, as it is and printed, and its distance.
Fit: TypeAlias = tuple[FieldPath, str, int]


class Fields:
    """The fields that a tool returns, so arranged that those like a parameter are found without a search."""

    def __init__(self, tool: Tool, most: int, common: Collection[str]) -> None:
        """List the first outputs with their types, and where each of their words stands, but for common ones."""
        self.tool, self._common = tool, common
        outputs: list[tuple[FieldPath, str]] = []
        for field in tool.output_fields[:most]:
            outputs.append((field.path, field.type))
            element = (*field.path, 0)
            is_open = field.type == "array" and tool.returns_path(element)
            if is_open and tool.type_at(element) == "any":
                outputs.append((element, "any"))
        self.outputs = tuple(outputs)
        self._far = [(path, path_text(path), FAR) for path, _ in outputs]
        self._orders: dict[str, list[int]] = {}
        # outputs by their names, the stems and first words of these, and the words that describe them
        self._by: dict[tuple[str, str], set[int]] = defaultdict(set)
        for number, (path, _) in enumerate(outputs):
            keys = {("text", word) for word in tokens_of_text(tool.description_at(path))}
            for name in leaf_names(path):
                keys |= {("name", fold(name)), *(("stem", stem) for stem in stems((name,)))}
                if fold(name) not in common:
                    keys.add(("first", "".join(tokens(name)[:1])))
            for key in (*keys, ("text", "")):
                self._by[key].add(number)

    def alike(self, parameter: str, description: str) -> set[int]:
        """
        Return the numbers of the outputs that may be like a parameter: all others surely are not.

        Like are those that share a word with its name, and those that it or they are described with.
        """
        keys = [("name", fold(parameter)), *(("stem", stem) for stem in stems((parameter,)))]
        if fold(parameter) not in self._common:
            keys.append(("text", "".join(tokens(parameter)[:1])))
        if description:
            keys += [("first", word) for word in {*tokens_of_text(description), ""}]
        return set().union(*(self._by.get(key, ()) for key in keys))

    def order(self, wanted: str) -> list[int]:
        """
        Return the numbers of the outputs in the order in which they come for a type, all equally unlike.

        Those of the type come first, then what does not merely repeat an input of the tool, shallow
        paths, what the tool is named after, names before other fields, and last the order of declaration.
        """
        own = stems((self.tool.name,))

        def place(number: int) -> tuple[int, bool, int, int, bool]:
            path, kind = self.outputs[number]
            is_input = path[-1] in self.tool.parameters
            is_name = tokens(str(path[-1]))[-1:] == ("name",)
            return mismatch(kind, wanted), is_input, len(path), -len(own & stems(path)), not is_name

        if wanted not in self._orders:
            self._orders[wanted] = sorted(range(len(self.outputs)), key=place)
        return self._orders[wanted]

    def ranked(self, wanted: str, near: dict[int, int], limit: int) -> tuple[Fit, ...]:
        """Return the first outputs for a type: those that are `near`, by distance, then all others."""
        order = self.order(wanted)
        if not near:
            return tuple(self._far[number] for number in order[:limit])
        first = sorted((number for number in order if number in near), key=near.__getitem__)
        fits = [(*self._far[number][:2], near[number]) for number in first[:limit]]
        others = (self._far[number] for number in order if number not in near)
        return (*fits, *islice(others, limit - len(fits)))
