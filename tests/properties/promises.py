"""What every answer has to keep, said in plain Python over results; nothing here asks the encodings."""

import json
from typing import Any

from refract_asp import RepairResult, Sequence
from refract_asp.model import Ask, Call, Constant, Reference, Source, Structure, Template
from refract_asp.model.sequence import slots_of
from refract_asp.report.text import summary

from .made import Problem, answered, refractor, same


def skeleton(source: Source) -> Any:
    """Return what is constant in a source, with a mark where each reference or ask stands."""
    if isinstance(source, Constant):
        return repr(source.value)
    if isinstance(source, Template):
        return [part if isinstance(part, str) else "?" for part in source.parts]
    if isinstance(source, Structure):
        if isinstance(source.value, dict):
            return {key: skeleton(inner) for key, inner in source.value.items()}
        return [skeleton(inner) for inner in source.value]
    return "?"


def asked(result: RepairResult) -> set[str]:
    """Return the names of all asks that stand in the repaired sequence."""
    holders = [call.arguments for call in result.sequence.calls]
    holders.append(result.sequence.returns or {})
    slots = (slot for holder in holders for source in holder.values() for slot in slots_of(source))
    return {slot.name for slot in slots if isinstance(slot, Ask)}


def wrong_with(problem: Problem, result: RepairResult, value: Any = "a value") -> list[str]:
    """
    Return what `check` finds in the answered sequence, but what the user's own answers may cause.

    What the user answers may be what was called before. Nothing is said of what stays unresolved.
    """
    answer = answered(result, problem.catalog, value)
    if result.unresolved or answer is None:
        return []
    excused = {"duplicate_call", "tried_too_often"} if result.sequence.asks else set()
    found = refractor(problem.catalog).check(answer, **problem.known).violations
    return [each.message for each in found if each.code not in excused]


def assert_consistent(result: RepairResult) -> None:
    """The parts of an answer say the same thing."""
    calls, given = result.sequence.calls, result.given.calls
    assert len(result.origins) == len(calls)
    kept = [origin for origin in result.origins if origin is not None]
    assert len(set(kept)) == len(kept)
    assert all(0 <= origin < len(given) for origin in kept)
    deleted = [edit.call for edit in result.edits if edit.kind == "delete_call"]
    assert sorted([*kept, *deleted]) == list(range(len(given)))
    added = sum(edit.kind == "add_call" for edit in result.edits)
    added += sum(len(edit.after) - 1 for edit in result.edits if edit.kind == "split_call")
    assert added == result.origins.count(None)
    open_asks = [ask.name for ask in result.asks]
    assert set(open_asks) == set(result.sequence.asks)
    assert len(set(result.sequence.asks)) == len(result.sequence.asks)
    assert asked(result) <= set(result.sequence.asks)
    assert set(result.sequence.asks) - set(result.given.asks) <= asked(result)
    opened = [(number, confirm) for number, call in enumerate(calls) for confirm in call.confirms]
    assert [(confirm.call, confirm.confirm) for confirm in result.confirms] == opened
    if result.verdict == "repaired":
        assert not result.sequence.is_open
    if result.verdict == "needs_input":
        assert result.sequence.is_open
    assert sum(result.cost.values()) == sum(result.total.values())
    assert result.is_executable == (result.verdict in ("valid", "repaired"))
    for edit in result.edits:
        assert all(0 <= number < len(result.violations) for number in edit.answers)


def assert_printable(result: RepairResult) -> None:
    """Everything that a result can print is printed, and its JSON is plain."""
    assert isinstance(result.diff(), str)
    assert isinstance(result.diff(color=True), str)
    assert bool(result.diff()) == (not same(result.given, result.sequence))
    assert isinstance(summary(result, width=60), str)
    text = json.dumps(result.model_dump(mode="json"), allow_nan=False)
    assert json.loads(text)["schema_version"] == 1
    assert json.loads(result.model_dump_json())["verdict"] == result.verdict


def replayed(result: RepairResult) -> list[Call]:
    """Apply the edits to the given sequence, one by one, and return the calls in their new order."""
    calls: dict[int, dict[str, Any]] = {
        number: {"name": call.name, "label": call.label, "arguments": dict(call.arguments)}
        for number, call in enumerate(result.given.calls)
    }
    added = iter([edit for edit in result.edits if edit.kind == "add_call"])
    for edit in result.edits:
        if edit.kind == "add_call" or edit.call == len(result.given.calls):
            continue
        assert edit.call is not None
        call = calls[edit.call]
        match edit.kind:
            case "delete_call":
                del calls[edit.call]
            case "rename_tool":
                assert call["name"] == edit.before
                call["name"] = edit.after
            case "add_label" | "rename_label":
                assert call["label"] == getattr(edit, "before", None)
                call["label"] = edit.after
            case "rename_parameter":
                call["renamed"] = {**call.get("renamed", {}), edit.before: edit.after}
            case "open_argument":
                assert call["arguments"][edit.parameter] == edit.before
                opened: dict[str, Source] = {}
                for name, source in call["arguments"].items():
                    opened |= edit.after if name == edit.parameter else {name: source}
                call["arguments"] = opened
            case "drop_argument":
                assert call["arguments"].pop(edit.parameter) == edit.before
            case "fill":
                call.setdefault("filled", {})[edit.parameter] = edit.after
            case "rebind" | "transform" | "split_call":
                name = as_given(call, edit.parameter)
                assert call["arguments"][name] == edit.before
                call["arguments"][name] = edit.after
                if edit.kind == "split_call":
                    call["arguments"][name] = edit.after[0]
                    call["split"] = (name, edit.after)
                elif edit.kind == "transform":
                    assert edit.steps
                elif not isinstance(edit.after, Constant | Ask):
                    assert skeleton(edit.before) == skeleton(edit.after)
    done: list[Call] = []
    copies: list[Call] = []
    for origin, now in zip(result.origins, result.sequence.calls, strict=True):
        if origin is None:
            # the further calls of a list get labels of their own, if any
            fresh = {"label": now.label}
            done.append(copies.pop(0).model_copy(update=fresh) if copies else next(added).added)
            continue
        assert not copies
        call = calls[origin]
        parameter, elements = call.get("split", ("", (None,)))
        for number, element in enumerate(elements):
            given = {**call["arguments"], parameter: element} if parameter else call["arguments"]
            copy = built(call, given)
            if number:
                copies.append(copy)
            else:
                done.append(copy)
    return done


