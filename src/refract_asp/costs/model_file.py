"""Writes a cost model with other weights: the file as it is, but for the numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from refract_asp.errors import EncodingError

__all__ = ["constants_in", "with_weights"]

_FITTED = "% Fitted: "
_CONSTANT = re.compile(r"^([^%\n\"]*?#const\s+)([a-z_]\w*)(\s*=\s*)(\d+)(?=\s*\.)", re.M)


def constants_in(text: str) -> dict[str, int]:
    """
    Return the constants of a model file.

    Example:
        >>> constants_in("#const weight_ask = 35.  % dear\\n% #const weight_fill = 1.")
        {'weight_ask': 35}
    """
    return {match[2]: int(match[4]) for match in _CONSTANT.finditer(text)}


def with_weights(text: str, weights: Mapping[str, int], note: str = "") -> str:
    """
    Return the text of a cost model with other weights; comments and layout stay.

    Args:
        text: the model file.
        weights: the new value of each constant that changes.
        note: a line that says where the weights are from; it takes the place of an older one.

    Raises:
        EncodingError: a constant is not defined in a line of its own, so that it could be found.

    Example:
        >>> print(with_weights("#const weight_ask = 35.  % dear", {"weight_ask": 40}, "to 3 examples."))
        % Fitted: to 3 examples.
        #const weight_ask = 40.  % dear
    """
    missing = sorted(weights.keys() - constants_in(text).keys())
    if missing:
        raise EncodingError(
            f"the line that defines {missing[0]} was not found in the cost model.",
            hint=f"Write it on a line of its own: #const {missing[0]} = {weights[missing[0]]}.",
        )
    changed = _CONSTANT.sub(
        lambda match: f"{match[1]}{match[2]}{match[3]}{weights.get(match[2], match[4])}", text
    )
    if not note:
        return changed
    lines = [line for line in changed.splitlines(keepends=True) if not line.startswith(_FITTED)]
    first = 1 if lines and "SPDX" in lines[0] else 0
    lines.insert(first, f"{_FITTED}{note}\n")
    return "".join(lines)
