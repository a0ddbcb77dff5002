"""What goes with some memories: entries about them, people of whom nothing is left, sessions."""

from __future__ import annotations

import copy
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.entries import (
    EpisodeSynthesised,
    ExperienceEnriched,
    Forgotten,
    QuestionsAnticipated,
    enrichment_keys,
)
from meridia.core.errors import InvalidInput
from meridia.core.ids import content_hash
from meridia.core.types import EntryDraft, EntryKind
from meridia.storage.forgetting.erasure import ForgettingRequest, erase, select
from meridia.storage.forgetting.receipts import receipt_problems
from meridia.storage.upkeep import rebuild_lists
from meridia.storage.vectors import VectorTable
from tests.drafts import a_payload
from tests.ingest.forgetting.told import PLAIN, SAID, tell
from tests.thorough import examples


@pytest.fixture(scope="module")
def told():
    with Memory(None, "default", PLAIN) as opened:
        tell(opened)
        yield opened


def selected(told, **asked):
    scope = told.parts.space(told.space).space_scope
    return select(scope, told.space, ForgettingRequest(**asked))


def test_a_person_goes_with_the_last_memory_of_them(told):
    seqs = [record.seq for record in told.list().memories if record.person == "Dana"]
    assert len(selected(told, person="Dana").people) == 1
    assert selected(told, seqs=seqs[1:]).people == []
    assert selected(told, seqs=seqs[1:]).kinds.get("PersonMet") is None
    assert selected(told, person="Dana").kinds["PersonMet"] == 1


def test_an_end_of_a_fact_goes_with_the_fact_that_ended_it(told):
    seqs = {record.event_id: record.seq for record in told.list().memories}
    chosen = selected(told, seqs=[seqs["m-8"]])
    assert chosen.kinds["FactSuperseded"] == 1
    assert chosen.kinds["ExperienceCaptured"] == 1


def test_everything_is_everything(told):
    chosen = selected(told)
    assert chosen.everything
    assert len(chosen.memories) == len(SAID)
    head = told.parts.journal.head(told.space).seq
    assert chosen.runs == ((1, head),)


def test_runs_join_what_stands_side_by_side(told):
    chosen = selected(told, session="s1")
    assert [seq for first, last in chosen.runs for seq in range(first, last + 1)] == chosen.entries


@pytest.mark.parametrize(
    ("asked", "scope"),
    [
        ({"person": "Dana", "session": "s1"}, "person"),
        ({"session": "s1"}, "session"),
        ({"seqs": [1]}, "ids"),
        ({"where": {"a": 1}}, "where"),
        ({"kind": "tool_result"}, "kind"),
        ({}, "space"),
    ],
)
def test_a_request_says_in_a_word_what_it_is_about(asked, scope):
    assert (
        ForgettingRequest(**asked).scope == ForgettingRequest(**asked).as_json()["scope"] == scope
    )


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


@pytest.fixture(scope="module")
def forgotten():
    """Return a memory in which somebody was forgotten, and the receipt."""
    with Memory(None, "default", PLAIN) as memory:
        tell(memory, range(4))
        yield memory.parts, memory.forget(person="Dana").receipt


def test_it_is_true_and_names_every_place(forgotten):
    file, receipt = forgotten
    assert receipt_problems(file, receipt) == []
    assert receipt["asked"] == {"scope": "person", "person": "Dana"}
    assert receipt["memories"] == receipt["entries"]["ExperienceCaptured"] == 3
    assert {"journal payloads", "full text", "list of memories", "trace"} <= set(receipt["places"])


def test_the_journal_keeps_no_name_of_who_was_forgotten(forgotten):
    file, receipt = forgotten
    entry = file.journal.read("default", receipt["entry"]["seq"] - 1, 1)[0]
    assert entry.hash.hex() == receipt["entry"]["hash"]
    assert "Dana" not in str(entry)


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("memories", 2, "signature"),
        ("asked", {"scope": "person", "person": "Kim"}, "signature"),
        ("erased", [[1, 1]], "other entries"),
        ("entry", {"seq": 1, "hash": "00"}, "no forgetting"),
        ("space", "elsewhere", "another journal"),
    ],
)
def test_a_changed_one_is_told_from_it(forgotten, name, value, problem):
    file, receipt = forgotten
    assert any(problem in each for each in receipt_problems(file, {**receipt, name: value}))


def test_one_of_another_journal_is_none_of_this(forgotten):
    with Memory(None, "default", PLAIN) as other:
        tell(other, range(4))
        assert receipt_problems(other.parts, forgotten[1])
        other.forget(person="Dana")
        assert any("signature" in each for each in receipt_problems(other.parts, forgotten[1]))


def test_what_is_no_receipt_is_refused(forgotten):
    with pytest.raises(InvalidInput, match="not a receipt"):
        receipt_problems(forgotten[0], {"memories": 1})


_ODD = st.none() | st.booleans() | st.integers() | st.text(st.characters()) | st.floats()
_ODD |= st.just("\ud800") | st.just([[1]]) | st.just({"a": [{}]}) | st.lists(st.integers())


@settings(max_examples=examples(38), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_whatever_is_changed_in_a_receipt_it_is_told_in_words(forgotten, data):
    file, receipt = forgotten
    changed = copy.deepcopy(receipt)
    place = changed["entry"] if data.draw(st.booleans()) else changed
    name = data.draw(st.sampled_from(sorted(place)))
    place[name] = data.draw(_ODD)
    if data.draw(st.booleans()):
        del place[name]
    assume(changed != receipt)
    with suppress(InvalidInput):
        assert receipt_problems(file, changed)
