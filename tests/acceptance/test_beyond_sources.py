"""Features that no source has, as somebody sees them who types commands: reading, asking, sharing.

Ines and Toby in an invented garden.
"""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import neo4j
import pytest

from meridia import Memory, Refused
from meridia.core.settings import Settings
from meridia.core.settings_loader import load
from tests.cli.command import Command, Done
from tests.fakes import FakeEmbedder
from tests.model_server import ModelServer, Reply
from tests.neo4j_server import Neo4jServer

#: The units that these go through have tests of their own.
pytestmark = pytest.mark.thorough

SAID = (
    ("planted", "2026-03-20T09:00", "Ines", "I planted the tulips for my kids."),
    ("race", "2026-06-20T09:00", "Ines", "The wheelbarrow race was today, what a day!"),
    ("before", "2026-06-05T09:00", "Ines", "I oiled the wheel of the barrow."),
    ("winter", "2026-01-10T09:00", "Ines", "The frost took the roses."),
    ("hail", "2025-05-10T09:00", "Toby", "I lost my tulips in the hail."),
    ("bread", "2026-02-10T09:00", "Toby", "I baked bread in the old oven."),
)


@pytest.fixture(scope="module")
def garden(meridia: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the journal of a garden."""
    db = tmp_path_factory.mktemp("garden") / "agent.db"
    events = [
        {"id": id, "kind": "user_message", "person": who, "session": {"key": id}}
        | {"ts": f"{at}:00Z", "payload": {"text": text}}
        for id, at, who, text in SAID
    ]
    assert meridia("capture", "--db", db, stdin="\n".join(map(json.dumps, events))).status == 0
    assert meridia("enrich", "--db", db).status == 0
    return db


@pytest.fixture(scope="module")
def ask(meridia: Command, garden: Path) -> Any:
    """Give a way to recall in the garden, in July 2026."""

    def recall(question: str, *options: str, **settings: str) -> Done:
        env = {f"MERIDIA_RECALL_{name.upper()}": value for name, value in settings.items()}
        where = ("--json", "--db", garden, "--as-of", "2026-07-01")
        done = meridia("recall", question, *where, *options, env=env)
        assert done.status == 0, done.err
        return done

    return recall


def test_each_word_of_a_question_is_compared_with_token_vectors_unless_that_is_off(ask, garden):
    question = "Who planted flowers for children?"
    on, off = ask(question).json, ask(question, rerank_depth="0").json
    assert on["hits"][0]["event_id"] == "planted"
    alike = "says something like “children”"
    assert alike in json.dumps(on["hits"][0]["trace"], ensure_ascii=False)
    assert alike not in json.dumps(off, ensure_ascii=False)
    with closing(sqlite3.connect(garden)) as file:
        models = "SELECT DISTINCT model FROM embedding"
        assert len(file.execute(models).fetchall()) == 1, "one encoder"
        ((count, longest),) = file.execute("SELECT count(*), max(length(body)) FROM token_vectors")
    assert count == len(SAID)
    assert 128 <= longest <= 2048


def test_a_question_about_somebody_is_embedded_in_that_persons_own_voice():
    encoder = FakeEmbedder()
    with Memory(None, "s", Settings(), embedder=encoder) as memory:
        for _, _, who, text in SAID:
            memory.remember(text, person=who)
        memory.enrich()
        for named, own in (
            ("Did Ines plant it for her kids?", "Did I plant it for my kids?"),
            ("Did Ines tell Toby about her roses?", "Did I tell you about my roses?"),
            ("Did it snow in the garden?", "Did it snow in the garden?"),
        ):
            memory.recall(named)
            assert encoder.asked[-1] == own


@pytest.mark.parametrize(
    ("period", "told", "id"),
    [
        ("last spring", "last spring (2026-03-01 to 2026-05-31)", "planted"),
        ("two weeks before the race", "two weeks before the race", "before"),
        ("2025", "2025 (2025-01-01 to 2025-12-31)", "hail"),
    ],
)
def test_a_period_in_a_question_is_understood_told_and_found(ask, period, told, id):
    found = ask(f"What happened {'in ' * period.isdecimal()}{period}?").json
    assert found["reading"]["times"] == [told]
    of = {hit["event_id"]: hit for hit in found["hits"]}
    assert f"happened “{period}”" in of[id]["why"]
    times = {
        name: sum(node["value"] for node in hit["trace"]["children"] if node["label"] == "time")
        for name, hit in of.items()
    }
    assert times[id] == max(times.values()) > 3
    assert times["bread"] == 0


TALK = (
    ("Ines", "My dad passed away last week. I moved to Turin in May."),
    ("Toby", "Oh no! I'll send you the photos of him tonight. Promise!"),
    ("Ines", "Thank you. I'm lost without him, honestly."),
    ("Toby", "Good night."),
)


def test_a_model_reads_a_session_in_one_request_and_only_its_quotes_are_believed(
    meridia, db, server: ModelServer
):
    lives = {"subject": "Ines", "predicate": "lives_in"}
    moved = {"message": 1, "speaker": "Ines", "quote": "I moved to Turin"}
    lost = {"message": 3, "speaker": "Ines", "quote": "I'm lost without him"}
    read = {
        "topic": "A death in the family",
        "summary": "Ines told of her father's death.",
        "events": [{"message": 1, "speaker": "Ines", "quote": "My dad passed away"}],
        "facts": [
            moved | lives | {"object": "Turin"},
            moved | lives | {"object": "Bonn", "quote": "I moved to Bonn"},
            moved | lives | {"object": "Turin", "speaker": "Toby"},
        ],
        "promises": [],
        "feelings": [lost | {"emotion": "grieving", "intensity": 0.9, "valence": -0.9}],
    }
    server.by_rule = lambda request: Reply(json.dumps(read))
    env = {"MERIDIA_MODEL_DIALECT": "openai", "MERIDIA_MODEL_NAME": "m"}
    env |= {"MERIDIA_MODEL_BASE_URL": f"{server.origin}/v1", "MERIDIA_EMBEDDING_ENABLED": "false"}
    events: list[dict[str, Any]] = [
        {"kind": "user_message", "person": who, "payload": {"text": text}} for who, text in TALK
    ]
    events.append({"kind": "session_boundary", "payload": {"boundary": "end"}})
    for n, event in enumerate(events):
        event |= {"id": f"m{n + 1}", "ts": f"2026-03-01T10:0{n}:00Z", "session": {"key": "s1"}}
    meridia("capture", "--db", db, stdin="\n".join(map(json.dumps, events)), env=env)
    assert meridia("enrich", "--db", db, env=env).status == 0
    asked = [request for request in server.received if "Good night." in request.words]
    assert len(asked) == 1
    assert all(text in asked[0].words for _, text in TALK)
    (episode,) = meridia("episodes", "--json", "--db", db).json
    assert episode["summary"] == "Ines told of her father's death."
    facts = meridia("facts", "--json", "--db", db).json
    assert {fact["object"] for fact in facts if fact["predicate"] == "lives_in"} == {"Turin"}
    details = [line["detail"] for line in meridia("trace", "--db", db).lines]
    assert [one["dropped"] for one in details if one.get("prompt") == "session"] == [2]


def test_a_statement_that_takes_all_memory_or_time_is_refused_and_the_next_is_answered(tmp_path):
    doubling = "RETURN size(reduce(s = 'x', n IN range(1, 60) | s + s)) AS n"
    copying = "RETURN size(reduce(s = [], n IN range(1, 200000) | s + [n])) AS n"
    graph = {"query_memory_mb": 64, "query_timeout_s": 1.0}
    settings = Settings(graph=graph, embedding={"enabled": False})
    with Memory(tmp_path / "a.db", "s", settings) as memory:
        memory.remember("The gate squeaks.", person="Ines")
        count = "MATCH (p:Person) RETURN p.name"
        assert memory.query(count).rows == [["Ines"]]
        with pytest.raises(Refused, match="more than 64 MB"):
            memory.query(doubling)
        began = time.monotonic()
        with pytest.raises(Refused, match="longer than 1"):
            memory.query(copying)
        assert time.monotonic() - began < 10
        assert memory.query(count).rows == [["Ines"]]


def test_two_journals_share_a_neo4j_and_what_users_add_stays_until_they_say_otherwise(
    meridia, tmp_path, neo4j_server: Neo4jServer
):
    env = {
        f"MERIDIA_GRAPH_NEO4J_{name.upper()}": getattr(neo4j_server, name)
        for name in ("uri", "user", "password")
    }
    env |= {"MERIDIA_GRAPH_ENGINE": "neo4j", "MERIDIA_EMBEDDING_ENABLED": "false"}
    settings = load(environment=env).settings
    said = {"one": "The gate squeaks.", "two": "The shed leaks."}
    texts = "MATCH (p:Person)<-[:SPOKEN_BY]-(e) RETURN p.name, e.text ORDER BY e.text"
    kept = "MATCH (p:Person)-[r:TRUSTS]->() RETURN count(r), collect(DISTINCT p.colour)"
    account = (neo4j_server.user, neo4j_server.password)
    with ExitStack() as opened:
        driver = opened.enter_context(neo4j.GraphDatabase.driver(neo4j_server.uri, auth=account))
        memories = {
            name: opened.enter_context(Memory(tmp_path / f"{name}.db", "home", settings))
            for name in said
        }
        for name, memory in memories.items():
            memory.remember(said[name], person="Ines")
            assert memory.query(texts).rows == [["Ines", said[name]]]
        one, two = memories.values()
        assert one.query(texts).rows == [["Ines", said["one"]]]
        every = "MATCH (e:Experience) WHERE e.text STARTS WITH 'The ' RETURN DISTINCT e.text"
        assert len(one.query(every).rows) == 1
        assert len(one.query(every, all_spaces=True).rows) > 1
        added = "MATCH (e:Experience {text: $text})-[:SPOKEN_BY]->(p) SET p.colour = 'green' "
        driver.execute_query(added + "MERGE (p)-[:TRUSTS]->(e)", text=said["one"])
        one.remember("It was oiled.", person="Ines")
        assert len(one.query(texts).rows) == 2
        assert driver.execute_query(kept).records[0].values() == [1, ["green"]]
        told = meridia("rebuild", "--db", tmp_path / "one.db", env=env)
        assert told.status == 4
        assert (
            "would remove what others added to the nodes of space 'home': 1 relationship and colour"
            in told.err
        )
        assert driver.execute_query(kept).records[0].values() == [1, ["green"]]
        assert meridia("rebuild", "--yes", "--db", tmp_path / "one.db", env=env).status == 0
        assert driver.execute_query(kept).records[0].values() == [0, []]
        assert two.query(texts).rows == [["Ines", said["two"]]]
        for memory in memories.values():
            memory.graph.store().drop()
