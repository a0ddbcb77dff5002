"""The story of a relationship, told from what was lived."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meridia.core.errors import NotFound, Stranger
from tests.resume.experience_builders import MET, memory_of
from tests.thorough import examples

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
    story = memory.people.relationship("nora")
    assert (story.person.name, story.sessions, story.messages) == ("Nora", 3, 4)
    assert (story.first_met, story.last_met) == (MET, MET + timedelta(days=14, minutes=7))
    assert {one.memory.event_id for one in story.shared} == {id for id, *_ in SAID[:8]}


def test_row_53_the_trajectory_goes_from_frustration_to_relief(memory):
    story = memory.people.relationship("Nora")
    (turn,) = story.trajectory.turns
    assert turn.words == "frustrated → relieved"
    assert [memory.event_id for memory in turn.memories] == ["n2", "n4"]


def test_row_53_who_else_is_there(memory):
    (companion,) = memory.people.relationship("Nora").companions
    assert (companion.name, companion.spoke) == ("Ilse", 1)
    assert [memory.event_id for memory in companion.memories] == ["i1"]


def test_as_of_then_nothing_later_is_told(memory):
    story = memory.people.relationship("Nora", as_of=MET + timedelta(days=7, minutes=2))
    assert [one.memory.event_id for one in story.shared] == ["n1", "a1", "n2"]
    assert story.trajectory.turns == []


def test_as_known_then_nothing_learned_later_is_told(memory):
    story = memory.people.relationship("Nora", known_at=3)
    assert [one.memory.event_id for one in story.shared] == ["n1", "a1", "n2"]


def test_a_stranger_and_one_who_was_not_met_yet_are_told_apart(memory):
    assert memory.people.relationship("Norah") == Stranger("Norah", ("Nora",))
    assert not memory.people.relationship("Zoe")
    with pytest.raises(NotFound, match="Piet had not been met by then.*2026-03-22"):
        memory.people.relationship("Piet", as_of=MET)
    assert memory.in_space("empty").people.relationship("Nora") == Stranger("Nora")


def test_a_story_as_json_names_memories_that_exist(memory):
    shape = memory.people.relationship("Nora").as_json()
    told_ = [one for part in shape.values() if isinstance(part, list) for one in part]
    uris = [uri for one in told_ for uri in one.get("uris", [one.get("uri")])]
    assert uris
    for uri in uris:
        assert memory.get(uri).uri == uri


@settings(max_examples=examples(3))
@given(st.integers(0, 12))
def test_nothing_told_as_of_then_rests_on_what_was_not_known_then(seq):
    with memory_of(*SAID) as memory:
        try:
            story = memory.people.relationship("Nora", known_at=seq)
        except NotFound:
            assert seq == 0
            return
    rests_on = [view.memory for view in story.shared]
    rests_on += [m for one in (*story.trajectory.turns, *story.companions) for m in one.memories]
    assert all(memory.seq <= seq for memory in rests_on)
