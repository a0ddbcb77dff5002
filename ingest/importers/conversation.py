"""What transcripts share: words and references out of content parts, results joined with calls.

A `Conversation` takes the messages of one session in their order and yields records. System
prompts and reasoning are no messages that anybody lived through: they are set aside, and become
records only where the conversation holds nothing else. Bytes are never kept: data inside a message
becomes the reference "inline:<sha256>". What is malformed is refused alone; nothing is guessed.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import PurePath

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from .record import (
    NESTING_MAX,
    Limits,
    Piece,
    Record,
    Source,
    admit,
    json_type,
    label,
    lines,
    parse_json,
    refuse,
    values,
)

_FIRST_LINE = re.compile(rb"\s*+(?:\[|[^\n]*\n)")
#: A list, or an object that goes on behind its first line; torn lines seldom end like this.
_SPREAD = re.compile(rb"\s*+(?:\[|\{(?:[^\n]*[\[{,:])?[ \t\r]*\n)")
_ERROR = re.compile(r"Error\b")
_URI_CHARS_MAX = 4096
_DATA_URI = re.compile(
    r"data:(?P<media>[\w.+-]++/[\w.+-]++)?(?:;[\w.+-]++=[^;,\s\"']*+)*+;base64,"
    r"(?P<data>[A-Za-z0-9+/_-]++={0,2})",
    re.ASCII,
)
_MEDIA_FIELDS = ("media_type", "mime_type", "mimeType", "mediaType")
_URL_SAFE = str.maketrans("-_", "+/")
#: Types of content parts, in any format.
_SAID = frozenset({"text", "input_text", "output_text", "refusal"})
_THOUGHT = frozenset(
    {"thinking", "redacted_thinking", "reasoning", "reasoning_content", "reasoning_text"}
)
_CALL = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "tool_call"})
_REFERENCE = re.compile(r"image|file|audio|video|document|media|screenshot")
_ADDRESSES = ("url", "image_url", "file_url", "uri", "file_id", "filename")
#: Fields of a part that its text or its artifact says already; others are kept.
_PART_USED = frozenset(
    {"type", "text", "refusal", "data", "base64", "b64_json", "file_data", "source_type", "format"}
    | {"title", *_ADDRESSES, *_MEDIA_FIELDS}
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands: in the file, among ids, in time; `kept` is what nobody reads."""

    where: str
    id: str
    ts: str | None = None
    kept: Mapping[str, Json] = field(default_factory=dict)


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


