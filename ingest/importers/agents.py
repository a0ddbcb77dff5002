"""What agents keep of their conversations: lists of messages, each format a declaration of its own.

Most are a form: see `openai_messages`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from ...language.machine_text import SIDECHAIN_FLAG, is_for_model
from .conversation_reader import (
    ConversationReader,
    Conversations,
    MessagePosition,
    numbered,
    stem,
    unused_fields,
)
from .import_options import ASSISTANT, SYSTEM, TOOL, USER
from .import_record import (
    BOOKKEEPING,
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
from .json_pieces import read_objects
from .message_content import PendingCalls
from .openai_messages import (
    MessageForm,
    ResponsesTranscript,
    call,
    calling,
    read_message,
    result,
    thinking,
)
from .timestamps import find_time, parse_timestamp

Turns = Iterator[Mapping[str, Json]]


# Codex sessions (`rollout-*.jsonl`): lines with a time, a type and what happened.
#
# Read are the items of the conversation, which are those of OpenAI's Responses; events repeat them
# for the screen, and everything else is the client's bookkeeping. Older sessions have bare items.


def read_codex(source: ImportSource) -> Iterator[ImportRecord]:
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


# Gemini: sessions of its command line, and the contents that its API takes and gives.

_ROLES = {"user": "user", "gemini": "assistant", "model": "assistant", "function": "tool"}


def _gemini_turns(message: Mapping[str, Json]) -> Turns:
    role = _ROLES.get(str(message.get("type", message.get("role"))))
    if role is None:  # notices of the command line
        return
    content = message.get("content", message.get("message", message.get("parts")))
    texts: list[Json] = []
    for block in content if isinstance(content, list) else [content]:
        given, answer = _of(block, "functionCall"), _of(block, "functionResponse")
        if given is not None:
            id, name = given.get("id"), given.get("name")
            yield {**calling(texts, call(id, name, given.get("args"))), "role": role}
            texts = []
        elif answer is not None:
            yield _result(answer, None)
        else:
            texts += _texts(block)
    called = objects_in(message, "toolCalls")
    given_calls = [call(each.get("id"), each.get("name"), each.get("args")) for each in called]
    if texts or called or not content:
        yield {"role": role, "content": texts, **({"tool_calls": given_calls} if called else {})}
    for each in called:
        failed = each.get("status") in ("error", "cancelled") if each.get("status") else None
        inner = [_of(answer, "functionResponse") for answer in objects_in(each, "result")]
        answered = next(filter(None, inner), {"response": each.get("result")})
        yield _result({**answered, "id": each.get("id"), "name": each.get("name")}, failed)


def _of(block: Json, name: str) -> dict[str, Json] | None:
    inner = block.get(name) if isinstance(block, dict) else None
    return inner if isinstance(inner, dict) else None


def _result(answer: Mapping[str, Json], failed: bool | None) -> dict[str, Json]:
    """Return a result; its output stands alone where nothing else is given back."""
    response = answer.get("response")
    if isinstance(response, dict) and len(response) == 1 and "output" in response:
        response = response["output"]
    return result(answer.get("id"), answer.get("name"), response, failed=failed)


def _texts(block: Json) -> list[Json]:
    if isinstance(block, str):
        return [block] if block.strip() else []
    data = _of(block, "inlineData") or _of(block, "fileData")
    if data is not None:
        address = {"url": data["fileUri"]} if "fileUri" in data else {"data": data.get("data")}
        return [{"type": "file", "mimeType": data.get("mimeType"), **address}]
    if isinstance(block, dict) and isinstance(block.get("text"), str):
        kind = "reasoning" if block.get("thought") is True else "text"
        return [{"type": kind, kind: block["text"]}]
    return []


GEMINI = MessageForm("gemini", "messages contents history", "sessionId", _gemini_turns)


# OpenCode: exported sessions, whose messages have what is known of them apart from their parts.


def _opencode_turns(message: Mapping[str, Json]) -> Turns:
    info, parts = message.get("info"), message.get("parts")
    role = info.get("role") if isinstance(info, dict) else None
    content: list[Json] = []
    for block in parts if isinstance(parts, list) else []:
        if not isinstance(block, dict):
            continue
        state = block.get("state")
        if block.get("type") == "tool" and isinstance(state, dict):
            id, name, status = block.get("callID"), block.get("tool"), state.get("status")
            yield calling(content, call(id, name, state.get("input")))
            content = []
            if status in ("completed", "error"):
                answer = state.get("output", state.get("error"))
                yield result(id, name, answer, failed=status == "error")
        elif block.get("type") == "file":
            content.append({**block, "mimeType": block.get("mime")})
        elif not block.get("synthetic") and block.get("type") == "text":
            content.append({"type": "text", "text": block.get("text")})
        elif block.get("type") == "reasoning":
            content += thinking(block.get("text"))
    if content:
        yield {"role": role, "content": content}


OPENCODE = MessageForm("opencode", "messages", "sessionID id", _opencode_turns)


# The message history of pydantic-ai: requests and responses, each with its parts.


def _pydantic_ai_turns(message: Mapping[str, Json]) -> Turns:
    parts = message.get("parts")
    if not isinstance(parts, list):
        raise InvalidInput(f"parts is {json_type(parts)}: a list of parts is needed")
    for block in parts:
        if not isinstance(block, dict):
            raise InvalidInput(f"a part is {json_type(block)}: an object is needed")
        when = {"timestamp": block["timestamp"]} if block.get("timestamp") else {}
        for turn in _turn(block):
            yield {**when, **turn}


def _turn(block: Mapping[str, Json]) -> Turns:
    kind, content = str(block.get("part_kind")), block.get("content")
    id, name = block.get("tool_call_id"), block.get("tool_name")
    if kind == "system-prompt" or (kind == "retry-prompt" and not name):
        yield {"role": "system", "content": content if isinstance(content, str) else None}
    elif kind == "user-prompt":
        yield {"role": "user", "content": _given(content)}
    elif kind == "text":
        yield {"role": "assistant", "content": content}
    elif kind == "thinking":
        yield {"role": "assistant", "content": thinking(content)}
    elif kind.endswith("tool-call"):
        yield calling(None, call(id, name, block.get("args")))
    elif kind.endswith("tool-return"):
        outcome = block.get("outcome")
        yield result(id, name, content, failed=None if outcome is None else outcome != "success")
    elif kind == "retry-prompt":
        yield result(id, name, content, failed=True)
    else:
        raise InvalidInput(f"part_kind is {kind[:80]!r}: it is not a known part")


def _given(content: Json) -> Json:
    """Return what a user gave: text, or texts, addresses and files."""
    if not isinstance(content, list):
        return content
    return [
        {"type": str(item.get("kind", "file")).removesuffix("-url"), **item}
        if isinstance(item, dict)
        else item
        for item in content
    ]


PYDANTIC_AI = MessageForm(
    "pydantic-ai", "messages", "conversation_id run_id id", _pydantic_ai_turns
)


# Messages of Vercel's AI SDK, as its chats keep them: an id, a role and parts.


def _vercel_ai_turns(message: Mapping[str, Json]) -> Turns:
    role, parts = message.get("role"), message.get("parts")
    if not isinstance(parts, list):
        yield {"role": role, "content": message.get("content")}
        return
    content: list[Json] = []
    for block in parts:
        invocation = _invocation(block)
        if invocation is None:
            content += _content(block)
            continue
        id, name, args = (invocation.get(key) for key in ("toolCallId", "toolName", "input"))
        yield calling(content, call(id, name, args))
        content = []
        state = invocation.get("state")
        if state in ("output-error", "error"):
            yield result(id, name, invocation.get("errorText"), failed=True)
        elif "output" in invocation:
            yield result(id, name, invocation["output"])
    if content or not parts:
        yield {"role": role, "content": content}


def _invocation(block: Json) -> dict[str, Json] | None:
    """Return a call of a tool with its result, in whichever version's form it is."""
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(block, dict) or not isinstance(kind, str):
        return None
    older = block.get("toolInvocation")
    if kind == "tool-invocation" and isinstance(older, dict):
        renamed = {"args": "input", "result": "output"}
        return {renamed.get(str(name), str(name)): value for name, value in older.items()}
    if kind == "dynamic-tool":
        return block
    return {"toolName": kind[5:], **block} if kind.startswith("tool-") else None


