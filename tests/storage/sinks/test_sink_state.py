"""Where a sink stands is kept in the file, by space and name."""

from __future__ import annotations

from datetime import timedelta

import pytest

from meridia.core.types import Space
from meridia.storage.sinks.sink_state import SinkState, judged, sink_names
from meridia.storage.store import Store
from tests.fakes import START, numbered, private_journal
from tests.histories import every_kind


@pytest.fixture
def state(private_file: Store) -> SinkState:
    return SinkState(numbered(private_file), "postgres")


def test_each_version_begins_at_the_beginning(state):
    state.move(1, 7)
    assert (state.position(1), state.position(2)) == (7, 0)
    state.restart()
    assert state.position(1) == 0


def test_forgettings_have_a_cursor_of_their_own_that_can_go_back(state):
    state.move(1, 9)
    state.forgotten = 8
    assert (state.position(1), state.forgotten) == (9, 8)
    state.forgotten = 3
    assert state.forgotten == 3


def test_failures_are_counted_and_wait_longer_each_time_and_never_end(state, private_file):
    for _ in range(7):
        state.fail("it is down", START)
    failure = state.failure()
    assert (failure.attempts, failure.error) == (7, "it is down")
    assert timedelta(minutes=30) <= failure.due_at - START <= timedelta(hours=1)
    assert numbered(private_file).tasks.dead() == numbered(private_file).tasks.waiting() == []
    state.succeed()
    assert state.failure() is None


def test_sinks_and_spaces_do_not_meet(state, private_file):
    state.move(1, 7)
    other = SinkState(numbered(private_file, 2), "postgres")
    graph = SinkState(numbered(private_file), "graphiti")
    graph.forgotten = 2
    assert (other.position(1), graph.position(1)) == (0, 0)
    assert sink_names(numbered(private_file).cursors) == ["graphiti", "postgres"]
    assert sink_names(numbered(private_file, 2).cursors) == []


def test_it_is_read_by_id_and_unknown_ids_are_left_out():
    with private_journal() as file:
        ids = every_kind(file.journal, Space("home"))
        known = judged(file.space(Space("home")), [*ids[:2], "nobody"])
    assert set(known) <= set(ids)
    assert known
    assert all(each.seq > 0 and each.text_hash for each in known.values())
