"""One experience while it is enriched: read from its entry, told as entries."""

from __future__ import annotations

from meridia.core.types import EntryKind
from meridia.core.vocabulary import CaptureMode, RecordStatus, Trigger
from meridia.ingest.lived import lived_of
from tests.histories import START, an_entry

EVENT = {"kind": "user_message", "payload": {"text": "hi"}}


def captured(**payload):
    return an_entry(EntryKind.EXPERIENCE_CAPTURED, {"event": EVENT, **payload}, id="x-1")


def test_an_experience_is_read_with_what_capture_found_out():
    decision = {"mode": "light", "significance": 0.3, "status": "evaluated", "threshold": 0.5}
    entry = captured(
        decision=decision,
        trigger="problem-solution",
        duplicate_of="x-0",
        marks=["too_short", "echo"],
    )
    lived = lived_of(entry, EVENT)
    assert (lived.decision.mode, lived.decision.significance) == (CaptureMode.LIGHT, 0.3)
    assert lived.trigger is Trigger.PROBLEM_SOLUTION
    assert (lived.duplicate_of, lived.echo) == ("x-0", True)
    assert (lived.phenomenology, lived.found, lived.drafts) == (None, {}, [])


def test_an_experience_from_before_decisions_was_captured_in_full():
    lived = lived_of(captured(), EVENT)
    assert (lived.decision.mode, lived.decision.status) == (
        CaptureMode.FULL,
        RecordStatus.EVALUATED,
    )
    assert (lived.trigger, lived.echo, lived.duplicate_of) == (Trigger.NONE, False, None)


def test_what_it_leads_to_happened_when_it_did():
    lived = lived_of(captured(), EVENT)
    lived.say(EntryKind.MEMORY_REINFORCED, "x-1", {"experience": "x-1"})
    lived.found["concepts"] = {"boat": "boats"}
    (draft,), enriched = lived.drafts, lived.enriched()
    assert (draft.kind, draft.key, draft.at) == (EntryKind.MEMORY_REINFORCED, "x-1", START)
    assert (enriched.kind, enriched.key) == (EntryKind.EXPERIENCE_ENRICHED, "x-1")
    assert enriched.payload == {"experience": "x-1", "concepts": {"boat": "boats"}}
    assert enriched.at == START


def test_no_two_experiences_share_what_is_found():
    one, other = lived_of(captured(), EVENT), lived_of(captured(), EVENT)
    one.found["concepts"] = {}
    one.say(EntryKind.MEMORY_REINFORCED, "x-1", {})
    assert (other.found, other.drafts) == ({}, [])
