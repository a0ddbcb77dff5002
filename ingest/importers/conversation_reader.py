"""What transcripts share: messages of a session in their order, results joined with their calls.

System prompts and reasoning are no messages that anybody lived through: they are set aside, and
become records only where the conversation holds nothing else. What is malformed is refused alone.
Nothing here knows a format, and no message is repaired.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from ...core.calls.cleaning import clean_text
from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from ...language.machine_text import MACHINE_TEXT
from ..inline_data import replace_inline_data
from .import_options import ASSISTANT, SYSTEM, TOOL, USER
from .import_record import (
    EMPTY,
    ImportRecord,
    ImportSource,
    accept_event,
    json_type,
    reject,
    skip,
    too_large,
)
from .message_content import (
    MessageContent,
    PendingCalls,
    ToolCall,
    ToolResult,
    is_error_result,
    read_call,
    read_content,
    read_result,
)

#: What is set apart, by the kind of event that it would be.
_ASIDES = {
    EventKind.MANUAL_INGEST: "instructions to the model",
    EventKind.ASSISTANT_MESSAGE: "thoughts of the model",
}


@dataclass(frozen=True, slots=True)
class MessagePosition:
    """Where a message stands: in the file, among ids, in time.

    `metadata` are the fields that become no part of the event.
    """

    where: str
    id: str
    ts: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)

    def numbered(self, number: int) -> MessagePosition:
        """Return the place of the n-th event of a message; the first one has the message's id."""
        return replace(self, id=f"{self.id}/{number}") if number else self


