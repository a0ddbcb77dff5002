"""What the parts of one message hold: words, thoughts, tool calls, results, images and files.

The parts are those of OpenAI, Anthropic and LangChain, told apart by their type. Bytes are never
kept: data becomes the reference "inline:<sha256 of the data>" wherever it stands. A part that is
malformed is a problem of its own; nothing is guessed and nothing is fetched.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...core.errors import InvalidInput
from ...core.types import Json
from .record import NESTING_MAX, json_type, label, parse_json

_ERROR = re.compile(r"Error\b")
_URI_CHARS_MAX = 4096
_DATA_URI = re.compile(
    r"data:(?P<media>[\w.+-]++/[\w.+-]++)?(?:;[\w.+-]++=[^;,\s\"']*+)*+;base64,"
    r"(?P<data>[A-Za-z0-9+/_-]++={0,2})",
    re.ASCII,
)
_URL_SAFE = str.maketrans("-_", "+/")

#: Types of parts, in any of the formats; what only refers is told by a word in its type.
_SAID = frozenset({"text", "input_text", "output_text", "refusal"})
_THOUGHT = frozenset({"thinking", "redacted_thinking", "reasoning"})
_CALL = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "tool_call"})
_REFERENCE = re.compile(r"image|file|audio|video|document|media|screenshot|resource_link")

_MEDIA = ("media_type", "mime_type", "mimeType", "mediaType")
_DATA = frozenset({"base64", "b64_json", "file_data", "data"})
_ADDRESSES = ("url", "image_url", "file_url", "uri", "file_id", "filename")
#: Fields of a part that its words or its artifact say already; all others are kept.
_USED = _DATA | {"type", "text", "refusal", "title", "source_type", "format", *_ADDRESSES, *_MEDIA}


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that waits for its result; without an id it is answered by its name."""

    where: str
    name: str
    args: Json
    id: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool gave back; `failed` is None where the format does not say."""

    content: Json
    call_id: str | None
    name: str | None = None
    failed: bool | None = None


@dataclass(slots=True)
class Content:
    """What one message holds, in the order of its parts; `artifacts` are keyed by their address.

    `kept` are the fields of parts that nothing else here says; `strange` tells of a part of a type
    that is not known.
    """

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    artifacts: dict[str, Json] = field(default_factory=dict)
    kept: list[Json] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    strange: bool = False

    @property
    def said(self) -> str:
        """The words, a line break between two parts."""
        return "\n".join(self.texts)

    def take(self, number: int, part: Json, where: str) -> None:
        """Sort one part in; `InvalidInput` when it is malformed."""
        if isinstance(part, str):
            self._say(part)
            return
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(kind, str):
            raise InvalidInput("is no part of a message: an object with a type is needed")
        if kind in _SAID:
            self._say(part.get("refusal" if kind == "refusal" else "text"))
            self._keep(number, kind, _rest(part))
        elif kind in _THOUGHT:
            self.thoughts.extend(_thoughts(part))
        elif kind in _CALL:
            self.calls.append(read_call(part, where))
        elif kind.endswith("tool_result"):
            self.answers.append(_answer(part))
        elif _REFERENCE.search(kind):
            self.artifacts.update(_artifacts(part, kind))
            self._keep(number, kind, _rest(part))
        else:
            self.strange = True
            self._keep(number, kind, part)

    def _say(self, text: Json) -> None:
        if not isinstance(text, str):
            raise InvalidInput(f"text is {json_type(text)}: text is needed")
        if text.strip():
            self.texts.append(by_reference(text, self.artifacts))

    def _keep(self, number: int, kind: str, fields: Mapping[str, Json]) -> None:
        if fields:
            self.kept.append({**fields, "part": number, "type": kind})


def read_content(content: Json, where: str) -> Content:
    """Return what text, or a list of parts, holds; a malformed part is among its problems.

    `InvalidInput` when it is neither. Null holds nothing.
    """
    if not (content is None or isinstance(content, (str, list))):
        raise InvalidInput(f"content is {json_type(content)}: text or a list of parts is needed")
    found = Content()
    for number, part in enumerate([content] if isinstance(content, str) else content or [], 1):
        try:
            found.take(number, part, where)
        except InvalidInput as error:
            found.problems.append(f"part {number} {error}")
    return found


def read_call(call: Json, where: str) -> Call:
    """Return a call as OpenAI, Anthropic or LangChain write it; `InvalidInput` when it is none."""
    if not isinstance(call, dict):
        raise InvalidInput(f"a tool call is {json_type(call)}: an object with a name is needed")
    inner = next((call[n] for n in ("function", "custom") if isinstance(call.get(n), dict)), call)
    args = next((inner[n] for n in ("arguments", "args", "input") if n in inner), None)
    given = "call_id" if "call_id" in call else "id"
    id = None if call.get(given) is None else label(call, given)
    return Call(where, label(inner, "name"), parsed(args), id)


def read_result(content: Json, artifacts: dict[str, Json]) -> Json:
    """Return a tool's result: text where its parts are words and references, else as it came."""
    if isinstance(content, list) and content:
        found = read_content(content, "")
        others = found.thoughts or found.calls or found.answers or found.problems
        if not (others or found.strange):
            artifacts.update(found.artifacts)
            return found.said
    return by_reference(content, artifacts)


