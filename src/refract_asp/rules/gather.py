"""
Gathers what a repair may want to know beyond the sequence itself: near names, producers, fitting outputs.

Only what the violations call for is stated; every list is bounded, and a bound that cut something
off is reported. Which of it is used, and at what cost, the encodings decide.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple, TypeAlias

from refract_asp.model import Constant, Parameter, Reference, Structure, Tool, Violation
from refract_asp.model.paths import POSITION, FieldPath, is_number, path_text, without
from refract_asp.model.sequence import numbered
from refract_asp.rules import candidates, likeness
from refract_asp.rules.candidates import fillers
from refract_asp.rules.evidence import Allowed, Evidence, Options, json_type
from refract_asp.rules.fitting import held_types, is_unfit, may_stand, state_clash
from refract_asp.rules.forms import state_clashes, state_forms
from refract_asp.rules.instance import Instance, Place
from refract_asp.rules.likeness import FAR, fold, is_short_form, is_slip, mismatch, words
from refract_asp.rules.problem import goal_reads, skeleton, state_values, yielding
from refract_asp.rules.symbols import memory, plain
from refract_asp.rules.waiting import go_on

# The codes of violations of an argument, and of a reference.
OF_ARGUMENTS = (
    "undeclared_parameter", "missing_parameter", "forbidden", "invalid_value", "nested_call",
)  # fmt: skip
OF_REFERENCES = (
    "unknown_label", "unknown_field", "unknown_variable", "malformed_reference", "read_before_written",
    "type_mismatch",
)  # fmt: skip

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

# A larger hole between two neighbours is no lost call, but a number that was made up.
_NUMBERED = re.compile(r"(.*?)(\d{1,6})$", re.S)
# A larger gap in the numbers of labels is none; and so many pairs of calls are compared.
MAX_JUMP = 2
MAX_PAIRS = 100_000


class _Fault(NamedTuple):
    """A violation with its place: a call, its parameter ("" for none), and the number of a reference."""

    code: str
    call: int
    parameter: str
    slot: int | None

    @property
    def place(self) -> Place:
        return self.call, self.parameter, self.slot or 0


# Functions that state what violations need, each with the codes of these violations.
Collectors: TypeAlias = Sequence[tuple[Callable[[Evidence, _Fault], None], tuple[str, ...]]]


def gather(evidence: Evidence, violations: Sequence[Violation], places: Sequence[Any]) -> None:
    """State everything that the repair of violations, each with its call, parameter and slot, may need."""
    instance = evidence.instance
    evidence.truncated |= instance.truncated
    faults: dict[str, list[_Fault]] = defaultdict(list)
    paired = {number for pair in instance.pairs for number in pair}
    for violation, (call, parameter, slot) in zip(violations, places, strict=True):
        faults[violation.code].append(_Fault(violation.code, call, parameter or "", slot))
        if call in paired and parameter is not None:
            evidence.add("in_faulty", call)
    for used in map(instance.tool, range(instance.end)):
        if used is not None and used.effect == "unknown":
            evidence.state_words(used.name)
    _collect(evidence, faults, EARLY)
    state_numbers(evidence)
    for label, readers in evidence.lost.items():
        candidates.producers(evidence, label, readers)
    _collect(evidence, faults, LATE)
    if instance.level == "cheapest":
        state_rivals(evidence, violations)
        state_held(evidence)
        if instance.goals:
            state_loose(evidence, violations)
    # all calls are looked at for a value, unless that is too much work
    reach = max(evidence.bounds.reach, evidence.bounds.looks // max(1, evidence.looks))
    for place, is_there in evidence.open_places.items():
        go_on()
        candidates.OpenPlace(evidence, place).mend(reach, is_there=is_there)
    reach = candidates.near_enough(evidence, reach)
    if reach < instance.end + len(instance.history):
        evidence.cut(f"calls more than {reach} before their reader")
    evidence.add("in_reach", reach)
    candidates.earlier_outputs(evidence, reach)
    candidates.state_fits_of_near(evidence)
    state_every_pair(evidence)
    state_clashes(evidence)
    evidence.state_doubts()


def _collect(evidence: Evidence, faults: Mapping[str, list[_Fault]], steps: Collectors) -> None:
    """Have each function state what the violations of its codes need."""
    for collector, codes in steps:
        for code in codes:
            for fault in faults[code]:
                go_on()
                collector(evidence, fault)


def state_every_pair(evidence: Evidence) -> None:
    """
    State what rules of the user's may ask: all parameters, what does not fit them, and what constants are.

    The shipped rules send a value only where its name or its type speaks for it, and elsewhere nothing is stated.
    """
    if not evidence.options.every:
        return
    instance, index, left = evidence.instance, evidence.index, MAX_PAIRS
    for number in range(instance.end):
        tools = [index.tools[name] for name in evidence.possible_tools(number)]
        targets = [(tool.name, name) for tool in tools for name in tool.parameters]
        for target in targets:
            evidence.add("in_param", *target)
        for parameter, source in instance.call(number).arguments.items():
            value = source.value if isinstance(source, Constant) else None
            if isinstance(value, str):
                evidence.add("in_text", number, parameter)
                evidence.add("in_words", number, parameter, len(value.split()))
            elif is_number(value):
                evidence.add("in_number", number, parameter)
            left -= len(targets)
            if left < 0:
                evidence.cut(f"pairs of arguments and parameters beyond {MAX_PAIRS:,}")
                return
            giver = instance.feeder((number, parameter, 0))
            for target in targets:
                if not isinstance(source, Reference):
                    if is_unfit(instance, number, parameter, *target):
                        evidence.add("in_unfit", number, parameter, *target)
                elif giver is not None and index.clashes(giver.name, source.path, *target):
                    evidence.add("in_clash", giver.name, path_text(source.path), *target)


# -- tools ---------------------------------------------------------------------


def _find_candidates(evidence: Evidence, fault: _Fault) -> None:
    """
    Find the tools that a call may have meant, and which of them are offered for its arguments.

    Where the rules will find a slip of the pen nothing else is offered; see `recovery/rename_tool.lp`,
    whose constants decide.
    """
    instance, options, call = evidence.instance, evidence.options, fault.call
    written = instance.call(call).name
    found, beyond = evidence.index.near_names(written)
    near = [(name, distance) for name, distance in found if name in evidence.allowed]
    reach = max(options.alike_distance, options.clear_distance)
    nearest = near[0][1] if near and not options.by_fit else 101
    limit = min(options.slip_distance, options.clear_distance)
    margin = max(nearest + options.clear_margin, limit + 1)  # of two slips the arguments may tell
    is_alone = all(far >= margin and words(each) != words(near[0][0]) for each, far in near[1:])
    is_slip_of = nearest <= limit and is_alone and _may_be_slip(evidence, call, *near[0])
    if beyond < margin if is_slip_of else beyond <= reach and not options.by_fit:
        evidence.cut(f"tools with a name like that of call {call + 1}")
    names = dict.fromkeys(name for name, _ in near[:1])
    offered: Sequence[str] = ()
    if not is_slip_of:
        names |= dict.fromkeys(name for name, far in near if far <= reach + options.clear_margin)
        names |= dict.fromkeys(evidence.index.sharing(written) if not options.by_fit else ())
        takers = evidence.index.takers(instance.call(call).arguments, instance.paths_read(call))
        what = f"tools that take the arguments of call {call + 1}"
        offered = evidence.first(takers, evidence.bounds.offered, what)
    names |= dict.fromkeys(offered)
    evidence.candidates[call] = tuple(name for name in names if name in evidence.allowed)
    evidence.offered[call] = offered


def _may_be_slip(evidence: Evidence, call: int, name: str, distance: int) -> bool:
    """
    Whether the name of a call may be a slip for that of a tool that is spelt alike.

    It is none where it has another word that is known, or that the name of another tool has, nor where the
    tool takes nothing of what is passed.
    """
    given, tool = evidence.instance.call(call), evidence.index.tools[name]
    foreign = {*words(given.name)}.difference(words(name))
    known = evidence.options.lexicon
    if distance and any(word in known or evidence.index.has_word(word) for word in foreign):
        return False
    is_taken = any(is_slip(each, own) for each in given.arguments for own in tool.parameters)
    return not given.arguments or is_taken or tool.additional_parameters


def _state_candidates(evidence: Evidence, fault: _Fault) -> None:
    """State what the tools are that a call may have meant, and what they would need."""
    instance, call = evidence.instance, fault.call
    given, read, offered = instance.call(call), instance.paths_read(call), evidence.offered[call]
    for other in range(instance.end) if offered else ():
        few, many = sorted((given.arguments, instance.call(other).arguments), key=len)
        # none at all say nothing
        if other != call and few.items() <= many.items() and (few or not many):
            evidence.add("in_same_arguments", call, other)
    for name in evidence.candidates[call]:
        tool = evidence.tool(name)
        evidence.add("in_tool_distance", call, name, evidence.index.distance(given.name, name))
        evidence.state_meant(given.name, name)
        evidence.state_foreign(call, given, tool)
        if name in offered:
            evidence.add("in_offered", call, name)
        for path in filter(tool.returns_path, read):
            evidence.state_gives(name, path_text(path))
        for parameter in given.arguments:
            if parameter in tool.parameters:
                evidence.add("in_param", name, parameter)
                state_forms(evidence, call, parameter, name, parameter)
            elif not tool.additional_parameters:
                _state_renames(evidence, call, parameter, name)
        for wanted in tool.parameters.values():
            if wanted.required and wanted.name not in given.arguments:
                fillers(evidence, call, name, wanted.name, 0)


def doubted_tools(
    instance: Instance, options: Options, call: int, tools: Iterable[str]
) -> list[tuple[int, str, frozenset[str]]]:
    """Return how far tools are from what the name of a call means, nearest first, with the doubts of `names/`."""
    evidence, written = Evidence(instance, Allowed(), {}, options), instance.call(call).name
    far = {name: instance.index.distance(written, name) for name in tools if name != written}
    for name, distance in far.items():
        evidence.add("in_tool_distance", call, name, distance)
        evidence.state_meant(written, name)
        evidence.state_foreign(call, instance.call(call), evidence.tool(name))
    evidence.state_doubts()
    doubts: dict[str, set[str]] = {name: set() for name in far}
    for symbol in evidence.facts:
        if symbol.name == "in_worded":
            name = plain(symbol.arguments[1])
            far[name] = min(far[name], symbol.arguments[2].number)
        elif symbol.name in ("in_unmeant", "in_tool_doubt"):
            name, reason = plain(symbol.arguments[1]), symbol.arguments[2].name
            doubts[name].add(f"unmeant {reason}" if symbol.name == "in_unmeant" else reason)
    return sorted((far[name], name, frozenset(doubts[name])) for name in far)


# -- arguments and references --------------------------------------------------


def _state_argument(evidence: Evidence, fault: _Fault) -> None:
    """State what an argument that is wrong, or missing, could be instead."""
    code, call, parameter, slot = fault
    if slot is not None and code == "forbidden":
        evidence.open(fault.place, is_there=True)
        evidence.unbound |= {fault.place} & evidence.instance.producers.keys()
        return
    is_keeping = code == "missing_parameter" and evidence.instance.undeclared == "keep"
    kept = evidence.instance.call(call).arguments if is_keeping else ()
    for tool in evidence.possible_tools(call) if parameter else ():
        if code == "undeclared_parameter":
            _state_renames(evidence, call, parameter, tool)
        elif code in ("invalid_value", "nested_call"):
            state_forms(evidence, call, parameter, tool, parameter)
        else:
            for other in kept:
                if other not in evidence.index.tools[tool].parameters:
                    _state_renames(evidence, call, other, tool)
            fillers(evidence, call, tool, parameter, 0)
            candidates.state_constants(evidence, tool, parameter)


def _open_reference(evidence: Evidence, fault: _Fault) -> None:
    instance, place = evidence.instance, fault.place
    evidence.open(place, is_there=fault.code == "type_mismatch")
    is_whole = fault.code == "type_mismatch" and fault.slot == 0
    for tool in evidence.possible_tools(fault.call) if is_whole else ():
        state_forms(evidence, fault.call, fault.parameter, tool, fault.parameter)
    if fault.code == "unknown_field":
        evidence.unbound |= {place} & instance.producers.keys()
    if fault.code == "unknown_label" or place in instance.recalled:
        evidence.lost.setdefault(instance.references[place].label, []).append(place)


def _state_lost_outputs(evidence: Evidence, fault: _Fault) -> None:
    """State which outputs of the tools that a missing call may have had could fill a parameter."""
    for tool in evidence.possible_tools(fault.call) if evidence.gaps else ():
        for name in evidence.suppliers:
            candidates.state_outputs(evidence, name, tool, fault.parameter)


def _open_readers(evidence: Evidence, fault: _Fault) -> None:
    """Note that what reads from a call of an unknown tool may come to read elsewhere."""
    tools = [evidence.index.tools[name] for name in evidence.possible_tools(fault.call)]
    for place, producer in evidence.instance.producers.items():
        if producer == fault.call:
            path = evidence.instance.references[place].path
            evidence.open(place, is_there=all(tool.returns_path(path) for tool in tools))


# -- names of arguments --------------------------------------------------------


def _state_renames(evidence: Evidence, call: int, parameter: str, name: str) -> None:
    """
    State how far an undeclared argument is from the parameters that a tool declares and that are
    free: by its name, or by its value, whichever explains it better.
    """
    tool, bounds = evidence.tool(name), evidence.bounds
    arguments = evidence.instance.call(call).arguments
    free = [other for other in tool.parameters.values() if other.name not in arguments]
    by_value = dict(_value_distances(evidence.instance, call, parameter, tool, free))
    same = [other for other in tool.parameters.values() if fold(other.name) == fold(parameter)]
    # What is only written in another way means that, and nothing else where that is passed too.
    free = [other for other in same if other in free] if same else free
    ranked = []
    for number, other in enumerate(free):
        distance = min(likeness.name_distance(parameter, other.name), by_value.get(other.name, FAR))
        if is_short_form(parameter, other.name):
            distance = min(distance, evidence.index.limits.number("short_form"))
        ranked.append((not other.required, distance, number))
    undeclared = sum(other not in tool.parameters for other in arguments)
    most = max(2, min(bounds.renames, bounds.all_renames // undeclared))
    ranked.sort(key=lambda each: (each[1] if most < bounds.renames else 0, each))
    what = f"parameters that undeclared arguments of call {call + 1} may have meant"
    evidence.state_words(name)
    for _, distance, number in evidence.first(ranked, most, what):
        target = free[number].name
        evidence.add("in_param", name, target)
        evidence.add("in_parameter_distance", call, parameter, name, target, distance)
        if parameter == f"{POSITION}{list(tool.parameters).index(target) + 1}":  # it is its name
            evidence.state_kin(parameter, target, True)
        else:
            evidence.state_meant(parameter, target)
        reference = evidence.instance.references.get((call, parameter, 0))
        giver = evidence.instance.feeder((call, parameter, 0))
        if reference and giver and evidence.index.clashes(giver.name, reference.path, name, target):
            evidence.open((call, parameter, 0))
        if is_slip(parameter, target) or is_short_form(parameter, target):
            evidence.add("in_slip", call, parameter, name, target)
        state_forms(evidence, call, parameter, name, target)


def _value_distances(
    instance: Instance, call: int, parameter: str, tool: Tool, free: Sequence[Parameter]
) -> Iterator[tuple[str, int]]:
    """
    Yield the free parameters of a tool to which the value of an argument points, with distances.

    A value points to a parameter that has it as default or as member of its enumeration, that gets
    the same value in another call, that wants its format, that is called like the field it refers
    to, that alone takes its type, or that alone is left.
    """
    source, index = instance.call(call).arguments[parameter], instance.index
    limits = index.limits
    kind = "string" if source.kind == "template" else "any"
    read: list[tuple[str, FieldPath]] = []
    if isinstance(source, Constant | Structure):
        kind = json_type(source.value)
    elif isinstance(source, Reference):
        feeder = instance.feeder((call, parameter, 0))
        if feeder is not None and feeder.returns_path(source.path):
            kind = feeder.type_at(source.path)
            read = [(feeder.name, source.path)] if source.path else []
    wanted = {other.name: index.parameter_type(tool.name, other.name) for other in free}
    taking = [other for other in free if mismatch(kind, wanted[other.name]) == 0]
    for other in taking:
        found = [limits.number("only_typed_one") if len(taking) == 1 else FAR]
        found += [index.fit(*output, tool.name, other.name) for output in read]
        if isinstance(source, Constant) and kind != "boolean":  # one of two values points nowhere
            found += _value_hints(instance, call, source.value, other)
        if min(found) < FAR:
            yield other.name, min(found)
    if len(free) == 1 and not taking:
        yield free[0].name, limits.number("only_one_left")


def _value_hints(instance: Instance, call: int, value: object, other: Parameter) -> Iterator[int]:
    """Yield how far a constant is from a parameter to which it points, once for each sign of it."""

    def is_same(given: object) -> bool:
        return type(given) is type(value) and given == value

    schema, limits = other.json_schema, instance.index.limits
    if "default" in schema and is_same(schema["default"]):
        yield limits.number("value_is_default")
    members = schema.get("enum") or ()
    texts = [member.casefold() for member in members if isinstance(member, str)]
    if any(map(is_same, members)) or (isinstance(value, str) and value.casefold() in texts):
        yield limits.number("value_is_member")
    description = " ".join(str(schema.get(key, "")) for key in ("format", "type", "description"))
    wants_date = schema.get("format") == "date" or "yyyy-mm-dd" in description.lower()
    if isinstance(value, str) and _DATE.fullmatch(value) and wants_date:
        yield limits.number("value_of_format")
    for number, given in enumerate(instance.sequence.calls):
        elsewhere = given.arguments.get(other.name)
        if number != call and isinstance(elsewhere, Constant) and is_same(elsewhere.value):
            yield limits.number("value_elsewhere")


# -- goals, and everything -----------------------------------------------------


def _state_goal(evidence: Evidence, fault: _Fault) -> None:
    """State which tools may be called for a goal that is not met, and what could fill their parameters."""
    if not evidence.is_new("goal", fault.call):
        return
    instance, goal = evidence.instance, evidence.instance.goals[fault.call]
    tools = yielding(instance, goal, evidence.mappings)
    for name in filter(evidence.may_add, tools):
        tool = evidence.tool(name)
        evidence.add("in_callable", name)
        for parameter in tool.parameters.values():
            if parameter.required or parameter.name in goal.arguments:
                evidence.add("in_param", name, parameter.name)
        candidates.inputs(evidence, instance.end, tool, 0)
        for target, reference, origin in goal_reads(instance, goal):
            giver = instance.tool(origin) if isinstance(origin, int) else None
            if giver is None:
                continue
            path = path_text(reference.path)
            evidence.tool(giver.name)
            if giver.returns_path(reference.path):
                evidence.state_gives(giver.name, path)
            if target in tool.parameters:
                far = evidence.index.fit(giver.name, reference.path, name, target)
                evidence.state_distance("in_fit", giver.name, path, name, target, distance=far)
    # calls for this goal would have to keep the orders that other goals ask for
    for number, later in enumerate(instance.goals):
        if later.kind == "before" and later.then in tools:
            _state_goal(evidence, fault._replace(call=number))


EARLY: Collectors = (
    (_find_candidates, ("unknown_tool",)),
    (_state_candidates, ("unknown_tool",)),
    (_state_argument, OF_ARGUMENTS),
    (_open_reference, OF_REFERENCES),
)
# These need to know which calls may be missing.
LATE: Collectors = (
    (_state_lost_outputs, ("missing_parameter",)),
    (_open_readers, ("unknown_tool",)),
    (_state_goal, ("unmet_goal",)),
)


# -- labels in a row --------------------------------------------------------------


def state_numbers(evidence: Evidence) -> None:
    """
    State which labels the numbers of other labels let expect, and note the missing ones.

    `in_expected(Call, Label)` is the label that a call should have by its place among numbered ones,
    `in_gap(Label, Call)` a number that is missing before a call where no other one stands for it, and
    `in_line(Call)` a call of which the number stands right among the others.
    """
    labels = [call.label for call in evidence.instance.sequence.calls]
    if not any(labels):  # they are numbered by their places, from 1, or from 0 where that is read
        held = evidence.instance.memory.values
        lost = {label: _NUMBERED.match(label) for label in evidence.lost if label not in held}
        read = {label: int(match[2]) for label, match in lost.items() if match}
        for label, number in read.items():
            evidence.add("in_expected", number - min(*read.values(), 1), label)
        return
    stem, numbers = _rising(labels)
    if len(numbers) * 2 < len(labels):
        return
    before, first = -1, next(iter(numbers))
    last = -1 if numbers[first] <= first else 0
    if first == last and f"{stem}0" in evidence.lost:  # though labels count from 1
        evidence.add("in_expected", 0, f"{stem}0")
    for position in [*numbers, len(labels)]:
        places = position - before - 1
        number = numbers.get(position, last + places + 1)
        missing = number - last - 1
        for offset in range(1, missing + 1):
            label = f"{stem}{last + offset}"
            if missing == places:
                evidence.add("in_expected", before + offset, label)
            elif places < missing <= places + MAX_JUMP:
                evidence.gaps[label] = before + 1
                evidence.add("in_gap", label, before + 1)
        evidence.add("in_line", position)
        before, last = position, number


def _rising(labels: list[str | None]) -> tuple[str, dict[int, int]]:
    """Return the commonest stem and, by position, a longest rising run of its numbers without large jumps."""
    matches = [_NUMBERED.match(label or "") for label in labels]
    common = Counter(match[1] for match in matches if match).most_common(1)
    stem = common[0][0] if common else ""
    numbers = {n: int(match[2]) for n, match in enumerate(matches) if match and match[1] == stem}
    tails: list[int] = []
    runs: list[list[int]] = [[]]
    for position, number in numbers.items():
        if number > position + 1 + MAX_JUMP * 2 + len(labels):
            continue
        slot = bisect_left(tails, number)
        tails[slot : slot + 1] = [number]
        runs[slot + 1 : slot + 2] = [[*runs[slot], position]]
    return stem, {position: numbers[position] for position in runs[-1]}


# -- fewer calls --------------------------------------------------------------------


def state_rivals(evidence: Evidence, violations: Iterable[Violation]) -> None:
    """
    State the pairs of calls of one tool of which the second may stand for the first, and what they pass.

    A call in which nothing is wrong is a copy of an earlier one that passes the same; one in which
    something is wrong may be an attempt at any other that has, or may get, all that is right in it.
    An executed call stands for nothing when memory says that its result is empty.
    """
    instance = evidence.instance
    wrong: dict[int, set[str]] = defaultdict(set)
    for violation in violations:
        call, parameter = violation.call, violation.parameter
        if call is not None and parameter is not None:
            is_missing = violation.code == "missing_parameter"
            is_own = is_missing or parameter in instance.call(call).arguments
            wrong[call] |= {parameter} if is_own else set()
    by_tool: dict[str, list[int]] = defaultdict(list)
    last = {instance.call(number).label: number for number in instance.earlier(0)}
    held = instance.memory.values
    empty: tuple[object, ...] = (None, {}, [], "")
    for number in instance.earlier(instance.end):
        label = instance.call(number).label  # nobody can read from one without
        gave = label is None or (last.get(label) == number and held.get(label, "?") not in empty)
        if number >= 0 or gave:
            for name in evidence.possible_tools(number):
                by_tool[name].append(number)
            if instance.tool(number) is None:
                wrong.setdefault(number, set())
    most = evidence.bounds.rivals
    every = chain.from_iterable(_rivals(instance, same, wrong) for same in by_tool.values())
    what = f"pairs of calls beyond {most} that could be the same"
    rivals = evidence.first(list(islice(every, most + 1)), most, what)
    for pair in rivals:
        evidence.add("in_rival", *pair)
    for number in dict.fromkeys(chain(*rivals)):
        state_values(evidence, instance, number)
        label = instance.call(number).label
        if number >= 0 or label is None:  # what has no label cannot be read
            continue
        if label in instance.memory.values:
            evidence.add("in_recalled", number, label)
            evidence.hold(label)
        else:
            evidence.add("in_call", number)


def _rivals(
    instance: Instance, numbers: list[int], wrong: dict[int, set[str]]
) -> Iterator[tuple[int, int]]:
    """Yield each pair of calls that may have one tool of which the second may stand for the first."""
    says: dict[int, dict[str, str]] = {}
    for number in numbers:  # what each argument passes, but for the calls from which it reads
        given = instance.call(number).arguments.items()
        paths = {name: [path_text(read.path) for _, read in numbered(each)] for name, each in given}
        says[number] = {name: repr((skeleton(each), paths[name])) for name, each in given}
    right = {n: without(says[n], wrong.get(n, ())) for n in numbers}
    copies: dict[str, list[int]] = defaultdict(list)

    def may_pass(other: int, number: int) -> bool:
        """Whether a call passes, or may get, all that is right in another one."""
        given = says[other]
        passed = right[number].items()
        return all(given.get(name) == said or name in wrong[other] for name, said in passed)

    for number in numbers:
        if number in wrong:
            yield from ((number, n) for n in numbers if n != number and may_pass(n, number))
            continue
        same = copies[repr(sorted(says[number].items()))]
        if number >= 0:
            near = same[-instance.index.bounds.copies :]
            yield from ((number, other) for other in dict.fromkeys([*same[:1], *near]))
            for other in numbers:  # one that is mended may come to pass the same
                is_mended = other < number and other in wrong
                if is_mended and right[other].items() <= says[number].items():
                    yield number, other
        same.append(number)


def state_held(evidence: Evidence) -> None:
    """
    State what memory holds, under the labels of executed calls, of what is read from calls; and where it
    would not fit.
    """
    instance = evidence.instance
    for label in dict.fromkeys(instance.call(number).label for number in instance.earlier(0)):
        if label is None or label not in instance.memory.values:
            continue
        held = memory(label)
        for place in instance.producers:
            path = instance.references[place].path
            if not instance.memory.holds(label, path):
                continue
            evidence.state_gives(held, path_text(path))
            types = held_types(instance, label, path)
            for tool in evidence.possible_tools(place[0]):
                if not may_stand(instance, place, (tool,), types):
                    state_clash(evidence, place, held, path_text(path), tool, place[1])


def state_loose(evidence: Evidence, violations: Iterable[Violation]) -> None:
    """State which references may read elsewhere, and from where, so that fewer calls meet the goals."""
    instance = evidence.instance
    blamed = {(v.call, v.parameter) for v in violations}
    most = evidence.bounds.loose
    whole = [place for place in instance.producers if 0 <= place[0] < instance.end and not place[2]]
    places = [place for place in whole if place[:2] not in blamed]
    what = f"references beyond {most} that could read elsewhere"
    for place in evidence.first(places, most, what):
        reader = instance.tool(place[0])
        if reader is not None:
            evidence.add("in_loose", *place)
            fillers(evidence, instance.end, reader.name, place[1], evidence.allowed.depth)
            _same_fields(evidence, instance.references[place].path)
    for number in range(instance.end):
        state_values(evidence, instance, number)


def _same_fields(evidence: Evidence, path: FieldPath) -> None:
    """State which outputs of the tools in use, and which values of memory, are called like a path."""
    if not path or not evidence.is_new("same field", path):
        return
    written, leaf = path_text(path), fold(str(path[-1]))
    for name in evidence.earlier_tools(evidence.instance.end):
        for other, _ in evidence.index.outputs(name):
            if fold(str(other[-1])) == leaf:
                evidence.add("in_same_field", written, name, path_text(other))
                evidence.state_gives(name, path_text(other))
    for label, value in evidence.instance.memory.values.items():
        found: list[FieldPath] = [()] if fold(label) == leaf else []
        if isinstance(value, dict):  # what it holds directly
            found = [(name,) for name in value if fold(name) == leaf]
        for other in found:
            held = evidence.hold(label, path_text(other))
            evidence.add("in_same_field", written, held, path_text(other))
