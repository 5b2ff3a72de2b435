"""
Sources, calls and sequences in which what is secret is not shown.

Only texts for readers go through this. Sequences, edits and everything else that is data keep their values.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache, partial
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from rapidfuzz.distance import OSA

from refract_asp.model.catalog import Parameter, Tool
from refract_asp.model.example import Goal
from refract_asp.model.paths import FieldPath, list_of, steps_of
from refract_asp.model.schemas import children, parts_of, schema_types, type_words
from refract_asp.model.sequence import (
    Ask,
    Call,
    Constant,
    Reference,
    Sequence,
    Source,
    Structure,
    Template,
)
from refract_asp.ports import regex
from refract_asp.resources import packaged

SecretRule: TypeAlias = Callable[[str, Mapping[str, Any]], bool]
"""Says by the name of a parameter or field, and by its schema (empty where there is none), what is secret."""

Veil: TypeAlias = Callable[[Any, FieldPath], Any]
"""Gives what is shown instead of a value at a path."""
Texts: TypeAlias = Collection[str] | None
"""What looks like a reference inside a text, and is none; None: all that read no path."""

HIDDEN = "(secret)"
"""What is shown in the place of a secret value."""
OTHER = "(another secret)"
"""... where a repair put another one than was given."""

MAX_NAME = 200
"""Of longer names the end is looked at."""
MAX_TEXT = 100_000
"""In so much of a text that looks like an object the names of fields are looked for."""

_TABLE: dict[str, Any] = packaged("model/secrets.json")
_SECRET = regex(
    rf"(?:{'|'.join(_TABLE['words'])}|{''.join(f'(?<!{word})' for word in _TABLE['no_tokens'].split())}token"
    r"|^(?:auth|basicauth|pin|pinnumber|otp|totp|cvv|cvc)|(?:card|user|login|one)(?:otp|cvv|cvc))"
    r"(?:value|text|string|hash|hashed|plain|plaintext|confirm|confirmation|confirmed|repeat|repeated|again)?"
    r"[0-9]*$"
)
_GIVEN = regex(
    r"""((?<![\w\-])["']?([\w\-]{1,200}+)["']?\s*+[:=]\s*)("(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?|[^\s"',)}\]]+)"""
)
_FLAGS = frozenset({"boolean", "null"})


_MISSPELT = "password passphrase credential authorization apikey secretkey accesstoken"
"""Words that count with one slip of the pen, too; shorter ones would be other words."""


@lru_cache(maxsize=8192)
def _is_named_secret(name: str) -> bool:
    plain = folded(name)
    ends = ((word, plain[-len(word) - more :]) for word in _MISSPELT.split() for more in (-1, 0, 1))
    slips = (OSA.distance(end, word, score_cutoff=1) <= 1 for word, end in ends)
    return _SECRET.search(plain) is not None or any(slips)


def folded(name: str) -> str:
    """
    Return the end of a name without case and marks.

    Example:
        >>> folded("Api-Key")
        'apikey'
    """
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKC", name[-MAX_NAME:]).lower())


def text_without_secrets(text: str) -> str:
    """
    Return a text that could not be read, without what seems to be given to secrets in it.

    Example:
        >>> text_without_secrets('Login(user="ann", password="hunter2"')
        'Login(user="ann", password=(secret)'
    """

    def hidden(match: re.Match[str]) -> str:
        return f"{match[1]}{HIDDEN}" if is_secret(match[2], {}) else match[0]

    return _GIVEN.sub(hidden, text[:MAX_TEXT])


def is_secret(name: str, schema: Mapping[str, Any]) -> bool:
    """
    Whether the values of a parameter or field are secret: the schema says so, or the name does.

    A schema says it by `format: password` or `writeOnly: true`. A name says it by how it ends: `password`,
    `client_secret`, `apiKey`, `accessToken`, `Authorization`, `card_pin`. Names that only
    speak of secrets are none (`password_length`, `token_count`), nor are tokens that mean a place or a piece
    of text (`next_page_token`, `max_tokens`). What can only be true or false is no secret.

    Example:
        >>> is_secret("apiKey", {}), is_secret("max_tokens", {}), is_secret("note", {"format": "password"})
        (True, False, True)
    """
    if schema.get("format") == "password" or schema.get("writeOnly") is True:
        return True
    kinds = schema.get("type")
    named = [kinds] if isinstance(kinds, str) else list_of(kinds)
    if named and {type_words(str(kind)) for kind in named} <= _FLAGS:
        return False
    return _is_named_secret(name[-MAX_NAME:])


MAX_SCHEMA_DEPTH = 5
"""How deep in a schema secrets are looked for where the value itself does not show them."""
_KEY = regex(r"""(?<![\w\-.])["']?([\w\-.](?:[\w\-.]|\ (?=[\w\-.])){0,199})["']?\s*+[:=]""")
NEAR = 0.6
"""How alike an argument that is not declared is to a secret parameter that it may have meant."""


class Hidden:
    """
    What is put in the place of secrets, and how often that was needed.

    A secret that was not among those `given` is shown as another one, so that a reader sees that it changed.

    Attributes:
        count: how many values were hidden.
    """

    def __init__(self, given: set[str] | None = None) -> None:
        """Begin with the secrets that were given; None takes every one as given, and collects them."""
        self._given = given
        self.seen: set[str] = set()
        self.count = 0

    def __call__(self, value: Any) -> Any:
        """Return what is shown instead of a value; what is empty tells nothing and stays."""
        if value in ("", [], {}):
            return value
        self.count += 1
        text = value if value in (HIDDEN, OTHER) else json.dumps(value, sort_keys=True, default=str)
        self.seen.add(text)
        if text in (HIDDEN, OTHER):  # hidden before
            return str(text)
        return HIDDEN if self._given is None or text in self._given else OTHER


class Secrets:
    """
    Hides what is secret in sources of known and unknown tools.

    Example:
        >>> secrets = Secrets()
        >>> secrets.argument(["Login"], ["password"], Constant(value="hunter2")).value
        '(secret)'
        >>> secrets.argument(["Get"], ["headers"], Constant(value={"Accept": "*", "X-Api-Key": "k3"})).value
        {'Accept': '*', 'X-Api-Key': '(secret)'}
    """

    def __init__(
        self, rule: SecretRule | None = None, tool_of: Callable[[str], Tool | None] = lambda _: None
    ) -> None:
        """Hide by a rule, or by `is_secret`; `tool_of` gives tools by name."""
        self.rule = rule
        self._rule = rule or is_secret
        self._tool_of = tool_of
        self._declares = lru_cache(maxsize=65536)(self._declared)
        self._seems = lru_cache(maxsize=65536)(self._is_meant)
        self._is_secret = lru_cache(maxsize=65536)(self.is_argument)

    def argument(
        self,
        tools: Iterable[str],
        parameters: Iterable[str],
        source: Source,
        hide: Hidden | None = None,
        texts: Texts = None,
        *,
        whole: bool = False,
    ) -> Source:
        """
        Return a source without what is secret in it under one of some tools and names; itself if nothing is.

        References and asks stay: they are names.

        Args:
            tools: the tools that the call uses, as given and as repaired.
            parameters: the parameters that it goes to, likewise.
            source: what the argument is bound to.
            hide: what is put in the place of secrets.
            texts: what looks like a reference inside a text, and is none; None: all that read no path.
            whole: whether all of it is secret.
        """
        if isinstance(source, Reference | Ask):
            return source
        tools, parameters = dict.fromkeys(tools), dict.fromkeys(parameters)
        is_text = isinstance(source, Constant) and _is_data_text(source.value)
        is_single = isinstance(source, Constant) and not isinstance(source.value, dict | list)
        if is_single and not is_text and not whole:
            whole = any(self._is_secret(tool, name) for tool in tools for name in parameters)
            if not whole:
                return source
        hidden = Hidden() if hide is None else hide

        for tool, name in product(tools, parameters):
            at = _At(name, *self._schema(tool, name))
            is_all = whole or self._seems(tool, name) or (is_text and self._declares(tool, name))
            source = self._walk(source, at, (), is_all, lambda value, _: hidden(value), texts)
        return source

    def value(self, tools: Iterable[str], parameters: Iterable[str], value: Any) -> Any:
        """Return a constant of a parameter without what is secret in it."""
        hidden = self.argument(tools, parameters, Constant(value=value))
        return hidden.value if isinstance(hidden, Constant) else value

    def parameter(self, tool: str, parameter: Parameter) -> Parameter:
        """Return a parameter whose default is not shown where it is secret."""
        schema = parameter.json_schema
        if "default" not in schema:
            return parameter
        default = self.value([tool], [parameter.name], schema["default"])
        return parameter.model_copy(update={"json_schema": {**schema, "default": default}})

    def places(self, tool: str, parameter: str, value: Any) -> list[FieldPath]:
        """Return where in a value of a parameter secrets stand; what lies inside them is secret, too."""
        if self._seems(tool, parameter):
            return [()]
        found: list[FieldPath] = []
        at = _At(parameter, *self._schema(tool, parameter))
        self._walk(value, at, (), False, lambda _, place: found.append(place), None)
        return found

    def is_argument(self, tool: str, parameter: str) -> bool:
        """Whether all values of a parameter are secret."""
        at = _At(parameter, *self._schema(tool, parameter))
        return self._seems(tool, parameter) or self._hides(at)

    def call(self, call: Call, hide: Hidden | None = None) -> Call:
        """Return a call without what is secret in it."""
        given = call.arguments.items()
        arguments = {name: self.argument([call.name], [name], each, hide) for name, each in given}
        return with_arguments(call, arguments)

    def sequence(self, sequence: Sequence, hide: Hidden | None = None) -> Sequence:
        """Return a sequence without what is secret in it; `hide` is what is put in the place of secrets."""
        returns = self.call(Call(name="", arguments=sequence.returns or {}), hide).arguments
        return self.with_calls(
            sequence, [self.call(each, hide) for each in sequence.calls], returns
        )

    def with_calls(
        self, sequence: Sequence, calls: list[Call], returns: dict[str, Source]
    ) -> Sequence:
        """Return a sequence with other calls and returns, itself where they are the same."""
        unread = {call.name for call in calls if call.malformed is not None}
        if unread:  # such a call stands in what was written, whatever it gave to its parameters
            text = repr((sequence.written, [call.written for call in calls]))
            is_told = any(is_secret(word, {}) for word in set(re.findall(r"[\w\-]+", text)))
            tools = filter(None, map(self._tool_of, unread))
            if is_told or any(
                self._declares(each.name, p) for each in tools for p in each.parameters
            ):
                calls = [call.model_copy(update={"written": None}) for call in calls]
        same = all(returns[name] is source for name, source in (sequence.returns or {}).items())
        if same and all(new is old for new, old in zip(calls, sequence.calls, strict=True)):
            return sequence
        update = {"calls": tuple(calls), "written": None, "returns": returns or sequence.returns}
        return sequence.model_copy(update=update)

    def goal(self, goal: Goal) -> Goal:
        """Return a goal without what is secret in it."""
        call = self.call(Call(name=goal.name, arguments=dict(goal.arguments)))
        return goal.model_copy(update={"arguments": call.arguments})

    # -- steps -----------------------------------------------------------------

    def _schema(self, tool: str, parameter: str) -> tuple[Any, Any]:
        found = self._tool_of(tool)
        if found is None or parameter not in found.parameters:
            return {}, {}
        schema = found.parameters[parameter].json_schema
        return schema, schema if found.input_schema is None else found.input_schema

    def _is_meant(self, tool: str, parameter: str) -> bool:
        """Whether an argument that a tool does not declare may mean a parameter of it that is secret."""
        found = self._tool_of(tool)
        if found is None or parameter in found.parameters or found.additional_parameters:
            return False
        likeness = partial(OSA.normalized_similarity, folded(parameter))
        near = (name for name in found.parameters if likeness(folded(name)) >= NEAR)
        return any(self._hides(_At(name, *self._schema(tool, name))) for name in near)

    def _hides(self, at: _At) -> bool:
        parts = list(parts_of(at.schema, at.root))
        if len(parts) <= 1:
            return self._rule(at.name, parts[0] if parts else {})
        together = {key: value for part in reversed(parts) for key, value in part.items()}
        kinds = sorted(schema_types(at.schema, at.root))
        return self._rule(at.name, {**together, "type": kinds})

    def _declared(self, tool: str, parameter: str) -> bool:
        """Whether the schema of a parameter declares a secret at some depth."""
        level = [_At(parameter, *self._schema(tool, parameter))]
        for _ in range(MAX_SCHEMA_DEPTH):
            if any(map(self._hides, level)):
                return True
            level = [
                _At(at.name if step == 0 else str(step), inner, at.root)
                for at in level
                for step, inner in children(at.schema, at.root)
            ]
        return False

    def _walk(
        self, value: Any, at: _At, path: FieldPath, whole: bool, veil: Veil, texts: Texts
    ) -> Any:
        """Return a source or a value in which each secret went through `veil`; itself if none changed."""
        held: Any = value.value if isinstance(value, Constant | Structure) else value
        if held is None or isinstance(held, bool | Reference | Ask):
            return value
        whole = whole or self._hides(at)
        new = held
        if isinstance(value, Template):
            return _template(value, lambda text: veil(text, path), texts) if whole else value
        if whole and not isinstance(value, Structure):
            new = veil(held, path)
        elif isinstance(held, str):
            new = veil(held, path) if self._tells(held, at) else held
        elif isinstance(held, dict | list):
            inside = at.inside()
            steps = steps_of(held)
            parts = [
                (step, self._walk(each, inside(step), (*path, step), whole, veil, texts))
                for step, each in steps
            ]
            if any(part is not held[step] for step, part in parts):
                new = dict(parts) if isinstance(held, dict) else [part for _, part in parts]
        if new is held:
            return value
        return type(value)(value=new) if isinstance(value, Constant | Structure) else new

    def _tells(self, text: str, at: _At) -> bool:
        """Whether a text that stands for an object or a list tells something secret."""
        if not _is_data_text(text):
            return False
        below = children(at.schema, at.root) if at.name else ()
        if any(self._hides(_At(str(step), inner, at.root)) for step, inner in below):
            return True
        inside = at.inside()
        keys = dict.fromkeys(match[1].strip() for match in _KEY.finditer(text[:MAX_TEXT]))
        return any(self._hides(inside(key)) for key in keys)


class _At(NamedTuple):
    """A place in an argument: the name that counts there, its schema, and that of the arguments as a whole."""

    name: str
    schema: Any
    root: Any

    def inside(self) -> Callable[[str | int], _At]:
        """Return what tells the place of a field, or of an element of a list, which has the name of the list."""
        known = dict(children(self.schema, self.root))
        parts = (part.get("additionalProperties") for part in parts_of(self.schema, self.root))
        rest: Any = next((part for part in parts if isinstance(part, dict)), {})

        def place(step: str | int) -> _At:
            if isinstance(step, int):
                return _At(self.name, known.get(0, {}), self.root)
            return _At(step, known.get(step, rest), self.root)

        return place


def with_arguments(call: Call, arguments: dict[str, Source]) -> Call:
    """Return a call with other arguments, itself where they are the same."""
    if all(arguments[name] is source for name, source in call.arguments.items()):
        return call
    return call.model_copy(update={"arguments": arguments, "written": None})


def _is_data_text(value: object) -> bool:
    """Whether a value is a text that looks like an object or a list."""
    return isinstance(value, str) and value.lstrip()[:1] in ("{", "[")


def _template(source: Template, veil: Callable[[str], Any], texts: Texts) -> Source:
    """Hide the text of a template; with it what only looks like a reference."""
    parts: list[str | Reference | Ask] = []
    for part in source.parts:
        is_text = isinstance(part, str) or (
            isinstance(part, Reference) and not part.path and (texts is None or part.label in texts)
        )
        new = veil(str(part)) if is_text and str(part) not in (HIDDEN, OTHER) else part
        if isinstance(new, str) and parts and isinstance(parts[-1], str):
            parts[-1] = new
        else:
            parts.append(new)
    if all(isinstance(part, str) for part in parts):
        return Constant(value=str(parts[0]) if parts else "")
    return Template(parts=tuple(parts)) if parts != list(source.parts) else source
