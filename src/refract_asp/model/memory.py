"""Memory: values already known; mappings: which output may fill which parameter."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from refract_asp.model.paths import FieldPath
from refract_asp.ports import port

__all__ = ["Mapping", "Memory"]


class Memory(BaseModel):
    """
    Values already known: what executed calls returned, by label, and context variables, by name.

    Example:
        >>> memory = Memory.load({"var1": {"skyId": "NYCA"}, "date_from_user": "2024-08-15"})
        >>> memory.holds("var1", ("skyId",)), memory.holds("var1", ("geoId",))
        (True, False)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    values: dict[str, Any] = {}

    @classmethod
    def load(cls, data: Any) -> Memory:
        """
        Read a memory: a `Path` is a file, a text is JSON or YAML content, a dict is the values themselves.

        Raises:
            FormatError: the data is not a mapping of names to JSON values.
        """
        found: Memory = port("load_memory")(data)
        return found

    def holds(self, label: str, path: FieldPath = ()) -> bool:
        """Whether `label` is known and holds a value (null counts as one) at `path`."""
        try:
            self.at(label, path)
        except LookupError:
            return False
        return True

    def at(self, label: str, path: FieldPath = ()) -> Any:
        """
        Return the value that `label` holds at `path`.

        Raises:
            LookupError: it holds none.

        Example:
            >>> Memory(values={"var1": {"ids": [7, 8]}}).at("var1", ("ids", 1))
            8
        """
        value: Any = self.values[label]
        for step in path:
            is_inside = (
                isinstance(value, list) if isinstance(step, int) else isinstance(value, dict)
            )
            if not is_inside:
                raise LookupError(step)
            value = value[step]
        return value


class Mapping(BaseModel):
    """
    The statement that an output field may fill a parameter.

    Attributes:
        source: `Tool.path`, or a bare path, which means that path of any tool or of memory.
        target: `Tool.parameter`, or a bare parameter, which means that parameter of any tool.
        weight: how sure that is, above 0 and at most 1.

    Example:
        >>> Mapping(source="SkyScrapperSearchAirport.skyId", target="originSkyId", weight=0.9).weight
        0.9
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str = Field(min_length=1)
    target: str = Field(min_length=1)
    weight: float = Field(default=1.0, gt=0, le=1)

    @model_validator(mode="before")
    @classmethod
    def _pair(cls, data: Any) -> Any:
        """Take a pair for source and target, as in `("skyId", "originSkyId")`."""
        if isinstance(data, tuple | list) and len(data) in (2, 3):
            return dict(zip(("source", "target", "weight"), data, strict=False))
        return data
