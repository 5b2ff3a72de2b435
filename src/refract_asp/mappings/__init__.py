"""
Mappings learnt from sequences or computed from a catalog, offline; `Refractor(mappings=...)` uses them.

Example:
    >>> from refract_asp import Catalog
    >>> from refract_asp.mappings import compute, learn, merge
    >>> find = {"name": "FindPlace", "returns": {"geoId": {"type": "string"}}}
    >>> book = {"name": "BookHotel", "parameters": {"placeGeoId": {"type": "string"}}}
    >>> catalog = Catalog.load({"tools": [find, book]})
    >>> past = 'var1 = FindPlace()\\nvar2 = BookHotel(placeGeoId="$var1.geoId$")'
    >>> len(merge(learn([past], catalog), compute(catalog)))
    1
"""

from refract_asp.mappings.computing import CatalogMaps, compute, learn, merge
from refract_asp.mappings.embedding import CharacterNgrams, Embedder, SentenceTransformers

__all__ = ["CatalogMaps", "CharacterNgrams", "Embedder", "SentenceTransformers"]
__all__ += ["compute", "learn", "merge"]
