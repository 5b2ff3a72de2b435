"""
Grades answers without running them.

An answer is as good as the target when it makes the same calls on the same things with the same arguments,
by position or by name. Values that are named first count as if they stood where they are used; a call whose
result is not used makes an answer wrong; 5, 5.0, "5" and True are four values.

The code, or the calls, are found in what a model writes:

    return image.blur(5)                      goes on where the prompt ends
    ```python ... ```                         a block of code in a chat message, with prose around it
    def blur(image): ...                      the whole function, alone or in such a block
    [{"name": "image.blur", ...}]             calls of tools, in any format
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeGuard, overload

from refract_asp.bench.problems.signatures import constant_in, need
from refract_asp.errors import InputError, shown
from refract_asp.formats import load_sequence
from refract_asp.formats.model_dialects import without_thinking
from refract_asp.formats.python import parsed
from refract_asp.formats.values import Origin
from refract_asp.model import Constant, Reference, Sequence, Source
from refract_asp.model.paths import without
from refract_asp.runtime.arguments import Arguments

_BLANK = re.compile(r"\n(?:[ \t]*(?:\n|\Z))+")
_RETURN = re.compile(r"^[ \t]*return\b", re.M)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.M | re.S)
_OUTSIDE = "there is code outside the function."


def cut(sample: str, end_token: str = "[END]", margin: str = "    ") -> str:
    """
    Return what of a sample counts as the answer: up to the end token, and up to a blank line.

    It is the first blank line that stands below a `return`, or that no indented line follows. Blank lines
    before the answer are passed over, and with them the indent that a prompt ends with.

    Example:
        >>> cut("return image.blur(5)\\n[END]\\n\\nWrite a function that")
        'return image.blur(5)'
    """
    text = sample.replace("\r\n", "\n")
    if end_token:
        text = text.split(end_token, 1)[0]
    begun = re.sub(r"\A(?:[ \t]*\n)+", "", text)
    if begun != text:
        begun = begun.removeprefix(margin)
    start = 0
    for blank in _BLANK.finditer(begun):
        goes_on = begun.startswith((" ", "\t"), blank.end())
        if not goes_on or _RETURN.search(begun, start, blank.start()):
            return begun[: blank.start()].rstrip()
        start = blank.end()
    return begun.rstrip()


class Found(NamedTuple):
    """The statements of the function, or data that may hold calls; and how the answer was read."""

    body: list[ast.stmt]
    calls: Any = None
    note: str = ""


def found_in(sample: Any, test: Test, *, relaxed: bool, ends: tuple[str, str] | None) -> Found:
    """
    Return what a model answered.

    Args:
        sample: a text, or calls of tools as data.
        test: the test of the problem.
        relaxed: whether more is read than what goes on where the prompt ends.
        ends: the token at which the answer ends, and the indent of the prompt, see `cut`; None to cut nothing.

    Raises:
        InputError: there is no code of this function alone.
    """
    if not isinstance(sample, str):
        need(relaxed, "a text is needed.")
        return Found([], sample, "calls of tools")
    name = test.head[len("def ") : test.head.index("(")]
    begins = re.compile(rf"^[ \t]*def[ \t]+{name}[ \t]*\(", re.M)
    text, note = sample, ""
    if relaxed:
        text = without_thinking(sample.replace("\r\n", "\n"))
        text = text.split(ends[0], 1)[0] if ends and ends[0] else text
        blocks = [match[2] for match in _FENCE.finditer(text)]
        wholes = [each for each in blocks if begins.search(each)]
        # with the function, else with a `return`, else all
        if chosen := wholes or [each for each in blocks if _RETURN.search(each)] or blocks:
            need(len(set(chosen)) == 1, f"there are {len(chosen)} blocks of code, one is needed.")
            text, note = textwrap.dedent(chosen[0]).strip("\n"), "a block of code"
        if text.lstrip()[:1] in ("[", "{") or text.lstrip().startswith("<tool_call>"):
            return Found([], text, "calls of tools")
        if begun := begins.search(text):
            whole = f"the whole function{' in ' if note else ''}{note}"
            start = None if note else begun.start()
            return Found(_of_function(text, start, name, test), None, whole)
    code = text if note else cut(sample, *ends) if ends else sample
    return Found(_of_body(code, test, is_block=bool(note)), None, note)


def _of_body(code: str, test: Test, *, is_block: bool) -> list[ast.stmt]:
    """Return the statements that go on below the head; a block of code may import the libraries."""
    need(bool(code.strip()), "there is no answer.")
    lines = code.split("\n")
    if is_block and not any(line.startswith((" ", "\t")) for line in lines[1:]):
        code = f"\n{test.indent}".join(lines)
    function, *others = parsed(code, Origin("answer"), before=f"{test.head}\n{test.indent}").body
    need(not others and isinstance(function, ast.FunctionDef), _OUTSIDE)
    body = list(getattr(function, "body", ()))
    while body and _is_import(body[0], test.modules if is_block else ()):
        del body[0]
    return body


_BEGINNINGS = ("def ", "class ", "if ", "for ", "while ", "with ", "@", "async ")


def _is_code(line: str) -> bool:
    """Whether a line is Python; a word, or a text alone, is prose."""
    try:
        tree = parsed(line.strip(), Origin("answer")).body
    except InputError:
        return line.lstrip().startswith(_BEGINNINGS)
    return not all(
        isinstance(each, ast.Expr) and isinstance(each.value, ast.Name | ast.Constant | ast.Tuple)
        for each in tree
    )


def _is_import(statement: ast.stmt, libraries: Collection[str]) -> bool:
    return isinstance(statement, ast.Import) and all(
        each.name in libraries and each.asname is None for each in statement.names
    )


def _of_function(text: str, start: int | None, name: str, test: Test) -> list[ast.stmt]:
    """
    Return the statements of a function that is written as a whole, with nothing around it that matters.

    It begins at `start` of a text, where lines before and below it may be prose; None where all is code.
    """
    if start is not None:
        above, below = text[:start].split("\n"), text[start:].split("\n")
        ends = (n for n, line in enumerate(below) if n and line.strip() and line[0] not in " \t)#")
        end = next(ends, len(below))
        text = "\n".join([*filter(_is_code, above), *below[:end], *filter(_is_code, below[end:])])
    wanted = test.known.keys() - test.modules
    function: ast.FunctionDef | None = None
    for each in parsed(text, Origin("answer")).body:
        is_shown = isinstance(each, ast.Expr) and function is not None  # an example of its use
        is_text = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
        if isinstance(each, ast.FunctionDef) and each.name == name and function is None:
            function = each
        elif not is_shown and not is_text and not _is_import(each, test.modules):
            raise InputError(_OUTSIDE)
    if function is None:
        raise InputError(f"there is no function {name}.")
    given = function.args
    odd = (given.vararg, given.kwarg, *given.posonlyargs, *given.defaults, *function.decorator_list)
    names = [argument.arg for argument in (*given.args, *given.kwonlyargs)]
    is_same = set(names) == wanted and len(names) == len(wanted) and not any(given.kw_defaults)
    need(is_same and not any(odd), f"the function is not {test.head.removesuffix(':')}.")
    return function.body


# Whether an answer passes, and the reason where it does not.
Grade: TypeAlias = tuple[bool, str | None]

# Characters of a test.
MAX_TEST = 200_000
# Characters of an answer.
MAX_LENGTH = 50_000
# How deep expressions may lie in each other.
MAX_DEPTH = 120


@dataclass(frozen=True, eq=False)
class Term:
    """
    What an expression comes to.

    Attributes:
        kind: "constant"; "argument" of the function that was to be written; "root", a library or an object of
            one; "attribute" of something; or "call".
        text: its name in messages, cut where it is long.
        value: what distinguishes it from others of its kind: a constant itself, the text for an argument
            in the test, the name of a root or an attribute.
        parts: what it is an attribute of; what is called, and the arguments by position.
        named: the arguments by name.
    """

    kind: str
    text: str
    value: object = None
    parts: tuple[Term, ...] = ()
    named: dict[str, Term] = field(default_factory=dict)

    @classmethod
    def of_call(cls, method: Term, values: SequenceOf[Term], named: dict[str, Term]) -> Term:
        """Return a call of a method with values by position and by name."""
        texts = [each.text for each in values]
        texts += [f"{name}={each.text}" for name, each in named.items()]
        text = shown(f"{method.text}({', '.join(texts)})", 200)
        return cls("call", text, None, (method, *values), named)

    def attribute(self, name: str) -> Term:
        """Return what it has under a name."""
        return Term("attribute", shown(f"{self.text}.{name}", 200), name, (self,))


def _unread(node: ast.AST) -> InputError:
    """Return the error for a part of an answer that is not read."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__).lower()
    return InputError(f"{words} is not read.")


