"""
What is to be run, as steps: each a call with what it waits for, and how its arguments come from the values before.

A sequence, a repair and a plan are such scripts.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import Any, TypeAlias

from refract_asp import errors
from refract_asp.errors import BadArgumentError, ToolError, shown
from refract_asp.formats.pretty import confirm_text
from refract_asp.formats.python import bind_positions
from refract_asp.formats.references import with_sources
from refract_asp.formats.values import json_text
from refract_asp.model import Ask, Call, Catalog, Confirm, Constant, Memory, RepairResult, Sequence
from refract_asp.model.catalog import Parameter
from refract_asp.model.paths import FieldPath, reference_text
from refract_asp.model.schemas import JsonSchema
from refract_asp.model.sequence import Reference, Source, Structure, Template, slots_of
from refract_asp.model.stages import Order, order_of, reads_of
from refract_asp.plan.evaluation import Evaluation, Values, element_in, field_in
from refract_asp.plan.sequences import WHOLE
from refract_asp.plan.syntax import PlanDiagnostic, refused
from refract_asp.runtime.arguments import Arguments


@dataclass(frozen=True, slots=True)
class Step:
    """
    One call that is to be made.

    Attributes:
        number: its place among the steps, from 0; each needs only such as come before it.
        tool: the tool that is called.
        label: the name under which its value is kept, or None.
        id: by which its result is given back to a model, or None.
        needs: numbers of the steps whose values it reads; where one of them has none, it is left out.
        after: numbers of the steps that have to be over before it starts, whatever becomes of them.
        asks: names of the values that have to be asked for first.
        confirms: what has to be agreed to first, and why, where a repair says so.
        refused: why it must not be made, or None.
    """

    number: int
    tool: str
    label: str | None = None
    id: str | None = None
    needs: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    asks: tuple[str, ...] = ()
    confirms: tuple[tuple[Confirm, str], ...] = ()
    refused: ToolError | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """
    A value that is asked for.

    Attributes:
        name: the name under which it is asked for.
        tool: the first tool that takes it.
        parameter: the parameter of that tool.
        description: what the catalog says of the parameter.
        schema: the JSON Schema that the value has to fit; empty where nothing is known of it, or where the
            value is only a part of the argument.
        problem: what was wrong with the answer before, or the empty text.
    """

    name: str
    tool: str = ""
    parameter: str = ""
    description: str = ""
    schema: JsonSchema = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """
    Something that has to be agreed to before a call is made.

    Attributes:
        number: the number of the step.
        tool: the tool that is called.
        label: the label of the call, or None.
        arguments: the arguments with which it is called.
        confirm: what is to be agreed to.
        reason: why, where a repair says so.
    """

    number: int
    tool: str
    label: str | None
    arguments: dict[str, Any]
    confirm: Confirm
    reason: str = ""

    def __str__(self) -> str:
        """Print what is to be agreed to, as it stands in a sequence."""
        given = {name: Constant(value=value) for name, value in self.arguments.items()}
        return confirm_text(Call(name=self.tool, arguments=given), self.confirm)


MAX_PARTS = 1_000_000
"""So many values and thousand characters may lie in the arguments of one call."""

Answers: TypeAlias = Mapping[str, Any]
"""What was answered, by name."""


def value_of(
    source: Source,
    values: Mapping[str, Any],
    answers: Answers | None = None,
    labels: Iterable[str | None] = (),
) -> Any:
    """
    Return what a source is when the values that it refers to are known; nothing in it is shared with them.

    Inside a text a text stands as it is, every other value as JSON, and a name that nothing has as it was
    written.

    Args:
        source: what an argument is bound to.
        values: what is known, by label.
        answers: what was answered, by name.
        labels: what else a message lists as known.

    Raises:
        BadArgumentError: what is referred to is not there, or all of it is too large.

    Example:
        >>> template = Template(parts=("from ", Reference(label="a"), ": ", Reference(label="b")))
        >>> value_of(template, {"a": "Rome", "b": [1, None]})
        'from Rome: [1, null]'
    """
    left = MAX_PARTS

    def spend(parts: int) -> None:
        nonlocal left
        left -= parts
        if left < 0:
            raise BadArgumentError("the values that are put together here are too large.")

    def read(slot: Reference | Ask, *, in_text: bool) -> Any:
        if isinstance(slot, Ask):
            if slot.name not in (answers or {}):
                raise BadArgumentError(f"{shown(slot.name)!r} was not answered.")
            return (answers or {})[slot.name]
        if slot.label in values:
            return at_path(values[slot.label], slot.path, slot.label)
        if in_text and not slot.path:
            return slot.spelt()
        known = dict.fromkeys(name for name in chain(labels, values) if name is not None)
        names = ", ".join(shown(name, 40) for name in known) or "nothing"
        hint = f"Known: {shown(names, 120)}."
        raise BadArgumentError("nothing has this name.", where=shown(slot), hint=hint)

    def made(source: Any) -> Any:
        """Return a copy of a source, or of a value in it."""
        if isinstance(source, Constant | Structure):
            return made(source.value)
        if isinstance(source, Reference | Ask):
            return made(read(source, in_text=False))
        if isinstance(source, Template):
            texts: list[str] = []
            for part in source.parts:
                value = part if isinstance(part, str) else read(part, in_text=True)
                texts.append(value if isinstance(value, str) else json_text(value))
                spend(1 + len(texts[-1]) // 1000)
            return "".join(texts)
        if isinstance(source, dict | list | tuple):
            spend(1 + len(source))
            if isinstance(source, dict):
                return {name: made(inner) for name, inner in source.items()}
            return [made(inner) for inner in source]
        spend(len(source) // 1000 if isinstance(source, str) else 0)
        return source

    return made(source)


def with_values(sequence: Sequence, values: dict[str, Any]) -> Sequence:
    """
    Return a sequence in which arguments stand as values where all that they read is known already.

    Example:
        >>> print(with_values(Sequence.load('f(x="$day$")\\ng(y="$a.z$")'), {"day": 3}))
        f(x=3)
        g(y="$a.z$")
    """
    known = values.keys() - {call.label for call in sequence.calls}

    def filled_in(source: Source) -> Source:
        read = {slot.label if isinstance(slot, Reference) else None for slot in slots_of(source)}
        return Constant(value=value_of(source, values)) if read and read <= known else source

    return with_sources(sequence, filled_in, returns=False)


def at_path(value: Any, path: FieldPath, label: str) -> Any:
    """
    Return what lies at a path of a value.

    Raises:
        BadArgumentError: nothing does; the message says how far the path leads, and what exists there.

    Example:
        >>> at_path({"ids": [7, 8]}, ("ids", 1), "var1")
        8
        >>> at_path({"ids": [7, 8]}, ("id",), "var1")
        Traceback (most recent call last):
        ...
        refract_asp.errors.BadArgumentError: $var1.id$: the object has no field 'id'. Did you mean ids?
    """
    for number, step in enumerate(path):
        try:
            value = element_in(value, step) if isinstance(step, int) else field_in(value, step)
        except errors.InputError as error:
            where = shown(reference_text(label, path))
            before = f"at {shown(reference_text(label, path[:number]))} " if number else ""
            raise BadArgumentError(before + error.what, where=where, hint=error.hint) from None
    return value


# -- scripts -------------------------------------------------------------------


class SequenceScript:
    """
    The steps of a sequence: all its calls, in order.

    A reference reads the last call before it that has its label, else the memory. Inside a text a name
    that nothing has is text.

    Args:
        sequence: the calls; or a repair, whose repaired calls are taken. A call that the repair could not
            mend is refused.
        memory: what is known already.
        catalog: names arguments by position, says what is asked for, and which calls change something.
        order: which calls keep their order, see `refract_asp.model.stages.Order`.

    Example:
        >>> script = SequenceScript(Sequence.load('a = f(x=1)\\nb = g(y="$a.z$ of $day$")'))
        >>> [(step.tool, step.needs) for step in script.steps]
        [('f', ()), ('g', (0,))]
        >>> script.arguments(1, {0: {"z": 2}}, {})
        Arguments(named={'y': '2 of $day$'}, positional=())
    """

    def __init__(
        self,
        sequence: Sequence | RepairResult,
        memory: Memory | None = None,
        catalog: Catalog | None = None,
        order: Order = "declared",
    ) -> None:
        """Find out who reads what."""
        self.repair = sequence if isinstance(sequence, RepairResult) else None
        self.sequence = sequence.sequence if isinstance(sequence, RepairResult) else sequence
        self.notes = self.sequence.notes
        self.memory = memory or Memory()
        self._tools = (catalog or Catalog()).by_name
        tool_of = self._tools.get
        self._calls = [bind_positions(call, tool_of(call.name)) for call in self.sequence.calls]
        self._producers: list[dict[str, int]] = [{} for _ in range(len(self._calls) + 1)]
        for read in reads_of(self.sequence):
            if read.producer is not None:
                self._producers[read.call][read.reference.label] = read.producer
        needs = [tuple(sorted(set(each.values()))) for each in self._producers]
        refused: dict[int, ToolError] = _refused(self.repair) if self.repair is not None else {}
        after = order_of(self.sequence.calls, catalog, order)
        agreed = self.repair.confirms if self.repair is not None else ()
        whys = {(each.call, each.confirm): each.reason for each in reversed(agreed)}
        steps = []
        for number, call in enumerate(self._calls):
            about = (number, call.name, call.label, call.id, needs[number], after[number])
            asks = tuple(dict.fromkeys(_asks(call.arguments.values())))
            confirms = tuple((each, whys.get((number, each), "")) for each in call.confirms)
            error = refused.get(number)
            if call.malformed is not None:
                what = f"its arguments cannot be read: {shown(call.malformed)}"
                error = errors.MalformedArgumentsError(what, tool=call.name)
            steps.append(Step(*about, asks, confirms, error))
        self.steps = tuple(steps)
        last = range(len(self._calls))[-1:]  # or none
        self.result_needs = tuple(last) if self.sequence.returns is None else needs[-1]
        self.result_asks = tuple(_asks((self.sequence.returns or {}).values()))
        self.questions = self._asked()

    def arguments(self, number: int, values: Values, answers: Answers) -> Arguments:
        """Return the arguments of a step, from the values of those that it needs and from answers."""
        found, read = {}, self._reader(number, values, answers)
        for name, source in self._calls[number].arguments.items():
            with errors.placed(shown(name), BadArgumentError):
                found[name] = read(source)
        return Arguments.of(found)

    def result(self, values: Values, answers: Answers) -> Any:
        """Return what the sequence says that it gives back, else the value of its last call."""
        if self.sequence.returns is None:
            return values[len(self._calls) - 1] if self._calls else None
        read = self._reader(len(self._calls), values, answers)
        given = {name: read(source) for name, source in self.sequence.returns.items()}
        return given[WHOLE] if list(given) == [WHOLE] else given

    # -- steps -----------------------------------------------------------------

    def _reader(self, number: int, values: Values, answers: Answers) -> Callable[[Source], Any]:
        """Return what gives the values of the sources of a step."""
        read = {label: values[producer] for label, producer in self._producers[number].items()}
        labels = (call.label for call in islice(self.sequence.calls, number))
        known = ChainMap(read, self.memory.values)
        return partial(value_of, values=known, answers=answers, labels=labels)

    def _asked(self) -> dict[str, Question]:
        """Return what has to be asked for, with what the catalog says of the parameter that takes it."""
        listed = self.repair.asks if self.repair is not None else ()
        descriptions = {each.name: each.description for each in listed}
        found: dict[str, Question] = {}
        for call in self._calls:
            known = self._tools[call.name].parameters if call.name in self._tools else {}
            for name, source in call.arguments.items():
                taken = known.get(name, Parameter(name=name))
                schema = taken.json_schema if isinstance(source, Ask) else {}
                for ask in _asks([source]):
                    description = taken.description or descriptions.get(ask, "")
                    found.setdefault(ask, Question(ask, call.name, name, description, schema))
        return found | {name: Question(name) for name in self.result_asks if name not in found}


class PlanScript:
    """
    The steps of a plan: the calls of tools that what it returns needs, by data flow alone.

    Args:
        evaluation: the plan with its context.
        catalog: names arguments by position.
        notes: remarks on what was read.

    Raises:
        PlanError: a call changes something and is left out because nobody reads it. The rules say which these
            are, by the catalog or else by the names of the tools.
    """

    questions: Mapping[str, Question] = {}
    result_asks: tuple[str, ...] = ()
    sequence = repair = None

    def __init__(
        self, evaluation: Evaluation, catalog: Catalog | None = None, notes: tuple[str, ...] = ()
    ) -> None:
        """Take the invocations of the plan for steps."""
        self.notes = (*notes, *map(str, evaluation.warnings))
        self._evaluation = evaluation
        self._specified = (catalog or Catalog()).by_name
        if unread := evaluation.unread():
            from refract_asp.refractor import check

            calls = [
                Call(name=each.tool, label=each.label or f"call{each.number}") for each in unread
            ]
            whole = Sequence(calls=tuple(calls), returns={}, format="plan")
            found = check(whole, catalog or Catalog()).violations
            hint = "Return its result as well, or leave the call out; nothing was called."
            told = [
                PlanDiagnostic(
                    "unused_call", f"{each.message}.", unread[each.call].place, None, hint
                )
                for each in found
                if each.code == "unused_call" and each.call is not None
            ]
            if told:
                raise refused(told)
        made = evaluation.invocations
        # what a repair kept is made as it is written: what stands below it waits for it
        kept = [each.number for each in made if each.label in evaluation.kept]
        self.steps = tuple(
            Step(n, each.tool, each.label, needs=each.needs, after=tuple(k for k in kept if k < n))
            for n, each in enumerate(made)
        )
        self.result_needs = evaluation.result_needs

    def arguments(self, number: int, values: Values, _: Answers) -> Arguments:
        """Return the arguments of a step, from the values of those that it needs."""
        named, positional = self._evaluation.arguments(number, values)
        tool = self._specified.get(self.steps[number].tool)
        names = [name for name in tool.parameters if name not in named] if tool is not None else []
        if positional and len(positional) <= len(names):
            return Arguments({**dict(zip(names, positional, strict=False)), **named})
        return Arguments(named, positional)

    def result(self, values: Values, _: Answers) -> Any:
        """Return what the plan returns."""
        return self._evaluation.result(values)


def _asks(sources: Iterable[Source]) -> list[str]:
    return [slot.name for source in sources for slot in slots_of(source) if isinstance(slot, Ask)]


def _refused(repair: RepairResult) -> dict[int, ToolError]:
    """Return why calls of the repaired sequence must not be made, by their indexes in it."""
    found: dict[int, ToolError] = {}
    for outcome in repair.outcomes:
        if outcome.verdict not in ("unrepairable", "unknown"):
            continue
        positions = outcome.positions or ((outcome.call,) if repair.verdict == "unknown" else ())
        first = outcome.violations[0] if outcome.violations else None
        is_unknown = first is not None and first.code == "unknown_tool"
        kind = errors.UnknownToolError if is_unknown else BadArgumentError
        why = f": {first.message}" if first is not None else "."
        error = kind(f"it could not be repaired{why}", tool=repair.given.calls[outcome.call].name)
        found.update(dict.fromkeys(positions, error))
    return found
