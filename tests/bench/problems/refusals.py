"""What is said of input that is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from refract_asp.errors import InputError


def refusal(function: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """Return the message of the error with which a function refuses its input."""
    with pytest.raises(InputError) as caught:
        function(*args, **kwargs)
    return without_version(str(caught.value))


def without_version(message: str) -> str:
    """Return a message without what Python says of its syntax, which differs between its versions."""
    return re.sub(r"(not valid Python): .*", r"\1", message)
