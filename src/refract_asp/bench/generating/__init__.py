"""Cases made by dials, and valid sequences over given catalogs."""

from refract_asp.bench.generating.cases import COUPLINGS as COUPLINGS
from refract_asp.bench.generating.cases import Dials as Dials
from refract_asp.bench.generating.cases import from_catalog as from_catalog
from refract_asp.bench.generating.cases import generate as generate
from refract_asp.bench.generating.cases import grid as grid
from refract_asp.bench.generating.cases import synthetic_catalog as synthetic_catalog
