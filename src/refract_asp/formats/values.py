"""
JSON values: checked, copied, read from text, also from text that is nearly JSON, and printed.

Argument text that is nearly JSON: slips are mended, what is cut off or in doubt is refused.

    {"city": "Paris",}                 a trailing comma
    {'city': "Paris"}                  single quotes
    {city: "Paris", "metric": True}    keys without quotes, words of Python
    {"city": "Paris"} // why           comments
    {"text": "two                      line breaks inside texts
    lines"}
    {"city": "Par                      refused: its end is missing

What is mended is written anew as JSON, token by token, and read: nothing of the text is left out or moved.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from refract_asp.errors import LONGEST_TEXT, FormatError, InputError, LimitError, shown
from refract_asp.model.conventions import Remarks
from refract_asp.model.paths import elements_of
from refract_asp.ports import regex

# How many mistakes are collected before reading stops.
MAX_MISTAKES = 100

# Keys and indexes that lead from the top of the input to a value.
FieldPlace: TypeAlias = tuple[str | int, ...]

# How deep lists and objects may lie in each other.
MAX_DEPTH = 64

# Whole numbers beyond this size (about 3,900 digits) cannot be printed by Python without special
# leave.
MAX_INTEGER_BITS = 13_000


@dataclass(slots=True)
class Origin:
    """
    A source of input (a file, a text or data), or a place inside of it.

    Attributes:
        name: the file as it was given, "<text>" for a text, empty for data.
        lines: for each container of a YAML document, by id, the line of each of its keys or elements.
        root: the top of that document; it keeps the ids alive.
        base: the place inside.
        mistakes: where it is given, the mistakes of single tools are collected in it and reading goes on.
        remarks: how what is written otherwise than usual was read.
    """

    name: str = ""
    lines: Mapping[int, Mapping[Any, int]] | None = None
    root: Any = None
    base: FieldPlace = ()
    mistakes: list[InputError] | None = None
    remarks: Remarks = field(default_factory=Remarks)

    def inside(self, *steps: str | int) -> Origin:
        """Return the place that keys and indexes lead to from here."""
        base = (*self.base, *steps)
        return Origin(self.name, self.lines, self.root, base, self.mistakes, self.remarks)

    def at(self, place: Iterable[str | int] = ()) -> str:
        """
        Return the place as text.

        Example:
            >>> Origin("travel.yaml").at(("tools", 3, "name"))
            'travel.yaml: tools[3].name'
        """
        text, line, value = "", 0, self.root
        marked = self.lines or {}  # empty once a step is not found
        for step in (*self.base, *place):
            dot = "." if text else ""
            text += f"[{step}]" if isinstance(step, int) else f"{dot}{shown(step, 80)}"
            marks = marked.get(id(value), {})
            if step in marks:
                line, value = marks[step], value[step]
            else:
                marked = {}
        name = shown(self.name, LONGEST_TEXT)
        return ": ".join(part for part in (f"{name}:{line}" if line else name, text) if part)

    def at_line(self, line: int, column: int | None = None) -> str:
        """Return a line, from 1, and perhaps a column as text."""
        place = self.at()
        if column is None:
            return f"{place}:{line}" if place else f"line {line}"
        return f"{place}:{line}:{column}" if place else f"line {line}, column {column}"

    def at_character(self, text: str, position: int) -> str:
        """Return line and column, from 1, of a character of `text`."""
        line = text.count("\n", 0, position) + 1
        return self.at_line(line, position - text.rfind("\n", 0, position))

    def error(self, what: str, place: Iterable[str | int] = (), hint: str = "") -> FormatError:
        """Return an error that says what is wrong at a place."""
        return FormatError(what, where=self.at(place), hint=hint)

    def need(self, is_right: bool, what: str, *place: str | int, hint: str = "") -> None:
        """
        Check what has to be so.

        Raises:
            FormatError: it is not; `what` says what is needed.
        """
        if not is_right:
            raise self.error(what, place, hint)

    def forgive(self, error: InputError) -> None:
        """Collect a mistake that concerns one tool alone, or raise it where none are collected."""
        if self.mistakes is None or len(self.mistakes) >= MAX_MISTAKES:
            raise error
        self.mistakes.append(error)


class UnreadableError(Exception):
    """A value is not JSON; `place` grows while the error passes up through the containers."""

    def __init__(self, what: str, hint: str = "", kind: type[InputError] = FormatError) -> None:
        """Say `what` is wrong, what to do about it and which error it becomes."""
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.kind = kind
        self.place: list[str | int] = []

    def inside(self, step: str | int) -> UnreadableError:
        """Note that the value lies under `step`."""
        self.place.insert(0, step)
        return self

    def at(self, origin: Origin, *place: str | int) -> InputError:
        """Return the error to raise, with its full place."""
        return self.kind(self.what, where=origin.at((*place, *self.place)), hint=self.hint)


@contextmanager
def located(origin: Origin) -> Iterator[None]:
    """Raise what is wrong with a value inside of the block as an error with its place."""
    try:
        yield
    except UnreadableError as error:
        raise error.at(origin) from None


class Spoilt:
    """A value of a JSON text that cannot be used, as NaN; `error` is the error to raise."""

    def __init__(self, value: float, what: str, hint: str) -> None:
        """Keep what is wrong, and the nearest thing to the value that Python has."""
        self.value = value
        self._said = (what, hint)

    @property
    def error(self) -> UnreadableError:
        """What is wrong, without a place."""
        return UnreadableError(*self._said)


class Twice(dict[str, Any]):
    """An object of a JSON text that holds a key twice; the last value stands here."""

    key = ""

    @property
    def error(self) -> UnreadableError:
        """What is wrong, without a place."""
        what = f"an object holds the key {shown(self.key, 80)!r} twice."
        return UnreadableError(what, "Remove one of the two.")


def check_text(text: str) -> str:
    """Return `text` when UTF-8 can hold it."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise UnreadableError("the text holds half a character (a lone surrogate).") from None
    return text


