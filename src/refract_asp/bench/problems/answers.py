"""
Finds the code, or the calls, in the answer of a model.

    return image.blur(5)                      goes on where the prompt ends
    ```python ... ```                         a block of code in a chat message, with prose around it
    def blur(image): ...                      the whole function, alone or in such a block
    [{"name": "image.blur", ...}]             calls of tools, in any format
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection
from typing import Any, NamedTuple

from refract_asp.bench.problems.library import need
from refract_asp.errors import InputError
from refract_asp.formats.model_dialects import without_thinking
from refract_asp.formats.python import parsed
from refract_asp.formats.values import Origin

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


def found_in(
    sample: Any,
    head: str,
    indent: str,
    libraries: Collection[str],
    *,
    relaxed: bool,
    ends: tuple[str, str] | None,
) -> Found:
    """
    Return what a model answered.

    Args:
        sample: a text, or calls of tools as data.
        head: the line that begins the function.
        indent: what its lines begin with.
        libraries: what may be imported.
        relaxed: whether more is read than what goes on where the prompt ends.
        ends: the token at which the answer ends, and the indent of the prompt, see `cut`; None to cut nothing.

    Raises:
        InputError: there is no code of this function alone.
    """
    if not isinstance(sample, str):
        need(relaxed, "a text is needed.")
        return Found([], sample, "calls of tools")
    name = head[len("def ") : head.index("(")]
    begins = re.compile(rf"^[ \t]*def[ \t]+{name}[ \t]*\(", re.M)
    text, note = sample, ""
    if relaxed:
        text = without_thinking(sample.replace("\r\n", "\n"))
        text = text.split(ends[0], 1)[0] if ends and ends[0] else text
        chosen = _chosen(text, begins)
        if chosen:
            need(len(set(chosen)) == 1, f"there are {len(chosen)} blocks of code, one is needed.")
            text, note = textwrap.dedent(chosen[0]).strip("\n"), "a block of code"
        if text.lstrip()[:1] in ("[", "{") or text.lstrip().startswith("<tool_call>"):
            return Found([], text, "calls of tools")
        if begun := begins.search(text):
            whole = f"the whole function{' in ' if note else ''}{note}"
            code = text if note else _without_prose(text, begun.start())
            return Found(_of_function(code, head, name, libraries), None, whole)
    code = text if note else cut(sample, *ends) if ends else sample
    return Found(_of_body(code, head, indent, libraries if note else None), None, note)


def _chosen(text: str, begins: re.Pattern[str]) -> list[str]:
    """Return the blocks of code that may be the answer: those with the function, else with a `return`, else all."""
    blocks = [match[2] for match in _FENCE.finditer(text)]
    chosen = [each for each in blocks if begins.search(each)]
    return chosen or [each for each in blocks if _RETURN.search(each)] or blocks


def _of_body(
    code: str, head: str, indent: str, libraries: Collection[str] | None
) -> list[ast.stmt]:
    """Return the statements that go on below the head; of a block of code, where `libraries` may be imported."""
    need(bool(code.strip()), "there is no answer.")
    lines, is_block = code.split("\n"), libraries is not None
    if is_block and not any(line.startswith((" ", "\t")) for line in lines[1:]):
        code = f"\n{indent}".join(lines)
    function, *others = parsed(code, Origin("answer"), before=f"{head}\n{indent}").body
    need(not others and isinstance(function, ast.FunctionDef), _OUTSIDE)
    body = list(getattr(function, "body", ()))
    while body and _is_import(body[0], libraries or ()):
        del body[0]
    return body


def _without_prose(text: str, start: int) -> str:
    """Return a text without the lines before and below a function that are no code."""
    above, below = text[:start].split("\n"), text[start:].split("\n")
    inside = 1 + next(
        (n for n, line in enumerate(below[1:]) if line.strip() and line[0] not in " \t)#"),
        len(below),
    )
    return "\n".join([*filter(_is_code, above), *below[:inside], *filter(_is_code, below[inside:])])


def _is_code(line: str) -> bool:
    """Whether a line is Python; a word, or a text alone, is prose."""
    try:
        tree = parsed(line.strip(), Origin("answer")).body
    except InputError:
        return line.lstrip().startswith(
            ("def ", "class ", "if ", "for ", "while ", "with ", "@", "async ")
        )
    return not all(
        isinstance(each, ast.Expr) and isinstance(each.value, ast.Name | ast.Constant | ast.Tuple)
        for each in tree
    )


def _is_import(statement: ast.stmt, libraries: Collection[str]) -> bool:
    return isinstance(statement, ast.Import) and all(
        each.name in libraries and each.asname is None for each in statement.names
    )


def _of_function(code: str, head: str, name: str, libraries: Collection[str]) -> list[ast.stmt]:
    """Return the statements of a function that is written as a whole, with nothing around it that matters."""
    wanted = {argument.arg for argument in _function(f"{head} pass").args.args}
    function: ast.FunctionDef | None = None
    for each in parsed(code, Origin("answer")).body:
        is_shown = isinstance(each, ast.Expr) and function is not None  # an example of its use
        is_text = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
        if isinstance(each, ast.FunctionDef) and each.name == name and function is None:
            function = each
        elif not is_shown and not is_text and not _is_import(each, libraries):
            raise InputError(_OUTSIDE)
    if function is None:
        raise InputError(f"there is no function {name}.")
    given = function.args
    odd = (given.vararg, given.kwarg, *given.posonlyargs, *given.defaults, *function.decorator_list)
    names = [argument.arg for argument in (*given.args, *given.kwonlyargs)]
    is_same = set(names) == wanted and len(names) == len(wanted) and not any(given.kw_defaults)
    need(is_same and not any(odd), f"the function is not {head.removesuffix(':')}.")
    return function.body


def _function(code: str) -> ast.FunctionDef:
    """Return the function that a line of code defines."""
    found = ast.parse(code).body[0]
    assert isinstance(found, ast.FunctionDef)
    return found
