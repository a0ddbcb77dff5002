"""Feedback in the ranking: bounded, taken back to the last bit, and never given by a read."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.settings import RecallSettings, Settings
from meridia.retrieval.ranking.optional_terms import IGNORED_MIN, strength
from tests.retrieval.random_spaces import question, world
from tests.thorough import THOROUGH

few = settings(max_examples=16 if THOROUGH else 3)


@contextmanager
def a_world(seed: int, **chosen: object) -> Iterator[Memory]:
    made = Settings(recall=RecallSettings(**chosen))  # type: ignore[arg-type]
    with world(None, seed, 40, made) as memory:
        yield memory


def scores(memory: Memory, asked: str, **more: object) -> list[tuple[str, float]]:
    answer = memory.recall(asked, limit=40, **more)  # type: ignore[arg-type]
    return [(hit.id, hit.score) for hit in answer.hits]


@given(st.integers(-10_000, 10_000), st.integers(-10_000, 0))
def test_strength_lies_between_minus_1_and_1_and_grows_with_what_was_given(given_, ignored):
    assert -1 < strength(given_, ignored) < 1
    assert strength(given_ + 1, ignored) > strength(given_, ignored)
    assert strength(given_, ignored) >= strength(given_, IGNORED_MIN)
    assert strength(0, 0) == 0


def test_row_62_referenced_is_up_and_ignored_slightly_down_however_often():
    assert strength(25, 0) > 0 > strength(0, -5)
    assert abs(strength(0, -5)) < strength(25, 0) / 2
    assert strength(0, -100_000) == strength(0, IGNORED_MIN) > -0.21


said = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from(["useful", "stale", "wrong"])),
    min_size=1,
    max_size=8,
)


@few
@given(st.integers(0, 3), said, st.sampled_from([0.0, 0.5, 3.0]))
def test_row_62_a_score_moves_by_at_most_what_is_configured_and_by_its_share_alone(
    seed, verdicts, most
):
    with a_world(seed, feedback_max=most) as memory:
        asked = question(random.Random(seed))
        before = dict(scores(memory, asked))
        for place, verdict in verdicts:
            memory.feedback(list(before)[place % len(before)], verdict)
        answer = memory.recall(asked, limit=40)
        assert {hit.id for hit in answer.hits} == set(before)
        for hit in answer.hits:
            shares = [part.value for part in hit.trace.children if part.label == "feedback"]
            assert hit.score == pytest.approx(before[hit.id] + sum(shares), abs=1e-9)
            assert abs(hit.score - before[hit.id]) <= most + 1e-9


@few
@given(st.integers(0, 3), said, st.randoms(use_true_random=False))
def test_row_62_taking_everything_back_restores_every_score_to_the_last_bit(seed, verdicts, chance):
    with a_world(seed) as memory:
        asked = question(random.Random(seed))
        before = scores(memory, asked)
        given_ids = [
            memory.feedback(before[place % len(before)][0], verdict) for place, verdict in verdicts
        ]
        if len({verdict for _, verdict in verdicts}) == 1:  # useful and wrong cancel each other
            assert scores(memory, asked) != before
        chance.shuffle(given_ids)
        for id in given_ids:
            memory.feedback.undo(id)
        assert scores(memory, asked) == before


@few
@given(st.integers(0, 3), said, st.randoms(use_true_random=False))
def test_the_order_in_which_feedback_was_given_does_not_matter(seed, verdicts, chance):
    shuffled = verdicts[:]
    chance.shuffle(shuffled)
    asked = question(random.Random(seed))
    found = []
    for order in (verdicts, shuffled):
        with a_world(seed) as memory:
            ids = sorted(id for id, _ in scores(memory, asked))
            for place, verdict in order:
                memory.feedback(ids[place % len(ids)], verdict)
            found.append([(memory.get(id).event_id, score) for id, score in scores(memory, asked)])
    assert [score for _, score in found[0]] == [score for _, score in found[1]]


@few
@given(st.integers(0, 3), st.integers(1, 6))
def test_recalls_and_packs_alone_change_no_ranking_and_no_feedback(seed, times):
    with a_world(seed) as memory:
        chance = random.Random(seed)
        asked = question(chance)
        before, head = scores(memory, asked), memory.parts.journal.head(memory.space)
        for _ in range(times):
            memory.recall(question(chance))
            memory.resume("Dana")
        memory.enrich()
        assert scores(memory, asked) == before
        assert memory.parts.journal.head(memory.space) == head
        assert memory.feedback.newest() == []


def test_without_any_feedback_the_switch_makes_no_difference():
    asked = "What did Dana say about the boat?"
    found = []
    for on in (True, False):
        with a_world(1, feedback=on) as memory:
            found.append([score for _, score in scores(memory, asked)])
    assert found[0] == found[1]


def test_with_the_switch_off_feedback_does_not_count():
    with a_world(1, feedback=False) as memory:
        before = scores(memory, "boat")
        memory.feedback(before[-1][0], "useful")
        assert scores(memory, "boat") == before


def test_a_replay_counts_the_feedback_of_then_given_or_taken_back_since():
    with a_world(2) as memory:
        first = memory.recall("boat harbour")
        memory.feedback(first.hits[3], "useful")
        second = memory.recall("boat harbour")
        memory.feedback.undo(first.hits[3])
        third = memory.recall("boat harbour")
        assert [hit.score for hit in second.hits] != [hit.score for hit in first.hits]
        for answer in (first, second, third):
            replayed = memory.reasons.replay(answer.id)
            assert replayed.differences == []
            assert [score for _, score in replayed.now] == [hit.score for hit in answer.hits]


def test_a_question_as_of_an_earlier_moment_or_sequence_knows_no_later_feedback():
    with a_world(2) as memory:
        memory.parts.clock.now += timedelta(days=30)  # after all that was said
        seq = memory.parts.journal.head(memory.space).seq
        moment = memory.parts.clock()
        before = scores(memory, "boat harbour")
        memory.feedback(before[3][0], "wrong")
        assert scores(memory, "boat harbour") != before
        assert scores(memory, "boat harbour", as_of=seq) == before
        assert scores(memory, "boat harbour", as_of=moment) == before
        late = moment + timedelta(hours=1)
        assert scores(memory, "boat harbour", as_of=late) == scores(memory, "boat harbour")


def test_a_rebuild_leaves_every_score_as_it_was():
    with a_world(2) as memory:
        memory.feedback(scores(memory, "boat harbour")[2][0], "useful")
        before = scores(memory, "boat harbour")
        memory.upkeep.rebuild()
        assert scores(memory, "boat harbour") == before
