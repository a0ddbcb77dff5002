"""Catalogue procedures and column headers tell of one space, the same on both engines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import neo4j
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput, Refused
from meridia.core.ports import GraphStore, Head
from meridia.core.types import EdgeUpsert, NodeUpsert, Seq
from meridia.graph.kglite_store import KgliteStore
from meridia.graph.queries.catalogue import COLUMNS, answered
from meridia.graph.queries.query_guard import check_statement

AT = datetime(2026, 3, 1, 10, tzinfo=UTC)
#: Names that stand in nothing of ours: in a database that others share, and in our bookkeeping.
FOREIGN = ("Invoice", "iban", "PAID", "amount", "Space_", "MeridiaProjection", "node_key")
LABELS = ["Experience", "Memory", "Person"]
KEYS = ["aliases", "at", "id", "name", "seq", "space", "text", "valence"]
OF_EDGES = ["since", "source_seq", "space", "weight"]
OF_NODES: list[list[Any]] = [
    [":`Experience`:`Memory`", ["Experience", "Memory"], name, [type_], always]
    for name, type_, always in (
        ("at", "DateTime", False),
        ("id", "String", True),
        ("seq", "Long", True),
        ("space", "String", True),
        ("text", "String", True),
        ("valence", "Double", True),
    )
] + [
    [":`Person`", ["Person"], name, [type_], True]
    for name, type_ in (
        ("aliases", "StringArray"),
        ("id", "String"),
        ("name", "String"),
        ("space", "String"),
    )
]
OF_TYPES: list[list[Any]] = [
    [f":`{type_}`", name, [of], True]
    for type_ in ("NEXT", "SPOKEN_BY")
    for name, of in zip(OF_EDGES, ("DateTime", "Long", "String", "Double"), strict=True)
]
#: A statement, its columns and its rows: on either engine.
GOLDEN: list[tuple[str, list[str], list[list[Any]]]] = [
    ("CALL db.labels()", ["label"], [[one] for one in LABELS]),
    ("CALL db.labels", ["label"], [[one] for one in LABELS]),
    ("CALL db . `labels` ( ) YIELD *", ["label"], [[one] for one in LABELS]),
    ("call db.labels() yield label as x return x", ["x"], [[one] for one in LABELS]),
    ("CALL db.labels() YIELD label WHERE label > 'F'", ["label"], [["Memory"], ["Person"]]),
    (
        "UNWIND [1, 2] AS i CALL db.labels() YIELD label WHERE label > 'N' RETURN i, label",
        ["i", "label"],
        [[1, "Person"], [2, "Person"]],
    ),
    (
        (
            "CALL db.labels() YIELD label AS a CALL db.relationshipTypes() YIELD relationshipType "
            "RETURN  count( * )"
        ),
        ["count( * )"],
        [[6]],
    ),
    ("CALL db.relationshipTypes()", ["relationshipType"], [["NEXT"], ["SPOKEN_BY"]]),
    ("CALL db.propertyKeys()", ["propertyKey"], [[one] for one in sorted({*KEYS, *OF_EDGES})]),
    (
        "CALL db.schema.nodeTypeProperties()",
        list(COLUMNS["db.schema.nodeTypeProperties"]),
        OF_NODES,
    ),
    ("CALL db.schema.relTypeProperties()", list(COLUMNS["db.schema.relTypeProperties"]), OF_TYPES),
    (
        (
            "CALL db.schema.nodeTypeProperties() YIELD mandatory AS m, propertyName WHERE NOT m "
            "RETURN propertyName, m"
        ),
        ["propertyName", "m"],
        [["at", False]],
    ),
    ("MATCH (n) RETURN count(n)", ["count(n)"], [[4]]),
    ("RETURN count{()--()}", ["count{()--()}"], [[10]]),
    ("RETURN COUNT { MATCH (n) },1", ["COUNT { MATCH (n) }", "1"], [[4, 1]]),
    (
        "MATCH (p:Person) RETURN *, size([(p)--(q) | q.seq]) AS n, count{(p)--( :Person )}",
        ["p", "n", "count{(p)--( :Person )}"],
        [],
    ),
    ("MATCH (p:Person) RETURN p { . name }", ["p { . name }"], [[{"name": "Dana"}]]),
    (
        "RETURN count{(:Person)} UNION RETURN count{(:Person)}",
        ["count{(:Person)}"],
        [[1]],
    ),
]


def _fill(store: GraphStore) -> None:
    person = NodeUpsert("Person", "p", {"name": "Dana", "aliases": []})
    memories = [
        NodeUpsert(
            "Experience",
            f"e{n}",
            {"text": "gull", "seq": n, "valence": 0.0, **({"at": AT} if n else {})},
        )
        for n in range(3)
    ]
    more = {"weight": 1.0, "source_seq": 1, "since": AT}
    edges = [EdgeUpsert("SPOKEN_BY", m.label, m.id, "Person", "p", more) for m in memories]
    edges += [
        EdgeUpsert("NEXT", "Experience", f"e{n}", "Experience", f"e{n + 1}", more) for n in (0, 1)
    ]
    with store.transaction() as writer:
        writer.apply([person, *memories, *edges])
        writer.move_cursor(Head(Seq(1), b""))


@pytest.fixture
def store(graph_store: GraphStore, request: pytest.FixtureRequest) -> Iterator[GraphStore]:
    """Yield a filled store; in Neo4j another program's nodes are beside it."""
    _fill(graph_store)
    if isinstance(graph_store, KgliteStore):
        yield graph_store
        return
    server: Any = request.getfixturevalue("neo4j_server")
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        driver.execute_query("CREATE (:Invoice {iban: 'DE1'})-[:PAID {amount: 2}]->(:Invoice)")
        yield graph_store
        driver.execute_query("MATCH (x:Invoice) DETACH DELETE x")


