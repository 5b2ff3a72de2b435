"""The plan language: a subset of JavaScript that says which tools are called with what, and nothing else."""

from refract_asp.plan.diagnostics import PlanDiagnostic
from refract_asp.plan.parsing import Parsed, ParsedExpression, parse_expression, parse_plan
from refract_asp.plan.syntax import UNDEFINED, Alias, Expression, Place, Plan

__all__ = [
    "UNDEFINED",
    "Alias",
    "Expression",
    "Parsed",
    "ParsedExpression",
    "Place",
    "Plan",
    "PlanDiagnostic",
    "parse_expression",
    "parse_plan",
]
