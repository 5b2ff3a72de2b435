"""
Python call text, read as a syntax tree and never run.

    image = open_image("a.png", k=[1, 2])      a call and its label; `positions` tells of unnamed arguments
    blur(rotate(image, degrees=45), pixels=2)  a call inside a call is a step of its own, with a label
    open_image("a.png").rotate(45).blur()      so is each link of a chain
    show(image.size[0], image["author"])       fields of an output; a name that no call bears is a variable
    [f(a=1), g(b=2)]                           several calls in a list

Values are literals; `true`, `false` and `null` count as well, tuples and sets are lists. A name bound to
a value stands for it. Imports are passed over; `await` and `return` before a call do not matter. Whatever
else stands in an argument, as an f-string or a sum, makes its call malformed; statements that do anything
but call are errors. Python has no words for asks, confirms and what a sequence gives back.

A statement that did not change is printed as it stood; the calls of a changed one stand on their own lines.
"""

from __future__ import annotations

import ast
import itertools
import keyword
import re
import threading
import warnings
from collections.abc import Sequence as Sequence_
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any, NoReturn

from refract_asp.errors import FormatError, InputError, LimitError, shown
from refract_asp.formats.chat import refuse_open
from refract_asp.formats.references import (
    Known,
    known_of,
    source_value,
    structure_of,
    to_source,
)
from refract_asp.formats.registry import Format
from refract_asp.formats.source import Origin
from refract_asp.formats.values import MAX_DEPTH, UnreadableError, check_key, check_text, too_deep
from refract_asp.model import Call, Constant, Reference, Sequence, Source, Structure, Tool
from refract_asp.model.paths import POSITION, is_position

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
_WORDS = {"true": True, "false": False, "null": None}


# -- reading ---------------------------------------------------------------------------


@dataclass
class _Statement:
    """A statement of the input, its number from 0, and how many calls it makes."""

    text: str
    number: int
    calls: int = 0


