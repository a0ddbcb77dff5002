"""What a space knows: read when it is asked for, and kept while a batch is understood."""

from __future__ import annotations

from typing import Any

from meridia.core.codec import decode
from meridia.core.entries import FactAsserted, FactEntry
from meridia.core.experience import RegisterState
from meridia.core.ids import session_id
from meridia.core.types import EntryDraft, EntryKind
from meridia.core.vocabulary import Engagement
from meridia.ingest.enrichment.batch_state import BatchState, topic_of
from meridia.ingest.enrichment.register import STANDARD
from meridia.ingest.enrichment.space_names import NamesCache
from tests.ingest.ingest_events import user
from tests.ingest.ingest_world import HOME, World

S1 = {"session": {"key": "s1"}}


def batch_state(world: World) -> BatchState:
    return BatchState(world.file, HOME, NamesCache(world.file), STANDARD)


# Registers


def with_engagement(engagement: str) -> dict[str, Any]:
    return {"metadata": {"phenomenology": {"engagementQuality": engagement}}}


def test_row_44_a_register_is_what_was_written_or_else_what_the_journal_tells(world):
    world.live(
        user("The keel is fine", 0, **S1, **with_engagement("engaged")),
        user("The keel is off", 5, **S1, **with_engagement("struggling")),
    )
    session = session_id(HOME, "s1")
    stored = batch_state(world).register(session, 1_000)
    world.forget_sessions()
    assert batch_state(world).register(session, 1_000) == stored
    assert stored.engagement is Engagement.STRUGGLING


def test_a_register_is_folded_up_to_the_experience_it_is_asked_for(world):
    world.live(
        user("The keel is fine", 0, **S1, **with_engagement("engaged")),
        user("The keel is off", 5, **S1, **with_engagement("struggling")),
    )
    world.forget_sessions()
    first, second = world.entries(EntryKind.EXPERIENCE_CAPTURED)
    session = session_id(HOME, "s1")
    assert batch_state(world).register(session, first.seq) == RegisterState()
    assert batch_state(world).register(session, second.seq).engagement is Engagement.ENGAGED


def test_a_session_that_nobody_knows_has_an_empty_register(world):
    world.take(user("Some words", 0))
    assert batch_state(world).register(session_id(HOME, "s9"), 9) == RegisterState()


# Facts


def reported(fact: str, place: str) -> FactEntry:
    payload = {
        "fact": fact,
        "experience": "x",
        "subject": "the boat",
        "subject_id": None,
        "predicate": "lies_in",
        "object": place,
        "text": f"The boat lies in {place}.",
        "stability": "dynamic",
        "t_valid": "2026-03-01T10:00:00.000000Z",
        "confidence": 0.9,
        "by": "rule",
    }
    return decode(FactAsserted, payload)


def test_row_101_what_a_batch_learns_has_name_before_it_is_written(world):
    world.take(user("Some words", 0))
    world.file.journal.append(HOME, [EntryDraft("fact-1", reported("fact-1", "Hamburg"))])
    state = batch_state(world)
    assert [fact.object for fact in state.facts_about(None, "The  Boat")] == ["Hamburg"]
    state.record_facts(None, "the boat", [reported("fact-2", "Kiel")])
    assert [fact.object for fact in state.facts_about(None, "the boat")] == ["Hamburg", "Kiel"]
    assert state.facts_about(None, "the car") == []
    assert [fact.id for fact in batch_state(world).facts_about(None, "the boat")] == ["fact-1"]


def test_what_was_found_out_can_be_taken_back(world):
    world.take(user("Some words", 0))
    state = batch_state(world)
    take_back = state.savepoint()
    state.registers["s"] = RegisterState(engagement=Engagement.ENGAGED)
    state.record_facts(None, "the boat", [reported("fact-2", "Kiel")])
    take_back()
    assert state.registers == {}
    assert state.facts_about(None, "the boat") == []


def test_only_a_text_is_a_topic():
    assert topic_of(user("hi", 0, metadata={"topic": "keel"})) == "keel"
    for topic in (None, "", "  ", 3, ["keel"]):
        assert topic_of(user("hi", 0, metadata={"topic": topic})) is None
    assert topic_of(user("hi", 0)) is None
