"""The graph of a space as other programs take it: a networkx graph, GraphML, GEXF, Cypher.

For programs that draw: Gephi, yEd, Cytoscape, Neo4j's browser. Nodes and edges have the labels,
types and properties of docs/graph.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..core.errors import InvalidInput, NotFound
from ..core.lazy import extra
from ..core.ports import GraphStore
from .digest import edges_from, pages
from .schema import EDGES, LABELS

#: A `networkx.MultiDiGraph`, whose library is an extra and has no types.
Drawn = Any
#: Ends of names of files that `write` knows.
FORMATS = (".graphml", ".gexf", ".cypher")


def graph_of(store: GraphStore, around: Iterable[str] | None = None, hops: int = 1) -> Drawn:
    """Return a space's graph, or what is at most `hops` edges from nodes.

    Nodes are named by id, by address (`@12`) or by name, in any letters. A node has `label` and its
    properties, an edge `type` and its own. Raises `NotFound` for a name that no node has.
    """
    with extra("networkx"):
        import networkx as nx  # noqa: PLC0415 - an extra
    graph = nx.MultiDiGraph()
    for label in LABELS:
        for page in pages(store, label):
            for fields in page:
                graph.add_node(fields["id"], label=label, **_plain(fields))
    for label in LABELS:
        leaving = [edge for pairs in EDGES.values() for edge in pairs if edge.source == label]
        ids = [id for id, its in graph.nodes(data="label") if its == label]
        for edge in leaving:
            for fields in edges_from(store, edge, ids):
                source, target = fields.pop("source"), fields.pop("target")
                graph.add_edge(source, target, type=edge.name, **_plain(fields))
    if around is None:
        return graph
    near: set[str] = set()
    for start in _named(graph, around):
        near |= set(nx.ego_graph(graph, start, radius=hops, undirected=True))
    return graph.subgraph(near).copy()


def write(graph: Drawn, path: Path) -> None:
    """Write a graph in the form that the end of the file's name says; `InvalidInput` for others."""
    import networkx as nx  # noqa: PLC0415 - an extra

    if path.suffix not in FORMATS:
        raise InvalidInput(
            f"{path.name} does not name a graph format: end it with {', '.join(FORMATS)}"
        )
    if path.exists():
        raise InvalidInput(f"{path} exists: give another name, or remove it")
    if path.suffix == ".cypher":
        path.write_text("".join(_statements(graph)), "utf-8")
        return
    flat = graph.copy()
    for _, fields in flat.nodes(data=True):
        fields.update({name: _text(value) for name, value in fields.items()})
    if path.suffix == ".gexf":
        for _, fields in flat.nodes(data=True):
            # In GEXF these belong to the format.
            fields["kind"], fields["label"] = fields.pop("label"), fields.get("name", "")
        for *_, fields in flat.edges(data=True):
            fields["label"] = fields.pop("type")
        nx.write_gexf(flat, path)
    else:
        nx.write_graphml(flat, path)


def _named(graph: Drawn, names: Iterable[str]) -> Iterator[str]:
    for wanted in names:
        folded = wanted.removeprefix("meridia://").casefold()
        found = [
            id
            for id, fields in graph.nodes(data=True)
            if folded
            in (id.casefold(), str(fields.get("name")).casefold(), f"@{fields.get('seq')}")
        ]
        if not found:
            raise NotFound(f"no node of the graph is called {wanted!r}: give an id, @N or a name")
        yield from found


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return properties without times of any engine's own type: as ISO text."""
    return {
        name: value.isoformat() if hasattr(value, "isoformat") else value
        for name, value in fields.items()
    }


def _text(value: Any) -> Any:
    return "; ".join(map(str, value)) if isinstance(value, list) else value


def _statements(graph: Drawn) -> Iterator[str]:
    """Yield statements that make the graph in any database of Cypher, one a line."""
    for _, fields in graph.nodes(data=True):
        yield f"CREATE (:{fields['label']} {_map(fields, 'label')});\n"
    labels = dict(graph.nodes(data="label"))
    for source, target, fields in graph.edges(data=True):
        ends = (
            f"({v}:{labels[id]} {{id: {_literal(id)}}})"
            for v, id in zip("ab", (source, target), strict=True)
        )
        made = f"(a)-[:{fields['type']} {_map(fields, 'type')}]->(b)"
        yield f"MATCH {', '.join(ends)} CREATE {made};\n"


def _map(fields: Mapping[str, Any], without: str) -> str:
    pairs = (f"{name}: {_literal(value)}" for name, value in fields.items() if name != without)
    return f"{{{', '.join(pairs)}}}"


def _literal(value: Any) -> str:
    """Return a value as a literal of Cypher, whose texts are those of JSON."""
    return json.dumps(value, ensure_ascii=False)
