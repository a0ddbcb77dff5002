"""The values that rules read from an event: actor, time, result. Nothing is judged here.

An event is read as plain JSON values, as the journal stores it: one value by a function, or
everything that a decision needs as an `EventView`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from ...core.events import UNDATED, EventKind, embedding_text, texts_of
from ...core.ids import content_hash, fold
from ...core.time import parse
from ...core.types import Json
from ...language.runs.failure_signs import is_error
from ...language.runs.tool_calls import Event, args_of, is_result, leaves, tool_of
from .scoring import tool_matches

#: Characters that one token of a model's bill stands for, about; longer texts are cut anyway.
_TOKEN_CHARS, _BILLED_CHARS_MAX = 4, 8_000
#: The gist is a beginning; of a call's arguments only short ones, as a file's content is no gist.
_TEXT_CHARS_MAX, _ARGUMENT_CHARS_MAX, _GIST_CHARS_MAX = 1_000, 200, 500
#: As plain texts, which are compared faster than words of a vocabulary.
_MESSAGES = (EventKind.USER_MESSAGE.value, EventKind.ASSISTANT_MESSAGE.value)
#: What callers mark an event as important by, in its metadata.
_MARKS = ("important", "userMarkedImportant")
#: The tool by which an agent asks for a capture, with what it felt among the arguments.
_BY_HAND = ("experience_capture",)
#: Who speaks where the user's side has no name: what no name is.
OWNER_KEY = "\x01"
_SEPARATORS = re.compile(r"[_\W]+")


class EventView(NamedTuple):
    """One event as a decision reads it, each thing read off once however many ask for it.

    `fields` is the event itself. `person` and `tool` are folded names, that of the owner is
    `OWNER_KEY`; `actor` is the tool, or who
    spoke. `text` is its words, `meaning` those or else the captions, and `gist` what was said, or
    in few words what a call was about; `is_marked` says whether the caller marked the event as
    important. `hash` is the same for the same words of the same actor. `args` are the texts among a
    tool's arguments, `chars` is the length of its result.
    """

    fields: Event
    kind: str
    is_result: bool
    is_message: bool
    is_error: bool
    is_marked: bool
    at: datetime | None
    person: str | None
    tool: str
    actor: str
    text: str
    meaning: str
    hash: str
    args: tuple[str, ...]
    chars: int
    gist: str
    metadata: Mapping[str, Json]

    @property
    def is_by_hand(self) -> bool:
        """Whether somebody asked for the event to be captured: see `is_by_hand`."""
        return is_by_hand(self.fields)

    @property
    def tokens(self) -> int:
        """What reading the event costs a model, in tokens, estimated."""
        return -(-min(len(self.text), _BILLED_CHARS_MAX) // _TOKEN_CHARS)


def read_event(event: Event) -> EventView:
    """Read an event."""
    kind, name, texts = event["kind"], event.get("person"), texts_of(event)
    person = fold(name) or None if isinstance(name, str) else None
    if person is None and kind == EventKind.USER_MESSAGE:
        person = OWNER_KEY
    tool, result = tool_of(event), is_result(event)
    text, meaning = texts[0], embedding_text(texts)
    named = kind if person in (None, OWNER_KEY) else person
    actor = f"tool:{tool}" if result else f"said:{named}"
    args, remarks = tuple(args_of(event)), metadata_of(event)
    return EventView(
        fields=event,
        kind=kind,
        is_result=result,
        is_message=is_message(event),
        is_error=is_error(event),
        is_marked=any(remarks.get(name) is True for name in _MARKS),
        at=at_of(event),
        person=person,
        tool=tool,
        actor=actor,
        text=text,
        meaning=meaning,
        hash=content_hash(f"{actor}\n{meaning}"),
        args=args,
        chars=sum(map(len, leaves(event["payload"].get("result")))) if result else 0,
        gist=_call_gist(event, tool, args) if result else text[:_TEXT_CHARS_MAX],
        metadata=remarks,
    )


def is_message(event: Event) -> bool:
    """Return whether the event is something a person or the agent said."""
    return event["kind"] in _MESSAGES


def is_by_hand(event: Event) -> bool:
    """Return whether it was captured on request: by kind, or by the source's tool (feature 20)."""
    if event["kind"] == EventKind.MANUAL_CAPTURE:
        return True
    return is_result(event) and not is_error(event) and tool_matches(tool_of(event), _BY_HAND)


def at_of(event: Event) -> datetime | None:
    """Return when the event happened by its own word, or None."""
    return None if UNDATED in event else recorded_time_of(event)


def recorded_time_of(event: Event) -> datetime | None:
    """Return the time that stands in an event: its own, or that of an export; None for neither."""
    at = event.get("ts")
    return parse(at) if isinstance(at, str) else None


def metadata_of(event: Event) -> Mapping[str, Json]:
    """Return the caller's own remarks on an event."""
    return event.get("metadata") or {}


def _call_gist(event: Event, tool: str, args: tuple[str, ...]) -> str:
    """Return in few words what a call was about."""
    meta = (event.get("tool") or {}).get("meta")
    if isinstance(meta, str) and meta:
        return meta[:_GIST_CHARS_MAX]
    short = [arg for arg in args if len(arg) <= _ARGUMENT_CHARS_MAX]
    return " ".join([_SEPARATORS.sub(" ", tool), *short])[:_GIST_CHARS_MAX]


def given_significance(event: Event) -> float | None:
    """Return how significant the caller of a capture by hand holds it, 0 to 1; None for unsaid."""
    payload = event["payload"]
    args = payload.get("args") if is_result(event) else payload
    for fields in (args, event.get("metadata")):
        value = fields.get("significance") if isinstance(fields, Mapping) else None
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1:
            return float(value)
    return None
