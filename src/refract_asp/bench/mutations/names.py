"""Kinds that break names: of tools and of parameters."""

from __future__ import annotations

import random
import re

from refract_asp.bench.mutations.mutation import (
    Kind,
    Mutation,
    invented,
    misfits,
    respelt,
    words_in,
    wrong_name,
)
from refract_asp.bench.mutations.tokens import (
    Token,
    arguments,
    paths_read,
    place_text,
    source_text,
    tools_that_fit,
    with_argument,
    with_call,
)
from refract_asp.model import Catalog, Constant, Parameter, Reference, Sequence, Source

__all__ = ["KINDS"]

PREFIXES = ("mcp_", "mcp__server__", "functions.", "tools/", "api.")
"""Namespaces that a model puts before the name of a tool."""
ADDED_WORDS = ("the", "input", "value", "given")
"""Words that make the name of a parameter longer and say nothing."""

_SCOPE = re.compile(r"[./:]+|__+")


def _known_tools(sequence: Sequence, catalog: Catalog) -> list[Token]:
    return [Token(i) for i, call in enumerate(sequence.calls) if call.name in catalog.by_name]


def _tool_name(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    call = sequence.calls[token.call]
    wrong = wrong_name(call.name, rng, catalog.by_name.__contains__)
    if wrong is None:
        return None
    fit = tools_that_fit(catalog, call, paths_read(sequence, token.call))
    return Mutation(
        kind="tool_name",
        broken=with_call(sequence, token.call, call.model_copy(update={"name": wrong[0]})),
        expected=sequence,
        token=token,
        what=f"{place_text(sequence, token)}: tool {call.name} is now {wrong[0]}",
        variant=wrong[1],
        informed=wrong[1] == "misspelt" or fit == [call.name],
        note=f"{len(fit)} tools take these arguments and give what is read: {', '.join(fit)}",
    )


def _namespace(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    call = sequence.calls[token.call]
    written = {"gained": rng.choice(PREFIXES) + call.name}
    scopes = list(_SCOPE.finditer(call.name))
    if scopes and call.name[scopes[-1].end() :]:
        written["lost"] = call.name[scopes[-1].end() :]
    if "_" in call.name:
        written["escaped"] = call.name.replace("_", "\\_")
    variant = rng.choice(list(written))
    wrong = written[variant]
    if wrong in catalog.by_name:
        return None
    bare = _without_namespace(wrong.replace("\\_", "_"))
    alike = [
        tool.name
        for tool in catalog
        if {tool.name, *_without_namespace(tool.name)} & {wrong, *bare}
    ]
    return Mutation(
        kind="namespace",
        broken=with_call(sequence, token.call, call.model_copy(update={"name": wrong})),
        expected=sequence,
        token=token,
        what=f"{place_text(sequence, token)}: tool {call.name} is now {wrong}",
        variant=variant,
        informed=alike == [call.name],
        note=f"called so without a namespace: {', '.join(alike)}",
    )


def _without_namespace(name: str) -> set[str]:
    """Return a name with its first words taken off, where a mark parts them from the rest."""
    found = {name[match.end() :] for match in _SCOPE.finditer(name)}
    found |= {name.removeprefix(prefix) for prefix in PREFIXES}
    return {rest for rest in found if rest}


def _named_arguments(sequence: Sequence, catalog: Catalog) -> list[Token]:
    found = arguments(sequence, catalog)
    return [passed.token for passed in found if not passed.tool.additional_parameters]


def _renamed(
    kind: str,
    sequence: Sequence,
    catalog: Catalog,
    token: Token,
    wrong: tuple[str, str],
    *,
    informed: bool,
) -> Mutation:
    """Return the mutation that gives an argument another name."""
    call = sequence.calls[token.call]
    name = token.parameter or ""
    parameters = catalog.by_name[call.name].parameters
    changed = {wrong[0] if p == name else p: source for p, source in call.arguments.items()}
    free = [p for p in parameters if p == name or p not in call.arguments]
    return Mutation(
        kind=kind,
        broken=with_call(sequence, token.call, call.model_copy(update={"arguments": changed})),
        expected=sequence,
        token=token,
        what=f"{place_text(sequence, token)}: parameter {name} is now {wrong[0]}",
        variant=wrong[1],
        informed=informed,
        required=parameters[name].required,
        note=("required" if parameters[name].required else "optional")
        + f"; parameters without argument: {', '.join(free)}",
    )


def _parameter_name(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    call = sequence.calls[token.call]
    parameters = catalog.by_name[call.name].parameters
    wrong = wrong_name(
        token.parameter or "", rng, lambda word: word in parameters or word in call.arguments
    )
    if wrong is None:
        return None
    name, tool = token.parameter or "", catalog.by_name[call.name]
    source = call.arguments[name]
    free = [p for p in parameters if p == name or p not in call.arguments]
    takes = [
        p for p in free if not isinstance(source, Constant) or not misfits(tool, p, source.value)
    ]
    named = [p for p in takes if _is_pointed_to(parameters[p], source)]
    is_told = parameters[name].required or (name in takes and len(named or takes) == 1)
    informed = wrong[1] == "misspelt" or (is_told and (not named or name in named))
    return _renamed("parameter_name", sequence, catalog, token, wrong, informed=informed)


def _is_pointed_to(parameter: Parameter, source: Source) -> bool:
    """Whether the schema speaks of a value, or the name of the field that is read shares a word with it."""
    if isinstance(source, Reference):
        fields = [step for step in source.path if isinstance(step, str)]
        return bool(fields and set(words_in(fields[-1])) & set(words_in(parameter.name)))
    value = source.value if isinstance(source, Constant) else None
    schema = parameter.json_schema
    spoken = [*(schema.get("enum") or ()), schema.get("default"), *(schema.get("examples") or ())]
    said = isinstance(value, str) and len(value) > 1 and value in parameter.description
    return value is not None and (
        said or any(type(other) is type(value) and other == value for other in spoken)
    )


def _parameter_spelling(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    call = sequence.calls[token.call]
    parameters = catalog.by_name[call.name].parameters
    name = token.parameter or ""
    words = words_in(name)
    written = {"respelt": respelt(name)}
    if len(words) > 1:
        written["shorter"] = _joined(rng.choice((words[1:], words[:-1])), name)
    if words:
        more = rng.choice([*ADDED_WORDS, *words_in(call.name)[-1:]])
        written["longer"] = _joined([more, *words], name)
    possible = [
        (word, variant)
        for variant, word in written.items()
        if word != name and word not in parameters and word not in call.arguments
    ]
    if not possible:
        return None
    wrong = rng.choice(possible)
    free = [p for p in parameters if p == name or p not in call.arguments]
    alike = [p for p in free if set(words_in(p)) & set(words_in(wrong[0]))]
    equal = [p for p in free if words_in(p) == words_in(wrong[0])]
    informed = name in (equal or alike) and len(equal or alike) == 1
    return _renamed("parameter_spelling", sequence, catalog, token, wrong, informed=informed)


def _joined(words: list[str], like: str) -> str:
    """Join words to a name that is spelt like another one."""
    if "_" in like or like.islower():
        return "_".join(words)
    return "".join([words[0], *(word.capitalize() for word in words[1:])])


def _closed_calls(sequence: Sequence, catalog: Catalog) -> list[Token]:
    """Return the calls whose tools take nothing that they do not declare."""
    return [
        token
        for token in _known_tools(sequence, catalog)
        if not catalog.by_name[sequence.calls[token.call].name].additional_parameters
    ]


def _made_up_argument(
    sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
) -> Mutation | None:
    call = sequence.calls[token.call]
    tool = catalog.by_name[call.name]
    foreign = sorted({p for other in catalog for p in other.parameters} - set(tool.parameters))
    given = [p for p in call.arguments if respelt(p) != p]
    variant = rng.choice(["invented", *["foreign"] * bool(foreign), *["second"] * bool(given)])
    source: Source = Constant(value=rng.choice((invented(rng), rng.randint(1, 99))))
    name = invented(rng)
    if variant == "foreign":
        name = rng.choice(foreign)
    elif variant == "second":
        first = rng.choice(given)
        name, source = respelt(first), call.arguments[first]
    if name in tool.parameters or name in call.arguments:
        return None
    free = [p for p in tool.parameters if p not in call.arguments]
    alike = [p for p in free if set(words_in(p)) & set(words_in(name))]
    value = source.value if isinstance(source, Constant) else None
    takes = [p for p in free if value is None or not misfits(tool, p, value)]
    is_meant = variant != "second" and len(takes) == 1
    return Mutation(
        kind="made_up_argument",
        broken=with_argument(sequence, Token(token.call, name), source),
        expected=sequence,
        token=Token(token.call, name),
        what=f"{place_text(sequence, token)}: there is an argument {name}={source_text(source)} besides",
        variant=variant,
        informed=not alike and not is_meant,
        required=False,
        note=f"parameters without argument: {', '.join(free) or 'none'}",
    )


KINDS = (
    Kind(
        "tool_name",
        "a tool's name is misspelt by 1 to 3 edits, or an invented word stands for it",
        "misspelt; or one tool alone takes exactly these arguments and gives what is read",
        "names",
        _known_tools,
        _tool_name,
    ),
    Kind(
        "namespace",
        "a namespace before a tool's name is gained or lost, or `_` is written `\\_`",
        "one tool alone is called so without a namespace",
        "names",
        _known_tools,
        _namespace,
    ),
    Kind(
        "parameter_name",
        "a parameter's name is misspelt by 1 to 3 edits, or an invented word stands for it",
        "misspelt; or the parameter is required; or it is the only one that is free and takes the value; or "
        "the only one of these whose schema names the value, or whose name shares a word with the field",
        "names",
        _named_arguments,
        _parameter_name,
    ),
    Kind(
        "parameter_spelling",
        "a parameter is written in camelCase for snake_case or the other way round, a word shorter or longer",
        "one parameter that is free is called so but for the spelling, or alone shares a word with what is "
        "written",
        "names",
        _named_arguments,
        _parameter_spelling,
    ),
    Kind(
        "made_up_argument",
        "an argument is added that the tool does not declare: of an invented name, of one that other tools "
        "have, or one that is there once more in another spelling",
        "no parameter that is free shares a word with it; nor is there just one that takes the value, for "
        "which an invented name could stand",
        "names",
        _closed_calls,
        _made_up_argument,
    ),
)
