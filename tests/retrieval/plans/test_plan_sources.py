"""What plans read, as it was seen at a moment: nothing later is handed out, on either clock."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from meridia.core.errors import InvalidInput
from meridia.retrieval.plans.memory_index import PlanSources, temporal_bounds
from tests.fakes import START
from tests.retrieval.plans.plan_samples import BEGAN, LATER, SITE, filled


def sources(memory, as_of=None):
    return PlanSources(
        memory.parts, memory.space, temporal_bounds(memory.parts, memory.space, as_of)
    )


def test_the_present_shows_everything_that_says_something(memory):
    found = sources(memory)
    assert [one.event_id for one in found.memories(range(1, 30)).values()] == [
        *("m-1", "m-2", "m-3", "m-4", "m-5", "m-6")
    ]
    assert {stated.fact.predicate for stated in found.facts.values()} >= {"lives_in", "prefers"}
    assert len(found.episodes) == 1


def test_as_of_a_time_only_what_had_happened_is_seen(memory):
    found = sources(memory, BEGAN + timedelta(minutes=2))
    assert [one.event_id for one in found.memories(range(1, 30)).values()] == ["m-1", "m-2", "m-3"]
    assert found.facts
    assert not found.episodes
    assert not sources(memory, BEGAN - timedelta(seconds=1)).facts
    assert not sources(memory, BEGAN - timedelta(seconds=1)).memories(range(1, 30))


def test_as_of_a_sequence_only_what_was_known_is_seen(memory):
    (asserted, *_) = [
        entry.seq for entry in memory.parts.journal.read(memory.space) if "Fact" in entry.kind
    ]
    assert not sources(memory, asserted - 1).facts
    assert len(sources(memory, asserted).facts) == 1
    assert [one.seq for one in sources(memory, 2).memories(range(1, 30)).values()] == [1, 2]
    assert all(place.seq <= 9 for place in sources(memory, 9).everything())
    assert sources(memory, 9).everything()


def test_the_instant_of_a_sequence_is_when_it_was_recorded(memory):
    entry = memory.parts.journal.read(memory.space)[4]
    assert temporal_bounds(memory.parts, memory.space, entry.seq).now == entry.recorded_at
    assert temporal_bounds(memory.parts, memory.space, 10**6).now > entry.recorded_at


def test_a_time_without_a_timezone_is_refused(memory):
    with pytest.raises(InvalidInput, match="timezone"):
        temporal_bounds(memory.parts, memory.space, datetime(2026, 3, 1))  # noqa: DTZ001 - on purpose


def test_a_fact_is_handed_out_with_the_memory_that_stated_it(memory):
    for stated in sources(memory).facts.values():
        assert stated.memory.id == stated.fact.experience


def test_a_fact_that_ended_is_not_held_any_more():
    with filled() as memory:
        memory.remember("I moved to Tromsø last week. I live in Tromsø.", person="Dana", at=START)
        memory.enrich()
        now = {stated.fact.object for stated in sources(memory).facts.values()}
        then = {stated.fact.object for stated in sources(memory, LATER).facts.values()}
    assert "Tromsø" in now
    assert "Bergen" not in now
    assert "Bergen" in then
    assert "Tromsø" not in then


def test_an_artifact_is_known_with_who_refers_to_it(memory):
    found = sources(memory)
    ids = [place.id for place in found.everything() if place.label == "Artifact"]
    artifacts = found.artifacts(ids)
    assert {one.artifact["uri"]: one.is_link for one in artifacts.values()} == {
        SITE: True,
        "file:///boat.jpg": False,
    }
    assert {one.memories[0].event_id for one in artifacts.values()} == {"m-2", "m-4"}
    assert sources(memory, BEGAN).artifacts(ids) == {}
