"""The table of feedback and what memories get: sums without an order, taken back, as of then."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.types import EntryKind, Space
from meridia.storage.projections import feedback_table
from meridia.storage.upkeep import rebuild_lists
from tests.drafts import a_draft
from tests.fakes import START, numbered, private_journal
from tests.histories import HistoryEvent, live

HOME, AWAY = Space("home"), Space("away")


def memories(file, count: int = 3, space: Space = HOME) -> list[str]:
    return [live(file.journal, space, HistoryEvent(f"word {n}"))[0] for n in range(count)]


def give(file, effects: dict[str, Any], minute: int = 0, space: Space = HOME, **more: Any) -> str:
    payload = {"shown": list(effects), "effects": effects, "by": "user", **more}
    draft = a_draft(EntryKind.FEEDBACK_GIVEN, "", payload, START + timedelta(minutes=minute))
    return file.journal.append(space, [draft])[0].id


def undo(file, id: str, minute: int = 0) -> None:
    payload = {"undoes": id, "by": "user"}
    at = START + timedelta(minutes=minute)
    file.journal.append(HOME, [a_draft(EntryKind.FEEDBACK_GIVEN, "", payload, at)])


def seq_of(file, id: str) -> int:
    return int(file.catalog.find(HOME, id).seq)


def sums(file, until: int = 10**9, moment=None, space: int = 1) -> dict[int, tuple[int, int]]:
    everything = list(range(1, 200))
    return dict(numbered(file, space).feedback.sums(everything, until, moment=moment))


def rows(file, **which: Any) -> list[feedback_table.FeedbackRow]:
    return numbered(file).feedback.newest(100, **which)


def test_row_61_the_table_has_the_ten_columns_of_the_source(private_file):
    (one, *_) = memories(private_file)
    id = give(
        private_file,
        {one: ["referenced", 25]},
        reconstitution="recall-1",
        mode="crisis",
        referenced=[one],
        anchors=["été", "boat"],
        auto_score=1.0,
        note="good",
    )
    (row,) = rows(private_file)
    told = row.as_json()
    assert told.pop("verdict") is None
    assert told.pop("taken_back") is False
    assert told == {
        "id": id,
        "reconstitution_id": "recall-1",
        "ts": "2026-03-01T10:00:00.000000Z",
        "mode": "crisis",
        "records_injected": 1,
        "records_referenced": 1,
        "anchors_hit": ["été", "boat"],
        "user_rating": None,
        "auto_score": 1.0,
        "notes": "good",
    }


def test_what_was_ignored_is_summed_apart(private_file):
    one, two, three = memories(private_file)
    give(private_file, {one: ["useful", 100], two: ["ignored", -5]})
    give(private_file, {one: ["ignored", -5], two: ["wrong", -100]})
    assert sums(private_file) == {
        seq_of(private_file, one): (100, -5),
        seq_of(private_file, two): (-100, -5),
    }
    assert seq_of(private_file, three) not in sums(private_file)


def test_what_is_taken_back_counts_no_more_and_its_row_says_so(private_file):
    (one, *_) = memories(private_file)
    kept, gone = (give(private_file, {one: ["useful", 100]}) for _ in range(2))
    undo(private_file, gone)
    undo(private_file, gone)  # a second time changes nothing
    assert sums(private_file) == {seq_of(private_file, one): (100, 0)}
    assert {row.id: row.taken_back for row in rows(private_file)} == {kept: False, gone: True}


def test_only_what_was_given_and_not_taken_back_by_then_counts(private_file):
    (one, *_) = memories(private_file)
    seq = seq_of(private_file, one)
    before = private_file.journal.head(HOME).seq
    first = give(private_file, {one: ["useful", 100]}, minute=10)
    given = private_file.journal.head(HOME).seq
    undo(private_file, first, minute=20)
    after = private_file.journal.head(HOME).seq
    assert [sums(private_file, until) for until in (before, given, after)] == [
        {},
        {seq: (100, 0)},
        {},
    ]
    moments = [START + timedelta(minutes=minute) for minute in (5, 15, 25)]
    assert [sums(private_file, moment=moment) for moment in moments] == [{}, {seq: (100, 0)}, {}]


def test_feedback_stays_in_its_space_and_gives_nothing_to_a_memory_of_another(private_file):
    (one, *_), (other, *_) = memories(private_file), memories(private_file, space=AWAY)
    give(private_file, {one: ["useful", 100], other: ["useful", 100]})
    assert sums(private_file) == {seq_of(private_file, one): (100, 0)}
    assert sums(private_file, space=2) == {}


def test_rates_are_by_mode_and_leave_out_what_was_taken_back(private_file):
    one, two, _ = memories(private_file)
    both = {one: ["referenced", 25], two: ["ignored", -5]}
    give(private_file, both, mode="recall", referenced=[one], auto_score=0.5)
    give(private_file, both, mode="recall", referenced=[one, two], auto_score=1.0)
    give(private_file, both, mode="crisis", referenced=[], auto_score=0.0)
    give(private_file, {one: ["useful", 100]}, verdict="useful", rating=4)
    undo(private_file, give(private_file, {one: ["wrong", -100]}, verdict="wrong"))
    found = {rate.mode: rate for rate in numbered(private_file).feedback.rates()}
    assert list(found) == ["memory", "crisis", "recall"]
    recall = found["recall"]
    assert (recall.observed, recall.shown, recall.referenced) == (2, 4, 3)
    assert recall.hit_rate == pytest.approx(0.75)
    assert found["crisis"].hit_rate == 0
    memory = found["memory"]
    assert (memory.hit_rate, memory.rating, memory.useful, memory.wrong) == (None, 4, 1, 0)


effects = st.dictionaries(
    st.integers(0, 2),
    st.sampled_from([["useful", 100], ["wrong", -100], ["referenced", 25], ["ignored", -5]]),
    min_size=1,
)


@given(st.lists(effects, max_size=6), st.randoms(use_true_random=False))
def test_sums_do_not_depend_on_the_order_of_what_was_said(said, chance):
    shuffled = said[:]
    chance.shuffle(shuffled)
    found = []
    for order in (said, shuffled):
        with private_journal() as file:
            ids = memories(file)
            for one in order:
                give(file, {ids[place]: how for place, how in one.items()})
            found.append(sums(file))
    assert found[0] == found[1]


@given(st.lists(effects, max_size=6), st.lists(st.integers(0, 5), max_size=3))
def test_a_rebuild_gives_the_same_table_and_the_same_sums(said, undone):
    with private_journal() as file:
        ids = memories(file)
        given_ids = [give(file, {ids[p]: how for p, how in one.items()}) for one in said]
        for place in undone:
            if place < len(given_ids):
                undo(file, given_ids[place])
        before = rows(file), sums(file)
        rebuild_lists(file, HOME)
        assert (rows(file), sums(file)) == before
