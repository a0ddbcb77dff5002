"""`meridia query` and `schema`: Cypher in, tables, JSON and CSV out, and nothing but reading."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys

from meridia.graph.schema import CYPHER, EDGES, LABELS, comment

PEOPLE = "MATCH (p:Person) RETURN p.name AS who ORDER BY who"


def test_rows_are_a_table_by_default(meridia, demo):
    done = meridia("query", PEOPLE, *demo.where)
    assert [line.strip() for line in done.out.splitlines()] == ["who", "Dana", "Oskar", "Robin"]
    assert done.err == "3 rows\n"


def test_rows_as_json(meridia, demo):
    done = meridia("query", PEOPLE, *demo.where, "--json")
    rows = [["Dana"], ["Oskar"], ["Robin"]]
    assert done.json == {"columns": ["who"], "rows": rows, "truncated": False}


def test_rows_as_csv(meridia, demo):
    statement = (
        "RETURN 'a,\"b\"' AS text, 1.5 AS number, true AS yes, null AS nothing, [1, 'x'] AS list"
    )
    done = meridia("query", statement, *demo.where, "--csv")
    assert list(csv.reader(io.StringIO(done.out))) == [
        ["text", "number", "yes", "nothing", "list"],
        ['a,"b"', "1.5", "true", "", '[1, "x"]'],
    ]


def test_no_rows_are_an_answer(meridia, demo):
    done = meridia("query", "MATCH (p:Person {name: 'Nobody'}) RETURN p.name AS who", *demo.where)
    assert (done.status, done.out.strip(), done.err) == (0, "who", "0 rows\n")


GIVEN = {
    "3": 3,
    "1.5": 1.5,
    "true": True,
    "null": None,
    '"3"': "3",
    "Dana": "Dana",
    "a=b": "a=b",
    "": "",
    "[1, 2]": [1, 2],
    '{"a": 1}': {"a": 1},
    "NaN": "NaN",
    "[1, ": "[1, ",
    "1e999": "1e999",
    "[" * 5000: "[" * 5000,
}


def test_a_parameter_is_json_or_else_text(meridia, demo):
    names = [f"p{place}" for place in range(len(GIVEN))]
    statement = "RETURN " + ", ".join(f"${name} AS {name}" for name in names)
    options = [f"--param={name}={given}" for name, given in zip(names, GIVEN, strict=True)]
    done = meridia("query", statement, *options, *demo.where, "--json")
    assert done.status == 0, done.err
    (row,) = done.json["rows"]
    assert dict(zip(GIVEN, row, strict=True)) == GIVEN


def test_parameters_select(meridia, demo):
    statement = (
        "MATCH (p:Person {name: $who})<-[:SPOKEN_BY]-(e:Experience) WITH count(e) AS n "
        "WHERE n > $least RETURN n"
    )
    options = ["--param", "who=Dana", "--param", "least=10", "--json"]
    assert meridia("query", statement, *options, *demo.where).json["rows"] == [[64]]


def test_named_queries_are_listed_with_what_they_answer(meridia):
    files = sorted((CYPHER / "named").glob("*.cypher"))
    assert files
    listed = meridia("query", "--list", "--json").json
    assert listed == {file.stem: comment(file) for file in files}
    printed = meridia("query", "--list", env={"COLUMNS": "400"}).out
    assert all(what in printed for what in listed.values())


def test_every_named_query_runs(meridia, demo):
    values = {"person": "Dana", "other": "Oskar", "session": "2026-05-15"}
    names = sorted(file.stem for file in CYPHER.glob("named/*.cypher"))
    asked = []
    for name in names:
        text = (CYPHER / "named" / f"{name}.cypher").read_text("utf-8")
        needed = set(re.findall(r"\$(\w+)", text)) - {"space"}
        given = [f"{parameter}={values.get(parameter, 'boat')}" for parameter in sorted(needed)]
        asked.append(" ".join([":named", name, *given]))
    done = meridia("shell", *demo.where, "--json", stdin="\n".join(asked))
    assert (done.status, done.err) == (0, "")
    answers = done.out.split("\n}\n")[:-1]
    assert len(answers) == len(names)
    assert all(json.loads(answer + "}")["rows"] for answer in answers)


def test_a_named_query_gives_what_its_statement_gives(meridia, demo):
    rows = meridia(
        "query", "--named", "last_messages", "--param", "person=Dana", *demo.where, "--json"
    ).json["rows"]
    assert rows
    assert any("noticed" in str(row) or "Two weeks until the new desk" in str(row) for row in rows)


def test_a_statement_comes_from_standard_input(meridia, demo):
    done = meridia("query", "-", *demo.where, "--json", stdin="RETURN\n  'é' AS x\n")
    assert done.json["rows"] == [["é"]]


def test_more_rows_than_the_limit_are_cut_and_said_so(meridia, demo):
    statement = "MATCH (e:Experience) RETURN e.id AS id ORDER BY id"
    done = meridia("query", statement, *demo.where, "--limit", 5, "--json")
    assert len(done.json["rows"]) == 5
    assert done.json["truncated"] is True
    assert done.err == "rows were cut at the limit: increase --limit, or add LIMIT\n"
    whole = meridia("query", statement, *demo.where, "--limit", 127, "--json")
    assert (len(whole.json["rows"]), whole.json["truncated"], whole.err) == (127, False, "")


def test_a_statement_that_takes_too_long_is_stopped(meridia, demo):
    statement = "MATCH (a), (b), (c) WHERE a.id + b.id = c.id RETURN count(*) AS n"
    done = meridia("query", statement, *demo.where, "--timeout", 0.2)
    assert (done.status, done.out) == (4, "")
    assert "0.2" in done.err


REFUSED = [
    "CREATE (n:Person {id: 'x'}) RETURN n",
    "MATCH (n) DETACH DELETE n",
    "MATCH (n:Person) SET n.name = 'Eve' RETURN n",
    "MERGE (n:Person {id: 'x'}) RETURN n",
    "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "MATCH (n) REMOVE n.name",
    "DROP INDEX anything",
    "CALL apoc.load.json('http://127.0.0.1') YIELD value RETURN value",
    "RETURN 1 AS a; RETURN 2 AS b",
]


def test_what_could_do_more_than_read_is_refused_before_it_runs(meridia, demo):
    count = ["query", "MATCH (n) RETURN count(n) AS n, count(n.name) AS named", *demo.where]
    before = meridia(*count, "--json").json
    for statement in REFUSED:
        done = meridia("query", statement, *demo.where)
        assert (done.status, done.out) == (4, ""), f"{statement}: {done.err}"
        assert done.err.startswith("meridia: ")
    assert meridia(*count, "--json").json == before


def test_while_another_process_owns_the_graph_a_query_sees_all_of_it(meridia, demo_copy):
    code = (
        "import sys; from meridia import Memory; m = Memory.open(sys.argv[1], 'demo');"
        "m.graph.store();"
        "print('ready', flush=True); sys.stdin.read(); m.close()"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", code, demo_copy],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=meridia.environment(),
    )
    try:
        assert owner.stdout.readline() == b"ready\n"
        event = {"id": "new", "kind": "user_message", "person": "Eve", "payload": {"text": "Hi"}}
        where = ["--db", demo_copy, "--space", "demo"]
        assert meridia("capture", *where, stdin=json.dumps(event)).status == 0
        done = meridia("query", PEOPLE, *where, "--json")
        assert done.status == 0, done.err
        assert ["Eve"] in done.json["rows"]
    finally:
        owner.communicate(timeout=60)


def test_the_schema_counts_what_is_there(meridia, demo):
    found = meridia("schema", *demo.where, "--json").json
    assert [row["label"] for row in found["labels"]] == list(LABELS)
    assert [row["type"] for row in found["edges"]] == list(EDGES)
    nodes = {row["label"]: row["nodes"] for row in found["labels"]}
    assert (nodes["Experience"], nodes["Person"], nodes["Session"]) == (127, 3, 7)
    edges = {row["type"]: row["edges"] for row in found["edges"]}
    assert edges["IN_SESSION"] == 127
    assert edges["NEXT"] == 127 - 7
    printed = meridia("schema", *demo.where).out
    assert all(name in printed for name in [*LABELS, *EDGES])