@dataclass(frozen=True)
class Written:
    """How a call stood: in which statement, as which of its calls, and which names its positions got."""

    statement: _Statement
    index: int
    names: tuple[str, ...] = ()


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
    whole = _INDENTED.sub("\\1\f", whole)
    try:
        if not _WARNED.search(whole):
            return ast.parse(whole)
        with _LOCK, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(whole)
    except SyntaxError as error:
        line = (error.lineno or 1) - before.count("\n")
        column = (error.offset or 1) - (len(before) - before.rfind("\n") - 1 if line == 1 else 0)
        where = origin.at_line(max(line, 1), max(column, 1))
        raise FormatError(f"not valid Python: {shown(error.msg, 120)}.", where=where) from None
    except (MemoryError, RecursionError):  # what they say is nothing, or of Python's own workings
        what = "nested deeper than Python reads."
        raise LimitError(what, where=origin.at(), hint="Write it flatter.") from None
    except ValueError as error:
        raise FormatError(f"not valid Python: {shown(error, 120)}.", where=origin.at()) from None


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
        self.statements: list[_Statement] = []
        self.tree = tree = parsed(self.text, self.origin)
        self.lines = re.split(r"\r\n|[\n\r]", self.text)  # where Python splits them
        labels = (target.id for node in tree.body for target in _targets(node))
        self.known = Known(labels, only=self.names)
        self.taken: set[str] = set()
        self.numbers = itertools.count(1)
        for node in tree.body:
            if not isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
                self.statements.append(_Statement(self.piece(node), len(self.statements)))
                self.statement(node)

    def column(self, line: int, offset: int) -> int:
        """Return how many characters stand before an offset, which Python counts in bytes."""
        text = self.lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))

    def piece(self, node: ast.stmt) -> str:
        """Return the text of a statement."""
        first, last = node.lineno, node.end_lineno or node.lineno
        lines = self.lines[first - 1 : last]
        lines[-1] = lines[-1][: self.column(last, node.end_col_offset or 0)]
        lines[0] = lines[0][self.column(first, node.col_offset) :]
        return "\n".join(lines)

    def statement(self, node: ast.stmt) -> None:
        """Read a statement."""
        value = getattr(node, "value", None)
        if isinstance(node, ast.Expr | ast.Return) and value is not None:
            for each in value.elts if isinstance(value, ast.List | ast.Tuple) else [value]:
                if not isinstance(_awaited(each), ast.Call):
                    self.fail("a call is expected here.", each)
                self.call(_awaited(each), None)
            return
        targets = _targets(node)
        if len(targets) != 1 or value is None:
            self.fail("only calls and their labels are read.", node)
        value = _awaited(value)
        if isinstance(value, ast.Call):
            self.call(value, targets[0].id)
            return
        try:
            self.bound[targets[0].id] = self.source(value)
        except (_RefusedError, UnreadableError) as error:
            self.fail(error.what, node)

    def call(self, node: ast.Call, label: str | None) -> str:
        """Read a call, after those that stand inside it; return its label, a new one for the empty text."""
        malformed = None
        arguments: dict[str, Source] = {}
        name = ""
        try:
            name, receiver = self.callee(node.func)
            arguments = self.arguments(node, receiver)
        except _RefusedError as error:
            malformed = f"{self.where(error.node)}: {error.what} {error.hint}".rstrip()
        except UnreadableError as error:
            malformed = str(error.at(Origin(self.where(node))))
        if not name:
            self.fail(f"this is no call of a tool: {malformed or ''}", node)
        if label == "":
            label = self.fresh_label()
        statement = self.statements[-1]
        written = Written(statement, statement.calls)
        self.calls.append(
            Call(name=name, arguments=arguments, label=label, malformed=malformed, written=written)
        )
        self.name_lines.append(node.func.end_lineno or node.lineno)
        statement.calls += 1
        if label:
            self.bound[label] = Reference(label=label)
        return label or ""

    def callee(self, node: ast.expr) -> tuple[str, Source | None]:
        """Return the name of the tool, and what it is called on when that is the output of a call."""
        names: list[str] = []
        while isinstance(node, ast.Attribute):
            names.insert(0, node.attr)
            node = node.value
        inner = _awaited(node)
        if isinstance(inner, ast.Call) and names:
            return names[-1], Reference(label=self.call(inner, ""), path=tuple(names[:-1]))
        if isinstance(inner, ast.Name):
            source = self.bound.get(inner.id)
            if isinstance(source, Reference) and names:
                return names[-1], Reference(label=source.label, path=(*source.path, *names[:-1]))
            return ".".join([inner.id, *names]), None
        raise _RefusedError("the name of a tool is expected here.", node)

    def fresh_label(self) -> str:
        """Return a label that is not used in the text."""
        if not self.taken:
            self.taken = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        return next(label for number in self.numbers if (label := f"var{number}") not in self.taken)

    def arguments(self, node: ast.Call, receiver: Source | None) -> dict[str, Source]:
        """Read the arguments of a call, those by position first."""
        values = [] if receiver is None else [receiver]
        for value in node.args:
            if isinstance(value, ast.Starred):
                raise _RefusedError("a `*` is not read.", value, "Write the arguments out.")
            values.append(self.source(value))
        arguments = {f"{POSITION}{number}": value for number, value in enumerate(values, 1)}
        for given in node.keywords:
            pairs: list[tuple[Any, ast.expr]] = [(given.arg, given.value)]
            if given.arg is None:
                if not isinstance(given.value, ast.Dict) or None in given.value.keys:
                    raise _RefusedError("`**` of anything but an object is not read.", given.value)
                pairs = list(zip(given.value.keys, given.value.values, strict=True))
            for key, value in pairs:
                name = key if isinstance(key, str) else self.key(key)
                if name in arguments:
                    raise _RefusedError(f"the argument {shown(name, 60)!r} is given twice.", value)
                arguments[check_text(name)] = self.source(value)
        return arguments

    def source(self, node: ast.expr, depth: int = 0) -> Source:
        """Return the source that an expression stands for."""
        node = _awaited(node)
        if depth > MAX_DEPTH:
            raise too_deep()
        match node:
            case ast.Constant(value=value):
                return self.constant(node, value)
            case ast.UnaryOp(
                op=ast.USub() | ast.UAdd() as op, operand=ast.Constant(value=value)
            ) if isinstance(value, int | float):
                return self.constant(node, -value if isinstance(op, ast.USub) else value)
            case ast.List() | ast.Tuple() | ast.Set():
                return structure_of([self.source(each, depth + 1) for each in node.elts])
            case ast.Dict():
                fields: dict[str, Source] = {}
                for key, inner in zip(node.keys, node.values, strict=True):
                    if key is None:
                        raise _RefusedError("`**` is not read here.", inner)
                    name = self.key(key)
                    if name in fields:
                        raise _RefusedError(f"the key {shown(name, 60)!r} is given twice.", key)
                    fields[name] = self.source(inner, depth + 1)
                return structure_of(fields)
            case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call():
                return self.reference(node)
            case ast.JoinedStr():
                hint = 'Write "... $label.field$ ...".'
                raise _RefusedError("an f-string is not read.", node, hint)
        raise _no_value(node)

    def constant(self, node: ast.expr, value: Any) -> Source:
        """Return the source of a literal."""
        if value is ... or isinstance(value, bytes | complex):
            what = f"a value of type {type(value).__name__} is not a JSON value."
            raise _RefusedError(what, node)
        return to_source(value, (), self.known)

    def key(self, node: ast.expr) -> str:
        """Return the key of an object."""
        if not isinstance(node, ast.Constant):
            raise _RefusedError("the key is not a text.", node, "Keys of objects are texts.")
        return check_key(node.value)

    def reference(self, node: ast.expr) -> Source:
        """Return what a name, its fields and elements, or a call refer to."""
        path: list[str | int] = []
        while isinstance(node, ast.Attribute | ast.Subscript):
            step: Any = node.attr if isinstance(node, ast.Attribute) else None
            if isinstance(node, ast.Subscript):
                step = node.slice.value if isinstance(node.slice, ast.Constant) else None
                if isinstance(step, bool) or not isinstance(step, str | int):
                    raise _RefusedError("a field or an index is expected here.", node.slice)
            path.insert(0, check_text(step) if isinstance(step, str) else step)
            node = _awaited(node.value)
        steps = tuple(path)
        if isinstance(node, ast.Call):
            return Reference(label=self.call(node, ""), path=steps)
        if not isinstance(node, ast.Name):
            raise _no_value(node)
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

    def where(self, node: ast.AST) -> str:
        """Return the place of a node."""
        line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        return self.origin.at_line(line, self.column(line, offset) + 1)

    def fail(self, what: str, node: ast.AST) -> NoReturn:
        """Raise an error for a node."""
        hint = 'Write calls as `var1 = tool(a="x")`.'
        raise FormatError(what, where=self.where(node), hint=hint)