def check_number(value: int | float) -> int | float:
    """Return `value` when JSON can hold it."""
    if isinstance(value, float) and not math.isfinite(value):
        raise UnreadableError(f"{value} is not a JSON value.", "Use null or a text.")
    if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
        what = "the whole number has too many digits."
        raise UnreadableError(what, "Use a text.", LimitError)
    return value


def check_key(key: object) -> str:
    """Return `key` when it is a text."""
    if isinstance(key, str):
        return check_text(key)
    try:
        told = shown(repr(key), 60)
    except (ValueError, RecursionError):  # a number may have too many digits to be printed
        told = f"of type {type(key).__name__}"
    raise UnreadableError(f"the key {told} is not a text.", "Keys of objects are texts.")


def too_deep() -> UnreadableError:
    """Return the error for values nested beyond `MAX_DEPTH`."""
    what = f"lists and objects are nested deeper than {MAX_DEPTH}."
    return UnreadableError(what, "Flatten the value.", LimitError)


def too_many_digits() -> UnreadableError:
    """Return the error for a whole number that Python does not print."""
    return UnreadableError("a whole number has too many digits.", "Use a text.", LimitError)


def rebuilt(value: Any, text: Callable[[str], Any], group: Any, depth: int = 0) -> Any:
    """
    Rebuild a JSON value from the inside out.

    Args:
        value: lists and tuples count alike.
        text: is called with each text, and its answer stands in the text's place.
        group: likewise with each rebuilt dict or list.
        depth: how deep the value lies already.

    Raises:
        UnreadableError: the value, or something in it, is not JSON or is nested too deep.
    """
    if isinstance(value, str):
        return text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return check_number(value)
    if isinstance(value, Spoilt | Twice):
        raise value.error
    if not isinstance(value, dict | list | tuple):
        what = f"a value of type {shown(type(value).__name__, 60)} is not a JSON value."
        raise UnreadableError(what, "Turn it into a text, a number, a list or an object.")
    if depth >= MAX_DEPTH:
        raise too_deep()
    step: str | int | None = None
    try:
        if isinstance(value, dict):
            fields = {}
            for key, inner in value.items():
                step = None  # a key that is no text has no place of its own
                step = check_key(key)
                fields[step] = rebuilt(inner, text, group, depth + 1)
            return group(fields)
        items = []
        for step, inner in enumerate(value):  # noqa: B007 - read by the handler below
            items.append(rebuilt(inner, text, group, depth + 1))
    except UnreadableError as error:
        raise (error if step is None else error.inside(step)) from None
    return group(items)


