"""What a prompt tells its reader to do: the calls in the form they came in, and an instruction for each edit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from refract_asp.errors import LONGEST_TEXT, FormatError, InputError, shown
from refract_asp.formats import pretty, python
from refract_asp.formats.python import Written
from refract_asp.formats.references import NO_LABELS, Known, source_value
from refract_asp.formats.values import json_text
from refract_asp.model.edits import AddCall, Fill, Rebind
from refract_asp.model.paths import path_text
from refract_asp.model.secrets import HIDDEN, OTHER, is_secret
from refract_asp.model.sequence import Ask, Reference, numbered, slots_of
from refract_asp.report.edits import PHRASES, given_text, names_of
from refract_asp.report.suggestions import inside_text
from refract_asp.report.terminal import escaped
from refract_asp.rules.schemas.dialects import value_of
from refract_asp.rules.schemas.validation import BrokenSchemaError

if TYPE_CHECKING:
    from refract_asp.model import Call, Edit, RepairResult, Source
    from refract_asp.model import Sequence as Calls
    from refract_asp.model.diagnostic import Diagnostic
    from refract_asp.model.edits import MoveCall
    from refract_asp.model.result import AskFor

__all__ = ["CallWriter", "Instructions"]

LONGEST_NOTE = 200
"""Characters of what the catalog says of a value that is asked."""
MOST_FAULTS = 3
"""So many faults of one value are told."""
LONGEST_SOURCE = 300
"""Characters of a call or value that are shown inside a sentence."""
_WORDS = re.compile(r"[\w\-]{1,200}")
_ORIGINS = {
    "default": ", its default in the catalog",
    "constant": ", which another call passes",
    "mapping": ", as a mapping says",
}
"""Where a value comes from that is no reference, by pattern."""


class CallWriter:
    """
    Prints calls on a line each: in the printed form or as Python where they came in so, else as JSON.

    Every text is without control characters; those in values are escaped as JSON does.

    Example:
        >>> from refract_asp.model import Ask, Call, Sequence
        >>> writer = CallWriter(Sequence.load([{"name": "Get", "arguments": {}, "label": "a"}]))
        >>> writer.lines(Call(name="Put", arguments={"date": Ask(name="date")}))
        ['{"name": "Put", "arguments": {"date": "$date$"}}']
        >>> writer.argument("date", Ask(name="date"))
        '"date": "$date$"'
    """

    def __init__(self, given: Calls) -> None:
        """Print as the calls of a sequence came in."""
        self._printer = {"pretty": pretty, None: pretty, "python": python}.get(given.format)
        self._names = given.names
        self._known = Known((), only=given.names)

    def lines(self, call: Call, labels: Known = NO_LABELS) -> list[str]:
        """Return a call in full, on one line; one that cannot be read may stand on several, as it stood."""
        if call.malformed is not None:
            written = _as_it_stood(call)
            # What is secret in it cannot be told where it cannot be read.
            if any(is_secret(word, {}) for word in _WORDS.findall(written.replace("\\", " "))):
                return [escaped(f"{call.name}({HIDDEN})")]
            return [escaped(line) for line in written.splitlines()]
        known = Known(labels.labels, only=self._names)
        if self._printer is not None:
            return [escaped(self._printer.call_text(call, known))]
        arguments = {name: source_value(each, known) for name, each in call.arguments.items()}
        data = {"id": call.id, "name": call.name, "arguments": arguments, "label": call.label}
        return [escaped(json_text({key: each for key, each in data.items() if each is not None}))]

    def source(self, source: Source) -> str:
        """Return what an argument is bound to, bounded."""
        return shown(escaped(self._source(source)), LONGEST_SOURCE)

    def argument(self, name: str, source: Source) -> str:
        """Return an argument, bounded."""
        begin = f"{name}=" if self._printer is not None else f"{json_text(name)}: "
        return shown(escaped(begin + self._source(source)), LONGEST_SOURCE)

    def returned(self, returns: dict[str, Source]) -> str:
        """Return the line that says what a sequence gives back."""
        values = json_text({n: source_value(each, self._known) for n, each in returns.items()})
        return escaped(f"return {values}" if self._printer is pretty else values)

    def asked(self, names: Sequence[str]) -> list[str]:
        """Return the lines by which a sequence says that values have to be asked, in the form that has any."""
        return [escaped(pretty.ask_text(name)) for name in names] if self._printer is pretty else []

    def _source(self, source: Source) -> str:
        if self._printer is not None:
            return str(self._printer.source_text(source, self._known))
        return json_text(source_value(source, self._known))


def _as_it_stood(call: Call) -> str:
    """Return a call that cannot be read as it stood in the input, as far as that is known."""
    if isinstance(call.written, Written):
        return call.written.text
    try:
        if isinstance(call.written, dict):
            return json.dumps(call.written, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        return pretty.call_text(call)
    except (FormatError, InputError):
        return shown(call.name)


class Instructions:
    """
    Tells what to do so that calls become those of a repair.

    Args:
        result: the repair.
        words: whether the user's words are told, so that values are looked for there first.
    """

    def __init__(self, result: RepairResult, *, words: bool = False) -> None:
        """Take a repair."""
        self.result = result
        self.calls = result.given.calls
        self.writer = CallWriter(result.given)
        self._words = words
        self._added = {
            e.added.label: e for e in result.edits if e.kind == "add_call" and e.added.label
        }
        self._wrong = {
            (each.call, each.parameter): each.message for each in result.violations[::-1]
        }

    def fixes(
        self, diagnostics: Sequence[Diagnostic], numbers: Sequence[int]
    ) -> list[dict[str, Any]]:
        """
        Say of each issue what puts it right: what the repair does, else what its diagnostic advises.

        Each change is told once, under all issues that it puts right. What is said of different calls stays
        apart, even where the words are the same.

        Args:
            diagnostics: those of the result, one for each violation.
            numbers: under which number each of them is told.

        Returns:
            For each the `issues` (none for what follows from others), the `texts`, and the `call` that
            is changed besides, from 0, or None.
        """
        told: dict[tuple[frozenset[int | None], tuple[str, ...]], list[int]] = {}
        done: set[int] = set()
        for of, edits in _grouped(self.result.edits, diagnostics).items():
            calls = frozenset(diagnostics[index].call for index in of)
            texts = self._texts(edits, next(iter(calls)) if len(calls) == 1 else None)
            done |= {id(each) for edit in edits for each in self._together(edit)}
            advice = diagnostics[of[0]].fix or diagnostics[of[0]].tip
            if not edits and advice:
                texts = (escaped(advice),)
            if texts:
                told.setdefault((calls, texts), []).extend(numbers[index] for index in of)
        rest: dict[int | None, list[Edit]] = {}
        for edit in self.result.edits:
            if id(edit) not in done:
                rest.setdefault(edit.call, []).append(edit)
        return [
            {"issues": list(dict.fromkeys(of)), "texts": texts, "call": None}
            for (_, texts), of in told.items()
        ] + [
            {"issues": [], "texts": self._texts(edits, None), "call": call}
            for call, edits in rest.items()
        ]

    def besides(self) -> list[str]:
        """Say what the corrected calls do not show: which calls go, move or stay wrong, what is not certain."""
        edits, confirms = self.result.edits, self.result.confirms
        alone = [edit for edit in edits if edit.kind in ("delete_call", "move_call")]
        texts = [self._text(edit) for edit in alone]
        for entry in confirms:
            call, confirm = self.result.sequence.calls[entry.call], entry.confirm
            if confirm.kind == "tool":
                what = shown(call.name)
            else:
                what = f"{shown(confirm.parameter)} of {shown(call.label or call.name)}"
            drop = "that it does without " if confirm.kind == "drop" else ""
            text = f"Make sure of {drop}{what}: {shown(entry.reason, LONGEST_NOTE)}"
            texts.append(text.removesuffix(": "))
        told = {(self.result.origins[entry.call], entry.reason) for entry in confirms}
        for edit in edits:
            is_told = edit in alone or (edit.call, edit.risky) in told
            if edit.risky and not is_told and edit.call not in self.result.unresolved:
                texts.append(self._text(edit))
        return [escaped(text) for text in dict.fromkeys([*texts, *self._left()])]

    def _left(self) -> Iterator[str]:
        """Say which calls have no correction among those of others, and which ones never can have one."""
        for number in self.result.unresolved:
            if number >= len(self.calls):
                continue
            name = given_text(number, self.calls)
            found = [each for each in self.result.violations if each.call == number]
            if self.calls[number].malformed is not None:
                yield f"Write {name} again: its arguments cannot be read"
            elif any(each.code == "unused_call" for each in found):
                yield f"Return what {name} gives, too, or leave it out"
            elif self.result.edits:
                wrong = found[0].message if found else ""
                yield f"Correct {name}, for which nothing is known: {shown(wrong, LONGEST_NOTE)}"

    def asked(self) -> list[str]:
        """Name each value that is asked, with what the catalog says of it and what is wrong with the given."""
        texts = []
        for ask in self.result.asks:
            note = _note(ask)
            reasons = [
                self._reason(edit)
                or shown(self._wrong.get((edit.call, edit.parameter), ""), LONGEST_TEXT)
                for edit in self.result.edits
                if edit.kind == "rebind"
                and isinstance(edit.after, Ask)
                and edit.after.name == ask.name
            ]
            reasons = [each for each in dict.fromkeys(reasons) if each]
            told = "; ".join(filter(None, [note.rstrip(".") if reasons else note, *reasons]))
            name = f"{shown(ask.name)}{self._place(ask)}"
            texts.append(escaped(f"{name}: {told}" if told else name))
        return texts

    # -- one edit ------------------------------------------------------------------

    def _texts(self, edits: Sequence[Edit], call: int | None) -> tuple[str, ...]:
        """Say what some edits do, and what has to be known for the calls that they add."""
        texts: list[str] = []
        for edit in edits:
            texts.append(self._text(edit, call))
            for each in self._together(edit):
                if each.kind == "add_call":
                    texts += self._needs(each.added)
        return tuple(map(escaped, dict.fromkeys(texts)))

    def _text(self, edit: Edit, call: int | None = None) -> str:
        """Say what an edit does, in the call of which is spoken or in another one."""
        text = self._action(edit)
        names_call = edit.kind in ("add_label", "rename_label", "delete_call", "move_call")
        if edit.call not in (None, call) and edit.call < len(self.calls) and not names_call:
            text = f"in {given_text(edit.call, self.calls)}: {text}"
        risks = dict.fromkeys(each.risky for each in self._together(edit) if each.risky)
        doubts = "; ".join(shown(risk, LONGEST_NOTE) for risk in risks)
        return _sentence(f"{text} (not certain: {doubts})" if risks else text)

    def _together(self, edit: Edit) -> list[Edit]:
        """Return an edit, and the added call from which it reads, as both are told in one sentence."""
        match edit:
            case Fill(after=Reference() as new):
                pass
            case Rebind(before=Reference() as old, after=Reference() as new) if not self._is_same(
                old, new
            ):
                pass
            case _:
                return [edit]
        return [edit, self._added[new.label]] if new.label in self._added else [edit]

    def _action(self, edit: Edit) -> str:
        words = names_of(edit) | {"call": given_text(edit.call, self.calls)}
        match edit.kind:
            case "fill":
                return self._fill(edit)
            case "rebind":
                return self._rebind(edit)
            case "transform":
                words["old"] = self.writer.argument(edit.parameter, edit.before)
                words["new"] = self.writer.argument(edit.parameter, edit.after)
            case "add_call":
                return self._put_first(edit)
            case "move_call":
                words["place"] = self._before(edit)
        return PHRASES[edit.kind].do.format(**words)

    def _fill(self, edit: Fill) -> str:
        if isinstance(edit.after, Ask):
            return self._ask(edit.after, shown(edit.parameter))
        action = PHRASES["fill"].do.format(new=self.writer.argument(edit.parameter, edit.after))
        if isinstance(edit.after, Reference):
            return self._from(edit, edit.after, action)
        return f"{action}{_ORIGINS.get(edit.pattern, '')}{self._inside(edit.after)}"

    def _rebind(self, edit: Rebind) -> str:
        name, before, after = shown(edit.parameter), edit.before, edit.after
        if isinstance(after, Ask):
            reason = "" if (edit.call, edit.parameter) in self._wrong else self._reason(edit)
            return f"{self._ask(after, name)}{': ' if reason else ''}{reason}"
        old, new = self.writer.source(before), self.writer.source(after)
        if isinstance(before, Reference) and isinstance(after, Reference):
            change = PHRASES["rebind"].do.format(old=old, new=new)
            return change if self._is_same(before, after) else self._from(edit, after, change)
        if changes := list(self._changes(edit)):
            if len(changes) > 1:
                return f"{'; '.join(changes)}; all in {name}"
            return f"in {name}, {changes[0]}"
        change = f"change {name} to {new}" if old != new else f"write {name} as {new}"
        return change + self._inside(after, before)

    def _changes(self, edit: Rebind) -> Iterator[str]:
        """Say how references inside a value change; nothing where something else takes their place."""
        before, after = dict(numbered(edit.before)), dict(numbered(edit.after))
        asks = any(isinstance(each, Ask) for each in slots_of(edit.after))
        if asks or before.keys() != after.keys():
            return
        for number, old in before.items():
            new = after[number]
            if old != new:
                words = {"old": shown(old.spelt()), "new": shown(new.spelt())}
                where = "" if self._is_same(old, new) else self._origin(new, ":")
                yield PHRASES["rebind"].do.format(**words) + where

    def _is_same(self, before: Reference, after: Reference) -> bool:
        """Whether both read from the same given call, so that nothing has to be said of it."""
        given = {call.label for call in self.calls}
        return before.label == after.label and after.label in given

    def _inside(self, after: Source, before: Source | None = None) -> str:
        """Say where the new references and asks inside a value come from."""
        old = set(slots_of(before)) if before is not None else set()
        new = [slot for slot in dict.fromkeys(slots_of(after)) if slot not in old]
        return "".join(f"; {self._slot(slot)}" for slot in new)

    def _needs(self, added: Call) -> Iterator[str]:
        """Say what has to be asked for an added call, and what in it is known from outside the sequence."""
        returned = {call.label for call in self.result.sequence.calls}
        sources = added.arguments.values()
        for slot in dict.fromkeys(slot for source in sources for slot in slots_of(source)):
            if isinstance(slot, Ask):
                yield _sentence(self._slot(slot))
            elif slot.label not in returned:
                yield self._slot(slot)

    def _slot(self, slot: Reference | Ask) -> str:
        if isinstance(slot, Ask):
            return self._ask(slot, shown(slot.name))
        return self._origin(slot, f"{self.writer.source(slot)} is")

    def _from(self, edit: Fill | Rebind, reference: Reference, action: str) -> str:
        """Say what to do, and where the reference in it reads."""
        for added in self._together(edit)[1:]:
            assert added.kind == "add_call"
            call, name = self._put_first(added), shown(edit.parameter)
            return f"get {name} by calling {shown(added.added.name)}: {call}, then {action}"
        return f"{action}{self._origin(reference, ':')}"

    def _origin(self, reference: Reference, subject: str) -> str:
        """Say behind a subject what a reference reads."""
        label, path = shown(reference.label), shown(path_text(reference.path))
        what = f"{subject} {path} of {label}" if path else f"{subject} {label}"
        for number, call in enumerate(self.calls):
            if call.label == reference.label:
                return f"{what}, which call {number + 1} returns"
        if not reference.path:
            return f"{what}, from the context"
        for call in self.result.sequence.calls:
            if call.label == reference.label:
                return f"{what}, which {shown(call.name)} returns"
        instance = self.result._handle.instance
        if instance is None:
            return f"{what}, which is known already"
        if reference.label in instance.memory.values:
            return f"{what}, which memory holds"
        return f"{what}, which a call returned that was executed before"

    def _put_first(self, edit: AddCall) -> str:
        """Say which call to add, and that it has to come before where another call reads from it."""
        sources = (s for call in self.result.sequence.calls for s in call.arguments.values())
        slots = (slot for source in sources for slot in slots_of(source))
        labels = {slot.label for slot in slots if isinstance(slot, Reference)}
        first = "first " if edit.added.label in labels else ""
        call = shown(" ".join(self.writer.lines(edit.added)), LONGEST_SOURCE)
        return first + PHRASES["add_call"].do.format(new=call)

    def _before(self, edit: MoveCall) -> str:
        """Say before which given call one goes, or that it is the last one."""
        origins = self.result.origins
        place = origins.index(edit.call) if edit.call in origins else len(origins)
        following = (of for of in origins[place + 1 :] if of is not None)
        number = next(following, None)
        return "at the end" if number is None else f"before {given_text(number, self.calls)}"

    # -- what is asked ---------------------------------------------------------------

    def _ask(self, ask: Ask, name: str) -> str:
        found = next((each for each in self.result.asks if each.name == ask.name), None)
        note = f" ({_note(found).rstrip('.')})" if found is not None and _note(found) else ""
        if place := self._place(found) if found is not None else "":
            name = f"{shown(ask.name)}{place}"
        if self._words:
            comma = "," if place else ""
            return f"get {name}{comma} from the user's words, or ask the user for it{note}"
        return f"ask the user for {name}{note}"

    def _place(self, ask: AskFor) -> str:
        """Say as a clause where an asked value belongs, where its name does not."""
        if ask.path:
            place = inside_text(ask.parameter or "", ask.path)
            return shown(f", which stands at {place}", LONGEST_NOTE)
        is_alone = [each.parameter for each in self.result.asks].count(ask.parameter) == 1
        if ask.parameter is None or ask.call is None or (is_alone and ask.name == ask.parameter):
            return ""
        calls, origins = self.result.sequence.calls, self.result.origins
        where = shown(calls[ask.call].name) if ask.call < len(calls) else "what is returned"
        origin = origins[ask.call] if ask.call < len(origins) else None
        return f", the {shown(ask.parameter)} of {given_text(origin, self.calls, where)}"

    def _reason(self, edit: Rebind) -> str:
        """Say what is wrong with a value that gives way to one that is asked; empty where that is not known."""
        instance = self.result._handle.instance
        if instance is None or edit.call not in self.result.origins:
            return ""
        tool = self.result.sequence.calls[self.result.origins.index(edit.call)].name
        value = value_of(edit.before)
        declared = instance.index.get(tool)
        if declared is None or edit.parameter not in declared.parameters:
            return ""
        validator = instance.index.validator(tool, edit.parameter)
        if validator is None or instance.index.secrets.places(tool, edit.parameter, value):
            return ""
        try:
            faults = validator.faults(value)
        except BrokenSchemaError:
            return ""
        text = "; ".join(
            f"{inside_text(edit.parameter, fault.path)} should be {fault.expected}, not {fault.given}"
            for fault in faults[:MOST_FAULTS]
        )
        return "" if HIDDEN in text or OTHER in text else shown(text, LONGEST_TEXT)


def _sentence(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return f"{text[:1].upper()}{text[1:]}"


def _note(ask: AskFor) -> str:
    """Return what the catalog says of a value that is asked."""
    return shown(" ".join(ask.description.split()), LONGEST_NOTE)


def _grouped(
    edits: Sequence[Edit], diagnostics: Sequence[Diagnostic]
) -> dict[tuple[int, ...], list[Edit]]:
    """Return the edits by the diagnostics that they answer, in the order of these; none where none does."""
    answered = []
    for edit in edits:
        # A call that goes takes its issues along, and what is added serves the goals.
        serves = edit.kind == "add_call" and not edit.answers
        goes = edit.kind == "delete_call"
        answered.append(
            tuple(
                index
                for index, each in enumerate(diagnostics)
                if index in edit.answers
                or (serves and each.call is None)
                or (goes and each.call == edit.call)
            )
        )
    groups: dict[tuple[int, ...], list[Edit]] = {}
    for index in range(len(diagnostics)):
        for of in dict.fromkeys(each for each in answered if index in each) or [(index,)]:
            found = [edit for edit, each in zip(edits, answered, strict=True) if each == of]
            groups.setdefault(of, found)
    return groups
