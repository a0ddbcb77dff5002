"""A new user's first loop: nothing is there yet, and nothing of it is an error."""

from __future__ import annotations

import pytest

from meridia import Memory


@pytest.fixture
def empty():
    """Return a new memory."""
    with Memory.open() as memory:
        yield memory


def test_a_new_memory_answers_everything_with_nothing(empty: Memory):
    assert empty.recall("anything").hits == []
    assert empty.list().memories == []
    assert empty.query("MATCH (n) RETURN n").rows == []
    assert empty.people.known().people == ()
    assert empty.status().seq == 0
    assert not empty.resume("Dana")
    assert empty.reconstitute() is None
    assert not empty.planning.plan("anything").choices
    assert empty.entities() == []
    assert empty.reflect().experiences == 0
    empty.enrich()


def test_so_does_a_space_that_nothing_was_written_to(empty: Memory):
    empty.remember("Hello there.", person="Dana")
    other = empty.in_space("other")
    assert other.recall("Hello").hits == []
    assert not other.resume("Dana")
    assert empty.parts.journal.spaces() == ["default"], "reading makes no space"


def test_a_correction_leaves_earlier_answers_as_they_were(tmp_path):
    """`replay` lacked the memory that was corrected later, and so did `what-if`."""
    with Memory.open(tmp_path / "bees.db") as memory:
        told = memory.remember("The bees swarmed on Tuesday.", person="Ngozi")
        memory.remember("I moved hive 3 to the orchard.", person="Ngozi")
        recall = memory.recall("What did the bees do?")
        memory.update(told.id, "The bees swarmed on Wednesday.")
        replay = memory.reasons.replay(recall.id)
        assert replay.identical
        assert replay.now[0][0] == told.id
        assert memory.reasons.why_not(recall.id, told.id).rank == 1
        assert memory.recall("What did the bees do?").hits[0].text.endswith("Wednesday.")