def plain(value: Any) -> Any:
    """
    Return a copy of a JSON value; tuples become lists.

    Raises:
        UnreadableError: the value, or something in it, is not JSON or is nested too deep.

    Example:
        >>> plain({"sizes": (1, 2)})
        {'sizes': [1, 2]}
    """
    return rebuilt(value, check_text, unchanged)


_HALF = regex(r"\\u[dD][89a-fA-F]")


def is_sound(value: Any, text: str) -> bool:
    """Whether what was read from a strict text of JSON can surely be used as it is; else `plain` says why."""
    with suppress(UnreadableError):
        check_text(text)
        return _HALF.search(text) is None and _is_small(value, MAX_DEPTH)
    return False


def _is_small(value: Any, depth: int) -> bool:
    """Whether neither the depth nor a number is beyond what can be used."""
    if isinstance(value, dict | list):
        inside = elements_of(value)
        small = (_is_small(each, depth - 1) for each in inside if not isinstance(each, str))
        return depth > 0 and all(small)
    return not isinstance(value, int) or value.bit_length() <= MAX_INTEGER_BITS


def unchanged(value: Any) -> Any:
    """Return a value as it is."""
    return value


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) == len(pairs):
        return fields
    twice = Twice(fields)
    keys = [key for key, _ in pairs]
    twice.key = next(key for index, key in enumerate(keys) if key in keys[:index])
    return twice


def _float(said: str) -> float | Spoilt:
    number = float(said)
    if math.isfinite(number):
        return number
    if said[-1].isdigit():
        return Spoilt(number, f"the number {shown(said, 40)} is too large.", "Use a text.")
    return Spoilt(number, f"{said} is not a JSON value.", "Use null or a text.")


