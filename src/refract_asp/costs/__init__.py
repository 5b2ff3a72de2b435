"""Working with cost models on data sets: where two of them differ, and which is closer to what is wanted."""

from refract_asp.costs.compare import Comparer, compare
from refract_asp.costs.comparison import Comparison

__all__ = ["Comparer", "Comparison", "compare"]
