"""Graphiti exports: episodes, the raw texts, messages and records that a Graphiti graph is made of.

Entities, facts and communities are derived from the episodes and are not imported. An episode
belongs to the session that its group names, or else the file, and it happened at its reference
time. A message keeps its form "speaker: words"; nobody is guessed from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....core.errors import InvalidInput
from ....core.events import EventKind, encode
from ....core.types import Json
from ..conversation_reader import (
    ConversationReader,
    MessagePosition,
    first_label,
    stem,
    unused_fields,
)
from ..import_record import ImportFormat, ImportRecord, ImportSource, json_type
from ..json_pieces import read_items
from ..timestamps import parse_timestamp

#: Names of the time at which an episode happened, the best one first.
_TIMES = ("reference_time", "valid_at", "created_at")
#: Fields of an episode that become parts of the event; all others are kept as metadata.
_READ = frozenset({"uuid", "content", "group_id"})


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record an episode, by its own id, or else "<group or file>/<index>"."""
    name = stem(source)

    def read_episode(
        where: str, episode: Json, number: int, holder: Mapping[str, Json]
    ) -> Iterator[ImportRecord]:
        group = first_label(holder, "group_id") or name
        return _episode(group, where, episode, number)

    return read_items(source, ("episodes",), "episode", read_episode)


def _episode(group: str, where: str, episode: Json, number: int) -> Iterator[ImportRecord]:
    if not isinstance(episode, dict):
        raise InvalidInput(f"is {json_type(episode)}: an episode with content is needed")
    content, key = episode.get("content"), first_label(episode, "group_id") or group
    if isinstance(content, dict):
        content = encode(content)  # a record handed in as JSON is kept as its text
    if not isinstance(content, str):
        raise InvalidInput(f"content is {json_type(content)}: text or an object is needed")
    used = next((name for name in _TIMES if episode.get(name) is not None), "")
    id = first_label(episode, "uuid") or f"{key}/{number}"
    time, others = parse_timestamp(episode.get(used)), unused_fields(episode, _READ | {used})
    place = MessagePosition(where, id, time, others)
    session = ConversationReader("graphiti", key)
    return session.message(place, EventKind.MANUAL_INGEST, content)


def _recognises(keys: frozenset[str]) -> bool:
    times = keys.isdisjoint({"group_id", "reference_time", "valid_at"})
    return ("content" in keys and not times) or "episodes.content" in keys


FORMAT = ImportFormat(
    name="graphiti",
    description="Graphiti exports: episodes with uuid, content and group_id",
    recognises=_recognises,
    read=read,
)
