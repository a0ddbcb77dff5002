"""Writes the list of experiences, in the transaction that appends an entry.

A projection that never lags. A skeleton is listed with its whole event while that is stored, and
with its outline afterwards. `catalog` reads the list.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from ...core.codec import decode_text, stored_event
from ...core.entries import ExperienceCaptured, ExperienceEnriched, ExperienceReevaluated
from ...core.errors import InvalidInput
from ...core.events import (
    OWN_ID,
    EventKind,
    embedding_text,
    encode,
    encode_as_given,
    event_hash,
    event_of,
    is_restricted,
    speaker_id,
    texts_of,
)
from ...core.experience import Phenomenology
from ...core.ids import content_hash, event_id_of
from ...core.types import Entry, Outcome, Payload
from ...core.vocabulary import CORRECTS, CaptureMode
from ...language.analyser import Analyser
from ..search import full_text
from ..space_scope import SpaceScope
from .text_traits import Trait, is_inactive, traits_of

#: What is listed of an experience whose payload was erased.
_EMPTY_EVENT: Payload = {"payload": {}}
Project = Callable[[SpaceScope, Entry], None]
_OUTCOMES = {
    CaptureMode.FULL: Outcome.CAPTURED,
    CaptureMode.LIGHT: Outcome.TEXT_ONLY,
    CaptureMode.TRACE_ONLY: Outcome.TEXT_ONLY,
}


def projection(analyser: Analyser) -> Project:
    """Return the inline projection of everything that is listed of an experience."""

    def project(space: SpaceScope, entry: Entry) -> None:
        match entry.payload:
            case ExperienceCaptured() as captured:
                _list(space, entry, captured, analyser)
            case ExperienceEnriched(experience=experience, phenomenology=Phenomenology() as felt):
                _update_affect(space, experience, felt)
            case ExperienceReevaluated() as reevaluated:
                _update_evaluation(space, reevaluated, analyser)

    return project


def mode_of(payload: ExperienceCaptured) -> CaptureMode:
    """Return how much of a captured experience is kept."""
    if payload.decision is not None and payload.decision.mode is not None:
        return payload.decision.mode
    return CaptureMode.TRACE_ONLY if payload.event is None else CaptureMode.FULL


def outcome_of(payload: ExperienceCaptured) -> Outcome:
    """Return the ingest outcome that a captured experience's payload tells of."""
    if payload.duplicate_of:
        return Outcome.DUPLICATE
    return Outcome.OUTLINE if payload.event is None else _OUTCOMES[mode_of(payload)]


class HeldEvents:
    """The whole events of one space's outlines, which are held for a while."""

    def __init__(self, space: SpaceScope, analyser: Analyser) -> None:
        self._space = space
        self._analyser = analyser

    def is_due(self, now: datetime) -> bool:
        """Return whether any held event's time is over."""
        return bool(self._space.only_row("provisional/is_due", now)[0])

    def expire(self, now: datetime) -> int:
        """Erase the held events whose time is over, and all that was derived; count them.

        The outline of each stays in the journal. Nothing of what is erased is left in the file.
        """
        with self._space.database.erasing():
            due = self._space.rows("provisional/due", now)
            for seq, held, body in due:
                outline = _EMPTY_EVENT if body is None else stored_event(body)
                before = json.loads(held)["event"]
                _replace_listed_text(self._space, seq, (before, outline), self._analyser)
                self._space.run("provisional/erase", seq)
            if due and (sharing := self._space.database.sharing):
                sharing.erase_held(self._space.number, [seq for seq, *_ in due])
        return len(due)


def matches_hash(held: str, body: str) -> bool:
    """Return whether a held event is the one whose hash the journal's payload has."""
    try:
        hashes = {event_hash(decode_text(ExperienceCaptured, text)) for text in (held, body)}
        return len(hashes) == 1
    except (ValueError, TypeError, InvalidInput):
        return False


