"""MCP: a proxy that stands before a server, a server of our own, and catalogs that a server gives."""

from refract_asp.integrations.mcp.catalogs import server_catalog
from refract_asp.integrations.mcp.connections import StdioServer
from refract_asp.integrations.mcp.guard import Guard, GuardOptions
from refract_asp.integrations.mcp.proxy import Proxy, ProxyOptions

__all__ = ["Guard", "GuardOptions", "Proxy", "ProxyOptions", "StdioServer", "server_catalog"]
