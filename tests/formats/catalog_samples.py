"""One catalog of two tools, in every format that has words for them."""

from __future__ import annotations

from typing import Any

INPUT = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "What to look for."},
        "limit": {"type": "integer", "default": 10},
    },
    "required": ["query"],
}
OUTPUT = {"type": "object", "properties": {"id": {"type": "string"}}}
NOTE = {"type": "object", "properties": {}}
ABOUT = "Find books."

OPENAI = [
    {"type": "function", "function": {"name": "search", "description": ABOUT, "parameters": INPUT}},
    {"type": "function", "function": {"name": "note"}},
]
RESPONSES = [
    {
        "type": "function",
        "name": "search",
        "description": ABOUT,
        "parameters": INPUT,
        "strict": False,
    },
    {"type": "function", "name": "note", "parameters": None},
]
FUNCTIONS = [{"name": "search", "description": ABOUT, "parameters": INPUT}, {"name": "note"}]
ANTHROPIC = [
    {"name": "search", "description": ABOUT, "input_schema": INPUT},
    {"type": "custom", "name": "note", "input_schema": NOTE},
]
MCP = [
    {"name": "search", "description": ABOUT, "inputSchema": INPUT, "outputSchema": OUTPUT},
    {"name": "note", "inputSchema": NOTE},
]
GEMINI = [
    {
        "functionDeclarations": [
            {
                "name": "search",
                "description": ABOUT,
                "parameters": {
                    "type": "OBJECT",
                    "properties": {
                        "query": {"type": "STRING", "description": "What to look for."},
                        "limit": {"type": "INTEGER", "default": 10},
                    },
                    "required": ["query"],
                },
            },
            {"name": "note"},
        ]
    }
]
OPENAPI = {
    "openapi": "3.1.0",
    "info": {"title": "books", "version": "1"},
    "paths": {
        "/books": {
            "get": {
                "operationId": "search",
                "description": ABOUT,
                "parameters": [
                    {
                        "name": "query",
                        "in": "query",
                        "required": True,
                        "description": "What to look for.",
                        "schema": {"type": "string"},
                    },
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "default": 10}},
                ],
            }
        },
        "/notes": {"post": {"operationId": "note"}},
    },
}
NATIVE = {
    "tools": [
        {
            "name": "search",
            "description": ABOUT,
            "parameters": {
                "query": {"type": "string", "required": True, "description": "What to look for."},
                "limit": {"type": "integer", "default": 10},
            },
        },
        {"name": "note"},
    ]
}
NESTFUL = [
    {
        "name": "search",
        "description": ABOUT,
        "query_parameters": {
            "query": {"type": "string", "required": True, "description": "What to look for."},
            "limit": {"type": "integer", "default": 10},
        },
    },
    {"name": "note", "query_parameters": {}},
]
SEAL = [
    {
        "api_name": "search",
        "api_description": ABOUT,
        "parameters": {
            "query": {"type": "string", "description": "What to look for."},
            "limit": {"type": "integer", "default": 10},
        },
        "required": ["query"],
    },
    {"api_name": "note", "parameters": {}, "required": []},
]
LIBRARY = [
    {
        "id": "books",
        "library_name": "books",
        "style": "import",
        "functions": [
            {
                "function_name": "search",
                "documentation": "Finds books by [query|query].",
                "arglist": ["query"],
                "return_type": ["list"],
            }
        ],
    }
]

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
