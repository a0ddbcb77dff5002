"""A graph that memories are taken out of is that of a rebuild, and is not made anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from meridia import Memory
from meridia.graph.kglite_store import KgliteStore
from meridia.graph.removal import graph_removal
from tests.ingest.forgetting.told import PLAIN, tell


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "m.db", "default", PLAIN) as opened:
        tell(opened)
        opened.curation.set_relationship("Dana", "collaborator", 0.3)
        opened.project()
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
        left = memory.digest()
    memory.rebuild()
    assert memory.digest() == left


def test_what_follows_a_forgetting_is_the_same_as_without_it(memory: Memory):
    memory.forget(ids=["m-3"])
    memory.remember("I live in Berlin again.", person="Dana", session="s5", id="m-10")
    memory.enrich()
    left = memory.digest()
    memory.rebuild()
    assert memory.digest() == left


def test_a_graph_that_is_closed_after_a_forgetting_is_there_again(memory: Memory):
    memory.forget(ids=["m-3"])
    cursor = memory.graph().cursor()
    assert not list(memory.parts.path.parent.glob("*.kgl"))
    memory.release_graph()
    assert memory.graph().cursor() == cursor


def test_erasing_much_makes_a_graph_anew(memory: Memory, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(graph_removal, "ENTRIES_MAX", 3)
    memory.forget(person="Kim")
    assert memory.graph().cursor().seq == 0
    left = memory.digest()
    memory.rebuild()
    assert memory.digest() == left
