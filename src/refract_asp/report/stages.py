"""The stages of a sequence for a reader: which calls may be made together, and which wait for others."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from refract_asp.formats.pretty import call_text
from refract_asp.model import Catalog, Sequence
from refract_asp.model.secrets import Secrets
from refract_asp.plan.stages import Order, stages
from refract_asp.report.terminal import escaped, painted

__all__ = ["stages_data", "stages_text"]


def stages_text(
    sequence: Sequence,
    catalog: Catalog | None = None,
    order: Order = "declared",
    inline: Container[str] = frozenset(),
    *,
    color: bool = False,
) -> str:
    """
    Print the stages with the calls of each; what is secret is hidden.

    Calls of `inline` functions, which are made while the arguments of others are, stand at the end.

    Example:
        >>> print(stages_text(Sequence.load('a = f(x=1)\\nb = g()\\nh(y="$a.p$")')))
        stage 1
          a = f(x=1)
          b = g()
        stage 2
          h(y="$a.p$")
    """
    tools = catalog.by_name if catalog is not None else {}
    secrets = Secrets(tool_of=tools.get)
    labels = [call.label for call in sequence.calls if call.label is not None]
    groups = {
        f"stage {number}": members
        for number, members in enumerate(stages(sequence, catalog, order, inline), 1)
    }
    local = tuple(number for number, call in enumerate(sequence.calls) if call.name in inline)
    if local:
        groups["evaluated with the arguments"] = local
    lines = []
    for title, members in groups.items():
        lines.append(painted(title, "bold") if color else title)
        lines += [f"  {escaped(call_text(secrets.call(sequence.calls[each]), labels))}" for each in members]
    return "\n".join(lines) or "There are no calls."


def stages_data(
    sequence: Sequence,
    catalog: Catalog | None = None,
    order: Order = "declared",
    inline: Container[str] = frozenset(),
) -> dict[str, Any]:
    """Return the stages and the calls as data."""
    return {
        "stages": [list(members) for members in stages(sequence, catalog, order, inline)],
        "sequence": sequence.model_dump(mode="json"),
    }
