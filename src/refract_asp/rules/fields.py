"""What a tool returns, so arranged that fields like a parameter are found without looking at all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from refract_asp.model import Tool
from refract_asp.model.paths import FieldPath, path_text
from refract_asp.rules.bounds import BOUNDS
from refract_asp.rules.likeness import (
    COMMON_WORDS,
    FAR,
    fold,
    leaf_names,
    mismatch,
    tokens,
    tokens_of_text,
)

__all__ = ["Fields", "Fit", "stems"]

Fit = tuple[FieldPath, str, int]
"""A path, as it is and printed, and its distance."""


def stems(path: FieldPath) -> set[str]:
    """
    Return the words of the names in a path, folded and without the ending of a plural.

    Example:
        >>> sorted(stems(("authors", 0, "bookId")))
        ['author', 'book', 'id']
    """
    return {word.rstrip("s") for step in path if isinstance(step, str) for word in tokens(step)}


@dataclass(slots=True)
class Fields:
    """
    The fields that a tool returns, by what may make them like a parameter.

    Attributes:
        tool: the tool.
        most: how many of its output fields are looked at.
        outputs: its paths with their types, also into lists whose elements are left open.
    """

    tool: Tool
    most: int = BOUNDS.fields
    outputs: tuple[tuple[FieldPath, str], ...] = ()
    _by_name: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    _by_stem: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    _by_first_word: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    _by_description: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    _far: list[Fit] = field(default_factory=list)
    _order: dict[str, list[int]] = field(default_factory=dict)
    _unlike: dict[tuple[str, int], tuple[Fit, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """List the outputs, and where each of their words stands."""
        self.outputs = tuple(_outputs(self.tool, self.most))
        self._far = [(path, path_text(path), FAR) for path, _ in self.outputs]
        for number, (path, _) in enumerate(self.outputs):
            for name in leaf_names(path):
                self._by_name[fold(name)].add(number)
                words = tokens(name)
                for word in words:
                    self._by_stem[word.rstrip("s")].add(number)
                if fold(name) not in COMMON_WORDS:
                    self._by_first_word[words[0] if words else ""].add(number)
            for word in {*tokens_of_text(self.tool.description_at(path)), ""}:
                self._by_description[word].add(number)

    def alike(self, parameter: str, description: str) -> set[int]:
        """
        Return the numbers of the outputs that may be like a parameter: all others surely are not.

        Like are those that share a word with its name, and those that it or they are described with.
        """
        found = set(self._by_name.get(fold(parameter), ()))
        words = tokens(parameter)
        for stem in {word.rstrip("s") for word in words}:
            found.update(self._by_stem.get(stem, ()))
        if fold(parameter) not in COMMON_WORDS:
            found.update(self._by_description.get(words[0] if words else "", ()))
        if description:
            for word in {*tokens_of_text(description), ""} & self._by_first_word.keys():
                found.update(self._by_first_word[word])
        return found

    def order(self, wanted: str) -> list[int]:
        """
        Return the numbers of the outputs in the order in which they come for a type, all equally unlike.

        Those of the type come first, then what does not merely repeat an input of the tool, shallow
        paths, what the tool is named after, names before other fields, and last the order of declaration.
        """
        found = self._order.get(wanted)
        if found is None:
            words = {word.rstrip("s") for word in tokens(self.tool.name)}
            keys = {
                number: (
                    mismatch(kind, wanted),
                    path[-1] in self.tool.parameters,
                    len(path),
                    -len(words & stems(path)),
                    tokens(str(path[-1]))[-1:] != ("name",),
                    number,
                )
                for number, (path, kind) in enumerate(self.outputs)
            }
            found = self._order[wanted] = sorted(keys, key=keys.__getitem__)
        return found

    def ranked(self, wanted: str, near: dict[int, int], limit: int) -> tuple[Fit, ...]:
        """Return the first outputs for a type: those that are `near`, by distance, then all others."""
        order = self.order(wanted)
        if not near:
            found = self._unlike.get((wanted, limit))
            if found is None:
                found = self._unlike[wanted, limit] = tuple(
                    self._far[number] for number in order[:limit]
                )
            return found
        first = sorted((number for number in order if number in near), key=near.__getitem__)
        others = (number for number in order if number not in near)
        fits = [(*self._far[number][:2], near[number]) for number in first[:limit]]
        fits += [self._far[number] for number in islice(others, limit - len(fits))]
        return tuple(fits)


def _outputs(tool: Tool, most: int) -> Iterable[tuple[FieldPath, str]]:
    for each in tool.output_fields[:most]:
        yield each.path, each.type
        element = (*each.path, 0)
        if each.type == "array" and tool.returns_path(element) and tool.type_at(element) == "any":
            yield element, "any"
