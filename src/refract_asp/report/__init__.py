"""
What `check` and `repair` found, for people, agents and CI: diffs, diagnostics, records, annotations.

Each name is loaded when it is first used, so that nothing slows the start.

Example:
    >>> from refract_asp.report import find_similar_items
    >>> find_similar_items("msg", ["user", "messages"])
    ['messages']
"""

# not from __future__ import annotations: a module of this package has that name
from typing import TYPE_CHECKING

from refract_asp.ports import lazily

if TYPE_CHECKING:
    from refract_asp.model.diagnostic import Available as Available
    from refract_asp.model.diagnostic import Diagnostic as Diagnostic
    from refract_asp.model.diagnostic import Limits as Limits
    from refract_asp.model.diagnostic import Listing as Listing
    from refract_asp.report.annotations import Places as Places
    from refract_asp.report.annotations import github_annotations as github_annotations
    from refract_asp.report.annotations import places_of as places_of
    from refract_asp.report.annotations import repair_record as repair_record
    from refract_asp.report.annotations import sarif_log as sarif_log
    from refract_asp.report.annotations import structured_errors as structured_errors
    from refract_asp.report.diagnostics import check_text as check_text
    from refract_asp.report.suggestions import find_similar_items as find_similar_items
    from refract_asp.report.suggestions import format_did_you_mean as format_did_you_mean

__getattr__, __dir__ = lazily(__name__)
