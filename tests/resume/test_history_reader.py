"""Looking back over a memory: it changes nothing, and no ranking."""

from __future__ import annotations

from datetime import timedelta

import pytest

from meridia.core.errors import NotFound
from tests.resume.experience_builders import MET, memory_of

SAID = (
    ("n1", 0, "first", "Nora", "I am so frustrated! The warp keeps snapping."),
    ("p1", 1, "other", "Piet", "The bread is done."),
    ("n2", 14, "second", "Nora", "What a relief! The warp holds at last."),
)


@pytest.fixture
def memory():
    with memory_of(*SAID) as opened:
        yield opened


def test_row_37_a_reflection_is_of_a_time_and_of_a_person(memory):
    assert memory.reflect().experiences == 3
    assert memory.reflect(person="nora").emotions == {"frustrated": 1, "relieved": 1}
    day = timedelta(days=1)
    assert memory.reflect(since=MET + day).emotions == {"relieved": 1}
    assert memory.reflect(until=MET + day, person="Nora").emotions == {"frustrated": 1}
    assert memory.reflect(since=MET + day, person="Nora").experiences == 1


def test_a_stranger_an_empty_time_and_a_space_that_is_not_there_are_told_apart(memory):
    with pytest.raises(NotFound, match="Nobody called"):
        memory.reflect(person="Zoe")
    assert memory.reflect(until=MET).experiences == 0
    assert memory.in_space("empty").reflect().experiences == 0


def test_row_37_what_was_recalled_is_counted(memory):
    memory.recall("warp", limit=1)
    answer = memory.recall("warp", limit=1)
    (found,) = memory.reflect().recalled
    assert (found.memory.id, found.times) == (answer.hits[0].id, 2)


def test_looking_back_changes_no_ranking_and_writes_nothing(memory):
    before = memory.recall("the warp")
    head = memory.parts.journal.head(memory.space).seq
    memory.people.relationship("Nora")
    memory.reflect()
    after = memory.recall("the warp")
    assert [(hit.id, hit.score) for hit in after.hits] == [
        (hit.id, hit.score) for hit in before.hits
    ]
    assert memory.parts.journal.head(memory.space).seq == head
