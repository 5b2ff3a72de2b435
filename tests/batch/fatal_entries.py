"""Small data sets of all kinds of entries, and entries at which something happens to their process."""

import os
import signal
import time
from typing import Any

from declaring import NEEDED
from declaring import tool as declared

PAY = declared("Pay", "write", id={"required": True}, password={})
TOOLS = {"tools": [declared("Search", "read", query=NEEDED), PAY]}


def tool(parameter: str) -> dict[str, Any]:
    """A sequence with a catalog of its own, at which something happens."""
    catalog = {"tools": [declared("Do", **{parameter: {}})]}
    return {"sequence": [f"Do({parameter}=1)"], "catalog": catalog}


def data(count: int) -> list[Any]:
    texts = ("Serch(query={0})", "Search(q={0})", "Pay(password={0})", "Pay(id={0})", "nothing {{")
    texts = (*texts, "Search()")
    return [{"sequence": texts[i % len(texts)].format(i), "id": str(i)} for i in range(count)]


def fatal(name: str, schema: Any) -> bool:
    """A hook that says what is secret, and does something else at some names."""
    match name:
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "stay":
            time.sleep(30.0)
    return name == "password"
