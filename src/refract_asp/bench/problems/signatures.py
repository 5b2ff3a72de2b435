"""Signatures: calls of library functions on and inside each other, and the function to be written for them."""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

from refract_asp.bench.problems.library import Function, Library, Registry, is_name
from refract_asp.errors import InputError, LimitError, shown
from refract_asp.formats.python import parsed
from refract_asp.formats.values import Origin

__all__ = [
    "Argument",
    "ArgumentOrder",
    "Call",
    "Constant",
    "Key",
    "Open",
    "Outer",
    "Subject",
    "Value",
    "constant_in",
    "outer_of",
    "read_signature",
]

MAX_LENGTH = 10_000
"""Characters of a signature."""
MAX_DEPTH = 50
"""How many calls may stand in, or on, each other."""
MAX_INTEGER_BITS = 13_000
"""Python prints no whole numbers beyond about this size without special leave."""

Constant: TypeAlias = int | float | str | bool | None
"""A value that a signature fixes."""
Key: TypeAlias = tuple[str, str]
"""A function of a registry: the id of its library, and its name."""


@dataclass(frozen=True)
class Subject:
    """An object of a class library, which the outer function is given under the library's name in code."""

    library: Library


@dataclass(frozen=True)
class Open:
    """
    An argument that the outer function is given.

    Attributes:
        argument: its name in the library.
        name: the name that the signature gives it, None where it gives none.
        number: its place among all arguments of all calls, from 0.
    """

    argument: str
    name: str | None
    number: int


@dataclass(frozen=True)
class Argument:
    """A constant that the signature fixes."""

    value: Constant


@dataclass(frozen=True)
class Call:
    """
    A call of a function.

    Attributes:
        library: where the function is from.
        function: the function.
        subject: what it is called on: a call, an object, or None for a function of a module.
        arguments: a value for each of its arguments, in their order.
    """

    library: Library
    function: Function
    subject: Call | Subject | None
    arguments: tuple[Value, ...]

    @property
    def key(self) -> Key:
        """The function, as a key."""
        return self.library.id, self.function.name

    @property
    def parts(self) -> tuple[Value, ...]:
        """What it is called on, and its arguments."""
        return self.arguments if self.subject is None else (self.subject, *self.arguments)

    def calls(self) -> Iterator[Call]:
        """Yield this call and those inside it, in the order in which they are completed."""
        for part in self.parts:
            if isinstance(part, Call):
                yield from part.calls()
        yield self

    def open(self) -> list[Open]:
        """Return the arguments that the outer function is given, in the order of their numbers."""
        return [value for value in self._values() if isinstance(value, Open)]

    def subjects(self) -> list[Subject]:
        """Return the objects that the outer function is given, each as often as it stands there."""
        return [value for value in self._values() if isinstance(value, Subject)]

    def constants(self) -> list[Constant]:
        """Return the values that are fixed."""
        return [value.value for value in self._values() if isinstance(value, Argument)]

    def _values(self) -> Iterator[Value]:
        """Yield what stands in the call and the calls inside it, from left to right."""
        for part in self.parts:
            yield from part._values() if isinstance(part, Call) else (part,)

    def printed(self, name_of: Callable[[Key], str], outer: Callable[[Open], str]) -> str:
        """
        Print the call as Python, all arguments by position.

        Args:
            name_of: what a function is called.
            outer: what stands for an argument that the outer function is given.
        """

        def text(value: Value) -> str:
            if isinstance(value, Call):
                return value.printed(name_of, outer)
            if isinstance(value, Subject):
                return value.library.name
            return outer(value) if isinstance(value, Open) else repr(value.value)

        subject = self.library.name if self.subject is None else text(self.subject)
        return f"{subject}.{name_of(self.key)}({', '.join(map(text, self.arguments))})"


Value: TypeAlias = Call | Subject | Open | Argument


def read_signature(text: str, registry: Registry) -> Call:
    """
    Read a signature.

    An argument may be fixed (`radius=5`), named for the outer function (`radius=r`), the object of a class
    library, or a call; the rest is given to the outer function under the names of the library. Arguments may
    stand by position, too.

    Raises:
        InputError: it is no such expression, or it names a library, function or argument that there is not.

    Example:
        >>> from refract_asp.bench.problems.library import shipped
        >>> call = read_signature("molecule.get_atom_with_atomic_num(55).get_label()", shipped())
        >>> [inner.key for inner in call.calls()]
        [('molecule', 'get_atom_with_atomic_num'), ('atom', 'get_label')]
    """
    reader = _Reader(registry, f"signature {shown(text, 80)!r}")
    if len(text) > MAX_LENGTH:
        what = f"the signature is longer than {MAX_LENGTH:,} characters."
        raise LimitError(what, where=reader.where)
    match parsed(text.strip(), Origin(reader.where)).body:
        case [ast.Expr(value=ast.Call() as call)]:
            return reader.call(call, 1)
    raise reader.error("one call is needed.", _HINT)


