"""A statement by hand sees one space of one journal, whatever it is made of."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import neo4j
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from meridia.core.errors import InvalidInput, Refused
from meridia.core.ports import GraphStore, Head
from meridia.core.settings import GraphSettings, Settings
from meridia.core.types import EdgeUpsert, NodeUpsert, Seq, Space
from meridia.graph.kglite_store import KgliteStore
from meridia.graph.queries.confinement import confined
from meridia.graph.schema import Partition
from meridia.memory import Memory
from tests.fakes import waiting
from tests.neo4j_server import Neo4jServer
from tests.thorough import THOROUGH

HERE = Partition(Space("home"), "ab")

REWRITTEN = [
    ("MATCH (a) RETURN a", "MATCH (a:Space_ab) RETURN a"),
    ("MATCH ()--() RETURN 1", "MATCH (:Space_ab)--(:Space_ab) RETURN 1"),
    ("MATCH (:A:B {x: 1}) RETURN 1", "MATCH (:A:B:Space_ab {x: 1}) RETURN 1"),
    ("MATCH (a:A|!B) RETURN a", "MATCH (a: (A|!B)&Space_ab) RETURN a"),
    ("MATCH (a IS A) RETURN a", "MATCH (a IS A&Space_ab) RETURN a"),
    # An engine refuses `:` between labels beside other signs, in one clause.
    ("MATCH (a:A|B)--(b:C) RETURN 1", "MATCH (a: (A|B)&Space_ab)--(b:C&Space_ab) RETURN 1"),
    ("MATCH (a IS A)--(b:C) RETURN 1", "MATCH (a IS A&Space_ab)--(b:C&Space_ab) RETURN 1"),
    (
        "MATCH (a:A:B)--(b:C) MATCH (c:C|D)--(d:E) RETURN 1",
        "(a:A:B:Space_ab)--(b:C:Space_ab) MATCH (c: (C|D)&Space_ab)--(d:E&Space_ab) RETURN 1",
    ),
    (
        "MATCH (a:A:B) WHERE EXISTS { MATCH (a)--(:C) } RETURN [(a)--(d:D) | 1]",
        (
            "(a:A:B:Space_ab) WHERE EXISTS { MATCH (a:Space_ab)--(:C:Space_ab) } "
            "RETURN [(a:Space_ab)--(d:D:Space_ab) | 1]"
        ),
    ),
    ("MATCH (a:A:B)--(b:C) RETURN 1", "MATCH (a:A:B:Space_ab)--(b:C:Space_ab) RETURN 1"),
    ("RETURN (1) AS a, size([(1)]) AS b", "RETURN (1) AS a, size([(1)]) AS b"),
    ("MATCH (a) WHERE (a)-->() RETURN a", "MATCH (a:Space_ab) WHERE (a:Space_ab)-->(:Space_ab)"),
    ("MATCH (a) WHERE (a.x)-(1) < 2 RETURN a", "MATCH (a:Space_ab) WHERE (a.x)-(1) < 2 RETURN a"),
    (
        "RETURN [(a)<-[r:X*1..2]-(b) | b] AS c",
        "[(a:Space_ab)<-[r:X*1..2 {partition: $meridia_partition} ]-(b:Space_ab) | b]",
    ),
    ("MATCH (a)-->+(b) RETURN a", "(a:Space_ab)-[{partition: $meridia_partition}]->+(b:Space_ab)"),
    (
        "MATCH p = shortestPath((a)-[*]-(b)), (a)-[*]-(c) RETURN p",
        (
            "shortestPath((a:Space_ab)-[*]-(b:Space_ab)), (a:Space_ab)-[* {partition: "
            "$meridia_partition} ]-(c:Space_ab) WHERE all(meridia_node IN nodes(p) WHERE"
        ),
    ),
    ("RETURN {a: COUNT { (x) }} AS n", "RETURN {a: COUNT { (x:Space_ab) }} AS n"),
    ("MATCH (a) RETURN a.match, a:CALL AS b", "MATCH (a:Space_ab) RETURN a.match, a:CALL AS b"),
    (
        "CALL db.index.fulltext.queryNodes('i', 'x') YIELD node AS n WHERE n.a OR n.b RETURN n",
        "YIELD node AS n WHERE n:Space_ab AND ( n.a OR n.b) RETURN n",
    ),
]

NOT_CONFINABLE = [
    "MATCH (a $props) RETURN a",
    "MATCH (a:$(x)) RETURN a",
    "MATCH (a)—(b) RETURN a",
    "MATCH (a)->(b) RETURN a",
    "WITH 1 AS x WHERE (a)->(b) RETURN x",
    "MATCH (a) LET b = a RETURN b",
    "WHEN true THEN { MATCH (a) RETURN a }",
    "RETURN 1 AS a UNION { MATCH (a) RETURN a }",
    "RETURN { MATCH (a) RETURN a } AS x",
    "MATCH (a) USING SCAN a:A RETURN a",
    "MATCH (a), (b) RETURN shortestPath((a)-[*]-(b)) AS p",
    "CALL db.schema.visualization()",
    "CALL db.index.fulltext.queryNodes('meridia_text', 'x')",
    "CALL db.index.fulltext.queryNodes('meridia_text', 'x') YIELD score RETURN score",
    "CALL { MATCH (a) RETURN a } IN TRANSACTIONS RETURN 1",
    "MATCH (a",
    "MATCH (a)) RETURN a",
    "CALL",
    "RETURN " + "(" * 5000 + "1" + ")" * 5000,
]


@pytest.mark.parametrize(("statement", "part"), REWRITTEN, ids=[s for s, _ in REWRITTEN])
def test_every_pattern_gets_the_label_and_nothing_else_changes(statement: str, part: str):
    assert part in confined(statement, HERE)


@pytest.mark.parametrize("statement", NOT_CONFINABLE, ids=lambda text: text[:50])
def test_what_cannot_be_confined_is_refused(statement: str):
    with pytest.raises(Refused, match="cannot be confined.*--all-spaces"):
        confined(statement, HERE)


# Statements over three spaces and two journals: every node carries the mark of its own.

SPACES = [Space("conf-a"), Space("conf-b"), Space("conf-c")]
JOURNALS = ["one", "two"]
OpenNeo4j = Callable[..., GraphStore]
#: How many statements are tried on each engine; MERIDIA_STATEMENTS sets another number.
EXAMPLES = int(os.environ.get("MERIDIA_STATEMENTS") or (1_000 if THOROUGH else 40))


def _fill(store: GraphStore, mark: str) -> None:
    people = [NodeUpsert("Person", f"p{n}", {"name": f"p{n}", "mark": mark}) for n in range(2)]
    memories = [
        NodeUpsert("Experience", f"e{n}", {"text": "gull", "seq": n, "mark": mark})
        for n in range(3)
    ]
    concept = NodeUpsert("Concept", "c", {"word": "boat", "mark": mark})
    more = {"weight": 1.0, "source_seq": 1}
    edges = [
        *(
            EdgeUpsert("SPOKEN_BY", m.label, m.id, "Person", f"p{n % 2}", more)
            for n, m in enumerate(memories)
        ),
        *(EdgeUpsert("ABOUT", m.label, m.id, "Concept", "c", more) for m in memories),
        EdgeUpsert("NEXT", "Experience", "e0", "Experience", "e1", more),
    ]
    with store.transaction() as writer:
        writer.apply([*people, *memories, concept, *edges])
        writer.move_cursor(Head(Seq(1), b""))


@pytest.fixture(params=["kglite", "neo4j"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Mapping[str, GraphStore]]:
    """Yield a filled store for each mark; in Neo4j, others tied the spaces together."""
    names = {f"{journal}/{space}": (journal, space) for journal in JOURNALS for space in SPACES}
    if request.param == "kglite":
        local = {
            mark: KgliteStore(tmp_path / journal / f"{space}.kgl", space)
            for mark, (journal, space) in names.items()
        }
        for mark, store in local.items():
            _fill(store, mark)
        yield local
        for store in local.values():
            store.close()
        return
    open_neo4j: OpenNeo4j = request.getfixturevalue("open_neo4j")
    shared = {mark: open_neo4j(space, journal) for mark, (journal, space) in names.items()}
    for mark, store in shared.items():
        _fill(store, mark)
    server: Neo4jServer = request.getfixturevalue("neo4j_server")
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        # Ties of other programs, also ones that look like ours.
        driver.execute_query(
            "MATCH (a:Meridia), (b:Meridia) WHERE a.mark < b.mark AND a.id = b.id "
            "CREATE (a)-[:SPOKEN_BY {space: a.space, weight: 1.0}]->(b), (b)-[:NEXT]->(a), "
            "(a)-[:ABOUT]->(:Concept {mark: 'foreign', id: 'c', space: a.space})-[:ABOUT]->(b)"
        )
        yield shared
        driver.execute_query("MATCH (x {mark: 'foreign'}) DETACH DELETE x")


#: Signs that may stand beside each other in one statement; the later groups are Neo4j's alone.
_LABELS = [
    ["", ":Person", ":Experience", ":Memory", ":Experience:Memory", ":`Person`"],
    ["", ":Person", ":Experience", ":Memory", ":Person|Concept"],
]
_LABELS_OF_NEO4J = [
    ["", ":Person", ":!Concept", ":%", ":(Person|Experience)&!Concept", " IS Person"],
]
_CONNECTORS = ["--", "-->", "<--", "-[:SPOKEN_BY]-", "<-[:SPOKEN_BY|ABOUT]-", "- [ :NEXT ] ->"]
_CONNECTORS += ["-[{weight: 1.0}]-"]
_RELATIONSHIPS = [
    [*_CONNECTORS, "-[*1..2]-", "-[:SPOKEN_BY*..3]-", "-[:NEXT|ABOUT*0..2]->"],
    [*_CONNECTORS, "-[*1..2]-", "<-[*2 {weight: 1.0}]-"],
]
_RELATIONSHIPS_OF_NEO4J = [[*_CONNECTORS, "-->+", "-[:ABOUT]-{1,2}", "--{0,2}", "-[WHERE true]->"]]
_NEAR = ["--", "-[:SPOKEN_BY]-", "-[:ABOUT]->", "-[*1..2]-", "<-[:NEXT*]-"]
_CONDITIONS = st.sampled_from(
    [
        "true",
        "{v}.mark <> $mark",
        "({v})-->()",
        "NOT ({v})--(:Concept)",
        "{v}:Person OR true",
        "EXISTS {{ ({v})--(z) WHERE z.mark <> $mark }}",
        "{v}.seq < 2",
        "size([({v})--(q) | q]) > 0",
        "COUNT {{ ({v})-[*1..2]-(:Person) }} > 0",
        "any(i IN [1, 2] WHERE i = 1 AND ({v})--())",
    ]
)


@st.composite
def _paths(
    draw: st.DrawFn,
    start: str,
    end: str,
    rels: Sequence[str],
    labels: Sequence[str],
    middles: Sequence[str],
) -> str:
    """Draw a path from one variable to another; `middles` stand between them, one or none."""
    label, rel = st.sampled_from(labels), st.sampled_from(rels)
    middle = draw(st.sampled_from(["", *middles]))
    marked = draw(st.sampled_from(["", "", " {mark: $mark}", " {mark: $other}"]))
    first, last = f"({start}{draw(label)})", f"({end}{draw(label)}{marked})"
    return f"{first}{draw(rel)}{middle}{draw(rel)}{last}" if middle else first + draw(rel) + last


@st.composite
def _statements(draw: st.DrawFn, neo4j: bool) -> str:
    """Draw a statement that gives marks of all that it reaches."""
    labels = draw(st.sampled_from(_LABELS + _LABELS_OF_NEO4J * neo4j))
    rels = draw(st.sampled_from(_RELATIONSHIPS + _RELATIONSHIPS_OF_NEO4J * neo4j))
    middles = ["()", "(:Person)", *["(m WHERE m.seq < 9)"] * neo4j]
    path = draw(_paths("a", "b", rels, labels, middles))
    near = draw(_paths("a", "c", _NEAR, labels, middles))
    where = draw(_CONDITIONS).format(v="a")
    other = draw(_CONDITIONS).format(v="b")
    marks = draw(
        st.sampled_from(
            [
                "a.mark AS x, b.mark AS y",
                "a AS x, b AS y",
                "collect(b.mark) AS x, count(a) AS n",
                "a{.*, to: b.mark} AS x",
                "[a, b] AS x",
                "DISTINCT {a: a, b: [b.mark]} AS x",
            ]
        )
    )
    forms = [
        f"MATCH {path} WHERE {where} RETURN {marks}",
        f"MATCH p = {path} WHERE {where} RETURN p, [n IN nodes(p) | n.mark] AS x",
        f"MATCH (a) OPTIONAL MATCH {path} WHERE {other} RETURN {marks}",
        f"MATCH (a) WHERE EXISTS {{ {near} }} AND {where} RETURN a.mark AS x",
        f"MATCH (a) WHERE EXISTS {{ MATCH {near} WHERE c.mark <> $mark }} RETURN 'foreign' AS x",
        (
            f"MATCH (a) WITH a, COUNT {{ {near} WHERE c.mark <> $mark }} AS n WHERE n > 0 "
            "RETURN 'foreign' AS x"
        ),
        f"MATCH (a) RETURN [{near} WHERE true | c.mark] AS x",
        f"MATCH (a) RETURN [q = {near} | [n IN nodes(q) | n.mark]][0..5] AS x",
        (
            f"MATCH (a:Person), (b) WHERE a.id <> b.id MATCH p = shortestPath((a)-[*..4]-(b)) "
            f"WHERE {where} RETURN [n IN nodes(p) | n.mark] AS x"
        ),
        "MATCH (a), (b) WHERE a.id < b.id MATCH p = allShortestPaths((a)-[*..3]-(b)) RETURN p",
        f"MATCH {path} RETURN b.mark AS x UNION ALL MATCH {near} RETURN c.mark AS x",
        f"CALL {{ MATCH {path} RETURN a, b }} RETURN {marks}",
        f"MATCH (a) CALL (a) {{ MATCH {near} RETURN c AS b }} RETURN {marks}",
        f"MATCH (a) CALL {{ WITH a MATCH {near} RETURN c AS b }} RETURN {marks}",
        (
            "CALL db.index.fulltext.queryNodes('meridia_text', 'gull') YIELD node AS a, score "
            f"WHERE {where} MATCH {path} RETURN {marks}"
        ),
        (
            "CALL db.index.fulltext.queryNodes('meridia_text', 'gull') YIELD node, score "
            "RETURN node.mark AS x"
        ),
        f"MATCH {path} WITH a, b ORDER BY b.mark LIMIT 5 MATCH {near} RETURN c.mark AS x",
        f"MATCH (a)-[r]-(b) WHERE {other} RETURN startNode(r).mark AS x, endNode(r).mark AS y, r",
        f"UNWIND [1, 2] AS i MATCH {path} RETURN i, reduce(s = '', n IN [a, b] | s + n.mark) AS x",
        f"MATCH (a) RETURN CASE WHEN {where} THEN [{near} | c.mark] ELSE [a.mark] END AS x",
    ]
    forms_of_neo4j = [
        f"MATCH (a) RETURN COLLECT {{ MATCH {near} RETURN c.mark }} AS x",
        f"MATCH p = ALL SHORTEST {path} RETURN [n IN nodes(p) | n.mark] AS x",
        f"MATCH (a) ((s)-->(t)){{1,2}} (b) WHERE {where} RETURN [n IN t | n.mark] AS x, b AS y",
    ]
    return draw(st.sampled_from(forms + forms_of_neo4j * neo4j))


#: How many statements were answered, with rows, refused as not confinable, and none of the engine.
TOLD: dict[str, int] = dict.fromkeys(("answered", "with rows", "rows", "refused", "invalid"), 0)


def test_no_row_of_another_space_or_journal_comes_back(stores: Mapping[str, GraphStore]):
    marks = sorted(stores)
    neo4j = not isinstance(stores[marks[0]], KgliteStore)
    TOLD.update(dict.fromkeys(TOLD, 0))

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(_statements(neo4j), st.sampled_from(marks))
    def check(statement: str, mark: str) -> None:
        values = {"mark": mark, "other": marks[0]}
        try:
            found = stores[mark].query(statement, values, timeout_s=20, row_limit=200)
        except (Refused, InvalidInput) as problem:
            TOLD["refused" if isinstance(problem, Refused) else "invalid"] += 1
            return
        TOLD["answered"] += 1
        TOLD["rows"] += len(found.rows)
        TOLD["with rows"] += bool(found.rows)
        shown = json.dumps([list(row) for row in found.rows])
        for other in (*marks, "foreign"):
            assert other == mark or other not in shown, statement

    rounds = 0
    while rounds < 3 and TOLD["with rows"] <= EXAMPLES / 5:  # few may happen to have rows
        check()
        rounds += 1
    print(dict(TOLD))
    assert TOLD["answered"] > EXAMPLES * rounds * 0.9, TOLD
    assert TOLD["with rows"] > EXAMPLES / 5, TOLD  # more than half, of many


def test_a_memory_on_neo4j_asked_for_every_space_is_confined_again_afterwards(
    neo4j_server: Neo4jServer, open_neo4j: OpenNeo4j, tmp_path: Path
):
    options = {"uri": neo4j_server.uri, "user": neo4j_server.user}
    graph = GraphSettings(
        engine="neo4j",
        neo4j_password=SecretStr(neo4j_server.password),
        **{f"neo4j_{name}": value for name, value in options.items()},
    )
    statement = "MATCH (e:Experience) RETURN e.text AS text ORDER BY text"
    for journal in ("one", "two"):
        with Memory.open(
            tmp_path / f"{journal}.db", "home", waiting(Settings(graph=graph))
        ) as memory:
            for space in ("home", "away"):
                memory.in_space(space).remember(f"{journal} {space}", person="Dana")
                memory.in_space(space).graph.project()
            every = [row[0] for row in memory.query(statement, all_spaces=True).rows]
            assert {f"{journal} home", f"{journal} away"} <= set(every)
            assert memory.query(statement).rows == [[f"{journal} home"]]
            assert memory.in_space("away").query(statement).rows == [[f"{journal} away"]]
    assert "one home" in every


def test_counts_are_of_the_own_space(stores: Mapping[str, GraphStore]):
    for store in stores.values():
        assert store.query(
            "MATCH (a) WHERE a.mark IS NOT NULL RETURN count(a) AS n", {}, 20, 9
        ).rows == [[6]]
        assert store.query("MATCH ()-[r:ABOUT]->() RETURN count(r) AS n", {}, 20, 9).rows == [[3]]
