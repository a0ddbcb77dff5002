"""Histories: what was said again counts more, as far as it had been said by then."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from meridia import Memory
from meridia.core.settings import RecallSettings, Settings
from meridia.core.types import Filters
from meridia.retrieval.candidates.activation import TraceRankHistory
from meridia.retrieval.recall_service import RecallRequest
from meridia.retrieval.space_snapshot import space_view

DAY = datetime(2026, 3, 1, 9, tzinfo=UTC)
SAID = "The spare key hangs behind the boathouse door."


@pytest.fixture
def repeated():
    """A memory in which the first thing is said twice more, two weeks apart."""
    with Memory(None, "s", Settings(recall=RecallSettings(tracerank=True))) as memory:
        memory.remember(SAID, person="Mira", session="a", at=DAY)
        memory.remember("We painted the hull on Sunday.", person="Mira", session="a", at=DAY)
        for week in (2, 4):
            at = DAY + timedelta(weeks=week)
            memory.remember(SAID, person="Mira", session=f"w{week}", at=at, id=f"again-{week}")
        memory.enrich()
        yield memory


def ranks(memory: Memory, as_of: datetime | None = None) -> list[float]:
    """Return the rank of every experience, in journal order."""
    snapshot = memory._components.recalls.snapshot(memory.space, None, 0)
    request = RecallRequest("key", 10, Filters(), as_of)
    space = space_view(memory.parts, memory.space, snapshot, request)
    histories = TraceRankHistory(memory.parts, memory.adjacency)
    return histories.ranks(space)(space.view.experiences.node).tolist()


def test_what_was_said_again_ranks_above_what_was_not(repeated: Memory):
    first, other, *_ = ranks(repeated)
    assert first > other


def test_what_was_said_again_later_does_not_count_yet(repeated: Memory):
    then, now = ranks(repeated, DAY + timedelta(days=1)), ranks(repeated)
    assert then[0] < now[0]


def test_row_92_now_is_the_time_that_is_asked_as_of(repeated: Memory):
    soon, late = (ranks(repeated, DAY + timedelta(weeks=weeks))[0] for weeks in (4, 40))
    assert 1 < late < soon


def test_row_92_what_changes_ages_within_90_days_and_what_does_not_stays():
    with Memory(None, "s", Settings()) as memory:
        for text in ("I live in Bergen.", "I was born in Bergen.", "The hull is blue."):
            memory.remember(text, person="Mira", session=text, at=DAY)
        memory.enrich()
        then, later = ranks(memory, DAY), ranks(memory, DAY + timedelta(days=90))
    aged = [after / before for before, after in zip(then, later, strict=True)]
    assert aged == pytest.approx([math.exp(-1), 1, 1], abs=1e-6)


def test_a_rank_is_the_product_of_its_factors(repeated: Memory):
    snapshot = repeated._components.recalls.snapshot(repeated.space, None, 0)
    space = space_view(
        repeated.parts, repeated.space, snapshot, RecallRequest("key", 10, Filters())
    )
    nodes = space.view.experiences.node
    factors = TraceRankHistory(repeated.parts, repeated.adjacency).factors(space)(nodes)
    assert factors.total.tolist() == ranks(repeated)
    assert factors.reinforcement[0] > factors.reinforcement[1] == 1


def test_the_ranks_are_the_same_when_asked_again(repeated: Memory):
    assert ranks(repeated) == ranks(repeated)


def test_a_recall_by_history_still_adds_up(repeated: Memory):
    hits = repeated.recall("where is the spare key?").hits
    assert hits
    for hit in hits:
        assert np.isfinite(hit.score)
        leaves = sum(leaf.value for leaf in hit.trace.leaves())
        assert hit.score == pytest.approx(leaves, abs=1e-9)
