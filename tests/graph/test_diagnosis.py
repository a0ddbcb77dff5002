"""What is wrong with a space, each with what it means and what mends it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

from meridia import Memory
from meridia.core.settings import (
    EmbeddingSettings,
    GraphitiSettings,
    Settings,
    SinksSettings,
)
from meridia.graph.diagnosis import diagnose

QUICK = Settings(embedding=EmbeddingSettings(enabled=False))
NOW = datetime(2026, 5, 1, tzinfo=UTC)


def made(path):
    """Make a journal of two memories, enriched, with its graph."""
    with Memory(path, "default", QUICK, lambda: NOW) as memory:
        memory.remember("A heron.", person="Dana")
        memory.remember("A boat.", person="Dana")
        memory.enrich()
        memory.project()


def diagnoses(path, now=NOW):
    with Memory(path, "default", QUICK, lambda: now) as memory:
        return diagnose(memory.parts, memory.space, memory.status(graph=True))


def change(path, statement, *values):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()


def test_nothing_is_wrong_with_a_whole_space(tmp_path):
    made(tmp_path / "a.db")
    assert diagnoses(tmp_path / "a.db") == []


def test_damage_is_explained_with_the_command_that_mends_it(tmp_path):
    made(tmp_path / "a.db")
    change(tmp_path / "a.db", "UPDATE experience SET significance = 0.123")
    (listed,) = diagnoses(tmp_path / "a.db")
    assert (listed.damage, listed.command) == (True, "meridia rebuild")
    change(tmp_path / "a.db", "DROP TRIGGER payload_is_never_changed")
    change(tmp_path / "a.db", "UPDATE payload SET body = '{}' WHERE seq = 1")
    payload = diagnoses(tmp_path / "a.db")[0]
    assert "entry 1: its payload is not what was written" in payload.finding
    assert payload.command.startswith("meridia restore")


def test_clocks_leases_and_rights_are_told_and_are_no_damage(tmp_path):
    path = tmp_path / "a.db"
    made(path)
    path.chmod(0o644)
    for work, until in (("one", "2031-01-01T00:00:00Z"), ("two", "2020-01-01T00:00:00Z")):
        change(path, "INSERT INTO lease VALUES (1, ?, 'host:1:x', ?)", work, until)
    found = diagnoses(path, NOW - timedelta(days=3))
    assert not any(one.damage for one in found)
    told = " ".join(f"{one.finding} {one.meaning}" for one in found)
    for words in ("mode 0644", "which is to come", "ran ahead, and is over", "was killed"):
        assert words in told, told


def test_a_projection_behind_says_how_it_catches_up(tmp_path):
    path = tmp_path / "a.db"
    made(path)
    with Memory(path, "default", QUICK, lambda: NOW) as memory:
        memory.remember("A third.")
    commands = {one.command for one in diagnoses(path)}
    assert "meridia enrich" in commands


def test_a_sink_that_fails_or_holds_what_was_forgotten_is_told(tmp_path):
    made(tmp_path / "a.db")
    nowhere = Settings(
        embedding=QUICK.embedding,
        graphiti=GraphitiSettings(uri="bolt://127.0.0.1:9", timeout_s=0.2),
        sinks=SinksSettings(attempts=1),
    )
    with Memory(tmp_path / "a.db", "default", nowhere, lambda: NOW) as memory:
        memory.sinks.sync()
        memory.forget(ids=["@1"])
        found = diagnose(memory.parts, memory.space, memory.status(), quick=True)
    failed, forgotten = [one for one in found if one.command == "meridia sinks sync"]
    assert failed.finding.startswith("graphiti failed 2 times: ")
    assert forgotten.finding == "graphiti has not received 1 forgettings"
    (left,) = [one for one in diagnoses(tmp_path / "a.db") if one.finding.startswith("graphiti")]
    assert "name it any more" in left.finding
