"""Explicit feedback: what it may be about, what it gives, and that it can be taken back."""

from __future__ import annotations

import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput, NotFound
from meridia.core.settings import Settings
from meridia.core.types import EntryKind
from meridia.ingest.feedback.service import HUNDREDTHS, FeedbackVerdict
from tests.drafts import recorded
from tests.fakes import FakeEmbedder, SeededBytes, TickingClock

TEXTS = ("The boat needs paint.", "The boat has a torn sail.", "Bread rises in the oven.")


@pytest.fixture
def memory():
    with Memory(
        None, "home", Settings(), TickingClock(), SeededBytes(), embedder=FakeEmbedder()
    ) as opened:
        for place, text in enumerate(TEXTS):
            opened.remember(text, person="Dana", session="s1", id=f"m{place}")
        opened.enrich()
        yield opened


def feedback_payloads(memory: Memory) -> list[dict]:
    entries = memory.parts.journal.of_kind(memory.space, EntryKind.FEEDBACK_GIVEN)
    return [recorded(entry) for entry in entries]


@pytest.mark.parametrize("verdict", FeedbackVerdict)
def test_row_60_a_verdict_on_a_memory_is_an_entry_of_the_journal(memory, verdict):
    id = memory.get("m1").id
    given = memory.feedback("m1", verdict)
    (payload,) = feedback_payloads(memory)
    assert payload["effects"] == {id: [verdict, HUNDREDTHS[verdict]]}
    (row,) = memory.feedback.newest()
    assert (row.id, row.verdict, row.mode, row.reconstitution_id) == (given, verdict, None, None)


@pytest.mark.parametrize(
    ("verdict", "rating", "hundredths"),
    [(None, 5, 100), (None, 3, 0), (None, 1, -100), ("useful", 4, 75), ("stale", 3, -25)],
)
def test_row_60_a_rating_counts_from_1_to_5_and_midway_with_a_verdict(
    memory, verdict, rating, hundredths
):
    memory.feedback("m0", verdict, rating)
    assert [given for _, given in feedback_payloads(memory)[0]["effects"].values()] == [hundredths]
    assert memory.feedback.newest()[0].user_rating == rating


def test_feedback_takes_an_address_an_id_a_memory_or_a_hit(memory):
    hit = memory.recall("boat").hits[0]
    for target in (hit, hit.memory, hit.id, hit.memory.uri, hit.event_id):
        memory.feedback(target, "useful")
    assert {tuple(payload["effects"]) for payload in feedback_payloads(memory)} == {(hit.id,)}


def test_a_verdict_on_a_whole_recall_gives_a_quarter_to_each_of_its_memories(memory):
    answer = memory.recall("boat")
    memory.feedback(answer, "useful", rating=5, note="just right")
    (payload,) = feedback_payloads(memory)
    assert payload["effects"] == {hit.id: ["useful", 25] for hit in answer.hits}
    (row,) = memory.feedback.newest()
    assert (row.reconstitution_id, row.mode) == (answer.id, "recall")
    assert (row.records_injected, row.user_rating, row.notes) == (3, 5, "just right")


def test_a_verdict_on_a_pack_is_about_what_it_cites(memory):
    pack = memory.resume("Dana")
    memory.feedback(pack, "stale")
    (payload,) = feedback_payloads(memory)
    cited = {memory.get(event).id for event in pack.cited}
    assert set(payload["effects"]) == cited
    assert cited
    assert payload["mode"] == pack.mode


def test_what_was_said_is_taken_back_by_its_id_or_by_what_it_was_about(memory):
    first, second = memory.feedback("m0", "useful"), memory.feedback("m0", "wrong")
    assert memory.feedback.undo("m0") == second
    assert memory.feedback.undo(first) == first
    assert [row.taken_back for row in memory.feedback.newest()] == [True, True]
    with pytest.raises(NotFound, match="'m0' has no feedback to undo"):
        memory.feedback.undo("m0")
    with pytest.raises(NotFound, match="has no feedback to undo"):
        memory.feedback.undo(first)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("m0",), "feedback is empty"),
        (("m0", "lovely"), "verdict 'lovely' is not known: choose from useful, stale, wrong"),
        (("m0", None, 6), "rating 6 is out of range: give 1 to 5"),
        (("m0", None, 0), "rating 0 is out of range: give 1 to 5"),
        (("m0", "useful", None, "x" * 501), "note has 501 characters"),
    ],
)
def test_feedback_that_makes_no_sense_is_refused_and_nothing_is_written(memory, arguments, problem):
    with pytest.raises(InvalidInput, match=problem):
        memory.feedback(*arguments)
    assert feedback_payloads(memory) == []


def test_feedback_about_what_was_never_there_is_refused(memory):
    with pytest.raises(NotFound, match="has no memory, recall or pack 'm9'"):
        memory.feedback("m9", "useful")
    away = memory.in_space("away")
    away.remember("Elsewhere.", id="x")
    with pytest.raises(NotFound, match="space 'away' has no memory, recall or pack 'm0'"):
        away.feedback("m0", "useful")


def test_a_secret_in_a_note_is_not_kept(memory):
    memory.feedback("m0", "wrong", note="use ghp_" + "a1B2" * 9 + " instead")
    assert "a1B2a1B2" not in str(feedback_payloads(memory))
    assert memory.feedback.newest()[0].notes.startswith("use ")
