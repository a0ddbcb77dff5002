"""The memory of MCP's reference server (`memory.jsonl`): entities with observations, and relations.

Each observation is a note about its entity, and so is each relation. It knows no times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....core.errors import InvalidInput
from ....core.events import EventKind
from ....core.types import Json
from ..conversation_reader import (
    ConversationReader,
    MessagePosition,
    content_id,
    first_label,
    stem,
)
from ..import_record import (
    EMPTY,
    ImportFormat,
    ImportRecord,
    ImportSource,
    list_in,
    refusing,
    skip,
)
from ..json_pieces import read_objects
from ..timestamps import find_time


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record an observation or relation, by the id "<file>/<digest>"."""
    conversation = ConversationReader("memory_graph", stem(source))

    def read_object(where: str, fields: dict[str, Json], _: int) -> Iterator[ImportRecord]:
        listed = [*(list_in(fields, "entities") or ()), *(list_in(fields, "relations") or ())]
        for each in listed or [fields]:
            yield from refusing(where, _notes(conversation, where, each))

    return read_objects(source, read_object)


def _notes(conversation: ConversationReader, where: str, each: Json) -> Iterator[ImportRecord]:
    texts = _texts(each if isinstance(each, dict) else {})
    if not texts:
        yield skip(where, EMPTY)
    ts, _ = find_time(each)
    for text in texts:
        place = MessagePosition(where, f"{conversation.key}/{content_id(text)}", ts)
        yield from conversation.message(place, EventKind.MANUAL_INGEST, text)


def _texts(fields: Mapping[str, Json]) -> list[str]:
    """Return what an entity or a relation says, each as a sentence about it."""
    source, target = first_label(fields, "from"), first_label(fields, "to")
    if source and target:
        relation = (first_label(fields, "relationType") or "is related to").replace("_", " ")
        return [f"{source} {relation} {target}"]
    name, kind = first_label(fields, "name"), first_label(fields, "entityType")
    if name is None:
        raise InvalidInput("is neither a named entity nor a relation: mend or remove it")
    about = f"{name} ({kind})" if kind else name
    return [
        f"{about}: {text}"
        for text in list_in(fields, "observations") or ()
        if isinstance(text, str) and text.strip()
    ]


FORMAT = ImportFormat(
    name="memory-graph",
    description="MCP memory: memory.jsonl of its reference server",
    recognises=lambda keys: (
        not keys.isdisjoint({"entityType", "relationType", "entities.entityType"})
    ),
    read=read,
)
