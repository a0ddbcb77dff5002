"""`AsyncMemory`: the same operations, awaited, and none of them forgotten."""

from __future__ import annotations

import asyncio
import inspect
import threading

import pytest
from fakes import FakeEmbedder

import meridia
from meridia import AsyncMemory, InvalidInput, Memory, Settings

#: What is for upkeep inside one process, or is told otherwise.
OWN = {"adjacency", "background", "enrichment", "parts", "settings", "space"}


def public(kind):
    """Return the public names of a class."""
    return {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")}


def opened():
    """Return a memory that disappears again."""
    return AsyncMemory(Memory(None, "default", Settings(), embedder=FakeEmbedder()))


def test_it_has_every_operation_with_the_same_parameters():
    assert public(Memory) - OWN == public(AsyncMemory)
    for name in public(AsyncMemory) - {"in_space", "open"}:
        sync, awaited = getattr(Memory, name), getattr(AsyncMemory, name)
        if callable(sync):
            assert inspect.signature(awaited) == inspect.signature(sync), name
            assert awaited.__doc__ == sync.__doc__, name
            assert inspect.iscoroutinefunction(awaited), name


def test_a_story_is_awaited():
    async def story():
        async with opened() as memory:
            first = await memory.remember("I bought red shoes.", person="Dana")
            recall = await memory.recall("I bought red shoes.")
            assert recall.hits[0].id == first.id
            assert (await memory.reasons.why_not(recall.id, first.id)).cause == "recalled"
            assert await memory.feedback(first.id, "useful")
            assert await memory.feedback.undo(first.id)
            other = await memory.in_space("other")
            assert (await other.list()).memories == []
            with pytest.raises(InvalidInput):
                await memory.remember(" ")
            assert (await memory.upkeep.trace())[0].kind == "event"
            assert (await memory.forget(ids=[first.id])).memories == 1

    asyncio.run(story())


def test_the_loop_goes_on_meanwhile_and_tasks_do_not_mix():
    async def ask(memory, number):
        await memory.remember(f"Message {number}.", id=f"m{number}")
        return (await memory.get(f"m{number}")).text

    async def story():
        threads = set()
        async with opened() as memory:
            get = memory.memory.get
            memory.memory.get = lambda asked: threads.add(threading.get_ident()) or get(asked)
            texts = await asyncio.gather(*(ask(memory, number) for number in range(20)))
        assert texts == [f"Message {number}." for number in range(20)]
        assert threading.get_ident() not in threads

    asyncio.run(story())


def test_it_opens_a_file_and_is_imported_when_it_is_asked_for(tmp_path):
    async def story():
        async with await AsyncMemory.open(tmp_path / "a.db") as memory:
            await memory.remember("A heron.")
        async with await AsyncMemory.open(tmp_path / "a.db") as memory:
            return [record.text for record in (await memory.list()).memories]

    assert asyncio.run(story()) == ["A heron."]
    assert "AsyncMemory" in meridia.__all__
