"""`meridia inspect`: one recall in detail, in the terminal or in a browser."""

from __future__ import annotations

import json
import urllib.request
import webbrowser
from typing import Any
from urllib.parse import quote, urlencode

import click

from ....core.errors import NotFound
from ....memory import Memory
from ....retrieval.recall_result import as_json
from ....service import documents, request_limits, server
from ....service.inspector import pages
from ....storage.projections.catalog import LAST
from ...inspect_view import show_inspection
from ...options import SharedOptions, take_hit
from ...recall_view import show_hit
from ...render import console, paged_command, print_json
from ..explain import effect_of, show_what_if
from .serve import missing

#: A service on this machine answers within so many seconds.
_WAIT_S = 5.0


@paged_command()
@click.argument("words", nargs=-1, metavar="[RECALL] [ID]")
@click.option(
    "--open", "opens", is_flag=True, help="Open the inspector in a browser, until Ctrl-C."
)
@click.option(
    "--edges",
    type=click.IntRange(1, 1000),
    default=12,
    show_default=True,
    help="Edges shown for each hop.",
)
def inspect_command(shared: SharedOptions, words: tuple[str, ...], opens: bool, edges: int) -> None:
    """Look at an earlier answer from all sides.

    Shows how the scores arose, the graph that activation reached, hop by hop, and for one memory
    its trace and its rank without each edge. RECALL is the id that `recall --explain` ends with,
    or `last`, which may be left out; ID is a rank in the answer (default: 1), an address such as
    @12, or an id.

    --open shows the inspector in a browser, served on this machine only, without keys, until
    Ctrl-C; or by a `meridia serve` that runs on this journal. It needs the extra: pip install
    'meridia[service]'.
    """
    if opens:
        shared.require_journal()
        _open(shared, words)
        return
    with shared.memory() as memory:
        recall, given = take_hit(memory, words)
        address = given or "1"
        answer = memory.reasons.recall(recall)
        shows = answer.hits or address != "1"
        hit = documents.hit_at(memory, answer, address) if shows else None
        graph = memory.reasons.activation(answer.id)
        changes = memory.reasons.counterfactuals(answer.id, hit.id) if hit else []
        changes.sort(key=effect_of, reverse=True)
        if shared.as_json:
            items = [change.as_json() for change in changes]
            print_json({**as_json(answer), "activation": graph.as_json(), "what_if": items})
            return
        show_inspection(answer, graph, edges)
        if hit:
            console.print()
            show_hit(hit, "all")
            console.print()
            show_what_if(changes)


def _open(shared: SharedOptions, words: tuple[str, ...]) -> None:
    """Open the page of the service over this journal; start one where none runs."""
    usual = shared.load().settings.service
    settings = shared.load({"service.address": "127.0.0.1", "service.port": 0}).settings
    memory = Memory.open(
        shared.database, shared.named_space or "default", settings, enrich="manual"
    )
    try:
        page = _page(memory, take_hit(memory, words)[0])
        url = f"http://{usual.address}:{usual.port}"
        mark = pages.journal_mark(memory.parts.path)
        if request_limits.is_loopback(usual.address) and _config(url).get("journal") == mark:
            _show(url + page)
        else:
            server.serve(memory, needs_keys=False, on_ready=lambda own: _show(own + page))
    except ModuleNotFoundError as error:
        raise missing("service", error) from None
    finally:
        memory.close()


def _page(memory: Memory, recall: str) -> str:
    """Return the address of a recall's page; the first page where `last` is of none yet."""
    space = urlencode({"space": memory.space})
    try:
        id = str(memory.reasons.record(recall)["recall"])
    except NotFound:
        if recall != LAST:
            raise
        return f"/inspect/?{space}"
    return f"/inspect/?{space}#/recall/{quote(id)}"


def _config(url: str) -> dict[str, Any]:
    """Return what a service says of its inspector; nothing where none answers."""
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    try:
        with ask(f"{url}/inspect/config", timeout=_WAIT_S) as answer:
            config = json.load(answer)
    except (OSError, ValueError):
        return {}
    return config if isinstance(config, dict) else {}


def _show(url: str) -> None:
    click.echo(f"meridia: {url}", err=True)
    webbrowser.open(url)