def parsed(arguments: Json) -> Json:
    """Return the object that text spells out, and everything else as it came."""
    try:
        found = parse_json(arguments) if isinstance(arguments, str) else arguments
    except InvalidInput:
        return arguments
    return found if isinstance(found, dict) else arguments


def tells_error(result: Json) -> bool:
    """Whether a result tells of an error by its first word, or by its error key."""
    fields = parsed(result)
    told = isinstance(fields, dict) and bool(fields.get("error"))
    return told or (isinstance(result, str) and _ERROR.match(result) is not None)


def by_reference(value: Json, artifacts: dict[str, Json], depth: int = 0) -> Json:
    """Return a value whose embedded data is replaced by references, which go to `artifacts`."""
    if isinstance(value, str):
        return _DATA_URI.sub(lambda found: _inline(found["data"], found["media"], artifacts), value)
    if depth > NESTING_MAX:
        return value  # an event that nests so deeply is refused as a whole
    if isinstance(value, list):
        return [by_reference(item, artifacts, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _inline(item, _media(value), artifacts)
        if name in _DATA and _is_data(name, item, value)
        else by_reference(item, artifacts, depth + 1)
        for name, item in value.items()
    }


def _is_data(name: str, item: Json, around: Mapping[str, Json]) -> bool:
    """Whether a field holds bytes as text; one that is only called "data" needs more evidence."""
    if not isinstance(item, str) or not item or item.startswith("data:"):
        return False
    described = any(isinstance(around.get(n), str) for n in (*_MEDIA, "format", "transcript"))
    return name != "data" or (around.get("type") != "text" and described)


def _media(part: Mapping[str, Json]) -> str | None:
    """Return the media type beside data; audio is described by its format."""
    for name in (*_MEDIA, "type"):
        if isinstance(part.get(name), str) and "/" in part[name]:
            return str(part[name])
    return f"audio/{part['format']}" if isinstance(part.get("format"), str) else None


def _inline(data: str, media: str | None, artifacts: dict[str, Json]) -> str:
    packed = "".join(data.split()).translate(_URL_SAFE).rstrip("=")
    try:
        body = base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except ValueError:
        body = data.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(body).hexdigest()
    uri = f"inline:{digest}"
    told = {"kind": _kind(media or ""), "uri": uri, "sha256": digest, "bytes": len(body)}
    artifacts[uri] = {**told, **({"mediaType": media} if media else {})}
    return uri


def _kind(name: str) -> str:
    return next((kind for kind in ("image", "audio", "video") if kind in name), "file")


def _artifacts(part: Mapping[str, Json], kind: str) -> dict[str, Json]:
    """Return the artifacts of a part: the data in it, or else what its address points to."""
    found: dict[str, Json] = {}
    plain = by_reference(part, found)
    if not found:
        uri = _address(plain, found)
        found.setdefault(uri, {"uri": uri})
    titles = (level.get(name) for level in _levels(plain) for name in ("title", "filename"))
    title = next((title for title in titles if isinstance(title, str) and title), None)
    told = {"description": title} if title else {}
    if all("mediaType" not in artifact for artifact in found.values()):
        told["kind"] = _kind(kind)
    return {uri: {**artifact, **told} for uri, artifact in found.items()}


def _address(part: Mapping[str, Json], artifacts: dict[str, Json]) -> str:
    for level in _levels(part):
        for name in _ADDRESSES:
            found = level.get(name)
            if not isinstance(found, str) or not found:
                continue
            if found.startswith("data:"):
                head, _, data = found.removeprefix("data:").partition(",")
                return _inline(data, head.partition(";")[0] or None, artifacts)
            if len(found) > _URI_CHARS_MAX:
                size = f"{len(found):,} characters, over the limit of {_URI_CHARS_MAX:,}"
                raise InvalidInput(f"has an address of {size}: shorten it")
            return f"file-id:{found}" if name == "file_id" else found
    raise InvalidInput("holds no data and names no address: add one")


def _levels(part: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """Yield a part and the objects in it, one of which may hold its data or its address."""
    yield part
    yield from (inner for inner in part.values() if isinstance(inner, dict))


def _rest(part: Mapping[str, Json]) -> dict[str, Json]:
    """Return the fields of a part that its words or its artifact do not say."""
    left = {}
    for name, value in part.items():
        if isinstance(value, dict) and not value.keys().isdisjoint({*_ADDRESSES, *_DATA}):
            left[name] = _filled({n: v for n, v in value.items() if n not in _USED})
        elif name not in _USED:
            left[name] = value
    return _filled(left)


def _filled(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def _thoughts(part: Mapping[str, Json]) -> Iterator[str]:
    lists = (part[n] for n in ("summary", "content") if isinstance(part.get(n), list))
    inner = (one for several in lists for one in several if isinstance(one, dict))
    for level in (part, *inner):
        for name in ("thinking", "reasoning", "text"):
            if isinstance(level.get(name), str) and level[name].strip():
                yield level[name]


def _answer(part: Mapping[str, Json]) -> Answer:
    call_id = label(part, "tool_use_id")
    return Answer(part.get("content"), call_id, failed=part.get("is_error") is True)
