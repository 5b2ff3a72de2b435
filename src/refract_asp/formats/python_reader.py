"""The statements of Python call text, read from its syntax tree and never run; `python` describes it."""

from __future__ import annotations

import ast
import itertools
import re
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from refract_asp.errors import FormatError, LimitError, shown
from refract_asp.formats.origin import POSITION, Origin
from refract_asp.formats.references import Known, to_source
from refract_asp.formats.values import MAX_DEPTH, UnreadableError, check_key, check_text, too_deep
from refract_asp.model import Call, Constant, Reference, Source, Structure
from refract_asp.model.paths import FieldPath

__all__ = [
    "Lines",
    "Reader",
    "Statement",
    "Written",
    "parsed",
    "place_text",
]


MAX_TEXT = 1_000_000
_MAX_BRACKETS = 150
_STRINGS = re.compile(
    r"""\"{3}(?:[^\\]|\\.)*?(?:\"{3}|\\?\Z)|'{3}(?:[^\\]|\\.)*?(?:'{3}|\\?\Z)"""
    r"""|"(?:[^"\\\r\n]|\\.)*+"?|'(?:[^'\\\r\n]|\\.)*+'?|\#[^\r\n]*+|([(\[{])|([)\]}])""",
    re.S,
)
"""Texts and comments, which hide brackets, and brackets; a text without an end goes on as far as it can, so
that no character is looked at twice."""
_WARNED = re.compile(r"\\|(?<![\w.])\.?[0-9][\w.]*(?:and|else|for|if|in|is|not|or)", re.ASCII)
"""What Python may warn of: escapes that it does not know, and numbers that run into a word."""
_INDENTED = re.compile(r"\A(\s*)[ \t](?=\S)")
"""Blanks before the first statement, which Python refuses; after a form feed none count."""
_LOCK = threading.Lock()


@dataclass
class Statement:
    """A statement of the input, its number from 0, and how many calls it makes."""

    text: str
    number: int
    calls: int = 0


@dataclass(frozen=True)
class Written:
    """How a call stood: in which statement, as which of its calls, and which names its positions got."""

    statement: Statement
    index: int
    names: tuple[str, ...] = ()


class Lines:
    """The lines of a text, by which pieces of it are found again; Python counts columns in bytes."""

    def __init__(self, text: str) -> None:
        """Split the text where Python does."""
        self._lines = re.split(r"\r\n|[\n\r]", text) if "\r" in text else text.split("\n")

    def column(self, line: int, offset: int) -> int:
        """Return how many characters stand before an offset; lines are counted from 1."""
        text = self._lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))

    def piece(self, node: ast.stmt) -> str:
        """Return the text of a statement."""
        first, last = node.lineno, node.end_lineno or node.lineno
        start = self.column(first, node.col_offset)
        end = self.column(last, node.end_col_offset or 0)
        if first == last:
            return self._lines[first - 1][start:end]
        middle = self._lines[first : last - 1]
        return "\n".join([self._lines[first - 1][start:], *middle, self._lines[last - 1][:end]])


def place_text(origin: Origin, line: int, column: int) -> str:
    """Return a line and a column as a place."""
    place = origin.at()
    return f"{place}:{line}:{column}" if place else f"line {line}, column {column}"


def parsed(text: str, origin: Origin, before: str = "") -> ast.Module:
    """
    Return the syntax tree of a text; `before` stands before it in the tree, and counts for no place.

    Raises:
        FormatError: the text is no Python.
        LimitError: it is too long, or nested too deep for Python's parser.
    """
    if len(text) > MAX_TEXT:
        raise LimitError(f"the text is longer than {MAX_TEXT:,} characters.", where=origin.at())
    whole = before + text
    depth = 0
    for match in _STRINGS.finditer(whole):
        depth += 1 if match[1] else -1 if match[2] else 0
        if depth > _MAX_BRACKETS:
            deep = too_deep()
            place = max(match.start() - len(before), 0)
            raise LimitError(deep.what, where=origin.at_character(text, place), hint=deep.hint)
    parse: Callable[[str], ast.Module] = ast.parse
    whole = _INDENTED.sub("\\1\f", whole)
    try:
        if not _WARNED.search(whole):
            return parse(whole)
        with _LOCK, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parse(whole)
    except SyntaxError as error:
        line = (error.lineno or 1) - before.count("\n")
        column = (error.offset or 1) - (len(before) - before.rfind("\n") - 1 if line == 1 else 0)
        where = place_text(origin, max(line, 1), max(column, 1))
        raise FormatError(f"not valid Python: {shown(error.msg, 120)}.", where=where) from None
    except (MemoryError, RecursionError):  # what they say is nothing, or of Python's own workings
        beyond = LimitError(
            "nested deeper than Python reads.", where=origin.at(), hint="Write it flatter."
        )
        raise beyond from None
    except ValueError as error:
        raise FormatError(f"not valid Python: {shown(error, 120)}.", where=origin.at()) from None


