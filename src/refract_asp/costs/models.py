"""What a cost model is for and what it says, read from its file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from refract_asp.resources import cost_model_names
from refract_asp.rules.examine import Stated, stated
from refract_asp.rules.ranking import Criterion

__all__ = ["CostModel", "Level", "cost_model", "cost_models"]


SHORT = 45
"""A sentence of fewer characters says too little alone."""


@dataclass(frozen=True, slots=True)
class Level:
    """
    The criteria that weigh against one another; a higher priority decides before a lower one.

    Attributes:
        priority: its number, or None where that is no number.
        constant: the constant that holds it, or "".
        criteria: what stands on it, the dearest first.
    """

    priority: int | None
    constant: str
    criteria: tuple[Criterion, ...]


@dataclass(frozen=True, slots=True)
class CostModel:
    """
    A cost model.

    Attributes:
        name: its name, or the name of its file.
        path: the file.
        intent: what it is for, a paragraph each.
        levels: its levels, the highest first.
        off: the kinds of penalties that are free on purpose.
        says: what it states besides criteria, as `name_by(fit)`.
        kinds: the kinds of penalties that it derives itself.
        weak: how many weak constraints of its own it has.

    Example:
        >>> model = cost_model("maps_first")
        >>> [level.constant for level in model.levels]
        ['priority_unresolved', 'priority_ask', 'priority_call', 'priority_edits']
    """

    name: str
    path: Path
    intent: tuple[str, ...] = ()
    levels: tuple[Level, ...] = ()
    off: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    weak: int = field(default=0)

    @property
    def brief(self) -> str:
        """The intent in a sentence, or in two where the first is short."""
        told = ""
        for sentence in re.split(r"(?<=\.) ", self.intent[0] if self.intent else "Its header says nothing."):
            told = f"{told} {sentence}".strip()
            if len(told) >= SHORT:
                break
        return told

    def as_data(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {
            "name": self.name,
            "intent": list(self.intent),
            "levels": [
                {
                    "priority": level.priority,
                    "constant": level.constant or None,
                    "criteria": [
                        {"kind": c.kind, "weight": c.weight, "constant": c.weight_constant or None}
                        for c in level.criteria
                    ],
                }
                for level in self.levels
            ],
            "off": list(self.off),
            "says": list(self.says),
            "kinds": list(self.kinds),
            "weak_constraints": self.weak,
        }


def cost_models(encodings: Path | None = None) -> list[CostModel]:
    """Return the cost models of a set of encodings, by name."""
    return [cost_model(name, encodings) for name in cost_model_names(encodings)]


def cost_model(named: str | Path, encodings: Path | None = None) -> CostModel:
    """
    Return a cost model that is given by its name, or by the path of its file.

    Raises:
        UnknownCostModelError: no cost model bears the name.
        EncodingError: the file cannot be read or parsed.
    """
    said = stated(named, encodings)
    return CostModel(
        name=said.path.stem,
        path=said.path,
        intent=tuple(_intent(said.text)),
        levels=tuple(_levels(said)),
        off=said.off,
        says=said.says,
        kinds=said.kinds,
        weak=said.weak,
    )


def _levels(said: Stated) -> list[Level]:
    found: dict[tuple[int, str], list[Criterion]] = {}
    for criterion in said.criteria:
        key = (-1 if criterion.priority is None else criterion.priority, criterion.priority_constant)
        found.setdefault(key, []).append(criterion)
    return [
        Level(
            priority=None if priority < 0 else priority,
            constant=constant,
            criteria=tuple(sorted(criteria, key=lambda each: (-(each.weight or 0), each.kind))),
        )
        for (priority, constant), criteria in sorted(found.items(), reverse=True)
    ]


_INTENT = re.compile(r"^% Purpose:(.*(?:\n% {3,}.*)*)", re.M)
_TITLE = re.compile(r"^the cost model \"?[\w-]+\"?: *")


def _intent(text: str) -> list[str]:
    """Return what the header says of the purpose; a line that is much shorter ends a paragraph."""
    match = _INTENT.search(text)
    if match is None:
        return []
    paragraphs: list[list[str]] = [[]]
    for line in match[1].splitlines():
        words = line.lstrip("% ").rstrip()
        paragraphs[-1].append(words)
        if words.endswith(".") and len(line) < 75:
            paragraphs.append([])
    told = [" ".join(filter(None, lines)) for lines in paragraphs]
    told[0] = _TITLE.sub("", told[0])
    return [each[:1].upper() + each[1:] for each in told if each]
