"""The methods of `Memory` for maintenance: verify, diagnose, rebuild, copy.

They change nothing that was captured. `meridia.restore` reads backups and archives back.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.calls.arguments import checked
from ..core.results.results import Listing
from ..core.time import within
from ..core.types import Space
from ..storage.copies import archive, backup
from ..storage.forgetting import receipts
from . import digest, maintenance, projector

if TYPE_CHECKING:
    from ..core.ports import Finding, GraphStore
    from ..core.settings import Settings
    from ..core.types import Payload
    from ..storage.copies.backup import CopiedJournal
    from ..storage.projections.catalog import ActivitySummary
    from ..storage.store import Store
    from ..storage.trace import TraceEntry
    from ..storage.upkeep import Diagnosis
    from .adjacency import Adjacency
    from .digest import Digest

Progress = Callable[[int, int], None]
#: A query brings the graph up to date for so long, seconds, unless it is told to wait.
_PROJECT_S = 0.5
#: What a graph lacks is counted so far.
_MISSING_MAX = 1_000


@checked
class MemoryUpkeep:
    """Looks after one space of an open journal file; `Memory` is one."""

    space: Space
    settings: Settings
    _file: Store

    @property
    @abstractmethod
    def adjacency(self) -> Adjacency:
        """The adjacency projection."""

    @abstractmethod
    def graph(self) -> GraphStore:
        """Return the graph store of the space."""

    @abstractmethod
    def status(self, graph: bool = False) -> maintenance.Status:
        """Return where the space stands; with `graph`, the graph's cursor too."""

    @abstractmethod
    def _catch_up(self, wait_s: float | None = None) -> Sequence[str]:
        """Bring the indexes up to date, wait for enrichment if asked to; say what is missing."""

    @abstractmethod
    def _drop_caches(self) -> None:
        """Read again, on the next use, whatever is held in memory of the file."""

    def verify(self, *, quick: bool = False) -> Sequence[Finding]:
        """Return the damage found in the file, the space's chain and, unless `quick`, its lists."""
        return maintenance.verify_spaces(self._file, [self.space], quick=quick)[self.space]

    def check_receipt(self, receipt: Mapping[str, Any]) -> list[str]:
        """Return what is wrong with the receipt of a forgetting; nothing where it is true.

        This journal made it, it was not changed since, and what it names is gone. Raises
        `InvalidInput` for an object that is no receipt.
        """
        return receipts.receipt_problems(self._file, receipt)

    def doctor(self, *, quick: bool = False) -> Sequence[Diagnosis]:
        """Return what is wrong with the space, what it means, and the command that mends it.

        Damage as `verify` finds it, projections behind or ahead, rights of the file, room on its
        disk, clocks and leases. Nothing is changed.
        """
        return maintenance.diagnose(self._file, self.space, self.status(graph=True), quick=quick)

    def trace(self, after: int = 0) -> Iterator[TraceEntry]:
        """Yield what was done in the space, oldest first: captures, recalls, refusals, calls."""
        return self._file.trace.read(self.space, after)

    def spaces(self) -> list[Space]:
        """Return the spaces of the journal that hold anything."""
        return self._file.journal.spaces()

    def sessions(self) -> Listing[ActivitySummary]:
        """Return the sessions of the space in the order they began, by id."""
        rows = self._file.catalog.sessions(self.space)
        return Listing(rows, "session", lambda each: each.line, lambda each: each.to_dict())

    def project(
        self,
        progress: Progress = lambda done, total: None,
        should_continue: Callable[[], bool] = lambda: True,
    ) -> int:
        """Bring the graph of the space up to date; return how many entries were applied.

        In batches: what is missing when `should_continue()` ends stays so.
        """
        given = self.graph(), self.space, self.settings.graph.batch, progress, should_continue
        return projector.project(self._file.journal, *given)

    def _project_within(self, wait_s: float) -> str | None:
        """Bring the graph up to date in a moment, or `wait_s` seconds; say what it still lacks."""
        self.project(should_continue=within(max(wait_s, _PROJECT_S)))
        missing = len(self._file.journal.read(self.space, self.graph().cursor().seq, _MISSING_MAX))
        if not missing:
            return None
        number = f"{missing:,} or more" if missing == _MISSING_MAX else f"{missing:,}"
        return f"the graph lacks the newest {number} entries of the journal"

    def digest(self) -> Digest:
        """Return the digest of the space's graph, brought up to date and read back."""
        batch = self.settings.graph.batch
        return maintenance.current_digest(self._file, self.space, self.graph(), batch)

    def graph_counts(self) -> dict[str, int]:
        """Return how many nodes of each label and edges of each type the space's graph has."""
        self._catch_up()
        self.project()
        counts = digest.count(self.graph())
        return {**counts.nodes, **counts.edges}

    def rebuild(
        self, progress: Progress = lambda done, total: None, *, additions: bool = False
    ) -> None:
        """Drop every projection of the space and build it again; no model is asked.

        Raises `Refused` where others added to its nodes in Neo4j; `additions` drops that too.
        """
        graph = self.graph() if additions else maintenance.unchanged(self.graph(), self.space)
        batch = self.settings.graph.batch
        maintenance.rebuild_space(self._file, self.space, self.adjacency, graph, batch, progress)
        self._drop_caches()

    def backup(
        self, path: os.PathLike[str] | str, progress: Progress = lambda done, total: None
    ) -> CopiedJournal:
        """Write a checked copy of the journal's file, with all its spaces, to a new file `path`.

        Others read and write meanwhile; what was acknowledged before is in it. Raises
        `InvalidInput` where `path` exists, `Damaged` where the copy is not whole.
        """
        return backup.back_up(self._file, Path(path), progress)

    def export(self, spaces: Sequence[str] | None = None) -> Iterator[str]:
        """Yield an archive as JSON lines: of some spaces, by default of all; see docs/backup.md."""
        chosen = self._file.journal.spaces() if spaces is None else [Space(s) for s in spaces]
        return archive.archive_lines(self._file, chosen)

    def export_events(
        self, person: str | None = None, session: str | None = None
    ) -> Iterator[Payload]:
        """Yield the space's events in the form that `capture` takes, in order, without forgotten.

        With `person`, those that have that name; with `session`, those of that session.
        """
        return archive.events(self._file, self.space, person, session)
