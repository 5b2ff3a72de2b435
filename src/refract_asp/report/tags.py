"""
Error tags: of what `check` or `repair` found, of a sequence against a correct one (the truth), and as text.

A sequence and the truth are compared up to the names of labels and the order of independent calls: each call is
paired with the one of the truth from which it differs least (see `model.closeness`), and what differs in a pair
has a tag. The violations that `check` finds tell what is made up from what is just wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from refract_asp.errors import shown
from refract_asp.formats import load_sequence
from refract_asp.formats.pretty import call_text, source_text
from refract_asp.model import Ask, Constant, Reference, Sequence, Source, Structure, Template
from refract_asp.model.comparison import paired_calls, told
from refract_asp.model.diagnostic import Tag, TaggedFault, Tags, tag_meanings, tag_of
from refract_asp.model.edits import Edit, Violation
from refract_asp.model.paths import FieldPath, steps_of
from refract_asp.model.result import RepairResult, Report
from refract_asp.model.secrets import Secrets, with_arguments
from refract_asp.model.sequence import Call, all_calls, numbered
from refract_asp.model.stages import reads_of
from refract_asp.ports import port
from refract_asp.report.edits import given_text
from refract_asp.report.terminal import count, folded, painted

_REFERENCE_CODES = ("unknown_label", "unknown_field", "read_before_written", "type_mismatch")
_PARAMETER_CODES = ("missing_parameter", "undeclared_parameter")
_FIRST = ["rename_label", "add_label", "add_call", "move_call", "rename_tool"]
_FIRST += ["rename_parameter", "delete_call"]
"""Where several edits answer a violation, the first one of these names the mistake."""

_Key: TypeAlias = tuple[Tag, int | None, str | None, int]
_Placed: TypeAlias = tuple[int, Edit]


def tags_of(report: Report) -> Tags:
    """
    Return the mistakes in a sequence by kind, as a report tells them.

    A report of `check` tells the tag of each violation. A repair tells more: a label that nobody has is a
    `missing_call` when a call is added for it, a `wrong_label` when a call gets it, and a
    `made_up_assignment` when its reader reads elsewhere. Of calls that are left out though nothing is wrong
    with them, as `compress` does, it tells which are a `bad_repetition` and which a `superfluous_call`.

    Args:
        report: what `check` or `repair` gave; one that was loaded from data will do.

    Example:
        >>> from refract_asp import check, repair
        >>> tool = {"name": "Get", "effect": "read", "parameters": {"id": {"required": True}},
        ...         "returns": {"id": {}}}
        >>> calls = 'a = Get(id=3)\\nb = Get(id="$c.id$")\\nGet(id="$b.id$")'
        >>> tags_of(check(calls, {"tools": [tool]})).calls
        {1: ('made_up_assignment',)}
        >>> tags_of(repair("Get(id=3)\\nGet(id='$a.id$')", {"tools": [tool]})).calls
        {0: ('missing_label',)}
    """
    result = report if isinstance(report, RepairResult) else None
    edits: list[_Placed] = list(enumerate(getattr(report, "edits", ())))
    causes: dict[_Key, list[int]] = {}
    for number, violation in enumerate(report.violations):
        answering = [(place, edit) for place, edit in edits if number in edit.answers]
        is_met = result is not None and violation.given not in result.unmet
        if violation.code == "unmet_goal" and is_met and not answering:
            # on the side: a call gets its tool, or changes its place
            tool = violation.tool
            gets = [
                each for each in edits if each[1].kind == "rename_tool" and each[1].after == tool
            ]
            moves = [each for each in edits if each[1].kind == "move_call" and not each[1].answers]
            answering = [*gets, *moves][:1]
        causes.setdefault(_cause(violation, report.violations, answering), []).append(number)
    for place, edit in edits:
        if edit.kind == "delete_call" and not edit.answers:
            tag: Tag = "superfluous_call" if edit.instead is None else "bad_repetition"
            causes.setdefault((tag, edit.call, None, place), [])
    faults = (
        TaggedFault(tag=tag, call=call, parameter=parameter, violations=tuple(numbers))
        for (tag, call, parameter, _), numbers in causes.items()
    )
    return Tags(faults=in_order(faults))


def in_order(faults: Iterable[TaggedFault]) -> tuple[TaggedFault, ...]:
    """Return mistakes in the order of the given calls, what lies in none of them last."""
    return tuple(sorted(faults, key=lambda fault: (fault.call is None, fault.call or 0)))


def _cause(
    violation: Violation, violations: tuple[Violation, ...], answering: list[_Placed]
) -> _Key:
    """
    Return the mistake behind a violation: its kind and place, and by which edit it is one with others.

    Args:
        violation: what is wrong.
        violations: all that is wrong.
        answering: the edits of the repair that answer it, each with its number; none after a check.
    """
    here: _Key = (tag_of(violation.code), violation.call, violation.parameter, -1)
    ranked = sorted(answering, key=lambda each: [*_FIRST, each[1].kind].index(each[1].kind))
    for place, edit in ranked:
        match edit.kind:
            case "rename_label" if violation.code in _REFERENCE_CODES:
                return "wrong_label", edit.call, None, place
            case "add_label" if violation.code in _REFERENCE_CODES:
                return "missing_label", edit.call, None, place
            case "add_call" if violation.code in ("unknown_label", "unknown_field", "unmet_goal"):
                return "missing_call", None, None, place
            case "move_call" if violation.code == "read_before_written":
                return here
            case "move_call" if violation.code == "unmet_goal":
                return "wrong_order", edit.call, None, place
            case "rename_tool" if violation.code != "unknown_tool":
                if any(violations[each].code == "unknown_tool" for each in edit.answers):
                    return "made_up_tool", edit.call, None, -1
                return "wrong_tool", edit.call, None, place
            case "rename_parameter" if violation.code in _PARAMETER_CODES:
                return "made_up_parameter", edit.call, edit.before, place
            case "rebind":
                slot = violation.reference or 0
                slots = (dict(numbered(each)).get(slot) for each in (edit.before, edit.after))
                before, after = slots
                # the same path of another call, or another value than what came too early
                is_other = violation.code == "read_before_written" and before != after
                if violation.code == "unknown_field" and before and after:
                    is_other = before.label != after.label and before.path == after.path
                if is_other:
                    return "wrong_assignment", violation.call, violation.parameter, -1
    return here


# -- against the truth -----------------------------------------------------------------

_Leaf: TypeAlias = str | Reference | Ask
_Found: TypeAlias = tuple[Tag, int | None]
"""A tag, and the call in which the mistake lies; None for the one that is looked at."""


def tags_against(
    given: Any, truth: Any, catalog: Any = None, memory: Any = None, history: Any = ()
) -> Tags:
    """
    Return the mistakes of a sequence against a correct one, by kind; none where both are the same.

    Args:
        given: the sequence, as anything that `Sequence.load` takes.
        truth: the correct one.
        catalog: the tools, as anything that `Catalog.load` takes, or a `Refractor`; it tells tools,
            parameters and fields that are made up from wrong ones.
        memory: values already known, as anything that `Memory.load` takes.
        history: calls that were already executed.

    Raises:
        InputError: a sequence or the catalog cannot be read.

    Example:
        >>> truth = 'a = Search(query="Rome")\\nGo(to="$a.id$")'
        >>> tags_against('b = Search(query="Rome")\\nGo(to="$b.id$")', truth).sequence
        ()
        >>> tags_against('b = Search(query="Bonn")\\nGo(to="$b.name$")', truth).calls
        {0: ('wrong_value',), 1: ('wrong_assignment',)}
        >>> tags_against('Go(to="$a.id$")', truth).faults
        (TaggedFault(tag='missing_call', call=None, parameter=None, violations=(), truth=0),)
    """
    return compared(given, truth, catalog, memory, history).tags


class Compared(NamedTuple):
    """
    A sequence that was compared with a correct one.

    Attributes:
        tags: its mistakes.
        given: the sequence, as it was understood.
        truth: the correct one, likewise.
        secrets: what hides the secrets of both.
    """

    tags: Tags
    given: Sequence
    truth: Sequence
    secrets: Secrets


def compared(
    given: Any, truth: Any, catalog: Any = None, memory: Any = None, history: Any = ()
) -> Compared:
    """
    Compare a sequence with a correct one as `tags_against` does, and return both sequences, too.

    Raises:
        InputError: a sequence or the catalog cannot be read.
    """
    sequence, right = load_sequence(given), load_sequence(truth)
    secrets = Secrets()
    violations: tuple[Violation, ...] = ()
    if catalog is not None:
        refractor = catalog if hasattr(catalog, "check") else port("Refractor")(catalog)
        report, other = (refractor.check(each, memory, history) for each in (sequence, right))
        violations, secrets = report.violations, report._secrets
        # as they were understood: what is given by position has the name of its parameter there
        sequence, right = (each._handle.instance.sequence for each in (report, other))
    faults = dict.fromkeys(_Comparing(sequence, right, violations).faults())
    return Compared(Tags(faults=in_order(faults)), sequence, right, secrets)


class _Side:
    """A sequence, and for each of its calls (and what it returns) which call has which label by then."""

    def __init__(self, sequence: Sequence) -> None:
        self.calls = sequence.calls
        self.arguments = [call.arguments for call in all_calls(sequence)]
        self.digests = [each.digest for each in told(sequence)]
        self.labels_read = {read.reference.label for read in reads_of(sequence)}
        self.bearers: list[dict[str, int]] = [{}]
        for number, call in enumerate(self.calls):
            own = {call.label: number} if call.label is not None else {}
            self.bearers.append({**self.bearers[-1], **own} if own else self.bearers[-1])


class _Comparing:
    """Compares a sequence with the truth, and both with what `check` says."""

    def __init__(self, given: Sequence, truth: Sequence, violations: tuple[Violation, ...]) -> None:
        self._order, self._early = _reading_order(given)
        if _reading_order(truth)[1]:  # there such labels are those of memory or of the history
            self._order, self._early = list(range(len(given.calls))), set()
        calls = tuple(given.calls[number] for number in self._order)
        given = given.model_copy(update={"calls": calls})
        self._given, self._truth = _Side(given), _Side(truth)
        self._wrong = {(each.code, each.call, each.parameter) for each in violations}
        pairs = paired_calls(given, truth)
        # Two calls that were paired because no others were left may be unrelated.
        self._partner = {
            mine: yours
            for mine, yours in pairs
            if mine == len(self._given.calls)
            or self._given.calls[mine].name == self._truth.calls[yours].name
            or self._says("unknown_tool", mine)
            or self._given.arguments[mine].keys() & self._truth.arguments[yours].keys()
        }
        self._meant = {yours: mine for mine, yours in self._partner.items()}

    def faults(self) -> Iterator[TaggedFault]:
        """Yield each mistake."""
        given, truth = self._given, self._truth
        for number in range(len(given.calls)):
            yours = self._partner.get(number)
            is_made_up = self._says("unknown_tool", number)
            mine, wanted = given.calls[number], None if yours is None else truth.calls[yours]
            if yours is None or wanted is None:
                if is_made_up:
                    yield self._fault("made_up_tool", number)
                again = given.digests[number] in given.digests[:number]
                yield self._fault("bad_repetition" if again else "superfluous_call", number)
            elif mine.malformed is not None and wanted.malformed is None:
                yield self._fault("malformed", number, truth=yours)
            else:
                if mine.name != wanted.name:
                    tag: Tag = "made_up_tool" if is_made_up else "wrong_tool"
                    yield self._fault(tag, number, truth=yours)
                yield from self._arguments(number, yours)
        yield from self._arguments(len(given.calls), len(truth.calls))
        missing = (number for number in range(len(truth.calls)) if number not in self._meant)
        yield from (TaggedFault(tag="missing_call", truth=number) for number in missing)

    # -- arguments ---------------------------------------------------------------

    def _arguments(self, mine: int, yours: int) -> Iterator[TaggedFault]:
        first, second = self._given.arguments[mine], self._truth.arguments[yours]
        absent = [name for name in second if name not in first]
        for name, source in first.items():
            if name in second:
                found = list(self._sources((mine, name), yours, source, second[name]))
                if not found and (self._place(mine), name) in self._early:
                    found = [("wrong_order", None)]
                for tag, place in found:
                    if place is None:
                        yield self._fault(tag, mine, name, truth=yours)
                    else:
                        yield self._fault(tag, place, truth=self._partner.get(place))
            elif self._says("undeclared_parameter", mine, name):
                yield self._fault("made_up_parameter", mine, name, truth=yours)
                given = ((mine, name), yours, source)
                alike = (n for n in absent if not any(self._sources(*given, second[n])))
                if meant := next(alike, None):
                    absent.remove(meant)
            else:
                yield self._fault("superfluous_parameter", mine, name, truth=yours)
        yield from (self._fault("missing_parameter", mine, name, truth=yours) for name in absent)

    def _sources(
        self, at: tuple[int, str], yours: int, first: Source, second: Source
    ) -> Iterator[_Found]:
        """Yield in what the source of an argument differs from that of the truth."""
        if isinstance(first, Reference) and not isinstance(second, Ask):
            yield from self._references(at, yours, first, second)
            return
        mine, wanted = dict(_leaves(first)), dict(_leaves(second))
        if mine.keys() != wanted.keys():
            yield "wrong_value", None
        for path in mine.keys() & wanted.keys():
            one, other = mine[path], wanted[path]
            if isinstance(one, Ask) or isinstance(other, Ask):
                if type(one) is not type(other):
                    yield "missing_parameter", None
            elif isinstance(one, Reference):
                yield from self._references(at, yours, one, other)
            elif one != other:
                yield "wrong_value", None

    def _references(
        self, at: tuple[int, str], yours: int, first: Reference, second: Source | str
    ) -> Iterator[_Found]:
        """Yield in what a reference differs from the source that the truth has."""
        read = self._given.bearers[at[0]].get(first.label)
        is_made_up = self._says("unknown_field", *at)
        made_up: Tag = "made_up_assignment" if is_made_up else "wrong_assignment"
        if not isinstance(second, Reference):
            yield ("made_up_assignment" if read is None and first.path else made_up), None
            return
        wanted = self._truth.bearers[yours].get(second.label)
        if read is None and wanted is not None:
            yield from self._lost(first, second, self._meant.get(wanted))
            return
        is_other = read is not None or first.label != second.label
        if first.path != second.path or (wanted is None and is_other):
            yield made_up, None
        elif read is not None and wanted is not None:
            is_same = self._given.digests[read] == self._truth.digests[wanted]
            if not is_same and self._partner.get(read) != wanted:
                yield "wrong_assignment", None

    def _lost(self, first: Reference, second: Reference, meant: int | None) -> Iterator[_Found]:
        """Yield the mistake behind a reference to a label that no call has, where `meant` should have it."""
        label = None if meant is None else self._given.calls[meant].label
        if meant is not None and label is None:
            yield "missing_label", meant
        elif label is not None and label not in self._given.labels_read:
            yield "wrong_label", meant
        elif label is not None or first.path != second.path:  # a missing call is reported elsewhere
            yield "made_up_assignment", None

    # -- telling -----------------------------------------------------------------

    def _says(self, code: str, mine: int, parameter: str | None = None) -> bool:
        """Whether `check` reports a code for a call, or for an argument."""
        return (code, self._place(mine), parameter) in self._wrong

    def _fault(
        self, tag: Tag, mine: int, parameter: str | None = None, truth: int | None = None
    ) -> TaggedFault:
        return TaggedFault(tag=tag, call=self._place(mine), parameter=parameter, truth=truth)

    def _place(self, mine: int) -> int:
        """Return where a call stands as it was given."""
        return self._order[mine] if mine < len(self._order) else mine


def _leaves(source: Source, path: FieldPath = ()) -> Iterator[tuple[FieldPath, _Leaf]]:
    """Yield what a source is made of with its place: references, asks and, as text, values."""
    if isinstance(source, Template):
        yield from (((*path, n), part) for n, part in enumerate(source.parts))
    elif isinstance(source, Structure):
        for step, inner in steps_of(source.value):
            yield from _leaves(inner, (*path, step))
    elif isinstance(source, Constant):
        yield path, json.dumps(source.value, sort_keys=True)  # 1, 1.0 and true are three
    else:
        yield path, source


def _reading_order(sequence: Sequence) -> tuple[list[int], set[tuple[int, str]]]:
    """
    Put calls behind those that they read; as given where none reads a later one, or some read in circles.

    Returns:
        The calls in that order, and the arguments that read what comes later in the given one.
    """
    first = reversed([*enumerate(sequence.calls)])
    bearers: dict[str | None, int] = {call.label: number for number, call in first}
    early: set[tuple[int, str]] = set()
    needs: dict[int, set[int]] = {number: set() for number in range(len(sequence.calls))}
    for number, call in enumerate(sequence.calls):
        for parameter, source in call.arguments.items():
            labels = (reference.label for _, reference in numbered(source))
            if later := {bearers[each] for each in labels if bearers.get(each, -1) > number}:
                needs[number] |= later
                early.add((number, parameter))
    order, left = list[int](), list(needs)
    while left:
        ready = next((each for each in left if needs[each].isdisjoint(left)), None)
        if ready is None:
            return list(needs), early
        left.remove(ready)
        order.append(ready)
    return order, early


# -- as text ---------------------------------------------------------------------------


def tags_text(
    tags: Tags,
    given: Sequence,
    truth: Sequence | None = None,
    *,
    report: Report | None = None,
    secrets: Secrets | None = None,
    color: bool = False,
    width: int = 80,
) -> str:
    """
    Print the tags of a sequence as a whole, then each mistake with its place and what it is about.

    Args:
        tags: the mistakes.
        given: the sequence in which they are.
        truth: the sequence that it was compared with, if it was.
        report: what `check` or `repair` found, to which the tags belong; without it, and without a truth, it
            is told what each tag means.
        secrets: what hides the secrets; by default that of the report, or by their names.
        color: whether to add terminal colours.
        width: at how many columns lines are wrapped.

    Example:
        >>> from refract_asp import check
        >>> from refract_asp.model import Sequence
        >>> calls = Sequence.load("Pay(sum=3)")
        >>> report = check(calls, {"tools": [{"name": "Pay"}]})
        >>> print(tags_text(report.tags(), calls, report=report))
        1 tag: made_up_parameter
        <BLANKLINE>
        call 1 (Pay), sum: made_up_parameter: Pay has no parameter sum
    """
    if secrets is None:
        secrets = report._secrets if report is not None else Secrets()
    if not tags.faults:
        return "no tags: nothing differs." if truth is not None else "no tags: nothing is wrong."
    names = [f"{tag} ({times})" if times > 1 else tag for tag, times in tags.counts.items()]
    lines = [folded(f"{count(len(names), 'tag')}: {', '.join(names)}", width), ""]
    for fault in tags.faults:
        place = given_text(fault.call, given.calls, "what is returned")
        if fault.call is None:
            place = "sequence"
        elif fault.parameter is not None:
            place += f", {shown(fault.parameter)}"
        text = _difference(fault, given, truth, secrets) if truth is not None else ""
        if report is not None and fault.violations:
            first, others = report.violations[fault.violations[0]], len(fault.violations) - 1
            text = first.message + (f"; and {count(others, 'more violation')}" if others else "")
        line = folded(f"{place}: {fault.tag}: {text or tag_meanings()[fault.tag]}", width)
        tag = painted(fault.tag, "bold", "red", color=color)
        lines.append(line.replace(fault.tag, tag, 1))
    return "\n".join(lines)


def _difference(fault: TaggedFault, given: Sequence, truth: Sequence, secrets: Secrets) -> str:
    """Return what is given and what is wanted, secrets hidden; empty where both read the same."""
    mine, yours = _call(given, fault.call), _call(truth, fault.truth)
    tools = [each.name for each in (mine, yours) if each is not None]
    texts = []
    for call in (mine, yours):
        if call is None or (fault.parameter is not None and fault.parameter not in call.arguments):
            texts.append("nothing")
            continue
        hidden = {n: secrets.argument(tools, [n], each) for n, each in call.arguments.items()}
        if fault.parameter is None:
            texts.append(shown(call_text(with_arguments(call, hidden))))
        else:
            texts.append(shown(source_text(hidden[fault.parameter])))
    return f"{texts[0]}, where the truth has {texts[1]}" if texts[0] != texts[1] else ""


def _call(sequence: Sequence, number: int | None) -> Call | None:
    """Return a call by its index; what is returned counts as a call without a name."""
    calls = all_calls(sequence)
    return calls[number] if number is not None and number < len(calls) else None