def constant_in(node: ast.expr) -> Argument | None:
    """
    Return a constant of a syntax tree: a number with or without a sign, a text, True, False or None.

    Raises:
        InputError: it is a number without an end, too large, or of a kind that has no name here.
    """
    sign = 0
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        sign = -1 if isinstance(node.op, ast.USub) else 1
        node = node.operand
    if not isinstance(node, ast.Constant):
        return None
    value = node.value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if sign and not is_number:
        return None
    if not is_number and not (value is None or isinstance(value, bool | str)):
        raise InputError(f"a value of type {type(value).__name__} cannot be fixed.")
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError("a number without an end cannot be fixed.")
    if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
        raise InputError("the number is too large.")
    fixed: Constant = -value if sign < 0 else value  # type: ignore[operator, assignment]
    return Argument(fixed)


_HINT = 'Write calls such as "image.rotate(degrees=5).blur()".'


class _Reader:
    """Reads one signature; arguments are numbered as they are come upon, from left to right."""

    def __init__(self, registry: Registry, where: str) -> None:
        self.where = where
        self._registry = registry
        self._numbers: Iterator[int] = count()

    def error(self, what: str, hint: str = "") -> InputError:
        """Return an error of the signature."""
        return InputError(what, where=self.where, hint=hint)

    def call(self, node: ast.Call, depth: int) -> Call:
        """Read a call of a method or of a function of a module."""
        if depth > MAX_DEPTH:
            raise LimitError(f"more than {MAX_DEPTH} calls stand in each other.", where=self.where)
        if not isinstance(node.func, ast.Attribute):
            raise self.error("a function of a library is called as library.function(...).", _HINT)
        name, holder = node.func.attr, node.func.value
        subject: Call | Subject | None
        if isinstance(holder, ast.Name):
            if holder.id not in self._registry:
                known = f"Known: {shown(', '.join(self._registry), 300)}."
                raise self.error(f"there is no library {shown(holder.id)!r}.", known)
            library = self._registry[holder.id]
            subject = Subject(library) if library.style == "class" else None
        elif isinstance(holder, ast.Call):
            subject = self.call(holder, depth + 1)
            library = self._returned(subject, name)
        else:
            raise self.error("a function is called on a library or on what a call returns.", _HINT)
        function = library.by_name.get(name)
        if function is None:
            known = shown(", ".join(library.by_name), 300)
            raise self.error(f"{library.id} has no function {shown(name)}.", f"It has {known}.")
        given = self._given(node, f"{library.id}.{name}", function)
        values = [
            self._value(given.get(argument), argument, next(self._numbers), depth)
            for argument in function.args
        ]
        return Call(library, function, subject, tuple(values))

    def _returned(self, subject: Call, method: str) -> Library:
        """
        Return the class that a call returns.

        A type names a library by its id, else by its name in code. Of several the first with the method
        counts.
        """
        known, function = self._registry, subject.function
        found = [
            library
            for kind in function.returns
            for library in ([known[kind]] if kind in known else known.values())
            if library.style == "class" and kind in (library.id, library.name)
        ]
        if not found:
            raise self.error(
                f"{subject.library.id}.{function.name} returns {shown(function.return_type or 'nothing')}, "
                f"which is no class, so {shown(method)} cannot be called on it."
            )
        return next((library for library in found if method in library.by_name), found[0])

    def _given(self, node: ast.Call, what: str, function: Function) -> dict[str, ast.expr]:
        """Return what the signature gives for each argument."""
        takes = f"It takes {shown(', '.join(function.args), 200) or 'nothing'}."
        by_position, takes_count = len(node.args), len(function.args)
        if by_position > takes_count:
            wrong = f"{what} gets {by_position} values by position, it takes {takes_count}."
            raise self.error(wrong, takes)
        given: dict[str, ast.expr] = {}
        for name, value in (
            *zip(function.args, node.args, strict=False),
            *((each.arg, each.value) for each in node.keywords),
        ):
            if name is None or isinstance(value, ast.Starred):
                raise self.error(f"* and ** have no meaning in a signature ({what}).")
            if name not in function.args:
                raise self.error(f"{what} has no argument {shown(name)}.", takes)
            if name in given:
                raise self.error(f"{what} gets {shown(name)} twice.")
            given[name] = value
        return given

    def _value(self, node: ast.expr | None, argument: str, number: int, depth: int) -> Value:
        if node is None:
            return Open(argument, None, number)
        if isinstance(node, ast.Call):
            return self.call(node, depth + 1)
        if isinstance(node, ast.Name):
            library = self._registry.get(node.id)
            if library is not None and library.style == "class":
                return Subject(library)
            if not is_name(node.id):
                raise self.error(f"{shown(node.id)} cannot be the name of an argument.")
            return Open(argument, node.id, number)
        try:
            constant = constant_in(node)
        except InputError as error:
            raise self.error(f"{argument}: {error.what}") from None
        if constant is None:
            what = f"{argument} is neither a value, a name nor a call."
            raise self.error(what, "Operators and lists are not read.")
        return constant


ArgumentOrder: TypeAlias = Sequence[str] | Callable[[list[str]], Sequence[str]]
"""Names in the wanted order, or a function that brings a list of them into it."""

_HEAD = re.compile(r"[ \t]*(\w+)[ \t]*(?:\(([^()\n]*)\))?[ \t]*")


