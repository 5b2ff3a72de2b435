"""The plan language: a subset of JavaScript that says which tools are called with what, and nothing else."""

from refract_asp.plan.context import Context as Context
from refract_asp.plan.context import check_names as check_names
from refract_asp.plan.context import described as described
from refract_asp.plan.context import domain as domain
from refract_asp.plan.context import with_helpers as with_helpers
from refract_asp.plan.dates import dates as dates
from refract_asp.plan.evaluation import Evaluation as Evaluation
from refract_asp.plan.evaluation import evaluate as evaluate
from refract_asp.plan.parsing import Parsed as Parsed
from refract_asp.plan.parsing import parse_expression as parse_expression
from refract_asp.plan.parsing import parse_plan as parse_plan
from refract_asp.plan.sequences import to_plan as to_plan
from refract_asp.plan.sequences import to_sequence as to_sequence
from refract_asp.plan.syntax import UNDEFINED as UNDEFINED
from refract_asp.plan.syntax import Alias as Alias
from refract_asp.plan.syntax import Expression as Expression
from refract_asp.plan.syntax import Place as Place
from refract_asp.plan.syntax import Plan as Plan
from refract_asp.plan.syntax import PlanDiagnostic as PlanDiagnostic
