"""The first projection is timed on either engine, and leaves nothing on the server."""

from __future__ import annotations

import neo4j
import pytest
from pydantic import SecretStr

from bench.projection import projected
from bench.synthetic import Language
from meridia.core.settings import GraphSettings


@pytest.fixture(scope="module")
def language() -> Language:
    return Language()


@pytest.mark.thorough
def test_neo4j_and_the_embedded_engine_are_given_the_same_graph(tmp_path, neo4j_server, language):
    server = {"uri": neo4j_server.uri, "user": neo4j_server.user}
    shared = GraphSettings(
        engine="neo4j",
        neo4j_password=SecretStr(neo4j_server.password),
        **{f"neo4j_{name}": value for name, value in server.items()},
    )
    local = projected(tmp_path / "a.db", GraphSettings(), 30, language)
    there = projected(tmp_path / "b.db", shared, 30, language)
    assert (local.nodes, local.edges) == (there.nodes, there.edges)
    assert local.nodes > 30
    assert min(local.clock, there.clock, local.processor, there.processor) > 0
    login = (neo4j_server.user, neo4j_server.password)
    with neo4j.GraphDatabase.driver(neo4j_server.uri, auth=login) as driver:
        left = driver.execute_query("MATCH (n:Experience {space: 'synthetic'}) RETURN n").records
    assert not left
