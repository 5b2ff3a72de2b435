"""
Mends the slips of syntax that models make in plans, each by the smallest change of the text.

    f({a: 1,})  f({a: 1 b: 2})       a comma too many, a comma too few
    f({'a': 1})  f({a})              a key in quotes, a key without a value
    const a = 1;  await f()          words that plans do without
    a = 1 b = 2;  a = 1;;            a semicolon too few, one too many
    return (f());                    brackets around a value, a `return` on a line of its own
    “curly quotes”, True, None, # comments, `use a;` for `return a;`
    fences and prose around the plan
    return f({a: g(1);               brackets that are not closed, at the end, where nothing is lost

Only a text that is no plan as it stands comes here, and what comes out is read as strictly as any other.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from refract_asp.plan.diagnostics import Mended, PlanCode, Slip, applied
from refract_asp.plan.expressions import BadTextError, decoded
from refract_asp.plan.syntax import PLAIN_NAME, PYTHON_WORDS, is_reserved, text_literal
from refract_asp.plan.tokens import Token, ends_value, starts_value, tokens_of

__all__ = [
    "Inner",
    "inner_range",
    "is_prose",
    "mended",
]


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
"""A line of code that does something, so that a plan without it is another one."""
_RETURN = re.compile(r"^[ \t]*return\b", re.MULTILINE)


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
    blocks = _blocks(text)
    returning = [block for block in blocks if _RETURN.search(text, block.start, block.end)]
    if len(returning) > 1:
        return Inner(0, len(text), outside=returning[1].start)
    if not returning:
        return Inner(_first_statement(text, 0, len(text)), len(text))
    start, end, is_closed, _ = returning[0]
    outside = _first_code(text, 0, start)
    if outside is None:
        outside = _first_code(text, end, len(text))
    return Inner(_first_statement(text, start, end), end, is_closed, outside)


def _blocks(text: str) -> list[Inner]:
    """Return the insides of fenced blocks."""
    found: list[Inner] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]):
            found.append(Inner(min(opened.end() + 1, len(text)), fence.start(), True))
            opened = None
    if opened is not None:
        found.append(Inner(min(opened.end() + 1, len(text)), len(text)))
    return found


def _first_statement(text: str, start: int, end: int) -> int:
    """Return where the first line begins that looks like a statement; `start` where that is not told."""
    position = start
    while position < end:
        if _STATEMENT.match(text, position, end):
            return position
        line_end = text.find("\n", position, end)
        if line_end < 0 or _is_code(text, position, line_end):
            break
        position = line_end + 1
    return start


def _first_code(text: str, start: int, end: int) -> int | None:
    """Return where the first line begins that does something, or None; data, as JSON, does nothing."""
    position = start
    while position < end:
        line_end = text.find("\n", position, end)
        line_end = end if line_end < 0 else line_end
        if _DOES.match(text, position, line_end):
            return position
        position = line_end + 1
    return None


def _is_code(text: str, start: int, end: int) -> bool:
    return bool(_BROKEN_OFF.match(text, start, end) or _DOES.match(text, start, end))


def is_prose(text: str) -> bool:
    """
    Whether no line of a text that follows a plan looks like a part of it.

    Example:
        >>> is_prose("This books the flight."), is_prose("b = 2;"), is_prose("book({})")
        (True, False, False)
    """
    return not any(
        _STATEMENT.match(line) or _is_code(line, 0, len(line)) for line in text.splitlines()
    )


_OPENING = {"(": ")", "[": "]", "{": "}", "group": ")"}
_DECLARATIONS = frozenset({"const", "let", "var"})
_HOLDS_CLOSING = re.compile(r"['\"].*[)\]}]")
_BLANK = re.compile(r"\s*+")
_WORD = re.compile(r"\w")


def mended(text: str, *, is_expression: bool = False) -> Mended:
    """
    Mend a text as far as it can be told what was meant.

    Args:
        text: a plan, or what is around one.
        is_expression: whether an expression alone is meant.

    Example:
        >>> mended("return f({a: 1,})").text
        'return f({a: 1})'
    """
    inner = Inner(0, len(text)) if is_expression else inner_range(text)
    if inner.outside is not None:
        return Mended(text, [], outside=inner.outside)
    mender = _Mender(text, inner, is_expression)
    return applied(text, mender.slips(), mender.cut_off)


class _Mender:
    """Goes through the tokens once, with the brackets that are open."""

    def __init__(self, text: str, inner: Inner, is_expression: bool) -> None:
        self._text = text
        self._start, self._end, self._is_closed = inner.start, inner.end, inner.is_closed
        self._is_expression = is_expression
        every = tokens_of(text, inner.start, inner.end)
        self._slips = [
            Slip("python_comment", "comments begin with `//`.", token.start, token.start + 1, "//")
            for token in every
            if token.kind == "python_comment"
        ]
        self._tokens = [token for token in every if not token.kind.endswith("comment")]
        self._open: list[
            tuple[str, Token, bool]
        ] = []  # kind of bracket, where, whether a comma stood in it
        self._is_start = True  # whether a statement begins
        self._returns = False  # whether the statement is a return
        self._has_returned = False  # whether one has ended
        self._is_looked_at = False  # whether it is known if prose follows
        self._use: Token | None = None  # the `use` that stands for the return
        self.cut_off: int | None = None

    def slips(self) -> list[Slip]:
        """Return what can be mended; nothing where brackets do not fit each other."""
        tokens, end = self._tokens, self._end
        for index, token in enumerate(tokens):
            before = tokens[index - 1] if index else None
            after = tokens[index + 1] if index + 1 < len(tokens) else None
            if not self._open and self._ends(before, token):
                if not token.is_first and not self._is_start and ends_value(before):
                    assert before is not None
                    self._slip(
                        "missing_semicolon", "a semicolon is missing.", before.end, before.end, ";"
                    )
                self._next_statement()
            follows = self._has_returned and not self._is_looked_at
            if self._is_start and follows and token.is_first and self._is_prose(token):
                end = token.start
                break
            if not self._token(index, token, before, after):
                return []
        self._surroundings(end)
        self._close(end)
        return self._slips

    def _slip(
        self, code: PlanCode, message: str, start: int, end: int, replacement: str = ""
    ) -> None:
        self._slips.append(Slip(code, message, start, end, replacement))

    def _is_prose(self, token: Token) -> bool:
        """Whether what follows the plan is prose; it is looked at once."""
        self._is_looked_at = True
        return is_prose(self._text[token.start : self._end])

    def _next_statement(self) -> None:
        self._is_start = True
        self._has_returned = self._has_returned or self._returns
        self._returns = False

    def _ends(self, before: Token | None, token: Token) -> bool:
        """Whether a statement ends before a token that stands outside of brackets."""
        if before is None or self._is_start or self._is_expression:
            return False
        if token.text in ("}", ")", "]", ",", ";", ".", "=", ":") and token.kind == "mark":
            return False
        if before.text == ";" and before.kind == "mark":
            return True
        if before is self._use:
            return False
        return ends_value(before) and starts_value(token) and token.text not in ("(", "[")

    def _token(self, index: int, token: Token, before: Token | None, after: Token | None) -> bool:
        """Take one token; return False where nothing more can be told."""
        inside = self._open[-1][0] if self._open else ""
        is_mark = token.kind == "mark"
        if is_mark and token.text in (")", "]", "}"):
            return self._closing(index, token, before)
        if is_mark and token.text == ";" and not inside:
            if before is None or self._is_start:
                if not self._is_expression:
                    self._slip(
                        "extra_semicolon", "a semicolon stands alone.", token.start, token.end
                    )
            else:
                self._next_statement()
            return True
        if inside:
            self._in_bracket(inside, token, before, after)
        self._word(token, before, after)
        if is_mark and token.text in ("(", "[", "{"):
            is_group = token.text == "(" and not ends_value(before)
            self._open.append(("group" if is_group else token.text, token, False))
        if is_mark and token.text == "," and self._open:
            kind, where, _ = self._open[-1]
            self._open[-1] = kind, where, True
        if token.kind == "smart":
            self._quotes(token)
        if not self._open or (is_mark and token.text in ("(", "[", "{")):
            self._is_start = False
        return True

    def _closing(self, index: int, token: Token, before: Token | None) -> bool:
        if not self._open or _OPENING[self._open[-1][0]] != token.text:
            return False
        kind, opened, has_comma = self._open.pop()
        is_comma = before is not None and before.kind == "mark" and before.text == ","
        if is_comma and kind != "group" and ends_value(self._tokens[index - 2]):
            last = self._tokens[index - 1]
            what = f"a comma stands before `{token.text}`."
            self._slip("trailing_comma", what, last.start, last.end)
        if kind == "group" and not has_comma and before is not opened:
            self._unwrap(opened, token)
        return True

    def _unwrap(self, opened: Token, closed: Token) -> None:
        """Remove brackets; no words grow together, and a value begins on the line of its `return`."""
        text, start, end = self._text, opened.start, _BLANK.match(self._text, opened.end)
        inner = end.end() if end is not None else opened.end
        blank = " " if start and _WORD.match(text, start - 1) else ""
        self._slip("parentheses", "brackets stand around a value.", start, inner, blank)
        blank = " " if _WORD.match(text, closed.end) else ""
        self._slips.append(Slip("parentheses", "", closed.start, closed.end, blank, is_told=False))

    def _in_bracket(
        self, inside: str, token: Token, before: Token | None, after: Token | None
    ) -> None:
        """Look for a comma that is missing, and for keys that are not written as they should be."""
        is_key = after is not None and after.kind == "mark" and after.text == ":"
        if ends_value(before) and before is not None and inside != "group":
            misses = starts_value(token) and (
                (inside == "{" and is_key)
                or (inside != "{" and (token.text != "(" and (token.text != "[" or token.is_first)))
            )
            if misses:
                self._slip("missing_comma", "a comma is missing.", before.end, before.end, ",")
        if inside != "{":
            return
        begins = before is None or before.text in ("{", ",") or ends_value(before)
        if begins and is_key and token.kind in ("text", "smart"):
            self._key(token)
        elif (
            before is not None
            and before.kind == "mark"
            and before.text in ("{", ",")
            and token.kind == "name"
            and after is not None
            and after.kind == "mark"
            and after.text in (",", "}")
            and not is_reserved(token.text)
        ):
            self._slip(
                "shorthand",
                f"`{token.text}` has no value.",
                token.end,
                token.end,
                f": {token.text}",
            )

    def _key(self, token: Token) -> None:
        try:
            name = decoded(token.text[1:-1])
        except BadTextError:
            return
        if PLAIN_NAME.fullmatch(name) and not is_reserved(name):
            self._slip(
                "quoted_key", f"the key {name} stands in quotes.", token.start, token.end, name
            )

    def _word(self, token: Token, before: Token | None, after: Token | None) -> None:
        """Look for words that plans do without, or spell otherwise."""
        if token.kind != "name":
            return
        text = token.text
        is_field = before is not None and before.kind == "mark" and before.text in (".", "?.")
        is_key = after is not None and after.kind == "mark" and after.text == ":"
        if text in PYTHON_WORDS and not is_field and not is_key:
            meant = PYTHON_WORDS[text]
            self._slip("python_word", f"{text} is `{meant}`.", token.start, token.end, meant)
        if is_field or is_key or after is None or text in PYTHON_WORDS:
            return
        if self._is_start and not self._open and text in _DECLARATIONS and after.kind == "name":
            self._slip("declaration", f"`{text}` stands before an alias.", token.start, after.start)
        elif self._is_start and not self._open and text == "use" and after.kind == "name":
            self._slip("use", "`use` stands for `return`.", token.start, token.end, "return")
            self._returns, self._use = True, token
        elif text == "await" and (
            after.kind == "name" or (after.kind == "mark" and after.text == "(")
        ):
            self._slip("await", "`await` stands before a value.", token.start, after.start)
        elif text == "return" and self._is_start and not self._open:
            self._returns = True
            if (
                after.is_first
                and starts_value(after)
                and not self._text[token.end : after.start].strip()
            ):
                what = "what is returned begins on another line."
                self._slip("return_alone", what, token.end, after.start, " ")

    def _quotes(self, token: Token) -> None:
        if any(slip.start == token.start and slip.end == token.end for slip in self._slips[-1:]):
            return  # it is a key, and is replaced by its name
        try:
            text = text_literal(decoded(token.text[1:-1]))
        except BadTextError:
            return
        self._slip("smart_quotes", "a text stands in curly quotes.", token.start, token.end, text)

    def _surroundings(self, end: int) -> None:
        """Leave out what stands before and after the plan."""
        for start, stop, where in ((0, self._start, "before"), (end, len(self._text), "after")):
            if self._text[start:stop].strip():
                self._slip("surroundings", f"something stands {where} the plan.", start, stop)

    def _close(self, end: int) -> None:
        """Close brackets that are open at the end, where the text shows that nothing is lost."""
        if not self._open or not self._tokens:
            return
        if any(each.kind == "other" and _HOLDS_CLOSING.match(each.text) for each in self._tokens):
            return  # a quote too few, not a plan that is cut off
        self.cut_off = self._open[-1][1].start
        last = self._tokens[-1]
        at = min(last.end, end)
        ended = last
        if last.kind == "mark" and last.text == ";":
            at = last.start
            ended = self._tokens[-2] if len(self._tokens) > 1 else last
        elif not (self._is_closed or (last.kind == "mark" and last.text in (")", "]", "}"))):
            return
        if not ends_value(ended) or not (self._returns or self._is_expression):
            return
        self.cut_off = None
        closers = "".join(_OPENING[kind] for kind, _, _ in reversed(self._open))
        self._slip("unclosed_bracket", f"`{closers}` is missing at the end.", at, at, closers)
