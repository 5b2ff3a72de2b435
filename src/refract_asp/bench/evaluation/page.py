"""The page of a run, under the name by which it was known before `refract_asp.evaluation`."""

from refract_asp.evaluation.page import run_page as page

__all__ = ["page"]
