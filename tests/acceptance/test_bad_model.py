"""A model's server that answers badly in every way: nothing is lost, and later it is made good.

Everything but the passing of hours goes through the command.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from meridia import Memory
from meridia.core.settings import ModelSettings, Settings
from tests.cli.command import Command
from tests.fakes import FakeEmbedder, TickingClock
from tests.ingest.model_session import GOOD, well
from tests.model_server import ModelServer, Received, Reply, model_server
from tests.neo4j_server import Neo4jServer

#: Long enough for a server on this machine, and soon over where it never answers.
_SHORT = {f"MERIDIA_MODEL_{name}_S": "0.5" for name in ("DECISION", "EXTRACTION", "SESSION")}
_RICH = {
    "MERIDIA_MODEL_CALLS_PER_HOUR": "10000",
    "MERIDIA_MODEL_CALLS_PER_DAY": "10000",
    "MERIDIA_MODEL_TOKENS_PER_HOUR": "100000000",
    "MERIDIA_MODEL_TOKENS_PER_DAY": "100000000",
    "MERIDIA_EMBEDDING_ENABLED": "false",
}

BAD: dict[str, tuple[Reply, str]] = {
    "429": (Reply(status=429, text="slow down"), "rate_limited"),
    "500": (Reply(status=500, text="oh"), "server_error"),
    "slow": (Reply(wait_s=5), "timed_out"),
    "half an answer": (Reply('{"score": 0.5, "reason": "half"}', cut=True), "server_error"),
    "a closed connection": (Reply(drop=True), "server_error"),
    "prose only": (Reply("I find it rather significant."), "invalid"),
    "no protocol": (Reply(raw="<html>504</html>"), ""),
}
#: One whose answer is of no use; the others in a thorough run.
QUICK = ("prose only",)


def event(number: int, kind: str, payload: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    at = f"2026-03-01T10:{10 * number:02}:00Z"
    shared = {"id": f"e{number}", "ts": at, "session": {"key": "s1"}}
    return {**shared, "kind": kind, "payload": payload, **more}


EVENTS = [
    event(
        0,
        "tool_result",
        {"args": {"cmd": "deploy the boat"}, "result": "error: the keel is missing"},
        tool={"name": "bash", "isError": True},
        metadata={"important": True},
    ),
    event(1, "user_message", {"text": "Remember that Heron is launched on 1 May."}, person="Dana"),
    event(2, "assistant_message", {"text": "I will remember the first of May."}, person="Robin"),
    event(3, "manual_capture", {"text": "The keel is of oak, four metres long."}),
    event(4, "session_boundary", {"text": "the session ended"}),
]


def of(server: ModelServer, **more: str) -> dict[str, str]:
    """Return the environment in which a server's model is asked."""
    return {
        "MERIDIA_MODEL_DIALECT": "openai",
        "MERIDIA_MODEL_NAME": "m-1",
        "MERIDIA_MODEL_BASE_URL": f"{server.origin}/v1",
        **_RICH,
        **more,
    }


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a file of one session."""
    path = tmp_path_factory.mktemp("source") / "day.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in EVENTS))
    return path


def imported(meridia: Command, db: Path, source: Path, environment: Mapping[str, str]) -> None:
    """Import the session; whatever the model does, all of it is in."""
    done = meridia("import", "--db", db, source, env=environment)
    assert done.status == 0, done.err
    memories = meridia("list", "--db", db, "--json").json["memories"]
    assert [memory["event_id"] for memory in memories] == [one["id"] for one in EVENTS]


def entries(meridia: Command, db: Path) -> dict[str, int]:
    """Return how many entries of each kind the journal has."""
    found: dict[str, int] = meridia("status", "--db", db, "--json").json[0]["entries"]
    return found


def letters(meridia: Command, db: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = meridia("enrich", "--dead", "--db", db, "--json").json
    return found


@pytest.fixture(scope="module")
def good(
    meridia: Command, source: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, int]:
    """Give what the journal has where the model answered well at once."""
    db = tmp_path_factory.mktemp("good") / "a.db"
    with model_server() as server:
        server.by_rule = well
        imported(meridia, db, source, of(server))
        assert len(server.received) >= 5
    assert letters(meridia, db) == []
    written = entries(meridia, db)
    assert written["FactAsserted"] == 1, "by the model whose Heron is; rules state no notes"
    return written


@pytest.mark.slow
@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[] if way in QUICK else pytest.mark.thorough) for way in BAD]
)
def test_whatever_a_model_does_wrong_nothing_is_lost(meridia, db, source, server, good, way):
    reply, word = BAD[way]
    server.by_rule = lambda request: reply
    imported(meridia, db, source, of(server, **_SHORT))
    found = letters(meridia, db)
    assert server.received
    assert found
    for one in found:
        assert one["error"].startswith(word), one
        assert "keel" not in one["error"], "no reason says what was said"
        assert (one["attempts"], one["dead"]) == (1, False)
    assert meridia("status", "--db", db, "--json").json[0]["ingest"]["to_be_tried_again"] == len(
        found
    )
    server.by_rule = well
    retried = meridia("enrich", "--retry", "--db", db, "--json", env=of(server)).json
    assert retried == [{"space": "default", "tried": len(found), "failing": 0}]
    assert letters(meridia, db) == []
    assert entries(meridia, db) == good


def test_what_failed_is_told_and_what_is_left_is_counted(meridia, db, source, server):
    server.by_rule = lambda request: Reply(status=500, text="oh")
    told = meridia("import", "--db", db, source, env=of(server, **_SHORT))
    assert "`meridia enrich --dead` lists the reasons" in told.err
    found = letters(meridia, db)
    printed = meridia("enrich", "--dead", "--db", db, env={"COLUMNS": "80"})
    assert printed.status == 0
    assert all(len(line) <= 80 for line in printed.out.splitlines())
    assert printed.out.count("meridia://") + printed.out.count("entry ") == len(found)
    assert "1 attempt" in printed.out
    assert "server_error" in printed.out
    again = meridia("enrich", "--retry", "--db", db, env=of(server, **_SHORT))
    assert again.status == 0
    assert again.out.split()[-3:] == ["default", str(len(found)), str(len(found))]
    unset = meridia("enrich", "--retry", "--db", db)
    assert "no model is set" in unset.err
    assert meridia("enrich", "--dead", "--retry", "--db", db).status == 2


@pytest.mark.thorough
def test_prose_around_an_answer_does_not_matter(meridia, db, source, server, good):
    def chatty(request: Received) -> Reply:
        return Reply(f"Of course! Here it is:\n```json\n{well(request).text}\n```\nAnything else?")

    server.by_rule = chatty
    imported(meridia, db, source, of(server))
    assert letters(meridia, db) == []
    assert entries(meridia, db) == good


@pytest.mark.thorough
def test_values_out_of_range_are_put_right_or_refused(meridia, db, source, server):
    feeling = {"primary": ["frustrated", "hangry"], "intensity": 9, "valence": -4}
    wild = {
        **GOOD,
        "decision": {"score": 7, "reason": "because"},
        "phenomenology": {"emotionalSignature": feeling, "engagementQuality": "sideways"},
    }

    def answer(request: Received) -> Reply:
        name = next(n for n in GOOD if json.loads(well(request).text or "") == GOOD[n])
        return Reply(json.dumps(wild[name]))

    server.by_rule = answer
    imported(meridia, db, source, of(server))
    assert {one["stage"] for one in letters(meridia, db)} == {"model:decision"}
    lived = [meridia("show", e["id"], "--db", db, "--json").json["phenomenology"] for e in EVENTS]
    felt = [one["signature"] for one in lived if one and "signature" in one]
    assert any(one["intensity"] == 1 and one["valence"] == -1 for one in felt)
    assert all("hangry" not in one["primary"] for one in felt)


@pytest.fixture
def dead(db: Path, server: ModelServer) -> Path:
    """Give a journal whose model failed for hours, until everything was given up."""
    server.by_rule = lambda request: Reply(status=401, text="who are you?")
    model = ModelSettings(dialect="openai", name="m-1", base_url=f"{server.origin}/v1")
    settings = Settings(model=model)
    clock = TickingClock()
    for round_ in range(12):
        # A new one each time: a server that fails is left alone by the one that it failed.
        memory = Memory(db, "default", settings, clock=clock, embedder=FakeEmbedder())
        with memory:
            if not round_:
                for one in EVENTS:
                    memory.capture(one)
            memory.enrich()
            tasks = memory.upkeep.failures()
        assert tasks
        if all(task.dead for task in tasks):
            return db
        clock.now += timedelta(hours=2)
    pytest.fail(f"not given up after a day: {tasks}")


@pytest.mark.thorough
def test_what_was_given_up_waits_for_somebody_to_try_it_again(meridia, dead, server):
    found = letters(meridia, dead)
    assert {(one["dead"], one["attempts"], one["due"]) for one in found} == {(True, 5, None)}
    assert "dead letter" in meridia("enrich", "--dead", "--db", dead).out
    assert meridia("status", "--db", dead, "--json").json[0]["ingest"]["dead_letters"] == len(found)
    asked = len(server.received)
    assert meridia("enrich", "--db", dead, env=of(server)).status == 0
    assert len(server.received) == asked, "a dead letter is not tried again by itself"
    server.by_rule = well
    retried = meridia("enrich", "--retry", "--db", dead, "--json", env=of(server)).json
    assert [(row["tried"], row["failing"]) for row in retried] == [(len(found), 0)]
    assert letters(meridia, dead) == []


@pytest.fixture
def mended(meridia: Command, db: Path, source: Path) -> tuple[Path, dict[str, str]]:
    """Give a journal whose model failed, then answered, and is gone; and how it was asked."""
    with model_server() as server:
        environment = of(server)
        server.by_rule = lambda request: Reply(status=500, text="oh")
        imported(meridia, db, source, environment | _SHORT)
        server.by_rule = well
        assert meridia("enrich", "--retry", "--db", db, env=environment).status == 0
    return db, environment


def rebuilt(meridia: Command, db: Path, *more: str, env: Mapping[str, str]) -> dict[str, Any]:
    done = meridia("rebuild", "--verify", "--db", db, "--json", *more, env=env)
    assert done.status == 0, done.err
    (row,) = done.json
    return dict(row)


def test_a_rebuild_is_identical_with_the_model_gone(meridia, mended):
    db, environment = mended
    before = entries(meridia, db)
    row = rebuilt(meridia, db, env=environment)
    assert (row["engine"], row["identical"]) == ("embedded", "yes")
    assert entries(meridia, db) == before


@pytest.mark.thorough
def test_neo4j_rebuilds_to_the_same_digest_with_the_model_gone(
    meridia: Command, mended: tuple[Path, dict[str, str]], neo4j_server: Neo4jServer
):
    db, environment = mended
    server = {
        "MERIDIA_GRAPH_NEO4J_URI": neo4j_server.uri,
        "MERIDIA_GRAPH_NEO4J_USER": neo4j_server.user,
        "MERIDIA_GRAPH_NEO4J_PASSWORD": neo4j_server.password,
    }
    rows = [
        rebuilt(meridia, db, "--engine", engine, env=environment | server)
        for engine in ("embedded", "neo4j")
    ]
    assert [row["identical"] for row in rows] == ["yes", "yes"]
    assert rows[0]["digest"] == rows[1]["digest"]