def _no_value(node: ast.AST) -> _RefusedError:
    what = f"this is no value ({type(node).__name__})."
    return _RefusedError(what, node, "Nothing is computed.")


def _awaited(node: Any) -> Any:
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


def bind_positions(call: Call, tool: Tool | None) -> Call:
    """
    Name the arguments by position after the parameters that the tool declares, in their order.

    The call comes back as it is when the tool is not known, declares too few parameters, declares such
    names itself, or when one would be given twice; the rules then say what is wrong.

    Example:
        >>> from refract_asp.model import Catalog, Sequence
        >>> catalog = Catalog.load({"tools": [{"name": "rotate", "parameters": {"degrees": "number"}}]})
        >>> call = Sequence.load("rotate(45)").calls[0]
        >>> bind_positions(call, catalog.by_name["rotate"]).arguments
        {'degrees': Constant(kind='constant', value=45)}
    """
    positions = [name for name in call.arguments if is_position(name)]
    if not positions or tool is None:
        return call
    names = {f"{POSITION}{number}": name for number, name in enumerate(tool.parameters, 1)}
    for name in positions:
        if name not in names or name in tool.parameters or names[name] in call.arguments:
            return call
    arguments = {names.get(name, name): source for name, source in call.arguments.items()}
    written = call.written
    if is_dataclass(written) and not isinstance(written, type):
        written = replace(written, names=tuple(names[name] for name in positions))
    return call.model_copy(update={"arguments": arguments, "written": written})


# -- printing --------------------------------------------------------------------------


def _write(sequence: Sequence) -> str:
    refuse_open(sequence, "python")
    before: dict[tuple[int, int], Call] = {}
    if sequence.format == "python" and isinstance(sequence.written, str):
        again = Reader(sequence.written, Origin(), names=sequence.names)
        again.read()
        if _same(again.calls, sequence.calls):
            return sequence.written
        before = {(call.written.statement.number, call.written.index): call for call in again.calls}
    lines: list[str] = []
    known = known_of(sequence, "python")
    calls = list(sequence.calls)
    while calls:
        call = calls[0]
        whole = _unchanged(calls, before)
        if whole:
            lines.append(call.written.statement.text)
        elif call.malformed is None:
            lines.append(call_text(call, known))
        else:
            told = f"call {len(lines) + 1} ({shown(call.name, 60)})"
            hint = "Ask for the call again, or print it as pretty."
            raise FormatError(f"{told} cannot be printed: {call.malformed}", hint=hint)
        del calls[: whole or 1]
    text = "\n".join(lines)
    again = Reader(text, Origin(), names=known.only)
    try:
        again.read()
        same = _same(again.calls, sequence.calls)
    except InputError:
        same = False
    if not same:
        raise FormatError(
            "the sequence cannot be said in Python: a label, tool or parameter has no name there.",
            hint="Print it as pretty or nestful.",
        )
    return text


