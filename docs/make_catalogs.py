"""
Writes catalogs/image.yaml, chemistry.yaml, music.yaml and solids.yaml from the synthetic libraries.

`make catalogs` runs this; a test fails when a catalog is stale.
"""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from refract_asp.bench.problems import SUBJECTS, Library, shipped
from refract_asp.formats import dump_catalog, load_catalog
from refract_asp.formats.tool_lists import slots
from refract_asp.model import Catalog, Parameter, Tool

ROOT = Path(__file__).resolve().parents[1]
ABOUT = {
    "chemistry": "Molecules, which find their atoms, and atoms, which tell of themselves.",
    "image": "Pictures that are turned, mirrored and changed.",
    "music": "Melodies, which find their notes, and notes, which tell of themselves.",
    "solids": "The volume and the surface of solids, by one to four lengths.",
}
LIBRARIES = {
    "chemistry": ("molecule", "atom"),
    "image": ("image",),
    "music": ("melody", "note"),
    "solids": ("solids", "solids1", "solids2", "solids3", "solids4"),
}


def catalog(subject: str) -> Catalog:
    """Return the catalog of a group of libraries: all that they say, and what each parameter is."""
    libraries = [shipped()[id] for id in LIBRARIES[subject]]
    read = load_catalog([library.as_data() for library in libraries], "library")
    tools = [_described(tool, shipped()[tool.name.split(".")[0]]) for tool in read]
    return Catalog(tools=tuple(tools), name=subject)


def _described(tool: Tool, library: Library) -> Tool:
    """Return a tool whose parameters are described; what a library does changes nothing."""
    function = library.by_name[tool.name.split(".")[1]]
    phrases = {argument: phrase for phrase, argument in slots(function.doc)}

    def described(parameter: Parameter) -> Parameter:
        is_subject = parameter.name not in function.args
        text = f"The {library.name} itself." if is_subject else f"The {phrases[parameter.name]}."
        schema = {**parameter.json_schema, "description": text}
        return Parameter(name=parameter.name, required=True, json_schema=schema)

    parameters = {name: described(parameter) for name, parameter in tool.parameters.items()}
    return Tool(
        name=tool.name,
        description=tool.description,
        effect="read",
        parameters=parameters,
        output_schema=tool.output_schema,
    )


def text(subject: str) -> str:
    """Return the text of a catalog."""
    data = dump_catalog(catalog(subject))
    body = yaml.safe_dump(
        data, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None
    )
    return f"# {ABOUT[subject]} Written by `make catalogs` from a synthetic library.\n{body}"


def path(subject: str) -> Path:
    """Return the file of a catalog."""
    return ROOT / "catalogs" / f"{subject}.yaml"


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        stale = [name for name in SUBJECTS if path(name).read_text("utf-8") != text(name)]
        sys.exit(f"stale: {', '.join(stale)}; run `make catalogs`" if stale else 0)
    for name in SUBJECTS:
        path(name).write_text(text(name), "utf-8")
