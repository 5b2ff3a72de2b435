"""
Templates of prompts: where they are found, and rendering them within bounds.

Templates are rendered in jinja2's sandbox. What they are given is data; nothing of it is ever a template.
Beyond what the sandbox refuses, a template may take no more than `MAX_STEPS` steps (turns of loops, calls,
outputs), and no text in it may be longer than `MAX_TEXT` characters.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from traceback import extract_tb
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateSyntaxError, nodes, pass_environment
from jinja2 import TemplateError as JinjaError
from jinja2.exceptions import SecurityError, TemplateNotFound
from jinja2.loaders import split_template_path
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from refract_asp.errors import PromptTemplateError, shown

__all__ = ["MAX_STEPS", "MAX_TEXT", "SHIPPED", "rendered"]

SHIPPED = Path(__file__).resolve().parent / "templates"
"""The folder of the templates that are shipped."""
MAX_STEPS = 200_000
MAX_TEXT = 2_000_000
MAX_FILE = 100_000
"""Characters of a template."""
FILTERS = (
    "abs", "capitalize", "count", "default", "dictsort", "first", "int", "items", "last", "length", "list",
    "lower", "map", "max", "min", "reject", "rejectattr", "reverse", "round", "select", "selectattr", "sort",
    "string", "sum", "title", "trim", "truncate", "unique", "upper",
)  # fmt: skip
"""The filters of jinja2 that there are; `_OWN_FILTERS` are ours."""
METHODS = frozenset({"endswith", "lower", "split", "splitlines", "startswith", "strip", "title", "upper"})
"""What may be called of texts; other methods of theirs make texts of any length."""
_OWN = threading.local()


def rendered(name: str, variables: dict[str, Any], folder: Path | None = None) -> str:
    """
    Return the text that the template `name` makes of its variables.

    Args:
        name: the file, without `.j2`.
        variables: what it is given.
        folder: where its files are looked for before those shipped.

    Raises:
        PromptTemplateError: a template cannot be read, is none, or does more than it may.
    """
    environment = _shipped() if folder is None else _Bounded(_Folders(_checked(folder)))
    environment.steps = 0
    try:
        text, length = [], 0
        for part in environment.get_template(f"{name}.j2").generate(variables):
            length += len(part)
            text.append(part)
            _bounded_size(length)
        return "".join(text)
    except PromptTemplateError:
        raise
    except TemplateSyntaxError as error:
        raise _error(
            error.message or "this is no template", error.filename or error.name, error.lineno
        ) from None
    except MemoryError as error:
        raise _failed("the template takes more memory than there is", error) from None
    except RecursionError as error:
        raise _failed("a template includes or calls itself without end", error) from None
    except _TooMuchError as error:
        raise _failed(str(error), error) from None
    except SecurityError as error:
        raise _failed(f"this is not allowed: {shown(error)}", error) from None
    except (JinjaError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise _failed(shown(error) or type(error).__name__, error) from None


def _shipped() -> _Bounded:
    """Return the environment of the shipped templates: one for each thread, since it counts."""
    if not hasattr(_OWN, "environment"):
        _OWN.environment = _Bounded(_Folders(()))
    found: _Bounded = _OWN.environment
    return found


def _checked(folder: Path) -> tuple[Path, ...]:
    if not folder.is_dir():
        raise PromptTemplateError("there is no such folder.", where=shown(folder))
    own = {path.name for path in SHIPPED.glob("*.j2")}
    if not any((folder / name).is_file() for name in own):
        raise PromptTemplateError(
            "the folder has none of the templates.",
            where=shown(folder),
            hint=f"Name a file as one of those it is to replace: {', '.join(sorted(own))}.",
        )
    return (folder,)


class _TooMuchError(Exception):
    """A template does more than it may."""


class _Folders(BaseLoader):
    """Finds templates in folders of the user's, then among those shipped."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = (*folders, SHIPPED)

    def get_source(
        self,
        environment: Environment,  # noqa: ARG002 - a loader gets it
        template: str,
    ) -> tuple[str, str, Callable[[], bool]]:
        """Return the text of a template, and its file."""
        with contextlib.suppress(TemplateNotFound):  # a path that leads out of the folder
            steps = split_template_path(template)
            for folder in self._folders:
                path = folder.joinpath(*steps)
                if path.is_file():
                    return _read(path), str(path), lambda: True
        raise TemplateNotFound(template, message=f"there is no template {shown(template)}")


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(MAX_FILE + 1)
    except UnicodeDecodeError:
        raise PromptTemplateError("the template is not UTF-8 text.", where=shown(path)) from None
    except OSError as error:
        what = f"the template cannot be read: {shown(error.strerror)}."
        raise PromptTemplateError(what, where=shown(path)) from None
    if len(text) > MAX_FILE:
        raise PromptTemplateError(f"the template is longer than {MAX_FILE:,} characters.", where=shown(path))
    return text


