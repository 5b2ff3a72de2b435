"""Cases made by dials, and valid sequences over given catalogs."""

from refract_asp.bench.generating.dials import COUPLINGS, Coupling, Dials, grid
from refract_asp.bench.generating.over_catalog import from_catalog
from refract_asp.bench.generating.synthetic import generate, synthetic_catalog

__all__ = [
    "COUPLINGS",
    "Coupling",
    "Dials",
    "from_catalog",
    "generate",
    "grid",
    "synthetic_catalog",
]
