"""One catalog of two tools, in every format that has words for them."""

from __future__ import annotations

from typing import Any

ABOUT = "Find books."
QUERY = {"type": "string", "description": "What to look for."}
LIMIT = {"type": "integer", "default": 10}
FIELDS = {"query": QUERY, "limit": LIMIT}
NEEDED = {"query": {"required": True, **QUERY}, "limit": LIMIT}
INPUT = {"type": "object", "properties": FIELDS, "required": ["query"]}
OUTPUT = {"type": "object", "properties": {"id": {"type": "string"}}}
NOTE = {"type": "object", "properties": {}}
SEARCH: dict[str, Any] = {"name": "search", "description": ABOUT}

FUNCTIONS = [{**SEARCH, "parameters": INPUT}, {"name": "note"}]
OPENAI = [{"type": "function", "function": function} for function in FUNCTIONS]
RESPONSES = [
    {"type": "function", **FUNCTIONS[0], "strict": False},
    {"type": "function", "name": "note", "parameters": None},
]
ANTHROPIC = [
    {**SEARCH, "input_schema": INPUT},
    {"type": "custom", "name": "note", "input_schema": NOTE},
]
MCP = [
    {**SEARCH, "inputSchema": INPUT, "outputSchema": OUTPUT},
    {"name": "note", "inputSchema": NOTE},
]
IN_CAPITALS = {
    "type": "OBJECT",
    "properties": {"query": {**QUERY, "type": "STRING"}, "limit": {**LIMIT, "type": "INTEGER"}},
    "required": ["query"],
}
GEMINI = [{"functionDeclarations": [{**SEARCH, "parameters": IN_CAPITALS}, {"name": "note"}]}]
OPENAPI = {
    "openapi": "3.1.0",
    "info": {"title": "books", "version": "1"},
    "paths": {
        "/books": {
            "get": {
                "operationId": "search",
                "description": ABOUT,
                "parameters": [
                    {"name": "query", "in": "query", "required": True, "schema": QUERY},
                    {"name": "limit", "in": "query", "schema": LIMIT},
                ],
            }
        },
        "/notes": {"post": {"operationId": "note"}},
    },
}
NATIVE = {"tools": [{**SEARCH, "parameters": NEEDED}, {"name": "note"}]}
NESTFUL = [{**SEARCH, "query_parameters": NEEDED}, {"name": "note", "query_parameters": {}}]
SEAL = [
    {"api_name": "search", "api_description": ABOUT, "parameters": FIELDS, "required": ["query"]},
    {"api_name": "note", "parameters": {}, "required": []},
]
FIND = {
    "function_name": "search",
    "documentation": "Finds books by [query|query].",
    "arglist": ["query"],
    "return_type": ["list"],
}
LIBRARY = [{"id": "books", "library_name": "books", "style": "import", "functions": [FIND]}]

SAMPLES: dict[str, tuple[str, Any]] = {
    "openai": ("openai", OPENAI),
    "openai, as in a request": ("openai", {"model": "m", "messages": [], "tools": OPENAI}),
    "openai, one tool": ("openai", OPENAI[0]),
    "openai responses": ("openai", RESPONSES),
    "openai responses, under tools": ("openai", {"tools": RESPONSES}),
    "openai functions": ("openai", {"functions": FUNCTIONS}),
    "openai functions, a list": ("openai", FUNCTIONS),
    "openai functions, under tools": ("openai", {"tools": FUNCTIONS}),
    "anthropic": ("anthropic", ANTHROPIC),
    "anthropic, under tools": ("anthropic", {"tools": ANTHROPIC}),
    "anthropic, one tool": ("anthropic", ANTHROPIC[0]),
    "mcp": ("mcp", MCP),
    "mcp, a result": ("mcp", {"tools": MCP}),
    "mcp, an answer": ("mcp", {"jsonrpc": "2.0", "id": 1, "result": {"tools": MCP}}),
    "mcp, pages": ("mcp", [{"tools": MCP[:1], "nextCursor": "a"}, {"tools": MCP[1:]}]),
    "mcp, answers": (
        "mcp",
        [{"jsonrpc": "2.0", "id": n, "result": {"tools": [tool]}} for n, tool in enumerate(MCP)],
    ),
    "gemini": ("gemini", GEMINI),
    "gemini, under tools": ("gemini", {"tools": GEMINI}),
    "gemini, one tool": ("gemini", GEMINI[0]),
    "gemini, declarations": ("gemini", GEMINI[0]["functionDeclarations"]),
    "openapi": ("openapi", OPENAPI),
    "native": ("native", NATIVE),
    "nestful": ("nestful", NESTFUL),
    "seal": ("seal", SEAL),
}
OTHERS: dict[str, tuple[str, Any]] = {
    "library": ("library", LIBRARY),
    "library, one": ("library", LIBRARY[0]),
    "library, its functions": ("library", LIBRARY[0]["functions"]),
    "native, empty": ("native", {"tools": []}),
    "openai functions, empty": ("openai", {"functions": []}),
    "mcp, empty": ("mcp", {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}),
    "openapi, empty": ("openapi", {"openapi": "3.0.0", "paths": {}}),
    "swagger": ("openapi", {"swagger": "2.0", "paths": {}}),
}
