"""A fingerprint of one space's graph, computed from what is read back from the engine.

Two engines that hold the same graph give the same digest, and so does a rebuilt graph. Only our
own labels, edge types and properties are read; what others keep in the same database is not seen.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..core.ports import GraphStore
from .schema import EDGES, LABELS, for_edge, for_label

#: Nodes read at once; the edges that leave them are read together.
_PAGE = 2_000


@dataclass(frozen=True, slots=True)
class Counts:
    """How many nodes of each label and edges of each type a space has; zeros are left out."""

    nodes: Mapping[str, int]
    edges: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Digest:
    """The fingerprint of a graph (BLAKE2b, 256 bits, hexadecimal) and what it covers."""

    hash: str
    nodes: Mapping[str, int]
    edges: Mapping[str, int]


def digest(store: GraphStore) -> Digest:
    """Read the whole graph in a fixed order, a page at a time, and hash it.

    One JSON text a line: nodes by label and id, then edges by type and ends; instants as UTC text,
    absent properties left out.
    """
    hashed = hashlib.blake2b(digest_size=32)
    nodes: dict[str, int] = {}
    edges: dict[str, int] = {}
    for counts, rows in ((nodes, _nodes(store)), (edges, _edges(store))):
        for kind, fields in rows:
            counts[kind] = counts.get(kind, 0) + 1
            hashed.update(_line([kind, fields]))
    return Digest(hashed.hexdigest(), nodes, edges)


def count(store: GraphStore) -> Counts:
    """Count a space's nodes and edges."""
    nodes = {label: store.run(for_label("read/count_nodes", label), {}) for label in LABELS}
    edges = {type: store.run(for_edge("read/count_edges", type), {}) for type in EDGES}
    return Counts(
        {label: table.rows[0][0] for label, table in nodes.items() if table.rows[0][0]},
        {type: table.rows[0][0] for type, table in edges.items() if table.rows[0][0]},
    )


def _nodes(store: GraphStore) -> Iterator[tuple[str, dict[str, Any]]]:
    for label in sorted(LABELS):
        for page in _pages(store, label):
            for fields in page:
                yield label, fields


def _edges(store: GraphStore) -> Iterator[tuple[str, dict[str, Any]]]:
    for type in sorted(EDGES):
        statement = for_edge("read/edges_from", type)
        for page in _pages(store, EDGES[type].source):
            table = store.run(statement, {"ids": [fields["id"] for fields in page]})
            found = [_fields(table.columns, row) for row in table.rows]
            for fields in sorted(found, key=lambda edge: (edge["source"], edge["target"])):
                yield type, fields


def _pages(store: GraphStore, label: str) -> Iterator[list[dict[str, Any]]]:
    statement, after = for_label("read/page_of_nodes", label), ""
    while True:
        table = store.run(statement, {"after": after, "limit": _PAGE})
        page = [_fields(table.columns, row) for row in table.rows]
        if not page:
            return
        yield page
        after = page[-1]["id"]


def _fields(columns: Any, row: Any) -> dict[str, Any]:
    return {name: value for name, value in zip(columns, row, strict=True) if value is not None}


def _line(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8") + b"\n"
