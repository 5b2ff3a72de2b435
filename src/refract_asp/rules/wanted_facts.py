"""States a wanted sequence as facts for `modes/wanted.lp`: who reads from whom, and what stays as given."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from clingo import Function, Number, Symbol

from refract_asp.model import Ask, Sequence
from refract_asp.model.paths import path_text
from refract_asp.model.sources import Constant, Reference, Source, replace_reference, slots_of
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.instance import RETURNS
from refract_asp.rules.schemas.holes import source_of
from refract_asp.rules.symbols import fact, memory

__all__ = ["wanted_facts"]


def wanted_facts(evidence: Evidence, wanted: Sequence) -> list[Symbol]:
    """State the wanted calls: who reads from whom, and which arguments are as they were given."""
    found: dict[Symbol, None] = {}
    given = _given_frames(evidence)
    forms = _form_frames(evidence)
    bearers: dict[str, int] = {}
    rows = [(call.name, call.arguments, call.label) for call in wanted.calls]
    if wanted.returns or (wanted.returns is not None and evidence.instance.is_returning):
        rows.append(("", wanted.returns, None))
    for number, (tool, arguments, label) in enumerate(rows):
        is_returned = number == len(wanted.calls)
        found[fact("in_wanted", number, RETURNS if is_returned else tool)] = None
        for parameter, source in arguments.items():
            found[fact("in_wanted_arg", number, parameter)] = None
            frame = "" if isinstance(source, Reference) else _frame(source)
            open_already: set[int] = set()
            for call, other, here in given.get(frame, ()):
                found[fact("in_wanted_given", number, parameter, call, other)] = None
                slots = enumerate(slots_of(here), 1)
                open_already.update(place for place, slot in slots if isinstance(slot, Ask))
            for call, other, form in forms.get(_frame(source), ()):
                found[fact("in_wanted_form", number, parameter, call, other, form)] = None
            for each in _sources(evidence, tool, number, parameter, source, bearers):
                if each.arguments[2].number not in open_already:  # what is asked as given is not read
                    found[each] = None
        if label is not None:
            bearers[label] = number
    return list(found)


def _sources(
    evidence: Evidence,
    tool: str,
    number: int,
    parameter: str,
    source: Source,
    bearers: Mapping[str, int],
) -> Iterator[Symbol]:
    """State where an argument reads, as a whole and inside."""
    if isinstance(source, Constant):
        key = _frame(source)
        for index, constant in enumerate(evidence.constants):
            if _frame(constant) == key:
                origin = Function("constant", [Number(index)])
                yield fact("in_wanted_value", number, parameter, 0, origin, "")
        if tool in evidence.index.tools and parameter in evidence.index.tools[tool].parameters:
            for value in evidence.index.known_value(tool, parameter):
                if _frame(Constant(value=value)) == key:
                    yield fact("in_wanted_value", number, parameter, 0, Function("default"), "")
        return
    is_whole = isinstance(source, Reference | Ask)
    for place, slot in enumerate(slots_of(source), start=0 if is_whole else 1):
        if isinstance(slot, Ask):
            yield fact("in_wanted_value", number, parameter, place, Function("ask"), "")
        elif slot.label in bearers:
            path = path_text(slot.path)
            yield fact("in_wanted_read", number, parameter, place, bearers[slot.label], path)
        else:
            for origin in _origins(evidence, slot.label):
                yield fact("in_wanted_value", number, parameter, place, origin, path_text(slot.path))


def _origins(evidence: Evidence, label: str) -> Iterator[Symbol]:
    """Yield who is read under a label that no wanted call bears: an executed call, or memory."""
    instance = evidence.instance
    for number in range(-1, -1 - len(instance.history), -1):
        if instance.call(number).label == label:
            yield Number(number)
            return
    if label in instance.memory.values:
        yield memory(label)


def _given_frames(evidence: Evidence) -> dict[str, list[tuple[int, str, Source]]]:
    """Return where the given sequence has what stands around references; a whole reference has nothing."""
    found: dict[str, list[tuple[int, str, Source]]] = {}
    instance = evidence.instance
    for number in range(len(instance.sequence.calls) + instance.is_returning):
        for parameter, source in instance.call(number).arguments.items():
            if not isinstance(source, Reference):
                found.setdefault(_frame(source), []).append((number, parameter, source))
    return found


def _form_frames(evidence: Evidence) -> dict[str, list[tuple[int, str, int]]]:
    found: dict[str, list[tuple[int, str, int]]] = {}
    for (call, parameter, number), recast in evidence.forms.items():
        found.setdefault(_frame(source_of(recast.value)), []).append((call, parameter, number))
    return found


def _frame(source: Source) -> str:
    """Return what stands around the references of a source, and asks, as a text."""
    if isinstance(source, Constant):
        return json.dumps(source.value, sort_keys=True, default=str)
    slots = sum(1 for _ in slots_of(source))
    empty = replace_reference(source, dict.fromkeys(range(1, slots + 1), Ask(name="x")))[0]
    return json.dumps(empty.model_dump(mode="json"), sort_keys=True)
