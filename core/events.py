"""The event: the one typed form of everything that happened outside, produced by all importers.

Unknown fields are kept. The native form is one JSON object a line; `kind` and `payload` are
required. This module checks shape and size; it stores nothing and redacts nothing.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Self

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from .calls.cleaning import clean_event
from .entries import ExperienceCaptured
from .errors import Damaged, InvalidInput
from .ids import content_hash, owner_id, person_id
from .json_values import sorted_around_payload
from .text import is_blank, lone_surrogate
from .types import Entry
from .vocabulary import Json, Payload

#: An escaped NUL in JSON text: \\u0000 behind an even number of backslashes.
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")

#: What metadata say of a memory that everybody who asks may see.
_UNRESTRICTED = {"visibility": "public", "confidentiality": "normal"}
#: How a part of an event is written, for who wrote something else there.
_WRITTEN = {
    "SessionRef": '{"key": "s1"}',
    "ToolRef": '{"name": "bash"}',
    "ArtifactRef": '{"uri": "notes.md"}',
}
_NUMBER = re.compile(r"[-+]?[\d.]+(?:e[-+]?\d+)?", re.IGNORECASE)
#: Fields of an exported event whose `ts` is when it was recorded, and whose `id` was Meridia's.
UNDATED, OWN_ID = "undated", "own_id"
_NOTHING: Mapping[str, int] = MappingProxyType({})
#: One for all: making an encoder takes as long as writing a short event.
_CANONICAL, _AS_GIVEN = (
    json.JSONEncoder(ensure_ascii=False, sort_keys=by_key, separators=(",", ":"), allow_nan=False)
    for by_key in (True, False)
)


class EventKind(StrEnum):
    """What kind of thing happened."""

    TOOL_RESULT = "tool_result"
    USER_MESSAGE = "user_message"
    ASSISTANT_MESSAGE = "assistant_message"
    SESSION_BOUNDARY = "session_boundary"
    MANUAL_CAPTURE = "manual_capture"
    MANUAL_INGEST = "manual_ingest"


def check_kind(kind: str | None, *others: str) -> None:
    """Raise `InvalidInput` for a kind that no event has, and that is none of the others."""
    kinds = [*(word.value for word in EventKind), *others]
    if kind is not None and kind not in kinds:
        raise InvalidInput(f"kind {kind!r} does not exist: choose from {', '.join(kinds)}")


#: What each role of a message is: how callers say who or what speaks.
ROLES = {
    "user": EventKind.USER_MESSAGE,
    "assistant": EventKind.ASSISTANT_MESSAGE,
    "tool": EventKind.TOOL_RESULT,
    "note": EventKind.MANUAL_CAPTURE,
    "system": EventKind.MANUAL_INGEST,
}
#: What other libraries call these roles.
ROLE_NAMES = {
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "function": "tool",
    "developer": "system",
}
ROLE_OF_KIND = {kind.value: role for role, kind in ROLES.items()}


class _EventFields(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class SessionRef(_EventFields):
    """The session an event belongs to, by the caller's key."""

    key: str = Field(min_length=1, max_length=512, description="the caller's key")


class ToolRef(_EventFields):
    """The tool whose result this is."""

    name: str = Field(min_length=1, max_length=256, description="its name")
    callId: str | None = Field(None, description="of the call")
    isError: bool = Field(False, description="whether it failed")


class ArtifactRef(_EventFields):
    """A file, link or image by reference and description."""

    kind: str = Field("file", description="file, image, audio, video or link")
    uri: str = Field(min_length=1, max_length=4096, description="where it is")
    description: str = Field("", description="what is in it")
    sha256: str | None = Field(None, description="of its content")


