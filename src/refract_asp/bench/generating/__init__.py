"""Cases made by dials, and valid sequences over given catalogs."""

from refract_asp.bench.generating.over_catalog import from_catalog as from_catalog
from refract_asp.bench.generating.synthetic import COUPLINGS as COUPLINGS
from refract_asp.bench.generating.synthetic import Dials as Dials
from refract_asp.bench.generating.synthetic import generate as generate
from refract_asp.bench.generating.synthetic import grid as grid
from refract_asp.bench.generating.synthetic import synthetic_catalog as synthetic_catalog
