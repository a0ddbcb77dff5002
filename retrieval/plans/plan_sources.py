"""Reads what the memory index and the loader need: the documents behind nodes, as of one moment.

Two clocks: a time shows what had happened by then, a journal sequence what was recorded by then.
Nothing later is ever returned. It ranks nothing, shortens nothing and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from ...core.entries import EpisodeSynthesised, ExperienceEnriched
from ...core.errors import InvalidInput
from ...core.events import EventKind, event_of
from ...core.facts import Fact, as_of
from ...core.ids import artifact_id
from ...core.time import from_text
from ...core.types import EntryKind, MemoryRecord, Payload, Seq, Space
from ...storage.cutoff import Cutoff, facts_as_of
from ...storage.edge_table import NodeLink, NodeRef
from ...storage.store import Store
from .plan import TemporalBounds


def temporal_bounds(
    file: Store,
    space: Space,
    as_of: datetime | int | None,
    known_at: datetime | int | None = None,
) -> TemporalBounds:
    """Return the moment of a time, of a journal sequence, of both, or the present.

    `as_of` is a time (what had happened) or a sequence (what was known), `known_at` bounds what was
    known besides. Without a time, a sequence's instant is when it was recorded, so that the same
    question as of the same sequence has the same answer for ever.
    """
    happened = as_of if isinstance(as_of, datetime) else None
    if happened is not None and happened.tzinfo is None:
        raise InvalidInput("as_of has no timezone: add one, such as +00:00")
    bounds = [file.catalog.sequence(space, known_at), as_of if happened is None else None]
    until = min((bound for bound in bounds if isinstance(bound, int)), default=None)
    if happened is not None or until is None:
        return TemporalBounds(happened or file.clock(), happened, until)
    last = file.journal.read(space, max(until - 1, 0), 1)
    return TemporalBounds(last[0].recorded_at if last else file.clock(), None, until)


_BOUNDARY = EventKind.SESSION_BOUNDARY.value


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact, and the memory that stated it."""

    fact: Fact
    memory: MemoryRecord


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """An episode, and when its session ended."""

    episode: EpisodeSynthesised
    ended: datetime


@dataclass(frozen=True, slots=True)
class ArtifactReferences:
    """An artifact as memories describe it, and the memories that refer to it, oldest first."""

    artifact: Payload
    memories: Sequence[MemoryRecord]

    @property
    def is_link(self) -> bool:
        """Whether it is an address of a page."""
        return self.artifact.get("kind") == "link"

    @property
    def has_text(self) -> bool:
        """Whether it is an address, or has words of its own."""
        return self.is_link or bool(self.artifact.get("description"))


class PlanSources:
    """Reads the documents of one space, as they are seen from one moment."""

    def __init__(self, file: Store, space: Space, bounds: TemporalBounds) -> None:
        self.bounds = bounds
        self._file = file
        self._space = space
        self._links = file.space(space).links
        self._memories: dict[int, MemoryRecord] = {}
        self._fetched: set[int] = set()

    def memories(self, seqs: Iterable[int]) -> dict[int, MemoryRecord]:
        """Return the experiences of some sequences that are seen, and that say something.

        Erased ones are not seen any more; the boundary of a session says nothing.
        """
        wanted = {seq for seq in seqs if self.bounds.includes_sequence(seq)}
        if missing := wanted - self._fetched:
            fetched = self._file.catalog.fetch(self._space, sorted(missing))
            self._memories |= {
                seq: memory
                for seq, memory in fetched.items()
                if memory.kind != _BOUNDARY and self.bounds.includes(seq, memory.at)
            }
            self._fetched |= missing
        return {seq: self._memories[seq] for seq in sorted(wanted) if seq in self._memories}

    def events(self, memories: Iterable[MemoryRecord]) -> dict[int, Payload]:
        """Return the whole events of some experiences, by sequence."""
        ids = [memory.id for memory in memories]
        return {
            entry.seq: event_of(entry)
            for entry in self._file.journal.by_ids(self._space, ids)
            if entry.payload is not None
        }

    @cached_property
    def facts(self) -> Mapping[str, StatedFact]:
        """The facts that held at the moment, as they were known, by id."""
        until = self.bounds.until
        then = Cutoff(enriched_seq=None if until is None else Seq(until))
        held = as_of(facts_as_of(self._file, self._space, then), self.bounds.now, None)
        placed = self._links.nodes([fact.experience for fact in held])
        visible = {memory.id: memory for memory in self.memories(p.seq for p in placed).values()}
        return {f.id: StatedFact(f, visible[f.experience]) for f in held if f.experience in visible}

    @cached_property
    def episodes(self) -> Mapping[str, EpisodeRecord]:
        """The latest version of each episode whose session was over by the moment, by id."""
        entries = self._file.journal.of_kind(self._space, EntryKind.EPISODE_SYNTHESISED)
        records: dict[str, EpisodeRecord] = {}
        for entry in entries:
            payload = entry.payload
            if not isinstance(payload, EpisodeSynthesised):
                continue
            ended = from_text(payload.until) if payload.until else entry.at
            if self.bounds.includes(entry.seq, ended):
                records[payload.episode] = EpisodeRecord(payload, ended)
        return records

    def artifacts(self, ids: Iterable[str]) -> dict[str, ArtifactReferences]:
        """Return the artifacts of some ids that a memory seen refers to and that say something."""
        wanted = set(ids)
        touching = self.touching(sorted(wanted))
        referring = {link.source.seq for link in touching if link.target.id in wanted}
        memories = self.memories(referring)
        descriptions: dict[str, dict[str, object]] = {}
        by: dict[str, dict[int, MemoryRecord]] = {}
        for memory, artifact in self._referenced_artifacts(memories):
            id = artifact_id(self._space, artifact["uri"], artifact.get("sha256"))
            if id in wanted:
                descriptions[id] = descriptions.get(id, {}) | {
                    k: v for k, v in artifact.items() if v
                }
                by.setdefault(id, {})[memory.seq] = memory
        references = {
            id: ArtifactReferences(descriptions[id], list(by[id].values())) for id in descriptions
        }
        return {id: reference for id, reference in references.items() if reference.has_text}

    def touching(self, ids: Sequence[str]) -> list[NodeLink]:
        """Return the edges from or to some graph nodes that were known by the moment."""
        return [
            link for link in self._links.touching(ids) if self.bounds.includes_sequence(link.seq)
        ]

    def everything(self) -> list[NodeRef]:
        """Return every node that was known by the moment."""
        return [
            place for place in self._links.list_all() if self.bounds.includes_sequence(place.seq)
        ]

    def _referenced_artifacts(
        self, memories: Mapping[int, MemoryRecord]
    ) -> list[tuple[MemoryRecord, Payload]]:
        """Return each artifact that memories refer to: of the event, and found in its words."""
        by_id = {memory.id: memory for memory in memories.values()}
        keys = [key for id in by_id for key in (id, f"{id}#model")]
        kind = EntryKind.EXPERIENCE_ENRICHED
        enriched = self._file.journal.by_keys(self._space, kind, keys)
        events = self.events(memories.values())
        pairs = [
            (memories[seq], artifact)
            for seq, event in events.items()
            for artifact in event.get("artifacts") or ()
        ]
        pairs += [
            (by_id[payload.experience], artifact)
            for entry in enriched
            if isinstance(payload := entry.payload, ExperienceEnriched)
            and self.bounds.includes_sequence(entry.seq)
            for artifact in payload.artifacts or ()
        ]
        return sorted(pairs, key=lambda pair: pair[0].seq)
