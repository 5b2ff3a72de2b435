"""
Arguments by position: `rotate(45)` has no name for its argument until a catalog gives it one.

The argument at position i is read as a parameter named `*i` (`*1`, `*2`, ...). What a method is called on
counts as the first: in `open("a.png").rotate(45)` the call of `rotate` has the output of `open` for `*1`
and 45 for `*2`. Where the tool is known, position i is the parameter that it declares as number i.
"""

from __future__ import annotations

from dataclasses import is_dataclass, replace

from refract_asp.model import Call, Tool
from refract_asp.model.positions import POSITION, is_position

__all__ = ["POSITION", "bind_positions", "is_position"]


def bind_positions(call: Call, tool: Tool | None) -> Call:
    """
    Name the arguments by position after the parameters that the tool declares, in their order.

    The call comes back as it is when the tool is not known, declares too few parameters, declares such
    names itself, or when one would be given twice; the rules then say what is wrong.

    Example:
        >>> from refract_asp.model import Catalog, Sequence
        >>> catalog = Catalog.load({"tools": [{"name": "rotate", "parameters": {"degrees": "number"}}]})
        >>> call = Sequence.load("rotate(45)").calls[0]
        >>> bind_positions(call, catalog.by_name["rotate"]).arguments
        {'degrees': Constant(kind='constant', value=45)}
    """
    positions = [name for name in call.arguments if is_position(name)]
    if not positions or tool is None:
        return call
    declared = list(tool.parameters)
    names = {f"{POSITION}{number}": name for number, name in enumerate(declared, 1)}
    if any(
        name not in names or name in tool.parameters or names[name] in call.arguments for name in positions
    ):
        return call
    arguments = {names.get(name, name) if name in positions else name: source
                 for name, source in call.arguments.items()}  # fmt: skip
    written = call.written
    if is_dataclass(written) and not isinstance(written, type):
        written = replace(written, names=tuple(names[name] for name in positions))
    return call.model_copy(update={"arguments": arguments, "written": written})
