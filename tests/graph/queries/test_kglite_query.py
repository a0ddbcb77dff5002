"""One statement on the embedded engine, and what of its answer is shown."""

from __future__ import annotations

import kglite
import pytest

from meridia.core.errors import InvalidInput, Refused
from meridia.graph.queries.kglite_query import refresh_text_index, run_query
from meridia.graph.queries.query_guard import check_statement


@pytest.fixture
def session() -> kglite.Session:
    graph = kglite.KnowledgeGraph()
    graph.cypher("CREATE (:Person {id: 'a', name: 'Dana'})-[:KNOWS]->(:Person {id: 'b'})")
    return graph.session()


def ask(session: kglite.Session, statement: str, timeout_s: float = 5.0):
    return run_query(session, check_statement(statement), {}, timeout_s, 10)


def test_nodes_and_relationships_are_shown_without_the_engines_own_fields(session):
    ((node, relationship),) = ask(session, "MATCH (p {id: 'a'})-[r]->() RETURN p, r").rows
    assert node == {"labels": ["Person"], "properties": {"id": "a", "name": "Dana"}}
    assert relationship == {"type": "KNOWS", "properties": {}}


def test_a_plan_is_shown_for_explain(session):
    assert "operation" in ask(session, "EXPLAIN MATCH (p:Person) RETURN p").columns


def test_mistakes_and_limits_are_told_to_the_author(session):
    with pytest.raises(InvalidInput, match="statement: "):
        ask(session, "MATCH (p RETURN p")
    with pytest.raises(Refused, match="only reads the graph"):
        ask(session, "MATCH (p) SET p.name = 'x'")
    with pytest.raises(Refused, match="took longer"):
        ask(session, "UNWIND range(1, 3000) AS a UNWIND range(1, 3000) AS b RETURN a * b", 0.05)


def test_the_text_index_is_left_alone_where_nobody_asks_it(session):
    refresh_text_index(session, "RETURN 1")
    refresh_text_index(session, "CALL db.index.fulltext.queryNodes('meridia_text', 'x')")
