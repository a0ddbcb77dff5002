"""One experience while it is enriched: read from its entry, told as entries."""

from __future__ import annotations

from meridia.core.entries import MemoryReinforced
from meridia.core.types import EntryKind
from meridia.core.vocabulary import Trigger
from meridia.ingest.enrichment.batch_state import enrichment_context_of
from tests.drafts import recorded
from tests.histories import START, an_entry

EVENT = {"kind": "user_message", "payload": {"text": "hi"}}


def no_encoder(text: str) -> None:
    return None


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
    context = enrichment_context_of(entry, EVENT, no_encoder)
    assert context.significance == 0.3
    assert context.trigger is Trigger.PROBLEM_SOLUTION
    assert (context.duplicate_of, context.echo) == ("x-0", True)
    assert (context.phenomenology, context.enriched_fields, context.drafts) == (None, {}, [])


def test_an_experience_from_before_decisions_was_captured_in_full():
    context = enrichment_context_of(captured(), EVENT, no_encoder)
    assert context.significance == 0.0
    assert (context.trigger, context.echo, context.duplicate_of) == (Trigger.NONE, False, None)


def test_what_it_leads_to_happened_when_it_did():
    context = enrichment_context_of(captured(), EVENT, no_encoder)
    context.add_entry("x-1", MemoryReinforced("x-1", "x-0", "exact", 1.0))
    context.enriched_fields["concepts"] = {"boat": "boats"}
    (draft,), enriched_entry = context.drafts, context.enriched_entry()
    assert (draft.kind, draft.key, draft.at) == (EntryKind.MEMORY_REINFORCED, "x-1", START)
    assert (enriched_entry.kind, enriched_entry.key) == (EntryKind.EXPERIENCE_ENRICHED, "x-1")
    assert recorded(enriched_entry) == {"experience": "x-1", "concepts": {"boat": "boats"}}
    assert enriched_entry.at == START


def test_no_two_experiences_share_what_is_found():
    first, second = (
        enrichment_context_of(captured(), EVENT, no_encoder),
        enrichment_context_of(captured(), EVENT, no_encoder),
    )
    first.enriched_fields["concepts"] = {}
    first.add_entry("x-1", MemoryReinforced("x-1", "x-0", "exact", 1.0))
    assert (second.enriched_fields, second.drafts) == ({}, [])
