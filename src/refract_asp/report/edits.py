"""What an edit does, and what it asks its reader to do, in the words of `model/words.yaml`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress

from refract_asp.errors import LONGEST, LONGEST_TEXT, shown
from refract_asp.formats import pretty, python
from refract_asp.formats.python import Written
from refract_asp.formats.references import NO_LABELS, Known, source_value
from refract_asp.formats.values import json_text
from refract_asp.model import AskFor, Call, Edit, RepairResult, Source, Violation
from refract_asp.model.diagnostic import Diagnostic
from refract_asp.model.edits import Rebind
from refract_asp.model.paths import present
from refract_asp.model.secrets import HIDDEN, OTHER, is_secret
from refract_asp.model.sequence import Ask, Constant, Reference, numbered
from refract_asp.report.suggestions import change, inside_text, value_text
from refract_asp.report.terminal import escaped
from refract_asp.resources import packaged

_WORDS = re.compile(r"[\w\-]{1,200}")


class CallWriter:
    """
    Prints calls on a line each: in the printed form or as Python where they came in so, else as JSON.

    Every text is without control characters; those in values are escaped as JSON does.

    Args:
        format: the format in which the calls came in.
        names: the only names that texts refer to, see `Sequence.names`.
        most: how many characters of a source are printed.

    Example:
        >>> from refract_asp.model import Ask, Call
        >>> writer = CallWriter("nestful")
        >>> writer.lines(Call(name="Put", arguments={"date": Ask(name="date")}))
        ['{"name": "Put", "arguments": {"date": "$date$"}}']
        >>> writer.argument("date", Ask(name="date"))
        '"date": "$date$"'
    """

    def __init__(
        self, format: str | None, names: frozenset[str] | None = None, most: int = LONGEST
    ) -> None:
        """Print as the calls of a format."""
        self._printer = {"pretty": pretty, None: pretty, "python": python}.get(format)
        self._names, self._most = names, most
        self._known = Known((), only=names)

    def lines(self, call: Call, labels: Known = NO_LABELS) -> list[str]:
        """Return a call in full, on one line; one that cannot be read may stand on several, as it stood."""
        if call.malformed is not None:
            written = call.written.text if isinstance(call.written, Written) else ""
            with suppress(TypeError, ValueError, RecursionError):
                data = call.written or call.name
                written = written or json.dumps(data, ensure_ascii=False, default=str)
            # What is secret in it cannot be told where it cannot be read.
            if any(is_secret(word, {}) for word in _WORDS.findall(written.replace("\\", " "))):
                return [escaped(f"{call.name}({HIDDEN})")]
            return [escaped(line) for line in (written or shown(call.name)).splitlines()]
        known = Known(labels.labels, only=self._names)
        if self._printer is not None:
            return [escaped(self._printer.call_text(call, known))]
        arguments = {name: source_value(each, known) for name, each in call.arguments.items()}
        data = {"id": call.id, "name": call.name, "arguments": arguments, "label": call.label}
        return [escaped(json_text(present(data)))]

    def argument(self, name: str, source: Source) -> str:
        """Return an argument, bounded."""
        if self._printer is not None:
            return f"{shown(name)}={self._shown(self._printer.source_text(source, self._known))}"
        value = json_text(source_value(source, self._known))
        return f"{shown(json_text(name))}: {self._shown(value)}"

    def call(self, call: Call) -> str:
        """Return a call, bounded."""
        return shown(" ".join(self.lines(call, self._known)), max(self._most, LONGEST_TEXT))

    def returned(self, returns: dict[str, Source]) -> str:
        """Return the line that says what a sequence gives back."""
        values = json_text({n: source_value(each, self._known) for n, each in returns.items()})
        return escaped(f"return {values}" if self._printer is pretty else values)

    def asked(self, names: Sequence[str]) -> list[str]:
        """Return the lines by which a sequence says that values have to be asked for, in the form that has any."""
        return [escaped(pretty.ask_text(name)) for name in names] if self._printer is pretty else []

    def _shown(self, text: str) -> str:
        return shown(escaped(text), self._most)


def place_text(edit: Edit, result: RepairResult, beside: Edit | None = None) -> str:
    """Return the call that an edit changes, to stand before a message; empty if `beside` changes it too."""
    if edit.call is None or (beside is not None and beside.call == edit.call):
        return ""
    return f"{given_text(edit.call, result.given.calls, 'what is returned')}: "


def edit_text(edit: Edit) -> str:
    """
    Say what an edit does.

    Example:
        >>> from refract_asp.model.edits import RenameTool
        >>> edit_text(RenameTool(before="Serch", after="Search"))
        'the tool becomes Search'
    """
    more: dict[str, object] = {}
    if edit.kind in ("fill", "rebind", "transform"):
        more["becomes"] = _becomes(edit.after)
    elif edit.kind == "split_call":
        more["count"] = len(edit.after)
    elif edit.kind == "add_call":
        added = edit.added
        told = ", ".join(f"{shown(name)} {_becomes(s)}" for name, s in added.arguments.items())
        more["new"] = f"{shown(added.name)}{f' ({told})' if told else ''}"
    does: str = packaged("model/words")["edits"][edit.kind]["does"]
    return does.format(**_names_of(edit), **more)


def _names_of(edit: Edit) -> dict[str, str]:
    """Return the names in an edit as they are shown: of a tool, a label or parameters."""
    names = {name: shown(value) for name, value in edit if isinstance(value, str)}
    return names | (
        {"members": ", ".join(map(shown, edit.after))} if edit.kind == "open_argument" else {}
    )


def _becomes(source: Source) -> str:
    if isinstance(source, Ask):
        return "is asked for"
    if isinstance(source, Reference):
        return f"reads {shown(str(source))}"
    if isinstance(source, Constant):
        return f"becomes {value_text(source.value)}"
    return "changes inside"


def fix_text(
    edit: Edit, result: RepairResult, writer: CallWriter, reference: int | None = None
) -> str | None:
    """
    Say what to change so that calls become those of a repair; None where that can't be told in a line.

    Args:
        edit: an edit of the repair.
        result: the repair.
        writer: prints calls and values.
        reference: the number of the one reference in the argument that is meant; None for the whole argument.

    Example:
        >>> from refract_asp import repair
        >>> tool = {"name": "Get", "effect": "read", "parameters": {"amount": {"required": True}}}
        >>> result = repair("Get(amont=3)", {"tools": [tool]})
        >>> fix_text(result.edits[0], result, CallWriter("pretty"))
        'Change amont to amount'
    """
    words = _names_of(edit)
    words["call"] = given_text(edit.call, result.given.calls, "the call")
    match edit.kind:
        case "rename_tool" | "rename_parameter":
            return change(words["before"], words["after"])
        case "fill" | "rebind" if isinstance(edit.after, Ask):
            return f"Ask for {words['parameter']}"
        case "fill":
            words["new"] = writer.argument(edit.parameter, edit.after)
        case "rebind" | "transform":
            if edit.kind == "rebind" and (spelt := _respelt(edit, reference)) is not None:
                return spelt or None
            words["old"] = writer.argument(edit.parameter, edit.before)
            words["new"] = writer.argument(edit.parameter, edit.after)
            if words["old"] == words["new"] or (HIDDEN in words["old"] and OTHER in words["new"]):
                return None
        case "split_call" if edit.call is not None:
            words["tool"] = shown(result.given.calls[edit.call].name)
        case "add_call":
            words["new"] = writer.call(edit.added)
        case "move_call":
            place = result.origins[: edit.after][-1:]
            words["place"] = "to the front"
            if place:
                otherwise = shown(result.sequence.calls[edit.after - 1].name)
                words["place"] = f"after {given_text(place[0], result.given.calls, otherwise)}"
    return str(packaged("model/words")["edits"][edit.kind]["fix"]).format(**words)


def _respelt(edit: Rebind, reference: int | None) -> str | None:
    """Say how references are spelt then; None where what is read is no reference any more."""
    before, after = dict(numbered(edit.before)), dict(numbered(edit.after))
    changed = [n for n in before if before[n] != after.get(n)]
    changed = changed if reference is None else [reference]
    if not changed or not {*changed} <= before.keys() & after.keys():
        return None
    spelt = [(shown(before[n].spelt()), shown(after[n].spelt())) for n in changed]
    return "; ".join(filter(None, (change(*each) for each in spelt)))


def given_text(number: int | None, calls: Sequence[Call], otherwise: str) -> str:
    """Name a given call by its number, from 1, and its label or tool; else return `otherwise`."""
    if number is None or not 0 <= number < len(calls):
        return otherwise
    label = calls[number].label
    return f"call {number + 1} ({shown(calls[number].name if label is None else label)})"


def place_of(fault: Diagnostic | Violation) -> str:
    """
    Name the place of what is wrong: the call by its number, from 1, and its label or tool, and the argument.

    Example:
        >>> from refract_asp.model.edits import Violation
        >>> place_of(Violation(code="missing_parameter", message="", call=1, tool="Pay", parameter="sum"))
        'call 2 (Pay), sum'
    """
    if fault.call is None:
        goal = fault.attempted if isinstance(fault, Diagnostic) else None
        return f"goal {goal or shown(fault.given, LONGEST_TEXT)}"
    name = shown(fault.tool if fault.label is None else fault.label)
    if name or fault.code == "malformed_arguments":  # a call may be read without its name
        place = f"call {fault.call + 1}" + (f" ({name})" if name else "")
    else:
        place = "what is returned"
    return place if fault.parameter is None else f"{place}, {shown(fault.parameter)}"


def ask_text(ask: AskFor, calls: Sequence[Call]) -> str:
    """Say what a value is that is asked for: its name, and what the catalog says of it or where it belongs."""
    description = shown(" ".join(ask.description.split()), LONGEST_TEXT)
    if ask.path:
        place = inside_text(shown(ask.parameter), ask.path)
        description = f"{place}: {description}" if description else place
    elif not description and ask.call is not None and ask.call < len(calls):
        description = f"{shown(ask.parameter or 'a value')} of {bound_text(calls[ask.call])}"
    answers = [*([shown(ask.expected, LONGEST_TEXT)] if ask.expected not in ("", "string") else [])]
    answers += ["may be left out"] if ask.optional else []
    told = f" ({'; '.join(answers)})" if answers else ""
    return f"{shown(ask.name)}: {description}{told}" if description else f"{shown(ask.name)}{told}"


def supply_text(ask: AskFor) -> str:
    """
    Say what the writer of a call has to put in, where a value is missing or the given one cannot be brought to fit.

    Example:
        >>> supply_text(AskFor(name="city", parameter="city", expected="string", description="Its name."))
        'Add city (string, required): Its name.'
    """
    name = shown(ask.parameter or ask.name)
    if ask.path:
        name = inside_text(name, ask.path)
    kind = f"{shown(ask.expected, 200)}, " if ask.expected else ""
    about = shown(" ".join(ask.description.split()), LONGEST_TEXT).rstrip(".")
    verb = "Add" if ask.given is None else "Correct"
    need = "may be left out" if ask.optional else "required"
    return f"{verb} {name} ({kind}{need}){f': {about}' if about else ''}."


def bound_text(call: Call) -> str:
    """Name a call of a repaired sequence: its label and its tool."""
    return f"{f'{shown(call.label)} = ' if call.label is not None else ''}{shown(call.name)}"
