"""Finds what is shipped: inside an installed wheel, or in the checkout of an editable install."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from refract_asp.errors import InputError, UnknownCostModelError, meant, shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@cache
def _folder(name: str) -> Path:
    """Return a folder that is shipped with the package."""
    package = Path(__file__).resolve().parent
    for folder in (package / name, package.parents[1] / name):  # in a wheel, in a checkout
        if folder.is_dir():
            return folder
    what = f"the folder {name!r} is missing from the installation."
    raise InputError(what, hint="Install refract-asp again.")


@cache
def packaged(name: str) -> Any:
    """Return what a YAML file of this package holds, named by its path without ending, or a JSON file with it."""
    path = Path(__file__).resolve().parent / name
    if path.suffix == ".json":  # which needs no import of the YAML parser
        return json.loads(path.read_text("utf-8"))
    import yaml

    text = path.with_suffix(".yaml").read_text("utf-8")
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def version_of(distribution: str) -> str:
    """Return the version of something installed, or that it is not."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


@cache
def _extensions(kind: str) -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # it is slow to import, and seldom needed

    return {each.name: each for each in entry_points(group=f"refract_asp.{kind}")}


def extension_names(kind: str) -> list[str]:
    """Return the names under which installed packages offer what is of a kind, sorted."""
    return sorted(_extensions(kind))


def extension(kind: str, name: str) -> Any:
    """
    Return what an installed package offers under a name, None where none does.

    Args:
        kind: "formats", "cost_models" or "encodings": the group of the entry points after `refract_asp.`.
        name: the name of the entry point.

    Raises:
        InputError: the code of the package fails.
    """
    if name not in _extensions(kind):
        return None
    try:
        return _extensions(kind)[name].load()
    except Exception as error:  # whatever its own code raises
        what = f"the extension {shown(name, 80)!r} cannot be loaded: {shown(error, 200)}".rstrip(
            "."
        )
        raise InputError(f"{what}.", hint="Install its package again, or take it away.") from None


def encodings_path() -> Path:
    """Return the folder of the encodings that are used by default."""
    return _folder("encodings")


def _names(folder: Path, ending: str = "lp") -> list[str]:
    return sorted(path.stem for path in folder.glob(f"*.{ending}"))


def cost_model_names(encodings: Path | None = None) -> list[str]:
    """Return the names of the cost models in a set of encodings, sorted."""
    names = _names((encodings or encodings_path()) / "costs")
    return [each for each in names if each not in ("minimize", "weights")]


def cost_model_path(name: str, encodings: Path | None = None) -> Path:
    """
    Return the file of a cost model.

    Raises:
        UnknownCostModelError: there is none of that name.
    """
    known = cost_model_names(encodings)
    if name not in known and (offered := extension("cost_models", name)) is not None:
        return Path(offered)
    if name not in known:
        known = [*known, *extension_names("cost_models")]
        hint = f"{meant(name, known) or f'{encodings} holds no costs/*.lp.'} A file of your own ends in .lp."
        raise UnknownCostModelError(f"there is no cost model {shown(name)!r}.", hint=hint)
    return (encodings or encodings_path()) / "costs" / f"{name}.lp"


def house_rule_names() -> list[str]:
    """Return the names of the house rules that are shipped, sorted."""
    return _names(encodings_path() / "house_rules")


def house_rule_path(named: Path) -> Path:
    """Return the file of house rules, shipped or of an installed package, where no file is what is named."""
    if named.name != str(named) or named.exists():
        return named
    if named.name in house_rule_names():
        return encodings_path() / "house_rules" / f"{named}.lp"
    offered = extension("encodings", named.name) if not named.suffix else None
    return named if offered is None else Path(offered)


def catalog_names() -> list[str]:
    """Return the names of the catalogs that are shipped, sorted."""
    return _names(_folder("catalogs"), "yaml")


def catalog_path(name: str) -> Path:
    """
    Return the file of a shipped catalog.

    Raises:
        InputError: there is none of that name.
    """
    if name not in catalog_names():
        hint = f"{meant(name, catalog_names(), 'Shipped')} A file is named by a pathlib.Path."
        raise InputError(f"there is no catalog {shown(name)!r}.", hint=hint)
    return _folder("catalogs") / f"{name}.yaml"


def diagnostics_page() -> Path:
    """Return the page that says what each code means."""
    return _folder("docs") / "diagnostics.md"


def demo_path() -> Path:
    """Return the broken sequence that shows what a repair is."""
    return _folder("docs") / "examples" / "demo.txt"
