"""What a trace names is in the graph: a statement fetches it, on either engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.settings import Settings
from meridia.retrieval.ranking.contributions import PathStep, TraceNode
from meridia.retrieval.recall_result import edge_pattern
from tests.thorough import THOROUGH, examples

WORDS = "boats sail letter script tax Dana Robin Oskar promise website rain who what why".split()


@pytest.fixture(params=["kglite", "neo4j"], scope="module")
def memory(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Memory]:
    """Yield the conversation of the demo, with its graph in either engine."""
    given: dict[str, Any] = {"engine": "embedded"}
    if request.param == "neo4j":
        server = request.getfixturevalue("neo4j_server")
        given = {
            "engine": "neo4j",
            "neo4j_uri": server.uri,
            "neo4j_user": server.user,
            "neo4j_password": server.password,
        }
    path = tmp_path_factory.mktemp("pattern") / "demo.db"
    with Memory(path, "demo", Settings(graph=given)) as opened:
        root = Path(__file__).parents[2]
        opened.import_file(root / "cli" / "data" / "demo.jsonl", "native")
        opened.enrich()
        yield opened


def named(trace: TraceNode) -> set[tuple[str, int]]:
    return {(leaf.edge, leaf.offset) for leaf in trace.leaves() if leaf.edge}


@settings(max_examples=examples(2), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join))
def test_what_the_trace_of_any_hit_names_is_fetched_by_one_statement(memory: Memory, question: str):
    # Each statement is another one, and Neo4j plans it for a third of a second.
    for hit in memory.recall(question, limit=5 if THOROUGH else 2):
        found = memory.query(hit.pattern, wait_s=60)
        assert len(found.rows) == 1, hit.pattern
        row = dict(zip(found.columns, found.rows[0], strict=True))
        assert row["memory"] == hit.text
        if "person" in row:
            assert row["person"] == hit.person
        assert len(row) == 1 + len(named(hit.trace))


def test_an_edge_that_is_not_there_is_not_fetched(memory: Memory):
    hit = next(h for h in memory.recall("boats", limit=10) if "-[:NEXT]->" in h.pattern)
    turned = hit.pattern.replace("-[:NEXT]->", "<-[:NEXT]-")
    assert memory.query(turned, wait_s=60).rows == []


def test_a_walk_is_fetched_step_by_step():
    steps = (PathStep("RELATED", "meridia://a", "meridia://b"),)
    leaf = TraceNode("walk", 1.0, "RELATED", "meridia://a", steps=steps)
    statement = edge_pattern("it's", TraceNode("score", 1.0, children=(leaf,)))
    assert statement == (
        "MATCH (m:Experience {id: 'it\\'s'}) "
        "MATCH (:Experience {id: 'a'})-[:RELATED]->(:Experience {id: 'b'}) "
        "RETURN m.text AS memory"
    )


def test_a_trace_without_edges_fetches_the_memory_alone(memory: Memory):
    leaf = TraceNode("says", 1.0)
    statement = edge_pattern("x", TraceNode("score", 1.0, children=(leaf,)))
    assert statement == "MATCH (m:Experience {id: 'x'}) RETURN m.text AS memory"
    assert memory.query(statement, wait_s=60).rows == []
