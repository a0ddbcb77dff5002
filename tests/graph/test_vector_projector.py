"""Vectors in Neo4j: written when asked for, those of one model, and no part of the digest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from meridia.core.errors import Refused
from meridia.core.settings import GraphSettings, Settings
from meridia.graph.vector_projector import VectorGraph, asks_for_vectors, project_vectors
from meridia.memory import Memory
from meridia.storage.vectors import VectorTable
from tests.fakes import FakeEmbedder, waiting
from tests.neo4j_server import Neo4jServer

COUNT = "MATCH (e:Experience) RETURN count(e.embedding) AS n"
NEAR = (
    "MATCH (e:Experience {event_id: $id}) "
    "CALL db.index.vector.queryNodes('meridia_vectors', 9, e.embedding) YIELD node, score "
    "RETURN node.event_id AS id, score ORDER BY score DESC, id"
)


@pytest.fixture
def memory(neo4j_server: Neo4jServer, tmp_path: Path) -> Iterator[Memory]:
    """Yield a memory with two messages in each of two spaces, in a Neo4j."""
    graph = GraphSettings(
        engine="neo4j",
        neo4j_uri=neo4j_server.uri,
        neo4j_user=neo4j_server.user,
        neo4j_password=SecretStr(neo4j_server.password),
    )
    settings = waiting(Settings(graph=graph))
    with Memory(tmp_path / "a.db", "home", settings, embedder=FakeEmbedder()) as memory:
        for space in ("home", "away"):
            here = memory.in_space(space)
            here.remember("the boat is in the harbour", person="Dana", id=f"{space}-1")
            here.remember("lunch was late", person="Robin", id=f"{space}-2")
        yield memory
        for space in ("home", "away"):
            memory.in_space(space).graph().drop()


def test_a_statement_that_names_vectors_asks_for_them():
    assert asks_for_vectors("CALL db.index.Vector.queryNodes('a', 1, $v) YIELD node RETURN node")
    assert asks_for_vectors("MATCH (e:Experience) RETURN e.embedding")
    assert not asks_for_vectors("MATCH (e:Experience) RETURN e.text")


def test_neo4j_finds_what_is_near_within_the_own_space(memory: Memory):
    assert memory.query("MATCH (e:Experience) RETURN count(e) AS n").rows == [[2]]
    before = memory.digest()
    rows = memory.query(NEAR, {"id": "home-1"}).rows
    assert [row[0] for row in rows] == ["home-1", "home-2"]
    assert rows[0][1] == pytest.approx(1.0, abs=0.01)
    memory.remember("another boat", person="Dana", id="home-3")
    assert memory.query(COUNT).rows == [[3]]
    away = memory.in_space("away").query(NEAR, {"id": "away-1"}).rows
    assert {row[0] for row in away} == {"away-1", "away-2"}
    ((shown,),) = memory.query("MATCH (e:Experience {event_id: 'home-1'}) RETURN e").rows
    assert "embedding" not in str(shown)
    assert memory.in_space("away").digest().nodes == before.nodes


def test_vectors_in_neo4j_are_no_addition_and_come_again_after_a_rebuild(memory: Memory):
    assert memory.query(COUNT).rows == [[2]]
    before = memory.digest().hash
    memory.rebuild()
    assert memory.digest().hash == before
    assert memory.query(COUNT).rows == [[2]]


def test_neo4j_gets_them_once_and_those_of_another_model_are_replaced(memory: Memory):
    memory.query(COUNT)
    store, embedder = memory.graph(), FakeEmbedder()
    assert isinstance(store, VectorGraph)
    table = VectorTable(memory.parts.space(memory.space))
    until = memory.status().seq
    assert project_vectors(table, store, embedder.model, until) == 0
    assert project_vectors(table, store, "another", until) == 0
    assert store.run("MATCH (x:Experience{scope}) RETURN count(x.embedding)", {}).rows == [[0]]
    assert project_vectors(table, store, embedder.model, until) == 2


def test_the_embedded_engine_says_that_it_has_none(tmp_path: Path):
    settings = waiting(Settings(graph=GraphSettings(engine="embedded")))
    with (
        Memory(tmp_path / "a.db", "home", settings, embedder=FakeEmbedder()) as memory,
        pytest.raises(Refused, match="holds no vectors: `meridia recall` finds by meaning"),
    ):
        memory.query(NEAR, {"id": "a"})
