"""
A small MCP server on standard input and output, of the standard library alone; its arguments say how it misbehaves.

    python server.py [HOW ...]
"""

import json
import os
import sys
import time
from typing import Any

HOW = sys.argv[1:]
TEXT, NUMBER, INTEGER = ({"type": kind} for kind in ("string", "number", "integer"))


def tool(name: str, properties: dict[str, Any], *required: str, **hints: bool) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": name, "inputSchema": schema, "annotations": hints}


def tools() -> list[dict[str, Any]]:
    found = [
        tool("find_user", {"email": TEXT}, "email", readOnlyHint=True),
        tool("list_orders", {"user_id": TEXT, "limit": INTEGER}, "user_id", readOnlyHint=True),
        tool("add", {"a": NUMBER, "b": NUMBER}, "a", "b", readOnlyHint=True),
        tool("delete_order", {"order_id": TEXT}, "order_id", destructiveHint=True),
        tool("login", {"user": TEXT, "password": TEXT}, "user", "password"),
        tool("wait", {"seconds": NUMBER}, "seconds", readOnlyHint=True),
        tool("big", {"size": INTEGER}, "size", readOnlyHint=True),
        tool("die", {}),
        tool("half", {}),
        tool("twice", {"n": INTEGER}),
        tool("grow", {}),
    ]
    if grown:
        found.append(tool("fly_to_moon", {"day": TEXT}, "day", readOnlyHint=True))
    if "flood" in HOW:
        found.append(tool("flood", {}))
    if "broken-tool" in HOW:
        found.append({"name": "odd", "inputSchema": 7})
    return found


grown = False


def write(message: Any) -> None:
    print(json.dumps(message), flush=True)


def result(id: Any, **held: Any) -> None:
    write({"jsonrpc": "2.0", "id": id, "result": held})


def failed(id: Any, said: str) -> None:
    write({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": said}})


def text(id: Any, said: str, **more: Any) -> None:
    result(id, content=[{"type": "text", "text": said}], **more)


def call(id: Any, params: dict[str, Any]) -> None:
    global grown
    name, given = params["name"], params.get("arguments", {})
    if "state" in HOW and params.get("requestState") != "more":
        result(id, resultType="input_required", inputRequests={}, requestState="more")
    elif name == "find_user":
        text(id, json.dumps({"user_id": "U-77"}))
    elif name == "add":
        text(id, json.dumps(given["a"] + given["b"]))
    elif name == "wait":
        time.sleep(given["seconds"])
        text(id, "waited")
    elif name == "big":
        text(id, "x" * given["size"])
    elif name == "die":
        os._exit(3)
    elif name == "half":
        print('{"jsonrpc": "2.0", "id": ', end="", flush=True)
        os._exit(4)
    elif name == "flood":
        while True:
            sys.stdout.write("x" * 2**20)
    elif name == "twice":
        text(id, "first")
        text(id, "second")
    elif name == "grow":
        grown = True
        if "silent" not in HOW:
            write({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        text(id, "grown")
    else:
        text(id, json.dumps({"tool": name, "arguments": given}), isError=False)


def answered(message: dict[str, Any]) -> None:
    method, id, params = message.get("method"), message.get("id"), message.get("params", {})
    if method in ("initialize", "tools/list") and "modern" in HOW and "_meta" not in params:
        failed(id, "_meta is needed")
    elif method == "initialize":
        result(id, protocolVersion="2025-06-18", capabilities={"tools": {}}, serverInfo={})
    elif method == "tools/list" and "hang" in HOW:
        pass
    elif method == "tools/list" and "restless" in HOW:
        write({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        result(id, tools=tools())
    elif method == "tools/list" and "no-tools" in HOW:
        failed(id, "no tools here")
    elif method == "tools/list" and "paged" in HOW:
        start = int(params.get("cursor", 0))
        page = tools()[start : start + 3]
        more = {"nextCursor": str(start + 3)} if start + 3 < len(tools()) else {}
        result(id, tools=page, **more)
    elif method == "tools/list":
        result(id, tools=tools())
    elif method == "tools/call":
        call(id, params)
    elif id is not None and method is not None:
        result(id, echo=message)
    elif method == "test/ask":  # the server asks the client something
        write({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": {"x": 1}})
    elif method is None:
        write({"jsonrpc": "2.0", "method": "test/heard", "params": message})


if __name__ == "__main__":
    for line in sys.stdin:
        read = json.loads(line)
        for each in read if isinstance(read, list) else [read]:
            answered(each)
