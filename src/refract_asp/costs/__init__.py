"""Cost models as files and on data: what one says, what is wrong with it, where two differ, fitting one."""

from __future__ import annotations

from refract_asp.costs.compare import Comparer, compare
from refract_asp.costs.comparison import Comparison
from refract_asp.costs.fit import Fitter, fit
from refract_asp.costs.fitted import Fit
from refract_asp.costs.models import CostModel, cost_model, cost_models
from refract_asp.rules.examine import examine
from refract_asp.rules.findings import Finding

__all__ = [
    "Comparer",
    "Comparison",
    "CostModel",
    "Finding",
    "Fit",
    "Fitter",
    "compare",
    "cost_model",
    "cost_models",
    "examine",
    "fit",
]
