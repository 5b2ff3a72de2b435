"""
What commands load only when they work: their help is printed without any of it.

Each module is loaded when it is first asked for, as in `late.formats.load_catalog(path)`.
"""

# not from __future__ import annotations: it would take the place of the module of that name
from importlib import import_module

from refract_asp.cli import loading

TYPE_CHECKING = False  # typing itself is loaded no earlier than the rest
if TYPE_CHECKING:
    from typing import Any

    from refract_asp import formats, model, refractor
    from refract_asp.formats import examples, given
    from refract_asp.model import diagnostic
    from refract_asp.report import annotations, codes, diagnostics, graph, tags, text

__all__ = ["annotations", "codes", "diagnostic", "diagnostics", "examples"]
__all__ += ["formats", "given", "graph", "model", "refractor", "tags", "text"]

_PATHS = "formats formats.examples formats.given model model.diagnostic refractor "
_PATHS += "report.annotations report.codes report.diagnostics report.graph report.tags report.text"
_MODULES = {path.rpartition(".")[2]: f"refract_asp.{path}" for path in _PATHS.split()}


def __getattr__(name: str) -> "Any":
    """Load a module of the table."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with loading():
        module = globals()[name] = import_module(_MODULES[name])
    return module
