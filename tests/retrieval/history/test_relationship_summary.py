"""The story of a relationship, told from what was lived."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meridia.core.errors import NotFound, Stranger
from meridia.retrieval.history.experience_views import AGENT
from meridia.retrieval.history.relationship_summary import ChangeKind
from tests.retrieval.history.experience_builders import MET, memory_of

SAID = (
    ("n1", 0, "first", "Nora", "Hello, I am Nora. I live in Ghent and restore an old loom."),
    ("a1", 0, "first", None, "Nice to meet you. I'll look up how the brake of a loom is set."),
    ("n2", 7, "second", "Nora", "I am so frustrated! The warp keeps snapping, nothing helps."),
    ("a2", 7, "second", None, "I looked up how the brake of a loom is set: turn the screw."),
    ("n3", 7, "second", "Nora", "No, that's wrong: my loom has no left screw."),
    ("i1", 7, "second", "Ilse", "Nora never gives up."),
    ("n4", 14, "third", "Nora", "What a relief! I replaced the rope and the warp holds at last."),
    ("a3", 14, "third", None, "Wonderful! I'll send you the address of a teacher in Bruges."),
    ("p1", 20, "elsewhere", "Piet", "I moved to Antwerp last week."),
    ("i2", 21, "elsewhere", "Ilse", "Nora bought a car in Bruges."),
)


@pytest.fixture(scope="module")
def memory():
    with memory_of(*SAID) as opened:
        yield opened


def test_row_53_a_story_has_its_frame(memory):
    story = memory.relationship("nora")
    assert (story.person.name, story.sessions, story.messages) == ("Nora", 3, 4)
    assert (story.first_met, story.last_met) == (MET, MET + timedelta(days=14, minutes=7))
    assert {one.memory.event_id for one in story.shared} == {id for id, *_ in SAID[:8]}


def test_row_53_history_is_by_significance_and_by_theme(memory):
    story = memory.relationship("Nora")
    felt = [one for one in story.history if one.signature and one.signature.primary]
    assert {one.memory.event_id for one in felt} <= {"n2", "n4"}
    assert story.history[0].memory.event_id in {"n2", "n4"}, "what was felt most comes first"
    loom = next(theme for theme in story.themes if "loom" in theme.words)
    assert [memory.event_id for memory in loom.memories] == ["n1", "a1", "a2", "n3"]


def test_row_53_the_trajectory_goes_from_frustration_to_relief(memory):
    story = memory.relationship("Nora")
    (turn,) = story.trajectory.turns
    assert turn.words == "frustrated → relieved"
    assert [memory.event_id for memory in turn.memories] == ["n2", "n4"]


def test_row_53_promises_are_open_or_kept_and_say_whose_they_are(memory):
    story = memory.relationship("Nora")
    kept, open_ = story.threads
    assert (kept.by, kept.closed and kept.closed.event_id) == (AGENT, "a2")
    assert (open_.by, open_.opened.event_id, open_.closed) == (AGENT, "a3", None)
    assert story.open_threads == [open_]


def test_row_53_who_else_is_there(memory):
    (companion,) = memory.relationship("Nora").companions
    assert (companion.name, companion.spoke) == ("Ilse", 1)
    assert [memory.event_id for memory in companion.memories] == ["i1"]


def test_row_53_what_changed_since_the_last_meeting(memory):
    changes = memory.relationship("Nora").changes
    met = {one.memories[0].event_id for one in changes if one.kind is ChangeKind.PERSON}
    assert met == {"p1"}, "Ilse was there before"
    assert all(one.at > memory.relationship("Nora").last_met for one in changes)


def test_row_53_what_the_agent_does_for_others_is_no_change():
    with memory_of(
        ("1", 0, "a", "Nora", "I live in Ghent."),
        ("2", 9, "b", "Piet", "I live in Bruges and work at Tide & Co with Marta Claes."),
    ) as memory:
        assert memory.relationship("Nora").changes == []


def test_a_fact_that_was_replaced_since_names_both_memories():
    with memory_of(
        ("1", 0, "a", "Nora", "I live in Ghent."),
        ("2", 1, "a", None, "A fine town."),
        ("3", 9, "b", "Piet", "Nora lives in Bruges now."),
    ) as memory:
        changes = memory.relationship("Nora").changes
    (replaced,) = [one for one in changes if one.kind is ChangeKind.SUPERSEDED]
    assert "before: Nora lives in Ghent" in replaced.text
    assert [memory.event_id for memory in replaced.memories] == ["3", "1"]


def test_as_of_then_nothing_later_is_told(memory):
    story = memory.relationship("Nora", as_of=MET + timedelta(days=7, minutes=2))
    assert [one.memory.event_id for one in story.shared] == ["n1", "a1", "n2"]
    assert story.trajectory.turns == []
    assert [thread.is_open for thread in story.threads] == [True], "it was not kept yet"


def test_as_known_then_nothing_learned_later_is_told(memory):
    story = memory.relationship("Nora", known_at=3)
    assert [one.memory.event_id for one in story.shared] == ["n1", "a1", "n2"]


def test_a_stranger_and_one_who_was_not_met_yet_are_told_apart(memory):
    assert memory.relationship("Norah") == Stranger("Norah", ("Nora",))
    assert not memory.relationship("Zoe")
    with pytest.raises(NotFound, match="Piet had not been met by then.*2026-03-22"):
        memory.relationship("Piet", as_of=MET)
    assert memory.in_space("empty").relationship("Nora") == Stranger("Nora")


def test_a_story_as_json_names_memories_that_exist(memory):
    shape = memory.relationship("Nora").as_json()
    told_ = [one for part in shape.values() if isinstance(part, list) for one in part]
    uris = [uri for one in told_ for uri in one.get("uris", [one.get("uri")])]
    assert uris
    for uri in uris:
        assert memory.get(uri).uri == uri


@settings(max_examples=10)
@given(st.integers(0, 12))
def test_nothing_told_as_of_then_rests_on_what_was_not_known_then(seq):
    with memory_of(*SAID) as memory:
        try:
            story = memory.relationship("Nora", known_at=seq)
        except NotFound:
            assert seq == 0
            return
    everything = [*story.threads, *story.themes, *story.changes, *story.cautions]
    rests_on = [m for one in everything for m in one.memories]
    assert all(memory.seq <= seq for memory in rests_on)
