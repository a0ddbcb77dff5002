"""What entries of the journal are in Graphiti's terms: episodes, entities and facts.

graphiti-core is imported with its telemetry off and without reading a `.env` file. An episode is a
session at its end; people and named things are entities; a fact is an edge between two of them,
with the times at which it held and was known; so is a merge of entities, which both stay. Ids are
derived, so the same entry is the same node whenever it is written; a group is one space.
"""

from __future__ import annotations

import importlib
import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from hashlib import sha256
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from ...core.entries import (
    EntitiesMentioned,
    EntitiesMerged,
    EntitiesUnmerged,
    EpisodeSynthesised,
    ExperienceCaptured,
    FactAsserted,
    FactSuperseded,
    PersonMet,
)
from ...core.errors import InvalidInput
from ...core.events import recorded_event, speaker_id
from ...core.ids import derived, fold
from ...core.settings import ModelSettings
from ...core.time import from_text
from ...core.types import Entry, EntryKind, Space
from ...storage.journal import Journal
from ..schema import Partition

if TYPE_CHECKING:
    from graphiti_core.edges import EntityEdge, EpisodicEdge
    from graphiti_core.nodes import EntityNode, EpisodicNode


#: What is used of it, by module.
_USED = {
    "graphiti_core.graphiti": ("Graphiti",),
    "graphiti_core.nodes": ("EntityNode", "EpisodeType", "EpisodicNode", "Node"),
    "graphiti_core.edges": ("EntityEdge", "EpisodicEdge"),
    "graphiti_core.driver.neo4j_driver": ("Neo4jDriver",),
    "graphiti_core.embedder.client": ("EmbedderClient",),
    "graphiti_core.cross_encoder.client": ("CrossEncoderClient",),
    "graphiti_core.llm_client.client": ("LLMClient",),
    "graphiti_core.llm_client.config": ("LLMConfig",),
    "graphiti_core.graph_queries": ("get_fulltext_indices", "get_range_indices"),
    "graphiti_core.utils.bulk_utils": ("add_nodes_and_edges_bulk",),
    "graphiti_core.errors": ("NodeNotFoundError",),
}


@cache
def models() -> Any:
    """Return the classes and functions of graphiti-core that are used here, by name.

    Raises `InvalidInput` where it is not installed.
    """
    before = os.environ.get("PYTHON_DOTENV_DISABLED")
    os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"
    os.environ["PYTHON_DOTENV_DISABLED"] = "1"  # it would read the `.env` of whoever calls
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of its own classes
            return SimpleNamespace(
                **{
                    name: getattr(importlib.import_module(module), name)
                    for module, names in _USED.items()
                    for name in names
                }
            )
    except ImportError as error:
        raise InvalidInput(
            f"graphiti-core is not installed ({error}): pip install 'meridia[graphiti]'"
        ) from error
    finally:
        if before is None:
            del os.environ["PYTHON_DOTENV_DISABLED"]
        else:
            os.environ["PYTHON_DOTENV_DISABLED"] = before


_CLIENTS = {
    "openai": ("graphiti_core.llm_client.openai_generic_client", "OpenAIGenericClient"),
    "anthropic": ("graphiti_core.llm_client.anthropic_client", "AnthropicClient"),
}


def llm_of(settings: ModelSettings) -> Any:
    """Open graphiti-core's client of the model; None where the settings name none."""
    if settings.dialect == "none":
        return None
    config = models().LLMConfig(
        api_key=settings.api_key.get_secret_value() or "none",
        model=settings.name,
        small_model=settings.name,
        base_url=settings.base_url or None,
        temperature=settings.temperature,
    )
    module, name = _CLIENTS[settings.dialect]
    try:
        return getattr(importlib.import_module(module), name)(config)
    except ImportError as error:
        raise InvalidInput(
            f"Graphiti cannot ask this model ({error}): pip install 'meridia[llm]'"
        ) from error


