"""
Python call text, read as a syntax tree and never run.

    image = open_image("a.png", k=[1, 2])      a call and its label; `bind_positions` names the arguments
    blur(rotate(image, degrees=45), pixels=2)  a call inside a call is a step of its own, with a label
    open_image("a.png").rotate(45).blur()      so is each link of a chain
    show(image.size[0], image["author"])       fields of an output; a name that no call has is a variable
    [f(a=1), g(b=2)]                           several calls in a list
    print(f(a=1))                              only shown: `print` of a call or a label is no call itself
    f(a=3 * 60, b=5 * 10**-12)                 sums of numbers are computed

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
import operator
import re
import threading
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any, NoReturn

from refract_asp.errors import FormatError, InputError, LimitError, shown
from refract_asp.formats import values
from refract_asp.formats.references import Known, known_of, source_value, structure_of, to_source
from refract_asp.formats.source import Format, refuse_open, short, unprintable
from refract_asp.formats.values import Origin, UnreadableError
from refract_asp.model import Call, Constant, Reference, Sequence, Source, Structure, Tool
from refract_asp.model.paths import POSITION, is_position

# How deep brackets may be nested for Python's parser.
_MAX_BRACKETS = 150
# So many characters of a text may stand outside of its texts: while Python's parser works, nothing else can.
MAX_CODE = 100_000
# Texts and comments, which hide brackets, and brackets; a text without an end goes on as far as it
# can, so that no character is looked at twice. All begin with fixed characters, which makes the search fast.
BRACKETS = re.compile(
    r"""\"\"\"(?:[^\\]|\\.)*?(?:\"{3}|\\?\Z)|'''(?:[^\\]|\\.)*?(?:'{3}|\\?\Z)"""
    r"""|"(?:[^"\\\r\n]|\\.)*+"?|'(?:[^'\\\r\n]|\\.)*+'?|\#[^\r\n]*+|\(|\[|\{|\)|\]|\}""",
    re.S,
)
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
# What Python may warn of: escapes that it does not know, and numbers that run into a word.
_WARNED = re.compile(r"\\|(?<![\w.])\.?[0-9][\w.]*(?:and|else|for|if|in|is|not|or)", re.ASCII)
# Blanks before the first statement, which Python refuses; after a form feed none count.
_INDENTED = re.compile(r"\A(\s*)[ \t](?=\S)")
_LOCK = threading.Lock()
_WORDS = {"true": True, "false": False, "null": None}


# -- reading ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Written:
    """How a call stood: the text of its statement, the number of that, and which names its positions got."""

    text: str
    number: int
    names: tuple[str, ...] = ()


def parsed(text: str, origin: Origin, before: str = "") -> ast.Module:
    """
    Return the syntax tree of a text; `before` stands before it in the tree, and counts for no place.

    Raises:
        FormatError: the text is no Python, or too long for Python's parser.
        LimitError: it is nested too deep.
    """
    whole = _INDENTED.sub("\\1\f", before + text)
    depth, code = 0, len(whole)
    for match in BRACKETS.finditer(whole):
        code -= len(match[0]) - 1
        depth += (match[0] in OPENING) - (match[0] in CLOSING)
        if depth > _MAX_BRACKETS:
            deep, place = values.too_deep(), max(match.start() - len(before), 0)
            raise LimitError(deep.what, where=origin.at_character(text, place), hint=deep.hint)
    if code > MAX_CODE:
        what = f"it has more than {MAX_CODE:,} characters outside of texts."
        raise FormatError(what, where=origin.at(), hint="Give less at once.")
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
    except ValueError as error:  # of a null byte it is a SyntaxError in later versions of Python
        where = origin.at() if isinstance(error, UnicodeError) else origin.at_line(1, 1)
        raise FormatError(f"not valid Python: {shown(error, 120)}.", where=where) from None


def _is_read(is_right: bool, what: str, hint: str = "") -> None:
    """Refuse what is no value."""
    if not is_right:
        raise UnreadableError(what, hint)


