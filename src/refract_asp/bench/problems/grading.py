"""
Grades answers without running them.

An answer is as good as the target when it makes the same calls on the same things with the same arguments,
by position or by name. Values that are named first count as if they stood where they are used; a call whose
result nobody uses makes an answer wrong; 5, 5.0, "5" and True are four values.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, overload

from refract_asp.bench.problems.signatures import constant_in
from refract_asp.errors import InputError, shown
from refract_asp.formats.python import parsed
from refract_asp.formats.values import Origin

__all__ = ["Grade", "Test", "execute", "graded", "read_test"]

Grade: TypeAlias = tuple[bool, str | None]
"""Whether an answer passes, and the reason where it does not."""

MAX_TEST = 200_000
MAX_LENGTH = 50_000
"""Characters of an answer."""
MAX_DEPTH = 120
"""How deep expressions may lie in each other."""
MAX_TOLD = 40
"""How many terms are told at most; what is shared is told again."""


# -- terms: what expressions come to --------------------------------------------------


@dataclass(frozen=True, eq=False)
class Leaf:
    """
    What is not made of other terms.

    Attributes:
        kind: "constant", "argument" of the function that was to be written, or "root": a library, or an
            object of one.
        text: how it is told.
        value: what tells it from others of its kind: a constant itself, the text that stands for an argument
            in the test, the name of a root.
    """

    kind: str
    text: str
    value: object

    def is_like(self, other: Term) -> bool:
        """Whether another term is the same; constants of different types are different."""
        return (
            isinstance(other, Leaf)
            and (self.kind, type(self.value)) == (other.kind, type(other.value))
            and repr(self.value) == repr(other.value)
        )


@dataclass(frozen=True, eq=False)
class Method:
    """An attribute of something."""

    of: Term
    name: str


@dataclass(frozen=True, eq=False)
class Applied:
    """A call."""

    method: Term
    by_position: tuple[Term, ...]
    by_name: dict[str, Term]


Term: TypeAlias = Leaf | Method | Applied


def _inner(term: Term) -> tuple[Term, ...]:
    """Return what a term is made of, from left to right."""
    if isinstance(term, Applied):
        return (term.method, *term.by_position, *term.by_name.values())
    return (term.of,) if isinstance(term, Method) else ()


def _told(term: Term) -> str:
    """Return a term as Python would write it, cut where it is long."""
    budget = iter(range(MAX_TOLD))

    def text(each: Term) -> str:
        if next(budget, None) is None:
            return "..."
        if isinstance(each, Leaf):
            return each.text
        if isinstance(each, Method):
            return f"{text(each.of)}.{each.name}"
        values = [text(value) for value in each.by_position]
        values += [f"{name}={text(value)}" for name, value in each.by_name.items()]
        return f"{text(each.method)}({', '.join(values)})"

    return shown(text(term), 200)


# -- answers as terms ------------------------------------------------------------------

_NOT_READ: dict[str, tuple[type[ast.AST], ...]] = {
    "an import": (ast.Import, ast.ImportFrom),
    "a loop": (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    "a condition": (ast.If, ast.IfExp, ast.Match),
    "try": (ast.Try, ast.TryStar),
    "with": (ast.With,),
    "raise": (ast.Raise,),
    "assert": (ast.Assert,),
    "del": (ast.Delete,),
    "global": (ast.Global,),
    "nonlocal": (ast.Nonlocal,),
    "break": (ast.Break,),
    "continue": (ast.Continue,),
    "a function inside": (ast.FunctionDef, ast.AsyncFunctionDef),
    "a class": (ast.ClassDef,),
    "an operator": (ast.AugAssign, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare),
    "lambda": (ast.Lambda,),
    "an assignment inside an expression": (ast.NamedExpr,),
    "an f-string": (ast.JoinedStr,),
    "an index": (ast.Subscript,),
    "* or **": (ast.Starred,),
    "a list": (ast.List,),
    "a tuple": (ast.Tuple,),
    "a dictionary": (ast.Dict,),
    "a set": (ast.Set,),
    "await": (ast.Await,),
    "yield": (ast.Yield, ast.YieldFrom),
}


class _RefusedError(Exception):
    """An answer holds what is not read; the message says what."""

    @classmethod
    def of(cls, node: ast.AST) -> _RefusedError:
        words = (words for words, types in _NOT_READ.items() if isinstance(node, types))
        return cls(f"{next(words, type(node).__name__)} is not read.")


@dataclass
class _Reader:
    """
    Evaluates expressions to terms.

    Attributes:
        known: the names that can be read.
        own: the names that get a value in the function, besides its arguments.
        calls: the calls that were made.
    """

    known: dict[str, Term]
    own: frozenset[str] = frozenset()
    calls: list[Applied] = field(default_factory=list)

    def returned(self, body: list[ast.stmt]) -> Term:
        """
        Return what the body of a function returns.

        Statements may name a value or return it. What stands below the return is not evaluated. It is read,
        though: a `yield` there, or a new value for a library, changes what the function does.
        """
        for number, statement in enumerate(body):
            _check(statement)
            assigned = _assigned(statement)
            if assigned is not None:
                name, value = assigned
                if value is not None:
                    self.known[name] = self.value(value)
            elif isinstance(statement, ast.Expr):
                self.value(statement.value)
            elif isinstance(statement, ast.Return):
                for below in body[number + 1 :]:
                    _check(below)
                    _check_inert(below)
                if statement.value is None:
                    break
                return self.value(statement.value)
        raise _RefusedError("nothing is returned.")

    def value(self, node: ast.expr, depth: int = 1) -> Term:
        """Return the value of an expression."""
        if depth > MAX_DEPTH:
            raise _RefusedError("the answer is nested too deep.")
        match node:
            case ast.Name(id=name):
                if name in self.known:
                    return self.known[name]
                _check_name(name)
                if name in self.own:
                    raise _RefusedError(f"{shown(name)} is read before it gets a value.")
                raise _RefusedError(f"there is nothing named {shown(name)}.")
            case ast.Attribute(value=value, attr=name):
                _check_name(name)
                return Method(self.value(value, depth + 1), name)
            case ast.Call():
                return self._call(node, depth + 1)
        try:
            constant = constant_in(node)
        except InputError as error:
            raise _RefusedError(error.what) from None
        if constant is None:
            raise _RefusedError.of(node)
        return Leaf("constant", shown(repr(constant.value), 60), constant.value)

    def _call(self, node: ast.Call, depth: int) -> Applied:
        method = self.value(node.func, depth)
        if isinstance(method, Leaf) and method.kind == "root":
            raise _RefusedError(f"{method.text} is no function.")
        if not isinstance(method, Method):
            raise _RefusedError(f"{_told(method)} cannot be called.")
        by_position = tuple(self.value(argument, depth) for argument in node.args)
        by_name: dict[str, Term] = {}
        for each in node.keywords:
            if each.arg is None:
                raise _RefusedError("* or ** is not read.")
            if each.arg in by_name:
                raise _RefusedError(f"{shown(each.arg)} is given twice.")
            by_name[each.arg] = self.value(each.value, depth)
        self.calls.append(Applied(method, by_position, by_name))
        return self.calls[-1]


def _assigned(statement: ast.stmt) -> tuple[str, ast.expr | None] | None:
    """Return the name that a statement is about, and the value that it gives it."""
    match statement:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=value)
        ):
            return name, value
    return None


def _check(statement: ast.stmt) -> None:
    """Refuse a statement that does anything else than name, compute or return a value."""
    assigned = _assigned(statement)
    if assigned is not None:
        _check_name(assigned[0])
    elif isinstance(statement, ast.Assign | ast.AnnAssign):
        raise _RefusedError("only a single name can be assigned to.")
    elif not isinstance(statement, ast.Return | ast.Pass | ast.Expr):
        raise _RefusedError.of(statement)
    if isinstance(statement, ast.AnnAssign):
        _check_inert(statement.annotation)


def _check_inert(tree: ast.AST) -> None:
    """Refuse what changes a function even where it is never evaluated."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.NamedExpr):
            raise _RefusedError.of(node)


