"""Whether the arguments of a call fit what its tool takes, told shortly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from refract_asp.errors import BadArgumentError, UnknownToolError, shown
from refract_asp.model import Catalog
from refract_asp.model.paths import path_text
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator

__all__ = ["SchemaCheck"]


class SchemaCheck:
    """Checks arguments against the schemas of a catalog."""

    def __init__(self, catalog: Catalog) -> None:
        """Prepare nothing: each tool is prepared when it is called first."""
        self._tools = catalog.by_name
        self._made: dict[str, Validator] = {}

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Raise what is wrong with the arguments of a tool, if anything is."""
        known = self._tools.get(tool)
        if known is None:
            raise UnknownToolError(f"the catalog has no tool {shown(tool)}.", tool=tool)
        validator = self._made.get(tool)
        if validator is None:
            parameters = known.parameters.values()
            schema = {
                "type": "object",
                "properties": {each.name: each.json_schema for each in parameters},
                "required": [each.name for each in parameters if each.required],
                "additionalProperties": known.additional_parameters,
            }
            validator = self._made[tool] = Validator(schema)
        try:
            faults = validator.faults(dict(arguments))
        except BrokenSchemaError:
            return
        if faults:
            where = shown(path_text(faults[0].path))
            raise BadArgumentError(f"it should be {faults[0].expected}.", tool=tool, where=where)
