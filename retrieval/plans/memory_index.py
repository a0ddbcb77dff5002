"""The Unified Memory Index: everything a plan can name, as nodes of one linked graph.

Nodes are looked up by id, as of a time (what had happened) and a journal sequence (what was
recorded); the whole index is never built for a question. A node has a short preview and the address
of its document, which the loader reads here too. Nothing is selected, ranked or written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from ...core.entries import EpisodeSynthesised, ExperienceEnriched
from ...core.errors import InvalidInput
from ...core.events import EventKind, event_of
from ...core.facts import Fact, as_of
from ...core.ids import artifact_id
from ...core.text import shorten
from ...core.time import from_text
from ...core.types import EntryKind, MemoryRecord, Payload, Seq, Space
from ...language.analyser import Analyser
from ...language.runs.tool_intent import is_search
from ...storage.cutoff import Cutoff, facts_as_of
from ...storage.edge_table import NodeLink, NodeRef
from ...storage.store import Store
from .plan import (
    SUMMARY_CHARS_MAX,
    ContentType,
    Node,
    SourceType,
    TemporalBounds,
    days_between,
    decayed,
    stated_type,
    type_of_fact,
)


def temporal_bounds(
    file: Store,
    space: Space,
    as_of: datetime | int | None,
    known_at: datetime | int | None = None,
) -> TemporalBounds:
    """Return the moment of a time, of a journal sequence, of both, or the present.

    `as_of` is a time (what had happened) or a sequence (what was recorded); `known_at` also limits
    what was recorded. Without a time, the instant of a sequence is when it was recorded, so that
    the same question as of the same sequence always has the same answer.
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
#: A sentence so likely of one of these kinds, and without these marks, states a preference.
_ASKED, _ASKED_MIN = ("asked", "instruction"), 0.59
_NOT_FOR_GOOD = frozenset({"question", "for now"})


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact, and the memory that stated it."""

    fact: Fact
    memory: MemoryRecord


@dataclass(frozen=True, slots=True)
class StatedPreference:
    """What a person asks for for good, in the words of a message."""

    text: str
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
        events = self.events(memories.values())
        pairs = [
            (memories[seq], artifact)
            for seq, event in events.items()
            for artifact in event.get("artifacts") or ()
        ]
        pairs += [
            (by_id[found.experience], artifact)
            for found in self._enrichments(by_id)
            for artifact in found.artifacts or ()
        ]
        return sorted(pairs, key=lambda pair: pair[0].seq)

    def preferences(
        self, memories: Iterable[MemoryRecord], links: Iterable[NodeLink]
    ) -> dict[str, StatedPreference]:
        """Return what people likely ask for for good in some messages, by graph id.

        Of a message that stated a fact of this kind, as its `links` say, nothing more is returned.
        """
        stated = {
            link.target.id
            for link in links
            if link.source.label == "Fact"
            and (fact := self.facts.get(link.source.id)) is not None
            and type_of_fact(fact.fact.predicate, fact.fact.stability) is ContentType.PREFERENCE
        }
        said = {
            memory.id: memory
            for memory in memories
            if memory.kind == EventKind.USER_MESSAGE.value and memory.id not in stated
        }
        quoted: dict[str, list[str]] = {}
        for found in self._enrichments(said):
            for sentence in found.utterances or ():
                likely = max(sentence.kinds.get(kind, 0.0) for kind in _ASKED)
                if likely >= _ASKED_MIN and _NOT_FOR_GOOD.isdisjoint(sentence.marks):
                    text = sentence.sentence_of(said[found.experience].text)
                    quoted.setdefault(found.experience, []).append(text)
        return {
            preference_id(said[id].seq): StatedPreference(" ".join(dict.fromkeys(texts)), said[id])
            for id, texts in quoted.items()
        }

    def _enrichments(self, ids: Iterable[str]) -> list[ExperienceEnriched]:
        """Return what was known by the moment about some experiences, by rules and by a model."""
        keys = [key for id in ids for key in (id, f"{id}#model")]
        kind = EntryKind.EXPERIENCE_ENRICHED
        return [
            entry.payload
            for entry in self._file.journal.by_keys(self._space, kind, keys)
            if isinstance(entry.payload, ExperienceEnriched)
            and self.bounds.includes_sequence(entry.seq)
        ]


TURN, MEMORY, VISIT = "turn", "memory", "visit"
#: The confidence of a new node: a message, an episode made by rule, what a search
#: found, what a page may hold by now, and what is asked for as sentences read say.
_MESSAGE_CONFIDENCE, _EPISODE_CONFIDENCE, _SEARCH_CONFIDENCE, _PAGE_CONFIDENCE = 1.0, 0.8, 0.8, 0.7
_PREFERENCE_CONFIDENCE = 0.9
#: Lower for skeletons and noise.
_STATUS_CONFIDENCE = {"skeleton": 0.5, "noise": 0.3}
#: A fact that another contradicts, unsettled, is at most so sure.
_CONTRADICTED_MAX = 0.5
#: A fact that no recalled turn stated is looked at when it shares so many words with the question.
_FACT_WORDS_MIN = 2
#: So late that only its floor is left of any confidence.
_FOR_EVER = datetime.max.replace(tzinfo=UTC)


def turn_id(seq: int) -> str:
    """Return the node id of an experience."""
    return f"{TURN}:{seq}"


def fact_node(id: str) -> str:
    """Return the node id of a fact."""
    return f"{MEMORY}:{id}"


def preference_id(seq: int) -> str:
    """Return the graph id of what is asked for in an experience."""
    return f"@{seq}"


def preference_seq(id: str) -> int:
    """Return the sequence that the graph id of a preference names; 0 for other ids."""
    rest = id[1:]
    return int(rest) if id[:1] == "@" and rest.isascii() and rest.isdecimal() else 0


def sequence_of(node_id: str) -> int | None:
    """Return the journal sequence that a turn's id names; None for every other id."""
    kind, _, rest = node_id.partition(":")
    is_turn = kind == TURN and rest.isascii() and rest.isdecimal() and rest == str(int(rest[:18]))
    return int(rest) if is_turn else None


