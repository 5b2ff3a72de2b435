"""Which values are secret by the name or the schema of what they are given to, and how they are shown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from rapidfuzz.distance import OSA

from refract_asp.model.schemas import type_words

__all__ = ["HIDDEN", "MAX_TEXT", "OTHER", "SecretRule", "folded", "is_secret", "text_without_secrets"]

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


_MISSPELT = ("password", "passphrase", "credential", "authorization", "apikey", "secretkey", "accesstoken")
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
