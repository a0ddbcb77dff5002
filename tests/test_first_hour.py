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
    assert empty.people().people == ()
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