_NAMESPACE = UUID("6f1d3f0e-52f5-5a0e-9a3c-0d5c1f0b7a61")
_NOT_A_GROUP = re.compile(r"[^A-Za-z0-9_-]")
_NOT_A_NAME = re.compile(r"\W+")
#: Graphiti's name of an edge from an entity to the one that it is taken for.
_SAME = "IS_DUPLICATE_OF"
#: The property of a fact that names the memory it comes from.
EXPERIENCE = "meridia_experience"


@dataclass(slots=True)
class GraphitiBatch:
    """What is to be saved, by uuid; `ends` are facts that ended: since when, known when.

    `merges` are facts without a text: the names of their ends are those that Graphiti has.
    """

    episodes: dict[str, EpisodicNode] = field(default_factory=dict)
    mentions: dict[str, EpisodicEdge] = field(default_factory=dict)
    entities: dict[str, EntityNode] = field(default_factory=dict)
    facts: dict[str, EntityEdge] = field(default_factory=dict)
    merges: dict[str, EntityEdge] = field(default_factory=dict)
    ends: dict[str, tuple[datetime, datetime]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any((self.episodes, self.entities, self.facts, self.merges, self.ends))


def group_of(space: Space) -> str:
    """Return the group of a space: its name, as far as Graphiti allows it."""
    name = _NOT_A_GROUP.sub("-", space)
    return name if name == space else f"{name}-{sha256(space.encode('utf-8')).hexdigest()[:8]}"


def uuid_of(partition: Partition, id: str) -> str:
    """Return the uuid under which Graphiti has something of ours."""
    return str(uuid5(_NAMESPACE, f"{partition.id}:{id}"))


def mark_of(partition: Partition) -> str:
    """Return what the source of every episode of a partition begins with."""
    return f"meridia journal {partition.id}"


def batch_of(partition: Partition, entries: Sequence[Entry], journal: Journal) -> GraphitiBatch:
    """Return what entries mean to Graphiti; what they name in the journal is looked up there."""
    mapper = _Mapper(partition, journal)
    for entry in entries:
        match entry.payload:
            case PersonMet() as met:
                mapper.entity(entry, met.person, met.name, "PERSON")
            case EntitiesMentioned() as mentioned:
                for mention in mentioned.entities:
                    mapper.entity(entry, mention.id, mention.name, mention.type)
            case FactAsserted() as fact:
                mapper.fact(entry, fact)
            case FactSuperseded() as ended if ended.t_invalid is not None:
                ends = from_text(ended.t_invalid), entry.recorded_at
                mapper.batch.ends[uuid_of(partition, ended.fact)] = ends
            case EntitiesMerged() as merged:
                mapper.merge(entry, merged)
            case EntitiesUnmerged() as parted:
                mapper.unmerge(entry, parted)
            case EpisodeSynthesised() as episode:
                mapper.episode(entry, episode)
    return mapper.batch


class _Mapper:
    """Fills one batch."""

    def __init__(self, partition: Partition, journal: Journal) -> None:
        self.batch = GraphitiBatch()
        self._partition = partition
        self._journal = journal
        self._group = group_of(partition.space)

    def entity(self, entry: Entry, id: str, name: str, type: str) -> str | None:
        """Add an entity, and return its uuid; None for a name that says nothing."""
        if not name.strip():
            return None
        uuid = self._uuid(id)
        self.batch.entities[uuid] = models().EntityNode(
            uuid=uuid,
            name=name,
            group_id=self._group,
            labels=["Entity", *([type.capitalize()] if type.isidentifier() else [])],
            created_at=entry.recorded_at,
        )
        return uuid

    def fact(self, entry: Entry, fact: FactAsserted) -> None:
        """Add a fact as an edge from its subject to its object."""
        source = self._end(entry, fact, fact.subject, fact.subject_id)
        target = self._end(entry, fact, fact.object, None)
        if source is None or target is None:
            return
        uuid, session = self._uuid(fact.fact), self._session(fact.experience)
        episode = derived("episode", self._partition.space, session) if session else None
        self.batch.facts[uuid] = models().EntityEdge(
            uuid=uuid,
            group_id=self._group,
            source_node_uuid=source,
            target_node_uuid=target,
            name=_NOT_A_NAME.sub("_", fact.predicate).upper(),
            fact=fact.text,
            episodes=[self._uuid(episode)] if episode else [],
            created_at=entry.recorded_at,
            valid_at=from_text(fact.t_valid),
            attributes={EXPERIENCE: fact.experience},
        )

    def episode(self, entry: Entry, episode: EpisodeSynthesised) -> None:
        """Add an episode, and edges to whom and what its memories name."""
        uuid, sources = self._uuid(episode.episode), set(episode.sources)
        facts = self._journal.of_kind(self._partition.space, EntryKind.FACT_ASSERTED)
        stated = [
            self._uuid(fact.payload.fact)
            for fact in facts
            if isinstance(fact.payload, FactAsserted) and fact.payload.experience in sources
        ]
        self.batch.episodes[uuid] = models().EpisodicNode(
            uuid=uuid,
            name=episode.topic or episode.session,
            group_id=self._group,
            labels=[],
            source=models().EpisodeType.text,
            source_description=f"{mark_of(self._partition)}: meridia://{episode.episode}",
            content=episode.summary,
            created_at=entry.recorded_at,
            valid_at=from_text(episode.until) if episode.until else entry.at,
            entity_edges=stated,
        )
        for id in sorted(self._named(episode.sources)):
            edge = self._uuid(f"{episode.episode}:{id}")
            self.batch.mentions[edge] = models().EpisodicEdge(
                uuid=edge,
                group_id=self._group,
                source_node_uuid=uuid,
                target_node_uuid=self._uuid(id),
                created_at=entry.recorded_at,
            )

    def merge(self, entry: Entry, merged: EntitiesMerged) -> None:
        """Add that an entity is taken for another."""
        uuid = self._uuid(entry.id)
        self.batch.merges[uuid] = models().EntityEdge(
            uuid=uuid,
            group_id=self._group,
            source_node_uuid=self._uuid(merged.entity),
            target_node_uuid=self._uuid(merged.into),
            name=_SAME,
            fact="",
            created_at=entry.recorded_at,
            valid_at=entry.at,
        )

    def unmerge(self, entry: Entry, parted: EntitiesUnmerged) -> None:
        """End the newest merge of an entity."""
        merges = [
            each.id
            for each in self._journal.of_kind(self._partition.space, EntryKind.ENTITIES_MERGED)
            if isinstance(each.payload, EntitiesMerged)
            and each.payload.entity == parted.entity
            and each.seq < entry.seq
        ]
        if merges:
            self.batch.ends[self._uuid(merges[-1])] = entry.at, entry.recorded_at

    def _end(self, entry: Entry, fact: FactAsserted, name: str, person: str | None) -> str | None:
        """Add what a fact is about, and return its uuid: a person, a thing it names, or a word."""
        if person is not None:
            return self.entity(entry, person, name, "PERSON")
        for mention in fact.about:
            if fold(mention.name) == fold(name):
                return self.entity(entry, mention.id, name, mention.type)
        thing = derived("thing", self._partition.space, fold(name))
        return self.entity(entry, thing, name, "")

    def _named(self, experiences: Sequence[str]) -> set[str]:
        """Return the ids of the people who speak in experiences, and of what they mention."""
        space, ids = self._partition.space, set[str]()
        for entry in self._journal.by_ids(space, experiences):
            if isinstance(entry.payload, ExperienceCaptured):
                speaker = speaker_id(recorded_event(entry.payload), space)
                ids |= {speaker} if speaker else set()
        for entry in self._journal.by_keys(space, EntryKind.ENTITIES_MENTIONED, experiences):
            if isinstance(entry.payload, EntitiesMentioned):
                ids |= {mention.id for mention in entry.payload.entities}
        return ids

    def _session(self, experience: str) -> str | None:
        return next(
            (e.stream for e in self._journal.by_ids(self._partition.space, [experience])), None
        )

    def _uuid(self, id: str) -> str:
        return uuid_of(self._partition, id)
