"""mem0 exports: memories that mem0 made from conversations, each a text with its owner.

What mem0 derived beside them (`relations`) is not imported. A memory belongs to the person that
`user_id` names and to the session that `run_id` names, or else the file. It happened when it was
created; a later change of it (`updated_at`) is kept as metadata.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from .conversation_reader import (
    ConversationReader,
    MessagePosition,
    first_label,
    parse_timestamp,
    split_input,
    stem,
    unused_fields,
)
from .import_record import (
    ImportFormat,
    ImportLimits,
    ImportRecord,
    ImportSource,
    json_type,
    parse_objects,
    reject,
)

_LISTS = ("results", "memories")
#: Fields of a memory that become parts of the event; all others are kept as metadata.
_READ = frozenset({"id", "memory", "user_id", "run_id", "created_at"})


def read(source: ImportSource, limits: ImportLimits) -> Iterator[ImportRecord]:
    """Yield one record a memory, by its own id, or else "<file>/<index>"."""
    name, number = stem(source), 0
    for item in parse_objects(split_input(source, limits)):
        if isinstance(item, ImportRecord):
            yield item
            number += 1
            continue
        where, fields = item
        held = next((fields[n] for n in _LISTS if isinstance(fields.get(n), list)), None)
        for index, memory in enumerate([fields] if held is None else held, start=1):
            place = where if held is None else f"{where} memory {index}"
            yield from _memory(place, f"{name}/{number}", memory, name, limits)
            number += 1


def _memory(
    where: str, fallback: str, memory: Json, name: str, limits: ImportLimits
) -> Iterator[ImportRecord]:
    try:
        if not isinstance(memory, dict):
            raise InvalidInput(f"is {json_type(memory)}: a memory with id and memory is needed")
        text = memory.get("memory")
        if not isinstance(text, str):
            raise InvalidInput(f"memory is {json_type(text)}: text is needed")
        place = MessagePosition(
            where,
            first_label(memory, "id") or fallback,
            parse_timestamp(memory.get("created_at")),
            unused_fields(memory, _READ),
        )
    except InvalidInput as error:
        yield reject(where, str(error))
        return
    session = ConversationReader("mem0", _session(memory, name), limits)
    person = first_label(memory, "user_id")
    yield from session.message(place, EventKind.MANUAL_INGEST, text, person=person)


def _session(memory: Mapping[str, Json], name: str) -> str:
    return first_label(memory, "run_id") or name


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