class Event(_EventFields):
    """One normalised event. `id` is the caller's; without one, Meridia's own id stands for it.

    Signs that no journal can keep are replaced; `cleaned` counts them by kind.
    """

    kind: EventKind
    payload: dict[str, Any] = Field(description="`text` of a message; `args`, `result` of a tool")
    id: str | None = Field(None, min_length=1, max_length=512, description="the caller's own id")
    ts: AwareDatetime | None = Field(None, description="when it happened; default: now")
    session: SessionRef | None = None
    person: str | None = Field(None, min_length=1, max_length=256, description="who says it")
    tool: ToolRef | None = None
    artifacts: list[ArtifactRef] = Field(default_factory=list, description="files it refers to")
    metadata: dict[str, Any] = Field(default_factory=dict, description="labels to filter by")
    _cleaned: Mapping[str, int] = PrivateAttr(default_factory=dict)

    @property
    def cleaned(self) -> Mapping[str, int]:
        """How many signs were replaced, by kind: see `cleaning`."""
        return self._cleaned

    @model_validator(mode="wrap")
    @classmethod
    def _clean(
        cls, given: Any, check: ModelWrapValidatorHandler[Self], about: ValidationInfo
    ) -> Self:
        counts: Counter[str] = Counter(about.context)  # what was replaced before
        event = check(clean_event(given, counts) if isinstance(given, Mapping) else given)
        if counts:
            event._cleaned = counts  # noqa: SLF001 - its own
        return event

    @field_validator("ts", mode="before")
    @classmethod
    def _text_only(cls, value: object) -> object:
        numeric = isinstance(value, (int, float)) or (
            isinstance(value, str) and _NUMBER.fullmatch(value.strip()) is not None
        )
        if numeric:
            raise ValueError("write the time as ISO 8601 text with a timezone")
        return value

    @field_validator("ts", mode="after")
    @classmethod
    def _fits_utc(cls, value: AwareDatetime | None) -> AwareDatetime | None:
        try:
            if value is not None:
                value.astimezone(UTC)
        except OverflowError:
            raise ValueError("write a time within years 1 to 9999 of UTC") from None
        return value

    def as_json(self) -> dict[str, Any]:
        """Return the event as plain JSON values, leaving out what was not given.

        Raises `InvalidInput` for a payload that nests too deeply to be written.
        """
        try:
            return self.model_dump(mode="json", exclude_unset=True)
        except ValueError as error:
            raise InvalidInput(f"{self._unfit_field()} is not plain JSON: {error}") from None

    def _unfit_field(self) -> str:
        for name in sorted(self.model_fields_set):
            try:
                self.model_dump(mode="json", include={name})
            except ValueError:
                return name
        return "event"


def parse_event(fields: object, cleaned: Mapping[str, int] = _NOTHING) -> Event:
    """Check `fields` and return the event; `InvalidInput` names every field that is wrong.

    What is an event already was checked when it was made. `cleaned` is what was replaced before.
    """
    if isinstance(fields, Event):
        return fields
    try:
        json.dumps(fields, default=str)
        return Event.model_validate(fields, context=cleaned)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc'])) or 'event'}: {_wrong(problem)}"
            for problem in error.errors(include_url=False, include_input=False)
        )
        raise InvalidInput(f"event is not valid: {problems}") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"event is not plain JSON: {error}") from None


def _wrong(problem: ErrorDetails) -> str:
    written = _WRITTEN.get(str(problem.get("ctx", {}).get("class_name")))
    return f"an object is needed, such as {written}" if written else problem["msg"]


def encode(fields: object) -> str:
    """Write plain JSON values in canonical form: sorted keys, no spaces, Unicode kept.

    Raises `InvalidInput` for text that no journal can keep: NUL characters and lone surrogates.
    """
    return _encoded(fields, _CANONICAL)


def encode_as_given(fields: object) -> str:
    """Write plain JSON values as `encode` does, with the keys of a payload in their order."""
    return _encoded(sorted_around_payload(fields), _AS_GIVEN)


def _encoded(fields: object, encoder: json.JSONEncoder) -> str:
    try:
        body = encoder.encode(fields)
        if not body.isascii():
            body.encode("utf-8")
    except UnicodeEncodeError as error:
        raise lone_surrogate(error) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"event is not plain JSON: {error}") from None
    if "\\u0000" in body and _NUL.search(body):
        raise InvalidInput("text holds NUL characters: remove them or encode the bytes as text")
    return body


def is_empty(event: Event) -> bool:
    """Say whether an event says nothing: no payload, or a message without words or artifacts."""
    payload = event.payload
    if not payload:
        return True
    if event.artifacts or event.tool or event.kind in _WITHOUT_WORDS:
        return False
    return all(map(is_blank, _leaves(payload)))


def bytes_of(body: str) -> int:
    """Return how many bytes a text has in UTF-8."""
    return len(body) if body.isascii() else len(body.encode("utf-8"))


def recorded_event(payload: ExperienceCaptured) -> Payload:
    """Return the event of a captured experience as its journal payload has it.

    Of a skeleton that is its outline: the kind, tool and session of an event that says nothing.
    Raises `Damaged` for what is no event, as a damaged file may hold.
    """
    event = payload.event or {**(payload.skeleton or {}), "payload": {}}
    if "kind" not in event or "payload" not in event:
        raise Damaged("a stored event has no kind or payload: run `meridia verify`")
    return event


