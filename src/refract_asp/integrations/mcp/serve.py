"""An MCP server with the tools `check` and `repair`, by the package `mcp` (2.x, the extra `mcp`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from refract_asp.errors import InputError, RefractError, shown
from refract_asp.formats import dump_sequence
from refract_asp.model import Catalog, Report
from refract_asp.options import RepairOptions
from refract_asp.refractor import Refractor

if TYPE_CHECKING:
    from mcp.server import MCPServer

__all__ = ["server_of"]

TIME_LIMIT = 10.0
"""Seconds for one question, where nothing else is said."""
_ABOUT = "Checks and repairs calls of {count} tools before they are made: {names}."
_CHECK = "Say what is wrong with tool calls before they are made. Nothing is run or changed."
_REPAIR = "Return the cheapest right calls in place of those given, and what has to be asked for. Nothing is run."

Calls = Annotated[
    Any,
    Field(description='The calls: a list of {"name", "arguments", "label"}, a message, or a text.'),
]
Known = Annotated[
    dict[str, Any] | None, Field(description="Values that are known, by label or name.")
]


def server_of(catalog: Any, options: RepairOptions | None = None) -> MCPServer[Any]:
    """
    Return a server that checks and repairs calls of the tools of one catalog; `run()` serves it.

    Raises:
        InputError: the package `mcp` is absent, or of another major version.
    """
    try:
        from mcp.server import MCPServer
        from mcp_types import ToolAnnotations
    except ImportError as absent:
        what = f"for mcp-serve mcp 2.3 or a later 2.x is needed ({shown(absent)})."
        raise InputError(what, hint="Install it by pip install 'refract-asp[mcp]'.") from None
    refractor = Refractor.of(catalog, options)
    tools = refractor.catalog
    limit = refractor.time_limit or TIME_LIMIT

    def check(calls: Calls, memory: Known = None) -> dict[str, Any]:
        try:
            return _report(refractor.check(calls, memory, time_limit=limit))
        except RefractError as error:
            return {"verdict": "unreadable", "problems": [str(error)]}

    def repair(calls: Calls, memory: Known = None) -> dict[str, Any]:
        try:
            result = refractor.repair(calls, memory, time_limit=limit)
        except RefractError as error:
            return {"verdict": "unreadable", "problems": [str(error)]}
        try:
            repaired = dump_sequence(result.sequence)
        except InputError:  # the format that came in has no words for what is open
            repaired = dump_sequence(result.sequence, "nestful")
        asked = ("name", "call", "parameter", "expected")
        return {
            **_report(result),
            "calls": repaired,
            "asks": [{key: getattr(ask, key) for key in asked} for ask in result.asks],
            "confirms": [{"call": each.call, "reason": each.reason} for each in result.confirms],
            "diff": result.diff(),
        }

    about = _ABOUT.format(count=len(tools), names=_names(tools))
    server: MCPServer[Any] = MCPServer("refract-asp", instructions=about, log_level="WARNING")
    hints = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    for function, said in ((check, _CHECK), (repair, _REPAIR)):
        server.tool(description=f"{said} {about}", annotations=hints)(function)
    return server


def _names(tools: Catalog) -> str:
    """Return the names of the first tools."""
    more = ", ..." if len(tools) > 20 else ""
    return ", ".join(shown(name) for name in list(tools.by_name)[:20]) + more


def _report(report: Report) -> dict[str, Any]:
    """Return what is wrong, and what would put it right."""
    found = report.diagnostics()
    told: dict[str, Any] = {"verdict": report.verdict}
    told["problems"] = [
        {"call": each.call, "code": each.code, "message": each.message, "fix": each.fix}
        for each in found
    ]
    return {**told, "notes": list(report.notes)}