def _same(read: list[Call], calls: tuple[Call, ...] | list[Call]) -> bool:
    return len(read) == len(calls) and all(_equal(r, c) for r, c in zip(read, calls, strict=True))


def _equal(read: Call, call: Call) -> bool:
    """Whether what was read is the call, under the names that its positions got."""
    names = iter(call.written.names if isinstance(call.written, Written) else ())
    arguments = {next(names, p) if is_position(p) else p: s for p, s in read.arguments.items()}
    if (read.malformed is None) != (call.malformed is None):
        return False
    said = (read.name, read.label, list(arguments.items()))
    return said == (call.name, call.label, list(call.arguments.items()))


def _unchanged(calls: list[Call], before: dict[tuple[int, int], Call]) -> int:
    """Return how many of the calls make up a whole statement that did not change, 0 for none."""
    first = calls[0].written
    if not isinstance(first, Written) or first.index:
        return 0
    whole = calls[: first.statement.calls]
    for index, call in enumerate(whole):
        written = call.written
        if not isinstance(written, Written) or written.statement is not first.statement:
            return 0
        read = before.get((written.statement.number, index))
        if written.index != index or read is None or not _equal(read, call):
            return 0
    return len(whole) if len(whole) == first.statement.calls else 0


def call_text(call: Call, labels: Sequence_[str] | Known = ()) -> str:
    """
    Print a call on one line, whatever it stood in; `labels` are those that calls bear.

    Example:
        >>> call_text(Call(name="f", label="x", arguments={"a": Reference(label="y", path=("b",))}))
        'x = f(a=y.b)'
    """
    values = {name: source_text(source, labels) for name, source in call.arguments.items()}
    arguments = [value for name, value in values.items() if is_position(name)]
    arguments += [f"{name}={value}" for name, value in values.items() if _is_name(name)]
    others = [name for name in values if not is_position(name) and not _is_name(name)]
    if others:
        arguments.append(f"**{{{', '.join(f'{name!r}: {values[name]}' for name in others)}}}")
    label = f"{call.label} = " if call.label is not None else ""
    return f"{label}{call.name}({', '.join(arguments)})"


def source_text(source: Source, labels: Sequence_[str] | Known = ()) -> str:
    """
    Print what an argument is bound to; `labels` are those that calls bear.

    Example:
        >>> source_text(Constant(value=["a", True]))
        "['a', True]"
    """
    if isinstance(source, Reference) and _is_name(source.label) and (source.path or source.bare):
        steps = (f".{s}" if isinstance(s, str) and _is_name(s) else f"[{s!r}]" for s in source.path)
        return source.label + "".join(steps)
    if isinstance(source, Structure):
        if isinstance(source.value, dict):
            inside = source.value.items()
            return (
                f"{{{', '.join(f'{key!r}: {source_text(each, labels)}' for key, each in inside)}}}"
            )
        return f"[{', '.join(source_text(each, labels) for each in source.value)}]"
    if isinstance(source, Constant) and not isinstance(source.value, str | dict | list):
        return repr(source.value)
    return repr(source_value(source, labels))


def _is_name(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


def _detects(data: Any) -> bool:
    return isinstance(data, str) and "(" in data


def _read(data: Any, origin: Origin) -> Sequence:
    if not isinstance(data, str):
        hint = 'As in `var1 = tool("x", n=2)`.'
        raise origin.error("a text with Python calls is needed.", hint=hint)
    reader = Reader(data, origin)
    reader.read()
    return Sequence(calls=tuple(reader.calls), format="python", written=data)


FORMAT: Format[Sequence] = Format(
    name="python",
    kind="sequence",
    looks='Python calls such as `x = f(1, "a")`, `a(1).b()` or `[f(a=1), g(b=2)]`, as one text',
    detects=_detects,
    read=_read,
    write=_write,
)
