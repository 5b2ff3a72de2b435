"""
Arguments that hold something other than a value: further arguments, or a call.

An argument may only wrap others, as `params` in `Search(params={"query": "x"})`. Or a call of a known tool is
written inside it, as `f(x="g(y=1).id")`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from clingo import Symbol

from refract_asp.errors import RefractError
from refract_asp.model import Call, Constant, Sequence, Source, Structure
from refract_asp.model.paths import FieldPath, is_position, parse_path, without
from refract_asp.model.sequence import slots_of
from refract_asp.rules.index import CatalogIndex
from refract_asp.rules.likeness import is_short_form, is_slip, words
from refract_asp.rules.schemas.dialects import source_of
from refract_asp.rules.symbols import Facts, plain

if TYPE_CHECKING:
    from refract_asp.rules.question import Problem

# An argument, by its call and name.
Held: TypeAlias = tuple[int, str]
# What is wrong with an argument that holds others, or with the call as a whole.
WRONG = ("undeclared_parameter", "invalid_value", "unknown_tool")
# A longer text is not searched for arguments, nor an object with more keys.
MAX_TEXT = 100_000
MAX_KEYS = 100
# A longer text is not searched for a call.
MAX_CALL_TEXT = 2000
# A call of an unknown tool may mean one of so many that are called alike.
MAX_TOOLS = 3
_WITH_PATH = re.compile(r"([\w.:/-]+\(.*\))([.\[][^()]*)", re.S)


def members(source: Source) -> Mapping[str, Source]:
    """
    Return what lies in an argument by its keys: in an object, or in the JSON text of one.

    Example:
        >>> members(Constant(value='{"id": 3}'))
        {'id': Constant(kind='constant', value=3)}
    """
    value = source.value if isinstance(source, Constant | Structure) else None
    if isinstance(value, str) and len(value) <= MAX_TEXT and value.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
    if not isinstance(value, dict) or len(value) > MAX_KEYS:
        return {}
    if isinstance(source, Structure):
        return value
    return {key: source_of(each) for key, each in value.items()}


def find_wrappers(problem: Problem) -> tuple[dict[Held, Source], list[Symbol]]:
    """
    Ask the rules in `names/` which of the arguments that are wrong only hold other ones.

    Returns:
        Each of them, by call and name, and the facts by which a repair knows of them.
    """
    instance, names, facts = problem.instance, problem.engine.repairing().options.names, Facts()
    for each in problem.violations:
        arguments = instance.call(each.call).arguments if each.call is not None else {}
        for name in [each.parameter] if each.parameter else arguments:
            if each.code in WRONG and name in arguments and (keys := members(arguments[name])):
                _state_keys(problem, facts, (each.call or 0, name), keys)
    if names is None or not facts.facts:
        return {}, []
    stated = (*instance.facts, *problem.facts, *facts.facts)
    known = [symbol for symbol in stated if symbol.name in names.asks]
    answers = names.answers(known, [("opened", 2), ("opening_doubt", 3)])
    places = {(each.arguments[0].number, plain(each.arguments[1])) for each in answers}
    found = {(call, name): instance.call(call).arguments[name] for call, name in sorted(places)}
    return found, sorted(answers)


def _state_keys(problem: Problem, facts: Facts, ends: Held, keys: Mapping[str, Source]) -> None:
    """State what the keys inside an argument are: parameters that the call may have meant, or none."""
    index, name, given = problem.instance.index, ends[1], problem.instance.call(ends[0])
    if (known := index.get(given.name)) is not None:
        tools = [known]
    else:
        tools = [index.tools[each] for each, _ in index.near_names(given.name)[0][:MAX_TOOLS]]
        if any(name in tool.parameters for tool in tools):
            return
    beside = given.arguments.keys() - {name}
    free = sorted(set().union(*(tool.parameters for tool in tools)) - beside)
    if inner_call(index, given.arguments[name]) is not None:
        facts.add("in_key_call", *ends)
    for text in () if is_position(name) else (name, *keys):
        for word in words(text):
            facts.add("in_word", text, word)
            facts.facts |= dict.fromkeys(problem.engine.repairing().options.lexicon.get(word, ()))
    for meant in free:
        if meant != name and is_slip(name, meant):
            facts.add("in_slip", *ends, tools[0].name, meant)
    for key, source in keys.items():
        facts.add("in_key", *ends, key)
        if members(source):
            facts.add("in_key_holds", *ends, key)
        if given.arguments.get(key, source) != source and key != name:
            facts.add("in_key_beside", *ends, key)
        for meant in free:
            if is_slip(key, meant) or is_short_form(key, meant):
                facts.add("in_key_means", *ends, key, meant)


def opened(sequence: Sequence, wrappers: Mapping[Held, object]) -> Sequence:
    """Return a sequence in which what lies in some arguments stands in their place."""
    calls = list(sequence.calls)
    for number, name in wrappers:
        arguments: dict[str, Source] = {}
        for each, source in calls[number].arguments.items():
            found = members(source) if each == name else {each: source}
            arguments |= without(found, arguments)
        calls[number] = calls[number].model_copy(update={"arguments": arguments})
    return sequence.model_copy(update={"calls": tuple(calls)})


# --- calls inside arguments --------------------------------------------------------------------------


def text_call(index: CatalogIndex, source: Source) -> tuple[Call, FieldPath] | None:
    """
    Return the call that a text is as a whole, and the path in which it ends, where its tool returns that.

    Only a call with arguments that its tool declares is one; whether it could be made is not judged.
    """
    value: Any = source.value if isinstance(source, Constant) else None
    is_text = isinstance(value, str) and len(value) <= MAX_CALL_TEXT
    if not is_text or not (")." in value or ")[" in value):
        return None
    match = _WITH_PATH.fullmatch(value.strip().strip("${}").strip())
    with suppress(RefractError, ValueError, RecursionError):
        call = _single_call(index, match[1]) if match else None
        if match and call is not None:
            path, tool = parse_path(match[2].removeprefix(".")), index.tools[call.name]
            strange = () if tool.additional_parameters else call.arguments.keys() - tool.parameters
            return (call, path) if path and not strange and tool.returns_path(path) else None
    return None


def inner_call(index: CatalogIndex, source: Source) -> Call | None:
    """Return the call that an argument holds in place of a value."""
    data: Any = source.value if isinstance(source, Constant) else None
    is_text = isinstance(data, str) and len(data) <= MAX_CALL_TEXT and ("(" in data or "{" in data)
    with suppress(RefractError, ValueError, RecursionError):
        if is_text and data.lstrip().startswith("{"):
            data = json.loads(data)
        if is_text or isinstance(data, dict):
            return _single_call(index, data)
    return None


def _single_call(index: CatalogIndex, data: Any) -> Call | None:
    """
    Return the one call of a known tool that some data stand for, which reads from no other one.

    Raises:
        RefractError: they stand for no calls.
    """
    if isinstance(data, dict) and len(data) == 1:  # the tool may be the key of its arguments
        ((name, arguments),) = data.items()
        if index.get(name) is not None and isinstance(arguments, dict):
            data = {"name": name, "arguments": arguments}
    calls = Sequence.load([data] if isinstance(data, dict) else data).calls
    for call in calls if len(calls) == 1 else ():
        is_whole = call.malformed is None and not call.confirms
        reads = [slot for argument in call.arguments.values() for slot in slots_of(argument)]
        if is_whole and not reads and index.get(call.name) is not None:
            return call
    return None
