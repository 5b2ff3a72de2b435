r"""
References in the spellings of other systems: `$l.p`, `${l.p}` and `{{l.p}}` beside `$l.p$`.

They are read only where a call of the same sequence bears the label, or one that is written like it
(`var9` where `var1` is borne), so that `${HOME}`, `{{name}}` and `$x` stay text:

    $var1.skyId              fields are words here; others stand quoted, as in `$var1['page size']`
    ${var1.Exchange Rate}    blanks at the ends do not count
    {{ var1[0].id }}

The escape: directly before what would read as such a reference each backslash is written twice, and one
more makes it text; everywhere else backslashes stand as they are:

    \${var1.x}               the text "${var1.x}"
    \\${var1.x}              a backslash, then the reference
    $a.\$var1.x              the text "$a.$var1.x", and no field of a: such a backslash is an escape
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from refract_asp.model import Reference
from refract_asp.model.paths import FieldPath, Spelling, spelt, unquoted

__all__ = ["NO_LABELS", "OPENING", "Known", "other_reference", "other_text", "splits"]

_LABEL = r"[^\W\d]\w*+(?:-\w++)*"
_INDEX = r"\[[0-9]{1,9}\]"
_QUOTED = r"\['[^'$]*+'\]"
_WORD = r"\w++(?:-\w++)*"
_NARROW = re.compile(rf"\$({_LABEL})((?:\.{_WORD}|{_INDEX}|{_QUOTED})*)")
_WIDE = rf"\s*+({_LABEL})((?:\.[^$.\[\]{{}}]++|{_INDEX}|{_QUOTED})*)\s*+"
_BRACES = re.compile(rf"\$\{{{_WIDE}\}}")
_CURLY = re.compile(rf"\{{\{{{_WIDE}\}}\}}")
_STEP = re.compile(r"\.([^$.\[\]]+)|\[([0-9]+)\]|(\['[^'$]*'\])")
_PLAIN = re.compile(_LABEL)
_STEM = re.compile(r"\d+$")

OPENING = re.compile(r"(\\*+)(?:(\$++)|\{\{)")
"""Where a reference may begin: backslashes, then dollars or two braces."""


class Known:
    """The labels by which references in other spellings are told from text."""

    def __init__(self, labels: Iterable[str | None], *, kin: bool = True) -> None:
        """Take the labels of a sequence; with `kin` those that are written like them count as well."""
        self.labels = frozenset(label for label in labels if label)
        self._stems = frozenset(_STEM.sub("", label[:200]) for label in self.labels) if kin else frozenset()

    def __bool__(self) -> bool:
        """Whether there is any label."""
        return bool(self.labels)

    def also(self, labels: Iterable[str]) -> Known:
        """Return these labels and some more, as those of memory."""
        more = Known((), kin=False)
        more.labels = self.labels.union(labels)
        more._stems = self._stems
        return more

    def bears(self, label: str) -> bool:
        """Whether a call bears the label, or one with another number."""
        if label in self.labels:
            return True
        stem = _STEM.sub("", label[:200])
        return stem != label and stem in self._stems


NO_LABELS = Known(())


def other_reference(text: str, opening: re.Match[str], known: Known) -> tuple[Reference, int] | None:
    """Return the reference that begins at the end of an opening, in its spelling, and where it ends."""
    if opening[2]:
        start = opening.end() - 1
        braces = text[opening.end() : opening.end() + 1] == "{"
        match = (_BRACES if braces else _NARROW).match(text, start)
    else:
        braces = False
        match = _CURLY.match(text, opening.end() - 2)
    if match is None or not known.bears(match[1]):
        return None
    path = _path(match[2])
    if path is None:
        return None
    spelling: Spelling = "braces" if braces else "dollar" if opening[2] else "curly"
    return Reference.model_construct(label=match[1], path=path, spelling=spelling), match.end()


def _path(steps: str) -> FieldPath | None:
    path: list[str | int] = []
    for field, index, name in _STEP.findall(steps):
        if field and not field.strip():
            return None
        path.append(field.strip() or (int(index) if index else unquoted(name)))
    return tuple(path)


def splits(label: str, steps: str, known: Known) -> bool:
    """
    Whether `$label.path$` rather opens a reference in another spelling, as in `$var1.x, $var2.y`.

    So it is when the last field would end in a blank, a comma, a semicolon or a backslash. The label
    counts as it would be read there: `$var1-` begins with `$var1`.
    """
    if not (steps[-1:].isspace() or steps[-1:] in (",", ";", "\\")):
        return False
    plain = _PLAIN.match(label)
    return plain is not None and known.bears(plain[0])


def other_text(reference: Reference, spelling: Spelling) -> str | None:
    """Print a reference in another spelling; None where it cannot be so written."""
    return spelt(reference.label, reference.path, spelling)