def _list(
    space: SpaceScope,
    entry: Entry,
    payload: ExperienceCaptured,
    analyser: Analyser,
) -> None:
    event, decision = event_of(entry), payload.decision
    corrected = (event.get("metadata") or {}).get(CORRECTS)
    row = {
        "seq": entry.seq,
        "id": entry.id,
        "event_id": _event_id(space, entry, event),
        "kind": event["kind"],
        "at": entry.at,
        "person": speaker_id(event, entry.space),
        "session": entry.stream,
        "status": decision.status.value if decision else "evaluated",
        "outcome": outcome_of(payload),
        "significance": decision and decision.significance,
        **_text_columns(event),
    }
    if payload.marks:
        row["traits"] |= _mark_traits(payload.marks)
    row["traits"] |= _standing_traits(event)
    space.run("catalog/add", **row)
    full_text.index(space, entry.seq, full_text.terms_of(event, analyser))
    if isinstance(corrected, str):
        space.run("catalog/supersede", seq=entry.seq, corrected=corrected)


def _event_id(space: SpaceScope, entry: Entry, event: Payload) -> str:
    """Return the caller's id: a correction without one has that of what it corrects."""
    corrected = (event.get("metadata") or {}).get(CORRECTS)
    is_unnamed = entry.key == entry.id or event.get(OWN_ID) is False
    row = is_unnamed and isinstance(corrected, str) and space.row("catalog/event_id", id=corrected)
    return str(row[0]) if row else event_id_of(entry.key)


def _update_affect(space: SpaceScope, experience: str, phenomenology: Phenomenology) -> None:
    """Write how an experience felt into columns."""
    signature = phenomenology.signature
    space.run(
        "catalog/update_affect",
        id=experience,
        primary=encode(signature.primary) if signature and signature.primary else None,
        intensity=signature and signature.intensity,
        valence=signature and signature.valence,
        engagement=phenomenology.engagement and phenomenology.engagement.value,
    )


def _update_evaluation(
    space: SpaceScope, payload: ExperienceReevaluated, analyser: Analyser
) -> None:
    """Change an experience's status; the event of an upgraded one is held for good."""
    updated = space.row(
        "catalog/update_evaluation",
        id=payload.experience,
        status=payload.status.value,
        significance=payload.significance,
    )
    event = payload.event
    if updated is None or event is None:
        return
    (seq,) = updated
    before = space.row("provisional/listed_body", seq)
    if before is not None:
        _replace_listed_text(space, seq, (stored_event(before[0]), event), analyser)
    space.run("provisional/hold", seq, None, encode_as_given({"event": event}))


def _replace_listed_text(
    space: SpaceScope, seq: int, events: tuple[Payload, Payload], analyser: Analyser
) -> None:
    """List the second event's text; vectors that only the first event's text needs go."""
    old_columns, new_columns = map(_text_columns, events)
    if old_columns == new_columns:
        return
    full_text.replace(space, seq, full_text.terms_of(events[1], analyser))
    space.run("catalog/update_text", seq=seq, **new_columns)
    space.run("vectors/erase", text_hash=old_columns["text_hash"])
    space.run("tokens/erase", seq=seq)


def _text_columns(event: Payload) -> dict[str, Any]:
    texts = texts_of(event)
    return {
        # An outline says nothing that another event could say again.
        "text_hash": content_hash(embedding_text(texts)) if event["payload"] else "",
        "words": len(texts[0].split()),
        "traits": int(traits_of(texts[0], texts[1:])),
    }


def _standing_traits(event: Payload) -> Trait:
    """Return what keeps an event out of answers, whatever it says."""
    metadata, traits = event.get("metadata"), Trait(0)
    if is_restricted(metadata):
        traits |= Trait.RESTRICTED
    if is_inactive(metadata):
        traits |= Trait.INACTIVE
    return traits | Trait.BOUNDARY if event["kind"] == EventKind.SESSION_BOUNDARY else traits


def _mark_traits(marks: Sequence[str]) -> Trait:
    """Return what capture marked: an echo of a recall, and what the firewall objected to."""
    echo = Trait.ECHO if "echo" in marks else Trait(0)
    return echo | (Trait.UNFIT if set(marks) - {"echo"} else Trait(0))
