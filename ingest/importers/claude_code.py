"""Claude Code transcripts: session files of JSON Lines, or an export with its `loglines`.

Imported are the lines of users and assistants with what tools gave back. Everything else in a file
is the client's bookkeeping (summaries, notices, progress, snapshots, queues) and is left out.
Cursor's transcripts have `role` where these have `type`, and neither ids nor times.
Thinking, lines marked as meta and summaries of a compacted session were written for the model, not
lived through: they are left out unless a session holds nothing else. A sub-agent has its own
session, "<session>/<agent>"; an agent without an id is named by the first line of its chain.
`toolUseResult` repeats a result in the client's own form: a long one is kept as its size only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from ..machine_text import SIDECHAIN_FLAG, is_for_model
from .conversation_reader import (
    ConversationReader,
    Conversations,
    MessagePosition,
    first_label,
    stem,
    unused_fields,
)
from .import_options import ASSISTANT, USER
from .import_record import (
    BOOKKEEPING,
    ImportFormat,
    ImportRecord,
    ImportSource,
    json_type,
    list_in,
    refusing,
    skip,
)
from .json_pieces import read_objects
from .message_content import PendingCalls
from .timestamps import parse_timestamp

#: Fields that become parts of the event; all others are kept as metadata.
_READ = frozenset({"type", "role", "uuid", "timestamp", "sessionId", "message", "toolUseResult"})
_REPEATED_CHARS_MAX = 4096


class _ClaudeCodeTranscript:
    """One file while it is read: its sessions, and the chain that a sidechain's line is in."""

    def __init__(self, name: str) -> None:
        self.name, self.sessions = name, Conversations("claude_code", PendingCalls())
        self.chains: dict[str, str] = {}
        self.unnamed = 0

    def object(self, where: str, fields: dict[str, Json], _number: int) -> Iterator[ImportRecord]:
        """Yield what an object holds: a line, or an export's lines."""
        if (lines := list_in(fields, "loglines")) is None:
            yield from self._line(where, fields)
        for number, line in enumerate(lines or (), start=1):
            at = f"{where} line {number}"
            yield from refusing(at, self._line(at, line))

    def _line(self, where: str, fields: Json) -> Iterator[ImportRecord]:
        if not isinstance(fields, dict):
            raise InvalidInput(f"is {json_type(fields)}: an object in braces is needed")
        kind, message = fields.get("type", fields.get("role")), fields.get("message")
        if not isinstance(kind, str):
            raise InvalidInput(f"type is {json_type(kind)}: user or assistant is needed")
        if kind not in (USER, ASSISTANT):
            yield skip(where, BOOKKEEPING)
            return
        if not isinstance(message, dict):
            raise InvalidInput(f"message is {json_type(message)}: an object is needed")
        session, content = self._session(fields), message.get("content")
        place = self._place(where, fields, message, session.key)
        if is_for_model(fields):
            session.set_aside(place, EventKind.MANUAL_INGEST, content)
        else:  # what is asked of an agent, another one asks
            role = ASSISTANT if fields.get(SIDECHAIN_FLAG) is True else kind
            yield from session.turn(place, role, content)

    def _session(self, fields: Mapping[str, Json]) -> ConversationReader:
        key = first_label(fields, "sessionId") or self.name
        if fields.get(SIDECHAIN_FLAG) is True:
            key = f"{key}/{first_label(fields, 'agentId') or self._chain(fields)}"
        return self.sessions[key]

    def _chain(self, fields: Mapping[str, Json]) -> str:
        """Return the first line of the chain that a line is in, as far as the file goes back."""
        own, parent = first_label(fields, "uuid"), first_label(fields, "parentUuid")
        first = self.chains.get(parent, parent) if parent else own or "agent"
        if own:
            self.chains[own] = first
        return first

    def _place(
        self, where: str, fields: Mapping[str, Json], message: Mapping[str, Json], key: str
    ) -> MessagePosition:
        id = first_label(fields, "uuid")
        if id is None:
            id, self.unnamed = f"{key}/{self.unnamed}", self.unnamed + 1
        metadata = unused_fields(fields, _READ)
        if about := unused_fields(message, frozenset({"role", "content", "type"})):
            metadata["message"] = about
        repeated = fields.get("toolUseResult")
        if repeated is not None:
            size = _size(repeated)
            long = size > _REPEATED_CHARS_MAX
            metadata["toolUseResult"] = {"left_out_chars": size} if long else repeated
        return MessagePosition(where, id, parse_timestamp(fields.get("timestamp")), metadata)


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record for each thing said and each result, in the order of the lines."""
    transcript = _ClaudeCodeTranscript(stem(source))
    yield from read_objects(source, transcript.object)
    yield from transcript.sessions.finish()


def _size(value: Json) -> int:
    """Return how many characters a value has, roughly as JSON."""
    size, waiting = 0, [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            waiting.extend((*node, *node.values()))
        elif isinstance(node, list):
            waiting.extend(node)
        else:
            size += len(node) if isinstance(node, str) else 4
    return size


FORMAT = ImportFormat(
    name="claude-code",
    description="Claude Code transcripts: JSON Lines of type user and assistant with sessionId",
    recognises=lambda keys: (
        ({"type", "sessionId"} <= keys and "messageId" not in keys)
        or not keys.isdisjoint({"leafUuid", "parentUuid", "loglines.message"})
    ),
    read=read,
)

CURSOR = ImportFormat(
    name="cursor",
    description="Cursor agent transcripts: JSON Lines of role with a message that has content",
    recognises=lambda keys: {"role", "message.content"} <= keys and "type" not in keys,
    read=read,
)
