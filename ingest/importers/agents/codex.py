"""Codex sessions (`rollout-*.jsonl`): lines with a time, a type and what happened.

Read are the items of the conversation, which are those of OpenAI's Responses; events repeat them
for the screen, and everything else is the client's bookkeeping. Older sessions have bare items.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....core.types import Json
from ..conversation_reader import first_label, stem
from ..import_record import BOOKKEEPING, ImportFormat, ImportRecord, ImportSource, skip
from ..json_pieces import read_objects
from ..openai_responses import ResponsesTranscript
from ..timestamps import find_time


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message or result, by the id "<session>/<index>"."""
    transcript = ResponsesTranscript(stem(source), "codex")
    key = stem(source)

    def read_line(where: str, fields: dict[str, Json], _number: int) -> Iterator[ImportRecord]:
        nonlocal key
        kind, payload = fields.get("type"), fields.get("payload")
        inner = payload if isinstance(payload, dict) else fields
        if kind == "session_meta" or (kind is None and "instructions" in fields):
            key = first_label(inner, "id", "session_id") or key
            transcript.sessions[key].ts = find_time(inner)[0] or find_time(fields)[0]
            yield skip(where, BOOKKEEPING)
        elif kind == "response_item" or (payload is None and kind is not None):
            ts, _ = find_time(fields)
            dated: dict[str, Json] = {**inner, **({"timestamp": ts} if ts else {})}
            yield from transcript.item(transcript.sessions[key], where, dated, ts)
        else:
            yield skip(where, BOOKKEEPING)

    yield from read_objects(source, read_line)
    yield from transcript.sessions.finish()


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