class Calls:
    """The calls that wait for their results."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str | None, str | None], list[Call]] = {}

    def add(self, call: Call) -> None:
        """Let a call wait."""
        self._waiting.setdefault(_key(call.id, call.name), []).append(call)

    def take(self, answer: Answer) -> Call | None:
        """Return the oldest call that this answers, which then waits no more."""
        key = _key(answer.call_id, answer.name)
        if not (found := self._waiting.get(key)):
            return None
        call = found.pop(0)
        if not found:
            del self._waiting[key]
        return call

    def unanswered(self) -> Iterator[Record]:
        """Refuse every call that waits still; none does so afterwards."""
        left, self._waiting = self._waiting, {}
        for call in (call for several in left.values() for call in several):
            named = "tool call" if call.id is None else f"tool call {call.id!r}"
            yield refuse(call.where, f"{named} of {call.name} has no result: left out")


class Conversation:
    """One session while it is read.

    `name` is the key of the format in the metadata. `about` are fields of the conversation as a
    whole: they go with its first event.
    """

    def __init__(
        self,
        name: str,
        key: str,
        limits: Limits,
        calls: Calls | None = None,
        about: Mapping[str, Json] | None = None,
    ) -> None:
        self.key = key
        self.calls = Calls() if calls is None else calls
        self._name, self._limits = name, limits
        self._about = dict(about or {})
        self._aside: list[Record] = []
        self._spoken = False

    def message(
        self,
        place: Place,
        kind: EventKind,
        content: Json,
        calls: Json = None,
        person: str | None = None,
    ) -> Iterator[Record]:
        """Yield what a message holds: the results in it first, then what was said.

        The first event has the place's id, the n-th behind it "<id>/<n>".
        """
        try:
            found = _Content.of(content, place.where)
            given = _list_of_calls(calls)
        except InvalidInput as error:
            yield refuse(place.where, str(error))
            return
        yield from (refuse(place.where, problem) for problem in found.problems)
        yield from self._wait_for(given, found.calls, place.where)
        for number, answer in enumerate(found.answers):
            yield from self.result(_numbered(place, number), answer)
        if found.said or found.artifacts:
            happened: dict[str, Json] = {"kind": kind.value, "payload": {"text": found.said}}
            if person:
                happened["person"] = person
            placed = _numbered(place, len(found.answers), found.kept)
            yield self._event(placed, happened, found.artifacts)
        elif found.thoughts:
            self.aside(place, EventKind.ASSISTANT_MESSAGE, "\n".join(found.thoughts))
        elif not (given or found.calls or found.answers or found.problems):
            yield refuse(place.where, "content is empty: nothing was said")

    def result(self, place: Place, answer: Answer) -> Iterator[Record]:
        """Yield the result of a tool, joined with the call that it answers."""
        call = self.calls.take(answer)
        name = answer.name or (call.name if call else None)
        if not name:
            yield refuse(
                place.where,
                f"result answers {answer.call_id!r}, no call of this conversation, and names no "
                "tool: add its name",
            )
            return
        artifacts: dict[str, Json] = {}
        content = _plain(answer.content, artifacts)
        tool = {
            "name": name,
            "isError": failed(content) if answer.failed is None else answer.failed,
            **({} if answer.call_id is None else {"callId": answer.call_id}),
        }
        args = {"args": by_reference(call.args, artifacts)} if call else {}
        payload = {**args, "result": content}
        happened = {"kind": EventKind.TOOL_RESULT.value, "tool": tool, "payload": payload}
        yield self._event(place, happened, artifacts)

    def aside(self, place: Place, kind: EventKind, content: Json) -> None:
        """Set apart what nobody lived through, such as a system prompt."""
        if self._spoken:
            return
        try:
            found = _Content.of(content, place.where)
        except InvalidInput:
            return
        if text := found.said or "\n".join(found.thoughts):
            self._aside.append(
                self._record(place, {"kind": kind.value, "payload": {"text": text}}, {})
            )

    def finish(self) -> Iterator[Record]:
        """Yield what was set apart if there was nothing else, and refuse calls without results."""
        if not self._spoken:
            yield from self._aside
        yield from self.calls.unanswered()

    def _wait_for(self, given: list[Json], in_content: list[Call], where: str) -> Iterator[Record]:
        known = set()
        for one in given:
            try:
                call = read_call(one, where)
            except InvalidInput as error:
                yield refuse(where, str(error))
            else:
                known.add(call.id)
                self._wait(call)
        for call in in_content:
            if call.id not in known:
                self._wait(call)

    def _wait(self, call: Call) -> None:
        self._speak()
        self.calls.add(call)

    def _speak(self) -> None:
        self._spoken = True
        self._aside.clear()

    def _event(
        self, place: Place, happened: Mapping[str, Json], artifacts: Mapping[str, Json]
    ) -> Record:
        self._speak()
        record = self._record(place, happened, artifacts)
        if record.event is not None:
            self._about = {}
        return record

    def _record(
        self, place: Place, happened: Mapping[str, Json], artifacts: Mapping[str, Json]
    ) -> Record:
        about = {"conversation": self._about} if self._about else {}
        kept = by_reference({**place.kept, **about}, {})
        event = {
            **happened,
            "id": place.id,
            "session": {"key": self.key},
            **({"ts": place.ts} if place.ts else {}),
            **({"artifacts": list(artifacts.values())} if artifacts else {}),
            **({"metadata": {self._name: kept}} if kept else {}),
        }
        return admit(place.where, event, self._limits)


class _Content:
    """What the parts of one message hold."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.calls: list[Call] = []
        self.answers: list[Answer] = []
        self.artifacts: dict[str, Json] = {}
        self.kept: list[Json] = []
        self.problems: list[str] = []
        self.strange = False

    @classmethod
    def of(cls, content: Json, where: str) -> _Content:
        if not (content is None or isinstance(content, (str, list))):
            raise InvalidInput(f"content is {json_type(content)}: text or a list of parts is needed")
        found = cls()
        parts = [content] if isinstance(content, str) else content or []
        for number, part in enumerate(parts, start=1):
            try:
                found._take(number, part, where)
            except InvalidInput as error:
                found.problems.append(f"part {number} {error}")
        return found

    @property
    def said(self) -> str:
        return "\n".join(self.texts)

    def _take(self, number: int, part: Json, where: str) -> None:
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
        elif kind == "tool_result" or kind.endswith("_tool_result"):
            self.answers.append(_answer(part))
        elif _REFERENCE.search(kind):
            self.artifacts.update(_artifacts(part))
            self._keep(number, kind, _rest(part))
        else:
            self.strange = True
            self._keep(number, kind, part)

    def _say(self, text: Json) -> None:
        if not isinstance(text, str):
            raise InvalidInput(f"holds no text: it is {json_type(text)}")
        if text.strip():
            self.texts.append(by_reference(text, self.artifacts))

    def _keep(self, number: int, kind: str, fields: Mapping[str, Json]) -> None:
        if fields:
            self.kept.append({"part": number, **fields, "type": kind})