class _Bounded(ImmutableSandboxedEnvironment):
    """The sandbox, which counts what a template does and stops it when that is too much."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, loader: BaseLoader) -> None:
        super().__init__(
            loader=loader,
            undefined=StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=_counted_output,
        )
        self.steps = 0
        self.globals = {"namespace": self.globals["namespace"], "range": self.globals["range"]}
        self.filters = {name: self.filters[name] for name in FILTERS}
        self.filters.update(_OWN_FILTERS)

    def step(self, number: int = 1) -> None:
        """Count steps."""
        self.steps += number
        if self.steps > MAX_STEPS:
            raise _TooMuchError(f"the template takes more than {MAX_STEPS:,} steps")

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        return _Counting().visit(super()._parse(source, name, filename))  # type: ignore[no-any-return]

    def is_safe_callable(self, obj: Any) -> bool:
        """Whether a template may call something."""
        if isinstance(getattr(obj, "__self__", None), str) and obj.__name__ not in METHODS:
            return False
        return super().is_safe_callable(obj)

    def wrap_str_format(self, value: Any) -> None:
        """Leave `str.format` to `is_safe_callable`, which refuses it."""

    def call(self, *inputs: Any, **named: Any) -> Any:
        """Call what a template calls, as the sandbox allows."""
        self.step()
        return _bounded_size(super().call(*inputs, **named))

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Compute with what a template computes with; texts are added, not multiplied."""
        self.step()
        if operator in ("*", "**", "%") and not (_is_small(left) and _is_small(right)):
            raise SecurityError(f"{operator} with anything but small numbers")
        if operator == "+" and isinstance(left, str | list | tuple) and isinstance(right, str | list | tuple):
            _bounded_size(len(left) + len(right))
        return super().call_binop(context, operator, left, right)


class _Counting(NodeTransformer):
    """Has the turns of loops counted, and the lengths of texts that are put together."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - the name says what is visited
        """Count the turns."""
        node = self.generic_visit(node)  # type: ignore[assignment]
        weight = nodes.Const(1 + sum(len(part.data) for part in node.find_all(nodes.TemplateData)) // 100)
        node.iter = nodes.Filter(node.iter, "_turns", [weight], [], None, None, lineno=node.lineno)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        """Look at the length of the whole."""
        node = self.generic_visit(node)  # type: ignore[assignment]
        parts = nodes.List(node.nodes, lineno=node.lineno)
        return nodes.Filter(parts, "_parts", [], [], None, None, lineno=node.lineno)


def _is_small(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) < 1000


def _bounded_size(value: Any) -> Any:
    """Return a text, a list or a length that is within the bound."""
    size = value if isinstance(value, int) else len(value) if isinstance(value, str | list | tuple) else 0
    if size > MAX_TEXT and not isinstance(value, bool):
        raise _TooMuchError(f"the template makes a text of more than {MAX_TEXT:,} characters")
    return value


@pass_environment
def _counted_output(environment: _Bounded, value: Any) -> Any:
    text = str(value)
    environment.step(1 + len(text) // 100)
    return _bounded_size(text)


@pass_environment
def _turns(environment: _Bounded, values: Iterable[Any], weight: int = 1) -> Iterator[Any]:
    for value in values:
        environment.step(weight)
        yield value


@pass_environment
def _parts(environment: _Bounded, values: list[Any]) -> str:
    return _joined(environment, values)


@pass_environment
def _joined(environment: _Bounded, values: Iterable[Any], between: str = "") -> str:
    """Put texts together."""
    texts = [str(value) for value in _turns(environment, values)]
    _bounded_size(sum(map(len, texts)) + len(texts) * len(str(between)))
    return str(between).join(texts)


def _replaced(value: Any, old: str, new: str) -> str:
    """Put one text in the place of another one."""
    text = str(value)
    if old:
        _bounded_size(len(text) + text.count(old) * len(new))
    return text.replace(old, new) if old else text


def _indented(value: Any, width: int = 4) -> str:
    """Indent every line but the first."""
    text = str(value)
    if not 0 <= width <= 100:
        raise SecurityError("an indent of more than 100 columns")
    _bounded_size(len(text) + text.count("\n") * width)
    return text.replace("\n", "\n" + " " * width)


def _quoted(value: Any, first: str = "", rest: str | None = None) -> str:
    """Quote a text: each line behind `> `, the first one behind `first`, the others indented as far."""
    inside = " " * min(len(first), 100) if rest is None else rest
    lines = str(value).splitlines() or [""]
    return "\n".join(f"> {inside if number else first}{line}" for number, line in enumerate(lines))


def _as_json(value: Any) -> str:
    """Print a value as JSON, on one line."""
    return json.dumps(value, ensure_ascii=False)


_OWN_FILTERS: dict[str, Callable[..., Any]] = {
    "_parts": _parts,
    "_turns": _turns,
    "indent": _indented,
    "join": _joined,
    "quoted": _quoted,
    "replace": _replaced,
    "tojson": _as_json,
}


def _failed(what: str, error: BaseException) -> PromptTemplateError:
    """Return our error for one that was raised while a template was rendered."""
    inside = [frame for frame in extract_tb(error.__traceback__) if frame.filename.endswith(".j2")]
    place = inside[-1] if inside else None
    return _error(what, place.filename if place else None, place.lineno if place else None)


def _error(what: str, file: str | None, line: int | None) -> PromptTemplateError:
    where = shown(file) if file else "template"
    return PromptTemplateError(
        f"{shown(what).rstrip('.')}.",
        where=f"{where}, line {line}" if line else where,
        hint="docs/prompts.md says what a template may use.",
    )
