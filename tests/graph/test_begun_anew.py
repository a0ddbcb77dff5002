"""What is derived again after a merge of people comes to its end part by part, and says so."""

from __future__ import annotations

import pytest

from meridia import Memory
from meridia.core.settings import EmbeddingSettings, GraphSettings, Settings
from meridia.graph import adjacency
from meridia.ingest import enrichment_state

_SETTINGS = Settings(embedding=EmbeddingSettings(enabled=False), graph=GraphSettings(batch=3))


@pytest.fixture
def memory(monkeypatch):
    monkeypatch.setattr(adjacency, "_BATCH", 3)
    with Memory(None, "default", _SETTINGS) as opened:
        for number in range(12):
            opened.remember(f"Boat {number} is called n{number}x.", person=f"P{number % 3}")
        opened.enrich()
        opened.graph.project()
        yield opened


def test_edges_and_graph_are_whole_after_as_many_parts_as_they_have(memory):
    for one, two in (("P1", "P2"), ("P0", "P2")):
        memory.people.merge(one, two)
        head = memory.parts.journal.head(memory.space).seq
        for _ in range(head // 3 + 1):
            memory.adjacency.catch_up(memory.space, lambda: False)
            memory.graph.project(should_continue=lambda: False)
        assert memory.adjacency.cursor(memory.space) == head
        assert memory.graph.store().cursor().seq == head
    digest = memory.graph.digest()
    assert not memory.upkeep.verify()
    memory.upkeep.rebuild()
    assert memory.graph.digest() == digest


def test_an_answer_says_what_the_index_has_not_come_to_and_the_next_ones_find_it(
    memory, monkeypatch
):
    monkeypatch.setattr(enrichment_state, "_INDEX_S", -1.0)
    memory.people.merge("P1", "P2")
    answers = [memory.recall("What is called n11x?") for _ in range(40)]
    assert not any("n11x" in hit.text for hit in answers[0].hits)
    assert "not found yet" in answers[0].notes[0]
    assert "n11x" in answers[-1].hits[0].text
    assert "not found yet" not in " ".join(answers[-1].notes)