def pieces(source: Source, limits: Limits) -> Iterator[Piece]:
    """Cut into lines, or into values where a list or an object spreads over several lines."""
    spread = _SPREAD.match(source.head(_FIRST_LINE))
    return (values if spread else lines)(source, limits.document_bytes_max)


def stem(source: Source) -> str:
    """Return the file's name without its suffix: the last resort of a session key."""
    return PurePath(source.name).stem.encode("utf-8", "replace").decode("utf-8") or "unnamed"


def named(fields: Mapping[str, Json], *names: str) -> str | None:
    """Return the first of some fields that can name something, or None."""
    for name in names:
        try:
            return label(fields, name)
        except InvalidInput:
            continue
    return None


def instant(value: Json) -> str | None:
    """Return a time as ISO 8601 text: seconds or milliseconds since 1970, or text, UTC by default.

    None stays None. `InvalidInput` for what is no time.
    """
    if value is None:
        return None
    problem = InvalidInput(f"{str(value)[:80]!r} is no time: write ISO 8601 with a timezone")
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            seconds = value / 1000 if abs(value) > 1e11 else value
            return datetime.fromtimestamp(seconds, UTC).isoformat()
        if not isinstance(value, str):
            raise problem
        found = datetime.fromisoformat(value.strip())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).isoformat()
    except (ValueError, OverflowError, OSError):
        raise problem from None


def without(fields: Mapping[str, Json], used: frozenset[str]) -> dict[str, Json]:
    """Return the fields that nobody reads, without empty ones: they are kept as metadata."""
    return {
        name: value
        for name, value in fields.items()
        if name not in used and value is not None and value not in ("", [], {})
    }


def parsed(arguments: Json) -> Json:
    """Return the object that text spells out, and everything else as it came."""
    try:
        found = parse_json(arguments) if isinstance(arguments, str) else arguments
    except InvalidInput:
        return arguments
    return found if isinstance(found, dict) else arguments


def failed(content: Json) -> bool:
    """Whether a result tells of an error: by its first word, or by its error key."""
    fields = parsed(content)
    told = isinstance(fields, dict) and bool(fields.get("error"))
    return told or (isinstance(content, str) and _ERROR.match(content) is not None)


def read_call(call: Json, where: str) -> Call:
    """Return a call as OpenAI, Anthropic or LangChain write it; `InvalidInput` when it is none."""
    if not isinstance(call, dict):
        raise InvalidInput("a tool call is not an object with id and name: mend it")
    inner = next((call[n] for n in ("function", "custom") if isinstance(call.get(n), dict)), call)
    args = next((inner[n] for n in ("arguments", "args", "input") if n in inner), None)
    given = "call_id" if "call_id" in call else "id"
    id = None if call.get(given) is None else label(call, given)
    return Call(where, label(inner, "name"), parsed(args), id)


