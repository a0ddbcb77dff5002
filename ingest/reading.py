"""What the rules read off an event: who acted, when, with what result. Nothing is judged here.

An event is read as plain JSON values, as the journal keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ..core.events import EventKind, meaning_of, text_of
from ..core.ids import content_hash, fold
from ..core.time import parse
from ..core.types import Json

Event = Mapping[str, Any]

#: Characters that one token of a model's bill stands for, about; longer texts are cut anyway.
_TOKEN_CHARS, _BILLED_CHARS_MAX = 4, 8_000
#: The gist is a beginning; of a call's arguments only short ones, as a file's content is no gist.
_SAID_CHARS, _SHORT_CHARS, _GIST_CHARS = 1_000, 200, 500
#: As plain texts, which are compared faster than words of a vocabulary.
_RESULT = EventKind.TOOL_RESULT.value
_MESSAGES = (EventKind.USER_MESSAGE.value, EventKind.ASSISTANT_MESSAGE.value)
_SEPARATORS = re.compile(r"[_\W]+")


def is_result(event: Event) -> bool:
    """Say whether the event is a tool's result."""
    kind: str = event["kind"]
    return kind == _RESULT


def is_message(event: Event) -> bool:
    """Say whether the event is something a person or the agent said."""
    return event["kind"] in _MESSAGES


def is_error(event: Event) -> bool:
    """Say whether the event is a tool's failure."""
    return bool((event.get("tool") or {}).get("isError"))


def at_of(event: Event) -> datetime | None:
    """Return when the event happened by its own word, or None."""
    at = event.get("ts")
    return parse(at) if isinstance(at, str) else None


def person_of(event: Event) -> str | None:
    """Return the folded name of the person an event is from, or None."""
    name = event.get("person")
    return fold(name) or None if isinstance(name, str) else None


def tool_of(event: Event) -> str:
    """Return the folded name of the tool, or nothing."""
    return fold((event.get("tool") or {}).get("name") or "")


def actor_of(event: Event) -> str:
    """Return what acted: the tool, or who spoke."""
    if is_result(event):
        return f"tool:{tool_of(event)}"
    return f"said:{person_of(event) or event['kind']}"


def hash_of(event: Event, actor: str | None = None) -> str:
    """Return a hash of what the event says, the same for the same words of the same actor.

    `actor` is who acted, where that is known already.
    """
    return content_hash(f"{actor or actor_of(event)}\n{meaning_of(event)}")


def tokens_of(event: Event) -> int:
    """Estimate what reading the event costs a model, in tokens."""
    return -(-min(len(text_of(event)), _BILLED_CHARS_MAX) // _TOKEN_CHARS)


def result_chars(event: Event) -> int:
    """Return how many characters a tool's result has."""
    return sum(map(len, leaves(event["payload"].get("result"))))


def args_of(event: Event) -> list[str]:
    """Return the texts among a tool call's arguments, in order."""
    return leaves(event["payload"].get("args"))


def gist_of(event: Event) -> str:
    """Return what was said, or in few words what a call was about."""
    if not is_result(event):
        return text_of(event)[:_SAID_CHARS]
    meta = (event.get("tool") or {}).get("meta")
    if isinstance(meta, str) and meta:
        return meta[:_GIST_CHARS]
    short = [arg for arg in args_of(event) if len(arg) <= _SHORT_CHARS]
    return " ".join([_SEPARATORS.sub(" ", tool_of(event)), *short])[:_GIST_CHARS]


def metadata_of(event: Event) -> Mapping[str, Json]:
    """Return the caller's own remarks on an event."""
    return event.get("metadata") or {}


def leaves(value: Json) -> list[str]:
    """Return every text and number inside plain JSON values, as text, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [leaf for part in value.values() for leaf in leaves(part)]
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in leaves(part)]
    return [] if value is None else [str(value)]
