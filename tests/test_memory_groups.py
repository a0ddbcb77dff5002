"""The operations of a memory by subject, and the names under which they stood before."""

from __future__ import annotations

import asyncio
from operator import attrgetter

import pytest
from fakes import FakeEmbedder

from meridia import AsyncMemory, Memory, Settings
from meridia.memory_groups import MOVED


@pytest.fixture
def memory():
    """A memory of one message by Dana."""
    with Memory(None, "default", Settings(), embedder=FakeEmbedder()) as opened:
        opened.remember("I mend sails.", person="Dana")
        opened.enrich()
        yield opened


def test_the_people_of_a_space_are_one_group(memory):
    assert [person.name for person in memory.people.known().people] == ["Dana"]
    dana = memory.people.known().people[0]
    memory.people.name("Dee", "Dana")
    assert memory.people.directory().speakers.find("Dana").id == dana.id
    assert memory.people.relationship("Dee").person.id == dana.id
    assert not memory.people.relationship("Nobody")


def test_the_graph_is_brought_up_to_date_counted_and_rebuilt_to_the_same(memory):
    assert memory.graph.project() > 0
    assert memory.graph.counts()["Person"] == 1
    before = memory.graph.digest()
    memory.upkeep.rebuild()
    assert memory.graph.digest() == before
    assert memory.upkeep.verify() == memory.upkeep.failures() == []


def test_a_query_tells_how_far_the_graph_is(memory):
    told = []
    memory.query("MATCH (n) RETURN count(n) AS n", progress=lambda *at: told.append(at))
    done, total = told[-1]
    assert done == total > 0


def test_every_old_name_still_works_and_says_what_the_new_one_is(memory):
    for old, new in MOVED.items():
        assert callable(attrgetter(new)(memory))
        group, called = old.removesuffix("()"), old.endswith("()")
        with pytest.warns(DeprecationWarning, match=rf"memory\.{new}"):
            assert callable(getattr(memory, group)) if not called else getattr(memory, group)()
    with pytest.raises(AttributeError, match="'Memory' object has no attribute 'nothing'"):
        _ = memory.nothing


def test_the_warning_points_at_the_line_that_used_the_old_name(memory):
    with pytest.warns(DeprecationWarning, match="is now") as told:
        assert (memory.verify(), memory.people().people[0].name) == ([], "Dana")
    assert [warning.filename for warning in told] == [__file__, __file__]


def test_old_names_are_awaited_too(memory):
    async def story():
        opened = AsyncMemory(memory)
        assert await opened.upkeep.verify() == []
        with pytest.warns(DeprecationWarning, match="upkeep"):
            assert await opened.verify() == []
        with pytest.warns(DeprecationWarning, match="people"):
            assert (await opened.people()).people

    asyncio.run(story())
