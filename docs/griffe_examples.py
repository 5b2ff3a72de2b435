"""Lets the API pages show what stands below `Example:` in docstrings as code, as below `Examples:`."""

from __future__ import annotations

import re
from typing import Any

import griffe


class Examples(griffe.Extension):
    """Renames the section before docstrings are read."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Rename the section in the docstring of an object."""
        if obj.docstring is not None:
            text = obj.docstring.value
            obj.docstring.value = re.sub(r"^( *)Example:$", r"\1Examples:", text, flags=re.M)
