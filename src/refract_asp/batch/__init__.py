"""Many sequences: judged in several processes or on a cluster, told in rows, summed up in reports."""

from refract_asp.batch.analysing import analyse
from refract_asp.batch.row import Row, read_row

__all__ = ["Row", "analyse", "read_row"]