class ConversationReader:
    """One session while it is read.

    `name` is the key of the format in the metadata. Conversations of one file may share `calls`.
    A result that answers no call, as in what is left of a longer session, and names no tool is of
    the tool "tool".
    """

    def __init__(
        self,
        name: str,
        key: str,
        calls: PendingCalls | None = None,
    ) -> None:
        self._name, self.key = name, key
        self.calls = PendingCalls() if calls is None else calls
        self._conversation_metadata: Mapping[str, Json] = {}
        self._deferred: list[tuple[MessagePosition, Mapping[str, Json]]] = []
        self._has_events = False
        self._left_out: Counter[str] = Counter()
        #: When the conversation was, for its messages that do not say when they were.
        self.ts: str | None = None

    def set_metadata(self, about: Mapping[str, Json]) -> None:
        """Keep fields that concern the conversation as a whole: they go with the next event."""
        self._conversation_metadata = about

    def turn(
        self,
        place: MessagePosition,
        role: Json,
        content: Json,
        name: str | None = None,
        calls: Json = None,
    ) -> Iterator[ImportRecord]:
        """Yield what somebody in a role says, perhaps with a name; `InvalidInput` for no role."""
        if role == SYSTEM:
            self.set_aside(place, EventKind.MANUAL_INGEST, content)
        elif role == USER:
            yield from self.message(place, EventKind.USER_MESSAGE, content, person=name)
        elif role == ASSISTANT:
            yield from self.message(place, EventKind.ASSISTANT_MESSAGE, content, calls)
        elif role == TOOL:
            yield from self.result(place, ToolResult(content, None, name))
        else:
            given = repr(role[:80]) if isinstance(role, str) else json_type(role)
            raise InvalidInput(f"role is {given}: use system, user, assistant or tool")

    def message(
        self,
        place: MessagePosition,
        kind: EventKind,
        content: Json,
        calls: Json = None,
        person: str | None = None,
    ) -> Iterator[ImportRecord]:
        """Yield what a message holds: the results in it first, then what was said.

        `content` is text or a list of parts, `calls` a list of tool calls. The first event has
        the place's id, the n-th behind it "<id>/<n>".
        """
        try:
            body, given = read_content(content, place.where), _list_of_calls(calls)
        except InvalidInput as error:
            yield reject(place.where, str(error))
            return
        by_machine = kind is EventKind.USER_MESSAGE and body.is_left_by_machine()
        if by_machine:
            yield skip(place.where, MACHINE_TEXT)
        yield from (reject(place.where, problem) for problem in body.problems)
        yield from self._add_calls(given, body.calls, place.where)
        for number, output in enumerate(body.tool_results):
            yield from self.result(place.numbered(number), output)
        if body.text or body.artifacts:
            yield self._message_record(place.numbered(len(body.tool_results)), kind, body, person)
        elif body.reasoning:
            self.set_aside(place, EventKind.ASSISTANT_MESSAGE, "\n".join(body.reasoning))
        elif body.has_unknown_block:
            types = ", ".join(sorted({repr(block["type"][:80]) for block in body.metadata}))
            yield reject(place.where, f"content holds only what is not known: {types}")
        elif not (given or body.calls or body.tool_results or body.problems or by_machine):
            yield skip(place.where, EMPTY)

    def result(self, place: MessagePosition, output: ToolResult) -> Iterator[ImportRecord]:
        """Yield the result of a tool, joined with the call that it answers."""
        call = self.calls.take(output)
        name = output.name or (call.name if call else TOOL)
        artifacts: dict[str, Json] = {}
        result = read_result(output.content, artifacts)
        tool = {
            "name": name,
            "isError": is_error_result(result) if output.failed is None else output.failed,
            **({} if output.call_id is None else {"callId": output.call_id}),
        }
        args = {"args": replace_inline_data(call.args, artifacts)} if call else {}
        payload = {**args, "result": result}
        event_fields = {"kind": EventKind.TOOL_RESULT.value, "tool": tool, "payload": payload}
        yield self._event_record(place, event_fields, artifacts)

    def add_call(self, call: ToolCall) -> None:
        """Let a call wait for its result."""
        self._has_events = True
        self.calls.add(call)

    def leave_out(self, what: str, count: int = 1) -> None:
        """Count what is left out on purpose, in the plural, such as "system lines"."""
        self._left_out[what] += count

    def set_aside(self, place: MessagePosition, kind: EventKind, content: Json) -> None:
        """Set apart what nobody lived through, such as a system prompt."""
        try:
            body = read_content(content, place.where)
        except InvalidInput:
            return
        if (text := body.text or "\n".join(body.reasoning)) and self._has_events:
            self.leave_out(_ASIDES[kind])
        elif text:
            apart = replace(place, metadata={**place.metadata, "aside": True})
            self._deferred.append((apart, {"kind": kind.value, "payload": {"text": text}}))

    def finish(self) -> Iterator[ImportRecord]:
        """Yield what was set apart if there was nothing else, and refuse calls without results."""
        had_events = self._has_events
        deferred, self._deferred = self._deferred, []
        for place, event_fields in deferred:
            if had_events:
                self.leave_out(_ASIDES[EventKind(str(event_fields["kind"]))])
            else:
                yield self._event_record(place, event_fields, {})
        left_out, self._left_out = self._left_out, Counter()
        yield from (skip(self.key, what, n) for what, n in left_out.items() if n)
        yield from self.calls.skip_unanswered()

    def _add_calls(
        self, given: list[Json], in_content: list[ToolCall], where: str
    ) -> Iterator[ImportRecord]:
        """Let the calls of a message wait; one that stands in its content too is the same."""
        call_ids = set()
        for item in given:
            try:
                call = read_call(item, where)
            except InvalidInput as error:
                yield reject(where, str(error))
            else:
                call_ids.add(call.id)
                self.add_call(call)
        for call in in_content:
            if call.id not in call_ids:
                self.add_call(call)

    def _message_record(
        self, place: MessagePosition, kind: EventKind, body: MessageContent, person: str | None
    ) -> ImportRecord:
        event_fields: dict[str, Json] = {"kind": kind.value, "payload": {"text": body.text}}
        if person:
            event_fields["person"] = person
        parts = {"parts": body.metadata} if body.metadata else {}
        return self._event_record(
            replace(place, metadata={**place.metadata, **parts}), event_fields, body.artifacts
        )

    def _event_record(
        self,
        place: MessagePosition,
        event_fields: Mapping[str, Json],
        artifacts: Mapping[str, Json],
    ) -> ImportRecord:
        self._has_events = True
        about = self._conversation_metadata
        more = {"conversation": dict(about)} if about else {}
        metadata = replace_inline_data({**place.metadata, **more}, {})
        event = {
            **event_fields,
            "id": place.id,
            "session": {"key": self.key},
            **({"ts": ts} if (ts := place.ts or self.ts) else {}),
            **({"artifacts": list(artifacts.values())} if artifacts else {}),
            **({"metadata": {self._name: metadata}} if metadata else {}),
        }
        record = accept_event(place.where, event)
        if record.event is not None:
            self._conversation_metadata = {}
        is_own = place.id.startswith(f"{self.key}/")
        return replace(record, other_id=None if is_own else f"{self.key}/{place.id}")


