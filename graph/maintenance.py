"""Maintenance of one space: its status and diagnosis, the rebuild of its projections, its digest.

Dropping and rebuilding asks no model: embeddings are recorded outputs and stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..core.errors import Refused, StorageFull, Unavailable
from ..core.ports import Finding, FindingKind, GraphStore
from ..core.text import counted
from ..core.types import Seq, Space
from ..storage.copies.comparison import damaged_vectors, drop_damaged, fingerprints, private_copy
from ..storage.sinks.sink_state import SinkStatus
from ..storage.store import IngestCounts, Store
from ..storage.upkeep import Diagnosis, explain, of_file, rebuild_lists, refresh_readings, verify
from .adjacency import Adjacency
from .digest import Digest, digest
from .projector import project, rebuild

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Status:
    """Where a space stands: the journal's end, what is in it, and each projection's cursor."""

    space: Space
    seq: Seq
    entries: Mapping[str, int]
    experiences: Mapping[str, int]
    cursors: Mapping[str, int]
    tally: IngestCounts
    notes: Sequence[str] = ()
    sinks: Sequence[SinkStatus] = ()

    def lag(self, projection: str) -> int:
        """Return how many journal sequences a projection is behind."""
        return self.seq - self.cursors[projection]


def status(
    file: Store,
    space: Space,
    adjacency: Adjacency,
    enriched: int,
    open_graph: Callable[[], GraphStore] | None,
    sinks: Sequence[SinkStatus] = (),
) -> Status:
    """Read where a space stands; a graph that cannot be opened is a note, not a failure."""
    head = file.journal.head(space).seq
    space_store = file.space(space)
    indexed = head if space_store.full_text.is_made else 0
    cursors = {"search": indexed, "enrichment": enriched, "adjacency": adjacency.cursor(space)}
    notes = []
    if open_graph is not None:
        try:
            cursors["graph"] = int(open_graph().cursor().seq)
        except (Unavailable, StorageFull) as error:
            notes.append(f"graph: {error}")
    counts, kinds = file.journal.count(space), file.catalog.kinds(space)
    return Status(space, head, counts, kinds, cursors, space_store.tally(), notes, sinks)


def rebuild_space(
    file: Store,
    space: Space,
    adjacency: Adjacency,
    store: GraphStore,
    batch: int,
    progress: Progress = lambda done, total: None,
) -> None:
    """Drop and rebuild every projection of a space: lists, search, adjacency, graph.

    Vectors stay, but for damaged ones: the next enrichment makes those again.
    """
    rebuild_lists(file, space)
    drop_damaged(file.space(space))
    adjacency.clear(space)
    adjacency.catch_up(space)
    rebuild(file.journal, store, space, batch, progress)


def verify_spaces(
    file: Store, spaces: Sequence[Space], *, quick: bool = False
) -> dict[Space, list[Finding]]:
    """Return what is damaged, by space: file and chains, and, unless `quick`, what is listed.

    What is listed is looked at only where the journal is whole: it is compared with the journal.
    """
    by_space = {space: list(verify(file, space)) for space in spaces}
    if not quick and not any(by_space.values()):
        for finding in projection_findings(file, spaces):
            by_space[finding.space].append(finding)
    return by_space


def projection_findings(file: Store, spaces: Sequence[Space]) -> list[Finding]:
    """Build the lists, full text and edges of spaces again in a copy of the file, and compare.

    What is only behind the journal is brought up to date first: that is no damage.
    """
    findings = []
    with private_copy(file) as copy:
        adjacency = Adjacency(copy)
        for space in spaces:
            copy.space(space).full_text.make()
            adjacency.catch_up(space)
            refresh_readings(copy, space)
            before = fingerprints(copy, space)
            rebuild_lists(copy, space)
            adjacency.clear(space)
            adjacency.catch_up(space)
            after = fingerprints(copy, space)
            differing = [name for name, hash in before.items() if after[name] != hash]
            if count := sum(map(len, damaged_vectors(copy.space(space)))):
                differing.append(f"vectors of {count} texts")
            findings += [
                Finding(
                    space,
                    None,
                    f"{name}: not what the journal gives: run `meridia rebuild`",
                    FindingKind.LIST,
                )
                for name in differing
            ]
    return findings


def unchanged(store: GraphStore, space: Space) -> GraphStore:
    """Return a store; raise `Refused` where others added to its nodes what would go with them."""
    if added := store.additions():
        raise Refused(
            f"a rebuild would remove what others added to the nodes of space {space!r}: {added}. "
            "Nothing was changed; `meridia rebuild --yes` removes it"
        )
    return store


def current_digest(file: Store, space: Space, store: GraphStore, batch: int) -> Digest:
    """Return the digest of a space's graph, brought up to date first."""
    project(file.journal, store, space, batch)
    return digest(store)


#: Projection → the command that brings it up to date.
_COMMANDS = {"graph": "meridia query 'RETURN 1'"}


def diagnose(file: Store, space: Space, status: Status, *, quick: bool = False) -> list[Diagnosis]:
    """Return what is wrong with a space; `status` is its own, with the graph."""
    try:
        damage = [explain(finding) for finding in verify_spaces(file, [space], quick=quick)[space]]
    except StorageFull as error:
        damage = [
            Diagnosis(str(error), "the check for damage needs room for a copy of the journal")
        ]
    return [*damage, *of_file(file, space), *_of_projections(status), *_of_sinks(status)]


def _of_projections(status: Status) -> Iterator[Diagnosis]:
    for name in status.cursors:
        lag = status.lag(name)
        if lag > 0:
            yield Diagnosis(
                f"{name} is {counted(lag, 'sequence')} behind the journal",
                "the newest entries are not in it yet; it catches up when it is used",
                _COMMANDS.get(name, "meridia enrich"),
            )
        elif lag < 0:
            yield Diagnosis(
                f"{name} is {-lag} sequences ahead of the journal",
                "it was built from a newer journal: this file is an older copy",
                "meridia rebuild",
                damage=True,
            )
    for note in status.notes:
        yield Diagnosis(note, "the graph cannot be queried; everything else works")


def _of_sinks(status: Status) -> Iterator[Diagnosis]:
    for sink in status.sinks:
        if not sink.is_configured:
            yield Diagnosis(
                f"{sink.name} has copies, but the settings no longer name it",
                "forgettings do not reach its copies: name it in the settings, or empty it",
            )
        if sink.failures:
            yield Diagnosis(
                f"{sink.name} failed {sink.failures} times: {sink.error}",
                f"it lacks {sink.lag} sequences, and is tried again at {sink.retry_at:%H:%M} UTC",
                "meridia sinks sync",
            )
        if sink.forgettings:
            yield Diagnosis(
                f"{sink.name} has not received {sink.forgettings} forgettings",
                "it may still have memories that were forgotten here",
                "meridia sinks sync",
            )
