"""Many sequences: the names of `refract_asp.evaluation` that judge them and sum them up."""

from refract_asp.evaluation.engine import DecisionLog, analyse
from refract_asp.evaluation.rows import Row, read_row, read_rows
from refract_asp.evaluation.summary import Summary, summarise

__all__ = ["DecisionLog", "Row", "Summary", "analyse", "read_row", "read_rows", "summarise"]