def by_reference(value: Json, artifacts: dict[str, Json], depth: int = 0) -> Json:
    """Return a value whose embedded data is replaced by references, which go to `artifacts`."""
    if isinstance(value, str):
        return _DATA_URI.sub(lambda m: _inline(m["data"], m["media"], artifacts), value)
    if depth > NESTING_MAX:
        return value  # such an event is refused in any case
    if isinstance(value, list):
        return [by_reference(item, artifacts, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    media = next((value[n] for n in _MEDIA_FIELDS if isinstance(value.get(n), str)), None)
    return {
        name: _inline(item, media or _media(value), artifacts)
        if _is_data(name, item, value)
        else by_reference(item, artifacts, depth + 1)
        for name, item in value.items()
    }


def _is_data(name: str, item: Json, around: Mapping[str, Json]) -> bool:
    if not isinstance(item, str) or not item or item.startswith(("data:", "inline:")):
        return False
    if name in {"base64", "b64_json", "file_data"}:
        return True
    described = any(isinstance(around.get(n), str) for n in (*_MEDIA_FIELDS, "format"))
    transcribed = "transcript" in around or around.get("type") == "base64"
    return name == "data" and around.get("type") != "text" and (described or transcribed)


def _media(part: Mapping[str, Json]) -> str | None:
    """Return the media type of audio, which is described by its format, or of a typed image."""
    if isinstance(part.get("format"), str):
        return f"audio/{part['format']}"
    kind = part.get("type")
    return kind if isinstance(kind, str) and "/" in kind else None


def _inline(data: str, media: str | None, artifacts: dict[str, Json]) -> str:
    packed = "".join(data.split()).translate(_URL_SAFE).rstrip("=")
    try:
        body = base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except ValueError:
        body = data.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(body).hexdigest()
    uri = f"inline:{digest}"
    kind = {"kind": _kind(media or ""), "uri": uri, "sha256": digest, "bytes": len(body)}
    artifacts[uri] = {**kind, **({"mediaType": media} if media else {})}
    return uri


def _kind(text: str) -> str:
    return next((kind for kind in ("image", "audio", "video") if kind in text), "file")


def _artifacts(part: Mapping[str, Json]) -> dict[str, Json]:
    """Return the artifacts of a part: the data in it, or else what its address points to."""
    found: dict[str, Json] = {}
    plain = by_reference(part, found)
    if not found:
        uri = _address(plain)
        found[uri] = {"kind": _kind(part["type"]), "uri": uri}
    levels = (plain, *(inner for inner in plain.values() if isinstance(inner, dict)))
    titles = (level.get(name) for level in levels for name in ("title", "filename"))
    title = next((t for t in titles if isinstance(t, str) and t), None)
    described = {"description": title} if title else {}
    return {uri: {**artifact, **described} for uri, artifact in found.items()}


def _address(part: Mapping[str, Json]) -> str:
    for level in (part, *(inner for inner in part.values() if isinstance(inner, dict))):
        for name in _ADDRESSES:
            found = level.get(name)
            if not isinstance(found, str) or not found:
                continue
            if found.startswith("data:"):
                head, _, data = found.partition(",")
                return _inline(data, head[5:].partition(";")[0] or None, {})
            if len(found) > _URI_CHARS_MAX:
                raise InvalidInput(
                    f"has an address of {len(found):,} characters, over the limit of "
                    f"{_URI_CHARS_MAX:,}"
                )
            return f"file-id:{found}" if name == "file_id" else found
    raise InvalidInput("holds no data and names no address")


def _rest(part: Mapping[str, Json]) -> dict[str, Json]:
    """Return what a part says beyond its text or its artifact."""
    left = {
        name: _rest(value) if isinstance(value, dict) and depth_ok(value) else value
        for name, value in part.items()
        if name not in _PART_USED or isinstance(value, dict)
    }
    return without(left, frozenset())


def _thoughts(part: Mapping[str, Json]) -> Iterator[str]:
    summary = part.get("summary")
    inner = summary if isinstance(summary, list) else []
    for level in (part, *(one for one in inner if isinstance(one, dict))):
        for name in ("thinking", "reasoning", "reasoning_content", "text"):
            if isinstance(level.get(name), str) and level[name].strip():
                yield level[name]


def _answer(part: Mapping[str, Json]) -> Answer:
    told = part.get("is_error")
    return Answer(
        part.get("content"),
        label(part, "tool_use_id"),
        failed=told if isinstance(told, bool) else False,
    )


def _plain(content: Json, artifacts: dict[str, Json]) -> Json:
    """Return a result as text where its parts are text and references, else as it came."""
    if isinstance(content, list) and content:
        found = _Content.of(content, "")
        others = found.thoughts or found.calls or found.answers or found.problems
        if not (others or found.strange):
            artifacts.update(found.artifacts)
            return found.said
    return by_reference(content, artifacts)


def _list_of_calls(calls: Json) -> list[Json]:
    if calls is None:
        return []
    if not isinstance(calls, list):
        raise InvalidInput(f"tool_calls is {json_type(calls)}: a list of calls is needed")
    return calls


def _numbered(place: Place, number: int, parts: list[Json] | None = None) -> Place:
    kept = {**place.kept, **({"parts": parts} if parts else {})}
    return replace(place, id=f"{place.id}/{number}" if number else place.id, kept=kept)


def _key(id: str | None, name: str | None) -> tuple[str | None, str | None]:
    return (None, name) if id is None else (id, None)
