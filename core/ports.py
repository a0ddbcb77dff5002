"""The protocols between layers: where one implementation can replace another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from .types import Json, Mutation, Seq, Space
from .vocabulary import Engagement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Head:
    """A place in a space's journal: a sequence (0: before the first) and the chain's hash there."""

    seq: Seq
    hash: bytes


#: Before the first entry.
START = Head(Seq(0), b"")


class FindingKind(StrEnum):
    """What is damaged: it says what mends it."""

    JOURNAL = "journal"
    FILE = "file"
    #: The end of the journal is missing.
    END = "end"
    #: What is made from the journal, which is whole.
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that `verify` found wrong, and where."""

    space: Space
    seq: Seq | None
    problem: str
    kind: FindingKind = FindingKind.JOURNAL


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of a query. `truncated` says that the row limit cut it off."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Json]]
    truncated: bool = False
    notes: Sequence[str] = field(default_factory=tuple)

    def as_json(self) -> dict[str, Json]:
        """Return its rows as plain JSON values."""
        rows = [list(row) for row in self.rows]
        return {"columns": list(self.columns), "rows": rows, "truncated": self.truncated}


@dataclass(frozen=True, slots=True)
class Additions:
    """What others added to the nodes of a projection: edges, and properties or labels by name."""

    edges: int = 0
    names: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.edges or self.names)

    def __str__(self) -> str:
        edges = f"{self.edges} relationship{'' if self.edges == 1 else 's'}"
        return " and ".join([edges] * bool(self.edges) + [", ".join(self.names)] * bool(self.names))


class GraphWriter(Protocol):
    """One open transaction of a graph store."""

    def remove(
        self,
        nodes: Sequence[tuple[str, str]],
        edges: Sequence[tuple[str, tuple[str, str], tuple[str, str]]],
    ) -> None:
        """Remove edges (type and ends), then nodes (label, id) with theirs, before all else."""
        ...

    def apply(self, mutations: Sequence[Mutation]) -> None:
        """Upsert nodes, then edges; an edge whose ends are missing is an error."""
        ...

    def move_cursor(self, to: Head, begun: int | None = None) -> None:
        """Record that every entry up to and including `to` has been applied.

        With the first entries of a graph: where the journal ended when they were read.
        """
        ...


#: Takes a forgetting out of a graph that has all entries before it.
GraphChange: TypeAlias = "Callable[[GraphStore, Space, GraphWriter], None]"


class GraphStore(Protocol):
    """A property graph of one space, kept by an engine. A projection: it can be dropped."""

    name: str
    #: Whether others may keep graphs in the same place: what is there is never replaced unasked.
    shared: bool
    #: What forgettings change, by the ids of their entries, as far as this process knows.
    removals: Mapping[str, GraphChange]

    def ensure_schema(self) -> None:
        """Create constraints and indexes that are missing."""
        ...

    def cursor(self) -> Head:
        """Return the last entry applied; sequence 0 when empty or of another version."""
        ...

    def begun(self) -> int:
        """Return where the journal ended when the graph was begun; 0 where nothing tells that."""
        ...

    def transaction(self) -> AbstractContextManager[GraphWriter]:
        """Open a write transaction: committed on a clean exit, rolled back on an error."""
        ...

    def run(self, statement: str, parameters: Mapping[str, Any]) -> Table:
        """Run one of our own read statements; `$space` is added to the parameters."""
        ...

    def query(
        self,
        statement: str,
        parameters: Mapping[str, Any],
        timeout_s: float,
        row_limit: int,
        *,
        all_spaces: bool = False,
    ) -> Table:
        """Plan a user's statement, refuse what is not harmless, and run it read-only.

        It sees the store's own space; with `all_spaces`, whatever the engine holds.
        """
        ...

    def additions(self) -> Additions:
        """Return what others added to this store's nodes: dropping those takes it along."""
        ...

    def drop(self) -> None:
        """Remove everything this store holds of the space, and nothing else."""
        ...

    def close(self) -> None:
        """Release the engine; what was committed stays."""
        ...


@dataclass(frozen=True, slots=True)
class VectorFilters:
    """What a vector's experience must be like; None means any. Bounds are inclusive.

    `session` is the session's key, `significance_min` 0 to 1, valences -1 to 1.
    """

    session: str | None = None
    significance_min: float | None = None
    engagement: Engagement | None = None
    valence_min: float | None = None
    valence_max: float | None = None


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """A question to a vector source: its text and its unit vector, shape (dimension,).

    At most `limit` experiences may come back, of journal sequences up to `until` and, where
    `among` is given, of those alone. `model` is whose vector it is.
    """

    space: Space
    text: str
    vector: NDArray[np.float32]
    model: str
    limit: int
    until: int
    among: Sequence[int] | None = None
    filters: VectorFilters = VectorFilters()


class VectorSource(Protocol):
    """Finds experiences by meaning: the built-in index, or one that another system holds."""

    @property
    def name(self) -> str:
        """The name in `recall.vector_source` and in traces."""
        ...

    def is_available(self, space: Space) -> bool:
        """Say whether it would answer now, without raising."""
        ...

    def until(self, space: Space) -> int:
        """Return the last journal sequence that it holds the vectors of; 0: it holds none.

        To be asked before a search: one that is filled when it is asked is filled by this. Raises
        `Unavailable` where the source does not answer.
        """
        ...

    def search(self, query: VectorQuery) -> Sequence[tuple[int, float]]:
        """Return journal sequences of experiences and their scores, best first, each once.

        A score is a cosine in [-1, 1], or calibrated to be read as one. Raises `Unavailable` where
        the source does not answer.
        """
        ...
