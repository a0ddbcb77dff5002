"""What a user's statement may do: read this graph. Everything else is refused before it runs."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput, MeridiaError, Refused
from meridia.core.ports import GraphStore, Head
from meridia.core.types import NodeUpsert, Seq
from meridia.graph.digest import digest
from meridia.graph.queries.query_guard import (
    KGLITE_OPERATIONS,
    NEO4J_OPERATORS,
    PROCEDURES,
    REFUSED_STARTS,
    check_kglite_operations,
    check_neo4j_plan,
    check_parameters,
    check_statement,
    json_value,
    node,
    relationship,
)

#: Statements that would read files, call out, write, administer, or leave the graph, and what the
#: refusal names. Without a name, one engine's plan tells and the other's grammar lacks it already.
#: `{file}` is a file with a secret in it.
ATTACKS = [
    # Files and the network.
    ("LOAD CSV FROM 'file://{file}' AS line RETURN line", "LOAD CSV"),
    ("LOAD CSV WITH HEADERS FROM 'http://127.0.0.1:1/x' AS line RETURN line", "LOAD CSV"),
    ("load\n\tcsv FROM 'file://{file}' AS line RETURN line", "LOAD CSV"),
    ("LOAD /* a */ CSV FROM 'file://{file}' AS line RETURN line", "LOAD CSV"),
    ("// a\nLOAD CSV FROM 'file://{file}' AS line RETURN line", "LOAD CSV"),
    ("EXPLAIN LOAD CSV FROM 'file://{file}' AS line RETURN line", "LOAD CSV"),
    ("MATCH (x) LOAD CSV FROM 'file://{file}' AS line RETURN line", "LOAD CSV"),
    ("CALL {{ LOAD CSV FROM 'file://{file}' AS l RETURN l }} RETURN l", "LOAD CSV"),
    ("RETURN COLLECT {{ LOAD CSV FROM 'file://{file}' AS l RETURN l }} AS x", "LOAD CSV"),
    ("RETURN 1 AS a UNION LOAD CSV FROM 'file://{file}' AS a RETURN a", "LOAD CSV"),
    ("RETURN 'x\\u0027 AS a LOAD CSV FROM \\u0027file://{file}' AS l RETURN l", "Unicode"),
    ("RETURN 1 AS a /* \\u002a\\u002f LOAD CSV FROM 'file://{file}' AS l RETURN l */", None),
    ("RETURN genai.vector.encode('x', 'OpenAI', {{}}) AS x", "genai.vector.encode"),
    ("RETURN {{a: `apoc`.`util`.sleep(1)}} AS x", "apoc.util.sleep"),
    ("RETURN [1, 2][1..apoc.util.sleep(1)] AS x", "apoc.util.sleep"),
    ("CALL apoc.load.json('file://{file}') YIELD value RETURN value", "apoc.load.json"),
    # Writing.
    ("CREATE (x:Person {{id: 'evil'}})", "CREATE"),
    ("MERGE (x:Person {{id: 'evil'}}) RETURN x", "MERGE"),
    ("MATCH (x) SET x.name = 'evil'", None),
    ("MATCH (x) SET x:Evil", None),
    ("MATCH (x) REMOVE x.name", None),
    ("MATCH (x) DETACH DELETE x", None),
    ("MATCH (x) FOREACH (n IN [1] | SET x.name = 'evil')", None),
    ("CALL {{ CREATE (x:Evil) RETURN x }} RETURN x", None),
    ("MATCH (x) CALL {{ WITH x SET x.name = 'evil' }} IN TRANSACTIONS", None),
    ("RETURN 1 AS a UNION CREATE (x:Evil {{id: 'evil'}}) RETURN 1 AS a", None),
    ("CREATE INDEX evil FOR (x:Person) ON (x.name)", "CREATE"),
    ("DROP INDEX meridia_text", "DROP"),
    ("CALL db.createLabel('Evil')", "db.createLabel"),
    ("CALL db.index.vector.createNodeIndex('a', 'B', 'c', 3, 'cosine')", "createNodeIndex"),
    # Administration, and looking at it.
    ("SHOW USERS", "SHOW"),
    ("SHOW SETTINGS", "SHOW"),
    ("SHOW TRANSACTIONS", "SHOW"),
    ("SHOW PROCEDURES", "SHOW"),
    ("SHOW INDEXES", "SHOW"),
    ("TERMINATE TRANSACTIONS 'neo4j-transaction-1'", "TERMINATE"),
    ("ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'", "ALTER"),
    ("CREATE USER evil SET PASSWORD 'evilevil'", "CREATE"),
    ("GRANT ROLE admin TO evil", "GRANT"),
    ("STOP DATABASE neo4j", "STOP"),
    ("CALL dbms.listConfig()", "dbms.listConfig"),
    ("CALL dbms.components", "dbms.components"),
    ("CALL `dbms` . `listConfig` ( )", "dbms.listConfig"),
    ("call DBMS.listConfig()", "DBMS.listConfig"),
    ("MATCH (x) CALL dbms.queryJmx('*:*') YIELD name RETURN name", "dbms.queryJmx"),
    ("CALL {{ CALL dbms.listConfig() YIELD name RETURN name }} RETURN name", "dbms.listConfig"),
    ("CALL tx.getMetaData()", "tx.getMetaData"),
    ("CALL db.stats.clear('x')", "db.stats.clear"),
    ("CALL refresh_stats()", "refresh_stats"),
    ("CALL pagerank() YIELD node, score RETURN score", "pagerank"),
    ("CALL db.cdc.enable()", "db.cdc.enable"),
    ("CALL db.node_embeddings.drop({{label: 'Person', property: 'name'}})", "embeddings.drop"),
    # Elsewhere, or otherwise than asked.
    ("USE system SHOW USERS", "USE"),
    ("USE system MATCH (x) RETURN x", "USE"),
    ("CALL {{ USE `system` MATCH (x) RETURN x }} RETURN x", "USE"),
    ("RETURN 1 AS a UNION USE system RETURN 1 AS a", "USE"),
    ("CYPHER runtime=slotted RETURN 1 AS x", "CYPHER"),
    ("PROFILE MATCH (x) RETURN x", "PROFILE"),
    ("EXPLAIN CYPHER 5 RETURN 1 AS x", "CYPHER"),
    ("RETURN 1 AS a; MATCH (x) DETACH DELETE x", "one statement"),
    ("MATCH (x) RETURN x.name AS name FORMAT CSV", "FORMAT CSV"),
]

#: A comment that tries to end early stays one, and what is left is answered.
NEUTRAL = [attack for attack, _ in ATTACKS if attack.startswith("RETURN 1 AS a /*")]

HARMLESS = [
    "MATCH (x:Person) RETURN x.name AS name;",
    "MATCH (x) WHERE x.text CONTAINS 'LOAD CSV; CALL dbms.x() // USE system' RETURN x.id AS id",
    "MATCH (x:Person) // CREATE nothing\nRETURN /* SET */ count(*) AS n",
    "MATCH (x) WHERE x.use = 1 OR x.load = 2 OR x.call = $use RETURN x.create AS `SET`",
    "CALL db.labels() YIELD label RETURN label",
    "CALL db.relationshipTypes()",
    "CALL db.schema.nodeTypeProperties()",
    "CALL db.index.fulltext.queryNodes('meridia_text', 'x') YIELD node, score RETURN score",
    "RETURN duration.between(date('2026-03-01'), date('2026-03-02')) AS d",
    "RETURN date.truncate('month', date('2026-03-15')) AS d",
    (
        "MATCH (a:Person), (b:Person) WHERE a.id < b.id "
        "MATCH p = shortestPath((a)-[*..4]-(b)) RETURN length(p) AS n"
    ),
    "MATCH (a:Person)-[:SPOKEN_BY*1..3]-(b) RETURN DISTINCT b.id AS id ORDER BY id SKIP 1 LIMIT 3",
    "MATCH (x:Person) OPTIONAL MATCH (x)--(y) WITH x, count(y) AS n WHERE n < 9 RETURN n",
    "MATCH (x:Person) WHERE EXISTS { (x)--() } RETURN COUNT { (x)--() } AS n",
    "CALL { MATCH (x:Person) RETURN count(x) AS n } RETURN n UNION ALL RETURN 1 AS n",
    "UNWIND [1, 2] AS x RETURN [y IN range(1, x) WHERE y > 1 | y * 2] AS l, {a: x} AS m",
    "MATCH (x:Person) RETURN x.name AS name, collect(DISTINCT x.id) AS ids, max(x.name) AS last",
]


@pytest.fixture
def graph(graph_store: GraphStore) -> GraphStore:
    """Return a store with something to lose."""
    with graph_store.transaction() as writer:
        writer.apply([NodeUpsert("Person", f"p{n}", {"name": f"n{n}"}) for n in range(3)])
        writer.apply([NodeUpsert("Experience", "e", {"text": "x"})])
        writer.move_cursor(Head(Seq(1), b""))
    return graph_store


def test_what_is_more_than_reading_the_graph_is_refused_and_nothing_runs(
    graph: GraphStore, tmp_path: Path
):
    secret = tmp_path / "secret.csv"
    secret.write_text("the-secret\n")
    before = digest(graph)
    for attack, named in ATTACKS:
        expected = InvalidInput if named is None else Refused
        if attack in NEUTRAL:
            assert graph.query(attack.format(file=secret), {}, 5, 100).rows == [[1]], attack
        else:
            with pytest.raises((Refused, expected)) as refusal:
                graph.query(attack.format(file=secret), {}, 5, 100)
            assert (named or "") in str(refusal.value), attack
            assert "the-secret" not in str(refusal.value), attack
    assert digest(graph) == before


def test_a_statement_that_only_reads_is_answered(graph: GraphStore):
    for statement in HARMLESS:
        graph.query(statement, {"use": 1}, 5, 100)


def test_comments_are_taken_out_and_lines_keep_their_numbers():
    admitted = check_statement("MATCH (x) // LOAD CSV\n/* a\nb */RETURN '/* kept */' AS x")
    assert admitted.text == "MATCH (x)  \n \nRETURN '/* kept */' AS x"


def test_an_explained_statement_is_told_apart():
    assert check_statement(" explain RETURN 1 AS x;") == check_statement("EXPLAIN\nRETURN 1 AS x")
    assert check_statement("EXPLAIN RETURN 1 AS x").explain
    assert not check_statement("RETURN 'EXPLAIN' AS x").explain


@pytest.mark.parametrize("text", ["", " \n", ";", "// x", "/* x */", "EXPLAIN", "EXPLAIN ;"])
def test_nothing_is_no_statement(text: str):
    with pytest.raises(InvalidInput):
        check_statement(text)


@pytest.mark.parametrize("text", ["RETURN 'x", 'RETURN "x', "RETURN `x", "RETURN 1 /* x", "'\\'"])
def test_a_text_name_or_comment_without_an_end_is_told(text: str):
    with pytest.raises(InvalidInput, match="is not closed"):
        check_statement(text)


def a_plan(*operators: str, **details: str) -> dict[str, Any]:
    plan: dict[str, Any] = {"operatorType": "ProduceResults@neo4j", "args": {}, "children": []}
    for operator in operators:
        below = {"operatorType": operator, "args": {"Details": details.get("details", "")}}
        plan = {"operatorType": "Filter@neo4j", "args": {}, "children": [below, plan]}
    return plan


def test_a_plan_of_neo4j_may_only_read():
    check_neo4j_plan("r", a_plan("VarLengthExpand(Pruning,BFS,All)@neo4j", "NodeByLabelScan@neo4j"))
    check_neo4j_plan("r", a_plan("ProcedureCall@neo4j", details="db.labels() :: (label :: STRING)"))


@pytest.mark.parametrize(
    ("query_type", "plan", "named"),
    [
        ("r", a_plan("LoadCSV@neo4j"), "LoadCSV"),
        ("r", a_plan("AllNodesScan@neo4j", "ShowSettings@neo4j"), "ShowSettings"),
        ("r", a_plan("AllNodesScan@system"), "AllNodesScan"),
        ("r", a_plan("InventedTomorrow@neo4j"), "InventedTomorrow"),
        ("r", a_plan("ProcedureCall@neo4j", details="dbms.info() :: (id)"), r"dbms\.info"),
        ("r", a_plan("ProcedureCall@neo4j"), "procedure"),
        ("rw", a_plan("AllNodesScan@neo4j"), "'rw'"),
        ("s", a_plan("AllNodesScan@neo4j"), "'s'"),
        (None, a_plan("AllNodesScan@neo4j"), "None"),
    ],
)
def test_any_other_plan_of_neo4j_is_refused_by_name(
    query_type: str | None, plan: dict[str, Any], named: str
):
    with pytest.raises(Refused, match=named):
        check_neo4j_plan(query_type, plan)


@pytest.mark.parametrize("operation", ["LoadCsv", "Create", "ShowIndexes", "Invented :X"])
def test_any_other_plan_of_kglite_is_refused_by_name(operation: str):
    check_kglite_operations(["Match :Person", "Return", "OptimizerPass fuse"])
    with pytest.raises(Refused, match=operation.partition(" ")[0]):
        check_kglite_operations(["Match :Person", operation])


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        (" UNION ALL ".join(["RETURN 1 AS x"] * 400), "399 UNION; the limit is 50"),
        ("CALL { " * 60 + "RETURN 1 AS x" + " } RETURN x" * 60, "60 brackets inside brackets"),
        ("CALL { RETURN 1 AS x } " * 60 + "RETURN 1 AS y", "60 CALL; the limit is 50"),
        ("RETURN " + "(" * 5000 + "1" + ")" * 5000 + " AS x", "5,000 brackets inside brackets"),
        ("RETURN " + "CASE WHEN true THEN " * 200 + "1" + " END" * 200 + " AS x", "200 CASE"),
        ("RETURN '" + "x" * 50_000 + "' AS x", "pass long values as parameters"),
    ],
)
def test_what_is_too_large_or_deep_is_refused_before_an_engine_sees_it(statement: str, why: str):
    with pytest.raises(Refused, match=why):
        check_statement(statement)


def test_what_stands_in_a_text_is_not_counted():
    check_statement(f"RETURN '{'(' * 100} {'UNION ' * 100}' AS x")


WORDS = (
    """CALL call USE LOAD CSV db dbms labels . .. ( ) { } ' " ` // /* */ ; : $ AS EXPLAIN \\ 1"""
)
words = st.sampled_from([*WORDS.split(), "\n", " ", "\\u0027"])


