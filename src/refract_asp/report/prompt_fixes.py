"""What a prompt says of a repair: its calls as they came in, what is asked, and what each edit does."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from refract_asp.errors import LONGEST_TEXT, FormatError, InputError, shown
from refract_asp.formats import pretty, python
from refract_asp.formats.python import Written
from refract_asp.formats.references import NO_LABELS, Known, source_value
from refract_asp.formats.values import json_text
from refract_asp.model.paths import path_text
from refract_asp.model.secrets import HIDDEN, OTHER, is_secret
from refract_asp.model.sources import Ask, Reference, numbered, slots_of
from refract_asp.report.edits import given_text
from refract_asp.report.suggestions import inside_text, name_text
from refract_asp.report.terminal import escaped

if TYPE_CHECKING:
    from refract_asp.model import Call, RepairResult, Source
    from refract_asp.model import Sequence as Calls
    from refract_asp.model.diagnostic import Diagnostic
    from refract_asp.model.edits import AddCall, Edit, Fill, MoveCall, Rebind
    from refract_asp.model.result import AskFor

__all__ = ["CallWriter", "Fix", "asked_text", "besides_of", "fixes_of"]

LONGEST_NOTE = 200
"""Characters of what the catalog says of a value that is asked."""
MOST = 3
"""So many faults of one value are told."""
LONGEST = 300
"""Characters of a call or value that are shown inside a sentence."""
_WORDS = re.compile(r"[\w\-]{1,200}")


def _note(ask: AskFor) -> str:
    """Return what the catalog says of a value that is asked."""
    return shown(" ".join(ask.description.split()), LONGEST_NOTE)


def asked_text(ask: AskFor, result: RepairResult) -> str:
    """Name a value that is asked, and say what the catalog says of it and what is wrong with the given."""
    note = _note(ask)
    reasons: list[str] = []
    for edit in result.edits:
        if edit.kind == "rebind" and isinstance(edit.after, Ask) and edit.after.name == ask.name:
            wrong = [
                each.message
                for each in result.violations
                if (each.call, each.parameter) == (edit.call, edit.parameter)
            ]
            reason = _reason(edit, result) or shown("".join(wrong[:1]), LONGEST_TEXT)
            reasons += [reason] if reason else []
    name = f"{name_text(ask.name)}{_where_asked(ask, result)}"
    told = [note.rstrip(".") if reasons else note] if note else []
    told += dict.fromkeys(reasons)
    return f"{name}: {'; '.join(told)}" if told else name


def _where_asked(ask: AskFor, result: RepairResult) -> str:
    """Say as a clause where an asked value belongs, where its name does not."""
    if ask.path:
        return shown(
            f", which stands at {inside_text(ask.parameter or '', ask.path)}", LONGEST_NOTE
        )
    is_alone = [each.parameter for each in result.asks].count(ask.parameter) == 1
    if ask.parameter is None or ask.call is None or (is_alone and ask.name == ask.parameter):
        return ""
    calls = result.sequence.calls
    origin = result.origins[ask.call] if ask.call < len(result.origins) else None
    if origin is not None and origin < len(result.given.calls):
        where = given_text(origin, result.given.calls)
    else:
        where = name_text(calls[ask.call].name) if ask.call < len(calls) else "what is returned"
    return f", the {name_text(ask.parameter)} of {where}"


def _reason(edit: Edit, result: RepairResult) -> str:
    """Say what is wrong with a value that gives way to one that is asked; empty where that is not known."""
    instance = result._handle.instance
    if instance is None or edit.kind != "rebind" or not isinstance(edit.after, Ask):
        return ""
    if edit.call not in result.origins:
        return ""
    from refract_asp.rules.schemas.dialects import value_of
    from refract_asp.rules.schemas.validation import BrokenSchemaError

    tool = result.sequence.calls[result.origins.index(edit.call)].name
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
        for fault in faults[:MOST]
    )
    return "" if HIDDEN in text or OTHER in text else shown(text, LONGEST_TEXT)


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
        self._form = given.format if given.format in ("pretty", "python") else "json"
        if given.format is None:
            self._form = "pretty"
        self._names = given.names

    def lines(self, call: Call, labels: Known = NO_LABELS) -> list[str]:
        """Return a call in full, on one line; one that cannot be read may stand on several, as it stood."""
        if call.malformed is not None:
            written = _as_it_stood(call)
            if _speaks_of_secrets(
                written
            ):  # what in it is secret cannot be told where it cannot be read
                return [escaped(f"{call.name}({HIDDEN})")]
            return [escaped(line) for line in written.splitlines()]
        return [escaped(self._call(call, Known(labels.labels, only=self._names)))]

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
        known = Known((), only=self._names)
        values = json_text({name: source_value(source, known) for name, source in returns.items()})
        return escaped(f"return {values}" if self._form == "pretty" else values)

    def _call(self, call: Call, known: Known) -> str:
        if self._form == "pretty":
            return pretty.call_text(call, known)
        if self._form == "python":
            return python.call_text(call, known)
        data: dict[str, Any] = {} if call.id is None else {"id": call.id}
        data["name"] = call.name
        data["arguments"] = {
            name: source_value(each, known) for name, each in call.arguments.items()
        }
        if call.label is not None:
            data["label"] = call.label
        return json_text(data)

    def _source(self, source: Source) -> str:
        known = Known((), only=self._names)
        if self._form == "python":
            return python.source_text(source, known)
        if self._form == "pretty":
            return pretty.source_text(source, known)
        return json_text(source_value(source, known))


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


@dataclass(frozen=True)
class Fix:
    """
    What puts some of the issues right.

    Attributes:
        issues: their numbers, from 1; empty for what has to be done besides.
        texts: what to do, one sentence each.
        call: the given call that is changed besides, from 0, or None.
    """

    issues: tuple[int, ...]
    texts: tuple[str, ...]
    call: int | None = None


def fixes_of(
    result: RepairResult, diagnostics: Sequence[Diagnostic], numbers: Sequence[int], *, words: bool
) -> list[Fix]:
    """
    Say of each issue what puts it right: what the repair does, else what its diagnostic advises.

    Each change is told once, under all issues that it puts right. What is said of different calls stays
    apart, even where the words are the same.

    Args:
        result: the repair.
        diagnostics: those of the result, one for each violation.
        numbers: under which number each of them is told.
        words: whether the user's words are told, too.
    """
    writer = _EditWriter(result, words=words)
    told: dict[tuple[frozenset[int | None], tuple[str, ...]], list[int]] = {}
    for of, edits in _grouped(result.edits, diagnostics).items():
        calls = frozenset(diagnostics[index].call for index in of)
        texts = writer.texts(edits, next(iter(calls)) if len(calls) == 1 else None)
        if not edits:
            advice = diagnostics[of[0]].fix or diagnostics[of[0]].tip
            texts = (advice,) if advice else ()
        if texts:
            told.setdefault((calls, texts), []).extend(numbers[index] for index in of)
    fixes = [Fix(tuple(dict.fromkeys(of)), texts) for (_, texts), of in told.items()]
    rest: dict[int | None, list[Edit]] = {}
    for edit in result.edits:
        if not writer.has_told(edit):
            rest.setdefault(edit.call, []).append(edit)
    return [*fixes, *(Fix((), writer.texts(edits, None), call) for call, edits in rest.items())]


def _grouped(
    edits: Sequence[Edit], diagnostics: Sequence[Diagnostic]
) -> dict[tuple[int, ...], list[Edit]]:
    """Return the edits by the diagnostics that they answer, in the order of these; none where none does."""
    answered = [
        tuple(index for index, each in enumerate(diagnostics) if _answers(edit, index, each))
        for edit in edits
    ]
    groups: dict[tuple[int, ...], list[Edit]] = {}
    for index in range(len(diagnostics)):
        found = list(dict.fromkeys(of for of in answered if index in of)) or [(index,)]
        for of in found:
            groups.setdefault(
                of, [edit for edit, each in zip(edits, answered, strict=True) if each == of]
            )
    return groups


def _answers(edit: Edit, index: int, diagnostic: Diagnostic) -> bool:
    """Whether an edit does; a call that goes takes its issues along, and what is added serves the goals."""
    if diagnostic.call is None and edit.kind == "add_call" and not edit.answers:
        return True
    return index in edit.answers or (edit.kind == "delete_call" and edit.call == diagnostic.call)


def besides_of(result: RepairResult) -> list[str]:
    """Say what the corrected calls do not show: which calls go, move or stay wrong, what is not certain."""
    writer = _EditWriter(result, words=False)
    said = [
        writer.text(edit, None)
        for edit in result.edits
        if edit.kind in ("delete_call", "move_call")
    ]
    for entry in result.confirms:
        call, confirm = result.sequence.calls[entry.call], entry.confirm
        what = name_text(call.name if confirm.kind == "tool" else confirm.parameter)
        of = "" if confirm.kind == "tool" else f" of {name_text(call.label or call.name)}"
        drop = "that it does without " if confirm.kind == "drop" else ""
        said.append(
            f"Make sure of {drop}{what}{of}: {shown(entry.reason, LONGEST_NOTE)}".removesuffix(": ")
        )
    told = {(result.origins[entry.call], entry.reason) for entry in result.confirms}
    for edit in result.edits:
        is_told = edit.kind in ("delete_call", "move_call") or (edit.call, edit.risky) in told
        if edit.risky and not is_told and edit.call not in result.unresolved:
            said.append(writer.text(edit, None))
    said += _left(result)
    return list(dict.fromkeys(said))


def _left(result: RepairResult) -> list[str]:
    """Say which calls have no correction among those of others, and which ones never can have one."""
    given, said = result.given.calls, []
    for number in result.unresolved:
        if number >= len(given):
            continue
        name = given_text(number, given)
        if given[number].malformed is not None:
            said.append(f"Write {name} again: its arguments cannot be read")
        elif any(each.call == number and each.code == "unused_call" for each in result.violations):
            said.append(f"Return what {name} gives, too, or leave it out")
        elif result.edits:
            wrong = next((each.message for each in result.violations if each.call == number), "")
            said.append(f"Correct {name}, for which nothing is known: {shown(wrong, LONGEST_NOTE)}")
    return said


class _EditWriter:
    """Says what the edits of one repair do."""

    def __init__(self, result: RepairResult, *, words: bool) -> None:
        self._result = result
        self._calls = result.given.calls
        self._words = words
        self._writer = CallWriter(result.given)
        self._added = {
            e.added.label: e for e in result.edits if e.kind == "add_call" and e.added.label
        }
        self._told: set[int] = set()
        self._then: list[str] = []
        self._risks: list[str] = []
        self._wrong = {(each.call, each.parameter) for each in result.violations}

    def texts(self, edits: Sequence[Edit], call: int | None) -> tuple[str, ...]:
        """Say what some edits do, and what follows from that; see `text`."""
        said: list[str] = []
        for edit in edits:
            said.append(self.text(edit, call))
            said += self._then
            self._then = []
        return tuple(dict.fromkeys(said))

    def has_told(self, edit: Edit) -> bool:
        """Whether it was said what an edit does, maybe together with another one."""
        return id(edit) in self._told

    def text(self, edit: Edit, call: int | None) -> str:
        """Say what an edit does, in the call of which is spoken or in another one."""
        self._risks = [edit.risky] if edit.risky else []
        text = self._text(edit)
        self._told.add(id(edit))
        risks = "; ".join(shown(risk, LONGEST_NOTE) for risk in dict.fromkeys(self._risks))
        given = self._calls
        names_call = edit.kind in ("add_label", "rename_label", "delete_call", "move_call")
        if (
            edit.call is not None
            and edit.call != call
            and edit.call < len(given)
            and not names_call
        ):
            text = f"In {given_text(edit.call, given)}: {_lower(text)}"
        return f"{text} (not certain: {risks})" if risks else text

    def _text(self, edit: Edit) -> str:
        match edit.kind:
            case "rename_tool":
                return f"Call {name_text(edit.after)} instead of {name_text(edit.before)}"
            case "rename_parameter":
                return f"Rename the parameter {name_text(edit.before)} to {name_text(edit.after)}"
            case "rename_label" | "add_label":
                instead = (
                    f" instead of {name_text(edit.before)}" if edit.kind == "rename_label" else ""
                )
                return f"Give {given_text(edit.call, self._calls)} the label {name_text(edit.after)}{instead}"
            case "drop_argument":
                return f"Leave {name_text(edit.parameter)} out"
            case "fill":
                return self._fill(edit)
            case "rebind":
                return self._rebind(edit)
            case "transform":
                new = self._writer.argument(edit.parameter, edit.after)
                return f"Write {new}, not {self._writer.argument(edit.parameter, edit.before)}"
            case "split_call":
                return f"Make a call of its own for each value of {name_text(edit.parameter)}"
            case "add_call":
                return _upper(self._put_first(edit))
            case "delete_call":
                return f"Leave {given_text(edit.call, self._calls)} out"
        return self._move(edit)

    def _fill(self, edit: Fill) -> str:
        name, after = name_text(edit.parameter), edit.after
        argument = self._writer.argument(edit.parameter, after)
        if isinstance(after, Ask):
            return self._ask(after, name)
        if isinstance(after, Reference):
            return self._from(after, f"Add {argument}", name)
        reason = {
            "default": ", its default in the catalog",
            "constant": ", which another call passes",
            "mapping": ", as a mapping says",
        }.get(edit.pattern, "")
        return f"Add {argument}{reason}{self._inside(after, None)}"

    def _rebind(self, edit: Rebind) -> str:
        name, before, after = name_text(edit.parameter), edit.before, edit.after
        if isinstance(after, Ask):
            reason = (
                "" if (edit.call, edit.parameter) in self._wrong else _reason(edit, self._result)
            )
            return f"{self._ask(after, name)}{': ' if reason else ''}{reason}"
        old, new = self._writer.source(before), self._writer.source(after)
        if isinstance(before, Reference) and isinstance(after, Reference):
            change = f"Change {old} to {new}"
            return change if self._is_same(before, after) else self._from(after, change, name)
        parts = self._parts(edit)
        if parts is not None:
            return parts
        changed = f"Change {name} to {new}" if old != new else f"Write {name} as {new}"
        return changed + self._inside(after, before)

    def _parts(self, edit: Rebind) -> str | None:
        """Say how references inside a value change; None where something else takes their place."""
        before, after = dict(numbered(edit.before)), dict(numbered(edit.after))
        if before.keys() != after.keys() or any(
            isinstance(each, Ask) for each in slots_of(edit.after)
        ):
            return None
        said = []
        for number, old in before.items():
            new = after[number]
            if old != new:
                change = f"change {name_text(old.spelt())} to {name_text(new.spelt())}"
                said.append(change if self._is_same(old, new) else change + self._origin(new, ""))
        if not said:
            return None
        if said[1:]:
            return f"{_upper('; '.join(said))}; all in {name_text(edit.parameter)}"
        return f"In {name_text(edit.parameter)}, {said[0]}"

    def _is_same(self, before: Reference, after: Reference) -> bool:
        """Whether both read from the same given call, so that nothing has to be said of it."""
        given = {call.label for call in self._calls}
        return before.label == after.label and after.label in given

    def _inside(self, after: Source, before: Source | None) -> str:
        """Say where the new references and asks inside a value come from."""
        old = set(slots_of(before)) if before is not None else set()
        said = [
            self._ask(slot, name_text(slot.name))
            if isinstance(slot, Ask)
            else self._origin(slot, self._writer.source(slot))
            for slot in dict.fromkeys(slots_of(after))
            if slot not in old
        ]
        return "".join(f"; {_lower(text)}" for text in said if text)

    def _from(self, reference: Reference, action: str, name: str) -> str:
        """Say what to do, and where the reference in it reads."""
        added = self._added.get(reference.label)
        if added is not None:
            self._told.add(id(added))
            self._risks += [added.risky] if added.risky else []
            tool = name_text(added.added.name)
            return f"Get {name} by calling {tool}: {self._put_first(added)}, then {_lower(action)}"
        return f"{action}{self._origin(reference, '')}"

    def _origin(self, reference: Reference, subject: str) -> str:
        """Say what a reference reads; after the subject, or as a clause behind the reference."""
        subject = f"{subject} is" if subject else ":"
        label, path = name_text(reference.label), name_text(path_text(reference.path))
        what = f"{path} of {label}" if path else label
        for number, call in enumerate(self._calls):
            if call.label == reference.label:
                return f"{subject} {what}, which call {number + 1} returns"
        if not reference.path:
            return f"{subject} {label}, from the context"
        for call in self._result.sequence.calls:
            if call.label == reference.label:
                return f"{subject} {what}, which {name_text(call.name)} returns"
        return f"{subject} {what}, {self._known(reference.label)}"

    def _known(self, label: str) -> str:
        """Say who knows a label that no call of the sequence bears."""
        instance = self._result._handle.instance
        if instance is None:
            return "which is known already"
        if label in instance.memory.values:
            return "which memory holds"
        return "which a call returned that was executed before"

    def _ask(self, ask: Ask, name: str) -> str:
        found = next((each for each in self._result.asks if each.name == ask.name), None)
        note = _note(found) if found is not None else ""
        told = f" ({note.rstrip('.')})" if note else ""
        where = _where_asked(found, self._result) if found is not None else ""
        if where:
            name = f"{name_text(ask.name)}{where}"
        if self._words:
            return f"Get {name}{',' if where else ''} from the user's words, or ask the user for it{told}"
        return f"Ask the user for {name}{told}"

    def _put_first(self, edit: AddCall) -> str:
        """Say which call to add; what has to be asked for it, or is known, is to be said then."""
        returned = {call.label for call in self._result.sequence.calls}
        for slot in dict.fromkeys(
            s for source in edit.added.arguments.values() for s in slots_of(source)
        ):
            if isinstance(slot, Ask):
                self._then.append(self._ask(slot, name_text(slot.name)))
            elif slot.label not in returned:
                self._then.append(self._origin(slot, self._writer.source(slot)))
        first = "first " if self._is_read(edit.added) else ""
        return f"{first}call {self._writer.call(edit.added)}"

    def _is_read(self, added: Call) -> bool:
        """Whether another call reads from an added one, so that it has to come before."""
        sources = (
            source for call in self._result.sequence.calls for source in call.arguments.values()
        )
        slots = (slot for source in sources for slot in slots_of(source))
        return any(isinstance(slot, Reference) and slot.label == added.label for slot in slots)

    def _move(self, edit: MoveCall) -> str:
        """Say before which call one goes, or that it is the last one."""
        result = self._result
        place = result.origins.index(edit.call) if edit.call in result.origins else -1
        following = (
            [of for of in result.origins[place + 1 :] if of is not None] if place >= 0 else []
        )
        where = f"before {given_text(following[0], self._calls)}" if following else "at the end"
        return f"Put {given_text(edit.call, self._calls)} {where}"


def _lower(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"


def _upper(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
