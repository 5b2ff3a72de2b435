"""
The errors of this package, one tree; each says what is wrong, where, and what to do next.

    RefractError
    ├── InputError                 what came in cannot be used as it is
    │   ├── FormatError            text or data is not of the format (place: file, line, index, field)
    │   ├── UnknownFormatError     no format fits, or none has the name
    │   │   └── NotDataError         also a FormatError and a TypeError: an object that no model writes
    │   ├── CatalogError           a catalog contradicts itself
    │   ├── LimitError             a size or depth is beyond the stated bound
    │   │   └── OutOfMemoryError   the memory does not suffice
    │   ├── StatementError         what is asked about a repair cannot be understood
    │   ├── PromptTemplateError    a template of a prompt cannot be used (place: file, line)
    │   └── PlanError              a plan, or an expression of one, cannot be used (place: line, column)
    ├── EncodingError              an encoding or cost model cannot be used (place: file, line)
    │   ├── UnknownCostModelError  no cost model has the name
    │   ├── ConstantError          a constant is unknown to the encodings or out of range
    │   └── UnrankedError          a penalty has no criterion in the cost model
    ├── ToolError                  a call of a tool gave no result; each has its `kind`
    │   ├── MissingArgumentsError  missing_arguments: there are none at all, which is not the same as {}
    │   ├── MalformedArgumentsError malformed_arguments: they cannot be read
    │   ├── BadArgumentError       bad_argument: they do not fit what the tool takes
    │   ├── UnknownToolError       unknown_tool: no tool has the name
    │   ├── ToolFailedError        tool_failed: the tool raised
    │   ├── BadOutputError         bad_output: the tool ran, and gave what is no JSON value
    │   └── ToolTimeoutError       timeout: the tool took longer than it may
    └── AnswerError                a value is given for what was not asked, or it does not fit
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import ClassVar

LONGEST = 100
"""Characters of a name or a value that are shown."""
LONGEST_TEXT = 300
"""Characters of what is more than a name or a value: a sentence of somebody else, a path of files, a call."""


def shown(text: object, limit: int = LONGEST) -> str:
    """
    Return `text` on one line, without what does not print, cut at `limit` characters and "..." added.

    Every name and value that came from outside goes through this before it is shown: control characters,
    terminal codes, marks that turn the reading direction or have no width, and halves of surrogate pairs are
    dropped. A line break or another blank becomes a space rather than nothing, so that words stay apart.

    Example:
        >>> shown("a\\nb\\x1b[31m")
        'a b[31m'
    """
    try:
        raw = text if isinstance(text, str) else str(text)
    except Exception:  # whatever an object of the caller raises, it cannot be shown
        raw = f"a value of type {type(text).__name__}"
    cut = raw[: limit + 1]
    clean = _clean(cut)
    return clean[:limit] + "..." if len(cut) > limit else clean


def _clean(text: str) -> str:
    """Return a text on one line, without what does not print."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "" for c in text)


FEW = 6
"""So many names are listed beside the one that was probably meant."""


def near(name: object, known: Iterable[str]) -> str:
    """
    Return a question that names what may have been meant, or the empty text.

    Example:
        >>> near("opnai", ["openai", "gemini"]), near("x", ["openai", "gemini"])
        ("Did you mean 'openai'?", '')
    """
    from rapidfuzz import fuzz, process

    alike = process.extract(shown(name), sorted(known), scorer=fuzz.ratio, limit=3, score_cutoff=70)
    found = [repr(shown(each)) for each, _, _ in alike]
    return f"Did you mean {' or '.join(found)}?" if found else ""


def meant(name: object, known: Iterable[str], title: str = "Known", most: int = 12) -> str:
    """
    Return a hint that names what may have been meant, or else what is known, as far as a reader takes it in.

    Example:
        >>> meant("opnai", ["openai", "gemini"]), meant("x", ["openai", "gemini"])
        ("Did you mean 'openai'? Known: gemini, openai.", 'Known: gemini, openai.')
    """
    names = sorted(known)
    found = near(name, names)
    if names and (not found or len(names) <= FEW):
        more = f" and {len(names) - most} more" if len(names) > most else ""
        found += f" {title}: {', '.join(map(shown, names[:most]))}{more}."
    return found.lstrip()


