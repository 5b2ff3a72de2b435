"""The plan language: a subset of JavaScript that says which tools are called with what, and nothing else."""

from refract_asp.plan.context import Context, described, domain, with_helpers
from refract_asp.plan.dates import dates
from refract_asp.plan.evaluation import Evaluation, evaluate
from refract_asp.plan.lowering import to_sequence
from refract_asp.plan.names import check_names
from refract_asp.plan.parsing import Parsed, parse_expression, parse_plan
from refract_asp.plan.raising import to_plan
from refract_asp.plan.syntax import UNDEFINED, Alias, Expression, Place, Plan, PlanDiagnostic

__all__ = [
    "UNDEFINED",
    "Alias",
    "Context",
    "Evaluation",
    "Expression",
    "Parsed",
    "Place",
    "Plan",
    "PlanDiagnostic",
    "check_names",
    "dates",
    "described",
    "domain",
    "evaluate",
    "parse_expression",
    "parse_plan",
    "to_plan",
    "to_sequence",
    "with_helpers",
]