def event_of(entry: Entry) -> Payload:
    """Return the event of a captured experience, whole while a skeleton's is still held."""
    return entry.provisional or recorded_event(captured_of(entry))


def captured_of(entry: Entry) -> ExperienceCaptured:
    """Return what a captured experience's entry says; `InvalidInput` for any other, or erased."""
    if not isinstance(entry.payload, ExperienceCaptured):
        raise InvalidInput(f"{entry.id} is not a captured experience, or was erased")
    return entry.payload


def event_hash(payload: ExperienceCaptured) -> str:
    """Return the hash of a captured experience's whole event, whatever of it was kept."""
    return payload.hash or content_hash(encode(payload.event))


#: Kinds that say something by happening.
_WITHOUT_WORDS = frozenset({EventKind.TOOL_RESULT, EventKind.SESSION_BOUNDARY})
#: What stands in the place of bytes, which are an artifact: see `ingest.inline_data`.
_REFERENCE = re.compile(r"inline:[0-9a-f]{64}")
#: What somebody hands in themselves.
_NOTES = frozenset({EventKind.MANUAL_CAPTURE, EventKind.MANUAL_INGEST})


def text_of(event: Mapping[str, Any]) -> str:
    """Return the words of an event as JSON: what was said, or a tool's name, arguments, result.

    Of a note without a text it is what each of its fields says, behind the field's name.
    """
    payload = event["payload"]
    text = payload.get("text")
    if isinstance(text, str):
        return text
    if event.get("kind") in _NOTES and "tool" not in event:
        fields = {key: ", ".join(filter(None, _leaves(value))) for key, value in payload.items()}
        return "\n".join(f"{key}: {value}" for key, value in fields.items() if value)
    tool = event.get("tool") or {}
    words = [leaf for leaf in _leaves(payload) if not _REFERENCE.fullmatch(leaf)]
    return "\n".join(line for line in (tool.get("name", ""), *words) if line)


#: How what is derived of the owner names them, whatever they are called when it is read.
OWNER_NAME = "the user"


def speaker_id(event: Mapping[str, Any], space: str) -> str | None:
    """Return the id of the person who speaks: who is named, else the owner for the user's side."""
    unnamed = owner_id(space) if event["kind"] == EventKind.USER_MESSAGE else None
    return person_id(space, name) if (name := event.get("person")) else unnamed


def speaker_name(event: Mapping[str, Any]) -> str | None:
    """Return by which name what is derived of an event tells who speaks; see `speaker_id`."""
    if name := event.get("person"):
        return str(name)
    return OWNER_NAME if event["kind"] == EventKind.USER_MESSAGE else None


def captions_of(event: Mapping[str, Any]) -> list[str]:
    """Return the descriptions of the artifacts that came with an event."""
    return [a["description"] for a in event.get("artifacts", ()) if a.get("description")]


def embedding_text_of(event: Mapping[str, Any]) -> str:
    """Return the text whose meaning is embedded: the words, or captions where there are none."""
    return embedding_text(texts_of(event))


def texts_of(event: Mapping[str, Any]) -> list[str]:
    """Return what an event says and, behind it, the captions that came with it."""
    return [text_of(event), *captions_of(event)]


def embedding_text(texts: Sequence[str]) -> str:
    """Return what is embedded of the texts of an event."""
    return texts[0] or " ".join(texts[1:])


def _leaves(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [] if value is None else [str(value)]


def is_restricted(metadata: Json) -> bool:
    """Say whether only readers that ask for restricted memories may see this one.

    So it is when its metadata, or those of the document it is part of, name a `visibility` other
    than public or a `confidentiality` other than normal. What is not said counts as public and
    normal; a value of another shape restricts.
    """
    levels = (metadata, document_of(metadata))
    return any(
        not says(level, key, word) for level in levels for key, word in _UNRESTRICTED.items()
    )


def document_of(metadata: Json) -> Mapping[str, Json] | None:
    """Return what metadata say of the document that a memory is part of (an object or its JSON)."""
    document = metadata.get("document") if isinstance(metadata, Mapping) else None
    if isinstance(document, str):
        try:
            document = json.loads(document)
        except (ValueError, RecursionError):
            return None
    return document if isinstance(document, Mapping) else None


def says(level: Json, key: str, word: str, absent: bool = True) -> bool:
    """Say whether a field is `word`, in any case; `absent` answers where it is not there."""
    value = level.get(key) if isinstance(level, Mapping) else None
    if value is None:
        return absent
    return isinstance(value, str) and value.strip().lower() == word