def graph_id(node_id: str) -> str:
    """Return the id that the graph has for the node of an episode, a fact or an artifact."""
    return node_id.partition(":")[2]


class MemoryIndex:
    """Makes nodes of one space's memories, as they are seen from the moment of `sources`."""

    def __init__(self, sources: PlanSources, now: datetime | None = None) -> None:
        """Read from `sources`; ages are computed at `now`, by default the moment of the sources."""
        self._sources = sources
        self._now = now or sources.bounds.now

    def nodes(self, ids: Collection[str]) -> dict[str, Node]:
        """Return the nodes of some node ids, by id; unknown ids are left out."""
        seqs = [seq for id in ids if (seq := sequence_of(id)) is not None]
        others = [graph_id(id) for id in ids if sequence_of(id) is None]
        by_id = {node.node_id: node for node in self._build_nodes(seqs, others)}
        return {id: by_id[id] for id in ids if id in by_id}

    def around(self, seqs: Sequence[int], asked: str, analyser: Analyser) -> list[Node]:
        """Return the nodes of some experiences, what is linked to them, and facts in `asked`.

        Other turns are not linked in. A fact is asked for when it shares two words with `asked`.
        """
        memories = self._sources.memories(seqs)
        links = self._sources.touching([memory.id for memory in memories.values()])
        ends = [end for link in links for end in (link.source, link.target)]
        others = dict.fromkeys(end.id for end in ends if end.label != "Experience")
        words = set(analyser.terms(asked))
        others |= dict.fromkeys(self._sources.preferences(memories.values(), links))
        others |= {
            id: None
            for id, stated in self._sources.facts.items()
            if len(words.intersection(analyser.terms(stated.fact.text))) >= _FACT_WORDS_MIN
        }
        return self._build_nodes(list(memories), list(others))

    def everything(self) -> list[Node]:
        """Return every node of the space: for inspection and export, not for answering."""
        placed = self._sources.everything()
        seqs = [place.seq for place in placed if place.label == "Experience"]
        others = [place.id for place in placed if place.label != "Experience"]
        return self._build_nodes(seqs, [*others, *map(preference_id, seqs)])

    def types(self, ids: Collection[str]) -> Mapping[str, SourceType]:
        """Return the source types of those node ids that are in the index."""
        return {id: node.source_type for id, node in self.nodes(ids).items()}

    def floors(self, ids: Collection[str]) -> dict[str, float]:
        """Return what time alone would leave of the confidence of some nodes, by node id."""
        nodes = MemoryIndex(self._sources, _FOR_EVER).nodes(ids)
        return {id: node.confidence for id, node in nodes.items()}

    def _build_nodes(self, seqs: Iterable[int], others: Sequence[str]) -> list[Node]:
        sources = self._sources
        memories = sources.memories(seqs)
        asking = sources.memories(map(preference_seq, others))
        told = (memories | asking).values()
        links = sources.touching([*(memory.id for memory in told), *others])
        linked = _LinkedNodes(sources, links, others)
        results = [memory for memory in memories.values() if memory.kind == "tool_result"]
        events = sources.events(results)
        preferences = sources.preferences(told, links)
        nodes = [
            self._turn(m, events.get(seq), linked, preference_id(seq) in preferences)
            for seq, m in memories.items()
        ]
        nodes += [self._preference(preferences[id]) for id in others if id in preferences]
        nodes += [
            self._episode(id, sources.episodes[id], linked)
            for id in others
            if id in sources.episodes
        ]
        nodes += [self._fact(sources.facts[id], linked) for id in others if id in sources.facts]
        nodes += [
            self._artifact(id, linked.artifacts[id], linked)
            for id in others
            if id in linked.artifacts
        ]
        return nodes

    def _turn(
        self, memory: MemoryRecord, event: Payload | None, linked: _LinkedNodes, prefers: bool
    ) -> Node:
        tool = ((event or {}).get("tool") or {}).get("name") or ""
        searched = is_search(tool)
        initial = _STATUS_CONFIDENCE.get(
            memory.status, _SEARCH_CONFIDENCE if searched else _MESSAGE_CONFIDENCE
        )
        text = memory.text if tool else f"{memory.person or memory.kind}: {memory.text}"
        return Node(
            node_id=turn_id(memory.seq),
            source_type=SourceType.RESEARCH_CACHE if searched else SourceType.TURN_SUMMARY,
            summary=shorten(text, SUMMARY_CHARS_MAX),
            confidence=self._aged(initial, stated_type(memory.metadata), memory.at),
            timestamp=memory.at,
            source_ref=memory.uri,
            links=(*linked.of(memory.id), *([fact_node(preference_id(memory.seq))] * prefers)),
        )

    def _episode(self, id: str, record: EpisodeRecord, linked: _LinkedNodes) -> Node:
        episode = record.episode
        return Node(
            node_id=f"{TURN}:{id}",
            source_type=SourceType.TURN_SUMMARY,
            summary=shorten(f"{episode.topic}: {episode.summary}", SUMMARY_CHARS_MAX),
            confidence=self._aged(_EPISODE_CONFIDENCE, ContentType.DEFAULT, record.ended),
            timestamp=record.ended,
            source_ref=f"meridia://{episode.sources[0]}",
            links=linked.of(id),
        )

    def _fact(self, stated: StatedFact, linked: _LinkedNodes) -> Node:
        fact = stated.fact
        type = type_of_fact(fact.predicate, fact.stability)
        initial = min(fact.confidence, _CONTRADICTED_MAX) if fact.contradicts else fact.confidence
        preference = type is ContentType.PREFERENCE
        return Node(
            node_id=fact_node(fact.id),
            source_type=SourceType.PREFERENCE if preference else SourceType.FACT,
            summary=shorten(fact.text, SUMMARY_CHARS_MAX),
            confidence=self._aged(initial, type, stated.memory.at),
            timestamp=stated.memory.at,
            source_ref=stated.memory.uri,
            links=linked.of(fact.id),
        )

    def _preference(self, stated: StatedPreference) -> Node:
        memory = stated.memory
        return Node(
            node_id=fact_node(preference_id(memory.seq)),
            source_type=SourceType.PREFERENCE,
            summary=shorten(f"{memory.who}: {stated.text}", SUMMARY_CHARS_MAX),
            confidence=self._aged(_PREFERENCE_CONFIDENCE, ContentType.PREFERENCE, memory.at),
            timestamp=memory.at,
            source_ref=memory.uri,
            links=(turn_id(memory.seq),),
        )

    def _artifact(self, id: str, references: ArtifactReferences, linked: _LinkedNodes) -> Node:
        artifact, last = references.artifact, references.memories[-1]
        about = artifact.get("description") or artifact.get("title") or ""
        summary = f"{artifact['uri']}: {about}" if about else str(artifact["uri"])
        type = stated_type(artifact.get("metadata") or last.metadata)
        return Node(
            node_id=f"{VISIT if references.is_link else MEMORY}:{id}",
            source_type=SourceType.VISIT_RECORD
            if references.is_link
            else SourceType.RESEARCH_CACHE,
            summary=shorten(summary, SUMMARY_CHARS_MAX),
            confidence=self._aged(
                _PAGE_CONFIDENCE if references.is_link else _SEARCH_CONFIDENCE, type, last.at
            ),
            timestamp=last.at,
            source_ref=str(artifact["uri"]),
            links=linked.of(id),
        )

    def _aged(self, confidence: float, type: ContentType, at: datetime) -> float:
        return decayed(confidence, type, days_between(at, self._now))


