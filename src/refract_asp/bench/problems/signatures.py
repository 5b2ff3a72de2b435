"""
Synthetic libraries, and signatures: calls of their functions on and inside each other.

A library has functions with names, documentation and types, and no code. The function to be
written follows from a signature.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from refract_asp.errors import InputError, LimitError, placed, shown
from refract_asp.formats.python import parsed
from refract_asp.formats.source import opened
from refract_asp.formats.tool_lists import Function, function_in, head_in
from refract_asp.formats.values import MAX_INTEGER_BITS, Origin
from refract_asp.model.paths import list_of, object_of

# The groups of libraries in the package, each a file, and a catalog of the same name.
SUBJECTS = ("chemistry", "image", "music", "solids")
# How many functions a library may have, and how many characters their names.
MAX_FUNCTIONS = 10_000
MAX_NAME = 200
_SHAPE = 'Write {"id": "solids2", "library_name": "solids", "style": "import", "functions": [...]}.'


def need(is_right: bool, what: str, *, where: str = "", hint: str = "") -> None:
    """
    Check what has to be so.

    Raises:
        InputError: it is not; `what` says what is wrong.
    """
    if not is_right:
        raise InputError(what, where=where, hint=hint)


def is_name(text: str) -> bool:
    """
    Whether a text can be a name in Python that is not its own: no keyword, no two underscores first.

    Python reads some letters as others, as a wide `x` as a plain one; a name is to be as Python reads it.

    Example:
        >>> [is_name(text) for text in ("radius", "2d", "class", "__eq__", "f(x)", "\uff58")]
        [True, False, False, False, False, False]
    """
    is_own = keyword.iskeyword(text) or text.startswith("__")
    is_plain = len(text) <= MAX_NAME and unicodedata.normalize("NFKC", text) == text
    return text.isidentifier() and is_plain and not is_own


@dataclass(frozen=True)
class Library:
    """
    A synthetic library.

    Attributes:
        id: the label by which signatures name it; no two libraries have the same.
        name: its name in code, which several may share, as `solids` of solids2 and solids3.
        style: "import" for functions of a module, "class" for methods of an object.
        functions: what it offers, in order.

    Raises:
        InputError: it is empty, a name is none of Python, or two functions have one.

    Example:
        >>> volume = Function("volume", "Says how large it is.", ("radius",), ("float",))
        >>> solids = Library("solids2", "solids", "import", (volume,))
        >>> load_libraries(solids.as_data()) == (solids,)
        True
    """

    id: str
    name: str
    style: str
    functions: tuple[Function, ...]

    def __post_init__(self) -> None:
        """Refuse what no problem could be made of."""
        with placed(f"library {shown(self.id, 80)}"):
            is_style = self.style in ("import", "class")
            need(is_style, f"the style is import or class, not {shown(self.style)!r}.")
            is_few = 0 < len(self.functions) <= MAX_FUNCTIONS
            need(is_few, f"the library has no function, or more than {MAX_FUNCTIONS:,}.")
            arguments = [argument for function in self.functions for argument in function.args]
            for name in (self.id, self.name, *self.by_name, *arguments):
                need(is_name(name), f"{shown(name)!r} cannot be a name in Python.", hint=_SHAPE)
            is_each_once = len(self.by_name) == len(self.functions)
            need(is_each_once, "two functions have one name.", hint="Rename one of them.")
            for function in self.functions:
                is_each_once = len(set(function.args)) == len(function.args)
                need(is_each_once, f"two arguments of {shown(function.name)} have one name.")

    @cached_property
    def by_name(self) -> dict[str, Function]:
        """The functions by name."""
        return {function.name: function for function in self.functions}

    def as_data(self) -> dict[str, Any]:
        """Return the library as the JSON that `load_libraries` reads."""
        keys = ("function_name", "documentation", "arglist", "return_type")
        rows = ((each.name, each.doc, [*each.args], [*each.returns]) for each in self.functions)
        functions = [dict(zip(keys, row, strict=True)) for row in rows]
        head = {"id": self.id, "library_name": self.name, "style": self.style}
        return {**head, "functions": functions}


# Libraries by id.
Registry: TypeAlias = dict[str, Library]
# The libraries that signatures may name; None for those of the package.
Libraries: TypeAlias = Registry | Iterable[Library] | None


def load_libraries(data: Any, *, id: str = "library", style: str = "import") -> tuple[Library, ...]:
    """
    Read libraries from JSON: a list of them or one, as a `Path`, a text or data.

    A list of functions is one library, whose id and style are given.

    Raises:
        FormatError: a field is missing or not of its type; the message names the place.
        InputError: two libraries have one id, or one is empty or cannot be used.
    """
    content, origin = opened(data, yaml=True)
    rows = list_of(content)
    named = [isinstance(row, dict) and "function_name" in row for row in rows]
    if rows and all(named) and not any("functions" in row for row in rows):
        content = {"id": id, "library_name": id, "style": style, "functions": content}
    is_one = isinstance(content, dict)
    origin.need(is_one or isinstance(content, list), "a list of libraries is needed.", hint=_SHAPE)
    libraries: Registry = {}
    for index, entry in enumerate([content] if is_one else content):
        at = origin if is_one else origin.inside(index)
        listed = object_of(entry).get("functions")
        what = "a library with a list of functions is needed."
        at.need(isinstance(listed, list), what, hint=_SHAPE)
        own, name, own_style = head_in(entry, at)
        places = (at.inside("functions", number) for number in count())
        functions = tuple(map(function_in, listed or (), places))
        with placed(at.at()):
            library = Library(own, name or own, own_style, functions)
        what = f"two libraries have the id {shown(library.id, 80)}."
        at.need(library.id not in libraries, what, "id", hint=_SHAPE)
        libraries[library.id] = library
    return tuple(libraries.values())


def by_id(libraries: Libraries) -> Registry:
    """
    Return libraries by id, the shipped ones for None.

    Raises:
        InputError: there are none, or two have one id.
    """
    if libraries is None:
        return shipped()
    if isinstance(libraries, dict):
        return libraries
    found: Registry = {}
    for library in libraries:
        need(library.id not in found, f"two libraries have the id {shown(library.id, 80)}.")
        found[library.id] = library
    hint = "Give one, or leave libraries out for the shipped ones."
    need(bool(found), "there is no library.", hint=hint)
    return found


@cache
def shipped() -> Registry:
    """Return the libraries of the package: image, chemistry, music and solids."""
    files = (Path(__file__).resolve().parent / "shipped" / f"{name}.json" for name in SUBJECTS)
    return by_id(library for file in files for library in load_libraries(file))


# Characters of a signature.
MAX_LENGTH = 10_000
# How many calls may stand in, or on, each other.
MAX_DEPTH = 50

# Names in the wanted order, or a function that brings a list of them into it.
ArgumentOrder: TypeAlias = Sequence[str] | Callable[[list[str]], Sequence[str]]
# A function of a registry: the id of its library, and its name.
Key: TypeAlias = tuple[str, str]


class Subject(NamedTuple):
    """An object of a class library, which the outer function is given under the library's name in code."""

    library: Library