def _check_name(name: str) -> None:
    if name.startswith("__"):
        raise _RefusedError(f"names such as {shown(name)} are not read.")


# -- grading ---------------------------------------------------------------------------


@overload
def execute(sample: str, test: str) -> Grade: ...
@overload
def execute(sample: list[str] | tuple[str, ...], test: str) -> list[Grade]: ...
def execute(sample: str | list[str] | tuple[str, ...], test: str) -> Grade | list[Grade]:
    """
    Say whether an answer to a problem passes its test, and if not, why. Nothing of it is run.

    Args:
        sample: what goes on where the prompt ends, or several such answers.
        test: the test of the problem.

    Returns:
        whether it passes, and None or the reason; for several answers a list of such pairs.

    Raises:
        InputError: the test is no test of a problem, or an answer is no text.

    Example:
        >>> from refract_asp.bench.problems import get_example
        >>> test = get_example("solids.volume_of_cone(radius=5)", "gets the volume of a cone").test
        >>> execute("return solids.volume_of_cone(height=height, radius=5)", test)
        (True, None)
        >>> execute("return solids.volume_of_cone(height, 5)", test)
        (False, 'radius of solids.volume_of_cone is height, 5 is wanted')
    """
    read = read_test(test)
    if isinstance(sample, str):
        return graded(sample, read)
    if not isinstance(sample, list | tuple) or not all(isinstance(each, str) for each in sample):
        raise InputError("a text or a list of texts is needed as the answer.")
    return [graded(each, read) for each in sample]