def _strict(reader: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a reader that raises where the other one gives what cannot be used."""

    def read(raw: Any) -> Any:
        value = reader(raw)
        if isinstance(value, Spoilt | Twice):
            raise value.error
        return value

    return read


_HOOKS: dict[str, Any] = {"object_pairs_hook": _pairs}
_HOOKS |= {"parse_constant": _float, "parse_float": _float}
_STRICT: dict[str, Any] = {name: _strict(hook) for name, hook in _HOOKS.items()}
DECODER = json.JSONDecoder(**_STRICT)
# Takes texts that go on in the next line.
SPANNING = json.JSONDecoder(**_STRICT, strict=False)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.S)
# Leaves what cannot be used where it stands, so that only the call that holds it is spoilt.
LENIENT = json.JSONDecoder(**_HOOKS)


def parse_json(text: str, origin: Origin, *, lenient: bool = False) -> Any:
    """
    Read one JSON value; nothing is guessed when the text is cut off or malformed.

    `lenient` leaves a `Spoilt` or a `Twice` where something cannot be used.

    Raises:
        FormatError: the text is not JSON (with line and column), holds a key twice, NaN or Infinity.
        LimitError: it is nested too deep.
    """
    return decode(text, None, origin, LENIENT if lenient else DECODER)[0]


def marks_in(text: str, most: int) -> int:
    """Return how many commas and opening brackets a JSON text has; where they are many, outside of its texts."""
    marks = sum(map(text.count, ",[{"))
    if marks > most:
        spans = [match.span() for match in _QUOTED.finditer(text)]
        marks -= sum(text.count(mark, *span) for span in spans for mark in ",[{")
    return marks


def decode(
    text: str, position: int | None, origin: Origin, decoder: json.JSONDecoder = DECODER
) -> tuple[Any, int]:
    """Read the JSON value that starts at `position`, or that is the whole text; return it with its end."""
    start = position or 0
    try:
        if position is None:
            return decoder.decode(text), len(text)
        return decoder.raw_decode(text, position)
    except UnreadableError as error:
        if position is None:
            raise error.at(origin) from None
        raised = error
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        slip = "JSON has no comments, and no comma before a bracket that closes."
        hint = "The text seems to be cut off." if cut else ""
        signs = tuple("/#]}" if text[: error.pos].rstrip().endswith(",") else "/#")
        is_slip = text[error.pos : error.pos + 1] in signs or "trailing comma" in error.msg
        hint = slip if is_slip else hint
        if error.msg == "Extra data":
            hint = "One JSON value is expected; `refract-asp batch` reads one sequence a line."
        what = error.msg.removesuffix(" at").removesuffix(" starting")
        raised, start = UnreadableError(f"not valid JSON: {what}.", hint), error.pos
    except RecursionError:
        raised = too_deep()
    except ValueError:
        raised = too_many_digits()
    raise raised.kind(raised.what, where=origin.at_character(text, start), hint=raised.hint)


_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def json_text(value: Any) -> str:
    """
    Print a JSON value on one line; characters that do not print are escaped.

    Example:
        >>> json_text({"a": "b\\u202e"})
        '{"a": "b\\\\u202e"}'
    """
    text = _ENCODE(value)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


# Longer texts are read when they are JSON, and never mended.
MAX_MENDED = 200_000

_TOKEN = regex(
    r"""(?P<blank>\s++)|(?P<comment>//[^\n]*+|\#[^\n]*+|/\*.*?\*/)|(?P<open>[{\[])|(?P<close>[}\]])"""
    r"""|(?P<mark>[,:])|(?P<double>"(?:[^"\\]|\\.)*+")|(?P<single>'(?:[^'\\]|\\.)*+')"""
    r"""|(?P<cut>["']|/(?=\*))|(?P<word>(?:[^\s{}\[\],:"'/\#]|/(?![/*]))++)|(?P<other>.)""",
    re.S,
)
# A backslash before another letter was meant as one, as in a regular expression; beside `\n` and the like
# that is in doubt.
_ESCAPE = regex(
    r"""(?P<kept>\\[ac-eg-mo-qsvwyzA-Z])|\\(?:u[0-9a-fA-F]{4}|["'\\/]|(?P<control>[bfnrt]))"""
)
_NUMBER = regex(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_NAME = regex(r"[^\W\d][\w\-]*")
_WORDS = {"true": "true", "false": "false", "null": "null"}
_WORDS |= {"True": "true", "False": "false", "None": "null"}


def read_json_text(text: str) -> tuple[Any, tuple[str, ...]]:
    """
    Return the value that a text holds, and what had to be mended.

    Raises:
        UnreadableError: it is cut off, holds what JSON cannot, or is too far from JSON.

    Example:
        >>> read_json_text("{'city': 'Paris',}")
        ({'city': 'Paris'}, ('single quotes', 'a trailing comma'))
    """
    try:
        return DECODER.decode(text), ()
    except json.JSONDecodeError as error:
        first = error
    except RecursionError:
        raise too_deep() from None
    except ValueError:
        raise too_many_digits() from None
    line, column = first.lineno, first.colno
    place = f"not valid JSON at {f'line {line}, column ' if line > 1 else ''}{column}"
    if len(text) > MAX_MENDED:
        raise UnreadableError(f"{place}, and too long to be mended.")
    doubt = UnreadableError(f"{place}, and nothing safe mends it.", "Write the arguments as JSON.")
    slips: dict[str, None] = {}
    pieces = _mended(text, doubt, slips)
    try:
        return DECODER.decode("".join(pieces)), tuple(slips)
    except (ValueError, UnreadableError):
        raise doubt from None


def end_of_value(text: str, start: int) -> int | None:
    """Return where the list or object that begins somewhere in a text ends, None where it does not."""
    depth = 0
    for match in _TOKEN.finditer(text, start):
        kind = match.lastgroup
        depth += (kind == "open") - (kind == "close")
        if kind == "cut":
            return None
        if depth == 0:
            return match.end()
    return None


def _tokens(text: str) -> list[tuple[str, str]]:
    """Return the tokens of a text up to one without an end: each later one would be looked for up to the end."""
    end = next((m.end() for m in _TOKEN.finditer(text) if m.lastgroup == "cut"), len(text))
    found = _TOKEN.finditer(text, 0, end)
    return [(m.lastgroup or "", m[0]) for m in found if m.lastgroup != "blank"]


def _mended(text: str, doubt: UnreadableError, slips: dict[str, None]) -> list[str]:
    """Return the tokens of a text as JSON has them, and note which slips it has."""
    tokens = _tokens(text)
    if any(kind == "comment" for kind, _ in tokens):
        slips["a comment"] = None
        tokens = [token for token in tokens if token[0] != "comment"]
    if not tokens or tokens[0][0] != "open":
        raise doubt
    pieces: list[str] = []
    depth = 0
    for (kind, raw), (following, after) in zip(tokens, [*tokens[1:], ("", "")], strict=True):
        depth += (kind == "open") - (kind == "close")
        if kind == "cut":
            raise UnreadableError("the text is cut off inside a text.", "Ask for the call again.")
        if depth > MAX_DEPTH + 1:
            raise too_deep()
        if raw == "," and following == "close":
            slips["a trailing comma"] = None
            continue
        is_value = kind not in ("open", "close", "mark")
        pieces.append(_value(kind, raw, after == ":", doubt, slips) if is_value else raw)
        if (is_value or kind == "close") and following not in ("close", "mark", ""):
            slips["a missing comma"] = None
            pieces.append(",")
    if depth > 0:
        what = "the text is cut off: brackets are not closed."
        raise UnreadableError(what, "Ask for the call again.")
    return pieces


def _value(kind: str, raw: str, is_key: bool, doubt: UnreadableError, slips: dict[str, Any]) -> str:
    """Return a text, word or number as JSON has it."""
    if kind in ("double", "single"):
        return _quoted(kind, raw, doubt, slips)
    if kind == "word" and is_key and _NAME.fullmatch(raw):
        slips["a key without quotes"] = None
        return json.dumps(raw)
    if kind == "word" and not is_key and raw in _WORDS:
        if raw != _WORDS[raw]:
            slips[f"{raw} for {_WORDS[raw]}"] = None
        return _WORDS[raw]
    if kind == "word" and not is_key and _NUMBER.fullmatch(raw):
        try:
            check_number(json.loads(raw))
        except ValueError:
            raise too_many_digits() from None
        return raw
    if raw.lstrip("+-") in ("NaN", "Infinity", "nan", "inf"):
        raise UnreadableError(f"{shown(raw)} is not a JSON value.", "Use null or a text.")
    raise doubt


def _quoted(kind: str, raw: str, doubt: UnreadableError, slips: dict[str, Any]) -> str:
    """Return a text in quotes as JSON has it."""
    if kind == "single":
        slips["single quotes"] = None
    if any(character < " " for character in raw):
        slips["a line break or control character inside a text"] = None
    raw = raw[1:-1]
    escapes = {name for m in _ESCAPE.finditer(raw) for name in ("kept", "control") if m[name]}
    if "\\" in _ESCAPE.sub("", raw) or len(escapes) > 1:
        raise doubt
    if "kept" in escapes:
        slips["a backslash that is no escape"] = None
    own = {r"\'": "'"}  # which JSON does not escape
    text = _ESCAPE.sub(lambda m: m["kept"] or own.get(m[0]) or json.loads(f'"{m[0]}"'), raw)
    return json.dumps(text)
