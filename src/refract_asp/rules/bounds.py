"""
How much a repair looks at, at most: in one place, so that it can be lifted and documented.

What is cut off by a bound and could matter is told in `result.truncated`; `docs/how-it-works.md` lists it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Bounds:
    """
    How many of each thing are looked at, the best ones, and what is stated in any case.

    Attributes:
        neighbours: tools with a similar name for one wrong name; where namespaces differ up to as many more.
        offered: tools that take the arguments of a call.
        producers: tools that return what is read from one lost label, or a field of one name.
        paths: paths of one tool for one parameter or one wrong path.
        own_paths: ... of the very tool that a wrong path was read from.
        ranked: paths of one tool that are ranked for one parameter; the others share the last place.
        fields: output fields of one tool.
        renames: parameters that an undeclared argument may have meant.
        all_renames: ... and all undeclared arguments of a call together, as long as each has two.
        constants: different constants of one parameter name for an added call.
        memory_values: values of memory, all in all.
        memory_depth: how deep in memory they may stand.
        goal_depth: how deep in memory what a goal wants may stand.
        recalled: values of memory for one place.
        forms: forms of one value.
        looks: pairs of an open place and an earlier call, all in all.
        reach: calls before a reader that are looked at in any case.
        pairs: pairs of calls that a repair may make the same.
        rivals: pairs of calls of one tool of which one may stand for the other.
        copies: of the copies before a call, besides the first of all, that may stand for it.
        loose: references that may come to read elsewhere so that calls can be left out.

    Example:
        >>> Bounds().neighbours, Bounds.lifted().neighbours
        (8, 1000000)
    """

    neighbours: int = 8
    offered: int = 12
    producers: int = 12
    paths: int = 6
    own_paths: int = 12
    ranked: int = 40
    fields: int = 4000
    renames: int = 30
    all_renames: int = 120
    constants: int = 8
    memory_values: int = 2000
    memory_depth: int = 6
    goal_depth: int = 4
    recalled: int = 20
    forms: int = 8
    looks: int = 40_000
    reach: int = 8
    pairs: int = 1000
    rivals: int = 5000
    copies: int = 20
    loose: int = 400

    @classmethod
    def lifted(cls) -> Bounds:
        """Return bounds that cut nothing off."""
        return cls(**{each.name: 10**6 for each in fields(cls)})


BOUNDS = Bounds()
"""Those of every repair."""
