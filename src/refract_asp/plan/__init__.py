"""The plan language: a subset of JavaScript that says which tools are called with what, and nothing else."""

from refract_asp.plan.diagnostics import PlanDiagnostic
from refract_asp.plan.lowering import to_sequence
from refract_asp.plan.parsing import Parsed, ParsedExpression, parse_expression, parse_plan
from refract_asp.plan.raising import normalised, to_plan
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
    "normalised",
    "parse_expression",
    "parse_plan",
    "to_plan",
    "to_sequence",
]
