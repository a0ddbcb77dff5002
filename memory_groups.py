"""The operations of `Memory` by subject, such as `memory.people` and `memory.graph`.

`MOVED` lists the operations that were methods of `Memory` in earlier versions. Their old names work
with a warning until version 1.0.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .components import MemoryComponents, following
from .core.calls.arguments import checked
from .core.errors import Stranger, UnknownPerson
from .core.time import When, read_point, within
from .core.types import Space
from .graph import digest, drawing, maintenance, projector
from .ingest.curation import PeopleCuration
from .resume import relationship_summary
from .storage import cutoff
from .storage.copies import archive, backup
from .storage.forgetting import receipts

if TYPE_CHECKING:
    from .core.people import Directory, Gazetteer
    from .core.ports import Finding, GraphStore
    from .core.types import Payload
    from .graph.digest import Digest
    from .ingest.enrichment.passes import Progress
    from .storage.copies.backup import CopiedJournal
    from .storage.trace import TraceEntry
    from .storage.upkeep import Diagnosis
    from .storage.work import Task

#: A query brings the graph up to date for so long, seconds, unless it is told to wait.
_PROJECT_S = 0.5
#: What a graph lacks is counted so far.
_MISSING_MAX = 1_000
#: What stood on `Memory` before version 0.2 → where it is; `()` marks a group that was called.
MOVED = {
    "people()": "people.known",
    "directory": "people.directory",
    "relationship": "people.relationship",
    "graph()": "graph.store",
    "release_graph": "graph.release",
    "project": "graph.project",
    "digest": "graph.digest",
    "graph_counts": "graph.counts",
    "verify": "upkeep.verify",
    "doctor": "upkeep.doctor",
    "rebuild": "upkeep.rebuild",
    "backup": "upkeep.backup",
    "export": "upkeep.export",
    "export_events": "upkeep.export_events",
    "check_receipt": "upkeep.check_receipt",
    "trace": "upkeep.trace",
    "failures": "upkeep.failures",
    "retry": "upkeep.retry",
}


def moved(memory: object, name: str) -> Any:
    """Return the operation that an old name refers to, with a `DeprecationWarning`."""
    if name not in MOVED:
        raise AttributeError(f"{type(memory).__name__!r} object has no attribute {name!r}")
    _warn(name)
    return attrgetter(MOVED[name])(memory)


def _warn(name: str) -> None:
    message = f"memory.{name} is now memory.{MOVED[name]}: the old name goes with version 1.0"
    warnings.warn(message, DeprecationWarning, stacklevel=4)


@following
@checked
class People(PeopleCuration):
    """The people of one space: their names, the history with each, and merges."""

    def __init__(self, components: MemoryComponents, space: Space) -> None:
        super().__init__(components.file, space)
        self._components = components

    def __call__(self) -> Gazetteer:
        """Return the known people, under the name that was used before version 0.2."""
        _warn("people()")
        return self.known()

    def known(self) -> Gazetteer:
        """Return the people that the space knows."""
        return self._components.people.of(self._space)

    def directory(self) -> Directory:
        """Return the directory of people who speak in the space, with all their names."""
        return self._file.space(self._space).identities.directory()

    def relationship(
        self,
        person: str,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> relationship_summary.RelationshipSummary | Stranger:
        """Return the history shared with a person: meetings, feelings, threads, changes, cautions.

        `as_of` and `known_at` are as in `recall`. The result is a `Stranger` for an unknown
        person; `NotFound` for a person who was not known at that time.
        """
        self._components.catch_up(self._space)
        then = cutoff.cutoff_of(
            self._file, self._space, read_point(as_of, "as_of"), read_point(known_at, "known_at")
        )
        try:
            return relationship_summary.summarise_relationship(
                self._file, self._space, self.known(), person, then
            )
        except UnknownPerson as error:
            return error.stranger


@following
@checked
class Graph:
    """The graph of one space: a projection of the journal, in the engine of the settings."""

    def __init__(self, components: MemoryComponents, space: Space) -> None:
        self._components, self._space = components, space
        self._file, self._batch = components.file, components.settings.graph.batch

    def __call__(self) -> GraphStore:
        """Return the store, under the name that was used before version 0.2."""
        _warn("graph()")
        return self.store()

    def store(self) -> GraphStore:
        """Return the graph store of the space; it is opened on first use."""
        return self._components.graphs.of(self._space)

    def release(self) -> None:
        """Close the space's graph, so that another process may own it."""
        self._components.graphs.release(self._space)

    def project(
        self,
        progress: Progress = lambda done, total: None,
        should_continue: Callable[[], bool] = lambda: True,
    ) -> int:
        """Bring the graph of the space up to date; return how many entries were applied.

        It works in batches, and stops after one if `should_continue()` is false.
        """
        return projector.project(
            self._file.journal, self.store(), self._space, self._batch, progress, should_continue
        )

    def project_within(
        self, wait_s: float, progress: Progress = lambda done, total: None
    ) -> list[str]:
        """Bring the graph up to date within `wait_s` seconds; return notes on what it lacks."""
        self.project(progress, within(max(wait_s, _PROJECT_S)))
        applied = self.store().cursor().seq
        missing = len(self._file.journal.read(self._space, applied, _MISSING_MAX))
        if not missing:
            return []
        self._components.background.notify(self._space)
        number = f"{missing:,} or more" if missing == _MISSING_MAX else f"{missing:,}"
        return [f"the graph lacks the newest {number} entries of the journal"]

    def digest(self) -> Digest:
        """Return the digest of the space's graph, brought up to date and read back."""
        return maintenance.current_digest(self._file, self._space, self.store(), self._batch)

    def networkx(self, around: Sequence[str] | None = None, hops: int = 1) -> Any:
        """Return the graph, up to date, as a `networkx.MultiDiGraph`; needs `meridia[networkx]`.

        With `around`, only nodes at most `hops` edges from the given ones: ids, addresses (`@12`)
        or names. Nodes have `label`, edges `type`, both their properties; times are ISO text.
        The whole graph is in memory. Raises `NotFound` for a name that no node has.
        """
        self._components.catch_up(self._space)
        self.project()
        return drawing.graph_of(self.store(), around, hops)

    def counts(self) -> dict[str, int]:
        """Return how many nodes of each label and edges of each type the space's graph has."""
        self._components.catch_up(self._space)
        self.project()
        counts = digest.count(self.store())
        return {**counts.nodes, **counts.edges}


