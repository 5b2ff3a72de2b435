"""The plan language: a subset of JavaScript that says which tools are called with what, and nothing else."""

from refract_asp.plan.context import Context, check_names, described, domain, with_helpers
from refract_asp.plan.dates import dates
from refract_asp.plan.evaluation import Evaluation, evaluate
from refract_asp.plan.parsing import Parsed, parse_expression, parse_plan
from refract_asp.plan.sequences import to_plan, to_sequence
from refract_asp.plan.syntax import UNDEFINED, Alias, Expression, Place, Plan, PlanDiagnostic

__all__ = ["UNDEFINED", "Alias", "Context", "Evaluation", "Expression", "Parsed", "Place", "Plan"]
__all__ += ["PlanDiagnostic", "check_names", "dates", "described", "domain", "evaluate"]
__all__ += ["parse_expression", "parse_plan", "to_plan", "to_sequence", "with_helpers"]