@dataclass
class _Reader:
    """
    Evaluates expressions to terms.

    Attributes:
        known: the names that can be read.
        own: the names that get a value in the function, besides its arguments.
        dummies: the terms that texts of the test replace.
        calls: the calls that were made, in the order in which they were completed.
    """

    known: dict[str, Term]
    own: Collection[str] = ()
    dummies: Mapping[str, Term] = field(default_factory=dict)
    calls: list[Term] = field(default_factory=list)

    def returned(self, body: list[ast.stmt]) -> Term:
        """
        Return what the body of a function returns.

        Statements may name a value or return it. What stands below the return is not evaluated. It is read,
        though: a `yield` there, or a new value for a library, changes what the function does.
        """
        result: Term | None = None
        for statement in body:
            value, target = getattr(statement, "value", None), None
            match statement:
                case (
                    ast.Assign(targets=[ast.Name(id=name)])
                    | ast.AnnAssign(target=ast.Name(id=name))
                ):
                    target = _checked(name)
                    _check_inert(getattr(statement, "annotation", ast.Pass()))
                case ast.Assign() | ast.AnnAssign():
                    raise InputError("only a single name can be assigned to.")
                case ast.Return() | ast.Pass() | ast.Expr():
                    pass
                case _:
                    raise _unread(statement)
            if result is not None:
                _check_inert(statement)
            elif isinstance(statement, ast.Return) and value is None:
                break
            elif value is not None:
                term = self.value(value)
                if isinstance(statement, ast.Return):
                    result = term
                elif target is not None:
                    self.known[target] = term
        if result is None:
            raise InputError("nothing is returned.")
        return result

    def value(self, node: ast.expr, depth: int = 1) -> Term:
        """Return the value of an expression."""
        need(depth <= MAX_DEPTH, "the answer is nested too deep.")
        match node:
            case ast.Name(id=name) if name in self.known:
                return self.known[name]
            case ast.Name(id=name):
                if _checked(name) in self.own:
                    raise InputError(f"{shown(name)} is read before it gets a value.")
                raise InputError(f"there is nothing named {shown(name)}.")
            case ast.Attribute(value=value, attr=name):
                return self.value(value, depth + 1).attribute(_checked(name))
            case ast.Call():
                method = self.value(node.func, depth + 1)
                need(method.kind == "attribute", f"{method.text} cannot be called.")
                values = tuple(self.value(argument, depth + 1) for argument in node.args)
                named: dict[str, Term] = {}
                for each in node.keywords:
                    if each.arg is None or each.arg in named:
                        raise InputError(f"{shown(each.arg or '**')} is given twice, or not read.")
                    named[each.arg] = self.value(each.value, depth + 1)
                self.calls.append(Term.of_call(method, values, named))
                return self.calls[-1]
        constant = constant_in(node, InputError)
        if constant is None:
            raise _unread(node)
        found = Term("constant", shown(repr(constant.value), 60), constant.value)
        return self.dummies.get(constant.value, found) if isinstance(constant.value, str) else found