@given(st.lists(words, max_size=25).map("".join))
def test_whatever_is_written_is_admitted_or_refused(text: str):
    try:
        admitted = check_statement(text)
    except MeridiaError:
        return
    # What was admitted holds no comment, so judging it again comes to the same.
    assert check_statement(admitted.text).text == admitted.text


@given(
    st.lists(
        st.sampled_from([" ", "\n", "\t", "// x\n", "/* CALL db.labels */"]), min_size=4, max_size=4
    )
)
def test_a_forbidden_procedure_is_found_however_it_is_spaced(gaps: list[str]):
    first, second, third, fourth = gaps
    with pytest.raises(Refused, match=r"dbms\.listConfig"):
        check_statement(f"CALL{first} `dbms`{second}.{third}listConfig{fourth}()")


def test_the_allowed_procedures_only_read():
    assert len(PROCEDURES) == 7
    assert all(name.startswith("db.") for name in PROCEDURES)


SUSPICIOUS = (
    "Create",
    "Merge",
    "Delete",
    "Set",
    "Remove",
    "Drop",
    "Foreach",
    "Load",
    "Show",
    "Terminate",
    "Administration",
    "Transaction",
    "RunQueryAt",
    "Lock",
)


@pytest.mark.parametrize("part", SUSPICIOUS)
def test_no_operator_sounds_like_more_than_reading(part: str):
    # Merging here is joining two sorted streams.
    readers = {"ValueMergeJoin"}
    for name in (NEO4J_OPERATORS | KGLITE_OPERATIONS) - readers:
        assert part not in name


