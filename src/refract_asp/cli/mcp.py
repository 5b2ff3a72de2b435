"""`refract-asp mcp-proxy` and `refract-asp mcp-serve`: before an MCP server, and as one."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal

import typer

from refract_asp.cli import output
from refract_asp.cli.inputs import read_pairs, standard_input
from refract_asp.cli.options import Seconds, refuse, takes
from refract_asp.cli.session import Rules, Tools

Command = Annotated[list[str] | None, typer.Argument()]


@takes(
    "command http header policy allow deny ids no_memory on_failure list_timeout no_elicit tell log quiet "
    "effects encodings cost_model undeclared lenient check_formats time_limit"
)
def mcp_proxy(
    rules: Rules,
    command: Command = None,
    http: str | None = None,
    header: list[str] | None = None,
    policy: Literal["repair", "strict", "observe"] = "repair",
    allow: list[str] | None = None,
    deny: list[str] | None = None,
    ids: list[str] | None = None,
    no_memory: bool = False,
    on_failure: Literal["closed", "open"] = "closed",
    list_timeout: Annotated[float, typer.Option(min=0.001)] = 30.0,
    no_elicit: bool = False,
    tell: bool = False,
    log: str | None = None,
    quiet: bool = False,
    time_limit: Seconds = None,
) -> None:
    """
    Repair calls of tools on their way to an MCP server. Everything else passes as it is.

    A client starts this command where it would start the server, with the command of the server behind --.

    Examples:

      refract-asp mcp-proxy -- uvx mcp-server-time
      refract-asp mcp-proxy --policy strict --log calls.jsonl -- npx -y SERVER
      refract-asp mcp-proxy --deny 'delete_*' --http https://example.com/mcp

    Exit codes: 0 the client has gone, 1 the server has ended before, 2 bad usage, 130 interrupted.

    Args:
        command (COMMAND): The server and its arguments, behind --.
        http (URL): The server, where it speaks streamable HTTP; needs the extra mcp.
        header (NAME=VALUE): Send this header to the URL; repeatable.
        policy: Repair calls that are not right, send them back, or only log them.
        allow (NAME|GLOB): Only these tools may be called, and are listed; repeatable.
        deny (NAME|GLOB): These tools may not be called, and are not listed; repeatable.
        ids (PARAMETER): Values of this parameter have to come from an earlier result; repeatable.
        no_memory: Do not remember what tools gave.
        on_failure: Whether a call that cannot be judged is answered so, or passes.
        list_timeout (SECONDS): Time in which the server has to list its tools.
        no_elicit: Never ask the user, though the client could.
        tell: Say in the result of a repaired call what was repaired.
        log (FILE): Append each call with what became of it, a line of JSON each; `batch` reads the file.
        quiet: Say nothing on standard error but warnings.
        encodings (FILE|NAME): Add house rules; repeatable. They see what earlier calls gave.
        time_limit (SECONDS): Time for each call; 5 by default.
    """
    if (not command) == (http is None):
        refuse("http", "name one server: its command after --, or its URL with --http.")
    output.check_target(log)
    given = dict(read_pairs("--header", "NAME=VALUE", header))
    from refract_asp.integrations.mcp import GuardOptions, Proxy, ProxyOptions, StdioServer
    from refract_asp.integrations.mcp.connections import Connection, StdioClient
    from refract_asp.integrations.mcp.http import HttpServer
    from refract_asp.integrations.mcp.log import ProxyLog
    from refract_asp.options import RepairOptions

    said = RepairOptions(**{**rules.read(), "time_limit": time_limit})
    names: Any = {"allow": allow or (), "deny": deny or (), "ids": ids or ()}
    guarded = GuardOptions(policy=policy, options=said, remember=not no_memory, **names)
    on_call = None if log is None else ProxyLog(Path(log))
    how: Any = {"on_failure": on_failure, "elicit": not no_elicit, "tell": tell}
    options = ProxyOptions(guard=guarded, list_timeout=list_timeout, on_call=on_call, **how)

    def say(text: str) -> None:
        if not quiet:
            print(f"refract-asp: {text}", file=sys.stderr, flush=True)

    async def work(source: BinaryIO, target: BinaryIO) -> str:
        # what ends the process from outside cancels the work, so that it can clean up
        task = asyncio.current_task()
        assert task is not None
        for name in ("SIGTERM", "SIGHUP"):
            with suppress(NotImplementedError, AttributeError, ValueError, RuntimeError):
                asyncio.get_running_loop().add_signal_handler(getattr(signal, name), task.cancel)
        server: Connection
        if http is not None:
            server = await HttpServer.opened(http, given)
        else:
            server = await StdioServer.started(command or (), say=say)
        return await Proxy(await StdioClient.opened(source, target), server, options).run()

    logging.basicConfig(format="refract-asp: %(message)s", stream=sys.stderr)
    logging.getLogger("refract_asp").setLevel(logging.WARNING if quiet else logging.INFO)
    source, target = standard_input(), sys.stdout
    try:
        with redirect_stdout(sys.stderr):  # whatever else is printed is no answer
            ended = asyncio.run(work(source, target.buffer))
    except asyncio.CancelledError:
        raise typer.Exit(130) from None
    if ended:
        output.complain("error", f"{ended}.")
        raise typer.Exit(1)


@takes(
    "catalog tag tool effects encodings cost_model allow deny time_limit catalog_format no_cache"
)
def mcp_serve(tools: Tools, rules: Rules) -> None:
    """
    Serve `check` and `repair` for a catalog as tools of an MCP server, on standard input and output.

    Needs the extra mcp.

    Examples:

      refract-asp mcp-serve --catalog travel
      refract-asp mcp-serve --catalog 'mcp:uvx mcp-server-time'

    Args:
        catalog (PATH|NAME): File with the tools, the name of a shipped catalog, or mcp:COMMAND.
        time_limit (SECONDS): Time for each question; 10 by default.
    """
    if tools.catalog is None:
        refuse("catalog", "name the tools.")
    from refract_asp.integrations.mcp.serve import server_of
    from refract_asp.options import RepairOptions

    server_of(tools.read(), RepairOptions(**{**rules.said, **rules.read()})).run()