class _LinkedNodes:
    """The other ends of edges as node ids, as far as they are nodes of the index."""

    def __init__(
        self, sources: PlanSources, links: Sequence[NodeLink], others: Sequence[str]
    ) -> None:
        self._sources = sources
        ends = [end for link in links for end in (link.source, link.target)]
        self._turns = set(sources.memories(e.seq for e in ends if e.label == "Experience"))
        artifacts = [end.id for end in ends if end.label == "Artifact"]
        self.artifacts = sources.artifacts([*artifacts, *others])
        self._of: dict[str, set[str]] = {}
        for link in links:
            for here, there in ((link.source, link.target), (link.target, link.source)):
                if (id := self._node_id(there)) is not None:
                    self._of.setdefault(here.id, set()).add(id)

    def of(self, id: str) -> tuple[str, ...]:
        """Return the node ids linked to a graph node, sorted."""
        return tuple(sorted(self._of.get(id, ())))

    def _node_id(self, end: NodeRef) -> str | None:
        if end.label == "Experience":
            return turn_id(end.seq) if end.seq in self._turns else None
        if end.label == "Episode":
            return f"{TURN}:{end.id}" if end.id in self._sources.episodes else None
        if end.label == "Fact":
            return fact_node(end.id) if end.id in self._sources.facts else None
        references = self.artifacts.get(end.id)
        if references is None:
            return None
        return f"{VISIT if references.is_link else MEMORY}:{end.id}"
