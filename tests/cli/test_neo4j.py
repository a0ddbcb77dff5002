"""The commands that ask a Neo4j, over a real one and over one that is down."""

from __future__ import annotations

import shutil

import pytest

PEOPLE = "MATCH (p:Person) RETURN p.name AS who ORDER BY who"
DOWN = {"MERIDIA_GRAPH_NEO4J_URI": "bolt://127.0.0.1:1"}


@pytest.mark.parametrize(
    "command", [["query", PEOPLE], ["schema"], ["rebuild"], ["shell"]], ids=lambda c: c[0]
)
def test_a_neo4j_that_is_down_is_a_dependency_that_is_down(meridia, demo, command):
    done = meridia(*command, *demo.where, "--engine", "neo4j", env=DOWN, stdin=f"{PEOPLE};")
    if command == ["shell"]:
        assert done.status == 1, "each statement is told, and the shell goes on"
    else:
        assert (done.status, done.out) == (5, "")
    assert "does not answer: start it, or set graph.neo4j_uri" in done.err
    assert "Traceback" not in done.err


def test_recall_and_resume_need_no_neo4j(meridia, demo):
    environment = DOWN | {"MERIDIA_GRAPH_ENGINE": "neo4j"}
    for command in (["recall", "boat"], ["resume", "Dana"], ["list"], ["people"]):
        done = meridia(*command, *demo.where, env=environment)
        assert done.status == 0, done.err


def test_a_real_neo4j_answers_like_the_embedded_engine(meridia, demo_copy, neo4j_server):
    where = ["--db", demo_copy, "--space", "demo", "--json"]
    environment = {
        "MERIDIA_GRAPH_NEO4J_URI": neo4j_server.uri,
        "MERIDIA_GRAPH_NEO4J_USER": neo4j_server.user,
        "MERIDIA_GRAPH_NEO4J_PASSWORD": neo4j_server.password,
    }
    wrong = environment | {"MERIDIA_GRAPH_NEO4J_PASSWORD": "not this one"}
    refused = meridia("query", PEOPLE, *where, "--engine", "neo4j", env=wrong)
    assert refused.status == 5
    assert "password" in refused.err
    here = meridia("rebuild", "--verify", *where)
    there = meridia("rebuild", "--verify", *where, "--engine", "neo4j", env=environment)
    assert (here.status, there.status) == (0, 0), there.err
    assert there.json[0]["digest"] == here.json[0]["digest"]
    assert there.json[0]["identical"] == "yes"
    asked = ["query", "--named", "last_messages", "--param", "person=Dana", *where]
    embedded = meridia(*asked)
    on_neo4j = meridia(*asked, "--engine", "neo4j", env=environment)
    assert embedded.json == on_neo4j.json
    csv = "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line"
    assert meridia("query", csv, *where, "--engine", "neo4j", env=environment).status == 4
    assert (
        meridia("status", *where, "--engine", "neo4j", env=environment).json[0]["lag"]["graph"] == 0
    )
    older = demo_copy.with_name("older.db")
    shutil.copy(demo_copy, older)
    assert meridia("remember", "One more.", *where).status == 0
    assert meridia("query", PEOPLE, *where, "--engine", "neo4j", env=environment).status == 0
    again = ["rebuild", "--verify", "--db", older, "--space", "demo", "--json", "--engine", "neo4j"]
    assert meridia(*again, env=environment).status == 4
    replaced = meridia(*again, "--yes", env=environment)
    assert replaced.status == 0, replaced.err
    assert replaced.json[0]["identical"] == "no graph of this journal before"
    assert replaced.json[0]["digest"] == here.json[0]["digest"]
