"""What the parts of one message hold: words, thoughts, tool calls, results, images and files.

The parts are those of OpenAI, Anthropic and LangChain, told apart by their type. Bytes are never
kept: data becomes the reference "inline:<sha256 of the data>" wherever it stands. A part that is
malformed is a problem of its own; nothing is guessed and nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...core.errors import InvalidInput
from ...core.types import Json
from ...language.machine_text import own_words
from ..inline_data import DATA_FIELDS, MEDIA_FIELDS, inline, kind_of, replace_inline_data
from .import_record import ImportRecord, first_label, json_type, label, objects_in, parse_json, skip

_ERROR = re.compile(r"Error\b")
_URI_CHARS_MAX = 4096
#: How a list of parts begins where it is written as text.
_PARTS = re.compile(r'\s*\[\s*\{\s*"type"\s*:')

#: Types of parts, in any of the formats; what only refers is told by a word in its type.
_TEXT_TYPES = frozenset({"text", "input_text", "output_text", "refusal"})
_REASONING_TYPES = frozenset({"thinking", "redacted_thinking", "reasoning"})
_CALL_TYPES = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "tool_call"})
_REFERENCE = re.compile(r"image|file|audio|video|document|media|screenshot|resource_link")

_ADDRESSES = ("url", "image_url", "file_url", "uri", "file_id", "filename")
#: Fields of a part that its words or its artifact say already; all others are kept.
_CONSUMED_FIELDS = DATA_FIELDS | {
    "type",
    "text",
    "refusal",
    "title",
    "source_type",
    "format",
    *_ADDRESSES,
    *MEDIA_FIELDS,
}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that waits for its result; without an id it is answered by its name."""

    where: str
    name: str
    args: Json
    id: str | None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave back; `failed` is None where the format does not say."""

    content: Json
    call_id: str | None
    name: str | None = None
    failed: bool | None = None


class PendingCalls:
    """The calls that wait for their results."""

    def __init__(self) -> None:
        self._pending: dict[tuple[str | None, str | None], list[ToolCall]] = {}

    def add(self, call: ToolCall) -> None:
        """Let a call wait."""
        self._pending.setdefault(_call_key(call.id, call.name), []).append(call)

    def take(self, output: ToolResult) -> ToolCall | None:
        """Return the oldest call that this answers, which then waits no more."""
        key = _call_key(output.call_id, output.name)
        if not (pending := self._pending.get(key)):
            return None
        call = pending.pop(0)
        if not pending:
            del self._pending[key]
        return call

    def take_unanswered(self) -> list[ToolCall]:
        """Return every call that still waits; none does so afterwards."""
        left, self._pending = self._pending, {}
        return [call for several in left.values() for call in several]

    def skip_unanswered(self) -> Iterator[ImportRecord]:
        """Leave out every call that still waits, as in a session that was cut off."""
        for call in self.take_unanswered():
            yield skip(call.where, "tool calls without a result")


@dataclass(slots=True)
class MessageContent:
    """What one message holds, in the order of its parts; `artifacts` are keyed by their address.

    `metadata` are the fields of blocks that nothing else here says; `has_unknown_block` tells of a
    block of a type that is not supported.
    """

    texts: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    tool_results: list[ToolResult] = field(default_factory=list)
    artifacts: dict[str, Json] = field(default_factory=dict)
    metadata: list[Json] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    has_unknown_block: bool = False

    @property
    def text(self) -> str:
        """The words, a line break between two parts."""
        return "\n".join(self.texts)

    def is_left_by_machine(self) -> bool:
        """Leave of the words what their person wrote; say whether there were others alone."""
        words = own_words(self.text)
        if not self.texts or words == self.text:
            return False
        self.texts = [words] if words.strip() else []
        return not self.texts

    def take(self, number: int, block: Json, where: str) -> None:
        """Sort one part in; `InvalidInput` when it is malformed."""
        if isinstance(block, str):
            self._add_text(block)
            return
        kind = block.get("type") if isinstance(block, dict) else None
        if not isinstance(kind, str):
            raise InvalidInput("is not part of a message: an object with a type is needed")
        if kind in _TEXT_TYPES:
            self._add_text(block.get("refusal" if kind == "refusal" else "text"))
            self._add_metadata(number, kind, _unused_fields(block))
        elif kind in _REASONING_TYPES:
            self.reasoning.extend(_reasoning_texts(block))
        elif kind in _CALL_TYPES:
            self.calls.append(read_call(block, where))
        elif kind.endswith("tool_result"):
            self.tool_results.append(_tool_result(block))
        elif _REFERENCE.search(kind):
            self.artifacts.update(_artifacts(block, kind))
            self._add_metadata(number, kind, _unused_fields(block))
        else:
            self.has_unknown_block = True
            self._add_metadata(number, kind, block)

    def _add_text(self, text: Json) -> None:
        if isinstance(text, dict) and "value" in text:  # with its annotations
            text = text["value"]
        if not isinstance(text, str):
            raise InvalidInput(f"text is {json_type(text)}: text is needed")
        if text.strip():
            self.texts.append(replace_inline_data(text, self.artifacts))

    def _add_metadata(self, number: int, kind: str, fields: Mapping[str, Json]) -> None:
        if fields:
            self.metadata.append({**fields, "part": number, "type": kind})


def read_content(content: Json, where: str) -> MessageContent:
    """Return what text, or a list of parts, holds; a malformed part is among its problems.

    `InvalidInput` when it is neither. Null holds nothing.
    """
    if not (content is None or isinstance(content, (str, list))):
        raise InvalidInput(f"content is {json_type(content)}: text or a list of parts is needed")
    message = MessageContent()
    for number, block in enumerate([content] if isinstance(content, str) else content or [], 1):
        try:
            message.take(number, block, where)
        except InvalidInput as error:
            message.problems.append(f"part {number} {error}")
    return message


def read_call(call: Json, where: str) -> ToolCall:
    """Return a call as OpenAI, Anthropic or LangChain write it; `InvalidInput` when it is none."""
    if not isinstance(call, dict):
        raise InvalidInput(f"a tool call is {json_type(call)}: an object with a name is needed")
    inner = next((call[n] for n in ("function", "custom") if isinstance(call.get(n), dict)), call)
    args = next((inner[n] for n in ("arguments", "args", "input") if n in inner), None)
    given = "call_id" if "call_id" in call else "id"
    id = None if call.get(given) is None else label(call, given)
    return ToolCall(where, label(inner, "name"), parse_arguments(args), id)


def read_result(content: Json, artifacts: dict[str, Json]) -> Json:
    """Return a tool's result: text where its parts are words and references, else as it came.

    The parts may be written as JSON text.
    """
    parts = _spelled_parts(content) if isinstance(content, str) else content
    if isinstance(parts, list) and parts:
        message = read_content(parts, "")
        others = message.reasoning or message.calls or message.tool_results or message.problems
        if not (others or message.has_unknown_block):
            artifacts.update(message.artifacts)
            return message.text
    return replace_inline_data(content, artifacts)


def _spelled_parts(text: str) -> Json:
    """Return the list of parts that a text spells out, or None."""
    if not _PARTS.match(text):
        return None
    try:
        return parse_json(text)
    except InvalidInput:
        return None


def references(
    holder: Mapping[str, Json], name: str, addresses: str, titles: str = "", kind: str = ""
) -> list[Json]:
    """Return the files in a list that has a name, as parts: by the first address and title.

    Without a kind they are images or files by their `mimetype`. One without address is none.
    """
    parts: list[Json] = []
    for file in objects_in(holder, name):
        if address := first_label(file, *addresses.split()):
            title = first_label(file, *titles.split())
            by_media = "image" if str(file.get("mimetype")).startswith("image") else "file"
            titled = {"title": title} if title else {}
            parts.append({"type": kind or by_media, "url": address, **titled})
    return parts


def parse_arguments(arguments: Json) -> Json:
    """Return the object that text spells out, and everything else as it came."""
    try:
        value = parse_json(arguments) if isinstance(arguments, str) else arguments
    except InvalidInput:
        return arguments
    return value if isinstance(value, dict) else arguments


def is_error_result(result: Json) -> bool:
    """Whether a result tells of an error by its first word, or by its error key."""
    fields = parse_arguments(result)
    has_error_key = isinstance(fields, dict) and bool(fields.get("error"))
    return has_error_key or (isinstance(result, str) and _ERROR.match(result) is not None)


def _artifacts(block: Mapping[str, Json], kind: str) -> dict[str, Json]:
    """Return the artifacts of a part: the data in it, or else what its address points to."""
    artifacts: dict[str, Json] = {}
    referenced = replace_inline_data(block, artifacts)
    if not artifacts:
        uri = _address(referenced, artifacts)
        artifacts.setdefault(uri, {"uri": uri})
    titles = (level.get(name) for level in _levels(referenced) for name in ("title", "filename"))
    title = next((title for title in titles if isinstance(title, str) and title), None)
    extra_fields = {"description": title} if title else {}
    if all("mediaType" not in artifact for artifact in artifacts.values()):
        extra_fields["kind"] = kind_of(kind)
    return {uri: {**artifact, **extra_fields} for uri, artifact in artifacts.items()}


def _address(block: Mapping[str, Json], artifacts: dict[str, Json]) -> str:
    for level in _levels(block):
        for name in _ADDRESSES:
            address = level.get(name)
            if not isinstance(address, str) or not address:
                continue
            if address.startswith("data:"):
                head, _, data = address.removeprefix("data:").partition(",")
                return inline(data, head.partition(";")[0] or None, artifacts)
            if len(address) > _URI_CHARS_MAX:
                size = f"{len(address):,} characters, over the limit of {_URI_CHARS_MAX:,}"
                raise InvalidInput(f"has an address of {size}: shorten it")
            return f"file-id:{address}" if name == "file_id" else address
    raise InvalidInput("has neither data nor an address: add one")


def _levels(block: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """Yield a part and the objects in it, one of which may hold its data or its address."""
    yield block
    yield from (inner for inner in block.values() if isinstance(inner, dict))


def _unused_fields(block: Mapping[str, Json]) -> dict[str, Json]:
    """Return the fields of a part that its words or its artifact do not say."""
    left = {}
    for name, value in block.items():
        if isinstance(value, dict) and not value.keys().isdisjoint({*_ADDRESSES, *DATA_FIELDS}):
            left[name] = _without_empty(
                {n: v for n, v in value.items() if n not in _CONSUMED_FIELDS}
            )
        elif name not in _CONSUMED_FIELDS:
            left[name] = value
    return _without_empty(left)


def _without_empty(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def _reasoning_texts(block: Mapping[str, Json]) -> Iterator[str]:
    lists = (block[n] for n in ("summary", "content") if isinstance(block.get(n), list))
    inner = (item for several in lists for item in several if isinstance(item, dict))
    for level in (block, *inner):
        for name in ("thinking", "reasoning", "text"):
            if isinstance(level.get(name), str) and level[name].strip():
                yield level[name]


def _tool_result(block: Mapping[str, Json]) -> ToolResult:
    name = block.get("name") if isinstance(block.get("name"), str) else None
    by_name = block.get("tool_use_id") is None and name
    call_id = None if by_name else label(block, "tool_use_id")
    return ToolResult(block.get("content"), call_id, name, failed=block.get("is_error") is True)


def _call_key(id: str | None, name: str | None) -> tuple[str | None, str | None]:
    return (None, name) if id is None else (id, None)
