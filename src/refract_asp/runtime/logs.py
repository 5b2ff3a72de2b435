"""What the log gets of each call: everything but secrets, under one flat set of keys."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from refract_asp.errors import LONGEST_TEXT, shown
from refract_asp.formats.values import json_text
from refract_asp.model import Catalog, Constant
from refract_asp.model.catalog import Parameter, Tool
from refract_asp.model.secrets import HIDDEN, Hidden, Secrets, text_without_secrets
from refract_asp.runtime.failures import Failure, told

if TYPE_CHECKING:
    from refract_asp.model.secrets import SecretRule

__all__ = ["LOG", "CallLog", "result_secrets", "text_without_arguments"]

LOG = logging.getLogger("refract_asp.runtime")
LOG.addHandler(logging.NullHandler())  # nothing is printed where nobody set up logging
SHORTEST = 4
"""Shorter secrets are not looked for in what a tool raised: they are parts of other words."""

_UNTOLD = '"(what is secret cannot be told)"'


class CallLog:
    """
    Writes a line for each call: info where it gave something, error where it failed, with the traceback.

    Each record has the attributes `refract_entry`, `refract_tool`, `refract_call_id`, `refract_error_id`,
    `refract_kind`, `refract_arguments`, `refract_value` (JSON texts), `refract_seconds` and
    `refract_repeated` (how often the same call failed). Names and texts are on one line. A handler that
    raises harms nothing.

    Args:
        catalog: what is said of the tools, for what is secret by its schema.
        secrets: says which values are secret; by default `is_secret`.
        log: the logger to write to.
    """

    def __init__(
        self,
        catalog: Catalog | None = None,
        secrets: SecretRule | None = None,
        log: logging.Logger = LOG,
    ) -> None:
        """Prepare to write to a logger."""
        tools = catalog.by_name if catalog is not None else {}
        self._log = log
        self._tools = tools
        self._has_rule = secrets is not None
        self._given = Secrets(secrets, tools.get)
        self._results = result_secrets(catalog, secrets)

    def succeeded(
        self, entry: str, tool: str, call_id: str | None, arguments: Any, value: Any, seconds: float
    ) -> None:
        """Write that a call gave a value."""
        if not self._log.isEnabledFor(logging.INFO):
            return
        try:
            result = _line(self._results.value([tool], [tool], value))
            given = _line(self._arguments(tool, arguments, Hidden()))
        except Exception:  # a rule of the caller says what is secret
            result = given = _UNTOLD
        message = f"{shown(entry)} - {_name(tool)} returned {shown(result, LONGEST_TEXT)}"
        self._write(
            logging.INFO,
            message,
            None,
            None,
            _extras(entry, tool, call_id, given, seconds, value=result),
        )

    def failed(self, failure: Failure, level: int = logging.ERROR) -> None:
        """Write that a call failed, with all that is known of it; as a warning where it is made again."""
        if not self._log.isEnabledFor(level):
            return
        hidden = Hidden()
        try:
            given = _line(self._arguments(failure.tool, failure.arguments, hidden))
        except Exception:
            given = _UNTOLD
        secrets = _texts(hidden)
        is_own = (
            failure.kind == "tool_failed"
        )  # what others raised before the call may show its arguments
        cause = (failure.error.__cause__ if is_own else None) or failure.error
        kind, text = told(cause)
        again = f", {failure.times} times with these arguments" if failure.is_repeated else ""
        said = _line(shown(_without(text, secrets), LONGEST_TEXT))
        message = (
            f"{shown(failure.entry)} - {_name(failure.tool)} errored with {kind}({said})"
            f" [{failure.kind}, id {failure.id}{again}]"
        )
        trace = None
        if secrets:
            whole = _trace(failure.error, chain=is_own)
            trace = _without(whole, secrets)
            trace = None if trace == whole and is_own else trace
        extras = _extras(
            failure.entry, failure.tool, failure.call_id, given, failure.seconds, failure=failure
        )
        self._write(level, message, None if trace is not None else failure.error, trace, extras)

    def complain(self, failure: Failure, error: BaseException) -> None:
        """Write that a mapper could not be used."""
        kind, text = told(error)
        said = _line(shown(text, LONGEST_TEXT))
        message = f"the mapper of errors failed with {kind}({said}); the default one is used"
        self._write(logging.ERROR, message, error, None, _extras_of(failure, None))

    # -- steps -----------------------------------------------------------------

    def _arguments(self, tool: str, arguments: Any, hidden: Hidden) -> Any:
        if isinstance(arguments, str):
            return self._text(tool, arguments)
        if not isinstance(arguments, Mapping):
            return HIDDEN if arguments is not None and self._has_secret(tool) else arguments
        return _without_secrets(self._given, tool, arguments, hidden)

    def _text(self, tool: str, text: str) -> str:
        """
        Return arguments that could not be read; all are hidden where a parameter of the tool is secret.

        Which value was meant for it cannot be told, nor need its name be there.
        """
        told = self._given.value([tool], [""], text) if self._has_rule else text
        return HIDDEN if told != text or self._has_secret(tool) else text_without_secrets(text)

    def _has_secret(self, tool: str) -> bool:
        known = self._tools.get(tool)
        return known is not None and any(
            self._given.is_argument(tool, name) for name in known.parameters
        )

    def _write(
        self,
        level: int,
        message: str,
        error: BaseException | None,
        trace: str | None,
        extras: dict[str, Any],
    ) -> None:
        try:
            exc_info = (type(error), error, error.__traceback__) if error is not None else None
            record = self._log.makeRecord(
                self._log.name, level, __file__, 0, message, (), exc_info, None, extras
            )
            record.exc_text = trace
            self._log.handle(record)
        except Exception:
            pass


def _extras(
    entry: str,
    tool: str,
    call_id: str | None,
    arguments: str | None,
    seconds: float,
    *,
    value: str | None = None,
    failure: Failure | None = None,
) -> dict[str, Any]:
    return {
        "refract_entry": shown(entry),
        "refract_tool": shown(tool),
        "refract_call_id": shown(call_id) if call_id is not None else None,
        "refract_error_id": failure.id if failure is not None else None,
        "refract_kind": failure.kind if failure is not None else None,
        "refract_arguments": arguments,
        "refract_value": value,
        "refract_seconds": round(seconds, 6),
        "refract_repeated": failure.times - 1 if failure is not None else 0,
    }


def _extras_of(failure: Failure, arguments: str | None) -> dict[str, Any]:
    return _extras(
        failure.entry, failure.tool, failure.call_id, arguments, failure.seconds, failure=failure
    )


def _without_secrets(
    secrets: Secrets, tool: str, arguments: Mapping[str, Any], hidden: Hidden
) -> dict[str, Any]:
    found = {}
    for name, value in arguments.items():
        source = secrets.argument([tool], [str(name)], Constant(value=value), hidden)
        found[str(name)] = source.value if isinstance(source, Constant) else HIDDEN
    return found


def text_without_arguments(text: str, failure: Failure, secrets: Secrets) -> str:
    """Return what is said of a failure without those of its arguments that are secret."""
    if not isinstance(failure.arguments, Mapping):
        return text
    hidden = Hidden()
    _without_secrets(secrets, failure.tool, failure.arguments, hidden)
    return _without(text, _texts(hidden))


def result_secrets(catalog: Catalog | None = None, secrets: SecretRule | None = None) -> Secrets:
    """Return what hides the secrets of what a tool gives: a parameter of the name of the tool, of itself."""
    tools = catalog.by_name if catalog is not None else {}
    return Secrets(secrets, lambda name: _result_of(name, tools.get(name)))


def _result_of(name: str, tool: Tool | None) -> Tool:
    """Return a tool whose only parameter is what another one gives, under the name of that one."""
    schema = tool.output_schema if tool is not None and tool.output_schema is not None else {}
    return Tool(
        name=name, parameters={name: Parameter(name=name, json_schema=schema)}, input_schema=schema
    )


def _name(tool: str) -> str:
    return json.dumps(shown(tool), ensure_ascii=False)


def _line(value: Any) -> str:
    """Return a value as JSON on one line, as far as it is one."""
    try:
        return json_text(value)
    except Exception:
        return json_text(shown(f"a value of type {type(value).__name__}"))


def _trace(error: BaseException, *, chain: bool) -> str:
    return "".join(traceback.format_exception(error, chain=chain)).rstrip("\n")


def _texts(hidden: Hidden) -> list[str]:
    """Return the texts and numbers that were hidden, as a tool may put them into what it raises."""
    return sorted(set(_spellings(hidden)), key=len, reverse=True)  # one may be a part of another


def _spellings(hidden: Hidden) -> Iterator[str]:
    left = [json.loads(text) for text in hidden.seen if text[:1] in '"[{-0123456789']
    while left:
        value = left.pop()
        if isinstance(value, dict | list):
            left += value.values() if isinstance(value, dict) else value
        elif value is not None and not isinstance(value, bool) and len(str(value)) >= SHORTEST:
            yield str(value)
            yield repr(value)[1:-1] if isinstance(value, str) else repr(value)
            yield json.dumps(value)[1:-1] if isinstance(value, str) else json.dumps(value)


def _without(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text
