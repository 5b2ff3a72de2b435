"""What a confirm says, held against the call that it stands before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from refract_asp.errors import FormatError, shown
from refract_asp.model import Confirm, ConfirmArgument, ConfirmDrop, ConfirmTool, Constant, Source

__all__ = ["ConfirmKind", "confirm_of"]

ConfirmKind: TypeAlias = Literal["argument", "tool", "drop"]


def confirm_of(
    kind: ConfirmKind,
    name: str,
    value: Source,
    tool: str,
    arguments: dict[str, Source],
    where: Callable[[], str],
) -> Confirm:
    """
    Return a confirm, after a look at the call that it stands before.

    Args:
        kind: what is confirmed.
        name: the parameter, or the tool.
        value: the value that is shown for an argument; null where the call has no such argument.
        tool: the tool of the call.
        arguments: the arguments of the call.
        where: gives the place of the confirm, for messages.

    Raises:
        FormatError: it shows another tool, or another value than the call has.
    """
    if kind == "drop":
        return ConfirmDrop(parameter=name)
    if kind == "tool":
        if name != tool:
            what = f"{shown(name, 80)!r} is confirmed, but the call after it uses {shown(tool, 80)!r}."
            raise FormatError(what, where=where(), hint="Put the confirm directly before its call.")
        return ConfirmTool()
    if repr(value) != repr(arguments.get(name, Constant())):
        what = f"the value confirmed for {shown(name, 80)!r} is not the one in the call after it."
        raise FormatError(what, where=where(), hint="Write the same value in both.")
    return ConfirmArgument(parameter=name)