@dataclass
class Reader:
    """
    Reads a text; `calls` are those that it makes, in the order in which Python would make them.

    `names` are those that texts may refer to (see `Sequence.names`).
    """

    text: str
    origin: Origin
    calls: list[Call] = field(default_factory=list)
    names: frozenset[str] | None = None

    def read(self) -> list[Call]:
        """
        Read the text, and return the calls.

        Raises:
            FormatError: the text is no Python, or does something else than calling.
            LimitError: it is too long or nested too deep.
        """
        self.bound: dict[str, Source] = {}
        tree = parsed(self.text, self.origin)
        self.lines = re.split(r"\r\n|[\n\r]", self.text)  # where Python splits them
        short(tree.body, self.origin)
        labels = [label for node in tree.body for label in _labels(node)]
        self.known = Known(labels, only=self.names)
        taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        numbered = map("var{}".format, itertools.count(1))
        self.fresh_labels = (label for label in numbered if label not in taken)
        for number, node in enumerate(tree.body):
            if not isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
                self.written = Written(self.piece(node), number)
                self.statement(node)
        return self.calls

    def column(self, line: int, offset: int) -> int:
        """Return how many characters stand before an offset, which Python counts in bytes."""
        return len(self.lines[line - 1].encode()[:offset].decode(errors="ignore"))

    def piece(self, node: ast.stmt) -> str:
        """Return the text of a statement."""
        first, last = node.lineno, node.end_lineno or node.lineno
        lines = self.lines[first - 1 : last]
        lines[-1] = lines[-1][: self.column(last, node.end_col_offset or 0)]
        lines[0] = lines[0][self.column(first, node.col_offset) :]
        return "\n".join(lines)

    def statement(self, node: ast.stmt) -> None:
        """Read a statement."""
        value = _awaited(getattr(node, "value", None))
        if isinstance(node, ast.Expr) and (inner := self.only_shown(value)) is not None:
            for one in inner:
                self.call(one, None)
            return
        labels = _labels(node)
        if isinstance(node, ast.Expr | ast.Return) and value is not None:
            for each in value.elts if isinstance(value, ast.List | ast.Tuple) else [value]:
                if not isinstance(_awaited(each), ast.Call):
                    self.fail("a call is expected here.", each)
                self.call(_awaited(each), None)
        elif len(labels) != 1 or value is None:
            self.fail("only calls and their labels are read.", node)
        elif isinstance(value, ast.Call):
            self.call(value, labels[0])
        else:
            try:
                self.bound[labels[0]] = self.source(value)
            except UnreadableError as error:
                self.fail(error.what, node)

    def only_shown(self, node: Any) -> list[ast.Call] | None:
        """Return the calls that a `print` shows, among labels of others; None where it is something else."""
        match node:
            case ast.Call(func=ast.Name(id="print"), args=[_, *_] as args, keywords=[]):
                shown_here = [_awaited(each) for each in args]
                calls = [each for each in shown_here if isinstance(each, ast.Call)]
                named = all(_root(each) in self.bound for each in shown_here if each not in calls)
                return calls if named else None
        return None

    def call(self, node: ast.Call, label: str | None) -> str:
        """Read a call, after those that stand inside it; return its label, a new one for the empty text."""
        malformed = None
        arguments: dict[str, Source] = {}
        name = ""
        try:
            name, receiver = self.callee(node.func)
            arguments = self.arguments(node, receiver)
        except UnreadableError as error:
            malformed = str(error.at(Origin(self.where(node))))
        if not name:
            self.fail(f"this is no call of a tool: {malformed or ''}", node)
        label = next(self.fresh_labels) if label == "" else label
        told: Any = {"label": label, "malformed": malformed, "written": self.written}
        self.calls.append(Call(name=name, arguments=arguments, **told))
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
        _is_read(isinstance(inner, ast.Name), "the name of a tool is expected here.")
        source = self.bound.get(inner.id)
        if isinstance(source, Reference) and names:
            return names[-1], Reference(label=source.label, path=(*source.path, *names[:-1]))
        return ".".join([inner.id, *names]), None

    def arguments(self, node: ast.Call, receiver: Source | None) -> dict[str, Source]:
        """Read the arguments of a call, those by position first."""
        found = [] if receiver is None else [receiver]
        for value in node.args:
            is_one = not isinstance(value, ast.Starred)
            _is_read(is_one, "a `*` is not read.", "Write the arguments out.")
            found.append(self.source(value))
        arguments = {f"{POSITION}{number}": value for number, value in enumerate(found, 1)}
        for given in node.keywords:
            pairs: list[tuple[Any, ast.expr]] = [(given.arg, given.value)]
            if given.arg is None:
                is_object = isinstance(given.value, ast.Dict) and None not in given.value.keys
                _is_read(is_object, "`**` of anything but an object is not read.")
                pairs = list(zip(given.value.keys, given.value.values, strict=True))  # type: ignore[attr-defined]
            for key, value in pairs:
                name = values.check_text(key) if isinstance(key, str) else _key(key)
                what = f"the argument {shown(name, 60)!r} is given twice."
                _is_read(name not in arguments, what)
                arguments[name] = self.source(value)
        return arguments

    def source(self, node: ast.expr | None, depth: int = 0) -> Source:
        """Return the source that an expression stands for."""
        node = _awaited(node)
        if depth > values.MAX_DEPTH:
            raise values.too_deep()
        match node:
            case ast.Constant(value=value):
                return self.constant(value)
            case ast.UnaryOp(ast.USub() | ast.UAdd() as op, ast.Constant(int() | float() as value)):
                return self.constant(-value if isinstance(op, ast.USub) else value)
            case ast.BinOp() | ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.BinOp()):
                return self.constant(_computed(node))
            case ast.List() | ast.Tuple() | ast.Set():
                return structure_of([self.source(each, depth + 1) for each in node.elts])
            case ast.Dict():
                fields: dict[str, Source] = {}
                for key, inner in zip(node.keys, node.values, strict=True):
                    name = _key(key)
                    _is_read(name not in fields, f"the key {shown(name, 60)!r} is given twice.")
                    fields[name] = self.source(inner, depth + 1)
                return structure_of(fields)
            case ast.JoinedStr():
                raise UnreadableError("an f-string is not read.", 'Write "... $label.field$ ...".')
        return self.reference(node)

    def constant(self, value: Any) -> Source:
        """Return the source of a literal."""
        is_json = value is not ... and not isinstance(value, bytes | complex)
        _is_read(is_json, f"a value of type {type(value).__name__} is not a JSON value.")
        return to_source(value, (), self.known)

    def reference(self, node: Any) -> Source:
        """Return what a name, its fields and elements, or a call refer to."""
        path: list[str | int] = []
        while isinstance(node, ast.Attribute | ast.Subscript):
            step: Any = node.attr if isinstance(node, ast.Attribute) else None
            if isinstance(node, ast.Subscript):
                step = node.slice.value if isinstance(node.slice, ast.Constant) else None
                is_step = isinstance(step, str | int) and not isinstance(step, bool)
                _is_read(is_step, "a field or an index is expected here.")
            path.insert(0, values.check_text(step) if isinstance(step, str) else step)
            node = _awaited(node.value)
        steps = tuple(path)
        if isinstance(node, ast.Call):
            return Reference(label=self.call(node, ""), path=steps)
        what = f"this is no value ({type(node).__name__})."
        _is_read(isinstance(node, ast.Name), what, "Nothing is computed.")
        source = self.bound.get(node.id)
        if isinstance(source, Reference) and steps:
            return Reference(label=source.label, path=(*source.path, *steps))
        if isinstance(source, Reference) and (source.path or source.label != node.id):
            return source
        if source is not None and not isinstance(source, Reference):
            _is_read(not steps, "fields of a constant are not read.")
            return source
        if source is None and node.id in _WORDS and not steps:
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


_OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
}  # fmt: skip


def _computed(node: ast.expr, depth: int = 0) -> int | float:
    """
    Return the number that an expression of numbers alone stands for.

    Raises:
        UnreadableError: it holds something else, or the number would be too large.
    """
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=inner) if depth < _MAX_BRACKETS:
            value = _computed(inner, depth + 1)
            return -value if isinstance(op, ast.USub) else value
        case ast.BinOp(left, op, right) if type(op) in _OPERATIONS and depth < _MAX_BRACKETS:
            first, second = _computed(left, depth + 1), _computed(right, depth + 1)
            is_small = not isinstance(op, ast.Pow) or (abs(second) <= 400 and abs(first) <= 10**6)
            with suppress(ArithmeticError, ValueError):
                number = _OPERATIONS[type(op)](first, second) if is_small else None
                if isinstance(number, int | float):
                    return values.check_number(number)
            raise UnreadableError("this number cannot be computed.", "Write it out.")
    what = f"this is no value ({type(node).__name__})."
    raise UnreadableError(what, "Nothing but numbers is computed.")


def _root(node: Any) -> str | None:
    """Return the name whose fields and elements an expression takes."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _key(node: ast.expr | None) -> str:
    """Return the key of an object."""
    hint = "Keys of objects are texts."
    _is_read(node is not None, "`**` is not read here.")
    _is_read(isinstance(node, ast.Constant), "the key is not a text.", hint)
    return values.check_key(node.value)  # type: ignore[union-attr]


def _awaited(node: Any) -> Any:
    """Return what is awaited."""
    while isinstance(node, ast.Await):
        node = node.value
    return node


def _labels(node: ast.AST) -> list[str]:
    """Return the names that a statement binds; none where it binds anything else."""
    targets: list[Any] = getattr(node, "targets", [getattr(node, "target", None)])
    is_bound = isinstance(node, ast.Assign | ast.AnnAssign)
    are_names = is_bound and all(isinstance(target, ast.Name) for target in targets)
    return [target.id for target in targets] if are_names else []


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
    before: list[Call] = []
    if sequence.format == "python" and isinstance(sequence.written, str):
        before = Reader(sequence.written, Origin(), names=sequence.names).read()
        if _same(before, sequence.calls):
            return sequence.written
    lines, known = list[str](), known_of(sequence, "python")
    for written, group in itertools.groupby(sequence.calls, _statement_of):
        calls = list(group)
        if written and _same([each for each in before if _statement_of(each) == written], calls):
            lines.append(written[1])
            continue
        for call in calls:
            if call.malformed is not None:
                raise unprintable(call, len(lines) + 1)
            lines.append(call_text(call, known))
    text = "\n".join(lines)
    with suppress(InputError):
        if _same(Reader(text, Origin(), names=known.only).read(), sequence.calls):
            return text
    what = "the sequence cannot be said in Python: a label, tool or parameter has no name there."
    raise FormatError(what, hint="Print it as pretty or nestful.")


def _same(read: list[Call], calls: Collection[Call]) -> bool:
    """Whether what was read are the calls, under the names that their positions got."""

    def said(call: Call, names: Iterator[str]) -> Any:
        named = {next(names, p) if is_position(p) else p: s for p, s in call.arguments.items()}
        return call.name, call.label, call.malformed is None, list(named.items())

    named = [said(call, iter(())) for call in calls]
    names = (iter(getattr(call.written, "names", ())) for call in calls)
    return len(read) == len(named) and named == list(map(said, read, names))


def _statement_of(call: Call) -> tuple[int, str] | None:
    """Return the number and the text of the statement that a call stood in, None for a new call."""
    return (call.written.number, call.written.text) if isinstance(call.written, Written) else None


def call_text(call: Call, labels: Collection[str] | Known = ()) -> str:
    """
    Print a call on one line, whatever it stood in; `labels` are those of the calls.

    Example:
        >>> call_text(Call(name="f", label="x", arguments={"a": Reference(label="y", path=("b",))}))
        'x = f(a=y.b)'
    """
    found = {name: source_text(source, labels) for name, source in call.arguments.items()}
    arguments = [value for name, value in found.items() if is_position(name)]
    arguments += [f"{name}={value}" for name, value in found.items() if _is_name(name)]
    others = [name for name in found if not is_position(name) and not _is_name(name)]
    if others:
        arguments.append(f"**{{{', '.join(f'{name!r}: {found[name]}' for name in others)}}}")
    label = f"{call.label} = " if call.label is not None else ""
    return f"{label}{call.name}({', '.join(arguments)})"


def source_text(source: Source, labels: Collection[str] | Known = ()) -> str:
    """
    Print what an argument is bound to; `labels` are those of the calls.

    Example:
        >>> source_text(Constant(value=["a", True]))
        "['a', True]"
    """
    if isinstance(source, Reference) and _is_name(source.label) and (source.path or source.bare):
        steps = (f".{s}" if isinstance(s, str) and _is_name(s) else f"[{s!r}]" for s in source.path)
        return source.label + "".join(steps)
    if isinstance(source, Structure):
        if isinstance(source.value, list):
            return f"[{', '.join(source_text(each, labels) for each in source.value)}]"
        inside = (f"{key!r}: {source_text(each, labels)}" for key, each in source.value.items())
        return f"{{{', '.join(inside)}}}"
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
    return Sequence(calls=tuple(Reader(data, origin).read()), format="python", written=data)


LOOKS = 'Python calls such as `x = f(1, "a")`, `a(1).b()` or `[f(a=1), g(b=2)]`, as one text'
FORMAT = Format("python", "sequence", LOOKS, _detects, _read, _write)
