"""Words for a model whose calls are not run: what is wrong, and what to send in place of it."""

from __future__ import annotations

import json
import re
from itertools import islice

from refract_asp.errors import shown
from refract_asp.integrations.decisions import CallDecision
from refract_asp.model import Call, Catalog, RepairResult, Violation
from refract_asp.model.result import AskFor, Outcome
from refract_asp.model.sequence import Ask, Constant
from refract_asp.report.edits import supply_text
from refract_asp.report.secrets import without_secrets

MAX_FEEDBACK = 1_000
"""Characters of what is told of one call."""
MAX_VIOLATIONS = 5
"""So many mistakes of one call are told under its id."""
MAX_CALL = 500
"""Characters of a call that is told to be sent; of a longer one the changes are told."""
MAX_TOOLS = 20
"""So many tools are named where a call names none of them."""
_PLACE = re.compile(r"( cannot be read: )(?:[\w.\[\]/-]*[\]/.][\w.\[\]/-]*(?:, line \d+)?: )+")


class Words:
    """
    Says what to send in place of calls that are not run; every text is bounded, and shows no secret.

    Args:
        result: the repair of the calls.
        catalog: the tools that may be called.
    """

    def __init__(self, result: RepairResult, catalog: Catalog) -> None:
        """Hide what is secret in the result."""
        self._result = without_secrets(result)
        self._is_open = self._result is result
        self._tools = catalog.by_name
        self._diagnostics = result.diagnostics()

    def to_send(self, made: CallDecision) -> str:
        """Say what the model is to send in place of a call, in sentences; empty where nobody knows."""
        given, asks = self._result.given.calls[made.call], self._asks(made)
        if given.name not in self._tools and made.reason == "unrepairable":
            return self._tools_text(made.call)
        proposed = self._proposed(made) if not asks and made.reason != "unrepairable" else ""
        if proposed:
            meant = (
                "If that is what you mean, send"
                if made.reason in ("confirms", "destructive")
                else "Send"
            )
            return f"{meant} {proposed}"
        about = [each for each in self._diagnostics if each.call == made.call and each.fix]
        fixes = (
            str(each.fix)
            for each in about
            if not isinstance(getattr(each.edit, "after", None), Ask)
        )
        texts = (*map(sentence, dict.fromkeys(fixes)), *map(supply_text, asks))
        return " ".join(islice(texts, MAX_VIOLATIONS))

    def _asks(self, made: CallDecision) -> list[AskFor]:
        return [each for each in self._result.asks if each.call in made.positions]

    def _proposed(self, made: CallDecision) -> str:
        """Return the calls that a repair makes of one, as JSON; empty where they cannot be sent so."""
        calls = [self._result.sequence.calls[position] for position in made.positions]
        if not self._is_open or not calls or not all(map(_is_plain, calls)):
            return ""
        texts = [f"{shown(call.name)} with {_arguments_text(call)}" for call in calls]
        text = " and ".join(texts)
        return f"{text}." if len(text) <= MAX_CALL else ""

    def _tools_text(self, number: int) -> str:
        """Name the tools that are like one that does not exist, else all."""
        near = self._result.suggestions.get(number, ())
        if near:
            return f"Nearest: {', '.join(map(shown, near))}."
        names = [shown(name) for name in islice(self._tools, MAX_TOOLS)]
        more = len(self._tools) - len(names)
        return f"Tools: {', '.join(names)}{f' and {more} more' if more else ''}." if names else ""


def sentence(text: str) -> str:
    """Return a text of one line that ends as a sentence."""
    return shown(text, 300).rstrip(".") + "."


def violations_text(outcome: Outcome) -> str:
    """Return what is wrong with a call, as sentences."""
    told = [sentence(_message(each)) for each in outcome.violations[:MAX_VIOLATIONS]]
    more = len(outcome.violations) - len(told)
    return " ".join(told) + (f" And {more} more." if more else "")


def _message(violation: Violation) -> str:
    """Return what is wrong, for somebody who knows nothing of files and cannot ask for a call."""
    if violation.code != "malformed_arguments":
        return violation.message
    message = _PLACE.sub(r"\1", violation.message, count=1)
    return message.replace("Ask for the call again", "Send the whole call again")


def _is_plain(call: Call) -> bool:
    """Whether a call can be sent as it stands: all that it passes are values."""
    return all(isinstance(source, Constant) for source in call.arguments.values())


def _arguments_text(call: Call) -> str:
    values = {n: s.value for n, s in call.arguments.items() if isinstance(s, Constant)}
    return shown(json.dumps(values, ensure_ascii=False, default=str), MAX_CALL + 1)
