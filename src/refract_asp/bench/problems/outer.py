"""The function to be written: its name, what its arguments are called, and in which order they stand."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from refract_asp.bench.problems.expressions import Call, Open
from refract_asp.bench.problems.library import is_name
from refract_asp.errors import InputError, shown
from refract_asp.formats.origin import Origin
from refract_asp.formats.python_syntax import parsed

__all__ = ["ArgumentOrder", "Outer", "outer_of"]

ArgumentOrder: TypeAlias = Sequence[str] | Callable[[list[str]], Sequence[str]]
"""Names in the wanted order, or a function that brings a list of them into it."""


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
        raise InputError(
            f"{shown(name)} is the name of the module that the function needs.",
            where="func_name",
            hint="Take another name.",
        )
    _all_differ(subjects, imports, names, {open.number: open for open in call.open()})
    natural = [*subjects, *names.values()]
    if listed is not None and arg_order is not None:
        raise InputError(
            "the order of the arguments is said twice, by func_name and by arg_order.", hint="Leave one out."
        )
    wanted = listed if listed is not None else _wanted(arg_order, natural)
    order = natural if wanted is None else _ordered(wanted, natural, subjects, call, names)
    return Outer(name, tuple(order), subjects, names, imports)


def _header(text: str) -> tuple[str, list[str] | None]:
    """Return the name in "f" or "f(a, b)", and the arguments where there are brackets."""
    if is_name(text):
        return text, None
    wrong = InputError(
        f"{shown(text)!r} cannot be the name of a function.", where="func_name", hint="Write f or f(a, b)."
    )
    if len(text) > 10_000 or "\n" in text or "#" in text:
        raise wrong
    try:
        body = parsed(f"def {text}: pass", Origin("func_name")).body
    except InputError:
        raise wrong from None
    found = body[0] if len(body) == 1 else None
    if not isinstance(found, ast.FunctionDef) or not is_name(found.name) or found.returns is not None:
        raise wrong
    given = found.args
    if given.posonlyargs or given.vararg or given.kwonlyargs or given.kwarg or given.defaults:
        raise wrong
    if any(argument.annotation is not None for argument in given.args):
        raise wrong
    return found.name, [argument.arg for argument in given.args]


def _names(call: Call) -> dict[int, str]:
    """Return what each open argument is called outside; what two would be called is numbered."""
    opened = list(call.open())
    often = Counter(open.argument for open in opened if open.name is None)
    used: Counter[str] = Counter()
    names: dict[int, str] = {}
    for open in opened:
        if open.name is not None:
            names[open.number] = open.name
        elif often[open.argument] == 1:
            names[open.number] = open.argument
        else:
            used[open.argument] += 1
            names[open.number] = f"{open.argument}{used[open.argument]}"
    return names


def _all_differ(
    subjects: Sequence[str], imports: Sequence[str], names: dict[int, str], opened: dict[int, Open]
) -> None:
    taken = dict.fromkeys(subjects, "the object")
    for module in imports:
        if module in taken:
            raise InputError(f"{shown(module)} is a module and an object at once.", where="signature")
        taken[module] = "the module"
    for number, name in names.items():
        if name in taken:
            argument = opened[number].argument
            raise InputError(
                f"two things are named {shown(name)} outside: {taken[name]}, and the argument {argument}.",
                where="signature",
                hint=f"Name the argument, as {argument}={name}_2.",
            )
        taken[name] = f"the argument {opened[number].argument}"


def _wanted(arg_order: ArgumentOrder | None, natural: list[str]) -> list[str] | None:
    wanted = arg_order(list(natural)) if callable(arg_order) else arg_order
    if wanted is None and not callable(arg_order):
        return None
    is_list = isinstance(wanted, Sequence) and not isinstance(wanted, str | bytes)
    if not is_list or not all(isinstance(name, str) for name in wanted or ()):
        raise InputError("a list of names is needed.", where="arg_order", hint=f"Write {natural}.")
    return list(wanted or ())


def _ordered(
    wanted: list[str], natural: list[str], subjects: Sequence[str], call: Call, names: dict[int, str]
) -> list[str]:
    """Return the names in the wanted order; what the signature renames may go by its name in the library."""
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
