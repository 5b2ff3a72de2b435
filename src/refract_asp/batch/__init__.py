"""Many sequences: judged in several processes or on a cluster, told in rows, summed up in reports."""

from refract_asp.batch.analysing import analyse
from refract_asp.batch.row import Row, read_row
from refract_asp.batch.rows import read_rows
from refract_asp.batch.summary import Summary, summarise

__all__ = ["Row", "Summary", "analyse", "read_row", "read_rows", "summarise"]