def test_both_engines_give_the_same_answers_of_the_space_alone(store: GraphStore):
    for statement, columns, rows in GOLDEN:
        found = store.query(statement, {}, 20, 200)
        assert list(found.columns) == columns, statement
        assert not rows or [list(row) for row in found.rows] == rows, statement
        told = json.dumps([found.columns, [list(row) for row in found.rows], found.notes])
        assert not [name for name in FOREIGN if name in told], statement


def test_a_mistake_is_told_in_the_words_of_its_author(store: GraphStore):
    for statement in (
        "MATCH (p:Person)--() RETURN q",
        "CALL db.labels() YIELD label MATCH (p) RETURN q",
        "MATCH (p:Person) CALL db.labels() RETURN p",
        "CALL db.labels(1)",
        "CALL db.labels() YIELD other",
        "CALL db.labels YIELD label RETURN label",
    ):
        with pytest.raises(InvalidInput) as told:
            store.query(statement, {}, 20, 200)
        assert not [name for name in (*FOREIGN, "meridia_") if name in str(told.value)]
    with pytest.raises(Refused, match="not allowed"):
        store.query("CALL db.schema.visualization()", {}, 20, 200)


def test_a_note_does_not_tell_what_others_have(store: GraphStore):
    def notes(form: str, name: str) -> list[str]:
        found = store.query(form.replace("?", name), {}, 20, 200)
        return [note.replace(name, "?") for note in found.notes]

    for form, of_others in (
        ("MATCH (n:?) RETURN n", "Invoice"),
        ("MATCH (n:Person|?) RETURN n", "Invoice"),
        ("MATCH ()-[r:?]->() RETURN r", "PAID"),
        ("MATCH (n:Person) RETURN n.?", "iban"),
        ("MATCH ()-[r]->() RETURN r.?", "amount"),
    ):
        if isinstance(store, KgliteStore) and "|" in form:
            continue
        assert notes(form, of_others) == notes(form, "nobodys"), form
        assert isinstance(store, KgliteStore) or notes(form, of_others)


_PROCEDURES = st.sampled_from(sorted(COLUMNS))
_SPACES = st.sampled_from(["", " ", "\n\t"])


@st.composite
def _calls(draw: st.DrawFn) -> str:
    """Draw a statement that calls one procedure or two, in any writing."""
    name = draw(_PROCEDURES)
    gap = draw(_SPACES)
    dotted = f"{gap}.{gap}".join(
        f"`{part}`" if draw(st.booleans()) else part for part in name.split(".")
    )
    call = draw(st.sampled_from(["CALL", "call", "CaLl"]))
    chosen = draw(st.lists(st.sampled_from(COLUMNS[name]), min_size=1, unique=True))
    shown = [draw(st.sampled_from([one, f"x{n}", f"`a {n}`"])) for n, one in enumerate(chosen)]
    yielded = ", ".join(
        one if one == as_ else f"{one} AS {as_}" for one, as_ in zip(chosen, shown, strict=True)
    )
    before = draw(st.sampled_from(["", "MATCH (p:Person) ", "UNWIND [1, 2] AS i "]))
    where = draw(st.sampled_from(["", f" WHERE {shown[0]} IS NOT NULL", " WHERE true"]))
    after = draw(st.sampled_from(["", " WITH *", " MATCH (q:Person)"]))
    return (
        f"{before}{call} {dotted}{gap}({gap}) YIELD {yielded}{where}{after} "
        f"RETURN {', '.join(shown)}"
    )


def test_however_a_procedure_is_called_nothing_of_others_is_told(store: GraphStore):
    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(_calls())
    def check(statement: str) -> None:
        found = store.query(statement, {}, 20, 500)
        told = json.dumps([found.columns, [list(row) for row in found.rows], found.notes])
        assert found.rows
        assert not [name for name in FOREIGN if name in told], statement

    check()


def test_what_calls_no_catalogue_procedure_stays_as_it_is():
    for statement in (
        "MATCH (call)-->(x) RETURN call.db, x.labels",
        "RETURN 'CALL db.labels()' AS x",
        "CALL db.index.fulltext.queryNodes('a', 'b') YIELD node RETURN node.id AS id",
    ):
        assert answered(check_statement(statement).text) == (statement, frozenset())
