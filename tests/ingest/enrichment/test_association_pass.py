"""Associations in the journal: what is related, what repeats, and that nothing is mixed up."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.types import EntryKind
from tests.drafts import recorded
from tests.fakes import FakeEmbedder
from tests.ingest.ingest_events import result, user
from tests.ingest.ingest_world import World, a_world

WORDS = ["mast", "sail", "keel", "hull", "oak", "tar", "rope", "deck"]
#: Texts of a few words: many of them near each other.
TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=3, max_size=6).map(" ".join), min_size=1, max_size=12
)


def related(world: World) -> dict[str, list[Any]]:
    payloads = world.payloads_of(EntryKind.MEMORIES_ASSOCIATED)
    return {payload["experience"]: payload["related"] for payload in payloads}


def near(world: World) -> dict[str, tuple[str, float]]:
    return {
        payload["experience"]: (payload["canonical"], payload["similarity"])
        for payload in world.payloads_of(EntryKind.MEMORY_REINFORCED)
        if payload["reason"] == "near"
    }


def cosines(world: World) -> dict[tuple[str, str], float]:
    """Return the cosine of every pair of experiences, new before old, straight from the texts."""
    entries = world.entries(EntryKind.EXPERIENCE_CAPTURED)
    texts = [
        (entry.provisional or recorded(entry)["event"])["payload"]["text"] for entry in entries
    ]
    rows = FakeEmbedder().embed(texts).astype(np.float16).astype(np.float64)
    return {
        (new.id, old.id): float(rows[i] @ rows[j])
        for i, new in enumerate(entries)
        for j, old in enumerate(entries[:i])
    }


@given(TEXTS, st.integers(1, 5))
def test_row_102_related_are_those_from_six_tenths_on_ten_at_most_and_older(texts, batch):
    with a_world(embedder=FakeEmbedder()) as world:
        world.batch = batch
        world.restart()
        world.take(*[user(text, place) for place, text in enumerate(texts)])
        world.catch_up()
        pairs, related_ids = cosines(world), related(world)
        order = {entry.id: entry.seq for entry in world.entries(EntryKind.EXPERIENCE_CAPTURED)}
        for id, others in related_ids.items():
            assert 0 < len(others) <= 10
            values = [cosine for _, cosine in others]
            assert values == sorted(values, reverse=True)
            for other, cosine in others:
                assert order[other] < order[id]
                assert cosine >= 0.6
                assert abs(cosine - pairs[id, other]) < 2e-3
        for (new, old), cosine in pairs.items():
            if cosine > 0.602 and len(related_ids.get(new, ())) < 10:
                assert old in [other for other, _ in related_ids.get(new, ())]


@given(TEXTS, st.lists(st.integers(0, 11), max_size=4))
def test_associations_are_the_same_however_often_a_worker_comes_or_begins_anew(texts, stops):
    with a_world(embedder=FakeEmbedder()) as at_once, a_world(embedder=FakeEmbedder()) as often:
        events = [user(text, place, id=f"e-{place}") for place, text in enumerate(texts)]
        at_once.live(*events)
        for place, event in enumerate(events):
            often.take(event)
            if place in stops:
                often.catch_up()
                often.restart()
        often.catch_up()
        keys = [
            {entry.id: entry.key for entry in world.entries(EntryKind.EXPERIENCE_CAPTURED)}
            for world in (at_once, often)
        ]
        associations = [
            {
                of[id]: [(of[other], cosine) for other, cosine in others]
                for id, others in related(world).items()
            }
            for world, of in zip((at_once, often), keys, strict=True)
        ]
        assert associations[0] == associations[1]
        repeats = [
            {of[id]: (of[first], cosine) for id, (first, cosine) in near(world).items()}
            for world, of in zip((at_once, often), keys, strict=True)
        ]
        assert repeats[0] == repeats[1]


def test_row_100_a_near_duplicate_reinforces_the_first_and_stays_recallable(world):
    words = "the mast of our boat is made of oak and tar and the sails are red"
    first, second, third = world.live(
        user(words, 0, id="a"),
        user(words + " now", 5, id="b"),
        user(words + " now too", 9, id="c"),
    )
    duplicates = near(world)
    assert {id: canonical for id, (canonical, _) in duplicates.items()} == {
        second.id: first.id,
        third.id: first.id,
    }
    assert all(similarity >= 0.92 for _, similarity in duplicates.values())
    assert world.file.catalog.find("home", "b").id == second.id
    assert second.id in [other for other, _ in related(world)[third.id]], "linked all the same"


def test_what_was_said_word_for_word_reinforces_once(world):
    words = "the mast of our boat is made of oak"
    world.live(user(words, 0), user(words, 5))
    (payload,) = world.payloads_of(EntryKind.MEMORY_REINFORCED)
    assert payload["reason"] == "exact"


def test_row_100_what_is_written_by_hand_or_unfit_repeats_nothing(world):
    words = "the mast of our boat is made of oak and tar and the sails are red"
    by_hand = {**user(words + " now", 5), "kind": "manual_capture"}
    world.live(user(words, 0), by_hand, user("red sails", 7), user("red sails", 8))
    assert near(world) == {}


def test_what_came_out_of_a_recall_is_related_to_nothing(world):
    words = "the mast of our boat is made of oak and tar"
    first, second, third = world.live(
        user(words, 0),
        user(words + " now", 5, metadata={"recalled": True}),
        user(words + " then", 9),
    )
    associations = related(world)
    assert second.id not in associations
    assert [other for other, _ in associations[third.id]] == [first.id]


def test_associations_happened_when_the_experience_did(world):
    world.live(user("mast and sail", 0), user("mast and sail too", 60))
    (entry,) = world.entries(EntryKind.MEMORIES_ASSOCIATED)
    assert entry.at.minute == 1, "whatever the clock said when it was found"
    assert entry.recorded_at.minute == 0


def test_without_an_embedder_nothing_is_related():
    with a_world() as world:
        world.live(user("mast and sail", 0), user("mast and sail too", 60))
        assert related(world) == {}


def test_associations_name_the_right_memories_after_others_expired(world):
    for place in range(4):
        world.take(result("read", {"path": f"/{place}"}, f"tar rope deck {place}", place))
    mast = world.take(user("the mast is of oak", 5))[0]
    sail = world.take(user("a sail in red", 6))[0]
    world.catch_up()
    world.later(days=8)
    world.catch_up()
    (other,) = world.live(user("the mast is of oak too", 7))
    assert related(world)[other.id][0][0] == mast.id
    assert sail.id not in [id for id, cosine in related(world)[other.id] if cosine > 0.9]
