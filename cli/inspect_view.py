"""The terminal view of `meridia inspect`: score bars, the graph by hop, one trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.text import Text

from ..core.text import shorten
from ..retrieval.explain.activated_graph import ActivatedGraph
from ..retrieval.recall_result import Hit, Recall
from .render import console, moment, table, terminal_text

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