_WORDS = {"true": True, "false": False, "null": None}


class _RefusedError(Exception):
    """Something stands in an argument that is no value."""

    def __init__(self, what: str, node: ast.AST, hint: str = "") -> None:
        super().__init__(what)
        self.what, self.node, self.hint = what, node, hint


@dataclass
class Reader:
    """
    Reads a text; `calls` are those that it makes, in the order in which Python would make them.

    `name_lines` are the lines on which the names of their tools end, `names` those that texts may refer to
    (see `Sequence.names`).
    """

    text: str
    origin: Origin
    calls: list[Call] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    name_lines: list[int] = field(default_factory=list)
    names: frozenset[str] | None = None

    def read(self) -> None:
        """
        Read the text.

        Raises:
            FormatError: the text is no Python, or does something else than calling.
            LimitError: it is too long or nested too deep.
        """
        self.bound: dict[str, Source] = {}
        self.tree = tree = parsed(self.text, self.origin)
        self.lines = Lines(self.text)
        labels = (target.id for node in tree.body for target in _targets(node))
        self.known = Known(labels, only=self.names)
        self.taken: set[str] = set()
        self.numbers = itertools.count(1)
        for node in tree.body:
            self._statement(node)

    # -- statements ------------------------------------------------------------

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
            return
        self.statements.append(Statement(self.lines.piece(node), len(self.statements)))
        value = getattr(node, "value", None)
        if isinstance(node, ast.Expr | ast.Return) and value is not None:
            for each in value.elts if isinstance(value, ast.List | ast.Tuple) else [value]:
                if not isinstance(_bare(each), ast.Call):
                    self._fail("a call is expected here.", each)
                self._call(_bare(each), None)
            return
        targets = _targets(node)
        if len(targets) != 1 or value is None:
            self._fail("only calls and their labels are read.", node)
        value = _bare(value)
        if isinstance(value, ast.Call):
            self._call(value, targets[0].id)
            return
        try:
            self.bound[targets[0].id] = self._source(value)
        except (_RefusedError, UnreadableError) as error:
            self._fail(error.what, node)

    def _call(self, node: ast.Call, label: str | None) -> str:
        """Read a call, after those that stand inside it; return its label, a new one for the empty text."""
        malformed = None
        arguments: dict[str, Source] = {}
        name = ""
        try:
            name, receiver = self._callee(node.func)
            arguments = self._arguments(node, receiver)
        except _RefusedError as error:
            malformed = f"{self._where(error.node)}: {error.what} {error.hint}".rstrip()
            arguments = {}
        except UnreadableError as error:
            malformed = str(error.at(Origin(self._where(node))))
            arguments = {}
        if not name:
            self._fail(f"this is no call of a tool: {malformed or ''}", node)
        if label == "":
            label = self._fresh()
        statement = self.statements[-1]
        self.calls.append(
            Call(
                name=name,
                arguments=arguments,
                label=label,
                malformed=malformed,
                written=Written(statement, statement.calls),
            )
        )
        self.name_lines.append(node.func.end_lineno or node.lineno)
        statement.calls += 1
        if label:
            self.bound[label] = Reference(label=label)
        return label or ""

    def _callee(self, node: ast.expr) -> tuple[str, Source | None]:
        """Return the name of the tool, and what it is called on when that is the output of a call."""
        names: list[str] = []
        while isinstance(node, ast.Attribute):
            names.insert(0, node.attr)
            node = node.value
        inner = _bare(node)
        if isinstance(inner, ast.Call) and names:
            path = tuple(names[:-1])
            return names[-1], Reference(label=self._call(inner, ""), path=path)
        if isinstance(inner, ast.Name):
            source = self.bound.get(inner.id)
            if isinstance(source, Reference) and names:
                return names[-1], Reference(label=source.label, path=(*source.path, *names[:-1]))
            return ".".join([inner.id, *names]), None
        raise _RefusedError("the name of a tool is expected here.", node)

    def _fresh(self) -> str:
        """Return a label that is not used in the text."""
        if not self.taken:
            self.taken = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        return next(label for number in self.numbers if (label := f"var{number}") not in self.taken)

    def _arguments(self, node: ast.Call, receiver: Source | None) -> dict[str, Source]:
        values = [] if receiver is None else [receiver]
        for value in node.args:
            if isinstance(value, ast.Starred):
                raise _RefusedError("a `*` is not read.", value, "Write the arguments out.")
            values.append(self._source(value))
        arguments = {f"{POSITION}{number}": value for number, value in enumerate(values, 1)}
        for keyword in node.keywords:
            pairs: list[tuple[ast.expr | str, ast.expr]]
            if keyword.arg is not None:
                pairs = [(keyword.arg, keyword.value)]
            elif isinstance(keyword.value, ast.Dict) and None not in keyword.value.keys:
                pairs = list(zip(keyword.value.keys, keyword.value.values, strict=True))  # type: ignore[arg-type]
            else:
                raise _RefusedError("`**` of anything but an object is not read.", keyword.value)
            for key, value in pairs:
                name = key if isinstance(key, str) else self._key(key)
                if name in arguments:
                    raise _RefusedError(f"the argument {shown(name, 60)!r} is given twice.", value)
                arguments[check_text(name)] = self._source(value)
        return arguments

    # -- values ----------------------------------------------------------------

    def _source(self, node: ast.expr, depth: int = 0) -> Source:
        node = _bare(node)
        if depth > MAX_DEPTH:
            raise too_deep()
        if isinstance(node, ast.Constant):
            return self._constant(node, node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            number = node.operand
            if isinstance(number, ast.Constant) and isinstance(number.value, int | float):
                return self._constant(
                    node, -number.value if isinstance(node.op, ast.USub) else number.value
                )
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return _structure([self._source(each, depth + 1) for each in node.elts])
        if isinstance(node, ast.Dict):
            fields: dict[str, Source] = {}
            for key, value in zip(node.keys, node.values, strict=True):
                if key is None:
                    raise _RefusedError("`**` is not read here.", value)
                name = self._key(key)
                if name in fields:
                    raise _RefusedError(f"the key {shown(name, 60)!r} is given twice.", key)
                fields[name] = self._source(value, depth + 1)
            return _structure(fields)
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
            return self._reference(node)
        if isinstance(node, ast.JoinedStr):
            raise _RefusedError("an f-string is not read.", node, 'Write "... $label.field$ ...".')
        raise _RefusedError(
            f"this is no value ({type(node).__name__}).", node, "Nothing is computed."
        )

    def _constant(self, node: ast.expr, value: Any) -> Source:
        if value is ... or isinstance(value, bytes | complex):
            raise _RefusedError(
                f"a value of type {type(value).__name__} is not a JSON value.", node
            )
        return to_source(value, (), self.known)

    def _key(self, node: ast.expr) -> str:
        if not isinstance(node, ast.Constant):
            raise _RefusedError("the key is not a text.", node, "Keys of objects are texts.")
        return check_key(node.value)

    def _reference(self, node: ast.expr) -> Source:
        path: list[str | int] = []
        while isinstance(node, ast.Attribute | ast.Subscript):
            if isinstance(node, ast.Attribute):
                path.insert(0, node.attr)
            else:
                step = node.slice.value if isinstance(node.slice, ast.Constant) else None
                if isinstance(step, bool) or not isinstance(step, str | int):
                    raise _RefusedError("a field or an index is expected here.", node.slice)
                path.insert(0, check_text(step) if isinstance(step, str) else step)
            node = _bare(node.value)
        steps: FieldPath = tuple(path)
        if isinstance(node, ast.Call):
            return Reference(label=self._call(node, ""), path=steps)
        if not isinstance(node, ast.Name):
            raise _RefusedError(
                f"this is no value ({type(node).__name__}).", node, "Nothing is computed."
            )
        if node.id in self.bound:
            source = self.bound[node.id]
            if not steps:
                bare = isinstance(source, Reference) and source.label == node.id and not source.path
                return Reference(label=node.id, bare=True) if bare else source
            if not isinstance(source, Reference):
                raise _RefusedError("fields of a constant are not read.", node)
            return Reference(label=source.label, path=(*source.path, *steps))
        if node.id in _WORDS and not steps:
            return Constant(value=_WORDS[node.id])
        return Reference(label=node.id, path=steps, bare=not steps)

    # -- messages --------------------------------------------------------------

    def _where(self, node: ast.AST) -> str:
        line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        return place_text(self.origin, line, self.lines.column(line, offset) + 1)

    def _fail(self, what: str, node: ast.AST) -> NoReturn:
        raise FormatError(
            what, where=self._where(node), hint='Write calls as `var1 = tool(a="x")`.'
        )


def _bare(node: Any) -> Any:
    """Return what is awaited."""
    while isinstance(node, ast.Await):
        node = node.value
    return node


def _targets(node: ast.AST) -> list[ast.Name]:
    targets: list[Any] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return targets if all(isinstance(target, ast.Name) for target in targets) else []


def _structure(value: dict[str, Source] | list[Source]) -> Source:
    inner = value.values() if isinstance(value, dict) else value
    if not all(type(source) is Constant for source in inner):
        return Structure(value=value)
    if isinstance(value, dict):
        return Constant(value={key: source.value for key, source in value.items()})  # type: ignore[union-attr]
    return Constant(value=[source.value for source in value])  # type: ignore[union-attr]
