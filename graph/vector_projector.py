"""The vectors of experiences in a graph whose engine has an index of vectors: Neo4j.

They are written when a statement asks for them, so that projecting costs nothing more. They are
copies of what is recorded beside the journal, and so no part of the digest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol, TypeVar, runtime_checkable

from ..core.ports import GraphStore
from ..storage.vectors import VectorTable
from .batch_writer import Run
from .cypher_loader import cypher
from .schema import BOOKKEEPING, for_label

_Answer = TypeVar("_Answer")

#: Sequences of one transaction: about 10 MB of memory on the server.
_BATCH = 1_000


@runtime_checkable
class VectorGraph(GraphStore, Protocol):
    """A graph whose engine has an index of vectors."""

    def write(self, work: Callable[[Run], _Answer]) -> _Answer:
        """Run statements of ours in a write transaction, which may be tried again."""
        ...


def asks_for_vectors(statement: str) -> bool:
    """Say whether a statement may look at vectors."""
    text = statement.lower()
    return "embedding" in text or "vector" in text


def project_vectors(table: VectorTable, store: VectorGraph, model: str, until: int) -> int:
    """Write the vectors of `model` up to a sequence that the graph holds; return how many.

    Of a long text, the vector of its first part. Vectors of another model are removed first.
    """
    store.write(lambda run: run(cypher("schema/index_vectors"), {}))
    after = store.write(partial(_start, model=model))
    written = 0
    while after < until:
        end = min(after + _BATCH, until)
        seqs, rows = table.between(model, after, end)
        # Parts stand in order: the last that is put in is the first of its text.
        vectors = dict(zip(map(str, seqs[::-1]), rows[::-1].tolist(), strict=True))
        values = {"after": after, "until": end, "vectors": vectors}
        written += store.write(partial(_write, model=model, values=values))
        after = end
    store.run(cypher("schema/await_indexes"), {})
    return written


def _start(run: Run, model: str) -> int:
    """Return how far the vectors of a model have come; those of another are removed."""
    (position,) = run(for_label("neo4j/vectors_position", BOOKKEEPING), {})
    if position["model"] == model:
        return int(position["seq"])
    run(cypher("neo4j/remove_vectors"), {})
    run(for_label("neo4j/move_vectors", BOOKKEEPING), {"seq": 0, "model": model})
    return 0


def _write(run: Run, model: str, values: Mapping[str, Any]) -> int:
    (answer,) = run(cypher("neo4j/set_vectors"), values) if values["vectors"] else ({"written": 0},)
    run(for_label("neo4j/move_vectors", BOOKKEEPING), {"seq": values["until"], "model": model})
    return int(answer["written"])
