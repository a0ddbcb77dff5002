"""Codex sessions (`rollout-*.jsonl`): lines with a time, a type and what happened.

Read are the items of the conversation, which are those of OpenAI's Responses; events repeat them
for the screen, and everything else is the client's bookkeeping. Older sessions have bare items.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....core.types import Json
from ..conversation_reader import first_label, split_input, stem
from ..import_record import (
    BOOKKEEPING,
    ImportFormat,
    ImportLimits,
    ImportRecord,
    ImportSource,
    skip,
)
from ..json_pieces import parse_objects
from ..openai_responses import ResponsesTranscript
from ..timestamps import find_time


def read(source: ImportSource, limits: ImportLimits) -> Iterator[ImportRecord]:
    """Yield one record a message or result, by the id "<session>/<index>"."""
    transcript = ResponsesTranscript(stem(source), limits, "codex")
    key = stem(source)
    for item in parse_objects(split_input(source, limits)):
        if isinstance(item, ImportRecord):
            yield item
            continue
        where, fields = item
        kind, payload = fields.get("type"), fields.get("payload")
        inner = payload if isinstance(payload, dict) else fields
        if kind == "session_meta" or (kind is None and "instructions" in fields):
            key = first_label(inner, "id", "session_id") or key
            transcript.session(key).ts = find_time(inner)[0] or find_time(fields)[0]
            yield skip(where, BOOKKEEPING)
        elif kind == "response_item" or (payload is None and kind is not None):
            ts, _ = find_time(fields)
            dated: dict[str, Json] = {**inner, **({"timestamp": ts} if ts else {})}
            yield from transcript.item(transcript.session(key), where, dated, ts)
        else:
            yield skip(where, BOOKKEEPING)
    yield from transcript.finish()


FORMAT = ImportFormat(
    name="codex",
    description="Codex: session files, rollout-*.jsonl",
    recognises=lambda keys: (
        {"timestamp", "type", "payload"} <= keys
        or "type=session_meta" in keys
        or ({"id", "timestamp", "instructions"} <= keys and "object" not in keys)
    ),
    read=read,
)
