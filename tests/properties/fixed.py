"""The answers to a fixed set of inputs, for tests of determinism."""

from pathlib import Path
from typing import Any

from refract_asp import Refractor
from refract_asp.resources import catalog_path
from yaml_files import read_yaml

DATA = read_yaml(Path(__file__).with_name("fixed.yaml"))
MEMORY: dict[str, Any] = DATA["memory"]
INPUTS: dict[str, str] = DATA["inputs"]


def answers(**options: Any) -> dict[str, Any]:
    """Repair every input with one `Refractor` and return the answers as data."""
    refractor = Refractor(catalog_path("travel"), **options)
    return {
        name: refractor.repair(text, memory=MEMORY).model_dump(mode="json")
        for name, text in INPUTS.items()
    }