def _check_inert(tree: ast.AST) -> None:
    """Refuse what changes a function even where it is never evaluated."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.NamedExpr):
            raise _unread(node)


def _checked(name: str) -> str:
    """Return a name that may be read."""
    if name.startswith("__"):
        raise InputError(f"names such as {shown(name)} are not read.")
    return name


# -- grading ---------------------------------------------------------------------------


Sample: TypeAlias = str | Mapping[str, Any] | Sequence
"""An answer: a text, a message with calls of tools, or the calls themselves."""


@overload
def execute(sample: Sample, test: str, *, relaxed: bool = True) -> Grade: ...
@overload
def execute(
    sample: list[Any] | tuple[Any, ...], test: str, *, relaxed: bool = True
) -> list[Grade]: ...
def execute(
    sample: Sample | list[Any] | tuple[Any, ...], test: str, *, relaxed: bool = True
) -> Grade | list[Grade]:
    """
    Say whether an answer to a problem passes its test, and if not, why. Nothing of it is run.

    Args:
        sample: an answer, or several.
        test: the test of the problem.
        relaxed: whether chat messages, whole functions and calls of tools are read, and not only what goes on
            where the prompt ends.

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
    if is_one(sample):
        return graded(sample, read, relaxed=relaxed)[:2]
    need(is_samples(sample), "a text or a list of texts is needed as the answer.")
    return [graded(each, read, relaxed=relaxed)[:2] for each in sample]


def is_one(sample: object) -> TypeGuard[Sample]:
    """Whether this is an answer, and not a list of some."""
    return isinstance(sample, str | Mapping | Sequence)


