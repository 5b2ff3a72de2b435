"""States into which forms the values of arguments may be brought, and where references would not fit."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from clingo import Function, Number, Symbol

from refract_asp.errors import shown
from refract_asp.model import Call, Constant, Structure
from refract_asp.model.paths import FieldPath, fields_of, list_of, parse_path, path_text
from refract_asp.model.schemas import schema_types
from refract_asp.model.secrets import HIDDEN
from refract_asp.model.sequence import numbered, slots_of
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fitting import is_clash, is_unfit, state_clash, types_read
from refract_asp.rules.instance import Instance
from refract_asp.rules.likeness import FAR, is_kin, words
from refract_asp.rules.problem import value_index
from refract_asp.rules.schemas.dialects import Hole, source_of, value_of
from refract_asp.rules.schemas.recasting import Recast, recasts
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator
from refract_asp.rules.symbols import text
from refract_asp.rules.wrappers import inner_call

# Longer ones do not say that nothing is restricted.
MAX_IDLE = 40
NOTHING = Function("nothing")
_NO_LETTER = re.compile(r"[\W\d_]+")
# Signs for units, as words.
_SIGNS = str.maketrans({"%": "percent", "$": " usd ", "€": " eur ", "£": " gbp ", "¥": " jpy "})
# A given argument, by its call and name, and where it goes or may go: a tool and its parameter.
Ends: TypeAlias = tuple[int, str, str, str]


def find_inner_calls(instance: Instance, is_admissible: Callable[[Call], bool]) -> None:
    """
    Note which arguments that do not fit hold a call of a known tool instead of a value.

    Only a call that could be made as it stands, and that reads from no other one, is taken.

    Args:
        instance: the sequence; what is found is noted there.
        is_admissible: whether a call is right on its own.
    """
    found = {place: call for place, (call, _) in instance.nested.items()}
    for number, parameter in instance.unfit.keys() - found:
        call = inner_call(instance.index, instance.call(number).arguments[parameter])
        if call is not None:
            found[number, parameter] = call
    instance.inner |= {place: call for place, call in found.items() if is_admissible(call)}


def state_forms(evidence: Evidence, call: int, parameter: str, tool: str, target: str) -> None:
    """
    State whether an argument fits a parameter, and if not which forms of it do.

    Args:
        evidence: what is stated so far.
        call: the number of a given call.
        parameter: the argument as it was given.
        tool: the tool that the call has or may get.
        target: the parameter of that tool to which the argument goes or may go.
    """
    ends: Ends = (call, parameter, tool, target)
    if not evidence.is_new("forms", *ends):
        return
    evidence.targets.setdefault((call, parameter), set()).add((tool, target))
    validator, instance = evidence.index.validator(tool, target), evidence.instance
    source = instance.call(call).arguments[parameter]
    if validator is None or source.kind == "ask":
        return
    # a tool is only one of several that were meant, or the call is left alone anyway
    with suppress(BrokenSchemaError):
        if source.kind == "reference":  # what it reads may be put into a list
            hole = Hole(source, types_read(instance, (call, parameter, 0)))
            known, read = instance.memory, (source.label, source.path)
            is_held = (call, parameter, 0) in instance.recalled and known.holds(*read)
            # what memory holds is judged by its value, in the list as well
            is_fitting = not is_held or validator.is_valid([known.at(*read)])
            if is_fitting and not validator.is_valid(hole):
                _state_recasts(evidence, ends, hole, validator)
        elif (is_wrong := is_unfit(instance, *ends)) or (call, parameter) in instance.nested:
            if is_wrong:
                evidence.add("in_unfit", *ends)
            if _state_inner(evidence, ends) or not is_wrong:
                return
            types: dict[int, frozenset[str]] = {}
            for slot, reference in numbered(source):
                place = (call, parameter, slot)
                is_held = instance.memory.holds(reference.label, reference.path)
                is_lost = place in instance.lost or (place in instance.recalled and not is_held)
                is_open = place in instance.producers and instance.feeder(place) is None
                # none where another call may come to be read
                is_any = is_lost or is_open
                types[id(reference)] = frozenset() if is_any else types_read(instance, place)
            value = value_of(source, lambda each: types[id(each)], instance.texts)
            _state_recasts(evidence, ends, value, validator)


def _state_inner(evidence: Evidence, ends: Ends) -> bool:
    """
    State which outputs of the call inside the argument could be what the parameter wants.

    Returns:
        Whether there is one; then the argument is no value that could come into another form.
    """
    call, parameter, *wanted = ends
    inner, index = evidence.instance.inner.get((call, parameter)), evidence.index
    if inner is None:
        return False
    evidence.tool(inner.name)
    evidence.add("in_inner", call, parameter, inner.name)
    fits = index.fits(inner.name, *wanted) or (((), "", FAR),)
    names = {tuple(fields_of(path)) for path, _ in index.outputs(inner.name)}
    if len(names) == 1:  # nothing else can be meant
        fits = tuple((path, kind, 0) for path, kind, _ in fits)
    if (call, parameter) in evidence.instance.nested:
        fits = ((evidence.instance.nested[call, parameter][1], "", 0),)
    fitting = [fit for fit in fits if not index.clashes(inner.name, fit[0], *wanted)]
    stated: list[FieldPath] = []
    for path, _, distance in fitting[: evidence.bounds.paths]:
        # what lies inside one that fits, or has the same name farther down, is not meant beside it
        name = fields_of(path)[-1:]
        if not any(path[: len(p)] == p or name == fields_of(p)[-1:] for p in stated):
            stated.append(path)
            form = Function("inner", [text(path_text(path))])
            evidence.add("in_form", *ends, form, index.limits.number("step_inner") + distance)
    return bool(stated)


def _state_recasts(evidence: Evidence, ends: Ends, value: object, validator: Validator) -> None:
    """State the forms of a value that does not fit: others of the whole, of each element, or nothing."""
    call, parameter, tool, target = ends
    given = evidence.instance.call(call).arguments[parameter]
    found, is_cut = recasts(value, validator, evidence.index.limits)
    if is_cut:
        evidence.cut(f"forms of {shown(parameter)} of call {call + 1}")
    for recast in found[: evidence.bounds.forms]:
        source = source_of(recast.value)
        number = value_index(evidence.instance, source)
        place = (call, parameter, number)
        if recast.distance < evidence.forms.setdefault(place, recast).distance:
            evidence.forms[place] = recast
        form = Function("asked", [Number(number)]) if recast.is_asking else number
        evidence.add("in_form", *ends, form, recast.distance)
        kept = {id(slot) for slot in slots_of(source)}
        for slot, reference in numbered(given):
            if id(reference) not in kept:
                evidence.add("in_form_without", call, parameter, form, slot)
        _state_keys(evidence, ends, form, recast)
    several = list_of(value)
    if 2 <= len(several) <= evidence.allowed.depth + 1 and all(map(validator.is_valid, several)):
        evidence.add("in_form", *ends, Function("each", [Number(len(several))]), 1)
    if (tool, target) == (evidence.instance.call(call).name, parameter):
        only = several[0] if len(several) == 1 else value
        _state_idle(evidence, ends, only if isinstance(only, str) and not found else None)


def _state_idle(evidence: Evidence, ends: Ends, hopeless: str | None) -> None:
    """State whether an optional argument may be left out: a null, or a text of which nothing can be made."""
    call, parameter, tool, _ = ends
    declared = evidence.index.tools[tool].parameters.get(parameter)
    if declared is None or declared.required:
        return
    if evidence.instance.call(call).arguments[parameter] == Constant():
        evidence.add("in_form", *ends, NOTHING, 1)
    elif hopeless is not None and len(hopeless) <= MAX_IDLE:
        evidence.add("in_form", *ends, NOTHING, 2)
        evidence.state_words(hopeless)
        evidence.state_words(parameter)
        evidence.say("in_hopeless", *ends, hopeless)
        said, kinds = declared.json_schema, schema_types(declared.json_schema)
        if "default" in {*said, *words(declared.description)} or kinds & {"integer", "number"}:
            evidence.say("in_limited", tool, parameter)


def _state_keys(evidence: Evidence, ends: Ends, form: int | Symbol, recast: Recast) -> None:
    """State which keys inside the value a form renames, leaves out or takes away around all of it."""
    call, parameter, tool, target = ends
    source = evidence.instance.call(call).arguments[parameter]
    # so are its keys, then
    is_secret = evidence.index.secrets.is_argument(tool, target)
    for step in recast.steps:
        if step.rule == "rename_key":
            names = (str(step.path[-1]), step.after.strip('"'))
            key, field = (HIDDEN, "") if is_secret else names
            evidence.state_meant(key, field)
            evidence.say("in_moved", *ends, form, key, field)
        elif step.rule in ("enum_word", "split_words", "number_in_text"):
            # between the parts of a list stands nothing that counts
            fact, given = "in_picked", step.before
            member = step.after if step.rule == "enum_word" else step.before
            if step.rule == "number_in_text":  # in what it is measured, and in what it should be
                about = evidence.index.tools[tool].parameters[target].description
                fact = "in_measured"
                given = _NO_LETTER.sub(" ", step.before.translate(_SIGNS))
                member = " ".join((target, *fields_of(step.path), about.translate(_SIGNS)))
            told = (HIDDEN, HIDDEN) if is_secret else (given, member)
            for name in (*told, target):
                evidence.state_words(name)
            evidence.say(fact, *ends, form, *told)
        elif step.rule == "drop_key":
            evidence.say("in_left_out", *ends, form)
        elif step.rule == "unwrap" and not step.path and not is_secret:
            for wrapper in source.value if isinstance(source, Constant | Structure) else ():
                if isinstance(wrapper, str) and is_kin(wrapper, target):
                    # what is inside says where it goes
                    evidence.state_kin(parameter, target, True)


def state_clashes(evidence: Evidence) -> None:
    """
    State which references would read another type than is wanted, where they may come to read.

    A label, a tool or a parameter may change its meaning in a repair; the path that is read from it
    stays. What a reference may be pointed to instead was looked at when it was offered.
    """
    instance, index = evidence.instance, evidence.index
    for place, reference in instance.references.items():
        call, parameter, slot = place
        targets = evidence.targets.get((call, parameter), set())
        is_open = place in evidence.open_places or bool(targets) or instance.tool(call) is None
        if call == instance.end or not is_open:
            continue
        written, source = path_text(reference.path), instance.call(call).arguments[parameter]
        givers = instance.givers.get(written, {}) | evidence.givers.get(written, {})
        read = dict.fromkeys((giver, written) for giver in givers) | evidence.near.get(written, {})
        for ends in sorted(targets | {(tool, parameter) for tool in evidence.possible_tools(call)}):
            if slot == 0:
                is_judged = evidence.is_new("clash", written, *ends)
            else:  # what is wrong with a structure that does not fit is judged by its forms
                is_declared = ends[1] in index.tools[ends[0]].parameters
                is_judged = source.kind == "structure" and is_declared
                is_judged = is_judged and index.fits_schema(*ends, value_of(source))
            for giver, spelling in read if is_judged else ():
                with suppress(BrokenSchemaError):
                    if is_clash(instance, place, giver, parse_path(spelling), *ends):
                        state_clash(evidence, place, giver, spelling, *ends)
