"""The statements of one batch, the same for every engine: what to run with which rows.

Mutations are folded first, so that a node named by many entries is written once, and then split
into statements of bounded size. This module talks to no engine: its caller passes a function that
runs a statement.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from ..core.errors import Damaged, outdated
from ..core.ports import Head
from ..core.types import Mutation, NodeUpsert, Seq
from .schema import (
    BOOKKEEPING,
    INDEXED_PROPERTIES,
    LABELS,
    MEMORY,
    PROJECTION_VERSION,
    EdgeType,
    cypher,
    for_edge,
    for_label,
    for_property,
)

#: Runs one statement in the open transaction and returns its rows; knows `$space`.
Run = Callable[[str, Mapping[str, Any]], list[dict[str, Any]]]

#: Rows of one statement. More would only cost memory: Neo4j holds a statement's changes in it.
_ROWS_MAX = 5_000
_EDGES_MAX = 20_000
#: What writes nodes that are new, and those that may be there.
_NODES_BY = "neo4j/create_nodes", "neo4j/upsert_nodes"
_REMOVED_MAX = 1_000

#: Properties by label and id, and by edge type (with the labels it joins) and ends.
_Nodes: TypeAlias = dict[str, dict[str, dict[str, Any]]]
_Edges: TypeAlias = dict[EdgeType, dict[tuple[str, str], dict[str, Any]]]

#: Type, source and target.
_Edge: TypeAlias = tuple[str, str, str]

#: Label and id of a node.
NodeKey: TypeAlias = tuple[str, str]
#: Type of an edge, and both ends.
EdgeKey: TypeAlias = tuple[str, NodeKey, NodeKey]

_Item = TypeVar("_Item")
_Key = TypeVar("_Key", bound=Hashable)


@dataclass(slots=True)
class Batch:
    """Collects what one transaction shall write; a `GraphWriter` of both engines."""

    mutations: list[Mutation] = field(default_factory=list)
    removed: tuple[Sequence[NodeKey], Sequence[EdgeKey]] = ((), ())
    head: Head | None = None
    begun: int | None = None

    def __bool__(self) -> bool:
        return bool(self.mutations or any(self.removed) or self.head)

    def remove(self, nodes: Sequence[NodeKey], edges: Sequence[EdgeKey]) -> None:
        """Remove edges, then nodes with theirs, before anything else is written."""
        self.removed = nodes, edges

    def apply(self, mutations: Sequence[Mutation]) -> None:
        """Upsert nodes, then edges; an edge whose ends are missing is an error at the end."""
        self.mutations.extend(mutations)

    def move_cursor(self, to: Head, begun: int | None = None) -> None:
        """Record that every entry up to and including `to` has been applied."""
        self.head, self.begun = to, begun


@dataclass(frozen=True, slots=True)
class Position:
    """How far a projection has come, which version and engine made it, and where it was begun."""

    head: Head
    version: int
    engine: str
    begun: int = 0

    def is_current(self, engine: str) -> bool:
        """Return whether the projection at this position can be kept.

        Raises `Refused` where a newer version made it: the two would make it anew by turns.
        """
        if self.version > PROJECTION_VERSION:
            raise outdated("this graph", "version", self.version, PROJECTION_VERSION)
        return (self.version, self.engine) == (PROJECTION_VERSION, engine)


def schema_statements() -> list[str]:
    """Return the statements that create every constraint and index; each may run again."""
    keyed = [for_label("schema/unique_id", label) for label in (*LABELS, BOOKKEEPING)]
    by_space = [for_label("schema/index_space", label) for label in LABELS]
    return [*keyed, *by_space, *index_statements()]


def index_statements() -> list[str]:
    """Return the statements that create the indexes which every engine has."""
    by_name = [
        for_property("schema/index_property", label, name)
        for label, names in INDEXED_PROPERTIES.items()
        for name in names
    ]
    return [*by_name, cypher("schema/index_text")]


def write(
    run: Run, batch: Batch, engine: str, apply: Callable[[Run, Sequence[Mutation]], None]
) -> None:
    """Write a batch in a claimed transaction; `apply` is `apply` or `apply_by_key`."""
    remove(run, *batch.removed)
    apply(run, batch.mutations)
    if batch.head is not None:
        move(run, batch.head, PROJECTION_VERSION, engine, batch.begun)


def apply(run: Run, mutations: Sequence[Mutation]) -> None:
    """Write nodes, then edges; raise `Damaged` for an edge whose ends are not there."""
    nodes, edges = _folded(mutations)
    for label, by_id in nodes.items():
        name = "upsert_memories" if LABELS[label].recalled else "upsert_nodes"
        for ids in _chunks(list(by_id)):
            defaults = {"defaults": LABELS[label].defaults}
            rows = [{"id": id, "properties": by_id[id], **defaults} for id in ids]
            run(for_label(f"write/{name}", label), {"rows": rows})
    for edge, by_ends in edges.items():
        for ends in _chunks(list(by_ends)):
            rows = [_edge_row(pair, by_ends[pair]) for pair in ends]
            written = run(for_edge("write/upsert_edges", edge), {"rows": rows})
            _check_edges([(edge.name, *pair) for pair in ends], written)


def remove(run: Run, nodes: Sequence[NodeKey], edges: Sequence[EdgeKey]) -> None:
    """Remove edges, then nodes with all theirs; what is not there is none."""
    by_type: dict[EdgeType, list[dict[str, str]]] = defaultdict(list)
    for type, (source_label, source), (target_label, target) in edges:
        by_type[EdgeType(type, source_label, target_label)].append(
            {"source": source, "target": target}
        )
    for edge, rows in by_type.items():
        run(for_edge("write/remove_edges", edge), {"rows": rows})
    for label in dict.fromkeys(label for label, _ in nodes):
        ids = [id for own, id in nodes if own == label]
        run(for_label("write/remove_named", label), {"ids": ids})


def apply_by_key(
    run: Run, mutations: Sequence[Mutation], labels: Sequence[str], written: set[int] | None
) -> None:
    """Do the same with one plan for all labels, and one for all types: planning is what costs.

    `labels` are further ones of every node. `written` holds the hashes of all that was written
    since the graph was empty, and gets those of this batch: nothing else is there, so that what is
    new need not be looked for. None where the graph held something before.
    """
    nodes, edges = _folded(mutations)
    kinds = {label: place for place, label in enumerate(nodes)}
    all_labels = [[k, *labels, *([MEMORY] if LABELS[k].recalled else [])] for k in kinds]
    by_node = {(k, id): values for k, by_id in nodes.items() for id, values in by_id.items()}
    for statement, chosen in zip(_NODES_BY, _split(by_node, written), strict=True):
        for chunk in _chunks(chosen):
            new = [
                [kinds[label], id, by_node[label, id], LABELS[label].defaults]
                for label, id in chunk
            ]
            run(cypher(statement), {"rows": new, "labels": all_labels})
    by_edge: dict[_Edge, dict[str, Any]] = {
        (edge.name, *ends): values
        for edge, by_ends in edges.items()
        for ends, values in by_ends.items()
    }
    fresh, others = _split(by_edge, written)
    for some in _chunks(fresh, _EDGES_MAX):
        _check_edges(some, run(cypher("neo4j/create_edges"), _columns(some, by_edge)))
    for some in _chunks(others):
        rows = [{"type": edge[0], **_edge_row(edge[1:], by_edge[edge])} for edge in some]
        _check_edges(some, run(cypher("neo4j/upsert_edges"), {"rows": rows}))


def _split(items: Iterable[_Key], written: set[int] | None) -> tuple[list[_Key], list[_Key]]:
    """Return what is new for sure, and what may be there; all of it counts as written then."""
    if written is None:
        return [], list(items)
    fresh: list[_Key] = []
    others: list[_Key] = []
    for item in items:
        (others if hash(item) in written else fresh).append(item)
    written.update(map(hash, fresh))
    return fresh, others


def _columns(edges: Sequence[_Edge], by_edge: Mapping[_Edge, Mapping[str, Any]]) -> dict[str, Any]:
    """Return edges as numbers, with the lists that these count in: little to send."""
    ids: dict[str, int] = {}
    types: dict[str, int] = {}
    times: dict[Any, int] = {}
    rows = []
    for edge in edges:
        type, source, target = edge
        values = by_edge[edge]
        numbers = [types.setdefault(type, len(types))]
        numbers += [ids.setdefault(id, len(ids)) for id in (source, target)]
        numbers.append(times.setdefault(values.get("since"), len(times)))
        rows.append([*numbers, *map(values.get, ("source_seq", "weight", "kind"))])
    return {"ids": list(ids), "types": list(types), "times": list(times), "rows": rows}


def _folded(mutations: Sequence[Mutation]) -> tuple[_Nodes, _Edges]:
    """Return the properties of each node by label and id, and of each edge by type and ends."""
    nodes: _Nodes = {}
    edges: _Edges = {}
    for change in mutations:
        if isinstance(change, NodeUpsert):
            folded = nodes.setdefault(change.label, {}).setdefault(change.id, {})
        else:
            ends = (change.source, change.target)
            edge = EdgeType(change.type, change.source_label, change.target_label)
            folded = edges.setdefault(edge, {}).setdefault(ends, {})
        folded.update(change.properties)
        # The statement sets the space itself, once for all rows.
        folded.pop("space", None)
    return nodes, edges


def _edge_row(ends: tuple[str, str], properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a statement that writes edges."""
    return {"source": ends[0], "target": ends[1], "properties": properties}


