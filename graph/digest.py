"""A hash of one space's graph, computed from what is read back from the engine.

Two engines with the same graph have the same digest, and so has a rebuilt graph. Only Meridia's
labels, edge types and properties are read; other data in the same database does not count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.ports import GraphStore
from .schema import EDGES, LABELS, EdgeType, for_edge, for_label

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
    """Read the whole graph once, a page at a time, and hash it.

    Each label and edge type has a hash of its own over one JSON text a line, in order of id or of
    ends, with instants as UTC text and without absent properties; the digest is the hash of them.
    """
    sums: dict[str, _Sum] = {name: _Sum() for name in (*LABELS, *EDGES)}
    for label in LABELS:
        leaving = [edge for pairs in EDGES.values() for edge in pairs if edge.source == label]
        for page in pages(store, label):
            sums[label].add(page)
            ids = [fields["id"] for fields in page]
            for edge in leaving:
                sums[edge.name].add(edges_from(store, edge, ids))
    total = hashlib.blake2b(digest_size=32)
    for name in sorted(sums):
        total.update(_line([name, sums[name].count, sums[name].hash.hexdigest()]))
    counts = {name: total_of.count for name, total_of in sums.items() if total_of.count}
    return Digest(
        total.hexdigest(),
        {name: number for name, number in counts.items() if name in LABELS},
        {name: number for name, number in counts.items() if name in EDGES},
    )


def count(store: GraphStore) -> Counts:
    """Count a space's nodes and edges."""
    nodes = {label: store.run(for_label("read/count_nodes", label), {}) for label in LABELS}
    edges = {
        type: sum(store.run(for_edge("read/count_edges", edge), {}).rows[0][0] for edge in pairs)
        for type, pairs in EDGES.items()
    }
    return Counts(
        {label: table.rows[0][0] for label, table in nodes.items() if table.rows[0][0]},
        {type: number for type, number in edges.items() if number},
    )


class _Sum:
    """The running hash of one label or edge type."""

    def __init__(self) -> None:
        self.hash = hashlib.blake2b(digest_size=32)
        self.count = 0

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        for row in rows:
            self.hash.update(_line(row))
            self.count += 1


def edges_from(store: GraphStore, edge: EdgeType, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return the edges that leave a page of nodes, in order of their ends."""
    table = store.run(for_edge("read/edges_from", edge), {"ids": ids})
    edges = [_fields(table.columns, row) for row in table.rows]
    return sorted(edges, key=lambda edge: (edge["source"], edge["target"]))


def pages(store: GraphStore, label: str) -> Iterator[list[dict[str, Any]]]:
    """Yield the properties of the nodes of a label, in order of id, a page at a time."""
    statement, after = for_label("read/page_of_nodes", label), ""
    while True:
        table = store.run(statement, {"after": after, "limit": _PAGE})
        page = [_fields(table.columns, row) for row in table.rows]
        if not page:
            return
        yield page
        after = page[-1]["id"]


def _fields(columns: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    return {name: value for name, value in zip(columns, row, strict=True) if value is not None}


def _line(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8") + b"\n"
