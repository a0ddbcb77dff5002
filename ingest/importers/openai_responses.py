"""OpenAI Responses transcripts: responses with their output, and lists of items.

Imported are messages and what tools gave back, of functions and of the built-in tools alike. The
instructions and reasoning are left out unless a conversation holds nothing else; approvals, lists
of tools, references and compactions are bookkeeping and are always left out. Responses that go on
from one another share a session: the conversation's id, or the id of the first of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from .content import Answer, Call, parsed
from .conversation import Conversation, Place, instant, named, pieces, stem, unread
from .record import Format, Limits, Record, Source, json_type, label, objects, refuse

#: Tools whose item holds arguments and result: the fields of both.
_WHOLE = {
    "mcp_call": ("arguments", "output"),
    "web_search_call": ("action", "results"),
    "file_search_call": ("queries", "results"),
    "code_interpreter_call": ("code", "outputs"),
    "image_generation_call": ("revised_prompt", "result"),
}
_ARGUMENTS = ("arguments", "input", "action", "actions", "operation")
_BOOKKEEPING = frozenset(
    {"mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "item_reference"}
    | {"compaction", "compaction_trigger", "additional_tools", "program", "program_output"}
    | {"tool_search_call", "tool_search_output"}
)
#: What an item may be known by, and what things with a type have that are none.
_OF_ITEMS = ({"role", "content"}, {"call_id"}, {"id", "summary"}, {"id", "status"})
_OF_OTHERS = frozenset({"lc", "additional_kwargs", "response_metadata", "sessionId", "leafUuid"})
_SPEAKERS = {"user": EventKind.USER_MESSAGE, "assistant": EventKind.ASSISTANT_MESSAGE}
#: Fields that become parts of the event; all others are kept as metadata.
_READ_OF_ITEM = frozenset(
    {"type", "id", "role", "content", "call_id", "name", "output", "summary", "encrypted_content"}
)
_READ_OF_RESPONSE = frozenset(
    {"object", "id", "created_at", "input", "output", "items", "data", "instructions"}
    | {"conversation", "previous_response_id", "output_text", "first_id", "last_id", "has_more"}
)


@dataclass(slots=True)
class _Transcript:
    """One file while it is read.

    `counts` are the items of each session so far, `keys` the sessions of responses, and `seen` the
    ids of items: a response's input often repeats what an earlier one put out.
    """

    name: str
    limits: Limits
    sessions: dict[str, Conversation] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def session(self, key: str) -> Conversation:
        """Return the session of a key."""
        if key not in self.sessions:
            self.sessions[key] = Conversation("openai_responses", key, self.limits)
        return self.sessions[key]

    def response(self, where: str, fields: Mapping[str, Json], fallback: str) -> Iterator[Record]:
        """Yield what a response holds, or a list of items: first its input, then its output."""
        try:
            items = _items(fields)
            ts = instant(fields.get("created_at"))
        except InvalidInput as error:
            yield refuse(where, str(error))
            return
        session = self.session(self._key(fields, fallback))
        session.describe(unread(fields, _READ_OF_RESPONSE))
        told = Place(where, f"{session.key}/instructions", ts)
        session.aside(told, EventKind.MANUAL_INGEST, fields.get("instructions"))
        for number, (item, own) in enumerate(items, start=1):
            place = f"{where} item {number}"
            if own or not self._repeated(item):
                yield from self.item(session, place, item, ts if own else None)

    def item(
        self, session: Conversation, where: str, item: Json, ts: str | None
    ) -> Iterator[Record]:
        """Yield what one item holds."""
        index = self.counts.get(session.key, 0)
        self.counts[session.key] = index + 1
        try:
            if not isinstance(item, dict):
                raise InvalidInput(f"is {json_type(item)}: an item with a type is needed")
            id = named(item, "id") or f"{session.key}/{index}"
            self.seen.add(id)
            ts = instant(item.get("created_at")) or ts
            place = Place(where, id, ts, unread(item, _READ_OF_ITEM | {"created_at"}))
            yield from _happened(session, place, item)
        except InvalidInput as error:
            yield refuse(where, str(error))

    def finish(self) -> Iterator[Record]:
        """Yield what is left at the end of the file."""
        for session in self.sessions.values():
            yield from session.finish()

    def _repeated(self, item: Json) -> bool:
        return isinstance(item, dict) and named(item, "id") in self.seen

    def _key(self, fields: Mapping[str, Json], fallback: str) -> str:
        conversation, own = fields.get("conversation"), named(fields, "id")
        if isinstance(conversation, dict):
            conversation = conversation.get("id")
        before = named(fields, "previous_response_id")
        key = named({"id": conversation}, "id")
        if key is None:
            key = self.keys.get(before, before) if before else own or fallback
        if own:
            self.keys[own] = key
        return key


def read(source: Source, limits: Limits) -> Iterator[Record]:
    """Yield one record a message or result, in the order of the items.

    Items have their own ids, or else "<session>/<index>".
    """
    name = stem(source)
    transcript = _Transcript(name, limits)
    for number, found in enumerate(objects(pieces(source, limits))):
        if isinstance(found, Record):
            yield found
            continue
        where, fields = found
        if "type" in fields or "role" in fields:
            yield from transcript.item(transcript.session(name), where, fields, None)
        else:
            fallback = f"{name}/{number + 1}" if number else name
            yield from transcript.response(where, fields, fallback)
    yield from transcript.finish()


def _items(fields: Mapping[str, Json]) -> list[tuple[Json, bool]]:
    """Return the items of a response, with whether each is its own: its input came before it."""
    given = fields.get("input")
    before = [{"role": "user", "content": given}] if isinstance(given, str) else given
    name = next((n for n in ("output", "items", "data") if n in fields), "output")
    items = fields.get(name)
    if items is None and isinstance(before, list):
        items = []
    if not isinstance(items, list):
        raise InvalidInput(f"{name} is {json_type(items)}: a list of items is needed")
    asked = before if isinstance(before, list) else []
    return [*((item, False) for item in asked), *((item, True) for item in items)]


def _happened(session: Conversation, place: Place, item: Mapping[str, Json]) -> Iterator[Record]:
    kind = item.get("type", "message")
    if not isinstance(kind, str):
        raise InvalidInput(f"type is {json_type(kind)}: message or function_call is needed")
    if kind in _BOOKKEEPING:
        return
    if kind == "message":
        yield from _message(session, place, item)
    elif kind == "reasoning":
        session.aside(place, EventKind.ASSISTANT_MESSAGE, [item])
    elif kind in _WHOLE:
        yield from _whole(session, place, item, kind)
    elif kind.endswith("_output"):
        yield from session.result(place, _answer(item))
    elif kind.endswith("_call"):
        session.wait(_call(place, item, kind))
    else:
        raise InvalidInput(f"type is {kind[:80]!r}: it is no item that is known")


def _message(session: Conversation, place: Place, item: Mapping[str, Json]) -> Iterator[Record]:
    role, content = item.get("role"), item.get("content")
    if role in ("system", "developer"):
        session.aside(place, EventKind.MANUAL_INGEST, content)
    elif isinstance(role, str) and role in _SPEAKERS:
        yield from session.message(place, _SPEAKERS[role], content, person=named(item, "name"))
    else:
        given = repr(role[:80]) if isinstance(role, str) else json_type(role)
        raise InvalidInput(f"role is {given}: system, user or assistant is needed")


def _call(place: Place, item: Mapping[str, Json], kind: str) -> Call:
    args = next((item[name] for name in _ARGUMENTS if item.get(name) is not None), None)
    id = label(item, "call_id" if item.get("call_id") is not None else "id")
    return Call(place.where, _tool(item, kind), parsed(args), id)


def _answer(item: Mapping[str, Json]) -> Answer:
    output = item.get("output")
    id = label(item, "call_id" if item.get("call_id") is not None else "id")
    return Answer(
        [output] if isinstance(output, dict) else output,
        id,
        named(item, "name"),
        True if item.get("status") == "failed" else None,
    )


def _whole(
    session: Conversation, place: Place, item: Mapping[str, Json], kind: str
) -> Iterator[Record]:
    """Yield the result of a built-in tool; a picture that it made becomes an artifact."""
    given, gave = _WHOLE[kind]
    id, result, error = label(item, "id"), item.get(gave), item.get("error")
    if kind == "image_generation_call" and isinstance(result, str):
        media = f"image/{named(item, 'output_format') or 'png'}"
        result = [{"type": "image", "base64": result, "media_type": media}]
    args = parsed(item.get(given))
    args = args if isinstance(args, dict) else {given: args}
    session.wait(Call(place.where, _tool(item, kind), args, id))
    failed = error is not None or item.get("status") == "failed"
    used = {given, gave, "error"} if result is None else {given, gave}
    kept = {name: value for name, value in place.kept.items() if name not in used}
    answer = Answer(error if result is None else result, id, failed=failed)
    yield from session.result(replace(place, kept=kept), answer)


def _tool(item: Mapping[str, Json], kind: str) -> str:
    return named(item, "name") or kind.removesuffix("_call")


def _recognises(keys: frozenset[str]) -> bool:
    bare = "type" in keys and keys.isdisjoint(_OF_OTHERS) and any(m <= keys for m in _OF_ITEMS)
    listed = "object" in keys and not keys.isdisjoint({"data.role", "data.call_id"})
    inner = {"output.type", "input.role", "input.call_id", "items.role", "items.call_id"}
    return bare or listed or not keys.isdisjoint(inner) or {"object", "output"} <= keys


FORMAT = Format(
    name="openai-responses",
    description="OpenAI Responses: objects with output, or items such as message, function_call",
    recognises=_recognises,
    read=read,
)
