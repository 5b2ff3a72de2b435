"""Working with cost models on data sets: where two of them differ, which is closer, and fitting weights."""

from refract_asp.costs.compare import Comparer, compare
from refract_asp.costs.comparison import Comparison
from refract_asp.costs.fit import Fitter, fit
from refract_asp.costs.fitted import Fit

__all__ = ["Comparer", "Comparison", "Fit", "Fitter", "compare", "fit"]
