"""Two replicas in processes of their own that are killed at any moment lose and double nothing."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from bench.replicas import check

KILLS = 40
WRITER = """
import random, sys
from meridia import Memory
from meridia.core.errors import Unavailable
from bench.replicas import settings_of
name, path, url, start = sys.argv[1:]
chance = random.Random(start)
memory = Memory.open(path, settings=settings_of(url), enrich="manual")
for number in range(int(start), int(start) + 10_000):
    space = chance.choice(("home", "work"))
    id = f"{name}-{number}"
    try:
        words = chance.choice(("I moved to", "I love", "I am sad about", "remember"))
        memory.in_space(space).remember(
            f"{words} town {number} of {name}", person=name, session=f"s-{number % 3}", id=id)
    except Unavailable:
        continue
    print(space, id, flush=True)
    if chance.random() < 0.15:
        try:
            memory.in_space(space).enrich()
        except Unavailable:
            pass
"""


@pytest.mark.thorough
def test_killed_replicas_and_cut_connections_lose_and_double_nothing(
    shared_url, tmp_path: Path, postgres_server
):
    chance, acknowledged = random.Random(7), list[tuple[str, str]]()
    begun = {"one": 0, "other": 0}

    def start(name: str) -> subprocess.Popen[str]:
        begun[name] += 10_000
        given = (name, str(tmp_path / f"{name}.db"), shared_url, str(begun[name]))
        command = [sys.executable, "-c", WRITER, *given]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    writers = {name: start(name) for name in begun}
    for writer in writers.values():  # both are at work
        assert writer.stdout is not None
        space, id = writer.stdout.readline().split()
        acknowledged.append((space, id))
    for _ in range(KILLS):
        time.sleep(chance.uniform(0.2, 1.5))
        with psycopg.connect(postgres_server.url, autocommit=True) as server:
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'meridia' AND random() < 0.5"
            )
        name = chance.choice(list(writers))
        acknowledged += end(writers[name])
        writers[name] = start(name)
        assert writers[name].stdout is not None
        acknowledged.append(tuple(writers[name].stdout.readline().split()))  # type: ignore[union-attr, arg-type]
    for writer in writers.values():
        acknowledged += end(writer)
    assert len(acknowledged) > KILLS
    check(acknowledged, shared_url, [tmp_path / f"{name}.db" for name in (*begun, "fresh")])


@pytest.mark.thorough
def test_the_same_holds_behind_a_pool_of_transactions_of_postgres(
    pooled_url, tmp_path: Path, postgres_server
):
    test_killed_replicas_and_cut_connections_lose_and_double_nothing(
        pooled_url, tmp_path, postgres_server
    )


def end(writer: subprocess.Popen[str]) -> list[tuple[str, str]]:
    """Kill a writer; return what it had acknowledged."""
    writer.send_signal(signal.SIGKILL)
    told, _ = writer.communicate()
    lines = [line.split() for line in told.splitlines(keepends=True) if line.endswith("\n")]
    return [(space, id) for space, id in lines]
