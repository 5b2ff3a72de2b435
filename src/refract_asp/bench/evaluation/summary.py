"""The figures of a run, under the name by which they were known before `refract_asp.evaluation`."""

from refract_asp.evaluation.summary import groupings, restored_share, summary_of

__all__ = ["groupings", "restored_share", "summary_of"]
