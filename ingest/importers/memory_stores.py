"""What other memories export: Zep, mem0, Graphiti, a knowledge graph, Letta, Claude.

What they derived is not taken over, but what they were told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...core.errors import InvalidInput
from ...core.events import EventKind, encode
from ...core.types import Json
from .conversation_reader import (
    ConversationReader,
    MessagePosition,
    content_id,
    stem,
    unused_fields,
)
from .import_record import (
    EMPTY,
    ImportRecord,
    ImportSource,
    first_label,
    json_type,
    list_in,
    object_in,
    objects_in,
    refusing,
    skip,
)
from .json_pieces import read_items, read_objects
from .message_content import parse_arguments
from .openai_messages import (
    MessageForm,
    call,
    calling,
    conversation_records,
    result,
    thinking,
)
from .timestamps import find_time, parse_timestamp

# Zep: the messages of its sessions and threads, and the facts of its graph.
#
# A message has its role, and the name of who has it. A fact is a note that holds from when Zep
# says.

_ROLES = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}


def _zep_turns(message: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    if isinstance(message.get("fact"), str):
        since = {"timestamp": message["valid_at"]} if message.get("valid_at") else {}
        yield {"role": "note", "content": message["fact"], **since}
        return
    kind, role = message.get("role_type"), message.get("role")
    name = message.get("name") if kind is None else role
    shown = _ROLES.get(str(kind if kind is not None else role), "user")
    named = {"name": name} if isinstance(name, str) and shown == "user" and name != "user" else {}
    if shown == "tool":
        named = {"name": name or "tool"}
    yield {"role": shown, "content": message.get("content"), **named}


ZEP = MessageForm("zep", "messages facts edges", "thread_id session_id uuid", _zep_turns)


# Lists of notes: each a text with its owner, its session and its time.


@dataclass(frozen=True, slots=True)
class _NoteForm:
    """How a format writes notes: the names of their lists, and of the fields of each.

    Of several times the best one comes first. All other fields are kept as metadata.
    """

    name: str
    lists: tuple[str, ...]
    item: str
    needs: str
    text: str
    id: str
    session: str
    times: tuple[str, ...]
    person: str = ""
    takes_objects: bool = False

    def read(self, source: ImportSource) -> Iterator[ImportRecord]:
        """Yield one record a note, by its own id, or else "<session or file>/<index>"."""
        name = stem(source)
        return read_items(source, self.lists, self.item, lambda *given: self._note(name, *given))

    def _note(
        self, name: str, where: str, note: Json, number: int, holder: Mapping[str, Json]
    ) -> Iterator[ImportRecord]:
        if not isinstance(note, dict):
            raise InvalidInput(f"is {json_type(note)}: {self.needs} is needed")
        text = note.get(self.text)
        if isinstance(text, dict) and self.takes_objects:
            text = encode(text)  # a record handed in as JSON is kept as its text
        if not isinstance(text, str):
            wanted = "text or an object" if self.takes_objects else "text"
            raise InvalidInput(f"{self.text} is {json_type(text)}: {wanted} is needed")
        key = first_label(note, self.session) or first_label(holder, self.session) or name
        time = next((name for name in self.times if note.get(name) is not None), "")
        used = frozenset({self.text, self.id, self.session, self.person, time})
        id = first_label(note, self.id) or f"{key}/{number}"
        place = MessagePosition(
            where, id, parse_timestamp(note.get(time)), unused_fields(note, used)
        )
        person = first_label(note, self.person)
        session = ConversationReader(self.name, key)
        return session.message(place, EventKind.MANUAL_INGEST, text, person=person)


# mem0 exports: memories that mem0 made from conversations, each a text with its owner.
#
# What mem0 derived beside them (`relations`) is not imported. A memory belongs to the person that
# `user_id` names and to the session that `run_id` names, or else the file. It happened when it was
# created; a later change of it (`updated_at`) is kept as metadata.

MEM0 = _NoteForm(
    name="mem0",
    lists=("results", "memories"),
    item="memory",
    needs="a memory with id and memory",
    text="memory",
    id="id",
    session="run_id",
    times=("created_at",),
    person="user_id",
)


# Graphiti exports: episodes, the raw texts, messages and records that a Graphiti graph is made of.
#
# Entities, facts and communities are derived from the episodes and are not imported. An episode
# belongs to the session that its group names, or else the file, and it happened at its reference
# time. A message keeps its form "speaker: words"; nobody is guessed from it.

GRAPHITI = _NoteForm(
    name="graphiti",
    lists=("episodes",),
    item="episode",
    needs="an episode with content",
    text="content",
    id="uuid",
    session="group_id",
    times=("reference_time", "valid_at", "created_at"),
    takes_objects=True,
)


# The memory of MCP's reference server (`memory.jsonl`): entities with observations, and relations.
#
# Each observation is a note about its entity, and so is each relation. It knows no times.


def read_knowledge_graph(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record an observation or relation, by the id "<file>/<digest>"."""
    conversation = ConversationReader("memory_graph", stem(source))

    def read_object(where: str, fields: dict[str, Json], _: int) -> Iterator[ImportRecord]:
        listed = [*(list_in(fields, "entities") or ()), *(list_in(fields, "relations") or ())]
        for each in listed or [fields]:
            yield from refusing(where, _knowledge_graph_notes(conversation, where, each))

    return read_objects(source, read_object)


