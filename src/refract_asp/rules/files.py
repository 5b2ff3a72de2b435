"""Which files of the encodings make up each program; paths are relative to their folder."""

from __future__ import annotations

__all__ = [
    "CHEAPEST",
    "CHECK_FILES",
    "FEWER_CALLS",
    "FORBIDDEN_FILE",
    "GOALS",
    "GOALS_GIVEN",
    "HOUSE_RULES_FILE",
    "PLAN",
    "PLAN_GIVEN",
    "REPAIR_FILES",
    "TIES_FILE",
]

CHECK_FILES = ("defined.lp", "given.lp", "admissible.lp")
"""The files that `check` loads; nothing in them is a choice, so grounding alone gives the answer."""

REPAIR_FILES = (
    "defined.lp",
    "likeness.lp",
    "domain.lp",
    "admissible.lp",
    "choice.lp",
    "dataflow.lp",
    "recovery/rename_tool.lp",
    "recovery/delete_call.lp",
    "recovery/arguments.lp",
    "recovery/transform.lp",
    "recovery/labels.lp",
    "recovery/references.lp",
    "recovery/ask.lp",
    "recovery/earlier_output.lp",
    "recovery/memory.lp",
    "recovery/default.lp",
    "recovery/constant.lp",
    "recovery/new_call.lp",
    "edits.lp",
    "coherence.lp",
    "risk.lp",
    "modes/repair.lp",
    "costs/minimize.lp",
    "show.lp",
)
"""The files that `repair` loads, before the cost model."""

GOALS = ("modes/defined.lp", "modes/goals.lp", "recovery/goal_call.lp")
"""What `repair` loads besides where there are goals."""

GOALS_GIVEN = ("modes/defined.lp", "modes/goals.lp", "modes/goals_given.lp")
"""What `check` loads besides where there are goals."""

FEWER_CALLS = ("modes/defined.lp", "modes/compress.lp")
"""What is loaded besides to leave out what does nothing new."""

CHEAPEST = ("modes/compress.lp", "modes/cheapest.lp")
"""What is loaded besides that of the goals, to make the fewest calls that meet them."""

PLAN = ("modes/defined.lp", "words.lp", "modes/plan.lp")
"""What `repair` loads besides where the sequence is a plan, which makes only the calls that it needs."""

PLAN_GIVEN = (*PLAN, "modes/plan_given.lp")
"""What `check` loads besides where the sequence is a plan."""

FORBIDDEN_FILE = "modes/forbidden.lp"
"""What `check` and `repair` load besides, where rules of one's own forbid something."""

HOUSE_RULES_FILE = "modes/house_rules.lp"
"""What `repair` loads besides, where rules of one's own forbid something."""

TIES_FILE = "modes/ties.lp"
"""What `repair` loads besides to find the answer among more equals than are looked at one by one."""
