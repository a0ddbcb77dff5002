"""The statements of one batch, the same for every engine: what to run with which rows.

Mutations are folded first, so that a node named by many entries is written once, and cut into
statements of bounded size. This module talks to no engine: it is given a way to run a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ..core.errors import Damaged
from ..core.ports import Head
from ..core.types import Mutation, NodeUpsert, Seq
from .cypher_loader import cypher
from .schema import (
    BOOKKEEPING,
    INDEXED_PROPERTIES,
    LABELS,
    PROJECTION_VERSION,
    for_edge,
    for_label,
    for_property,
)

#: Runs one statement in the open transaction and returns its rows; knows `$space`.
Run = Callable[[str, Mapping[str, Any]], list[dict[str, Any]]]

#: Rows of one statement. More would only cost memory: Neo4j holds a statement's changes in it.
_ROWS_MAX = 5_000
_REMOVED_MAX = 1_000

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Position:
    """How far a projection has come, and which version and engine made it."""

    head: Head
    version: int
    engine: str

    def is_current(self, engine: str) -> bool:
        """Say whether what this speaks for can be kept."""
        return (self.version, self.engine) == (PROJECTION_VERSION, engine)


def schema_statements() -> list[str]:
    """Return the statements that create every constraint and index; each may run again."""
    keyed = [for_label("schema/unique_id", label) for label in (*LABELS, BOOKKEEPING)]
    by_space = [for_label("schema/index_space", label) for label in LABELS]
    by_name = [
        for_property("schema/index_property", label, name)
        for label, names in INDEXED_PROPERTIES.items()
        for name in names
    ]
    return [*keyed, *by_space, *by_name, cypher("schema/index_text")]


def apply(run: Run, mutations: Sequence[Mutation]) -> None:
    """Write nodes, then edges; raise `Damaged` for an edge whose ends are not there."""
    nodes: dict[str, dict[str, dict[str, Any]]] = {}
    edges: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
    for change in mutations:
        if isinstance(change, NodeUpsert):
            folded = nodes.setdefault(change.label, {}).setdefault(change.id, {})
        else:
            ends = (change.source, change.target)
            folded = edges.setdefault(change.type, {}).setdefault(ends, {})
        folded.update(change.properties)
        # The statement sets the space itself, once for all rows.
        folded.pop("space", None)
    for label, by_id in nodes.items():
        name = "upsert_memories" if LABELS[label].recalled else "upsert_nodes"
        for ids in _chunks(list(by_id)):
            rows = [{"id": id, "properties": by_id[id]} for id in ids]
            run(for_label(f"write/{name}", label), {"rows": rows})
    for type, by_ends in edges.items():
        for chunk in _chunks(list(by_ends)):
            _apply_edges(run, type, [(ends, by_ends[ends]) for ends in chunk])


def position(run: Run) -> Position | None:
    """Read the space's bookkeeping node; None where nothing was ever projected."""
    rows = run(for_label("read/projection", BOOKKEEPING), {})
    if not rows:
        return None
    row = rows[0]
    # Absent where a version wrote it that did not keep it: then it is no journal's.
    head = Head(Seq(row["seq"]), bytes.fromhex(row["hash"] or ""))
    return Position(head, row["version"], row["engine"])


def claim(run: Run, engine: str) -> Position:
    """Make or lock the space's bookkeeping node for this transaction, and read it."""
    made_by = {"version": PROJECTION_VERSION, "engine": engine}
    run(for_label("write/claim_projection", BOOKKEEPING), made_by)
    claimed = position(run)
    if claimed is None:
        raise Damaged("the graph lost its own bookkeeping: `meridia rebuild` makes it anew")
    return claimed


def move(run: Run, to: Head, version: int, engine: str) -> None:
    """Set the space's bookkeeping node."""
    values = {"seq": to.seq, "hash": to.hash.hex(), "version": version, "engine": engine}
    run(for_label("write/move_projection", BOOKKEEPING), values)


def forget(run: Run) -> None:
    """Remove the space's bookkeeping node."""
    run(for_label("write/forget_projection", BOOKKEEPING), {})


def remove_some(run: Run) -> int:
    """Remove some of the space's nodes with their edges; return how many, 0 when none is left.

    Labels go in the schema's order: once the experiences are gone, no hub has many edges.
    """
    for label in LABELS:
        rows = run(for_label("write/remove_nodes", label), {"limit": _REMOVED_MAX})
        if removed := int(rows[0]["removed"]):
            return removed
    return 0


def _apply_edges(
    run: Run, type: str, edges: Sequence[tuple[tuple[str, str], dict[str, Any]]]
) -> None:
    rows = [
        {"source": source, "target": target, "properties": properties}
        for (source, target), properties in edges
    ]
    written = run(for_edge("write/upsert_edges", type), {"rows": rows})[0]["written"]
    if written != len(rows):
        raise Damaged(
            f"{len(rows) - written} of {len(rows)} {type} edges have an end that is not in the "
            "graph: nothing of this batch was written; `meridia rebuild` makes the graph anew"
        )


def _chunks(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(items), _ROWS_MAX):
        yield items[start : start + _ROWS_MAX]