_Parameters: TypeAlias = dict[int, tuple[str | None, ...]]


@dataclass(frozen=True)
class Test:
    """
    A test, as it was read.

    Attributes:
        head: the line that begins the function.
        indent: what each of its lines begins with.
        known: what the names of an answer stand for.
        reference: what is to be computed.
        parameters: what the arguments of a call of the reference are called, by the id of the term.
    """

    __test__ = False

    head: str
    indent: str
    known: dict[str, Term]
    reference: Term
    parameters: _Parameters


def graded(sample: str, test: Test) -> Grade:
    """Say whether an answer passes a test that was read."""
    try:
        difference = _difference(_result(sample, test), test.reference, test.parameters)
    except (InputError, _RefusedError) as error:
        return False, str(error).removesuffix(".")
    return difference is None, difference


def _result(sample: str, test: Test) -> Term:
    """Return what a sample computes; a call whose result nobody uses is not what was asked for."""
    if len(sample) > MAX_LENGTH:
        raise _RefusedError(f"the answer is longer than {MAX_LENGTH:,} characters.")
    if not sample.strip():
        raise _RefusedError("there is no answer.")
    match parsed(sample, Origin("answer"), before=f"{test.head}\n{test.indent}").body:
        case [ast.FunctionDef() as function]:
            pass
        case _:
            raise _RefusedError("there is code outside the function.")
    given = {argument.arg for argument in function.args.args}
    own = frozenset(each[0] for each in map(_assigned, function.body) if each is not None) - given
    # A library whose name gets a value in the function is a name of the function from the start.
    reader = _Reader({name: term for name, term in test.known.items() if name not in own}, own)
    result = reader.returned(function.body)
    used: set[int] = set()
    open = [result]
    while open:
        each = open.pop()
        if id(each) not in used:
            used.add(id(each))
            open += _inner(each)
    for call in reader.calls:
        if id(call) not in used:
            raise _RefusedError(f"the result of {_told(call)} is not used.")
    return result


def _difference(given: Term, wanted: Term, parameters: _Parameters) -> str | None:
    """Return how a term differs from the wanted one, by the first place where it does."""
    if isinstance(wanted, Applied) and isinstance(given, Applied):
        return _difference(given.method, wanted.method, parameters) or _other_arguments(
            given, wanted, parameters
        )
    if isinstance(wanted, Method) and isinstance(given, Method):
        if given.name != wanted.name:
            return f"{_told(given)} is called, {_told(wanted)} is wanted"
        return _difference(given.of, wanted.of, parameters)
    if isinstance(wanted, Leaf) and wanted.is_like(given):
        return None
    return f"{_told(given)} is given, {_told(wanted)} is wanted"


def _other_arguments(given: Applied, wanted: Applied, parameters: _Parameters) -> str | None:
    """Return how the arguments of a call differ from the wanted ones."""
    what = _told(wanted.method)
    names = parameters.get(id(wanted), (None,) * len(wanted.by_position))
    count, right = len(given.by_position) + len(given.by_name), len(wanted.by_position)
    if count != right:
        many, few = ("" if number == 1 else "s" for number in (count, right))
        return f"{what} gets {count} argument{many}, {right} argument{few} wanted"
    values: list[Term | None] = [*given.by_position, *[None] * len(given.by_name)]
    nameless = [place for place, name in enumerate(names) if name is None and values[place] is None]
    for name, value in given.by_name.items():
        if name in names:
            place = names.index(name)
        elif len(nameless) == 1:  # there is one place left whose name the test does not tell
            place = nameless[0]
        else:
            is_told = None not in names
            takes = f"it takes {', '.join(map(str, names))}"
            known = takes if is_told else "the test does not name it"
            return f"{what} has no argument {shown(name)}: {known}"
        if values[place] is not None:
            return f"{what} gets {shown(name)} twice"
        values[place] = value
    for place, (filled, reference) in enumerate(zip(values, wanted.by_position, strict=True)):
        if filled is None:
            return f"{what} lacks an argument"
        if _difference(filled, reference, parameters) is not None:
            name = names[place] or f"argument {place + 1}"
            return f"{name} of {what} is {_told(filled)}, {_told(reference)} is wanted"
    return None


# -- tests as they are written -----------------------------------------------------------

