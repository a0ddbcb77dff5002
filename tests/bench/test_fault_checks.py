"""After a fault, whatever is lost, doubled, damaged or built otherwise is told."""

from __future__ import annotations

import random

import pytest

from bench.fault_checks import QUICK, SPACE, ids_in, ids_of, killed, message, wrong_in
from meridia import Memory


@pytest.fixture
def path(tmp_path):
    with Memory(tmp_path / "a.db", SPACE, QUICK) as memory:
        memory.remember_many([message(f"a-{n}") for n in range(5)])
        memory.enrich()
        memory.graph.project()
    return tmp_path / "a.db"


def change(path, statement):
    with Memory(path, SPACE, QUICK) as memory, memory.parts.database.writing() as connection:
        connection.execute(statement)


def test_nothing_is_wrong_in_a_whole_journal(path):
    assert wrong_in(path, [f"a-{n}" for n in range(5)]) == []


def test_what_was_acknowledged_and_is_not_there_is_told(path):
    assert wrong_in(path, ["a-1", "b-1"]) == ["1 acknowledged events are lost: b-1"]


def test_a_text_that_is_there_twice_is_told(path):
    with Memory(path, SPACE, QUICK) as memory:
        memory.remember(**message("a-1") | {"id": "b-1", "person": "Dana"})
    assert "events are doubled" in wrong_in(path, [])[0]


def test_damage_is_told(path):
    change(path, "UPDATE experience SET significance = 0.123")
    assert wrong_in(path, [])[0].startswith("verify: list of experiences")


def test_a_list_that_lacks_a_memory_is_told_as_lost(path):
    change(path, "DELETE FROM experience WHERE event_id = 'a-2'")
    assert "1 acknowledged events are lost: a-2" in wrong_in(path, ["a-2"])


def test_a_killed_process_has_said_what_it_did(tmp_path):
    path = tmp_path / "b.db"
    lines, trouble = killed("project", path, random.Random(3), 1.0)
    assert trouble == []
    with Memory(path, SPACE, QUICK) as memory:
        assert set(ids_of(lines)) <= set(ids_in(memory))
