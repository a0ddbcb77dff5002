"""What is left of an adjacency that entries are taken out of is what a rebuild gives."""

from __future__ import annotations

import pytest

from meridia import Memory
from meridia.graph.removal.adjacency_removal import AdjacencyRemoval
from meridia.storage.copies.comparison import fingerprints
from tests.ingest.forgetting.told import PLAIN, tell


@pytest.fixture
def memory():
    with Memory(None, "default", PLAIN) as opened:
        tell(opened)
        opened.adjacency.catch_up(opened.space)
        yield opened


def removed(memory: Memory, ids: list[str]) -> list[int]:
    """Erase the payloads of memories and of what was derived; take them out of the adjacency."""
    removal = AdjacencyRemoval(memory.parts, memory.space)
    entries = memory.parts.journal.read(memory.space)
    gone = [e for e in entries if e.id in ids or getattr(e.payload, "experience", None) in ids]
    touched = removal.look([entry.id for entry in gone])
    with memory.parts.writing():
        connection = memory.parts.database.connection
        connection.executemany("DELETE FROM payload WHERE seq = ?", [(e.seq,) for e in gone])
        return removal.remove(touched)


@pytest.mark.parametrize("places", [[0], [1, 7], [3, 4, 5], [9], list(range(10))])
def test_what_is_left_is_what_a_rebuild_gives(memory: Memory, places: list[int]):
    adjacency = memory.adjacency
    assert removed(memory, [memory.get(f"m-{place}").id for place in places])
    left = fingerprints(memory.parts, memory.space)
    adjacency.clear(memory.space)
    adjacency.catch_up(memory.space)
    rebuilt = fingerprints(memory.parts, memory.space)
    assert (left["nodes"], left["edges"]) == (rebuilt["nodes"], rebuilt["edges"])


def test_nothing_is_made_again(memory: Memory):
    before = set(memory.parts.database.connection.execute("SELECT number, id FROM node"))
    removed(memory, [memory.get("m-1").id])
    after = set(memory.parts.database.connection.execute("SELECT number, id FROM node"))
    assert after < before