@following
@checked
class Upkeep:
    """Looks after one space of a journal: verify, diagnose, rebuild, copy, try again.

    Nothing that was captured is changed. `meridia.restore` reads backups and archives back.
    """

    def __init__(self, components: MemoryComponents, space: Space) -> None:
        self._components, self._space, self._file = components, space, components.file

    def verify(self, *, quick: bool = False) -> Sequence[Finding]:
        """Return the damage found in the file, the space's chain and, unless `quick`, its lists."""
        return maintenance.verify_spaces(self._file, [self._space], quick=quick)[self._space]

    def doctor(self, *, quick: bool = False) -> Sequence[Diagnosis]:
        """Return what is wrong with the space, what it means, and the command that repairs it.

        Damage as `verify` finds it, projections behind or ahead, permissions of the file, room on
        its disk, clocks and leases. Nothing is changed.
        """
        status = self._components.status(self._space, graph=True)
        return maintenance.diagnose(self._file, self._space, status, quick=quick)

    def rebuild(
        self, progress: Progress = lambda done, total: None, *, additions: bool = False
    ) -> None:
        """Drop every projection of the space and build it again; no model is asked.

        Raises `Refused` if others added to its nodes in Neo4j; `additions` drops that too.
        """
        parts, store = self._components, self._components.graphs.of(self._space)
        graph = store if additions else maintenance.unchanged(store, self._space)
        maintenance.rebuild_space(
            self._file, self._space, parts.edges, graph, parts.settings.graph.batch, progress
        )
        parts.drop_caches(self._space)

    def backup(
        self, path: os.PathLike[str] | str, progress: Progress = lambda done, total: None
    ) -> CopiedJournal:
        """Write a checked copy of the journal's file, with all its spaces, to a new file `path`.

        Others may read and write meanwhile; everything acknowledged before is in the copy. Raises
        `InvalidInput` if `path` exists, `Damaged` if the copy is damaged.
        """
        return backup.back_up(self._file, Path(path), progress)

    def export(self, spaces: Sequence[str] | None = None) -> Iterator[str]:
        """Yield an archive as JSON lines: of some spaces, by default of all; see docs/backup.md."""
        chosen = self._file.journal.spaces() if spaces is None else [Space(s) for s in spaces]
        return archive.archive_lines(self._file, chosen)

    def export_events(
        self, person: str | None = None, session: str | None = None
    ) -> Iterator[Payload]:
        """Yield the events of the space that are not forgotten, in the form that `capture` takes.

        With `person`, only events of that name; with `session`, only those of that session.
        """
        return archive.events(self._file, self._space, person, session)

    def check_receipt(self, receipt: Mapping[str, Any]) -> list[str]:
        """Return what is wrong with the receipt of a forgetting; empty if it is valid.

        A valid receipt was made by this journal and not changed since, and everything it names is
        erased. Raises `InvalidInput` for an object that is not a receipt.
        """
        return receipts.receipt_problems(self._file, receipt)

    def trace(self, after: int = 0) -> Iterator[TraceEntry]:
        """Yield the decisions in the space, oldest first: captures, recalls, refusals, calls."""
        return self._file.trace.read(self._space, after)

    def failures(self) -> list[Task]:
        """Return the failures of enrichment: those that will be retried, and dead letters."""
        return self._components.model_enrichment.failures(self._space)

    def retry(self) -> int:
        """Let the next `enrich` retry all failures, dead letters too; return how many."""
        return self._components.model_enrichment.retry(self._space)
