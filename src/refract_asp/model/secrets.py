"""
Sources, calls and sequences in which what is secret is not shown.

Only texts for readers go through this. Sequences, edits and everything else that is data keep their values.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from rapidfuzz.distance import OSA

from refract_asp.model.catalog import Parameter, Tool
from refract_asp.model.goals import Goal
from refract_asp.model.paths import FieldPath
from refract_asp.model.schemas import children, parts_of, schema_types, type_words
from refract_asp.model.sequence import Call, Sequence
from refract_asp.model.sources import Ask, Constant, Reference, Source, Structure, Template

__all__ = [
    "HIDDEN",
    "MAX_TEXT",
    "OTHER",
    "Hidden",
    "SecretRule",
    "Secrets",
    "folded",
    "is_secret",
    "text_without_secrets",
]


SecretRule: TypeAlias = Callable[[str, Mapping[str, Any]], bool]
"""Says by the name of a parameter or field, and by its schema (empty where there is none), what is secret."""

HIDDEN = "(secret)"
"""What is shown in the place of a secret value."""
OTHER = "(another secret)"
"""... where a repair put another one than was given."""

MAX_NAME = 200
"""Of longer names the end is looked at."""
MAX_TEXT = 100_000
"""In so much of a text that looks like an object the names of fields are looked for."""

_WORDS = (
    "passwords?|passwd|passphrase|passcode|passkey|passwort|kennwort|pwd"
    "|secrets?|credentials?|authorization|authorisation|bearer|cookies?|jwt|apikeys?|mnemonic|seedphrase"
    "|(?:api|app|access|private|secret|encryption|signing|auth|master|ssh|account|shared|session|service"
    "|subscription|security)keys?"
    "|(?:authorization|authorisation|auth|security|access|recovery|backup|onetime)codes?"
    "|(?:access|refresh|auth|api|bearer|session|security|secret)tokens"
    "|(?:card|bank|atm|sim|account|user|login|security|access|unlock|old|new|current)pin"
    "|(?:auth|authorization|cookie)header"
)
_NO_TOKENS = (
    "page next pagination continuation cursor prev previous sync delta start end stop max min per eos bos "
    "pad unk mask sep cls first last from to in out base quote buy sell client idempotency"
)
_SECRET = re.compile(
    rf"(?:{_WORDS}|{''.join(f'(?<!{word})' for word in _NO_TOKENS.split())}token"
    r"|^(?:auth|basicauth|pin|pinnumber|otp|totp|cvv|cvc)|(?:card|user|login|one)(?:otp|cvv|cvc))"
    r"(?:value|text|string|hash|hashed|plain|plaintext|confirm|confirmation|confirmed|repeat|repeated|again)?"
    r"[0-9]*$"
)
_GIVEN = re.compile(
    r"""((?<![\w\-])["']?([\w\-]{1,200}+)["']?\s*+[:=]\s*)("(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?|[^\s"',)}\]]+)"""
)
_FLAGS = frozenset({"boolean", "null"})


_MISSPELT = (
    "password",
    "passphrase",
    "credential",
    "authorization",
    "apikey",
    "secretkey",
    "accesstoken",
)
"""Words that count with one slip of the pen, too; shorter ones would be other words."""


@lru_cache(maxsize=8192)
def _is_named_secret(name: str) -> bool:
    plain = folded(name)
    if _SECRET.search(plain) is not None:
        return True
    return any(
        OSA.distance(plain[-length:], word, score_cutoff=1) <= 1
        for word in _MISSPELT
        for length in range(len(word) - 1, len(word) + 2)
    )


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
    named = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
    if named and {type_words(str(kind)) for kind in named} <= _FLAGS:
        return False
    return _is_named_secret(name[-MAX_NAME:])


MAX_SCHEMA_DEPTH = 5
"""How deep in a schema secrets are looked for where the value itself does not show them."""
_KEY = re.compile(r"""(?<![\w\-.])["']?([\w\-.](?:[\w\-.]|\ (?=[\w\-.])){0,199})["']?\s*+[:=]""")
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

    def __call__(self, value: Any) -> str:
        """Return what is shown instead of a value."""
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
        texts: Collection[str] | None = None,
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
        if not whole and _is_single(source):
            whole = any(self._is_secret(tool, name) for tool in tools for name in parameters)
            if not whole:
                return source
        hide = Hidden() if hide is None else hide
        for tool in tools:
            for name in parameters:
                schema, root = self._schema(tool, name)
                all_of_it = whole or self._seems(tool, name)
                all_of_it = all_of_it or (_is_data_text(source) and self._declares(tool, name))
                source = self._source(source, name, schema, root, all_of_it, hide, texts)
        return source

    def value(self, tools: Iterable[str], parameters: Iterable[str], value: Any) -> Any:
        """Return a constant of a parameter without what is secret in it."""
        hidden = self.argument(tools, parameters, Constant(value=value))
        return hidden.value if isinstance(hidden, Constant) else value

    def parameter(self, tool: str, parameter: Parameter) -> Parameter:
        """Return a parameter whose default is not shown where it is secret."""
        if "default" not in parameter.json_schema:
            return parameter
        default = self.value([tool], [parameter.name], parameter.json_schema["default"])
        return parameter.model_copy(
            update={"json_schema": {**parameter.json_schema, "default": default}}
        )

    def places(
        self, tool: str, parameter: str, value: Any, path: FieldPath = ()
    ) -> list[FieldPath]:
        """Return where in a value of a parameter secrets stand; what lies inside them is secret, too."""
        schema, root = self._schema(tool, parameter)
        return (
            [path]
            if self._seems(tool, parameter)
            else self._places(value, parameter, schema, root, path)
        )

    def is_argument(self, tool: str, parameter: str) -> bool:
        """Whether all values of a parameter are secret."""
        return self._seems(tool, parameter) or self._hides(
            parameter, *self._schema(tool, parameter)
        )

    def call(self, call: Call) -> Call:
        """Return a call without what is secret in it."""
        hidden = {
            name: self.argument([call.name], [name], each) for name, each in call.arguments.items()
        }
        if all(hidden[name] is each for name, each in call.arguments.items()):
            return call
        return call.model_copy(update={"arguments": hidden, "written": None})

    def sequence(self, sequence: Sequence) -> Sequence:
        """Return a sequence without what is secret in it."""
        calls = tuple(map(self.call, sequence.calls))
        given = sequence.returns or {}
        returns = {name: self.argument([""], [name], each) for name, each in given.items()}
        same = all(returns[name] is each for name, each in given.items())
        if same and all(new is old for new, old in zip(calls, sequence.calls, strict=True)):
            return sequence
        changed = {
            "calls": calls,
            "written": None,
            "returns": sequence.returns if same else returns,
        }
        return sequence.model_copy(update=changed)

    def goal(self, goal: Goal) -> Goal:
        """Return a goal without what is secret in it."""
        if not goal.arguments:
            return goal
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
        written = folded(parameter)
        return any(
            OSA.normalized_similarity(written, folded(name)) >= NEAR
            and self._hides(name, *self._schema(tool, name))
            for name in found.parameters
        )

    def _hides(self, name: str, schema: Any, root: Any) -> bool:
        parts = list(parts_of(schema, root))
        if len(parts) <= 1:
            return self._rule(name, parts[0] if parts else {})
        together = {key: value for part in reversed(parts) for key, value in part.items()}
        return self._rule(name, {**together, "type": sorted(schema_types(schema, root))})

    def _inside(self, schema: Any, root: Any) -> Callable[[str | int], Any]:
        """Return what tells the schema of a field, or of the elements of a list (0)."""
        known = dict(children(schema, root))
        rest: Any = next(
            (
                part["additionalProperties"]
                for part in parts_of(schema, root)
                if isinstance(part.get("additionalProperties"), dict)
            ),
            {},
        )
        return lambda step: known.get(step, rest if isinstance(step, str) else {})

    def _declared(self, tool: str, parameter: str) -> bool:
        """Whether the schema of a parameter declares a secret at some depth."""
        schema, root = self._schema(tool, parameter)
        level = [(parameter, schema)]
        for _ in range(MAX_SCHEMA_DEPTH):
            if any(self._hides(name, inner, root) for name, inner in level):
                return True
            level = [
                (name if step == 0 else str(step), inner)
                for name, outer in level
                for step, inner in children(outer, root)
            ]
        return False

    def _source(
        self,
        source: Source,
        name: str,
        schema: Any,
        root: Any,
        whole: bool,
        hide: Hidden,
        texts: Collection[str] | None,
    ) -> Source:
        if isinstance(source, Reference | Ask):
            return source
        whole = whole or self._hides(name, schema, root)
        if isinstance(source, Constant):
            value = self._value(source.value, name, schema, root, whole, hide)
            return source if value is source.value else Constant(value=value)
        if isinstance(source, Template):
            return _template(source, hide, texts) if whole else source
        inside = self._inside(schema, root)
        if isinstance(source.value, dict):
            fields = {
                key: self._source(inner, key, inside(key), root, whole, hide, texts)
                for key, inner in source.value.items()
            }
            same = all(fields[key] is inner for key, inner in source.value.items())
            return source if same else Structure(value=fields)
        items = [
            self._source(inner, name, inside(0), root, whole, hide, texts) for inner in source.value
        ]
        same = all(new is old for new, old in zip(items, source.value, strict=True))
        return source if same else Structure(value=items)

    def _value(
        self, value: Any, name: str, schema: Any, root: Any, whole: bool, hide: Hidden
    ) -> Any:
        if value is None or isinstance(value, bool) or value in ("", [], {}):  # these tell nothing
            return value
        if whole:
            return hide(value)
        if isinstance(value, str):
            return hide(value) if self._tells(value, name, schema, root) else value
        if not isinstance(value, dict | list):
            return value
        inside = self._inside(schema, root)
        if isinstance(value, dict):
            fields = {
                key: self._field(inner, key, inside(key), root, hide)
                for key, inner in value.items()
            }
            return value if all(fields[key] is inner for key, inner in value.items()) else fields
        items = [self._field(inner, name, inside(0), root, hide) for inner in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items

    def _field(self, value: Any, name: str, schema: Any, root: Any, hide: Hidden) -> Any:
        return self._value(value, name, schema, root, self._hides(name, schema, root), hide)

    def _tells(self, text: str, name: str, schema: Any, root: Any) -> bool:
        """Whether a text that stands for an object or a list tells something secret."""
        if text.lstrip()[:1] not in ("{", "["):
            return False
        if name and any(
            self._hides(str(step), inner, root) for step, inner in children(schema, root)
        ):
            return True
        inside = self._inside(schema, root)
        return any(
            self._hides(key, inside(key), root)
            for key in dict.fromkeys(match[1].strip() for match in _KEY.finditer(text[:MAX_TEXT]))
        )

    def _places(
        self, value: Any, name: str, schema: Any, root: Any, path: FieldPath
    ) -> list[FieldPath]:
        if value is None or isinstance(value, bool):
            return []
        if self._hides(name, schema, root):
            return [path]
        if isinstance(value, str):
            return [path] if self._tells(value, name, schema, root) else []
        if not isinstance(value, dict | list):
            return []
        inside = self._inside(schema, root)
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        found: list[FieldPath] = []
        for step, inner in parts:
            key = str(step) if isinstance(value, dict) else name
            below = inside(step if isinstance(value, dict) else 0)
            found += self._places(inner, key, below, root, (*path, step))
        return found


def _is_single(source: Source) -> bool:
    """Whether a source is a value that holds no others, nor a text that may stand for such."""
    if not isinstance(source, Constant) or isinstance(source.value, dict | list):
        return False
    return not isinstance(source.value, str) or source.value.lstrip()[:1] not in ("{", "[")


def _is_data_text(source: Source) -> bool:
    """Whether a source is a text that looks like an object or a list."""
    return (
        isinstance(source, Constant)
        and isinstance(source.value, str)
        and source.value.lstrip()[:1] in ("{", "[")
    )


def _template(source: Template, hide: Hidden, texts: Collection[str] | None) -> Source:
    """Hide the text of a template; with it what only looks like a reference."""
    parts: list[str | Reference | Ask] = []
    for part in source.parts:
        is_text = isinstance(part, str) or (
            isinstance(part, Reference) and not part.path and (texts is None or part.label in texts)
        )
        new = hide(str(part)) if is_text and str(part) not in (HIDDEN, OTHER) else part
        if isinstance(new, str) and parts and isinstance(parts[-1], str):
            parts[-1] = new
        else:
            parts.append(new)
    if all(isinstance(part, str) for part in parts):
        return Constant(value=str(parts[0]) if parts else "")
    return Template(parts=tuple(parts)) if parts != list(source.parts) else source