def _knowledge_graph_notes(
    conversation: ConversationReader, where: str, each: Json
) -> Iterator[ImportRecord]:
    texts = _texts(each if isinstance(each, dict) else {})
    if not texts:
        yield skip(where, EMPTY)
    ts, _ = find_time(each)
    for text in texts:
        place = MessagePosition(where, f"{conversation.key}/{content_id(text)}", ts)
        yield from conversation.message(place, EventKind.MANUAL_INGEST, text)


def _texts(fields: Mapping[str, Json]) -> list[str]:
    """Return what an entity or a relation says, each as a sentence about it."""
    source, target = first_label(fields, "from"), first_label(fields, "to")
    if source and target:
        relation = (first_label(fields, "relationType") or "is related to").replace("_", " ")
        return [f"{source} {relation} {target}"]
    name, kind = first_label(fields, "name"), first_label(fields, "entityType")
    if name is None:
        raise InvalidInput("is neither a named entity nor a relation: correct or remove it")
    about = f"{name} ({kind})" if kind else name
    return [
        f"{about}: {text}"
        for text in list_in(fields, "observations") or ()
        if isinstance(text, str) and text.strip()
    ]


# Claude's memories.json: what it keeps in mind of its user, and of each project. Each is a note.


def read_claude_memories(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a memory, by the id "<file>/<digest>"."""
    conversation = ConversationReader("claude_memories", stem(source))

    def read_object(where: str, fields: dict[str, Json], _: int) -> Iterator[ImportRecord]:
        of_projects = object_in(fields, "project_memories").values()
        for text in (fields.get("conversations_memory"), *of_projects):
            if isinstance(text, str) and text.strip():
                id = f"{conversation.key}/{content_id(text)}"
                place = MessagePosition(where, id, find_time(fields)[0])
                yield from conversation.message(place, EventKind.MANUAL_INGEST, text)

    return read_objects(source, read_object)


# Letta: agent files (.af), lists of messages of its API, and memory blocks and passages.
#
# What an agent says through the tool `send_message` is what it says; what the system packs around a
# user's words is taken away. Memory blocks and passages are notes.

_SAYS = "send_message"
_API_ROLES = {"user_message": "user", "assistant_message": "assistant", "system_message": "system"}


def read_letta(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, block or passage; messages by their own ids."""
    name = stem(source)
    bare: list[Json] = []

    def read_object(where: str, fields: dict[str, Json], _: int) -> Iterator[ImportRecord]:
        if "message_type" in fields:
            bare.append(fields)
            return
        listed = list_in(fields, "agents") is not None
        for agent in objects_in(fields, "agents") if listed else [fields]:
            if list_in(agent, "messages") is not None:
                key = first_label(agent, "name", "id") or name
                yield from conversation_records(_FORM, key, where, agent)
        yield from _letta_notes(fields, where, name)

    yield from read_objects(source, read_object)
    if bare:
        yield from conversation_records(_FORM, name, source.name, {"messages": bare})


def _letta_notes(fields: Mapping[str, Json], where: str, name: str) -> Iterator[ImportRecord]:
    """Yield the memory blocks and passages that an object holds, or that it is one of."""
    lists = ("blocks", "core_memory", "passages", "archival_memory")
    conversation = ConversationReader("letta", name)
    for item in [fields, *(item for held in lists for item in objects_in(fields, held))]:
        text = item.get("value", item.get("text"))
        if not isinstance(text, str):
            continue
        label = first_label(item, "label")
        content = f"{label}: {text}" if label else text
        id = first_label(item, "id") or f"{name}/{content_id(content)}"
        place = MessagePosition(where, id, find_time(item)[0])
        yield from conversation.message(place, EventKind.MANUAL_INGEST, content)


def _letta_turns(message: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    kind = message.get("message_type")
    if kind is None:
        yield from _stored(message)
    elif role := _API_ROLES.get(str(kind)):
        yield {"role": role, "content": _unpacked(message.get("content"))}
    elif kind in ("reasoning_message", "hidden_reasoning_message"):
        yield {"role": "assistant", "content": thinking(message.get("reasoning"))}
    elif kind == "tool_call_message":
        given = message.get("tool_call")
        if not isinstance(given, dict):
            raise InvalidInput("tool_call is missing: name and arguments are needed")
        yield from _call(given.get("tool_call_id"), given.get("name"), given.get("arguments"))
    elif kind == "tool_return_message" and message.get("name") != _SAYS:
        status = message.get("status")
        failed = None if status is None else status == "error"
        given = message.get("tool_return")
        yield result(message.get("tool_call_id"), message.get("name"), given, failed=failed)


def _stored(message: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """Yield a message as an agent file has it: in OpenAI's form, with words of the system."""
    role, calls = message.get("role"), message.get("tool_calls")
    if role == "tool":
        if message.get("name") != _SAYS:
            yield {name: message.get(name) for name in ("role", "tool_call_id", "name", "content")}
        return
    content = _unpacked(message.get("content"))
    thinks = role == "assistant" and bool(calls)  # what it says goes through the tool
    if thinks:
        words = content if isinstance(content, str) else None
        content = thinking(words) if words else None
    if content or not calls:
        yield {"role": role, "content": content}
    for given in objects_in(message, "tool_calls"):
        if isinstance(inner := given.get("function"), dict):
            yield from _call(given.get("id"), inner.get("name"), inner.get("arguments"))


def _call(id: Json, name: Json, arguments: Json) -> Iterator[Mapping[str, Json]]:
    if name == _SAYS:
        args = parse_arguments(arguments)
        yield {
            "role": "assistant",
            "content": args.get("message") if isinstance(args, dict) else args,
        }
    else:
        yield calling(None, call(id, name, arguments))


def _unpacked(content: Json) -> Json:
    """Return a user's words out of the object that the system packs them into."""
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        content = content[0].get("text", content)
    packed = parse_arguments(content)
    if isinstance(packed, dict) and packed.get("type") == "user_message":
        return packed.get("message")
    is_notice = isinstance(packed, dict) and packed.get("type") in (
        *("heartbeat", "login", "system_alert"),
    )
    return None if is_notice else content


_FORM = MessageForm("letta", "messages", "name id", _letta_turns)
