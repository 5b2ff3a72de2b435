"""Which outputs of earlier calls could fill what is looked for: those that are like it, and idle ones."""

from __future__ import annotations

from bisect import bisect_left

from refract_asp.model.paths import path_text
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fillers import backed_paths, state_fit
from refract_asp.rules.likeness import FAR

__all__ = ["earlier_outputs", "lost_outputs"]


def lost_outputs(evidence: Evidence, tool: str, parameter: str) -> None:
    """State which outputs of the tools that a missing call may have had could fill a parameter."""
    if evidence.gaps:
        for name in evidence.suppliers:
            _state_fits(evidence, name, tool, parameter)


def _state_fits(evidence: Evidence, name: str, tool: str, parameter: str) -> None:
    """
    State which outputs of one tool are like a parameter of another, and how many are not.

    What is not is stated by `earlier_outputs`, where it may be of use.
    """
    if not evidence.is_new("fits", name, tool, parameter):
        return
    evidence.look_at(name)
    fits = evidence.index.fits(name, tool, parameter)
    backed = backed_paths(evidence, name, tool, parameter)
    if not backed and (not fits or fits[0][2] == FAR):
        unlike = evidence.index.unlike(name, tool, parameter)
    else:
        found = {fit[1]: fit for fit in evidence.best_fits(name, tool, parameter)}
        for path in backed:
            text = path_text(path)
            found[text] = (path, text, evidence.index.fit(name, path, tool, parameter))
        unlike = 0
        for path, text, distance in found.values():
            if evidence.index.clashes(name, path, tool, parameter):
                continue
            unlike += distance == FAR
            if distance < FAR or path in backed:
                state_fit(evidence, name, path, text, tool, parameter, distance)
    if unlike:
        evidence.unlike[name, tool, parameter] = unlike
        evidence.add("in_unlike", name, tool, parameter, unlike)


def earlier_outputs(evidence: Evidence, reach: int) -> None:
    """
    State which outputs of the calls within reach could fill the parameters for which values are looked for.

    What has nothing in common with a parameter is offered where few calls are idle before a place
    (`recovery/earlier_output.lp`), and of a call that is missing. Where there are more it is enough to
    know how many.
    """
    idle = _idle_calls(evidence)
    for (tool, parameter), places in evidence.seeking.items():
        whole = list(evidence.index.tools) if evidence.bounds.whole else None
        near = {place: whole or evidence.earlier_tools(place, reach) for place in places}
        for names in near.values():
            for name in names:
                _state_fits(evidence, name, tool, parameter)
        for place, names in near.items():
            if not _is_crowded(evidence, idle, place, reach, tool, parameter):
                for name in names:
                    _state_unlike(evidence, name, tool, parameter)
        for name in evidence.suppliers if evidence.gaps else ():
            if evidence.is_known("fits", name, tool, parameter):
                _state_unlike(evidence, name, tool, parameter)


def _idle_calls(evidence: Evidence) -> list[int]:
    """Return the calls that can be read, and that no other call reads, in order."""
    instance = evidence.instance
    end = len(instance.sequence.calls)
    used = {producer for (call, _, _), producer in instance.producers.items() if call < end}
    calls = (number for number in instance.earlier(end) if number >= 0 or number in instance.readable)
    return [number for number in calls if number not in used]


def _is_crowded(
    evidence: Evidence, idle: list[int], place: int, reach: int, tool: str, parameter: str
) -> bool:
    """Whether more idle outputs than are offered stand before a place."""
    if not evidence.needs_likeness:
        return False
    left = evidence.options.weak_offers
    for position in range(bisect_left(idle, place) - 1, bisect_left(idle, place - reach) - 1, -1):
        giver = evidence.instance.tool(idle[position])
        left -= evidence.unlike.get((giver.name, tool, parameter), 0) if giver is not None else 0
        if left < 0:
            return True
    return False


def _state_unlike(evidence: Evidence, name: str, tool: str, parameter: str) -> None:
    """State the outputs of one tool that have nothing in common with a parameter of another."""
    if not evidence.is_new("unlike", name, tool, parameter):
        return
    for path, text, distance in evidence.best_fits(name, tool, parameter):
        if distance == FAR:
            state_fit(evidence, name, path, text, tool, parameter, distance)
