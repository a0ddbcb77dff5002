"""`meridia serve` and `meridia mcp`: the memory as a service, over HTTP and over MCP."""

from __future__ import annotations

import asyncio

import click

from ....core.errors import InvalidInput
from ....core.lazy import extra
from ....core.types import Space
from ....memory import Memory
from ....service import dispatcher, mcp_server, server
from ....storage.api_keys import EVERY_SPACE, Access, ApiKey
from ...options import SharedOptions, command

_tools = click.option(
    "--tools",
    metavar="T",
    help="Tools of MCP: default (six), all, or names, such as default,explain.",
)


@command()
@click.option("--address", metavar="A", help="The address to listen on.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65_535), help="The port.  [default: 8377]")
@click.option("--no-keys", is_flag=True, help="Require no key; on 127.0.0.1 only.")
@_tools
def serve_command(
    shared: SharedOptions, address: str | None, port: int | None, no_keys: bool, tools: str | None
) -> None:
    """Serve the memory over HTTP and MCP.

    HTTP is under /v1, described by /openapi.json; MCP is at /mcp, the inspector at /inspect/.
    Callers need a key: `meridia keys create`. On SIGTERM or Ctrl-C it finishes open requests and
    stops. It needs the extra: pip install 'meridia[service]'.
    """
    flags = {"service.address": address, "service.port": port, "service.tools": tools}
    settings, space = shared.load(flags).settings, shared.named_space or "default"
    opened = Memory.open(shared.database, space, settings, enrich="manual")
    with extra("service"), opened as memory:
        if not no_keys and not any(not k.revoked for k in memory.parts.api_keys.list_all()):
            raise InvalidInput(
                "there is no key yet: create one with `meridia keys create`, or serve without keys "
                "with --no-keys"
            )
        server.serve(memory, needs_keys=not no_keys, on_ready=_say)


@command()
@_tools
def mcp_command(shared: SharedOptions, tools: str | None) -> None:
    """Serve the memory over MCP on standard input and output.

    For clients that start their servers themselves; docs/mcp.md has their settings. With --space,
    it serves only that space. It needs the extra: pip install 'meridia[mcp]'.
    """
    settings = shared.load({"service.tools": tools}).settings
    space = shared.named_space
    with Memory.open(shared.database, space or Space("default"), settings) as memory:
        key = ApiKey("local", "standard input", Access.ADMIN, (space or EVERY_SPACE,), "")
        runner = dispatcher.Dispatcher(memory, settings.service, needs_keys=False)
        try:
            with extra("mcp"):
                served = mcp_server.serve_standard_streams(runner, dispatcher.Caller(key))
                asyncio.run(served)
        finally:
            runner.close()


def _say(url: str) -> None:
    click.echo(f"meridia: {url}  (HTTP: /v1, MCP: /mcp, inspector: /inspect/)", err=True)
