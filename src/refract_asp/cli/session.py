"""What a command works on: the refractor that its options describe, and the inputs that they name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from refract_asp.cli import inputs

if TYPE_CHECKING:
    from pathlib import Path

    from refract_asp.model import Goal, Level, Memory, Sequence
    from refract_asp.refractor import Refractor

__all__ = ["Session", "start"]


@dataclass(frozen=True)
class Session:
    """
    A refractor, the inputs of its methods, and what the first of them was read from.

    `helpers` are the local functions that a plan calls, which its catalog holds beside the tools.
    """

    refractor: Refractor
    sequence: Sequence
    memory: Memory | None
    history: Sequence | tuple[()]
    content: Path | str
    goals: tuple[Goal, ...] = ()
    level: Level | None = None
    helpers: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The text that the sequence was read from."""
        from refract_asp.formats import read_text

        return read_text(self.content)


def start(
    sequence: str,
    catalog: str,
    *,
    source_format: str | None = None,
    catalog_format: str | None = None,
    no_cache: bool = False,
    memory: str | None = None,
    history: str | None = None,
    mappings: str | None = None,
    encoding: list[str] | None = None,
    encodings: str | None = None,
    constants: list[str] | None = None,
    cost_model: str = "default",
    goal: list[str] | None = None,
    goals: str | None = None,
    level: str | None = None,
    **options: Any,
) -> Session:
    """Read every input that the arguments name and build the refractor; `options` go to it as they are."""
    inputs.only_one_stdin(sequence, catalog, memory, history, mappings, goals)
    from refract_asp.refractor import Refractor

    specified = inputs.read_catalog(catalog, catalog_format, no_cache=no_cache)
    given, content = inputs.read_sequence(sequence, source_format)
    known = inputs.read_memory(memory)
    helpers: frozenset[str] = frozenset()
    if given.format == "plan":
        from refract_asp.plan import dates
        from refract_asp.plan.described import with_helpers

        tools = specified.by_name.keys()
        specified, known = with_helpers(given, dates(), specified, known)
        helpers = frozenset(specified.by_name.keys() - tools)
    refractor = Refractor(
        specified,
        mappings=inputs.read_mappings(mappings),
        cost_model=inputs.read_cost_model(cost_model),
        encodings=inputs.read_encodings(encoding),
        encodings_dir=inputs.read_folder(encodings),
        constants=inputs.read_constants(constants),
        **options,
    )
    return Session(
        refractor=refractor,
        sequence=given,
        content=content,
        memory=known,
        history=inputs.read_history(history),
        goals=inputs.read_goals(goal, goals),
        helpers=helpers,
        level=cast("Level | None", level),
    )
