"""How far enrichment is: a reader waits for what is new, and pays for no rules where nothing is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import count

import pytest

from meridia.core import time as core_time
from meridia.core.errors import NotFound, Unavailable
from meridia.core.settings import Settings
from meridia.core.types import Space
from meridia.graph.adjacency import Adjacency
from meridia.ingest.enrichment_state import EnrichmentState
from meridia.storage.store import open_store
from tests.graph.journal_drafts import AWAY, HOME
from tests.ingest.enrichment.test_worker import worker
from tests.storage.projections.test_catalog import capture


def test_a_space_is_current_when_passes_full_text_and_edges_are(private_file, embedder):
    state = EnrichmentState(private_file, lambda: embedder)
    capture(private_file, "rain")
    assert (state.cursor(HOME), state.rule_position(HOME)) == (0, 0)
    assert worker(private_file, embedder).catch_up(HOME)
    end = private_file.journal.head(HOME).seq
    assert (state.cursor(HOME), state.rule_position(HOME)) == (end, end)
    assert state.is_current(HOME)


def test_bringing_up_indexes_at_once_and_says_what_is_not_read(private_file, monkeypatch):
    adjacency = Adjacency(private_file)
    enrichment = worker(private_file)

    def bring_up(wait_s: float, space: Space = HOME) -> Sequence[str]:
        return enrichment.catch_up_within(space, wait_s, enrichment.catch_up, adjacency)

    capture(private_file, "rain")
    (note,) = bring_up(0)
    assert note.startswith("1 memory is not read yet")
    head = private_file.journal.head(HOME).seq
    assert adjacency.cursor(HOME) == head
    assert enrichment.behind(HOME) == ((0, head), 1)
    assert bring_up(30) == []
    assert adjacency.cursor(HOME) == private_file.journal.head(HOME).seq
    assert enrichment.unread(HOME) == 0
    with pytest.raises(NotFound):
        bring_up(30, AWAY)

    def locked(*_: object) -> None:
        raise Unavailable("the journal is locked")

    monkeypatch.setattr(adjacency, "catch_up", locked)
    # Nothing is new, so nothing is locked.
    assert bring_up(30) == []
    capture(private_file, "snow")
    (note,) = bring_up(30)
    assert note == "answered without the newest memories: the journal is locked"


def test_what_was_acknowledged_is_indexed_however_slow_the_machine_is(monkeypatch, private_file):
    ticks = count(step=10)
    monkeypatch.setattr(core_time, "monotonic", lambda: next(ticks))
    adjacency = Adjacency(private_file)
    capture(private_file, "rain")
    worker(private_file).catch_up_within(HOME, 0, lambda *_: True, adjacency)
    head = private_file.journal.head(HOME).seq
    assert adjacency.cursor(HOME) == head


def test_who_asks_waits_no_longer_than_a_moment_for_another_writer(journal_path, journal_file):
    capture(journal_file, "rain")
    other = open_store(journal_path, Settings())
    state, adjacency = EnrichmentState(journal_file, lambda: None), Adjacency(journal_file)
    with other.writing():
        started = time.monotonic()
        locked, unread = state.catch_up_within(HOME, 0, lambda *_: True, adjacency)
        assert time.monotonic() - started < 5
    assert "locked by another thread of this process" in locked
    assert unread.startswith("1 memory is not read yet")
    capture(journal_file, "snow")  # its own writes wait as long as ever
    other.close()


def test_no_step_is_begun_that_would_end_too_late(monkeypatch, private_file):
    now = 0.0
    monkeypatch.setattr(core_time, "monotonic", lambda: now)
    steps = []

    def catch_up(_, should_continue):
        nonlocal now
        while should_continue():
            steps.append(now)
            now += 3.0
        return False

    adjacency = Adjacency(private_file)
    capture(private_file, "A heron.")
    state = EnrichmentState(private_file, lambda: None)
    (note,) = state.catch_up_within(HOME, 10.0, catch_up, adjacency)
    assert "not read yet" in note
    assert (steps, now) == ([0.0, 3.0, 6.0], 9.0)