def test_no_query_needs_a_word_that_is_refused():
    assert REFUSED_STARTS.isdisjoint({"MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL"})


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.datetimes(timezones=st.none() | st.timezones())
    | st.dates()
    | st.times()
    | st.complex_numbers(),
    lambda parts: st.lists(parts) | st.dictionaries(st.text(), parts) | st.tuples(parts, parts),
    max_leaves=8,
)


@given(anything)
def test_whatever_an_engine_answers_is_json(value: Any):
    assert json.loads(json.dumps(json_value(value), allow_nan=False)) == json_value(value)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (
            datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2))),
            "2026-03-01T10:00:00.000000Z",
        ),
        (datetime(2026, 3, 1, 12, tzinfo=UTC).replace(tzinfo=None), "2026-03-01T12:00:00"),
        (date(2026, 3, 1), "2026-03-01"),
        (time(12, 30), "12:30:00"),
        (float("inf"), None),
        (b"\x01", "01"),
        (((1, 2.5), {"a": None}), [[1, 2.5], {"a": None}]),
    ],
    ids=repr,
)
def test_a_value_is_shown_so(value: Any, shown: Any):
    assert json_value(value) == shown


def test_an_engine_s_own_values_are_turned_at_any_depth():
    assert json_value({"a": [1j]}, lambda v: "turned" if isinstance(v, complex) else v) == {
        "a": ["turned"]
    }


def test_nodes_and_edges_have_one_shape():
    assert node(["Memory", "Experience"], {"x": 1}) == {
        "labels": ["Experience", "Memory"],
        "properties": {"x": 1},
    }
    assert relationship("NEXT", {}) == {"type": "NEXT", "properties": {}}


@pytest.mark.parametrize("value", [-(2**63), 2**63 - 1, 1.5, None, "x", [1, {"a": [True]}]])
def test_a_json_value_is_a_parameter(value: Any):
    check_parameters({"a": value})


@pytest.mark.parametrize(
    ("value", "named"),
    [(2**63, "'a'"), ({"b": [float("inf")]}, "'a.b'"), (object(), "'a'"), ([{1}], "'a'")],
    ids=["large", "infinite", "object", "set"],
)
def test_another_value_is_refused_by_name(value: Any, named: str):
    with pytest.raises(InvalidInput, match=named):
        check_parameters({"a": value})


def test_a_parameter_without_a_value_is_named():
    check_parameters({"a": 1}, {"a", "space"})
    with pytest.raises(InvalidInput, match=r"\$person has no value.*--param person="):
        check_parameters({"a": 1}, {"a", "person"})
