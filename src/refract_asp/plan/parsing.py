"""
Reads the text of a plan: strictly, or mending what models get wrong.

A text is read as it stands (`reading`), and where it is broken once more after it was mended:

    f({a: 1 b: 2})  a = 1 b = 2;     a comma, a semicolon too few
    “curly quotes”
    fences and prose around the plan
    return f({a: g(1);               brackets that are not closed, at the end, where nothing is lost

The error-tolerant tree of tree-sitter gives the tokens, also of a text that is broken. Slips that are
JavaScript all the same, as `const`, are read as they stand.
"""

from __future__ import annotations

import re
import typing
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from refract_asp.errors import InputError, shown
from refract_asp.formats.values import MAX_DEPTH
from refract_asp.plan import syntax
from refract_asp.plan.reading import Reader, hints, leaves, tree_of
from refract_asp.plan.syntax import Place, Plan, PlanCode, PlanDiagnostic
from refract_asp.settings import choice

if TYPE_CHECKING:
    from tree_sitter import Node


Mode: TypeAlias = typing.Literal["strict", "relaxed"]
MAX_TEXT = 64_000
"""Characters of the longest plan that is read."""
_DEEP = re.compile(rf"(?:[\[({{]\s*){{{2 * MAX_DEPTH + 1}}}")
"""So many brackets in a row that no list or object may hold the innermost."""
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Parsed:
    """
    What a text was read as.

    Attributes:
        plan: the plan, or None where something is wrong.
        diagnostics: what is wrong, from top to bottom.
        repairs: what was mended, from top to bottom; always empty in the mode "strict".
    """

    plan: Plan | None
    diagnostics: tuple[PlanDiagnostic, ...] = ()
    repairs: tuple[PlanDiagnostic, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was mended, as sentences."""
        return tuple(
            f"the plan was mended at {slip.place}: {slip.message}" for slip in self.repairs
        )

    def require(self, where: str = "") -> Plan:
        """
        Return the plan.

        Raises:
            PlanError: something is wrong; the message lists the mistakes, each on a line with its place.
        """
        if self.plan is None:
            raise syntax.refused(self.diagnostics, where)
        return self.plan


def parse_plan(text: str, mode: Mode = "strict") -> Parsed:
    """
    Read a plan.

    Args:
        text: the plan.
        mode: "strict" refuses whatever is not of the language; "relaxed" mends the slips that models make
            (docs/plan-language.md lists them) and reads templates with plain references. A plan that is
            right as it stands is read the same in both.

    Raises:
        InputError: there is no such mode, or the extra `plan` is not installed.

    Example:
        >>> strict = parse_plan("return f({a: 1,});")
        >>> strict.plan, [str(each) for each in strict.diagnostics]
        (None, ['line 1, column 15: a comma stands before `}`. Remove it.'])
        >>> relaxed = parse_plan("return f({a: 1,});", "relaxed")
        >>> str(relaxed.plan), [each.code for each in relaxed.repairs]
        ('return f({a: 1});', ['trailing_comma'])
    """
    return _parsed(text, mode, is_expression=False)


def parse_expression(text: str, mode: Mode = "strict") -> Parsed:
    """
    Read an expression alone, as `next(Thursday).at('9:00am')`, as a plan that returns it; a semicolon may end it.

    Raises:
        InputError: there is no such mode, or the extra `plan` is not installed.

    Example:
        >>> str(parse_expression("{a: [1, 'x']}").plan)
        "return {a: [1, 'x']};"
    """
    return _parsed(text, mode, is_expression=True)


_MENDABLE = {"await", "bare_expression", "no_return", "smart_quotes", "syntax_error", "template"}
"""What may come of a text that can be mended; the rest is not of the language."""


def _parsed(text: str, mode: Mode, *, is_expression: bool) -> Parsed:
    """Read a text as it stands, and where that fails once more after it was mended."""
    choice("mode", mode, ("strict", "relaxed"))
    if not isinstance(text, str):
        kind = shown(type(text).__name__)
        raise InputError(f"a plan cannot be a value of type {kind}.", hint="Give its text.")
    starts = [0, *(line_break.end() for line_break in re.finditer("\n", text))]
    relaxed = mode == "relaxed"

    def place(position: int) -> Place:
        line = bisect_right(starts, position)
        return Place(line, position - starts[line - 1] + 1)

    def failed(code: PlanCode, message: str, at: int, hint: str | None = None) -> Parsed:
        hint = hints().get(code, "") if hint is None else hint
        return Parsed(None, (PlanDiagnostic(code, message, place(at), None, hint),))

    if wrong := _unreadable(text):
        code, message, at = wrong
        hint = "Close it with `*/`." if code == "syntax_error" else None
        return failed(code, message, at, hint)
    how = {"relaxed": relaxed, "is_expression": is_expression}
    reader = Reader(text, place, **how)
    if reader.problems:
        mended = _Mended(text, is_expression=is_expression)
        if mended.outside is not None:
            message = "code stands outside of the block that holds the plan."
            return failed("surroundings", message, mended.outside)
        is_around = any(slip.code == "surroundings" for slip in mended.slips)
        if is_around or all(problem.code in _MENDABLE for problem in reader.problems):
            again = Reader(mended.text, lambda at: place(mended.origin(at)), **how)
            is_broken = any(problem.code == "syntax_error" for problem in again.problems)
            if mended.slips and not is_broken:
                reader = again
                for code, message, start, end, _ in mended.slips:
                    about = (code, message, place(start), place(end))
                    reader.slips.append(PlanDiagnostic(*about, hints().get(code, "Remove it.")))
            elif cause := _cause(text, mended, is_broken=is_broken):
                return failed(*cause)
    slips = tuple(sorted(reader.slips, key=lambda each: each.place))
    if relaxed and reader.plan is not None:
        return Parsed(reader.plan, (), slips)
    told = [*(() if relaxed else slips), *reader.problems]  # relaxed reading goes on after slips
    told.sort(key=lambda each: each.place)
    return Parsed(None if told else reader.plan, tuple(told))


def _unreadable(text: str) -> tuple[PlanCode, str, int] | None:
    """Say why a text is not given to tree-sitter at all, and where."""
    if len(text) > MAX_TEXT:
        message = f"the plan has {len(text):,} characters; at most {MAX_TEXT:,} are read."
        return "too_long", message, 0
    if not text.strip():
        return "no_return", "the plan is empty.", 0
    if _DEEP.search(text):
        return "too_deep", f"brackets are nested deeper than {MAX_DEPTH}.", 0
    if half := _HALF.search(text):
        return "half_character", "the text holds half a character (a lone surrogate).", half.start()
    # tree-sitter takes long to find that out
    opened = (each.start() for each in _SKIPPED.finditer(text) if each["open_comment"])
    at = next(opened, None)
    return None if at is None else ("syntax_error", "the comment is not closed.", at)


def _cause(text: str, mended: _Mended, *, is_broken: bool) -> tuple[PlanCode, str, int, str] | None:
    """Say what is not closed in a text that cannot be mended, where, and what to do; None for nothing."""
    opened = (each.start() for each in _SKIPPED.finditer(text) if each["open_text"])
    if is_broken and (quote := next(opened, None)) is not None:
        hint = "Write the quote at its end; inside of a text, write \\' and \\n."
        return "syntax_error", "the text is not closed on its line.", quote, hint
    if mended.cut_off is None:
        return None
    message = f"`{text[mended.cut_off]}` is not closed; the plan may be cut off."
    return "unclosed_bracket", message, mended.cut_off, "Ask for all of it."


# -- mending -------------------------------------------------------------------

_FENCED = re.compile(
    r"(?m)^[ \t]*(`{3,}+|~{3,}+)[^\n`]*\n(?P<inner>(?s:.*?))(?P<end>^[ \t]*\1[^\n]*$|\Z)"
)
_RETURN = re.compile(r"^[ \t]*return\b", re.MULTILINE)
_STATEMENT = re.compile(
    r"(?m)^[ \t]*(?:(?:const|let|var)\s+)?(?:[^\W\d]\w*\s*=(?!=)|return\b|//|/\*)"
)
_WORDS_OF_CODE = (
    "async await catch class const def do elif else except export finally for from function if import let "
    "new return switch throw try var while with yield"
)
_CODE = re.compile(rf"^[ \t]*+(?:{'|'.join(_WORDS_OF_CODE.split())})\b|[{{}};=]|\w\(", re.MULTILINE)
_NAMED_CODE = re.compile(r"`[^`\n]*`")
_ENDS_VALUE = r"(?=\s*(?:[,)\]}:;.]|$))"
_INSIDE = (r"'(?:[^'\\\n]|\\(?s:.))*+", r'"(?:[^"\\\n]|\\(?s:.))*+', r"`(?:[^`\\]|\\(?s:.))*+")
_SKIPPED = re.compile(
    rf"(?P<curly>[“„”][^\n“„]{{0,1000}}?[”\"]{_ENDS_VALUE}|[‘‚’][^\n‘‚]{{0,1000}}?[’']{_ENDS_VALUE})"
    rf"|{_INSIDE[0]}'|{_INSIDE[1]}\"|{_INSIDE[2]}`|(?P<open_text>{'|'.join(_INSIDE)})"
    # not possessive: before 3.11.5 Python matches no group with a lookahead inside of one
    r"|//[^\n\r\u2028\u2029]*+|/\*(?s:.*?)\*/|(?P<open_comment>/\*)",
    re.MULTILINE,
)
"""Texts and comments, texts in curly quotes, and where one begins that does not end."""
_OPENING = {"(": ")", "[": "]", "{": "}", "group": ")"}
_WHOLE = frozenset({"string", "template_string", "comment", "regex"})
_NO_VALUE = re.compile("return|const|let|var|await|new|typeof|void|delete|in|of")


def _is_prose(text: str) -> bool:
    """Whether nothing in a text looks like code, so that a plan without it is the same one."""
    return _CODE.search(_NAMED_CODE.sub("", text)) is None


class _Slip(NamedTuple):
    """A slip: what it is, the range of the text that is replaced, and by what."""

    code: PlanCode
    message: str
    start: int
    end: int
    replacement: str = ""


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
    """Yield the tokens of a tree of ASCII characters, without comments."""
    behind, row, glued = "", -1, -1
    for node in leaves(root, _WHOLE):
        if node.text and node.type != "comment":
            text = node.text.decode()
            is_first, row = node.start_point[0] > row, node.end_point[0]
            is_value = text[0].isalpha() or (node.is_named and node.type != "ERROR")
            is_apart = node.start_byte != glued or not text[0].isalnum()
            glued = node.end_byte if text[-1].isalnum() else -1
            starts = (is_value and is_apart) or text in ("(", "[", "{")
            ends = text in (")", "]", "}") or (is_value and _NO_VALUE.fullmatch(text) is None)
            yield _Token(text, behind, node.start_byte, node.end_byte, is_first, starts, ends)
            behind = text


class _Mended:
    """
    A text that was mended as far as it can be told what was meant, each slip by the smallest change.

    Attributes:
        text: the new text.
        slips: what was mended, from top to bottom; none where brackets do not fit each other.
        cut_off: where the innermost bracket stands that is open at the end and could not be closed, or None.
        outside: where code stands outside of the block that holds the plan, or None; nothing is mended then.
    """

    def __init__(self, text: str, *, is_expression: bool) -> None:
        start, end, is_closed = 0, len(text), False
        self.outside: int | None = None
        # of fenced blocks the first one with a `return` counts; before the plan, lines that are no code are prose
        blocks = () if is_expression else _FENCED.finditer(text)
        if block := next((each for each in blocks if _RETURN.search(each["inner"])), None):
            (start, end), is_closed = block.span("inner"), bool(block["end"])
            around = ((0, block.start()), (block.end(), len(text)))
            self.outside = next((at for at, to in around if not _is_prose(text[at:to])), None)
        begins = None if is_expression else _STATEMENT.search(text, start, end)
        if begins is not None and _is_prose(text[start : begins.start()]):
            start = begins.start()
        self.text = text
        self.slips: list[_Slip] = []
        self.cut_off: int | None = None
        self._is_expression = is_expression
        self._open: list[tuple[str, int]] = []  # kind of bracket, and where it stands
        self._first = ""  # the first word of the statement
        self._new, self._old = [0], [0]
        if self.outside is not None or not self._look(start, end, is_closed):
            self.slips = []
        self.slips.sort(key=lambda slip: (slip.start, slip.end))
        mended, done = "", 0
        for slip in self.slips:
            mended += text[done : slip.start]
            self._new += [len(mended), len(mended) + len(slip.replacement)]
            self._old += [slip.start, slip.end]
            mended, done = mended + slip.replacement, slip.end
        self.text = mended + text[done:]

    def origin(self, position: int) -> int:
        """Return where in the old text a position of the new one was."""
        index = bisect_right(self._new, position) - 1
        return self._old[index] + position - self._new[index]

    def _look(self, start: int, end: int, is_closed: bool) -> bool:
        """Go through the tokens; return False where brackets do not fit each other."""
        plain = re.sub(r"[^\x00-\x7f]", "_", " " * start + self.text[start:end])
        skipped = list(_SKIPPED.finditer(self.text, start, end))
        for match in skipped:
            with suppress(ValueError):  # half a character
                if match["curly"]:
                    text = syntax.text_literal(syntax.decoded(match["curly"][1:-1]))
                    message = "a text stands in curly quotes."
                    self.slips.append(_Slip("smart_quotes", message, *match.span(), text))
                    quoted = f"'{'_' * (len(match['curly']) - 2)}'"
                    plain = plain[: match.start()] + quoted + plain[match.end() :]
        tokens = list(_tokens(tree_of(plain.encode()).root_node))
        has_returned = False
        neighbours = zip([_NO_TOKEN, *tokens], tokens, [*tokens[1:], _NO_TOKEN], strict=False)
        for number, (before, token, after) in enumerate(neighbours):
            if not self._open and self._is_next(before, token):
                if not token.is_first and before.text != ";":
                    self._insert("missing_semicolon", "a semicolon is missing.", before.end, ";")
                has_returned, self._first = has_returned or self._first == "return", ""
            is_behind = has_returned and not self._first and token.is_first
            if is_behind and _is_prose(self.text[token.start : end]):
                end, tokens = token.start, tokens[:number]
                break
            if not self._take(token, before, after):
                return False
        for where, first, stop in (("before", 0, start), ("after", end, len(self.text))):
            if self.text[first:stop].strip():
                message = f"something stands {where} the plan."
                self.slips.append(_Slip("surroundings", message, first, stop))
        if self._open and not any(each["open_text"] for each in skipped):
            self._close(tokens, is_closed)
        return True

    def _insert(self, code: PlanCode, message: str, at: int, text: str) -> None:
        self.slips.append(_Slip(code, message, at, at, text))

    def _is_next(self, before: _Token, token: _Token) -> bool:
        """Whether a token that stands outside of brackets begins a statement behind another one."""
        goes_on = not self._first or self._is_expression or token.text in tuple("}]),;.=:")
        follows = before.ends_value and token.starts_value and token.text not in ("(", "[")
        return not goes_on and (follows or before.text == ";")

    def _take(self, token: _Token, before: _Token, after: _Token) -> bool:
        """Take one token; return False where it closes what is not open."""
        if token.text in (")", "]", "}"):
            return bool(self._open) and _OPENING[self._open.pop()[0]] == token.text
        inside = self._open[-1][0] if self._open else ""
        if inside not in ("", "group") and before.ends_value and token.starts_value:
            is_element = token.text == "(" or (token.text == "[" and not token.is_first)
            is_key = after.text == ":" and before.behind not in ("{", ",")
            if (inside == "{" and is_key) or (inside != "{" and not is_element):
                self._insert("missing_comma", "a comma is missing.", before.end, ",")
        if not inside:
            self._first = self._first or token.text
        if token.text in _OPENING:
            kind = token.text if token.text != "(" or before.ends_value else "group"
            self._open.append((kind, token.start))
        return True

    def _close(self, tokens: list[_Token], is_closed: bool) -> None:
        """Close brackets that are open at the end, where the text shows that nothing is lost."""
        self.cut_off = self._open[-1][1]
        last = ended = tokens[-1]
        at = last.end
        if last.text == ";":
            at, ended = last.start, tokens[-2]
        elif not is_closed and last.text not in (")", "]", "}"):
            return
        is_key = self._open[-1][0] == "{" and ended.behind in ("{", ",")  # its value may be lost
        if ended.ends_value and not is_key and (self._first == "return" or self._is_expression):
            self.cut_off = None
            closers = "".join(_OPENING[kind] for kind, _ in reversed(self._open))
            self._insert("unclosed_bracket", f"`{closers}` is missing at the end.", at, closers)
