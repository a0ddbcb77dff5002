"""What an engine adds for itself is not shown, and what a node does not have is null on both."""

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
from meridia.core.types import EdgeUpsert, NodeUpsert, Seq, Space
from meridia.graph.kglite_store import KgliteStore
from meridia.graph.projector import project
from meridia.graph.queries.query_guard import check_statement
from meridia.graph.queries.rewriting import (
    COLUMNS,
    answered,
    as_written,
    without_engine_properties,
    without_own_names,
)
from meridia.graph.schema import LABELS, public_labels
from tests.histories import HistoryEvent, TestJournal, live
from tests.thorough import examples


@pytest.fixture
def filled(graph_store: GraphStore, journal: TestJournal, space: Space) -> Iterator[GraphStore]:
    """Yield a graph with a conversation, on either engine."""
    live(journal, space, *(HistoryEvent(f"rain {n}", "Dana") for n in range(3)))
    project(journal, graph_store, space, 10)
    return graph_store


def ask(store: GraphStore, statement: str) -> list[list[object]]:
    return [list(row) for row in store.query(statement, {}, 20, 99).rows]


@pytest.mark.parametrize("name", ["title", "type", "label", "node_type", "none", "embedding"])
def test_a_property_that_a_node_does_not_have_is_null(filled: GraphStore, name: str):
    for where in (
        "MATCH (x)",
        "MATCH (:Experience)-[x]->()",
        "MATCH (x:Person)",
        "MATCH (e)-->(x)",
    ):
        rows = ask(filled, f"{where} RETURN x.{name} AS v")
        assert rows
        assert {row[0] for row in rows} == {None}
        assert ask(filled, f"{where} WHERE x.{name} IS NOT NULL RETURN x.space AS v") == []


def test_labels_are_those_of_the_graph(filled: GraphStore):
    rows = ask(filled, "MATCH (x) RETURN DISTINCT labels(x) AS labels")
    assert sorted(map(sorted, (row[0] for row in rows))) == [
        ["Experience", "Memory"],
        ["Person"],
        ["Relationship"],
        ["Session"],
    ]
    counted = "MATCH (x) UNWIND labels(x) AS label RETURN label, count(*) AS n ORDER BY label"
    assert [row[0] for row in ask(filled, counted)] == [
        *("Experience", "Memory", "Person", "Relationship", "Session"),
    ]
    first = "MATCH (x) WHERE labels(x)[0] = 'Session' RETURN size(labels(x)) AS n, x.key AS key"
    assert ask(filled, first) == [[1, "s1"]]


def test_keys_are_those_of_the_graph(filled: GraphStore):
    for label in ("Experience", "Person", "Session"):
        for (keys,) in ask(filled, f"MATCH (x:{label}) RETURN keys(x) AS keys"):
            assert set(keys) <= {"id", *LABELS[label].properties}
    for (keys,) in ask(filled, "MATCH (:Experience)-[r]->() RETURN keys(r) AS keys"):
        assert sorted(keys) == ["since", "source_seq", "space", "weight"]


@pytest.mark.parametrize(
    ("where", "maps"),
    [
        ("MATCH (x:Experience)", ["properties(x)", "x {.*}", "[properties(x)][0]"]),
        ("MATCH (x:Person)", ["properties(x)", "x {.*}"]),
        ("MATCH ()-[x]->()", ["properties(x)"]),
    ],
)
def test_a_map_of_all_properties_is_what_the_node_or_edge_shows(filled, where, maps):
    made = ", ".join(f"{text} AS m{n}" for n, text in enumerate(maps))
    rows = ask(filled, f"{where} RETURN x AS x, keys(properties(x)) AS names, {made}")
    assert rows
    for shown, names, *found in rows:
        own = shown["properties"]
        assert found == [own] * len(maps)
        assert sorted(names) == sorted(own)


def test_a_map_of_its_author_keeps_what_it_says(filled: GraphStore):
    said = "MATCH (x:Person) RETURN {type: 1, title: x.name, partition: 2, label: 3} AS said"
    assert ask(filled, said)[0][0].keys() == {"type", "title", "partition", "label"}


@pytest.mark.parametrize(
    "statement",
    [
        "RETURN keys({title: 1, type: 2}) AS keys",
        "WITH {title: 1} AS m RETURN m.title AS title",
        "MATCH (x) RETURN 'labels(x)' AS text, x.labels AS labels",
        "CALL db.labels() YIELD label RETURN label",
        "MATCH (x) RETURN type(x) AS t",
    ],
)
def test_what_is_somebodys_own_stays_as_it_is_written(statement: str):
    assert without_engine_properties(without_own_names(statement)) == statement


def test_columns_are_headed_as_they_were_written(filled: GraphStore):
    table = filled.query("MATCH (x:Person) RETURN labels(x), keys(x), x.title", {}, 20, 9)
    assert table.columns == ["labels(x)", "keys(x)", "x.title"]
    assert public_labels(table.rows[0][0]) == table.rows[0][0] == ["Person"]


@pytest.mark.parametrize(
    ("statement", "columns", "expected"),
    [
        ("RETURN count{()--()}", ["x"], ["count{()--()}"]),
        ("MATCH (a) RETURN  a.b ,\n 'x, y' + [1, 2][0]", ["?", "?"], ["a.b", "'x, y' + [1, 2][0]"]),
        ("RETURN DISTINCT  a.limit AS n, {a: 1, b: 2}", ["n", "?"], ["n", "{a: 1, b: 2}"]),
        ("RETURN *, f( a ) ORDER BY f( a ) LIMIT 2", ["a", "b", "?"], ["a", "b", "f( a )"]),
        ("RETURN *", ["a", "b"], ["a", "b"]),
        ("RETURN 1 AS a UNION RETURN 2 AS a", ["a"], ["a"]),
        ("CALL () { RETURN 1 AS a } RETURN a+1", ["?"], ["a+1"]),
        ("CALL db.labels()", ["label"], ["label"]),
        # Not understood: the engine's own names stay.
        ("RETURN limit", ["limit"], ["limit"]),
        ("RETURN a, order, b", ["a", "order", "b"], ["a", "order", "b"]),
        ("RETURN a, b", ["a", "b", "c"], ["a", "b", "c"]),
    ],
)
def test_columns_are_headed_as_written(statement: str, columns: list[str], expected: list[str]):
    assert as_written(statement, columns) == expected


AT = datetime(2026, 3, 1, 10, tzinfo=UTC)
#: Names that stand in nothing of ours: in a database that others share, and in our bookkeeping.
FOREIGN = ("Invoice", "iban", "PAID", "amount", "Space_", "MeridiaProjection", "node_key")
LISTED_LABELS = ["Experience", "Memory", "Person"]
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
    ("CALL db.labels()", ["label"], [[one] for one in LISTED_LABELS]),
    ("CALL db.labels", ["label"], [[one] for one in LISTED_LABELS]),
    ("CALL db . `labels` ( ) YIELD *", ["label"], [[one] for one in LISTED_LABELS]),
    ("call db.labels() yield label as x return x", ["x"], [[one] for one in LISTED_LABELS]),
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
    @settings(max_examples=examples(10), deadline=None, suppress_health_check=list(HealthCheck))
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