def as_given(call: dict[str, Any], parameter: str) -> str:
    """Return what a parameter was called before its argument was renamed."""
    before = (old for old, new in call.get("renamed", {}).items() if new == parameter)
    return next(before, parameter)


def built(call: dict[str, Any], given: dict[str, Source]) -> Call:
    """Return a call with its arguments under their new names, and those that were filled."""
    renamed = call.get("renamed", {})
    arguments = {renamed.get(name, name): source for name, source in given.items()}
    filled = call.get("filled", {})
    assert not arguments.keys() & filled.keys()
    return Call(name=call["name"], label=call["label"], arguments=arguments | filled)


def assert_edits_say_all(result: RepairResult) -> None:
    """
    The edits, and nothing else, lead from the given sequence to the repaired one; arguments that were
    given keep their order, and calls theirs unless an edit moves them.
    """
    expected = replayed(result)
    for call, now in zip(expected, result.sequence.calls, strict=True):
        assert (call.name, call.label) == (now.name, now.label)
        assert repr(sorted(call.arguments.items())) == repr(sorted(now.arguments.items()))
        given = [name for name in call.arguments if name in now.arguments]
        old = [name for name in now.arguments if name in given]
        if len(call.arguments) == len(given):
            unfilled = given[: len(given) - sum(1 for n in given if n not in old)]
            assert set(unfilled) <= set(old)
    for number, origin in enumerate(result.origins):
        if origin is None:
            continue
        filled = {e.parameter for e in result.edits if e.kind == "fill" and e.call == origin}
        kept = [name for name in result.sequence.calls[number].arguments if name not in filled]
        assert kept == [name for name in expected[number].arguments if name not in filled]
    moved = {edit.call for edit in result.edits if edit.kind == "move_call"}
    still = [origin for origin in result.origins if origin is not None and origin not in moved]
    assert still == sorted(still)


Binding = tuple[str, int | str, tuple[str | int, ...]]
"""What a reference means: a call, something of the memory, or nothing; with the path that is read."""


def bindings(sequence: Sequence, memory: Any, history: Any) -> list[dict[tuple[str, int], Binding]]:
    """
    Say for each call, and last for what is returned, what each of its references means.

    Executed calls have the numbers -1, -2, ... backwards. A label that only a later call has means that.
    """
    bearers: dict[str, int] = {
        call.label: number - len(history)
        for number, call in enumerate(history)
        if call.label is not None and call.label not in memory
    }
    numbered = list(enumerate(sequence.calls))
    later = {call.label: number for number, call in reversed(numbered) if call.label}
    found: list[dict[tuple[str, int], Binding]] = []
    holders = [*(c.arguments for c in sequence.calls), sequence.returns or {}]
    for number, arguments in enumerate(holders):
        meant: dict[tuple[str, int], Binding] = {}
        for parameter, source in arguments.items():
            for slot, reference in enumerate(slots_of(source)):  # asks counted too
                if not isinstance(reference, Reference):
                    continue
                label, kind = reference.label, "nothing"
                whom: int | str = label
                if label in bearers or (label in later and label not in memory):
                    kind, whom = "call", bearers.get(label, later.get(label, 0))
                elif label in memory:
                    kind = "memory"
                meant[parameter, slot] = (kind, whom, reference.path)
        found.append(meant)
        if number < len(sequence.calls):
            call_label = sequence.calls[number].label
            if call_label is not None:
                bearers[call_label] = number
    return found


def assert_meaning_kept(result: RepairResult, memory: dict[str, Any], history: Any) -> None:
    """
    A reference that was right means the same call, or the same value of memory, as before.

    Right is one about which nothing was said, whose call was not in question, and which named something.
    """
    count = len(result.given.calls)
    blamed = {(v.call, v.parameter) for v in result.violations}
    unsure = {v.call for v in result.violations if v.parameter is None}
    before = bindings(result.given, memory, history)
    after = bindings(result.sequence, memory, history)
    position = {origin: number for number, origin in enumerate(result.origins)}
    position[count] = len(result.sequence.calls)
    renamed = {(e.call, e.before): e.after for e in result.edits if e.kind == "rename_parameter"}
    dropped = {(e.call, e.parameter) for e in result.edits if e.kind == "drop_argument"}
    for reader, meant in enumerate(before):
        if reader not in position:
            continue
        for (parameter, slot), (kind, whom, path) in meant.items():
            if kind == "nothing" or (reader, parameter) in blamed or (reader, parameter) in dropped:
                continue
            if kind == "call" and whom in unsure:
                continue
            if kind == "call" and whom >= 0:  # type: ignore[operator]
                whom = position[whom]  # type: ignore[index]
            now = after[position[reader]].get((renamed.get((reader, parameter), parameter), slot))
            assert now == (kind, whom, path), f"call {reader}, {parameter}"
