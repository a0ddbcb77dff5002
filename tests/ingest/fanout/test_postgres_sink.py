"""The sink in a real PostgreSQL, from outside: filled, killed, rebuilt, and made to forget."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from meridia import Memory
from meridia.core.settings import PostgresSettings, Settings, SinksSettings
from meridia.storage.forgetting.receipts import receipt_problems
from tests.fakes import FakeEmbedder
from tests.ingest.forgetting.told import SAID, tell
from tests.postgres_server import PostgresServer


def settings(url: str, **more: str) -> Settings:
    sinks = SinksSettings(batch=20, backoff_s=0.01)
    return Settings(postgres=PostgresSettings(url=url, **more), sinks=sinks)


def opened(url: str, path: Path | None = None, **more: str) -> Memory:
    return Memory(path, "default", settings(url, **more), embedder=FakeEmbedder())


@pytest.fixture
def memory(postgres_url: str) -> Iterator[Memory]:
    with opened(postgres_url) as memory:
        tell(memory)
        yield memory


def rows(url: str, columns: str = "*") -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        query = f"SELECT {columns} FROM meridia_vectors ORDER BY partition, seq, chunk"
        return connection.execute(query).fetchall()


def test_postgres_has_every_memory_once_with_space_and_metadata(memory, postgres_url):
    assert memory.sinks.sync() == {"postgres": ""}
    held = rows(postgres_url, "space, content, person, session, significance, engagement, kind")
    assert [row[:4] for row in held] == [("default", text, who, s) for who, s, text in SAID]
    assert all(row[4] is not None and row[6] for row in held)
    assert {row[5] for row in held} - {None}
    assert memory.sinks.count("postgres") == len(SAID)
    (status,) = memory.status().sinks
    assert (status.name, status.lag, status.failures) == ("postgres", 0, 0)


def test_postgres_gets_nothing_private_and_no_restricted_memory(memory, postgres_url):
    memory.remember("Write to dana@example.org about the boat.", person="Dana", session="s5")
    memory.remember("The safe is in the cellar.", metadata={"visibility": "private"})
    memory.enrich()
    memory.sinks.sync()
    contents = [content for (content,) in rows(postgres_url, "content")]
    assert "Write to [REDACTED:email] about the boat." in contents
    assert not [text for text in contents if "safe" in text]
    vectors = memory.parts.database.connection.execute("SELECT DISTINCT model FROM embedding")
    assert {model for (model,) in vectors} == {
        FakeEmbedder().model,
        f"{FakeEmbedder().model} outward",
    }


@pytest.mark.parametrize("text", ["message", "kit"])
def test_postgres_is_rebuilt_to_the_same_digest_without_a_model(tmp_path, postgres_url, text):
    with opened(postgres_url, tmp_path / "a.db", text=text) as memory:
        tell(memory)
        memory.remember("Write to dana@example.org.", person="Dana", session="s5")
        memory.enrich()
        memory.sinks.sync()
        table = memory._components.postgres
        (partition,) = {row[0] for row in rows(postgres_url, "partition")}
        before = table.digest(partition)
    embedder = FakeEmbedder()
    with Memory(
        tmp_path / "a.db", "default", settings(postgres_url, text=text), embedder=embedder
    ) as memory:
        assert memory.sinks.rebuild() == {"postgres": ""}
        assert memory._components.postgres.digest(partition) == before
        assert embedder.asked == []


def test_postgres_killed_in_the_middle_lacks_and_doubles_nothing(
    memory, postgres_url, postgres_server: PostgresServer, monkeypatch
):
    if not postgres_server.can_be_killed:
        pytest.skip("the server is not ours to kill")
    table = memory._components.postgres
    upsert, calls = table.upsert, []

    def killed(*arguments):
        calls.append(arguments)
        upsert(*arguments)
        if len(calls) == 1:
            postgres_server.kill()

    monkeypatch.setattr(table, "upsert", killed)
    assert "does not answer" in memory.sinks.sync()["postgres"]
    (status,) = memory.sinks.status()
    assert status.failures == 1
    assert status.lag > 0
    memory.remember("It is captured while the sink is down.", person="Dana", session="s5")
    memory.enrich()
    assert memory.recall("What was captured?").hits
    postgres_server.start()
    assert memory.sinks.sync() == {"postgres": ""}
    texts = [text for _, _, text in SAID]
    held = [content for (content,) in rows(postgres_url, "content")]
    assert held == [*texts, "It is captured while the sink is down."]


def test_forgetting_a_person_leaves_none_of_their_bytes_in_postgres(
    memory, postgres_url, postgres_server: PostgresServer
):
    memory.sinks.sync()
    result = memory.forget(person="Kim")
    assert result.receipt["sinks"] == ["postgres"]
    assert receipt_problems(memory.parts, result.receipt) == []
    if postgres_server.can_be_killed:
        dump = postgres_server.dump()
        assert "Lisbon" in dump
        assert not [w for w in ("Kim", "Biscuit", "regatta", "fjord", "Maya") if w in dump]
    memory.enrich()
    for deliver in (memory.sinks.sync, memory.sinks.rebuild):
        deliver()
        assert {person for (person,) in rows(postgres_url, "person")} == {"Dana"}


def test_a_postgres_that_is_down_forgets_later_and_the_receipt_says_so(
    memory, postgres_url, postgres_server: PostgresServer
):
    if not postgres_server.can_be_killed:
        pytest.skip("the server is not ours to kill")
    memory.sinks.sync()
    postgres_server.kill()
    try:
        result = memory.forget(person="Kim")
        assert any("postgres still holds" in note for note in result.notes)
        assert any(
            "postgres still holds" in p for p in receipt_problems(memory.parts, result.receipt)
        )
        assert memory.sinks.status()[0].forgettings == 1
    finally:
        postgres_server.start()
    memory.sinks.sync()
    assert {person for (person,) in rows(postgres_url, "person")} == {"Dana"}
    assert receipt_problems(memory.parts, result.receipt) == []


def test_two_journals_with_the_same_space_share_a_postgres(memory, postgres_url, tmp_path):
    memory.sinks.sync()
    before = rows(postgres_url, "partition, seq, content")
    with opened(postgres_url, tmp_path / "b.db") as other:
        tell(other, [0, 1])
        other.sinks.sync()
        assert len(rows(postgres_url)) == len(before) + 2
        other.forget(person="Kim")
        other.sinks.rebuild()
        assert other.sinks.count("postgres") == 1
    assert [row for row in rows(postgres_url, "partition, seq, content") if row in before] == before