class Open(NamedTuple):
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


class Argument(NamedTuple):
    """A constant that the signature fixes."""

    value: int | float | str | bool | None


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

    def values(self) -> Iterator[Value]:
        """Yield all parts of the call, from left to right, and this call itself when it is completed."""
        for part in self.arguments if self.subject is None else (self.subject, *self.arguments):
            if isinstance(part, Call):
                yield from part.values()
            else:
                yield part
        yield self

    def calls(self) -> list[Call]:
        """Return this call and those inside it, in the order in which they are completed."""
        return [value for value in self.values() if isinstance(value, Call)]

    def open(self) -> list[Open]:
        """Return the arguments that the outer function is given, in the order of their numbers."""
        return [value for value in self.values() if isinstance(value, Open)]

    def outer_names(self) -> dict[int, str]:
        """Return what the open arguments are called outside, by their numbers; like ones are numbered."""
        often = Counter(each.argument for each in self.open() if each.name is None)
        numbers: dict[str, Iterator[int]] = defaultdict(lambda: count(1))
        names: dict[int, str] = {}
        for each in self.open():
            is_one_of_some = each.name is None and often[each.argument] > 1
            number = next(numbers[each.argument]) if is_one_of_some else ""
            names[each.number] = f"{each.name or each.argument}{number}"
        return names

    def printed(self, name_of: Callable[[Key], str], outer: Callable[[Open], str]) -> str:
        """
        Print the call as Python, all arguments by position.

        Args:
            name_of: what a function is called.
            outer: returns the text for an argument that the outer function is given.
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


def constant_in(node: ast.expr, refused: Callable[[str], Exception]) -> Argument | None:
    """
    Return a constant of a syntax tree: a number with or without a sign, a text, True, False or None.

    A number without an end, or one that is too large, is refused by the error that `refused` makes.
    """
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        raise refused("a number without an end cannot be fixed.")
    if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
        raise refused("the number is too large.")
    return Argument(value) if isinstance(value, int | float | str | None) else None


def read_signature(text: str, registry: Registry) -> Call:
    """
    Read a signature.

    An argument may be fixed (`radius=5`), named for the outer function (`radius=r`), the object of a class
    library, or a call; the rest is given to the outer function under the names of the library. Arguments may
    stand by position, too.

    Raises:
        InputError: it is no such expression, or it names a library, function or argument that there is not.

    Example:
        >>> from refract_asp.bench.problems.signatures import shipped
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


