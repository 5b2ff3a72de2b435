"""The functions behind the names of tools, how each of them may be run, and their values as JSON."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from types import GeneratorType
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

from pydantic_core import to_jsonable_python as _written

from refract_asp.errors import InputError, UnknownToolError, meant, shown
from refract_asp.formats.values import MAX_DEPTH, Origin, UnreadableError, plain
from refract_asp.pooling import check_travels
from refract_asp.runtime.arguments import Arguments, Taken
from refract_asp.settings import choice, seconds
from refract_asp.settings import function as valid_function

Encoder: TypeAlias = Callable[[Any], Any]
"""Turns a value into one that JSON has, or raises."""
MAX_ITEMS = 100_000
"""Most values that are taken from one generator."""
STEPS = 8
"""Most steps of a path to what is no JSON value that a message shows: a cycle has hundreds."""


class UnusableError(Exception):
    """A function gave what is no JSON value."""


def encoded(value: Any) -> Any:
    """
    Return a value as pydantic writes it to JSON.

    Raises:
        Exception: it cannot be written; or two keys would become the same text, or a generator does not end.

    Example:
        >>> from datetime import date
        >>> encoded({1: {"day": date(2024, 8, 15)}})
        {'1': {'day': '2024-08-15'}}
    """
    return _written(_listed(value, MAX_DEPTH))


def _listed(value: Any, depth: int) -> Any:
    """Return a value with lists for its generators, in which no key would be lost."""
    if depth < 0:
        raise ValueError(f"it is nested deeper than {MAX_DEPTH}")
    if isinstance(value, GeneratorType):
        value = list(islice(value, MAX_ITEMS + 1))
        if len(value) > MAX_ITEMS:
            raise ValueError(f"a generator gives more than {MAX_ITEMS:,} values")
    if type(value) in (list, tuple):
        return [_listed(inner, depth - 1) for inner in value]
    if type(value) is not dict:
        return value
    keys = (key if isinstance(key, str) else next(iter(_written({key: None}))) for key in value)
    inside = (_listed(inner, depth - 1) for inner in value.values())
    found = dict(zip(keys, inside, strict=True))
    if len(found) < len(value):
        raise ValueError("two of its keys are the same text in JSON")
    return found


def json_of(value: Any, encode: Encoder | None = None) -> Any:
    """
    Return a copy of what a function gave as a JSON value; what is none is encoded.

    Args:
        value: what it gave; an object of its own may raise while it is looked at.
        encode: turns what is no JSON value into one; `encoded` by default.

    Raises:
        UnusableError: it is no JSON value afterwards, either.
    """
    try:
        try:
            return plain(value)
        except UnreadableError:
            return plain((encode or encoded)(value))
    except KeyboardInterrupt:
        raise
    except UnreadableError as error:
        if len(error.place) > STEPS:
            error.place[STEPS:] = ["..."]
        reason = str(error.at(Origin()))
    except BaseException as error:  # an object of its own raises what it likes
        reason = f"{type(error).__name__}: {shown(error, 160).rstrip('.')}."
    raise UnusableError(f"what it gave is no JSON value: {reason}") from None


Isolation: TypeAlias = Literal["none", "thread", "process"]


@dataclass(frozen=True)
class Bound:
    """
    A function that a tool's name is bound to, and how it may be run.

    Attributes:
        function: it takes the arguments by name, or all of them as one object; it may be async.
        name: the name of the tool; empty until it is put among others.
        idempotent: whether it may be called again after it failed: calling it twice does what once does.
        timeout: seconds that it may take, or None for what the run allows.
        takes_object: whether it takes one object that holds the arguments.
        isolation: where it runs: an async function in the event loop ("none"), a sync one in a thread of
            its own, either in a thread with a loop of its own ("thread"), or in a process that is ended when
            its time is over ("process"; the function has to be one that pickle finds by its name).
        encode: turns what it gives into JSON values where it is none, see `encoded`; None for what the run has.
    """

    function: Callable[..., Any]
    name: str = ""
    idempotent: bool = False
    timeout: float | None = None
    takes_object: bool = False
    isolation: Isolation = "none"
    encode: Encoder | None = None

    @cached_property
    def taken(self) -> Taken:
        """What the function takes."""
        return Taken(self.function)

    @property
    def is_async(self) -> bool:
        """Whether calling the function gives something to await."""
        function = self.function
        call = getattr(function, "__call__", None)  # noqa: B004 - an object whose call is async
        return any(map(inspect.iscoroutinefunction, (function, call)))

    def fitted(self, arguments: dict[str, Any], positional: tuple[Any, ...] = ()) -> Arguments:
        """
        Return arguments that the function takes, see `Taken`.

        Raises:
            BadArgumentError: it does not take them; `__cause__` is what Python or pydantic reported.
        """
        if self.takes_object:
            return Arguments(arguments, positional)
        return self.taken.read(self.name, arguments, positional)

    def bound(
        self, arguments: Mapping[str, Any], positional: tuple[Any, ...] = ()
    ) -> Callable[[], Any]:
        """Return what calls the function with the arguments, as it takes them."""
        if self.takes_object:
            return partial(self.function, dict(arguments))
        return partial(self.function, *positional, **arguments)


class BindOptions(TypedDict, total=False):
    """Options of `bind`, by name."""

    idempotent: bool
    timeout: float | None
    takes_object: bool
    isolation: Isolation
    encode: Encoder | None


def bind(function: Callable[..., Any], **options: Unpack[BindOptions]) -> Bound:
    """
    Say how a function may be run, see `Bound`.

    Raises:
        InputError: what is given is no function, or says something that there is not; or it is to run in a
            process, and pickle does not find it.

    Example:
        >>> bind(lambda city: f"cloudy in {city}", idempotent=True, timeout=2).idempotent
        True
    """
    if not callable(function):
        what = f"a value of type {shown(type(function).__name__)} cannot be called."
        raise InputError(what, hint="Bind a function.")
    isolation = options.get("isolation", "none")
    choice("isolation", isolation, ("none", "thread", "process"))
    if isolation == "process":
        name = shown(getattr(function, "__qualname__", type(function).__name__))
        hint = 'Put it at the top of a module, or bind it with isolation="thread".'
        check_travels(function, f"the function {name!r}", hint)
        check_travels(options.get("encode"), "encode", hint)
    valid_function("encode", options.get("encode"), "Give a function of a value.")
    limit = seconds(options.get("timeout"), "timeout", zero=False)
    return replace(Bound(function, **options), timeout=limit)


class Tools(Mapping[str, Bound]):
    """
    Functions by the names of the tools that they are.

    Args:
        functions: functions by name, or functions that are named as they are; each plain or `bind(...)`.

    Raises:
        InputError: what is given holds no functions, or two of one name.

    Example:
        >>> def get_weather(city: str) -> str:
        ...     return f"cloudy in {city}"
        >>> sorted(Tools({"weather": get_weather})), sorted(Tools([get_weather]))
        (['weather'], ['get_weather'])
    """

    def __init__(self, functions: Mapping[str, Any] | Iterable[Any] | Tools = ()) -> None:
        """Put the functions under their names."""
        self._bound: dict[str, Bound] = {}
        if isinstance(functions, Mapping):
            pairs = list(functions.items())
        elif not isinstance(functions, str | bytes) and isinstance(functions, Iterable):
            given: Iterable[Any] = functions
            inner = ((each.function if isinstance(each, Bound) else each, each) for each in given)
            pairs = [(getattr(function, "__name__", function), each) for function, each in inner]
        else:
            what = f"tools cannot be a value of type {shown(type(functions).__name__)}."
            hint = 'Give functions by name, as in {"search": search}, or a list of functions.'
            raise InputError(what, hint=hint)
        for name, each in pairs:
            if not isinstance(name, str) or not name:
                what = f"{shown(repr(name))} is no name of a tool."
                raise InputError(what, hint="Give tools by name, each a text.")
            if name in self._bound:
                what = f"two functions are named {shown(name)!r}."
                raise InputError(what, hint="Give one another name.")
            self._bound[name] = replace(each if isinstance(each, Bound) else bind(each), name=name)

    def __getitem__(self, name: str) -> Bound:
        """Return the function of that name."""
        return self._bound[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._bound)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._bound)

    def find(self, name: str) -> Bound:
        """
        Return the function of that name.

        Raises:
            UnknownToolError: there is none; the message lists those that there are.
        """
        found = self._bound.get(name)
        if found is None:
            hint = meant(name, self._bound, "There are", most=5) or "There are: none."
            raise UnknownToolError(f"there is no tool {shown(name, 60)!r}.", tool=name, hint=hint)
        return found
