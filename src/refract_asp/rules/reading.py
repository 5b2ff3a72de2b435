"""Reads encodings: parses each file once, and refuses what an encoding may not do."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from clingo import MessageCode
from clingo.ast import AST, ASTType, parse_files

from refract_asp.errors import ConstantError, EncodingError, shown
from refract_asp.resources import encodings_path

__all__ = ["MAX_WEIGHT", "RANGE", "load", "message_error", "short_name"]

MAX_WEIGHT = 1_000_000
MAX_FILE = 1_000_000
"""Bytes of a file that is read."""

RANGE = "It must be from 0 to 1,000,000: a penalty never rewards, and larger ones overflow."

_REFUSED = {
    ASTType.Script: "a script",
    ASTType.External: "an #external",
    ASTType.TheoryAtom: "a theory atom",
    ASTType.TheoryDefinition: "a theory",
}

_LOCATION = re.compile(r"^(.*?):(\d+):(\d+)(?:-[\d:]+)?: (?:info|error|warning): (.*)$", re.S)


_DIRECTIVE = re.compile(r"^[^%\n\"]*#(script|include)\b", re.M)


def short_name(path: Path | str) -> str:
    """Return the name of a shipped encoding without the folder of the installation."""
    folder = encodings_path()
    return str(Path(path).relative_to(folder)) if Path(path).is_relative_to(folder) else str(path)


def message_error(messages: list[tuple[MessageCode, str]], fallback: str) -> EncodingError:
    """Turn what clingo remarked into an error of our own, with file and line."""
    if not messages:
        return EncodingError(shown(fallback) or "grounding failed.")
    match = _LOCATION.match(messages[0][1].strip())
    if match is None:
        return EncodingError(shown(messages[0][1]))
    detail = " ".join(match[4].split())
    return EncodingError(
        f"{shown(detail)}.",
        where=f"{short_name(match[1])}:{match[2]}",
        hint="encodings/README.md lists the predicates; inputs are declared in defined.lp.",
    )


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_FILE:
            raise EncodingError("the file is larger than 1 MB.", where=str(path))
        return path.read_text("utf-8")
    except OSError as error:
        raise EncodingError(
            f"the file cannot be read ({error.strerror or 'unknown reason'}).",
            where=str(path),
            hint="Check the path, or leave out --encodings to use the shipped set.",
        ) from None
    except UnicodeDecodeError:
        raise EncodingError("the file is not UTF-8 text.", where=str(path)) from None


def parse(path: Path) -> tuple[list[AST], dict[str, int]]:
    """
    Parse an encoding and refuse what an encoding may not do.

    Raises:
        EncodingError: the file does not parse, or holds a script, an #include or the like.
    """
    nodes: list[AST] = []
    constants: dict[str, int] = {}
    messages: list[tuple[MessageCode, str]] = []
    text = _read(path)
    name = short_name(path)
    found = _DIRECTIVE.search(text)
    if found:
        raise EncodingError(
            f"#{found[1]} is not allowed in an encoding.",
            where=f"{name}:{text[: found.start(1)].count(chr(10)) + 1}",
            hint="Pass every file with --encoding instead.",
        )

    def visit(node: AST) -> None:
        nodes.append(node)

    try:
        parse_files([str(path)], visit, logger=lambda code, message: messages.append((code, message)))
    except RuntimeError as error:
        raise message_error(messages, str(error)) from None
    kept = []
    for node in nodes:
        where = f"{name}:{node.location.begin.line}"
        if node.ast_type in _REFUSED:
            raise EncodingError(f"{_REFUSED[node.ast_type]} is not allowed in an encoding.", where=where)
        if node.ast_type is ASTType.Program and (node.name != "base" or node.parameters):
            raise EncodingError("only the program part `base` is used.", where=where)
        if node.ast_type is ASTType.Minimize:
            _check_weight(node.weight, where)
        if node.ast_type is ASTType.Definition:
            constants[node.name] = _constant(node, where)
        if node.ast_type is not ASTType.Comment:
            kept.append(node)
    return kept, constants


def _check_weight(weight: AST, where: str) -> None:
    """Refuse a weak constraint that rewards, or whose weight could overflow."""
    text = str(weight)
    is_number = text.lstrip("-").isdigit()
    reckoned = weight.ast_type is ASTType.BinaryOperation and not re.search("[A-Za-z_]", text)
    if (
        weight.ast_type is ASTType.UnaryOperation
        or (is_number and not 0 <= int(text) <= MAX_WEIGHT)  # a number beyond 32 bits has wrapped around
        or reckoned
    ):
        raise ConstantError(f"the weight {shown(text)} is out of range.", where=where, hint=RANGE)


def _constant(node: AST, where: str) -> int:
    value = node.value
    if value.ast_type is not ASTType.SymbolicTerm or not str(value.symbol).lstrip("-").isdigit():
        raise ConstantError(f"the constant {node.name} is not a whole number.", where=where)
    number = int(value.symbol.number)
    if not 0 <= number <= MAX_WEIGHT:
        raise ConstantError(f"the constant {node.name} is {number}.", where=where, hint=RANGE)
    return number


@lru_cache(maxsize=256)
def _parsed(path: Path, _stamp: tuple[int, int]) -> tuple[list[AST], dict[str, int]]:
    return parse(path)


def load(path: Path) -> tuple[list[AST], dict[str, int]]:
    """Return the statements and constants of a file; it is parsed anew only when it changed."""
    try:
        status = path.stat()
    except OSError as error:
        raise EncodingError(
            f"the file cannot be read ({error.strerror or 'unknown reason'}).", where=str(path)
        ) from None
    return _parsed(path, (status.st_mtime_ns, status.st_size))
