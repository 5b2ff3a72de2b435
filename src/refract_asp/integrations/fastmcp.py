"""
FastMCP: a middleware that mends calls before the tools of a server see them, or those behind a proxy of it.

    server.add_middleware(RefractMiddleware())
"""

from __future__ import annotations

from typing import Any

from refract_asp.integrations.adapters import Guard, Mended, framework, ran_text
from refract_asp.integrations.decisions import ToolCall

with framework("fastmcp", "fastmcp", "4.1.2"):
    from fastmcp.server.middleware import Middleware
    from fastmcp.tools.base import ToolResult
    from mcp.types import TextContent

__all__ = ["RefractMiddleware"]

META = "refract-asp/repaired"
"""The key in the metadata of a result that says what ran in place of the call."""


class RefractMiddleware(Middleware):
    """
    Mends the calls of clients: right ones run, faulty ones run repaired, the others are answered as errors.

    It takes the tools from the server, and again whenever a call does not pass, so that tools that changed
    are seen. What ran in place of a call stands in the metadata of the result.

    Args:
        annotate: whether the result says in a text, too, what ran.
        options: what `Hook` takes besides: `policy`, `memory`, `on_decision` ...
    """

    def __init__(self, *, annotate: bool = False, **options: Any) -> None:
        """Check the options."""
        self._guard, self._annotate = Guard(**options), annotate
        self._listed: list[Any] | None = None

    async def on_list_tools(self, context: Any, call_next: Any) -> Any:
        """Note what the server offers."""
        tools = await call_next(context)
        self._listed = _as_data(tools)
        return tools

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        """Run a call as it is mended, or answer it."""
        message = context.message
        call = ToolCall(None, message.name, message.arguments or {})
        listed = self._listed
        mended = None if listed is None else (await self._guard.mend_async([call], listed))[0]
        if mended is None or mended.outcome != "pass":
            listed = await self._list(context)
            mended = (await self._guard.mend_async([call], listed))[0]
        if not mended.calls:
            return _told(mended.feedback)
        if not mended.is_changed:
            return await call_next(context)
        if len(mended.calls) > 1:
            return _told(f"Not run: send one call for each of {ran_text(mended.calls)}")
        (run,) = mended.calls
        changed = message.model_copy(update={"name": run.name, "arguments": run.arguments})
        result = await call_next(context.copy(message=changed))
        return self._noted(result, mended)

    async def _list(self, context: Any) -> list[Any]:
        """Return the tools that the server offers this client now."""
        return _as_data(await context.fastmcp_context.fastmcp.list_tools())

    def _noted(self, result: Any, mended: Mended) -> Any:
        if not isinstance(result, ToolResult):
            return result
        (run,) = mended.calls
        meta = {**(result.meta or {}), META: {"name": run.name, "arguments": run.arguments}}
        update: dict[str, Any] = {"meta": meta}
        if self._annotate:
            said = TextContent(type="text", text=ran_text(mended.calls))
            update["content"] = [*result.content, said]
        return result.model_copy(update=update)


def _as_data(tools: Any) -> list[Any]:
    """Return tools as the protocol lists them, one of each name."""
    found: dict[str, Any] = {}
    for tool in tools:
        listed = tool.to_mcp_tool()
        data = listed.model_dump(mode="json", by_alias=True, exclude_none=True)
        found.setdefault(data["name"], data)
    return list(found.values())


def _told(text: str) -> ToolResult:
    return ToolResult(content=[TextContent(type="text", text=text)], is_error=True)
