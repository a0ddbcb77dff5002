"""`meridia serve` and `mcp`, the `keys` that they ask for, and the `sinks` that receive copies."""

from __future__ import annotations

import asyncio
from typing import TextIO

import click

from ....core.errors import InvalidInput, NotFound, Unavailable
from ....core.lazy import extra
from ....core.types import Space
from ....memory import Memory
from ....service import dispatcher, documents, mcp_server, server
from ....storage.api_keys import EVERY_SPACE, Access, ApiKey
from ....storage.postgres.following import open_journal
from ....storage.upkeep import chosen_spaces
from ...options import SharedOptions, command
from ...render import errors, print_documents, print_json, progress

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


_ACCESS = click.Choice([access.name.lower() for access in Access])


@command()
@click.argument("action", type=click.Choice(["list", "create", "revoke"]), default="list")
@click.argument("id", metavar="[ID]", required=False)
@click.option(
    "--access", type=_ACCESS, default="write", show_default=True, help="What the key allows."
)
@click.option("--for", "spaces", metavar="SPACE", multiple=True, help="A space; may be repeated.")
@click.option("--every-space", is_flag=True, help="All spaces, including later ones.")
@click.option("--label", metavar="TEXT", default="", help="What it is for.")
@click.option(
    "--given", metavar="FILE", type=click.File(), help="A key that was made elsewhere; - reads it."
)
def keys_command(
    shared: SharedOptions,
    action: str,
    id: str | None,
    access: str,
    spaces: tuple[str, ...],
    every_space: bool,
    label: str,
    given: TextIO | None,
) -> None:
    """List, create or revoke the keys of the service.

    A key gives read, write or admin access (which includes forgetting) to its spaces (default:
    --space). It is shown once: only a hash is stored. Revoking takes effect at once. With --given,
    the journals of several replicas take one key; given again, it opens what is named then.

    \b
    Examples:
      meridia keys create --for work --access write --label "laptop"
      meridia keys revoke 3f2a90c81b5d
    """  # noqa: D301 - click takes the \b for "do not wrap"
    if (id is None) == (action == "revoke"):
        wanted = "needs the id of a key" if action == "revoke" else "takes no id"
        raise click.UsageError(f"`keys {action}` {wanted}")
    if action != "create" and not shared.database.exists():
        raise NotFound(f"there is no journal at {shared.database}: `meridia init` makes one")
    store = open_journal(shared.database, shared.load().settings)
    try:
        if action == "create":
            named = spaces or (shared.named_space or "default",)
            chosen = (EVERY_SPACE,) if every_space else named
            taken = given.read().strip() if given else None
            key, text = store.api_keys.create(Access[access.upper()], chosen, label, taken)
            if shared.as_json:
                print_json(key.as_json() | ({} if taken else {"key": text}))
            elif taken:
                click.echo(f"key {key.id} is taken", err=True)
            else:
                click.echo(text)
                click.echo(f"key {key.id}: it is shown only now", err=True)
        elif action == "revoke":
            store.api_keys.revoke(str(id))
            click.echo(f"key {id} is revoked", err=True)
        else:
            rows = [key.as_json() for key in store.api_keys.list_all()]
            columns = ["id", "label", "access", "spaces", "created", "revoked"]
            print_documents(shared, rows, columns)
    finally:
        store.close()


_COLUMNS = ("space", "name", "seq", "lag", "forgettings", "failures", "error")


@command()
@click.argument("action", type=click.Choice(["list", "sync", "rebuild"]), default="list")
@click.argument("name", metavar="[SINK]", required=False)
def sinks_command(shared: SharedOptions, action: str, name: str | None) -> None:
    """List the systems that receive copies, or deliver to them now.

    A sink receives new entries at the end of a session, after sinks.every captures, and by `sync`.
    `rebuild` empties it and delivers everything again, without a model. `lag` counts the journal
    sequences that it lacks, `forgettings` the forgettings that have not reached it. Without
    --space, all spaces. Exit status 5 if a sink does not answer.

    \b
    Examples:
      meridia sinks
      meridia sinks sync postgres
    """  # noqa: D301 - click takes the \b for "do not wrap"
    shared.require_journal()
    rows: list[documents.Document] = []
    problems: dict[str, str] = {}
    with shared.memory(writes=True) as memory:
        for space in chosen_spaces(memory.parts, shared.named_space):
            here = memory.in_space(space)
            if action != "list":
                here.enrich()
                work = here.sinks.sync if action == "sync" else here.sinks.rebuild
                with progress(f"delivering {space}", shared.as_json) as report:
                    failed = work(name, report)
                problems |= {f"{sink} ({space})": why for sink, why in failed.items() if why}
            rows += [
                {"space": space, **documents.sink(sink)}
                for sink in here.sinks.status()
                if name in {None, sink.name}
            ]
    if name and not rows:
        raise NotFound(f"there is no sink {name!r}: `meridia sinks` lists them")
    if rows or shared.as_json:
        print_documents(shared, rows, _COLUMNS)
    else:
        errors.print("there are no sinks: set postgres.url (docs/sinks.md)")
    if problems:
        reasons = "; ".join(f"{sink}: {why}" for sink, why in problems.items())
        raise Unavailable(f"not everything was delivered; the rest is tried again later: {reasons}")