_DUMMY = re.compile(r"dummy_(\w+)_\d+_*", re.ASCII)


def read_test(test: str) -> Test:
    """
    Read a test.

    Raises:
        InputError: it is not of the shape that `get_example` writes.
    """
    hint = "Give the test of a problem, as get_example returns it."
    if not isinstance(test, str) or len(test) > MAX_TEST:
        raise InputError("this is no test of a problem.", hint=hint)
    try:
        return _read(test)
    except LookupError as error:
        reason = f"nothing says what {shown(error.args[0] if error.args else error)} is."
    except InputError as error:
        reason = error.what
    except _RefusedError as error:
        reason = str(error)
    except RecursionError:
        reason = "the line parameters is nested too deep."
    except (ValueError, TypeError) as error:
        reason = f"{shown(error)}."
    raise InputError(f"this is no test of a problem: {reason}", hint=hint)


def _read(test: str) -> Test:
    notes = dict(re.findall(r"^# (signature|indent|parameters) = (.*)$", test, re.M))
    head = notes["signature"]
    indent = _indent(notes.get("indent", "'    '"))
    outer = _arguments(head)
    assigned = [
        (statement.targets[0].id, statement.value)
        for statement in parsed(test, Origin()).body
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    ]
    known: dict[str, Term] = {}
    for name, value in assigned[:-2]:  # a library, too, may be named x, and the function Dummy
        match value:
            case ast.Call(func=ast.Name(id="Dummy"), args=[], keywords=[]):
                known[name] = Leaf("root", name, name)
            case _:
                raise InputError(f"the line {shown(name)} = is wrong.")
    values = dict(assigned[-2:])
    call = values["x"]
    if not isinstance(call, ast.Call) or call.args:
        raise InputError("the line x = is wrong.")
    dummies: dict[object, Term] = {}
    given: dict[str, Term] = {}
    for each in call.keywords:
        match each.value:
            case ast.Constant(value=str(dummy)):
                dummies[dummy] = given[str(each.arg)] = Leaf("argument", str(each.arg), dummy)
            case ast.Name(id=root):
                given[str(each.arg)] = known[root]
            case _:
                raise InputError("the line x = is wrong.")
    if sorted(given) != sorted(outer):
        raise InputError("the line x = does not give what the function takes.")
    reference = _with_dummies(_Reader(dict(known)).value(values["y"]), dummies)
    parameters = _parameters(reference, notes.get("parameters"))
    return Test(head, indent, {**known, **given}, reference, parameters)


def _arguments(head: str) -> list[str]:
    """Return the arguments of the function that a line begins."""
    match parsed(f"{head} pass", Origin()).body:
        case [ast.FunctionDef(args=arguments, body=[ast.Pass()])]:
            names = [argument.arg for argument in arguments.args]
            if ast.unparse(arguments) == ", ".join(names):  # plain ones, and no others
                return names
    raise InputError("the signature is wrong.")


def _indent(said: str) -> str:
    match parsed(said, Origin()).body:
        case [ast.Expr(value=ast.Constant(value=str(indent)))]:
            if indent and not indent.strip(" \t"):
                return indent
    raise InputError("the indent is wrong.")


def _with_dummies(term: Term, dummies: Mapping[object, Term]) -> Term:
    """Return the reference with what stands for the arguments of the function."""
    if isinstance(term, Method):
        return Method(_with_dummies(term.of, dummies), term.name)
    if isinstance(term, Applied):
        if term.by_name:
            raise InputError("the line y = names arguments.")
        values = tuple(_with_dummies(value, dummies) for value in term.by_position)
        return Applied(_with_dummies(term.method, dummies), values, {})
    return dummies.get(term.value, term) if isinstance(term.value, str) else term


def _parameters(reference: Term, said: str | None) -> _Parameters:
    """Return the names of the arguments of each call; without a list of them what the dummies tell."""

    def calls(term: Term) -> Iterator[Applied]:
        """Yield the calls of a term in the order in which they are completed."""
        for part in _inner(term):
            yield from calls(part)
        if isinstance(term, Applied):
            yield term

    def name_of(value: Term) -> str | None:
        if not isinstance(value, Leaf) or value.kind != "argument":
            return None
        match = _DUMMY.fullmatch(str(value.value))
        return match[1] if match else None

    found = list(calls(reference))
    if said is None:
        return {id(call): tuple(map(name_of, call.by_position)) for call in found}
    lists = json.loads(said)
    pairs = list(zip(found, lists, strict=True))
    if any(len(names) != len(call.by_position) for call, names in pairs):
        raise InputError("the line parameters does not fit the calls.")
    return {id(call): tuple(map(str, names)) for call, names in pairs}
