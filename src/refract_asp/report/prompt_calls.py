"""Calls as a prompt prints them: in the form in which they came in, each in full."""

from __future__ import annotations

import json
import re
from typing import Any

from refract_asp.errors import FormatError, InputError, shown
from refract_asp.formats import pretty, python
from refract_asp.formats.python_syntax import Written
from refract_asp.formats.reference_texts import source_value
from refract_asp.formats.values import json_text
from refract_asp.model import Call, Sequence, Source
from refract_asp.model.secret_names import HIDDEN, is_secret
from refract_asp.report.terminal import escaped

__all__ = ["CallWriter"]

_WORDS = re.compile(r"[\w\-]{1,200}")
LONGEST = 300
"""Characters of a call or value that are shown inside a sentence."""


class CallWriter:
    """
    Prints calls on a line each: in the printed form or as Python where they came in so, else as JSON.

    Every text is without control characters; those in values are escaped as JSON does.

    Example:
        >>> from refract_asp.model import Ask
        >>> writer = CallWriter(Sequence.load([{"name": "Get", "arguments": {}, "label": "a"}]))
        >>> writer.lines(Call(name="Put", arguments={"date": Ask(name="date")}))
        ['{"name": "Put", "arguments": {"date": "$date$"}}']
        >>> writer.argument("date", Ask(name="date"))
        '"date": "$date$"'
    """

    def __init__(self, given: Sequence) -> None:
        """Print as the calls of a sequence came in."""
        self._form = given.format if given.format in ("pretty", "python") else "json"
        if given.format is None:
            self._form = "pretty"

    def lines(self, call: Call, labels: list[str] | None = None) -> list[str]:
        """Return a call in full, on one line; one that cannot be read may stand on several, as it stood."""
        if call.malformed is not None:
            written = _as_it_stood(call)
            if _speaks_of_secrets(written):  # what in it is secret cannot be told where it cannot be read
                return [escaped(f"{call.name}({HIDDEN})")]
            return [escaped(line) for line in written.splitlines()]
        return [escaped(self._call(call, labels or []))]

    def call(self, call: Call) -> str:
        """Return a call for the middle of a sentence, bounded."""
        return shown(" ".join(self.lines(call)), LONGEST)

    def source(self, source: Source) -> str:
        """Return what an argument is bound to, bounded."""
        return shown(escaped(self._source(source)), LONGEST)

    def argument(self, name: str, source: Source) -> str:
        """Return an argument, bounded."""
        if self._form == "json":
            return shown(escaped(f"{json_text(name)}: {self._source(source)}"), LONGEST)
        return shown(escaped(f"{name}={self._source(source)}"), LONGEST)

    def asked(self, name: str) -> str | None:
        """Return the line by which a sequence says that a value has to be asked; None where there is none."""
        return escaped(pretty.ask_text(name)) if self._form == "pretty" else None

    def returned(self, returns: dict[str, Source]) -> str:
        """Return the line that says what a sequence gives back."""
        values = json_text({name: source_value(source) for name, source in returns.items()})
        return escaped(f"return {values}" if self._form == "pretty" else values)

    def _call(self, call: Call, labels: list[str]) -> str:
        if self._form == "pretty":
            return pretty.call_text(call, labels)
        if self._form == "python":
            return python.call_text(call, labels)
        data: dict[str, Any] = {} if call.id is None else {"id": call.id}
        data["name"] = call.name
        data["arguments"] = {name: source_value(each, labels) for name, each in call.arguments.items()}
        if call.label is not None:
            data["label"] = call.label
        return json_text(data)

    def _source(self, source: Source) -> str:
        if self._form == "python":
            return python.source_text(source)
        return pretty.source_text(source) if self._form == "pretty" else json_text(source_value(source))


def _speaks_of_secrets(text: str) -> bool:
    """Whether a text that cannot be read has a word in it that names a secret."""
    return any(is_secret(word, {}) for word in set(_WORDS.findall(text.replace("\\", " "))))


def _as_it_stood(call: Call) -> str:
    """Return a call that cannot be read as it stood in the input, as far as that is known."""
    if isinstance(call.written, Written):
        return str(call.written.statement.text)
    if isinstance(call.written, dict):
        try:
            return json.dumps(call.written, ensure_ascii=False, default=str)
        except (TypeError, ValueError, RecursionError):
            pass
    try:
        return pretty.call_text(call)
    except (FormatError, InputError):
        return shown(call.name)