_HINT = 'Write calls such as "image.rotate(degrees=5).blur()".'


class _Reader:
    """Reads one signature; arguments are numbered from left to right."""

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
        subject: Call | Subject | None
        match node.func:
            case ast.Attribute(value=ast.Name(id=id), attr=name):
                if id not in self._registry:
                    known = f"Known: {shown(', '.join(self._registry), 300)}."
                    raise self.error(f"there is no library {shown(id)!r}.", known)
                library = self._registry[id]
                subject = Subject(library) if library.style == "class" else None
            case ast.Attribute(value=ast.Call() as inner, attr=name):
                subject = self.call(inner, depth + 1)
                library = self._returned(subject, name)
            case _:
                raise self.error("a call is of a library, or of what another call returns.", _HINT)
        function = library.by_name.get(name)
        if function is None:
            known = shown(", ".join(library.by_name), 300)
            raise self.error(f"{library.id} has no function {shown(name)}.", f"It has {known}.")
        what, names = f"{library.id}.{name}", function.args
        takes = f"It takes {shown(', '.join(names), 200) or 'nothing'}."
        if len(node.args) > len(names):
            raise self.error(f"{what} gets {len(node.args)} values by position.", takes)
        given = dict(zip(names, node.args, strict=False))
        for each in node.keywords:
            if each.arg not in names:
                raise self.error(f"{what} has no argument {shown(each.arg or '**')}.", takes)
            if given.setdefault(each.arg, each.value) is not each.value:
                raise self.error(f"{what} gets {shown(each.arg)} twice.")
        values = (self._value(given.get(name), name, depth) for name in names)
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
            returned = shown(" | ".join(function.returns) or "nothing")
            what = f"{subject.library.id}.{function.name} returns {returned}, which is no class"
            raise self.error(f"{what}, so {shown(method)} cannot be called on it.")
        return next((library for library in found if method in library.by_name), found[0])

    def _value(self, node: ast.expr | None, argument: str, depth: int) -> Value:
        number = next(self._numbers)
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
        constant = constant_in(node, lambda what: self.error(f"{argument}: {what}"))
        if constant is None:
            what = f"{argument} is neither a value, a name nor a call."
            raise self.error(what, "Operators and lists are not read.")
        return constant


_HEAD = re.compile(r"(\w+)[ \t]*(?:\(([^()\n]*)\))?[ \t]*")


class Outer(NamedTuple):
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
    head, order = _HEAD.fullmatch(func_name), arg_order
    if head is None or not is_name(head[1]):
        what = f"{shown(func_name)!r} cannot be the name of a function."
        raise InputError(what, where="func_name", hint="Write f or f(a, b).")
    if head[2] is not None:
        what = "the order of the arguments is said twice, by func_name and by arg_order."
        need(order is None, what, hint="Leave one out.")
        order = [name.strip() for name in head[2].split(",") if name.strip()]
    objects = (value.library.name for value in call.values() if isinstance(value, Subject))
    subjects = tuple(dict.fromkeys(objects))
    modules = (inner.library.name for inner in call.calls() if inner.library.style == "import")
    imports = tuple(dict.fromkeys(modules))
    names = call.outer_names()
    natural = [*subjects, *names.values()]
    twice = [each for each, times in Counter([*imports, *natural]).items() if times > 1]
    twice += [head[1]] if head[1] in imports else []
    what = f"two things are named {shown(twice[0])} outside." if twice else ""
    hint = "Name arguments in the signature, as radius=radius_2."
    need(not twice, what, where="signature or func_name", hint=hint)
    # what the signature renames may go by its name in the library
    inner = Counter(open.argument for open in call.open())
    outside = {o.argument: names[o.number] for o in call.open() if inner[o.argument] == 1}
    arguments = natural if order is None else _ordered(natural, outside, order)
    return Outer(head[1], tuple(arguments), subjects, names, imports)


def _ordered(natural: list[str], outside: dict[str, str], order: ArgumentOrder) -> list[str]:
    """Return the names of arguments in the wanted order."""
    wanted = list(order(list(natural)) if callable(order) else order)
    found = [name if name in natural else outside.get(name, name) for name in wanted]
    what = f"the order of the arguments is {shown(', '.join(map(str, wanted)), 200) or 'empty'}."
    hint = f"It needs each of these once: {shown(', '.join(natural), 300) or 'nothing'}."
    need(sorted(found) == sorted(natural), what, where="func_name or arg_order", hint=hint)
    return found
