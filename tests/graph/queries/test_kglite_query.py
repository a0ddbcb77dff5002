"""One statement on the embedded engine, and what of its answer is shown."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import kglite
import pytest

from meridia.core.errors import InvalidInput, Refused
from meridia.core.ports import Head
from meridia.core.types import NodeUpsert, Seq, Space
from meridia.graph.kglite_store import KgliteStore
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
    with pytest.raises(Refused, match="can only read"):
        ask(session, "MATCH (p) SET p.name = 'x'")
    with pytest.raises(Refused, match="took longer"):
        ask(session, "UNWIND range(1, 3000) AS a UNWIND range(1, 3000) AS b RETURN a * b", 0.05)


def test_the_text_index_is_left_alone_where_nobody_asks_it(session):
    refresh_text_index(session, "RETURN 1")
    refresh_text_index(session, "CALL db.index.fulltext.queryNodes('meridia_text', 'x')")


LIMITS = 5.0, 10, 256


def answers(*requests: tuple[str, tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Return what a worker answers to some requests, after which nobody asks any more."""
    done = subprocess.run(
        [sys.executable, "-m", "meridia.graph.queries.kglite_query"],
        input=b"".join(pickle.dumps(request) for request in requests),
        capture_output=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_it_answers_about_a_copy_with_its_changes_and_tells_errors(tmp_path: Path):
    store, copy = KgliteStore(tmp_path / "graph.kgl", Space("home")), tmp_path / "copy.kgl"
    with store.transaction() as writer:
        writer.apply([NodeUpsert("Person", "a", {"name": "Dana"})])
        writer.move_cursor(Head(Seq(1), b""))
    store._back_up(copy)
    store.close()
    names = check_statement("MATCH (p:Person) RETURN p.name AS name ORDER BY name")
    change = "MERGE (p:Person {id: $id}) SET p.name = $name", {"id": "b", "name": "Robin"}
    found = answers(
        ("ask", (names, {"space": "home"}, *LIMITS)),
        ("load", (str(copy),)),
        ("follow", ([change],)),
        ("ask", (names, {"space": "home"}, *LIMITS)),
        ("ask", (check_statement("RETURN x"), {"space": "home"}, *LIMITS)),
        ("unload", ()),
        ("load", (str(tmp_path / "none.kgl"),)),
    )
    assert found[0] == {"error": ["MeridiaError", "no graph was loaded"]}
    assert found[1] == {}
    assert found[3]["rows"] == [["Dana"], ["Robin"]]
    assert found[3]["last"] is False
    assert found[4]["error"][0] == "InvalidInput"
    assert found[6]["error"][0] == "MeridiaError"
