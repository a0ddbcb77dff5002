"""What is derived again after a merge of people comes to its end part by part, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from meridia import Memory
from meridia.core.settings import EmbeddingSettings, GraphSettings, Settings
from meridia.graph import adjacency
from meridia.ingest import enrichment_state
from tests.neo4j_server import Neo4jServer

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


def _settings_on(server: Neo4jServer) -> Settings:
    graph = GraphSettings(
        engine="neo4j",
        batch=3,
        neo4j_uri=server.uri,
        neo4j_user=server.user,
        neo4j_password=SecretStr(server.password),
    )
    return _SETTINGS.model_copy(update={"graph": graph})


def _goes_on_in_each_process(path: Path, settings: Settings) -> None:
    """Have each part done by another process, where everything was changed before."""
    with Memory(path, "home", settings) as opened:
        for number in range(12):
            opened.remember(
                f"Boat {number} is n{number}x.", person=f"P{number % 3}", id=f"{number}"
            )
        opened.enrich()
        opened.graph.project()
        opened.people.merge("P1", "P2")
        opened.forget(ids=["2"])
        opened.graph.store().drop()
        head = opened.parts.journal.head(opened.space).seq
    for _ in range(head // 3 + 1):
        with Memory(path, "home", settings) as opened:
            opened.graph.project(should_continue=lambda: False)
            reached = opened.graph.store().cursor().seq
    assert reached == head
    with Memory(path, "home", settings) as opened:
        digest = opened.graph.digest()
        opened.people.unmerge("P1")  # known since the graph was begun: it is begun anew
        opened.people.merge("P1", "P2")
        assert opened.graph.project() > 1
        opened.upkeep.rebuild()
        assert opened.graph.digest().edges == digest.edges
        opened.graph.store().drop()


def test_each_process_goes_on_with_the_graph_that_another_has_begun(tmp_path):
    _goes_on_in_each_process(tmp_path / "journal.db", _SETTINGS)


def test_each_process_goes_on_with_the_graph_in_neo4j_that_another_has_begun(
    tmp_path, neo4j_server
):
    _goes_on_in_each_process(tmp_path / "journal.db", _settings_on(neo4j_server))
