"""Kills in the middle of a delivery leave no gap and no double; the look at that finds both."""

from __future__ import annotations

import random
from pathlib import Path

import psycopg
import pytest

from bench.sink_kill import BATCH, SinkKillReport, _compare, _held_in_postgres, kill_sync, tell
from meridia import Memory
from meridia.core.settings import GraphitiSettings, PostgresSettings, Settings, SinksSettings

ROUNDS = 5


def killed(path: Path, name: str, **sinks: object) -> None:
    settings = Settings(sinks=SinksSettings(batch=BATCH), **sinks)
    tell(path, None, 30)
    report = kill_sync(path, name, settings, ROUNDS, random.Random(5))
    assert report.violations == []
    assert (report.killed, report.fillings >= 1) == (ROUNDS, True)


@pytest.mark.thorough
def test_a_process_that_fills_postgres_may_be_killed_at_any_place(tmp_path, postgres_url):
    killed(tmp_path / "a.db", "postgres", postgres=PostgresSettings(url=postgres_url))


@pytest.mark.thorough
def test_a_process_that_fills_graphiti_in_neo4j_may_be_killed_at_any_place(tmp_path, neo4j_server):
    names = ("uri", "user", "password")
    address = {name: getattr(neo4j_server, name) for name in names}
    killed(tmp_path / "a.db", "graphiti", graphiti=GraphitiSettings(**address))


def test_a_row_of_postgres_that_is_missing_or_another_is_a_violation(postgres_url, embedder):
    settings = Settings(postgres=PostgresSettings(url=postgres_url))
    with Memory(None, "killed", settings, embedder=embedder) as memory:
        memory.remember("The heron is back.")
        memory.remember("The boat is blue.")
        memory.enrich()
        memory.sinks.sync()
        whole, report = _held_in_postgres(memory), SinkKillReport("postgres")
        _compare(report, whole, _held_in_postgres(memory))
        assert (whole[0], report.violations) == (2, [])
        for change in ("UPDATE meridia_vectors SET seq = seq + 9 WHERE seq = 1", "TRUNCATE"):
            with psycopg.connect(postgres_url) as connection:
                connection.execute(f"{change} meridia_vectors" if change == "TRUNCATE" else change)
            _compare(report, whole, _held_in_postgres(memory))
    assert len(report.violations) == 2
