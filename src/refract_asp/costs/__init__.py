"""Cost models as files and on data: what one says, what is wrong with it, where two differ, fitting one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refract_asp.costs.fit import Fit, Fitter, fit
from refract_asp.costs.models import CostModel, cost_model, cost_models, examine
from refract_asp.costs.pareto import Pareto, ParetoFinder, pareto
from refract_asp.ports import lazily
from refract_asp.rules.policy import Finding
from refract_asp.rules.wanted import Paid, wanted_repairs

if TYPE_CHECKING:
    from refract_asp.evaluation.cost_models import Comparer, Comparison, compare

__all__ = ["Comparer", "Comparison", "CostModel", "Finding", "Fit", "Fitter", "Paid", "Pareto"]
__all__ += ["ParetoFinder", "compare", "cost_model", "cost_models", "examine", "fit", "pareto"]
__all__ += ["wanted_repairs"]

# what compares models over data lies above this package
__getattr__, __dir__ = lazily(__name__)
