"""Where input came from, so that each message can name its place; reading of files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from refract_asp.errors import LONGEST_TEXT, FormatError, InputError, shown
from refract_asp.model import Call, Tool
from refract_asp.model.paths import POSITION, is_position

__all__ = [
    "POSITION",
    "FieldPlace",
    "Origin",
    "bind_positions",
    "is_position",
    "read_file",
]


MAX_FILE_BYTES = 100_000_000
"""Files beyond this size are refused before they are read."""
MAX_MISTAKES = 100
"""How many mistakes are collected before reading stops."""

FieldPlace: TypeAlias = tuple[str | int, ...]
"""Keys and indexes that lead from the top of the input to a value."""


@dataclass(frozen=True)
class Origin:
    """
    A source of input: a file, a text or data.

    Attributes:
        name: the file as it was given, "<text>" for a text, empty for data.
        lines: for each container of a YAML document, by id, the line of each of its keys or elements.
        root: the top of that document; it keeps the ids alive.
        base: where in a larger input this one lies, put before each place.
        mistakes: where it is given, the mistakes of single tools are collected in it and reading goes on.
    """

    name: str = ""
    lines: dict[int, dict[Any, int]] = field(default_factory=dict, repr=False)
    root: Any = field(default=None, repr=False)
    base: FieldPlace = ()
    mistakes: list[InputError] | None = field(default=None, repr=False)

    def at(self, place: Iterable[str | int] = ()) -> str:
        """
        Return the place as text.

        Example:
            >>> Origin("travel.yaml").at(("tools", 3, "name"))
            'travel.yaml: tools[3].name'
        """
        steps = (*self.base, *place)
        name = shown(self.name, LONGEST_TEXT)
        line = self._line(steps)
        fields = ""
        for step in steps:
            if isinstance(step, int):
                fields += f"[{step}]"
            else:
                fields += f".{shown(step, 80)}" if fields else shown(step, 80)
        return ": ".join(part for part in (f"{name}:{line}" if line else name, fields) if part)

    def at_character(self, text: str, position: int) -> str:
        """Return line and column, from 1, of a character of `text`."""
        line = text.count("\n", 0, position) + 1
        column = position - text.rfind("\n", 0, position)
        place = self.at()
        return f"{place}:{line}:{column}" if place else f"line {line}, column {column}"

    def error(self, what: str, place: Iterable[str | int] = (), hint: str = "") -> FormatError:
        """Return an error that says what is wrong at a place."""
        return FormatError(what, where=self.at(place), hint=hint)

    def forgive(self, error: InputError) -> None:
        """Collect a mistake that concerns one tool alone, or raise it where none are collected."""
        if self.mistakes is None or len(self.mistakes) >= MAX_MISTAKES:
            raise error
        self.mistakes.append(error)

    def _line(self, steps: FieldPlace) -> int:
        value, line = self.root, 0
        for step in steps:
            marks = self.lines.get(id(value))
            if marks is None or step not in marks:
                break
            line = marks[step]
            value = value[step]
        return line


def read_file(path: Path) -> str:
    """
    Read a file of UTF-8 text, with or without a byte order mark.

    Raises:
        FormatError: there is no such file, it cannot be read, is too large or not UTF-8.
    """
    where = shown(str(path), LONGEST_TEXT)
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise FormatError("there is no such file.", where=where) from None
    except IsADirectoryError:
        raise FormatError("this is a directory, a file is needed.", where=where) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FormatError(
            f"the file cannot be read: {shown(reason, LONGEST_TEXT)}.", where=where
        ) from None
    if len(raw) > MAX_FILE_BYTES:
        raise FormatError(
            f"the file is larger than {MAX_FILE_BYTES:,} bytes.", where=where, hint="Split it."
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"line {line} is not UTF-8 text (byte {error.start}).",
            where=where,
            hint="Save the file as UTF-8.",
        ) from None


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
    declared = list(tool.parameters)
    names = {f"{POSITION}{number}": name for number, name in enumerate(declared, 1)}
    if any(
        name not in names or name in tool.parameters or names[name] in call.arguments
        for name in positions
    ):
        return call
    arguments = {names.get(name, name) if name in positions else name: source
                 for name, source in call.arguments.items()}  # fmt: skip
    written = call.written
    if is_dataclass(written) and not isinstance(written, type):
        written = replace(written, names=tuple(names[name] for name in positions))
    return call.model_copy(update={"arguments": arguments, "written": written})