class RefractError(Exception):
    """Base of every error that this package raises on purpose."""

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        """Say `what` is wrong, `where` (file, line, index, field) and, as `hint`, what to do next."""
        self.what = what
        self.where = where
        self.hint = hint
        place = f"{_clean(where)}: " if where else ""
        advice = f" {_clean(hint)}" if hint else ""
        # a message may have several lines of its own
        lines = "\n".join(map(_clean, what.split("\n")))
        super().__init__(f"{place}{lines}{advice}")


class InputError(RefractError):
    """What came in cannot be used as it is."""


@contextmanager
def placed(where: str, kind: type[RefractError] = InputError) -> Iterator[None]:
    """Put a place before that of what is refused inside of the block."""
    try:
        yield
    except kind as error:
        place = ": ".join(filter(None, (where, error.where)))
        raise type(error)(error.what, where=place, hint=error.hint) from None


class FormatError(InputError):
    """Text or data is not of the format that it should have."""


class UnknownFormatError(InputError):
    """No format fits the data, or none has the name that was given."""


class NotDataError(FormatError, UnknownFormatError, TypeError):
    """
    A value of a type that no model writes was given, such as a function, a set or a client of a service.

    That is a mistake of the program, and never one of the model.
    """


class CatalogError(InputError):
    """A catalog contradicts itself, as when it holds two tools of one name."""


class LimitError(InputError):
    """A size or a depth is beyond the bound that keeps the work small."""


class OutOfMemoryError(LimitError):
    """The memory that there is, or that was allowed, does not suffice."""


class StatementError(InputError):
    """What is asked about a repair cannot be understood, or names nothing of the sequence."""


class PromptTemplateError(InputError):
    """A template of a prompt cannot be used: it is missing, broken, or does what is not allowed."""


class PlanError(InputError):
    """A plan, or an expression of one, cannot be used."""


class EncodingError(RefractError):
    """An encoding or a cost model cannot be used."""


class UnknownCostModelError(EncodingError):
    """No cost model has the name that was given."""


class ConstantError(EncodingError):
    """A constant is unknown to the encodings, or its value is out of range."""


class UnrankedError(EncodingError):
    """The rules derived a penalty that the cost model does not rank."""


class AnswerError(InputError):
    """A value is given for something that was not asked, or one that does not fit where it was asked."""


class ToolError(RefractError):
    """
    A call of a tool gave no result; `__cause__` holds what the tool raised, where it did.

    A tool may raise it itself: the model gets its text, and gets the text of no other exception.

    Attributes:
        kind: which stage failed, as one word.
        tool: the name under which the tool was called.
    """

    kind: ClassVar[str] = "tool_failed"

    def __init__(self, what: str, *, tool: str = "", where: str = "", hint: str = "") -> None:
        """Say `what` is wrong with the call of `tool`, `where`, and as `hint` what to do next."""
        self.tool = tool
        super().__init__(what, where=where, hint=hint)


class MissingArgumentsError(ToolError):
    """A call came without arguments, which is not the same as with an empty object."""

    kind = "missing_arguments"


class MalformedArgumentsError(ToolError):
    """The arguments of a call cannot be read."""

    kind = "malformed_arguments"


class BadArgumentError(ToolError):
    """The arguments of a call do not fit what the tool takes."""

    kind = "bad_argument"


class UnknownToolError(ToolError):
    """A call names a tool that there is not."""

    kind = "unknown_tool"


class ToolFailedError(ToolError):
    """A tool raised."""


class BadOutputError(ToolError):
    """A tool ran, and what it gave is no JSON value; calling it again would do again what it does."""

    kind = "bad_output"


class ToolTimeoutError(ToolError):
    """A tool took longer than it may."""

    kind = "timeout"