@dataclass(frozen=True)
class Outer:
    """
    The function to be written.

    Attributes:
        name: its name.
        arguments: the names of its arguments, in their order.
        subjects: those of them that are objects, by the order of the signature.
        names: the name of each open argument, by its number in the signature.
        imports: the modules that it needs, in order.
    """

    name: str
    arguments: tuple[str, ...]
    subjects: tuple[str, ...]
    names: dict[int, str]
    imports: tuple[str, ...]

    def head(self) -> str:
        """Return the line that begins the function."""
        return f"def {self.name}({', '.join(self.arguments)}):"


def outer_of(call: Call, func_name: str, arg_order: ArgumentOrder | None = None) -> Outer:
    """
    Return the function to be written for a signature.

    Objects stand first, then the open arguments as the calls take them. A name that two of them would have
    gets numbers (`pixels1`, `pixels2`). `func_name` may say another order, as "f(pixels, image)", or else
    `arg_order`.

    Raises:
        InputError: the names are none of Python, meet, or the order lacks or makes up one.

    Example:
        >>> from refract_asp.bench.problems import read_signature, shipped
        >>> call = read_signature("image.blur().blur(pixels=image.get_width()).blur()", shipped())
        >>> outer_of(call, "blur_thrice(pixels2, image, pixels1)").head()
        'def blur_thrice(pixels2, image, pixels1):'
    """
    name, listed = _header(func_name)
    subjects = tuple(dict.fromkeys(subject.library.name for subject in call.subjects()))
    modules = (inner.library.name for inner in call.calls() if inner.library.style == "import")
    imports = tuple(dict.fromkeys(modules))
    names = _names(call)
    if name in imports:
        what = f"{shown(name)} is the name of the module that the function needs."
        raise InputError(what, where="func_name", hint="Take another name.")
    taken = dict.fromkeys(subjects, "the object")
    for module in imports:
        if module in taken:
            what = f"{shown(module)} is a module and an object at once."
            raise InputError(what, where="signature")
        taken[module] = "the module"
    for each in call.open():
        outside, argument = names[each.number], each.argument
        if outside in taken:
            raise InputError(
                f"two things are named {shown(outside)} outside: {taken[outside]}, and the argument {argument}.",
                where="signature",
                hint=f"Name the argument, as {argument}={outside}_2.",
            )
        taken[outside] = f"the argument {argument}"
    order = _ordered(call, subjects, names, listed, arg_order)
    return Outer(name, tuple(order), subjects, names, imports)


def _header(text: str) -> tuple[str, list[str] | None]:
    """Return the name in "f" or "f(a, b)", and the arguments where there are brackets."""
    found = _HEAD.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if found is not None and is_name(found[1]):
        if found[2] is None and found[1] == text:
            return text, None
        listed = [name.strip() for name in (found[2] or "").split(",")]
        if not listed[-1]:
            listed.pop()
        if found[2] is not None and all(
            n.isidentifier() and not keyword.iskeyword(n) for n in listed
        ):
            return found[1], listed
    raise InputError(
        f"{shown(text)!r} cannot be the name of a function.",
        where="func_name",
        hint="Write f or f(a, b).",
    )


def _names(call: Call) -> dict[int, str]:
    """Return what each open argument is called outside; what two would be called is numbered."""
    often = Counter(open.argument for open in call.open() if open.name is None)
    used: Counter[str] = Counter()
    names: dict[int, str] = {}
    for open in call.open():
        if open.name is None and often[open.argument] > 1:
            used[open.argument] += 1
            names[open.number] = f"{open.argument}{used[open.argument]}"
        else:
            names[open.number] = open.name or open.argument
    return names


def _ordered(
    call: Call,
    subjects: Sequence[str],
    names: dict[int, str],
    listed: list[str] | None,
    arg_order: ArgumentOrder | None,
) -> list[str]:
    """Return the names in the wanted order; what the signature renames may go by its name in the library."""
    natural = [*subjects, *names.values()]
    if listed is not None and arg_order is not None:
        what = "the order of the arguments is said twice, by func_name and by arg_order."
        raise InputError(what, hint="Leave one out.")
    wanted = listed if listed is not None else arg_order
    if wanted is None:
        return natural
    wanted = wanted(list(natural)) if callable(wanted) else wanted
    is_list = isinstance(wanted, Sequence) and not isinstance(wanted, str | bytes)
    if not is_list or not all(isinstance(name, str) for name in wanted):
        raise InputError("a list of names is needed.", where="arg_order", hint=f"Write {natural}.")
    inner = Counter(open.argument for open in call.open())
    outside = {o.argument: names[o.number] for o in call.open() if inner[o.argument] == 1}
    order = [name if name in natural else outside.get(name, name) for name in wanted]
    if not set(order) & set(subjects):
        order = [*subjects, *order]
    if sorted(order) != sorted(natural):
        raise InputError(
            f"the order of the arguments is {shown(', '.join(wanted), 200) or 'empty'}.",
            where="func_name or arg_order",
            hint=f"It needs each of these once: {shown(', '.join(natural), 300) or 'nothing'}.",
        )
    return order
