"""`meridia neo4j`, and the commands that ask a Neo4j, over a real one and over one that is down."""

from __future__ import annotations

import pytest

PEOPLE = "MATCH (p:Person) RETURN p.name AS who ORDER BY who"
DOWN = {"MERIDIA_GRAPH_NEO4J_URI": "bolt://127.0.0.1:1"}


@pytest.mark.parametrize("command", ["status", "stop"])
def test_where_no_neo4j_runs_the_command_says_how_to_start_one(meridia, tmp_path, command):
    for shared in (["neo4j", command, "--json"], ["--json", "neo4j", command]):
        done = meridia(*shared, "--home", tmp_path)
        assert (done.status, done.out) == (3, "")
        assert "`meridia neo4j start` starts one" in done.err


@pytest.mark.parametrize(
    "options",
    [
        ["--version", "latest"],
        ["--version", "4.4.0"],
        ["--port", "70000"],
    ],
)
def test_what_cannot_be_started_is_told_before_anything_is_fetched(meridia, tmp_path, options):
    done = meridia("neo4j", "start", "--home", tmp_path / "home", *options)
    assert done.status == 2
    assert not (tmp_path / "home").exists()


def test_a_folder_that_holds_something_else_is_left_alone(meridia, tmp_path, monkeypatch):
    jars = tmp_path / "cache" / "5.26.12" / "jars"
    jars.mkdir(parents=True)
    home = tmp_path / "home"
    home.mkdir()
    (home / "diary.txt").write_text("mine")
    done = meridia(
        "neo4j",
        "start",
        "--version",
        "5.26.12",
        "--home",
        home,
        "--port",
        0,
        env={"MERIDIA_NEO4J_JARS": str(tmp_path / "cache")},
    )
    assert done.status in {2, 5}, "5 where there is no Java"
    assert [path.name for path in home.iterdir()] == ["diary.txt"]


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


@pytest.mark.thorough
def test_a_neo4j_is_started_found_and_stopped(meridia, tmp_path, neo4j_server):
    if not neo4j_server.can_be_killed:
        pytest.skip("the server of these tests does not come from Maven's jars")
    home = ["--home", tmp_path / "neo4j"]
    version = ["--version", neo4j_server.version]
    started = meridia("neo4j", "start", "--port", 0, *version, *home, "--json")
    assert started.status == 0, started.err
    try:
        assert meridia("neo4j", "status", *home, "--json").json == started.json
        told = meridia("neo4j", "status", *home).out
        exported = dict(
            line.removeprefix("  export ").split("=", 1)
            for line in told.splitlines()
            if line.startswith("  export ")
        )
        found = meridia("doctor", "--db", tmp_path / "none.db", "--json", env=exported)
        assert found.status == 0, found.out
        assert found.json[-1]["result"] == "neo4j is available"
    finally:
        assert meridia("neo4j", "stop", *home, "--json").json == {"stopped": True}
    assert meridia("neo4j", "status", *home).status == 3
