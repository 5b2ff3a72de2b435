"""
Mends the texts of plans that are no JavaScript, or that stand inside of something else.

    f({a: 1 b: 2})  a = 1 b = 2;     a comma, a semicolon too few
    return\\n f();   use a;           a `return` on a line of its own, `use` for `return`
    “curly quotes”  # comments       what other languages write otherwise
    fences and prose around the plan
    return f({a: g(1);               brackets that are not closed, at the end, where nothing is lost

Each slip is the smallest change of the text. The error-tolerant tree of tree-sitter gives the tokens, also of
a text that is broken. Slips that are JavaScript all the same, as `const`, are read as they stand, see `parsing`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from refract_asp.plan.diagnostics import PlanCode
from refract_asp.plan.syntax import BadTextError, decoded, text_literal

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

__all__ = ["Mended", "Slip", "inner_range", "is_prose", "mended", "open_comment"]


_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*$", re.MULTILINE)
_STATEMENT = re.compile(r"[ \t]*(?:(?:const|let|var)\s+)?(?:[^\W\d]\w*\s*=(?!=)|return\b|//|/\*|#)")
_BROKEN_OFF = re.compile(r"[ \t]*[<{})\]]|.*(?:[{};]|=>)[ \t\r]*$")
_STEP = r"(?:\.[\w$]++|\[[^\]\n]*+\])"
_DOES = re.compile(
    rf"""[ \t]*+(?:
        (?:export\s++)?+(?:const|let|var)\s++(?:[\w$]++\s*+=|[\[{{])
      | [\w$]++{_STEP}*+\s*+(?:[-+*/%&|^?]{{0,3}}=(?![=>])|\+\+|--)
      | [\[({{][^=\n]*+=(?![=>])
      | (?:(?:await|yield|throw|new|void|return)\s++)*+[\w$]++{_STEP}*+\(.*[)\](,{{;][ \t\r]*$
      | (?:\}}\s*+)?+(?:else\s++)?+(?:if|for|while|switch|with|catch)\s*+(?:await\s*+)?+\(
      | (?:\}}\s*+)?+(?:else|try|do|finally)[ \t\r{{:]*$
      | (?:async\s++)?+function\b | (?:async\s++)?+def\s++\w | class\s++\w++\s*+(?:extends\b|[({{:]|$)
      | (?:if|elif|for|while|with|except)\s.*:[ \t\r]*$
      | import\s++(?:["'*{{]|.*\bfrom\s*+["']) | from\s++[\w.]++\s++import\b | export\s++(?:default\b|[*{{])
      | return\b.*;[ \t\r]*$
    )""",
    re.VERBOSE,
)
"""A line of code that does something, so that a plan without it is another one; data, as JSON, does nothing."""
_RETURN = re.compile(r"^[ \t]*return\b", re.MULTILINE)
_LINE = re.compile(r"[^\n]*+\n?+")


class Inner(NamedTuple):
    """
    What of a text is the plan.

    Attributes:
        start, end: where it begins and ends.
        is_closed: whether a fence closes it.
        outside: where code stands outside of the block that returns something, or None.
    """

    start: int
    end: int
    is_closed: bool = False
    outside: int | None = None


def inner_range(text: str) -> Inner:
    """
    Return where the plan begins and ends in a text.

    Of fenced blocks the only one with a `return` counts; before the plan, lines that are no code are prose.

    Example:
        >>> text = "Here is the plan:\\n```js\\nreturn 1;\\n```\\nDone."
        >>> found = inner_range(text)
        >>> text[found.start:found.end], found.is_closed
        ('return 1;\\n', True)
    """
    returning = [block for block in _blocks(text) if _RETURN.search(text, block.start, block.end)]
    if len(returning) > 1:
        return Inner(0, len(text), outside=returning[1].start)
    if not returning:
        return Inner(_first_statement(text, 0, len(text)), len(text))
    start, end, is_closed, _ = returning[0]
    around = (*_lines(text, 0, start), *_lines(text, end, len(text)))
    outside = next((at for at, line in around if _DOES.match(line)), None)
    return Inner(_first_statement(text, start, end), end, is_closed, outside)


def _blocks(text: str) -> Iterator[Inner]:
    """Yield the insides of fenced blocks."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]):
            yield Inner(min(opened.end() + 1, len(text)), fence.start(), True)
            opened = None
    if opened is not None:
        yield Inner(min(opened.end() + 1, len(text)), len(text))


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield where each line of a part of a text begins, and the line."""
    for line in _LINE.finditer(text, start, end):
        if line[0]:
            yield line.start(), line[0].removesuffix("\n")


def _first_statement(text: str, start: int, end: int) -> int:
    """Return where the first line begins that looks like a statement; `start` where that is not told."""
    for at, line in _lines(text, start, end):
        if _STATEMENT.match(line):
            return at
        if _BROKEN_OFF.match(line) or _DOES.match(line):
            break
    return start


def is_prose(text: str) -> bool:
    """
    Whether no line of a text that follows a plan looks like a part of it.

    Example:
        >>> is_prose("This books the flight."), is_prose("b = 2;"), is_prose("book({})")
        (True, False, False)
    """
    patterns = (_STATEMENT, _BROKEN_OFF, _DOES)
    return not any(pattern.match(line) for line in text.splitlines() for pattern in patterns)


# -- what is changed -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Slip:
    """A slip: what it is, the range of the text that is replaced, and by what."""

    code: PlanCode
    message: str
    start: int
    end: int
    replacement: str = ""


@dataclass
class Mended:
    """
    A text after it was mended.

    Attributes:
        text: the new text.
        slips: what was mended, from top to bottom.
        cut_off: where the innermost bracket stands that is open at the end and could not be closed, or None.
        outside: where code stands outside of the block that holds the plan, or None; nothing is mended then.
    """

    text: str
    slips: list[Slip] = field(default_factory=list)
    cut_off: int | None = None
    outside: int | None = None
    _new: list[int] = field(default_factory=lambda: [0])
    _old: list[int] = field(default_factory=lambda: [0])

    def origin(self, position: int) -> int:
        """Return where in the old text a position of the new one was."""
        index = bisect_right(self._new, position) - 1
        return self._old[index] + position - self._new[index]

    def apply(self, slips: list[Slip]) -> None:
        """Make the changes; one that lies in what another one replaces is left out."""
        self.slips = sorted(slips, key=lambda slip: (slip.start, slip.end))
        parts: list[str] = []
        length, done = 0, 0
        for slip in self.slips:
            if slip.start < done:
                continue
            parts += [self.text[done : slip.start], slip.replacement]
            length += slip.start - done
            self._new += [length, length + len(slip.replacement)]
            self._old += [slip.start, slip.end]
            length, done = length + len(slip.replacement), slip.end
        self.text = "".join([*parts, self.text[done:]])


def mended(text: str, parse: Callable[[bytes], Tree], *, is_expression: bool = False) -> Mended:
    """
    Mend a text as far as it can be told what was meant.

    Args:
        text: a plan, or what is around one.
        parse: gives the tree of a text.
        is_expression: whether an expression alone is meant.
    """
    inner = Inner(0, len(text)) if is_expression else inner_range(text)
    change = Mended(text, outside=inner.outside)
    if inner.outside is None:
        mender = _Mender(text, inner, is_expression)
        change.apply(mender.slips(parse))
        change.cut_off = mender.cut_off
    return change


# -- slips that only the characters show ---------------------------------------

_SINGLE = r"'(?:[^'\\\n]|\\(?s:.))*+"
_DOUBLE = r'"(?:[^"\\\n]|\\(?s:.))*+'
_COMMENT_LINE = "[^\n\r\u2028\u2029]*+"  # as far as JavaScript reads a comment
_ENDS_VALUE = r"(?=\s*(?:[,)\]}:;.]|$))"
_SPECIAL = re.compile(
    rf"{_SINGLE}'|{_DOUBLE}\"|`(?:[^`\\]|\\(?s:.))*+`|//{_COMMENT_LINE}|/\*(?:[^*]|\*(?!/))*+\*/"
    rf"|(?P<comment>\#{_COMMENT_LINE})"
    rf"|(?P<curly>[“„”][^\n“„]{{0,1000}}?[”\"]{_ENDS_VALUE}|[‘‚’][^\n‘‚]{{0,1000}}?[’']{_ENDS_VALUE})"
    rf"|(?P<unclosed_text>{_SINGLE}|{_DOUBLE})|(?P<open_comment>/\*)",
    re.MULTILINE,
)
"""Texts and comments, which are passed over, and what has to be mended before tree-sitter can read on."""
_HOLDS_CLOSING = re.compile(r"['\"].*[)\]}]")
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_BLANKS = "\ufeff\u200b\u2060"


def open_comment(text: str) -> int | None:
    """Return where a comment begins that does not end: tree-sitter takes long to find that out."""
    if text.rfind("/*") <= text.rfind("*/"):
        return None
    found = (match.start() for match in _SPECIAL.finditer(text) if match["open_comment"])
    return next(found, None)


def _plain_letter(match: re.Match[str]) -> str:
    return " " if match[0].isspace() or match[0] in _BLANKS else "_"


# -- slips that the tokens show ------------------------------------------------

_OPENING = {"(": ")", "[": "]", "{": "}", "group": ")"}
_WHOLE = frozenset({"string", "template_string", "comment", "regex"})
_NO_VALUES = frozenset(
    ("return", "const", "let", "var", "await", "new", "typeof", "void", "delete", "in", "of")
)


class _Token(NamedTuple):
    text: str
    behind: str  # the text of the one before
    start: int
    end: int
    is_first: bool  # on its line
    starts_value: bool
    ends_value: bool


_NO_TOKEN = _Token("", "", 0, 0, True, False, False)


def _tokens(root: Node) -> Iterator[_Token]:
    """Yield the leaves of a tree of ASCII characters, without comments."""
    behind, row, glued, left = "", -1, -1, [root]
    while left:
        node = left.pop()
        if node.child_count and node.type not in _WHOLE:
            left += reversed(node.children)
        elif node.text and node.type != "comment":
            text = node.text.decode()
            is_first, row = node.start_point[0] > row, node.end_point[0]
            is_value = text[0].isalpha() or (node.is_named and node.type != "ERROR")
            is_apart = node.start_byte != glued or not text[0].isalnum()
            glued = node.end_byte if text[-1].isalnum() else -1
            starts = (is_value and is_apart) or text in ("(", "[", "{")
            ends = text in (")", "]", "}") or (is_value and text not in _NO_VALUES)
            yield _Token(text, behind, node.start_byte, node.end_byte, is_first, starts, ends)
            behind = text


class _Mender:
    """Goes through the tokens once, with the brackets that are open."""

    def __init__(self, text: str, inner: Inner, is_expression: bool) -> None:
        self._text, self._inner, self._is_expression = text, inner, is_expression
        self._slips: list[Slip] = []
        self._open: list[tuple[str, int]] = []  # kind of bracket, and where it stands
        self._is_start = True  # whether a statement begins
        self._returns = False  # whether the statement is a return
        self._has_returned = False  # whether one has ended
        self._use = _NO_TOKEN  # the `use` that stands for the return
        self.cut_off: int | None = None

    def slips(self, parse: Callable[[bytes], Tree]) -> list[Slip]:
        """Return what can be mended; nothing where brackets do not fit each other."""
        start, end = self._inner.start, self._inner.end
        readable, is_quote_missing = self._readable(start, end)
        tokens = list(_tokens(parse(readable.encode()).root_node))
        is_looked_at, last = False, 0
        neighbours = zip([_NO_TOKEN, *tokens], tokens, [*tokens[1:], _NO_TOKEN], strict=False)
        for number, (before, token, after) in enumerate(neighbours, 1):
            if not self._open and self._ends(before, token):
                if not token.is_first and not self._is_start and before.ends_value:
                    self._slip("missing_semicolon", "a semicolon is missing.", before.end, ";")
                self._next_statement()
            if self._is_start and self._has_returned and token.is_first and not is_looked_at:
                is_looked_at = True
                if is_prose(self._text[token.start : end]):
                    end = token.start
                    break
            if not self._take(token, before, after):
                return []
            last = number
        self._slips = [slip for slip in self._slips if slip.start < end]
        for where, first, stop in (("before", 0, start), ("after", end, len(self._text))):
            if self._text[first:stop].strip():
                message = f"something stands {where} the plan."
                self._slips.append(Slip("surroundings", message, first, stop))
        if self._open and not is_quote_missing:
            self._close(tokens[:last])
        return self._slips

    def _slip(self, code: PlanCode, message: str, at: int, replacement: str, end: int = -1) -> None:
        self._slips.append(Slip(code, message, at, at if end < 0 else end, replacement))

    def _readable(self, start: int, end: int) -> tuple[str, bool]:
        """
        Return a text of the same length that tree-sitter can read, of ASCII alone, so that bytes are characters.

        What stands around the plan is blank in it. Curly quotes and comments of Python are noted. The second is
        whether a quote is missing before a bracket: such a text is not one that is cut off.
        """
        is_quote_missing = False
        parts, done = [" " * start], start
        for match in _SPECIAL.finditer(self._text, start, end):
            if match["comment"]:
                message, at = "comments begin with `//`.", match.start()
                self._slip("python_comment", message, at, "//", at + 1)
                instead = " " * len(match[0])
            elif match["curly"]:
                try:
                    text = text_literal(decoded(match[0][1:-1]))
                except BadTextError:
                    continue
                message = "a text stands in curly quotes."
                self._slip("smart_quotes", message, match.start(), text, match.end())
                instead = f"'{'_' * (len(match[0]) - 2)}'"
            else:
                unclosed = match["unclosed_text"]
                is_quote_missing |= bool(unclosed and _HOLDS_CLOSING.match(unclosed))
                continue
            parts += [self._text[done : match.start()], instead]
            done = match.end()
        return _FOREIGN.sub(
            _plain_letter, "".join([*parts, self._text[done:end]])
        ), is_quote_missing

    def _next_statement(self) -> None:
        self._has_returned = self._has_returned or self._returns
        self._is_start, self._returns = True, False

    def _ends(self, before: _Token, token: _Token) -> bool:
        """Whether a statement ends before a token that stands outside of brackets."""
        if not before.text or self._is_start or self._is_expression:
            return False
        if token.text in ("}", ")", "]", ",", ";", ".", "=", ":"):
            return False
        if before.text == ";":
            return True
        is_next = before.ends_value and token.starts_value and token.text not in ("(", "[")
        return is_next and before is not self._use

    def _take(self, token: _Token, before: _Token, after: _Token) -> bool:
        """Take one token; return False where nothing more can be told."""
        if token.text in (")", "]", "}"):
            return bool(self._open) and _OPENING[self._open.pop()[0]] == token.text
        if token.text == ";" and not self._open:
            self._next_statement()
            return True
        inside = self._open[-1][0] if self._open else ""
        if inside not in ("", "group") and before.ends_value and token.starts_value:
            is_item = token.text != "(" and (token.text != "[" or token.is_first)
            if inside == "{":
                is_item = after.text == ":" and before.behind not in ("{", ",")
            if is_item:
                self._slip("missing_comma", "a comma is missing.", before.end, ",")
        if self._is_start and not inside:
            self._first_word(token, after)
        if token.text in _OPENING:
            is_group = token.text == "(" and not before.ends_value
            self._open.append(("group" if is_group else token.text, token.start))
        self._is_start = self._is_start and bool(inside) and token.text not in _OPENING
        return True

    def _first_word(self, token: _Token, after: _Token) -> None:
        """Look at the word with which a statement begins."""
        if token.text == "use" and (after.text[:1].isalpha() or after.text[:1] == "_"):
            self._slip("use", "`use` stands for `return`.", token.start, "return", token.end)
            self._returns, self._use = True, token
        elif token.text == "return":
            self._returns = True
            is_apart = after.is_first and not self._text[token.end : after.start].strip()
            if is_apart and after.starts_value:
                message = "what is returned begins on another line."
                self._slip("return_alone", message, token.end, " ", after.start)

    def _close(self, tokens: list[_Token]) -> None:
        """Close brackets that are open at the end, where the text shows that nothing is lost."""
        self.cut_off = self._open[-1][1]
        last = ended = tokens[-1]
        at = last.end
        if last.text == ";":
            at, ended = last.start, tokens[-2]
        elif not self._inner.is_closed and last.text not in (")", "]", "}"):
            return
        is_key = self._open[-1][0] == "{" and ended.behind in ("{", ",")  # its value may be lost
        if ended.ends_value and not is_key and (self._returns or self._is_expression):
            self.cut_off = None
            closers = "".join(_OPENING[kind] for kind, _ in reversed(self._open))
            self._slip("unclosed_bracket", f"`{closers}` is missing at the end.", at, closers)
