"""What was said or done, as callers have it, as an event.

That is the arguments of `remember`, a correction of a memory, or messages as OpenAI, Anthropic and
LangChain write them, which the readers of the importers read. A call goes with its result; one
without a result yet is an event of its own. An empty message is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..core import events
from ..core.calls.arguments import checked
from ..core.calls.cleaning import clean_id
from ..core.errors import Conflict, InvalidInput, MeridiaError, NotFound
from ..core.events import ROLE_NAMES, ROLES, Event, EventKind, parse_event
from ..core.time import When, read_time
from ..core.types import Artifact, Json, MemoryRecord
from ..core.vocabulary import CORRECTS
from .importers import agents, openai_messages
from .importers.conversation_reader import ConversationReader
from .importers.import_record import ImportRecord
from .importers.message_content import PendingCalls, read_content

_NO_NAME = re.compile(r"[\x01-\x1f\x7f-\x9f\u2028\u2029]")


def message_event(  # noqa: PLR0913 - one argument a field
    text: str,
    person: str | None = None,
    session: str | None = None,
    at: When | None = None,
    id: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    artifacts: Sequence[Artifact | Mapping[str, Any]] = (),
    role: str = "user",
    tool: str | None = None,
    error: bool = False,
) -> dict[str, Any]:
    """Return what was said or done as an event in the native form, without what was not given.

    Raises `InvalidInput` for an empty text without artifacts, a name of several lines, an unknown
    role, and a tool's result without the tool's name.
    """
    if not (str(text).strip() or artifacts):
        raise InvalidInput("text is empty: give what was said")
    if person and _NO_NAME.search(str(person)):
        raise InvalidInput("person must be one line, without control characters")
    role = ROLE_NAMES.get(role.lower(), role.lower())
    if role not in ROLES:
        names = ", ".join([*ROLES, *ROLE_NAMES])
        raise InvalidInput(f"role {role!r} is unknown: use {names}")
    if (role == "tool") != (tool is not None) or (error and tool is None):
        raise InvalidInput("role='tool' needs tool=NAME, and tool and error need role='tool'")
    references = [
        dict(a) if isinstance(a, Mapping) else {k: v for k, v in asdict(a).items() if v is not None}
        for a in artifacts
    ]
    given = {
        "id": id,
        "ts": read_time(at, "at"),
        "person": person,
        "session": None if session is None else {"key": session},
        "tool": None if tool is None else {"name": tool, "isError": error},
        "metadata": None if metadata is None else dict(metadata),
        "artifacts": references or None,
    }
    payload = {"text": text} if tool is None else {"result": text}
    message = {"kind": ROLES[role].value, "payload": payload}
    return message | {name: value for name, value in given.items() if value is not None}


def version_before(
    versions: Sequence[MemoryRecord], id: str, version_id: str | None
) -> MemoryRecord:
    """Return what a version corrects: the newest, or what it corrected when it first came.

    `versions` are those of the memory `id`, oldest first. Raises `NotFound` where none is left,
    and `Conflict` where `version_id` is that of the memory itself.
    """
    if not versions:
        raise NotFound(f"memory {id!r} was forgotten: remember the text as a new memory")
    wanted = version_id and clean_id(version_id)
    again = next((each for each in versions if wanted and each.event_id == wanted), None)
    if again is None:
        return versions[-1]
    for each in versions:
        if each.id == again.corrects:
            return each
    raise Conflict(f"{version_id!r} is the memory itself: give its correction another id")


def next_version(before: MemoryRecord, text: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the event that corrects a version: what is not given is as it was."""
    role = events.ROLE_OF_KIND.get(before.kind, "note")
    fields: dict[str, Any] = {
        "person": before.given_person,
        "session": before.session,
        "metadata": before.metadata,
        "artifacts": before.artifacts,
        "role": role,
        "tool": before.tool if before.kind == "tool_result" else None,
    }
    fields |= {name: value for name, value in given.items() if value is not None}
    fields["metadata"] = {**fields["metadata"], CORRECTS: before.id}
    return checked(message_event)(text, **fields)


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
            key = sessions[call.where]
            events.append(parse_event(event | ({} if key is None else {"session": {"key": key}})))
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
        name, message = "openai_chat", {"role": "user", **fields}
        if is_langchain:
            name, fields = "langchain", agents.flat_fields(fields)
            message = agents.chat_message(fields) or {}
        elif "role" in fields:
            message["role"] = _role(fields)
        id = fields.get("id")
        if message.get("role") == "system":
            text = read_content(message.get("content"), where).text
            yield parse_event(checked(message_event)(text, role="system", id=id, **ours))
            return
        reader = ConversationReader(name, "-", self.calls)
        read = openai_messages.read_message(reader, where, str(id or "-/"), message)
        for record in read if message else ():
            if not record.skipped:
                yield self._completed(record, ours, has_id=bool(id))

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


def _joined(before: Any, given: Any) -> Any:
    return {**before, **given} if isinstance(before, dict) else [*before, *given]