def _content(block: Json) -> list[Json]:
    """Return a part as all formats write it; steps and data of the page are none."""
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(kind, str) or not isinstance(block, dict):
        return [block]
    if kind == "reasoning":
        return thinking(block.get("text", block.get("reasoning")))
    if kind == "step-start" or kind.startswith(("data-", "source")):
        return []
    names = {"type", "text", "url", "mediaType", "filename", "data", "mimeType"}
    return [{name: value for name, value in block.items() if name in names}]


VERCEL_AI = MessageForm("vercel-ai", "messages", "chatId id", _vercel_ai_turns)


# Claude Code transcripts: session files of JSON Lines, or an export with its `loglines`.
#
# Everything but the lines of users and assistants is the client's bookkeeping. Cursor's transcripts
# have `role` where these have `type`, and neither ids nor times. Lines marked as meta and summaries
# of a compacted session were written for the model. A sub-agent has its own session,
# "<session>/<agent>"; one without an id is named by the first line of its chain. `toolUseResult`
# repeats a result in the client's own form: of a long one the size is kept.

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


def read_claude_code(source: ImportSource) -> Iterator[ImportRecord]:
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


# LangChain messages and LangGraph states, in the three forms that these libraries write.
#
# A message is a dict with type and data, a serialised constructor, or its plain fields. A file
# holds a list of them, objects with `messages`, or states of a graph with `values`; of several
# states of one thread each message is imported once. System messages and reasoning are left out
# unless a conversation holds nothing else; messages that only remove others are left out, and so is
# what a state says of its checkpoint. A subgraph has its own session, "<thread>/<subgraph>".

