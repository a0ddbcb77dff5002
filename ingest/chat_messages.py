"""Messages as callers have them: arguments of `remember`, or as other libraries write messages.

The readers of the importers read those of OpenAI, Anthropic and LangChain: words, parts, tool calls
and results. A call goes with its result; one without a result yet is an event of its own. An empty
message is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.calls.arguments import checked
from ..core.errors import InvalidInput, MeridiaError
from ..core.events import ROLE_NAMES, Event, EventKind, parse_event
from ..core.types import Json
from .importers import langchain, openai_messages
from .importers.conversation_reader import ConversationReader
from .importers.import_record import ImportRecord
from .importers.message_content import PendingCalls, read_content
from .message_event import message_event

#: What a message may say besides what its library has: arguments of `remember`.
_OURS = ("person", "session", "at", "metadata", "artifacts")


def read_one(
    message: object, person: str | None, session: str | None, given: Mapping[str, Any]
) -> Event:
    """Return the one event of a message; what is `given` stands beside what it says itself."""
    more = {name: value for name, value in given.items() if value is not None}
    if more and isinstance(message, Mapping):
        message = {**message, **more}
    read = MessageReader(person, session).read([message])
    if len(read) != 1:
        raise InvalidInput(f"the message contains {len(read)} events: pass it to remember_many")
    return read[0]


@dataclass(slots=True)
class MessageReader:
    """Reads the messages of one call; `person` and `session` stand for those that name none."""

    person: str | None
    session: str | None
    calls: PendingCalls = field(default_factory=PendingCalls)

    def read(self, messages: Iterable[object]) -> list[Event]:
        """Return the events of messages, in order; `InvalidInput` names the first that is wrong."""
        events: list[Event] = []
        sessions: dict[str, str | None] = {}
        for number, given in enumerate(messages):
            where = f"message {number}"
            try:
                fields = self._fields(given)
                sessions[where] = fields.get("session")
                events.extend(self._events(fields, where))
            except (TypeError, MeridiaError) as error:
                reason = str(error).rpartition("message_event() ")[-1]
                raise InvalidInput(f"{where}: {reason}") from None
        for call in self.calls.take_unanswered():
            tool = {"name": call.name, **({"callId": call.id} if call.id else {})}
            event = {"kind": EventKind.TOOL_RESULT, "tool": tool, "payload": {"args": call.args}}
            events.append(parse_event(event | _session(sessions[call.where])))
        return events

    def _fields(self, given: object) -> dict[str, Any]:
        if not isinstance(given, Mapping):
            dump = getattr(given, "model_dump", None)
            given = dump() if callable(dump) and hasattr(given, "content") else given
        if not isinstance(given, Mapping):
            raise InvalidInput(f"is {type(given).__name__}: give a mapping")
        if "text" not in given and not is_chat_message(given):
            raise InvalidInput("has no text: give text, or role and content")
        fields = dict(given)
        if fields.get("session") is None:
            fields["session"] = self.session
        return fields

    def _events(self, fields: dict[str, Any], where: str) -> Iterator[Event]:
        if not is_chat_message(fields):
            if fields.get("role", "user") in {"user", "human"} and fields.get("person") is None:
                fields["person"] = self.person
            yield parse_event(checked(message_event)(**fields))
            return
        ours = {name: fields.pop(name) for name in _OURS if name in fields}
        ours = {name: value for name, value in ours.items() if value is not None}
        is_langchain = "lc" in fields or isinstance(fields.get("data"), dict)
        is_langchain = is_langchain or ("role" not in fields and "type" in fields)
        name = "langchain" if is_langchain else "openai_chat"
        message = langchain.flat_fields(fields) if is_langchain else {"role": "user", **fields}
        role = langchain.role_of(message) if is_langchain else _role(message)
        if not is_langchain:
            message["role"] = role
        if role == "system":
            text = read_content(message.get("content"), where).text
            yield parse_event(checked(message_event)(text, role=role, id=message.get("id"), **ours))
            return
        reader = ConversationReader(name, "-", self.calls)
        read = langchain.read_message if is_langchain else openai_messages.read_message
        for record in read(reader, where, str(message.get("id") or "-/"), message):
            if not record.skipped:
                yield self._completed(record, ours, has_id=bool(message.get("id")))

    def _completed(self, record: ImportRecord, ours: dict[str, Any], *, has_id: bool) -> Event:
        """Return the event of a record with what its message says besides."""
        if record.event is None:
            raise InvalidInput(str(record.problem))
        fields = record.event.as_json()
        if not has_id:
            del fields["id"]
        del fields["session"]
        given = checked(message_event)("-", **ours)
        own: dict[str, Any] = {n: given[n] for n in ("ts", "person", "session") if n in given}
        if fields["kind"] != EventKind.USER_MESSAGE:
            own.pop("person", None)
        elif "person" not in own and "person" not in fields and self.person:
            own["person"] = self.person
        for name, join in (("metadata", dict), ("artifacts", list)):
            if name in given:
                own[name] = _joined(join(fields.get(name, ())), given[name])
        return parse_event(fields | own)


def is_chat_message(fields: Mapping[str, Any]) -> bool:
    """Return whether a mapping is a message as others write it, not `remember`'s arguments."""
    return "text" not in fields and not {"content", "data", "lc", "tool_calls"}.isdisjoint(fields)


def _role(fields: Mapping[str, Any]) -> Json:
    role = fields["role"]
    name = role.lower() if isinstance(role, str) else role
    return ROLE_NAMES.get(name, name) if isinstance(name, str) else name


def _session(key: str | None) -> dict[str, Json]:
    return {} if key is None else {"session": {"key": key}}


def _joined(before: Any, given: Any) -> Any:
    return {**before, **given} if isinstance(before, dict) else [*before, *given]
