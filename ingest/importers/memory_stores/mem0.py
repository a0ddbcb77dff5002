"""mem0 exports: memories that mem0 made from conversations, each a text with its owner.

What mem0 derived beside them (`relations`) is not imported. A memory belongs to the person that
`user_id` names and to the session that `run_id` names, or else the file. It happened when it was
created; a later change of it (`updated_at`) is kept as metadata.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....core.errors import InvalidInput
from ....core.events import EventKind
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

_LISTS = ("results", "memories")
#: Fields of a memory that become parts of the event; all others are kept as metadata.
_READ = frozenset({"id", "memory", "user_id", "run_id", "created_at"})


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a memory, by its own id, or else "<file>/<index>"."""
    name = stem(source)
    return read_items(
        source, _LISTS, "memory", lambda at, memory, number, _: _memory(name, at, memory, number)
    )


def _memory(name: str, where: str, memory: Json, number: int) -> Iterator[ImportRecord]:
    if not isinstance(memory, dict):
        raise InvalidInput(f"is {json_type(memory)}: a memory with id and memory is needed")
    text = memory.get("memory")
    if not isinstance(text, str):
        raise InvalidInput(f"memory is {json_type(text)}: text is needed")
    place = MessagePosition(
        where,
        first_label(memory, "id") or f"{name}/{number}",
        parse_timestamp(memory.get("created_at")),
        unused_fields(memory, _READ),
    )
    session = ConversationReader("mem0", first_label(memory, "run_id") or name)
    person = first_label(memory, "user_id")
    return session.message(place, EventKind.MANUAL_INGEST, text, person=person)


def _recognises(keys: frozenset[str]) -> bool:
    bare = "memory" in keys and not keys.isdisjoint({"id", "user_id", "hash"})
    listed = not keys.isdisjoint({f"{name}.memory" for name in _LISTS})
    return listed or (bare and "messages" not in keys)


FORMAT = ImportFormat(
    name="mem0",
    description="mem0 exports: memories with id and memory, as a list, results or JSON Lines",
    recognises=_recognises,
    read=read,
)
