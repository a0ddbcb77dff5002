"""What is left of an adjacency that entries are taken out of is what a rebuild gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from meridia import Memory
from meridia.graph import removal
from meridia.graph.kglite_store import KgliteStore
from meridia.graph.removal import AdjacencyRemoval
from meridia.storage.copies.comparison import fingerprints
from tests.ingest.forgetting.told import PLAIN, tell


@pytest.fixture
def indexed():
    with Memory(None, "default", PLAIN) as opened:
        tell(opened)
        opened.adjacency.catch_up(opened.space)
        yield opened


def removed(indexed: Memory, ids: list[str]) -> list[int]:
    """Erase the payloads of memories and of what was derived; take them out of the adjacency."""
    removal = AdjacencyRemoval(indexed.parts, indexed.space)
    entries = indexed.parts.journal.read(indexed.space)
    gone = [e for e in entries if e.id in ids or getattr(e.payload, "experience", None) in ids]
    touched = removal.look([entry.id for entry in gone])
    with indexed.parts.writing():
        connection = indexed.parts.database.connection
        connection.executemany("DELETE FROM payload WHERE seq = ?", [(e.seq,) for e in gone])
        return removal.remove(touched)


@pytest.mark.parametrize("places", [[0], [1, 7], [3, 4, 5], [9], list(range(10))])
def test_what_is_left_of_the_adjacency_is_what_a_rebuild_gives(indexed: Memory, places: list[int]):
    adjacency = indexed.adjacency
    assert removed(indexed, [indexed.get(f"m-{place}").id for place in places])
    left = fingerprints(indexed.parts, indexed.space)
    adjacency.clear(indexed.space)
    adjacency.catch_up(indexed.space)
    rebuilt = fingerprints(indexed.parts, indexed.space)
    assert (left["nodes"], left["edges"]) == (rebuilt["nodes"], rebuilt["edges"])


def test_nothing_is_made_again(indexed: Memory):
    before = set(indexed.parts.database.connection.execute("SELECT number, id FROM node"))
    removed(indexed, [indexed.get("m-1").id])
    after = set(indexed.parts.database.connection.execute("SELECT number, id FROM node"))
    assert after < before


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "m.db", "default", PLAIN) as opened:
        tell(opened)
        opened.curation.set_relationship("Dana", "collaborator", 0.3)
        opened.graph.project()
        yield opened


def _refused(_: KgliteStore) -> None:
    raise AssertionError("the graph is made anew")


@pytest.mark.parametrize("places", [[0], [1, 7], [3, 4, 5], [9], [0, 2, 3, 6, 8], list(range(10))])
def test_what_is_left_is_what_a_rebuild_gives(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, places: list[int]
):
    with monkeypatch.context() as patch:
        patch.setattr(KgliteStore, "drop", _refused)
        for place in places:
            memory.forget(ids=[f"m-{place}"])
        left = memory.graph.digest()
    memory.upkeep.rebuild()
    assert memory.graph.digest() == left


def test_what_follows_a_forgetting_is_the_same_as_without_it(memory: Memory):
    memory.forget(ids=["m-3"])
    memory.remember("I live in Berlin again.", person="Dana", session="s5", id="m-10")
    memory.enrich()
    left = memory.graph.digest()
    memory.upkeep.rebuild()
    assert memory.graph.digest() == left


def test_a_graph_that_is_closed_after_a_forgetting_is_there_again(memory: Memory):
    memory.forget(ids=["m-3"])
    cursor = memory.graph.store().cursor()
    assert not list(memory.parts.path.parent.glob("*.kgl"))
    memory.graph.release()
    assert memory.graph.store().cursor() == cursor


def test_erasing_much_makes_a_graph_anew(memory: Memory, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(removal, "ENTRIES_MAX", 3)
    memory.forget(person="Kim")
    assert memory.graph.store().cursor().seq == 0
    left = memory.graph.digest()
    memory.upkeep.rebuild()
    assert memory.graph.digest() == left