def is_samples(samples: object) -> bool:
    """Whether these are several answers."""
    kinds = (str, Mapping, list, tuple, Sequence)
    return isinstance(samples, list | tuple) and all(isinstance(each, kinds) for each in samples)


@dataclass(frozen=True)
class Test:
    """
    A test, as it was read.

    Attributes:
        head: the line that begins the function.
        indent: what each of its lines begins with.
        known: the terms that the names of an answer mean.
        reference: what is to be computed.
        names: what the arguments of a call of the reference are called, by the id of the term; None where
            they are unknown.
        modules: the libraries that are imported, and given as no argument.
    """

    __test__ = False

    head: str
    indent: str
    known: dict[str, Term]
    reference: Term
    names: dict[int, tuple[str | None, ...]]
    modules: frozenset[str]


def graded(
    sample: Any, test: Test, *, relaxed: bool = True, ends: tuple[str, str] | None = None
) -> tuple[bool, str | None, str]:
    """Say whether an answer passes a test that was read, why not, and how the answer was read."""
    note = ""
    try:
        if isinstance(sample, str):
            what = f"the answer is longer than {MAX_LENGTH:,} characters."
            need(len(sample) <= MAX_LENGTH, what)
        found = found_in(sample, test, relaxed=relaxed, ends=ends)
        note = found.note
        result = _result(found.body, test) if found.calls is None else _called(found.calls, test)
        difference = _difference(result, test.reference, test)
    except InputError as error:
        difference = str(error).removesuffix(".")
    return difference is None, difference, note


def _result(body: list[ast.stmt], test: Test) -> Term:
    """Return what the body of the function computes."""
    given = test.known.keys() - test.modules
    own: set[str] = set()
    for line in body:
        targets = (*getattr(line, "targets", ()), getattr(line, "target", None))
        own |= {target.id for target in targets if isinstance(target, ast.Name)} - given
    # A library whose name gets a value in the function is a name of the function from the start.
    reader = _Reader(without(test.known, own), own)
    return _used(reader.returned(body), reader.calls)


def _called(data: Any, test: Test) -> Term:
    """Return what calls of tools come to: a method is called on its argument of the name of the library."""
    sequence = load_sequence(data)
    need(bool(sequence.calls), "there is no call.")
    labels, calls = dict[str | None, Term](), list[Term]()
    methods = {str(each.value) for each in _within(test.reference) if each.kind == "attribute"}

    def term(source: Source) -> Term:
        if isinstance(source, Reference) and not source.path:
            if found := labels.get(source.label) or test.known.get(source.label):
                return found
            raise InputError(f"there is nothing named {shown(source.label)}.")
        value = getattr(source, "value", ())
        if isinstance(source, Constant) and isinstance(value, str | int | float | None):
            return Term("constant", shown(repr(value), 60), value)
        raise InputError("an argument is a value, or a reference to a call or to what is given.")

    for call in sequence.calls:
        need(call.malformed is None, str(call.malformed))
        library, _, name = call.name.rpartition(".")
        if not library:  # providers take no dots
            name = max((each for each in methods if name.endswith(f"_{each}")), key=len, default="")
            library = call.name.removesuffix(f"_{name}")
        values = Arguments.of({key: term(each) for key, each in call.arguments.items()})
        named, places = dict(values.named), list(values.positional)
        if library in test.modules:
            of = test.known[library]
        else:
            need(library in named or bool(places), f"{shown(call.name)} is called on nothing.")
            of = named.pop(library) if library in named else places.pop(0)
        calls.append(Term.of_call(of.attribute(name), places, named))
        labels[call.label] = calls[-1]
    returned = list((sequence.returns or {}).values())
    need(len(returned) < 2, "one value is to be returned.")
    return _used(term(returned[0]) if returned else calls[-1], calls)


def _within(term: Term) -> Iterator[Term]:
    """Yield a term and what it is made of, each once."""
    seen: set[int] = set()
    left = [term]
    while left:
        each = left.pop()
        if id(each) not in seen:
            seen.add(id(each))
            left += (*each.parts, *each.named.values())
            yield each


def _used(result: Term, calls: list[Term]) -> Term:
    """Return a result; refuse an answer with a call whose result is not used."""
    used = set(map(id, _within(result)))
    for call in calls:
        need(id(call) in used, f"the result of {call.text} is not used.")
    return result