class Conversations(dict[str, ConversationReader]):
    """The conversations of one file by their keys, each opened when it is first asked for."""

    def __init__(self, name: str, calls: PendingCalls | None = None) -> None:
        super().__init__()
        self._name, self._calls = name, calls

    def __missing__(self, key: str) -> ConversationReader:
        self[key] = ConversationReader(self._name, key, self._calls)
        return self[key]

    def finish(self) -> Iterator[ImportRecord]:
        """Yield what is left at the end of the file."""
        for conversation in self.values():
            yield from conversation.finish()


class ConversationKeys:
    """The keys of the conversations of one file: one that only has the key of another is numbered.

    It is the same conversation where one of the two goes on as the other begins, as in logs of
    requests that repeat what was said before.
    """

    def __init__(self) -> None:
        self._openings: dict[str, list[list[bytes]]] = {}

    def key_of(self, key: str, messages: Sequence[Json]) -> str:
        """Return the key of a conversation that the file names `key`."""
        digests = [_digest(message) for message in messages if not _is_configuration(message)]
        openings = self._openings.setdefault(key, [])
        for number, earlier in enumerate(openings):
            shorter = min(len(earlier), len(digests))
            if earlier[:shorter] == digests[:shorter]:
                openings[number] = max(earlier, digests, key=len)
                return f"{key}/{number + 1}" if number else key
        openings.append(digests)
        return f"{key}/{len(openings)}" if len(openings) > 1 else key


def _digest(message: Json) -> bytes:
    body = json.dumps(message, sort_keys=True).encode()
    return hashlib.blake2b(body, digest_size=8).digest()


def _is_configuration(message: Json) -> bool:
    return isinstance(message, dict) and SYSTEM in (message.get("role"), message.get("from"))


def read_text(source: ImportSource) -> str:
    """Return a whole document as clean text, line ends as newlines; `InvalidInput` if too large."""
    body = bytearray()
    while block := source.read():
        body += block
        if len(body) > source.bytes_max:
            raise InvalidInput(too_large(source.bytes_total or len(body), source.bytes_max))
    return clean_text(source.decode(bytes(body))).replace("\r\n", "\n").replace("\r", "\n")


def stem(source: ImportSource) -> str:
    """Return the file's name, or path, without its suffix: the last resort of a session key."""
    name = source.key or PurePath(source.name).stem
    return name.encode("utf-8", "replace").decode("utf-8") or "unnamed"


def numbered(name: str, number: int) -> str:
    """Return the name of the n-th conversation of a file, from 0; the first has the file's own."""
    return f"{name}/{number + 1}" if number else name


def content_id(*texts: str) -> str:
    """Return the id of what has none: the same content has the same, wherever it stands."""
    body = "\0".join(texts).encode("utf-8", "replace")
    return hashlib.blake2b(body, digest_size=10).hexdigest()


def unused_fields(fields: Mapping[str, Json], read: frozenset[str]) -> dict[str, Json]:
    """Return the fields that are not read, without nulls: they are kept as metadata."""
    return {name: value for name, value in fields.items() if name not in read and value is not None}


def _list_of_calls(calls: Json) -> list[Json]:
    if calls is None:
        return []
    if not isinstance(calls, list):
        raise InvalidInput(f"tool_calls is {json_type(calls)}: a list of calls is needed")
    return calls
