"""What a question sees of a space: the same for the same sequence, however it came about."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from fakes import START, FakeEmbedder
from hypothesis import given
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.errors import InvalidInput
from meridia.core.settings import Settings
from meridia.core.types import Filters
from meridia.graph.view import GraphView
from meridia.retrieval.candidates.pool import SpaceSnapshot
from meridia.retrieval.recall_record import RecallRequest
from meridia.retrieval.space_snapshot import build_snapshot, snapshot_ref_of, space_view


def now(demo: Memory) -> SpaceSnapshot:
    cursor = demo.enrichment.cursor(demo.space)
    return demo._components.recalls.snapshot(demo.space, demo._components.embedder(), cursor)


def read_anew(demo: Memory, until: int) -> GraphView:
    return demo.adjacency.view_at(demo.space, until)


def test_prepared_anew_it_is_what_grew_step_by_step(demo: Memory):
    snapshot = now(demo)
    anew = build_snapshot(read_anew(demo, snapshot.view.until), snapshot.index)
    assert np.array_equal(anew.session_words, snapshot.session_words)
    assert np.array_equal(anew.vector_rows, snapshot.vector_rows)
    assert anew.information == snapshot.information


def test_both_clocks_bound_what_is_visible(demo: Memory):
    snapshot, moment = now(demo), datetime(2026, 4, 13, 9, tzinfo=UTC)
    e = snapshot.view.experiences
    bounds = [(None, None), (moment, None), (60, None), (moment, 60), (None, 60), (90, 60)]
    for as_of, known_at in bounds:
        request = RecallRequest("q", 5, Filters(), as_of, known_at)
        visible = space_view(demo.parts, demo.space, snapshot, request).visible
        wanted = np.ones(len(e.seqs), bool)
        if as_of is moment:
            wanted &= e.at <= moment.timestamp()
        if as_of == 60 or known_at == 60:
            wanted &= e.seqs <= 60
        assert np.array_equal(visible, wanted)
    assert 0 < visible.sum() < len(visible)


def test_what_filters_leave_may_be_returned_and_the_rest_still_be_seen(demo: Memory):
    request = RecallRequest("q", 5, Filters(person="Oskar"))
    space = space_view(demo.parts, demo.space, now(demo), request)
    assert space.visible.all()
    assert 0 < space.allowed.sum() < len(space.allowed)


def test_a_time_without_a_zone_is_refused(demo: Memory):
    request = RecallRequest("q", 5, Filters(), datetime(2026, 4, 13))  # noqa: DTZ001
    with pytest.raises(InvalidInput, match="timezone"):
        space_view(demo.parts, demo.space, now(demo), request)


def test_sight_says_how_far_one_saw(demo: Memory):
    snapshot = now(demo)
    seen = snapshot_ref_of(snapshot, demo._components.embedder())
    assert (seen.seq, seen.experiences) == (
        snapshot.view.until,
        len(snapshot.view.experiences.seqs),
    )
    assert seen.vectors == len(snapshot.index.rows)
    assert snapshot_ref_of(snapshot, None).model is None


TIMES = [START + timedelta(seconds=n, microseconds=us) for n in (0, 1, 3) for us in (0, 1, 999_800)]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("told")
    with Memory(folder / "m.db", "default", Settings(), embedder=FakeEmbedder()) as memory:
        for number, at in enumerate(TIMES):
            memory.remember(
                f"Message {number} about the boat.",
                person=("Dana", "Kim", None)[number % 3],
                session=f"s{number % 2}",
                at=at,
                metadata={"colour": ("blue", "red")[number % 2]},
                role=("user", "note")[number % 4 == 3],
            )
        memory.update("@1", "Another message about the boat.")
        memory.enrich()
        memory.people.merge("Kim", "Dana")
        memory.enrich()
        yield memory


@given(
    person=st.sampled_from([None, "Dana", "Kim", "Nobody"]),
    session=st.sampled_from([None, "s0", "s1", "s9"]),
    kind=st.sampled_from([None, None, "user_message"]),
    since=st.none() | st.sampled_from(TIMES),
    until=st.none() | st.sampled_from(TIMES),
    where=st.sampled_from([None, None, {"colour": "blue"}]),
)
def test_filters_leave_what_the_list_says(told: Memory, **fields: Any):
    snapshot, filters = now(told), Filters(**fields)
    request = RecallRequest("q", 5, filters)
    allowed = space_view(told.parts, told.space, snapshot, request).allowed
    listed = told.parts.catalog.matching(told.space, filters)
    assert snapshot.view.experiences.seqs[allowed].tolist() == listed
