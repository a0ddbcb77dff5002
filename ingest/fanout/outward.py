"""What of the journal may leave for a sink: entries without what is private, restricted or gone.

Pure functions. The same redaction that nothing leaves without: `sanitise_for_sink`, on every text
of an entry, whatever its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ...core.codec import decode_entry, encode
from ...core.entries import EpisodeSynthesised, ExperienceCaptured, Forgotten
from ...core.errors import InvalidInput
from ...core.events import embedding_text_of, is_restricted, recorded_event
from ...core.experience import Phenomenology
from ...core.settings import SanitiseSettings
from ...core.types import Entry, Payload
from ..capture.event_view import is_by_hand
from ..redaction.sanitise import Target, clean_for_sink, sanitise_for_sink

#: Texts whose redaction is remembered: names, topics and words come again and again.
_REMEMBERED = 10_000
#: Returns which of some experiences, by id, may not leave: restricted, or erased.
Withheld = Callable[[Sequence[str]], AbstractSet[str]]


def outward_entries(
    entries: Sequence[Entry], withheld: Withheld, policy: SanitiseSettings, target: Target
) -> list[Entry]:
    """Return those entries that may leave, redacted.

    Left out: what was erased, restricted memories, and what is said about either.
    """
    named = {id for entry in entries for id in _experiences(entry)}
    refused = withheld(sorted(named)) if named else set()
    leaving = [
        entry
        for entry in entries
        if entry.payload is not None
        and not isinstance(entry.payload, Forgotten)
        and refused.isdisjoint(_experiences(entry))
    ]
    return [entry for each in leaving if (entry := _outward(each, policy, target)) is not None]


def is_withheld(entry: Entry) -> bool:
    """Return whether a captured experience may not leave: it was erased, or it is restricted."""
    if not isinstance(entry.payload, ExperienceCaptured):
        return True
    return is_restricted(recorded_event(entry.payload).get("metadata"))


def embedded_text(event: Payload, felt: Phenomenology | None = None) -> str:
    """Return what is embedded of an event: what it says, or its captions.

    With `felt`, topic, summary, anchors, uncertainties and texture, each on a line of its own.
    """
    text = embedding_text_of(event)
    if felt is None:
        return text
    payload, metadata = event["payload"], event.get("metadata") or {}
    args = payload.get("args") if is_by_hand(event) else None
    given = {**(args if isinstance(args, Mapping) else {}), **payload, **metadata}
    texture = felt.signature and felt.signature.texture
    anchors = [anchor.phrase for anchor in felt.anchors]
    lines = [
        given.get("topic"),
        given.get("summary") or text,
        *anchors,
        *felt.uncertainties,
        texture,
    ]
    return "\n".join(str(line) for line in dict.fromkeys(lines) if line)


def _experiences(entry: Entry) -> list[str]:
    """Return the experiences that an entry is about, by id."""
    payload = entry.payload
    if isinstance(payload, ExperienceCaptured):
        return [entry.id]
    if isinstance(payload, EpisodeSynthesised):
        return list(payload.sources)
    subject = getattr(payload, "experience", None)
    return [] if subject is None else [subject]


def _outward(entry: Entry, policy: SanitiseSettings, target: Target) -> Entry | None:
    """Return an entry redacted; None where a mark in the place of a text makes it invalid."""
    body = encode(entry.payload)
    clean: dict[str, Any] = {
        name: sanitise_for_sink(value, policy, target).fields
        if isinstance(entry.payload, ExperienceCaptured) and name in {"event", "skeleton"}
        else _map(value, policy)
        for name, value in body.items()
    }
    try:
        return replace(entry, payload=decode_entry(entry.kind, clean), provisional=None)
    except InvalidInput:
        return None


def _map(value: Any, policy: SanitiseSettings) -> Any:
    """Return JSON data with every text redacted, names of fields too."""
    if isinstance(value, str):
        return _clean(value, policy)
    if isinstance(value, dict):
        return {_clean(name, policy): _map(item, policy) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_map(item, policy) for item in value]
    return value


@lru_cache(maxsize=_REMEMBERED)
def _clean(text: str, policy: SanitiseSettings) -> str:
    return clean_for_sink(text, policy)
