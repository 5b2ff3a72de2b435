"""
States every tool of the catalog with all that it has, whether a repair needs it or not.

With `Bounds.whole` the evidence is gathered as always, and all the rest of the catalog is added. So it can be
shown, and is in the tests, that what is left out changes no answer.
"""

from __future__ import annotations

from refract_asp.model.paths import path_text
from refract_asp.rules.evidence import Evidence
from refract_asp.rules.fillers import fillers, inputs
from refract_asp.rules.forms import state_forms

__all__ = ["state_everything"]


def state_everything(evidence: Evidence) -> None:
    """State all tools, whose outputs fit which parameters, and where every argument could go."""
    instance, index = evidence.instance, evidence.index
    end = len(instance.sequence.calls)
    read = [reference.path for reference in instance.references.values()]
    for name in index.tools:
        tool = evidence.tool(name)
        for parameter in tool.parameters:
            evidence.add("in_param", name, parameter)
        for path in dict.fromkeys([*(path for path, _ in index.outputs(name)), *read]):
            if tool.returns_path(path):
                evidence.state_gives(name, path_text(path))
        if evidence.may_add(name):
            inputs(evidence, end, tool, 0)
    for number, call in enumerate(instance.sequence.calls):
        if instance.tool(number) is None:
            _state_names(evidence, number)
        for name in evidence.possible_tools(number):
            for parameter in index.tools[name].parameters:
                if parameter in call.arguments:
                    state_forms(evidence, number, parameter, name, parameter)
                fillers(evidence, number, name, parameter, 0)


def _state_names(evidence: Evidence, number: int) -> None:
    """State how unlike the name of a call is to that of every tool, and which tools take its arguments."""
    index, call = evidence.index, evidence.instance.call(number)
    for name in index.tools:
        if name in evidence.allowed:
            evidence.add("in_tool_distance", number, name, index.distance(call.name, name))
    for name in index.takers(call.arguments, evidence.instance.paths_read(number))[0]:
        if name in evidence.allowed:
            evidence.add("in_offered", number, name)
