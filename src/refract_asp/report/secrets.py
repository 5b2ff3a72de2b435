"""
Results as they may be printed: what is secret in them is replaced by `(secret)`.

Every printer of calls, edits or values goes through here. A result itself keeps its values, since it is data.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from functools import partial
from typing import TypeVar

from refract_asp.model import Call, Edit, Explanation, Sequence, Source
from refract_asp.model.result import RepairResult, Report
from refract_asp.model.secrets import Hidden, with_arguments

Told = TypeVar("Told", bound=Report)


def without_secrets(report: Told) -> Told:
    """
    Return a report to be printed: the same, or a copy with the secrets hidden.

    Where a repair put another value than the one that was given, it is shown as another secret.

    Example:
        >>> from refract_asp import repair
        >>> tool = {"name": "Login", "parameters": {"password": {"type": "string", "required": True}}}
        >>> result = repair("Logn(password=1234)", {"tools": [tool]})
        >>> print(without_secrets(result).sequence)
        Login(password="(another secret)")
        >>> print(result.sequence)
        Login(password="1234")
    """
    if not isinstance(report, RepairResult):
        return report
    veil = _Veil(report, [*report.edits, *report._handle.beside])
    given, sequence = veil.sequences()
    edits = tuple(map(veil.edit, report.edits))
    alternatives = tuple(map(without_secrets, report.alternatives))
    same = [*zip(alternatives, report.alternatives, strict=True), (given, report.given)]
    if not veil.count and all(one is other for one, other in same):
        return report
    update = {"given": given, "sequence": sequence, "edits": edits, "alternatives": alternatives}
    return report.model_copy(update=update)


def explanation_without_secrets(explanation: Explanation, result: RepairResult) -> Explanation:
    """Return an explanation of a result to be printed, likewise."""
    reasons = []
    named = [*result.edits, *result._handle.beside]
    common = _Veil(result, named)
    common.sequences()
    for reason in explanation.reasons:
        veil = common
        if reason.instead:  # names of which only it tells
            veil = _Veil(result, [*named, *reason.instead])
            veil.sequences()
        edits = {"edit": veil.edit(reason.edit), "instead": tuple(map(veil.edit, reason.instead))}
        reasons.append(reason.model_copy(update=edits) if veil.count else reason)
    same = all(map(operator.is_, reasons, explanation.reasons))
    return explanation if same else explanation.model_copy(update={"reasons": tuple(reasons)})


class _Veil:
    """
    Hides the secrets of a result: of each argument under the tools and names that it has had.

    What turns out to be secret on one side of a repair is taken to be so on the other, as where a wrong name
    did not show it.
    """

    def __init__(self, result: RepairResult, edits: Iterable[Edit]) -> None:
        self.result, self.secrets = result, result._secrets
        self.before = Hidden()
        self.after = Hidden(self.before.seen)
        instance = result._handle.instance
        self.texts = None if instance is None else instance.texts
        # The tools that each given call has had, and the names of each of its arguments.
        self.tools = {number: [call.name] for number, call in enumerate(result.given.calls)}
        self.renamed: dict[tuple[int | None, str], list[str]] = {}
        for origin, call in zip(result.origins, result.sequence.calls, strict=False):
            if origin is not None:
                self.tools.setdefault(origin, []).append(call.name)
        for edit in edits:
            if edit.kind == "rename_tool" and edit.call is not None:
                self.tools.setdefault(edit.call, []).append(edit.after)
            elif edit.kind == "rename_parameter" and edit.call is not None:
                self.renamed.setdefault((edit.call, edit.before), []).append(edit.after)
                self.renamed.setdefault((edit.call, edit.after), []).append(edit.before)

    @property
    def count(self) -> int:
        """How many values were hidden."""
        return self.before.count + self.after.count

    def sequences(self) -> tuple[Sequence, Sequence]:
        """Return the given and the repaired sequence."""
        given, sequence = self.result.given, self.result.sequence
        origins = [*self.result.origins, *[None] * len(sequence.calls)][: len(sequence.calls)]
        became = dict(zip(origins, sequence.calls, strict=True))
        calls = given.calls
        old = [self._call(n, call, self.before, became.get(n)) for n, call in enumerate(calls)]
        new = []
        for number, call in zip(origins, sequence.calls, strict=True):
            was = given.calls[number] if number is not None and number < len(old) else None
            is_kept = number is not None and call is was  # nothing was done to it
            new.append(old[number or 0] if is_kept else self._call(number, call, self.after, was))
        hidden = []
        for each, printed, hide in ((given, old, self.before), (sequence, new, self.after)):
            returned = self._call(None, Call(name="", arguments=each.returns or {}), hide, None)
            hidden.append(self.secrets.with_calls(each, printed, returned.arguments))
        return hidden[0], hidden[1]

    def edit(self, edit: Edit) -> Edit:
        """Return an edit without secrets."""
        update: dict[str, object] = {}
        tools = self.tools.get(-1 if edit.call is None else edit.call, [""])
        if edit.kind == "add_call":
            update["added"] = self._call(None, edit.added, self.after, None)
        elif edit.kind == "delete_call":
            update["before"] = self._call(edit.call, edit.before, self.before, None)
        elif edit.kind == "open_argument":
            update["before"] = self._source(tools, [edit.parameter], edit.before, self.before)
            update["after"] = {
                name: self._source(tools, self._names(edit.call, name), each, self.after)
                for name, each in edit.after.items()
            }
        elif edit.kind in ("drop_argument", "fill", "rebind", "transform", "split_call"):
            hide = partial(self._source, tools, self._names(edit.call, edit.parameter))
            before, after = getattr(edit, "before", None), getattr(edit, "after", None)
            olds = () if before is None else (before,)
            news = after if isinstance(after, tuple) else () if after is None else (after,)
            if before is not None:
                update["before"] = hide(before, self.before, *news)
            hidden = tuple(hide(each, self.after, *olds) for each in news)
            if news:
                update["after"] = hidden if isinstance(after, tuple) else hidden[0]
        same = all(getattr(edit, name) == value for name, value in update.items())
        return edit if same else edit.model_copy(update=update)

    def _call(self, number: int | None, call: Call, hide: Hidden, beside: Call | None) -> Call:
        """Return a call without secrets; `beside` is what became of it, or what it was."""
        tools = [call.name, *(self.tools.get(number, []) if number is not None else [])]
        others = beside.arguments if beside is not None else {}
        hidden = {}
        for name, source in call.arguments.items():
            names = self._names(number, name)
            other = [others[each] for each in names if each in others][-1:]
            hidden[name] = self._source(tools, names, source, hide, *other)
        return with_arguments(call, hidden)

    def _names(self, number: int | None, name: str) -> list[str]:
        return [name, *self.renamed.get((number, name), [])]

    def _source(
        self, tools: list[str], names: list[str], source: Source, hide: Hidden, *beside: Source
    ) -> Source:
        """Return an argument without secrets; `beside` is what became of it, or what it was."""
        if source.kind in ("reference", "ask"):  # names
            return source
        hidden = partial(self.secrets.argument, tools, names, texts=self.texts)
        found = hidden(source, hide)
        if found is source:
            unlike = (other for other in beside if other != source)
            if any(hidden(other, Hidden()) is not other for other in unlike):
                return hidden(source, hide, whole=True)
        return found
