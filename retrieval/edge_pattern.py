"""The edges that a trace names, as a statement that fetches them from the graph."""

from __future__ import annotations

from collections.abc import Iterator

from ..graph.schema import EDGES
from .ranking.contributions import TraceNode

_SCHEME = "meridia://"
#: What is shown of a node at the end of an edge.
_SHOWN = {"Experience": "text", "Session": "key", "Person": "name"}


def edge_pattern(memory: str, trace: TraceNode) -> str:
    """Return a statement over the edges that carried a score to a memory, given its id.

    It gives one row, where they all are there: the text of the memory, and what its neighbours
    say, its session and its speaker are called.
    """
    matches = {f"(m:Experience {{id: {_text(memory)}}})": "m.text AS memory"}
    for leaf in sorted(trace.leaves(), key=lambda leaf: -abs(leaf.value)):
        matches.update(_edges(leaf))
    return f"MATCH {' MATCH '.join(matches)} RETURN {', '.join(filter(None, matches.values()))}"


def _edges(leaf: TraceNode) -> Iterator[tuple[str, str]]:
    """Yield the patterns of the edges of a leaf, and what each returns."""
    if leaf.steps:
        for step in leaf.steps:
            ends = EDGES[step.type][0]
            source, target = (
                _node("", ends.source, step.source),
                _node("", ends.target, step.target),
            )
            yield f"{source}-[:{step.type}]->{target}", ""
    elif leaf.edge == "NEXT":
        if leaf.source and leaf.source != "?":
            count, before = abs(leaf.offset), leaf.offset < 0
            name = f"{'before' if before else 'after'}_{count}"
            hops = "()".join(["-[:NEXT]->"] * count)
            node = _node(name, "Experience", leaf.source)
            path = f"{node}{hops}(m)" if before else f"(m){hops}{node}"
            yield path, f"{name}.text AS {name}"
    elif leaf.edge:
        label = EDGES[leaf.edge][0].target
        name = label.lower()
        yield f"(m)-[:{leaf.edge}]->({name}:{label})", f"{name}.{_SHOWN[label]} AS {name}"


def _node(name: str, label: str, address: str) -> str:
    return f"({name}:{label} {{id: {_text(address.removeprefix(_SCHEME))}}})"


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