#: Takes a message back.
_REMOVE = "remove"
_MESSAGE_ROLES = {
    **dict.fromkeys(("human", "user"), USER),
    **dict.fromkeys(("ai", "assistant"), ASSISTANT),
    **dict.fromkeys(("system", "developer"), SYSTEM),
    **dict.fromkeys(("tool", "function"), TOOL),
    _REMOVE: _REMOVE,
}
_STATES = ("values", "channel_values")
_THREADS = ("thread_id", "session_id", "conversation_id")
#: Fields of `additional_kwargs` that do.
_READ_OF_EXTRA = frozenset({"tool_calls", "function_call", "reasoning_content"})
#: Fields of a message that become parts of the event; all others are kept as metadata.
_READ_OF_MESSAGE = frozenset(
    {"type", "role", "content", "id", "tool_calls", "invalid_tool_calls", "tool_call_id", "status"}
    | {"tool_call_chunks"}
)


class _LangChainTranscript:
    """One file while it is read: its sessions, and which document held a message first."""

    def __init__(self, name: str) -> None:
        self.name, self.sessions = name, Conversations("langchain")
        self._document_by_message: dict[tuple[str, str], int] = {}
        self._documents = 0

    def object(self, where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        """Yield what an object holds: a message, or an object with `messages`, or a state."""
        if "type" in fields:
            return self._message(self.sessions[self.name], where, f"{self.name}/{number}", fields)
        return self._document(where, fields, numbered(self.name, number))

    def _document(
        self, where: str, fields: Mapping[str, Json], fallback: str
    ) -> Iterator[ImportRecord]:
        held = next((fields[n] for n in _STATES if isinstance(fields.get(n), dict)), fields)
        messages = held.get("messages")
        if not isinstance(messages, list):
            raise InvalidInput(f"messages is {json_type(messages)}: a list of messages is needed")
        self._documents += 1
        session = self.sessions[_thread(fields) or fallback]
        session.set_metadata(unused_fields(held, frozenset({"messages", *_THREADS})))
        session.ts = find_time(fields)[0]
        for index, message in enumerate(messages):
            place, id = f"{where} message {index + 1}", f"{session.key}/{index}"
            yield from refusing(place, self._message(session, place, id, message))

    def _message(
        self, session: ConversationReader, where: str, fallback: str, given: Json
    ) -> Iterator[ImportRecord]:
        """Yield what one message holds, unless another state of its thread held it before."""
        fields = flat_fields(given)
        id = first_label(fields, "id") or fallback
        first = self._document_by_message.setdefault((session.key, id), self._documents)
        message = chat_message(fields)
        if message and first == self._documents:
            yield from read_message(session, where, id, message)


def read_langchain(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message of a human, an AI or a tool; the formats know no times.

    Messages have their own ids, or else "<session>/<index>".
    """
    transcript = _LangChainTranscript(stem(source))
    yield from read_objects(source, transcript.object)
    yield from transcript.sessions.finish()


def _thread(fields: Mapping[str, Json]) -> str | None:
    """Return the thread that a state belongs to, with its subgraph if it is one's."""
    inner = object_in(object_in(fields, "config"), "configurable")
    for place in (inner, object_in(fields, "checkpoint"), fields):
        if thread := first_label(place, *_THREADS):
            subgraph = first_label(place, "checkpoint_ns")
            return f"{thread}/{subgraph}" if subgraph else thread
    return None


def flat_fields(given: Json) -> dict[str, Json]:
    """Return the plain fields of a message, in whichever of the three forms it is."""
    if not isinstance(given, dict):
        raise InvalidInput(f"is {json_type(given)}: a message with type and content is needed")
    if isinstance(given.get("data"), dict):
        return {"type": given.get("type"), **given["data"]}
    if "lc" not in given:
        return given
    path, fields = given.get("id"), given.get("kwargs")
    if not (isinstance(path, list) and path and isinstance(path[-1], str)):
        raise InvalidInput("id is not the path of a class: a serialised message is needed")
    if not isinstance(fields, dict):
        raise InvalidInput(f"kwargs is {json_type(fields)}: the fields of a message are needed")
    return {"type": path[-1], **fields}


def role_of(fields: Mapping[str, Json]) -> str:
    """Return who speaks: user, assistant, system or tool; `remove` takes a message back."""
    kind = fields.get("type")
    if not isinstance(kind, str):
        raise InvalidInput(f"type is {json_type(kind)}: human, ai, system or tool is needed")
    name = kind.removesuffix("Chunk").removesuffix("Message").lower()
    role_name = fields.get("role") if name == "chat" else name
    if not isinstance(role_name, str) or role_name.lower() not in _MESSAGE_ROLES:
        shown = repr(role_name[:80]) if isinstance(role_name, str) else json_type(role_name)
        raise InvalidInput(f"{kind[:80]!r} is of {shown}: human, ai, system or tool is needed")
    return _MESSAGE_ROLES[role_name.lower()]


def chat_message(fields: Mapping[str, Json]) -> dict[str, Json] | None:
    """Return a message of plain fields in OpenAI's form; None for one that only removes others."""
    role = role_of(fields)
    others = unused_fields(
        fields, _READ_OF_MESSAGE if role == ASSISTANT else _READ_OF_MESSAGE | {"name"}
    )
    extra = object_in(fields, "additional_kwargs")
    if isinstance(others.get("additional_kwargs"), dict):
        others["additional_kwargs"] = unused_fields(extra, _READ_OF_EXTRA)
    message = {n: value for n, value in others.items() if value not in ({}, [], "")}
    message |= {"role": role, "content": fields.get("content")}
    reasoning = extra.get("reasoning_content")
    if role == ASSISTANT:
        message["tool_calls"] = _calls(fields)
        if fields.get("content") in (None, "", []) and isinstance(reasoning, str):
            message["reasoning_content"] = reasoning
    elif name := first_label(fields, "name"):
        message["name"] = name
    if role == TOOL:
        failed = fields["status"] == "error" if isinstance(fields.get("status"), str) else None
        message |= {"tool_call_id": fields.get("tool_call_id"), "failed": failed}
    return None if role == _REMOVE else message


def _calls(fields: Mapping[str, Json]) -> Json:
    """Return the calls of an AI message, with those whose arguments could not be read."""
    calls, invalid = fields.get("tool_calls"), list_in(fields, "invalid_tool_calls")
    if invalid:
        return [*(list_in(fields, "tool_calls") or ()), *invalid]
    older = object_in(fields, "additional_kwargs")
    legacy = older.get("function_call")
    return calls or older.get("tool_calls") or ([legacy] if isinstance(legacy, dict) else calls)
