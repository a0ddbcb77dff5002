"""Entries and drafts from plain JSON: a test says what matters, the rest is filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from meridia.core.codec import decode_entry, encode
from meridia.core.entries import EntryPayload
from meridia.core.types import Entry, EntryDraft, EntryKind

_EXPERIENCE = {"experience": "e"}
_FACT = {"subject": "Dana", "predicate": "likes", "object": "tea", "text": "Dana likes tea."}
_ANSWER: dict[str, Any] = {
    "reconstitution": None,
    "mode": None,
    "shown": [],
    "note": None,
    "effects": {},
}
_EPISODE = {"topic": "a boat", "summary": "A boat was mended.", "from": None, "until": None}
_LISTS = ("sources", "tools", "tags", "anchors", "emotions", "consequences")
#: What an entry of each kind says where a test does not.
_REST: Mapping[EntryKind, Mapping[str, Any]] = {
    EntryKind.EXPERIENCE_CAPTURED: {},
    EntryKind.EXPERIENCE_ENRICHED: _EXPERIENCE,
    EntryKind.EXPERIENCE_REEVALUATED: _EXPERIENCE | {"status": "evaluated"},
    EntryKind.STATE_TRANSITIONED: _EXPERIENCE
    | {"transition": "t", "session": "s", "field": "focus", "from": None, "to": None},
    EntryKind.PERSON_MET: {"person": "p", "name": "Dana", "aliases": []},
    EntryKind.PERSON_NAMED: {"person": "p", "name": "Dee", "how": "introduced"},
    EntryKind.NAME_REFUSED: {"person": "p", "name": "Dee"},
    EntryKind.PEOPLE_MERGED: {"person": "p", "into": "q"},
    EntryKind.PEOPLE_UNMERGED: {"person": "p"},
    EntryKind.RELATIONSHIP_CHANGED: {"threshold": None},
    EntryKind.ENTITIES_MENTIONED: _EXPERIENCE | {"entities": []},
    EntryKind.ENTITIES_MERGED: {"reason": ""},
    EntryKind.ENTITIES_UNMERGED: {},
    EntryKind.MEMORIES_ASSOCIATED: _EXPERIENCE | {"related": []},
    EntryKind.MEMORY_REINFORCED: _EXPERIENCE | {"reason": "near", "similarity": 0.97},
    EntryKind.FACT_ASSERTED: _EXPERIENCE
    | _FACT
    | {"subject_id": None, "stability": "dynamic", "confidence": 0.9, "by": "rule"}
    | {"t_valid": "2026-03-01T10:00:00.000000Z"},
    EntryKind.FACT_SUPERSEDED: {"by_fact": None, "t_invalid": None, "reason": "", "by": "rule"},
    EntryKind.QUESTIONS_ANTICIPATED: _EXPERIENCE | {"questions": []},
    EntryKind.EPISODE_SYNTHESISED: _EPISODE
    | {"episode": "episode", "session": "s", "significance": 0.5, "by": "rule"}
    | {name: [] for name in _LISTS},
    EntryKind.FEEDBACK_GIVEN: {"by": "user"},
    EntryKind.FORGOTTEN: {"scope": "ids", "erased": [], "memories": 0, "by": "user"},
}


def a_payload(kind: EntryKind, said: Mapping[str, Any]) -> EntryPayload:
    """Return the payload of an entry that says this."""
    rest = dict(_REST[kind])
    if kind is EntryKind.FEEDBACK_GIVEN and "undoes" not in said:
        rest |= _ANSWER
        tracked: dict[str, Any] = {"session": None, "referenced": [], "anchors": [], "style": None}
        rest |= tracked if "auto_score" in said else {"verdict": None, "rating": None}
    if kind is EntryKind.EXPERIENCE_CAPTURED and "decision" in said:
        rest["decision"] = {"significance": 0.0, "status": "evaluated"} | said["decision"]
        said = {name: value for name, value in said.items() if name != "decision"}
    return decode_entry(kind, rest | dict(said))


def a_draft(
    kind: EntryKind, key: str, said: Mapping[str, Any], *more: Any, **fields: Any
) -> EntryDraft:
    """Return the draft of an entry that says this."""
    return EntryDraft(key, a_payload(kind, said), *more, **fields)


def recorded(entry: Entry | EntryDraft) -> dict[str, Any]:
    """Return what an entry says as plain JSON; of an erased one, nothing."""
    return {} if entry.payload is None else encode(entry.payload)
