"""The words of the project as data; nothing here reads, solves or prints."""

from refract_asp.model.catalog import Catalog, Effect, OutputField, Parameter, Tool
from refract_asp.model.edits import Edit, Violation
from refract_asp.model.example import Goal, Level, Mapping, Memory
from refract_asp.model.explanation import Contrast, Explanation
from refract_asp.model.paths import Fault
from refract_asp.model.result import EXIT_CODES, AskFor, ConfirmFor, RepairResult, Report, Verdict
from refract_asp.model.sequence import (
    Ask,
    Call,
    Confirm,
    ConfirmArgument,
    ConfirmDrop,
    ConfirmTool,
    Constant,
    Reference,
    Sequence,
    Source,
    Structure,
    Template,
)