def _check_edges(edges: Sequence[_Edge], answer: Sequence[Mapping[str, Any]]) -> None:
    """Raise `Damaged` where fewer edges were written than were to be."""
    missing = len(edges) - int(answer[0]["written"])
    if missing:
        types = ", ".join(dict.fromkeys(edge[0] for edge in edges))
        raise Damaged(
            f"{missing} of {len(edges)} {types} edges have an end that is not in the graph: "
            "nothing of this batch was written; `meridia rebuild` builds the graph again"
        )


def position(run: Run) -> Position | None:
    """Read the space's bookkeeping node; None where nothing was ever projected."""
    return _position(run(for_label("read/projection", BOOKKEEPING), {}))


def _position(rows: Sequence[Mapping[str, Any]]) -> Position | None:
    if not rows:
        return None
    row = rows[0]
    # Absent where a version wrote it that did not keep it: then it is no journal's.
    head = Head(Seq(row["seq"]), bytes.fromhex(row["hash"] or ""))
    return Position(head, row["version"], row["engine"], row["begun"] or 0)


def claim(run: Run, engine: str) -> Position:
    """Make or lock the space's bookkeeping node for this transaction, and read it."""
    made_by = {"version": PROJECTION_VERSION, "engine": engine}
    claimed = _position(run(for_label("write/claim_projection", BOOKKEEPING), made_by))
    if claimed is None:
        raise Damaged("the graph has lost its cursor: `meridia rebuild` builds it again")
    return claimed


def move(run: Run, to: Head, version: int, engine: str, begun: int | None = None) -> None:
    """Set the space's bookkeeping node; `begun` stays where none is given."""
    values = {"seq": to.seq, "hash": to.hash.hex(), "version": version, "engine": engine}
    run(for_label("write/move_projection", BOOKKEEPING), {**values, "begun": begun})


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


def _chunks(items: Sequence[_Item], size: int = _ROWS_MAX) -> Iterator[Sequence[_Item]]:
    """Cut `items` into what one statement takes."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
