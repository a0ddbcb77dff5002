"""Erasing in the file: all of it or nothing, and nothing that is derived comes in afterwards."""

from __future__ import annotations

import numpy as np
import pytest

from meridia import Memory
from meridia.core.entries import (
    EpisodeSynthesised,
    ExperienceEnriched,
    Forgotten,
    QuestionsAnticipated,
    enrichment_keys,
)
from meridia.core.ids import content_hash
from meridia.core.types import EntryDraft, EntryKind
from meridia.storage.forgetting.erasure import erase
from meridia.storage.forgetting.selection import ForgettingRequest
from meridia.storage.upkeep import rebuild_lists
from meridia.storage.vectors import VectorTable
from tests.drafts import a_payload
from tests.ingest.forgetting.told import PLAIN, tell


@pytest.fixture
def memory():
    with Memory(None, "default", PLAIN) as opened:
        tell(opened, range(4))
        yield opened


def erased(memory, derive=lambda _selection: tuple, **how):
    request = ForgettingRequest(person="Dana")
    return erase(memory.parts, memory.space, request, derive, **how)


def entries(memory):
    return memory.parts.journal.read(memory.space)


def test_what_fails_on_the_way_leaves_everything(memory):
    before = entries(memory)

    def fail(_selection):
        return lambda: 1 / 0

    with pytest.raises(ZeroDivisionError):
        erased(memory, fail)
    assert entries(memory) == before
    assert len(memory.list().memories) == 4
    assert memory.recall("Where does Dana live?").hits


def test_a_rehearsal_counts_what_the_erasure_does(memory):
    rehearsed, before = erased(memory, rehearse=True), entries(memory)
    assert entries(memory) == before
    done = erased(memory)
    assert (rehearsed.places, rehearsed.seq) == (done.places, None)
    tombstone = entries(memory)[-1]
    assert (tombstone.seq, tombstone.hash) == (done.seq, done.hash)
    assert isinstance(tombstone.payload, Forgotten)
    gone = [entry.seq for entry in entries(memory) if entry.payload is None]
    assert list(done.selection.entries) == gone


def test_the_vector_of_a_question_that_stays_stays(memory):
    first, second = (memory.get(id).id for id in ("m-0", "m-1"))
    shared, own = "Where is the bakery?", "What is the rent?"
    drafts = [
        EntryDraft(f"q-{id}", QuestionsAnticipated(id, questions))
        for id, questions in ((first, (shared, own)), (second, (shared,)))
    ]
    memory.parts.journal.append(memory.space, drafts)
    vectors = VectorTable(memory.parts.space(memory.space))
    hashes = [content_hash(shared), content_hash(own)]
    for each in hashes:
        vectors.record("m", each, np.ones((1, 3), np.float32))
    erased(memory)
    assert list(vectors.of_texts("m", hashes)) == [content_hash(shared)]


def test_who_was_too_slow_appends_nothing_about_it(memory):
    captured, *_ = entries(memory)
    erased(memory)
    late = [
        EntryDraft(f"{captured.id}#late", ExperienceEnriched(captured.id, topics={"a": "rent"})),
        EntryDraft("late", a_payload(EntryKind.EPISODE_SYNTHESISED, {"sources": [captured.id]})),
    ]
    head = memory.parts.journal.head(memory.space)
    answers = memory.parts.journal.append(memory.space, late)
    assert [answer.forgotten for answer in answers] == [True, True]
    assert memory.parts.journal.head(memory.space) == head
    assert isinstance(late[1].payload, EpisodeSynthesised)


def test_what_a_model_read_in_a_session_is_read_anew_for_those_that_stay(memory):
    kim = next(entry for entry in entries(memory) if entry.key == "m-1")
    payload = ExperienceEnriched(kim.id, topics={"rent": "the rent"}, by="model")
    reading = EntryDraft(f"{kim.id}#session", payload)
    memory.parts.journal.append(memory.space, [reading])
    erased(memory)
    assert "the rent" not in str(entries(memory))
    memory.parts.journal.append(memory.space, [reading])
    keys = enrichment_keys([kim.id])
    again = memory.parts.journal.by_keys(memory.space, EntryKind.EXPERIENCE_ENRICHED, keys)
    assert [entry.payload for entry in again][-1] == payload


@pytest.mark.parametrize(
    "gone", [["n0"], ["n1"], ["n2", "n5"], ["n0", "n3"], [f"n{n}" for n in range(6)]]
)
def test_after_a_forgetting_the_list_of_entities_is_that_of_a_rebuild(gone):
    said = [
        "I met Ingrid Halvorsen in Bergen.",
        "Bergen is wet, says Ingrid Halvorsen.",
        "Oslo is dry.",
        "BERGEN again, and Oslo.",
        "Ingrid Halvorsen moved to Oslo.",
        "Nothing happened.",
    ]
    with Memory(None, "default", PLAIN) as memory:
        for number, text in enumerate(said):
            memory.remember(text, person="Dana", id=f"n{number}")
        memory.enrich()
        memory.forget(ids=gone)
        entities = memory.parts.space(memory.space).entities
        left = entities.list_all()
        rebuild_lists(memory.parts, memory.space)
        assert left == entities.list_all()
        assert bool(left) == (len(gone) < len(said))
