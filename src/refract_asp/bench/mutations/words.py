"""Wrong names: misspellings of a given one, other spellings of it, and invented pronounceable words."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable

__all__ = ["invented", "misspelt", "respelt", "words_in", "wrong_name"]

ATTEMPTS = 100

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def misspelt(word: str, rng: random.Random) -> str:
    """Apply 1 to 3 random edits of characters: insert, delete, replace or transpose."""
    letters = list(word)
    for _ in range(rng.randint(1, 3)):
        edit = rng.choice(("insert", "delete", "replace", "transpose"))
        place = rng.randrange(len(letters)) if letters else 0
        if edit == "insert" or not letters:
            letters.insert(place, rng.choice(string.ascii_lowercase))
        elif edit == "delete":
            del letters[place]
        elif edit == "replace":
            letters[place] = rng.choice(string.ascii_lowercase)
        elif len(letters) > 1:
            place = rng.randrange(len(letters) - 1)
            letters[place], letters[place + 1] = letters[place + 1], letters[place]
    return "".join(letters)


def invented(rng: random.Random) -> str:
    """Make up a pronounceable word of 2 to 4 syllables, such as `tomaru`."""
    return "".join(
        rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") + rng.choice(("", "", "", "n", "r", "s"))
        for _ in range(rng.randint(2, 4))
    )


def wrong_name(name: str, rng: random.Random, exists: Callable[[str], bool]) -> tuple[str, str] | None:
    """
    Return a wrong name and its variant ("misspelt" or "invented", half each).

    Returns:
        None when no attempt gave a name that does not exist in the same place.
    """
    variant = rng.choice(("misspelt", "invented"))
    for _ in range(ATTEMPTS):
        wrong = misspelt(name, rng) if variant == "misspelt" else invented(rng)
        if wrong and wrong == wrong.strip() and wrong != name and not exists(wrong):
            return wrong, variant
    return None


def words_in(name: str) -> list[str]:
    """
    Split `camelCase` and `snake_case` into lower-case words, in order.

    Example:
        >>> words_in("originSkyId"), words_in("check_in")
        (['origin', 'sky', 'id'], ['check', 'in'])
    """
    return [word.lower() for word in _WORD.findall(name)]


def respelt(name: str) -> str:
    """
    Return a name in the other spelling: `snake_case` as `camelCase`, and else as `snake_case`.

    Example:
        >>> respelt("check_in"), respelt("checkIn"), respelt("query")
        ('checkIn', 'check_in', 'query')
    """
    words = words_in(name)
    if "".join(words) != "".join(c for c in name if c.isalnum()).lower():
        return name  # it has letters that are not looked at
    if "_" in name or "-" in name:
        return "".join([words[0], *(word.capitalize() for word in words[1:])]) if words else name
    return "_".join(words) if words else name
