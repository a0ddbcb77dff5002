"""What was lived, read back as of a time and as known then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from meridia.core.types import EntryKind, Filters, Seq
from meridia.core.vocabulary import Emotion, Trigger
from meridia.resume.experience_views import (
    AGENT,
    read_experiences,
    shared,
)
from meridia.storage.cutoff import NOW, Cutoff
from tests.drafts import a_draft
from tests.resume.experience_builders import MET, agent, experience, feeling, memory_of

SAID = (
    ("n1", 0, "first", "Nora", "I am so frustrated, the warp keeps snapping!"),
    ("a1", 0, "first", None, "Try another knot."),
    ("n2", 7, "first", "Nora", "No, that's wrong: I never tied a knot."),
    ("n3", 14, "first", "Nora", "What a relief, the warp holds at last!"),
)


@pytest.fixture(scope="module")
def memory():
    with memory_of(*SAID) as opened:
        opened.enrich()
        yield opened


def test_an_experience_is_read_back_with_how_it_was_lived(memory):
    first, answer, correction, last = read_experiences(memory.parts, memory.space, Filters())
    assert [first.signature.primary, last.signature.primary] == [
        (Emotion.FRUSTRATED,),
        (Emotion.RELIEVED,),
    ]
    assert correction.trigger is Trigger.CORRECTIVE_FEEDBACK
    assert "warp" in first.concepts.values()
    assert [first.speaker, answer.speaker] == ["Nora", AGENT]
    assert first.significance > 0
    assert any(change.field == "emotionalSignature" for change in last.changes)


def test_what_had_not_happened_by_then_is_left_out(memory):
    exactly = Cutoff(moment=MET + timedelta(days=7, minutes=2))
    seen = read_experiences(memory.parts, memory.space, Filters(), exactly)
    assert [experience.memory.event_id for experience in seen] == ["n1", "a1", "n2"]


def test_what_was_not_known_then_is_left_out(memory):
    seen = read_experiences(memory.parts, memory.space, Filters(), Cutoff(seq=Seq(2)))
    assert [experience.memory.event_id for experience in seen] == ["n1", "a1"]


def test_what_was_found_of_an_experience_counts_whenever_it_was_found_or_up_to_a_bound(memory):
    whenever, *_ = read_experiences(memory.parts, memory.space, Filters(), Cutoff(seq=Seq(4)))
    bounded, *_ = read_experiences(
        memory.parts, memory.space, Filters(), Cutoff(seq=Seq(4), enriched_seq=Seq(4))
    )
    assert whenever.signature
    assert whenever.concepts
    assert (bounded.signature, bounded.concepts, bounded.changes) == (None, {}, ())
    assert bounded.significance == whenever.significance


def test_a_second_look_replaces_the_significance_from_then_on():
    with memory_of(*SAID) as memory:
        first = memory.get("n1")
        before = memory.parts.journal.head(memory.space).seq
        verdict = {"experience": first.id, "status": "evaluated", "significance": 0.91}
        kind = EntryKind.EXPERIENCE_REEVALUATED
        draft = a_draft(kind, f"{first.id}#evaluated", verdict | {"by": "rule"}, first.at)
        memory.parts.journal.append(memory.space, [draft])
        now, *_ = read_experiences(memory.parts, memory.space, Filters())
        then, *_ = read_experiences(
            memory.parts, memory.space, Filters(), Cutoff(enriched_seq=before)
        )
    assert now.significance == 0.91
    assert 0 < then.significance < 0.91


def test_shared_is_every_session_that_somebody_spoke_in_the_newest_first():
    with memory_of(
        ("n1", 0, "a", "Nora", "Hello."),
        ("a1", 0, "a", None, "Good morning."),
        ("p1", 1, "b", "Piet", "Is anybody here?"),
        ("n2", 2, "c", "Nora", "I am back."),
        ("a2", 3, "c", None, "Welcome."),
    ) as memory:
        spoken = [memory.get("n2"), memory.get("n1")]

        def together(then, limit):
            found = shared(memory.parts, memory.space, spoken, then, limit)
            return [experience.event_id for experience in found]

        assert together(NOW, 9) == ["a2", "n2", "a1", "n1"]
        assert together(NOW, 3) == ["a2", "n2", "a1"]
        assert together(Cutoff(seq=Seq(4)), 9) == ["n2", "a1", "n1"]


def test_the_last_moment_there_is_can_be_looked_back_from(memory):
    ever = Cutoff(datetime.max.replace(tzinfo=UTC))
    assert len(read_experiences(memory.parts, memory.space, Filters(), ever)) == len(SAID)


def test_of_more_than_the_limit_the_newest_are_read_oldest_first(memory):
    seen = read_experiences(memory.parts, memory.space, Filters(), NOW, 2)
    assert [experience.memory.event_id for experience in seen] == ["n2", "n3"]


def test_a_feeling_is_as_strong_as_its_intensity_and_its_valence():
    bad = experience(1, phenomenology=feeling(-0.5))
    assert (bad.valence, bad.feeling) == (-0.5, 0.25)
    assert (experience(1).valence, experience(1).feeling) == (0.0, 0.0)


def test_a_neutral_tone_is_no_feeling_and_a_result_has_no_speaker():
    assert experience(1, phenomenology=feeling(0.0)).signature is None
    assert experience(1, "ok", None, kind="tool_result").speaker is None
    assert not experience(1, "ok", None, kind="tool_result").is_message
    assert agent(1, "Yes.").is_message
