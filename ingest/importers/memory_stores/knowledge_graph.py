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
    split_input,
    stem,
)
from ..import_record import (
    EMPTY,
    ImportFormat,
    ImportLimits,
    ImportRecord,
    ImportSource,
    reject,
    skip,
)
from ..json_pieces import parse_objects
from ..timestamps import find_time


def read(source: ImportSource, limits: ImportLimits) -> Iterator[ImportRecord]:
    """Yield one record an observation or relation, by the id "<file>/<digest>"."""
    name = stem(source)
    conversation = ConversationReader("memory_graph", name, limits)
    for item in parse_objects(split_input(source, limits)):
        if isinstance(item, ImportRecord):
            yield item
            continue
        where, fields = item
        lists = [fields.get(key) for key in ("entities", "relations")]
        listed = [each for several in lists if isinstance(several, list) for each in several]
        for each in listed or [fields]:
            try:
                texts = _texts(each if isinstance(each, dict) else {})
            except InvalidInput as error:
                yield reject(where, str(error))
                continue
            if not texts:
                yield skip(where, EMPTY)
            ts, _ = find_time(each)
            for text in texts:
                place = MessagePosition(where, f"{name}/{content_id(text)}", ts)
                yield from conversation.message(place, EventKind.MANUAL_INGEST, text)


def _texts(fields: Mapping[str, Json]) -> list[str]:
    """Return what an entity or a relation says, each as a sentence about it."""
    source, target = first_label(fields, "from"), first_label(fields, "to")
    if source and target:
        relation = (first_label(fields, "relationType") or "is related to").replace("_", " ")
        return [f"{source} {relation} {target}"]
    name, kind = first_label(fields, "name"), first_label(fields, "entityType")
    if name is None:
        raise InvalidInput("is no entity with a name and no relation: mend or remove it")
    observations = fields.get("observations")
    about = f"{name} ({kind})" if kind else name
    return [
        f"{about}: {text}"
        for text in (observations if isinstance(observations, list) else [])
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