def _difference(given: Term, wanted: Term, test: Test) -> str | None:
    """Return how a term differs from the wanted one, by the first place where it does."""
    kinds = [(each.kind, type(each.value), repr(each.value)) for each in (given, wanted)]
    if kinds[0] != kinds[1]:
        used = "called" if wanted.kind == given.kind == "attribute" else "given"
        return f"{given.text} is {used}, {wanted.text} is wanted"
    other = _difference(given.parts[0], wanted.parts[0], test) if wanted.parts else None
    if other is not None or wanted.kind != "call":
        return other
    what, names = wanted.parts[0].text, test.names[id(wanted)]
    count = len(given.parts) - 1 + len(given.named)
    if count != len(names):
        return f"{what} gets {count} of {len(names)} arguments"
    values = dict(enumerate(given.parts[1:]))
    nameless = [place for place in range(len(values), len(names)) if names[place] is None]
    for name, value in given.named.items():
        if name not in names and len(nameless) != 1:
            takes = ", ".join(each or "what the test does not name" for each in names)
            return f"{what} has no argument {shown(name)}: it takes {takes}"
        place = names.index(name) if name in names else nameless[0]
        if values.setdefault(place, value) is not value:
            return f"{what} gets {shown(name)} twice"
    for place, reference in enumerate(wanted.parts[1:]):
        if _difference(values[place], reference, test) is not None:
            said = names[place] or f"argument {place + 1}"
            return f"{said} of {what} is {values[place].text}, {reference.text} is wanted"
    return None


# -- tests as they are written -----------------------------------------------------------

_DUMMY = re.compile(r"dummy_(\w+)_\d+_*", re.ASCII)


def read_test(test: str) -> Test:
    """
    Read a test.

    Raises:
        InputError: it is not of the shape that `get_example` writes.
    """
    try:
        need(len(test) <= MAX_TEST, "it is too long.")
        return _read(test)
    except InputError as error:
        reason = str(error)
    except (LookupError, ValueError, TypeError, RecursionError):
        reason = "its lines are not those that get_example writes."
    hint = "Give the test of a problem, as get_example returns it."
    raise InputError(f"this is no test of a problem: {reason}", hint=hint)


def _read(test: str) -> Test:
    notes = dict(re.findall(r"^# (signature|indent|parameters) = (.*)$", test, re.M))
    head = re.fullmatch(r"def \w+\(([\w, ]*)\):", notes["signature"])
    indent = notes.get("indent", "'    '").strip("'").replace("\\t", "\t")
    *libraries, x, y = (
        (statement.targets[0].id, statement.value)  # a library, too, may be named x or y
        for statement in parsed(test, Origin()).body
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    )
    known: dict[str, Term] = {}
    for name, value in libraries:
        need(ast.unparse(value) == "Dummy()", f"the line {name} = is wrong.")
        known[name] = Term("root", name, name)
    is_blank = bool(indent) and not indent.strip(" \t")
    if head is None or not is_blank or not isinstance(x[1], ast.Call) or x[1].args:
        raise InputError("the line signature, indent or x = is wrong.")
    dummies: dict[str, Term] = {}
    given: dict[str, Term] = {}
    for each in x[1].keywords:
        name = str(each.arg)
        match each.value:
            case ast.Constant(value=str(dummy)):
                dummies[dummy] = given[name] = Term("argument", name, dummy)
            case ast.Name(id=root):
                given[name] = known[root]
            case _:
                raise InputError("the line x = is wrong.")
    taken = sorted(filter(None, head[1].split(", ")))
    need(sorted(given) == taken, "the line x = does not give what the function takes.")
    reader = _Reader(dict(known), dummies=dummies)
    reference = reader.value(y[1])
    names = _names_in(reader.calls, notes.get("parameters"))
    modules = frozenset(known.keys() - given.keys())
    return Test(notes["signature"], indent, {**known, **given}, reference, names, modules)


def _names_in(calls: list[Term], told: str | None) -> dict[int, tuple[str | None, ...]]:
    """Return what the arguments of each call are called: the names of the test, else those in their dummies."""
    found = [[_DUMMY.fullmatch(str(value.value)) for value in call.parts[1:]] for call in calls]
    lists = [[match and match[1] for match in each] for each in found]
    if told is not None:
        lists = json.loads(told)
    names: dict[int, tuple[str | None, ...]] = {}
    for call, each in zip(calls, lists, strict=True):
        names[id(call)] = tuple(name if name is None else str(name) for name in each)
        fits = not call.named and len(each) + 1 == len(call.parts)
        need(fits, "the line parameters does not fit the calls.")
    return names
