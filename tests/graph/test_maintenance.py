"""Upkeep of one space: where it stands, whether it is whole, building it again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from fakes import FakeEmbedder

from meridia import Memory
from meridia.core.errors import NotFound
from meridia.core.ids import session_id
from meridia.core.settings import EmbeddingSettings, GraphitiSettings, Settings, SinksSettings
from meridia.graph.maintenance import diagnose
from meridia.storage.upkeep import chosen_spaces, rebuild_lists, verify
from tests.fakes import numbered


@pytest.fixture
def memory():
    with Memory(None, "s", Settings(), embedder=FakeEmbedder()) as opened:
        for place in range(12):
            opened.remember(
                f"the boat needs paint {place}", person="Dana", session=f"s{place // 5}"
            )
        opened.capture(
            {
                "kind": "tool_result",
                "tool": {"name": "bash"},
                "payload": {"result": "painted", "args": {"cmd": "make paint", "at": "noon"}},
            }
        )
        opened.enrich()
        yield opened


def _answers(memory: Memory):
    return [(hit.id, hit.score) for hit in memory.recall("make the boat painted").hits]


def test_a_projection_that_is_up_to_date_has_no_lag(memory: Memory):
    memory.graph.project()
    status = memory.status(graph=True)
    assert {name: status.lag(name) for name in status.cursors} == {
        "search": 0,
        "enrichment": 0,
        "adjacency": 0,
        "graph": 0,
    }
    assert status.experiences == {"tool_result": 1, "user_message": 12}


def test_what_is_not_projected_yet_is_a_lag(memory: Memory):
    memory.graph.project()
    memory.remember("one more")
    status = memory.status(graph=True)
    assert {status.lag(name) for name in ("adjacency", "graph", "enrichment")} == {1}
    assert status.lag("search") == 0


def test_rebuilding_everything_changes_no_answer_and_no_digest(memory: Memory):
    digest, answers = memory.graph.digest(), _answers(memory)
    memory.upkeep.rebuild()
    assert memory.graph.digest() == digest
    assert _answers(memory) == answers
    assert list(verify(memory.parts, memory.space)) == []


def test_row_38_everything_but_the_journal_can_be_dropped(memory: Memory):
    digest, answers = memory.graph.digest(), _answers(memory)
    with memory.parts.database.writing() as connection:
        for table in ("experience", "node", "edge", "cursor"):
            connection.execute(f"DELETE FROM {table}")
        connection.execute("DELETE FROM full_text")
    memory.graph.store().drop()
    memory.upkeep.rebuild()
    memory.enrich()
    assert memory.graph.digest() == digest
    assert _answers(memory) == answers


def test_a_lost_row_of_the_list_is_found(memory: Memory):
    with memory.parts.database.writing() as connection:
        connection.execute("DELETE FROM experience WHERE seq = 3")
    assert ["rebuild" in found.problem for found in verify(memory.parts, memory.space)] == [True]


def test_all_spaces_are_meant_where_none_is_named(memory: Memory):
    memory.in_space("other").remember("hello")
    assert chosen_spaces(memory.parts, None) == ["other", "s"]
    assert chosen_spaces(memory.parts, memory.space) == ["s"]
    with pytest.raises(NotFound, match="'nowhere'"):
        chosen_spaces(memory.parts, "nowhere")


# The lists


def test_a_rebuild_keeps_vectors_and_looks_for_the_ends_of_sessions_again(memory: Memory):
    connection = memory.parts.database.connection
    count = "SELECT count(*) FROM embedding"
    before = connection.execute(count).fetchone()
    rebuild_lists(memory.parts, memory.space)
    assert before == connection.execute(count).fetchone() != (0,)
    sessions = [session_id(memory.space, f"s{number}") for number in range(3)]
    assert numbered(memory.parts).sessions.open_sessions().keys() == set(sessions)


def test_the_status_tells_what_ingest_made_of_a_space(memory: Memory):
    tally = memory.status().tally
    assert sum(tally.statuses.values()) == sum(memory.status().experiences.values())
    assert (tally.dead, tally.waiting) == (0, 0)


QUICK = Settings(embedding=EmbeddingSettings(enabled=False))
NOW = datetime(2026, 5, 1, tzinfo=UTC)


def made(path):
    """Make a journal of two memories, enriched, with its graph."""
    with Memory(path, "default", QUICK, lambda: NOW) as memory:
        memory.remember("A heron.", person="Dana")
        memory.remember("A boat.", person="Dana")
        memory.enrich()
        memory.graph.project()


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
    for words in ("mode 0644", "which is in the future", "it has expired", "was killed"):
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
    assert "no longer name it" in left.finding
