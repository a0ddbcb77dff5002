"""`meridia inspect`: one recall in detail, in the terminal or in a browser.

The terminal view of `meridia inspect`: score bars, the graph by hop, one trace.
"""

from __future__ import annotations

import json
import urllib.request
import webbrowser
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

import click
from rich.text import Text

from ....core.errors import NotFound
from ....core.lazy import extra
from ....core.text import shorten
from ....memory import Memory
from ....retrieval.explain.activated_graph import ActivatedGraph
from ....retrieval.recall_result import Hit, Recall, as_json
from ....service import documents, request_limits, server
from ....service.inspector import pages
from ....storage.projections.catalog import LAST
from ...options import SharedOptions, take_hit
from ...recall_view import show_hit
from ...render import console, moment, paged_command, print_json, table, terminal_text
from ..recall import effect_of, show_what_if

#: Terms have a style and a sign each, so that bars are read without colours too.
_STYLES = (
    *(("blue", "█"), ("green", "▓"), ("yellow", "▒"), ("magenta", "░"), ("cyan", "▚")),
    *(("red", "▞"), ("white", "▪")),
)
_BAR_CHARS = 40
_TEXT_CHARS = 34


def show_inspection(answer: Recall, graph: ActivatedGraph, edges_max: int) -> None:
    """Print a recall: what its scores are made of, and at most so many edges of each hop."""
    console.print(terminal_text(answer.question, "bold"))
    for note in answer.notes:
        console.print(terminal_text(note, "yellow"))
    sure = "confident" if answer.confident else "not confident"
    console.print(Text(f"recall {answer.id}, {sure} ({answer.confidence:.2f})", "dim"))
    if not answer.hits:
        console.print("no memories recalled", style="dim")
        return
    _show_bars(answer.hits)
    _show_graph(graph, edges_max)


def _show_bars(hits: Sequence[Hit]) -> None:
    """Print each score as a bar of what it is the sum of; what lowers it stands in numbers."""
    terms = _terms(hits)
    most = max(sum(value for value in _values(hit).values() if value > 0) for hit in hits)
    console.print()
    for hit in hits:
        line = Text(f"{hit.rank:3} {hit.score:7.2f}  ")
        for term, value in _values(hit).items():
            style, sign = terms[term]
            line.append(sign * round(_BAR_CHARS * max(value, 0) / max(most, 1e-9)), style)
        console.print(line)
        who = hit.memory.who
        quote = f"@{hit.memory.seq} {who}, {moment(hit.memory.at)}: {hit.text}"
        console.print(terminal_text(f"{'':13}{shorten(quote, console.width - 14)}", "dim"))
    console.print()
    for term, (style, sign) in terms.items():
        total = " ".join(f"{_values(hit).get(term, 0.0):7.2f}" for hit in hits[:5])
        console.print(Text(f"{'':5}{sign} ", style).append(f"{term:<12}{total}", "default"))
    if len(hits) > 1:
        console.print(f"{'':7}the columns are the first {min(5, len(hits))}", style="dim")


def _terms(hits: Iterable[Hit]) -> Mapping[str, tuple[str, str]]:
    """Return the style of each term, those of the greatest values first."""
    totals: dict[str, float] = {}
    for hit in hits:
        for term, value in _values(hit).items():
            totals[term] = totals.get(term, 0.0) + abs(value)
    ordered = sorted(totals, key=lambda term: -totals[term])
    return {term: _STYLES[min(n, len(_STYLES) - 1)] for n, term in enumerate(ordered)}


def _values(hit: Hit) -> dict[str, float]:
    return {branch.label: branch.value for branch in hit.trace.children}


def _show_graph(graph: ActivatedGraph, most: int) -> None:
    """Print the strongest edges that activation moved over, hop by hop."""
    names = {node.id: node for node in graph.nodes}
    console.print()
    console.print(Text(f"Activation ({graph.label})", "bold"))
    for hop in sorted({edge.hop for edge in graph.edges}):
        edges = [edge for edge in graph.edges if edge.hop == hop]
        rows = [
            [
                _name(names[edge.source].name),
                edge.type,
                _name(names[edge.target].name),
                edge.amount,
                ", ".join(f"#{rank} {value:+.2f}" for rank, value in edge.shares.items()),
            ]
            for edge in edges[:most]
        ]
        table(["from", "edge", "to", "amount", "of scores"], rows, f"hop {hop}")
        if len(edges) > most:
            console.print(f"{len(edges) - most} more edges", style="dim")
    if not graph.edges:
        console.print("it moved over no edge", style="dim")


def _name(text: str) -> str:
    return shorten(text, _TEXT_CHARS)


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
    space = shared.named_space or "default"
    opened = Memory.open(shared.database, space, settings, enrich="manual")
    with extra("service"), opened as memory:
        page = _page(memory, take_hit(memory, words)[0])
        url = f"http://{usual.address}:{usual.port}"
        mark = pages.journal_mark(memory.parts.path)
        if request_limits.is_loopback(usual.address) and _config(url).get("journal") == mark:
            _show(url + page)
        else:
            server.serve(memory, needs_keys=False, on_ready=lambda own: _show(own + page))


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
