"""A memory's own upkeep: `doctor` explains what `verify` finds, and `rebuild` mends it."""

from __future__ import annotations

import pytest

from meridia import InvalidInput, Memory
from meridia.core.settings import EmbeddingSettings, Settings

QUICK = Settings(embedding=EmbeddingSettings(enabled=False))


@pytest.fixture
def memory(tmp_path):
    with Memory(tmp_path / "a.db", "default", QUICK) as memory:
        memory.remember("A heron.", person="Dana", session="s1")
        memory.enrich()
        memory.graph.project()
        yield memory


def damage(memory):
    with memory.parts.database.writing() as connection:
        connection.execute("UPDATE experience SET significance = 0.123")


def test_doctor_finds_nothing_in_a_whole_space(memory):
    assert memory.upkeep.doctor() == []
    assert memory.in_space("other").upkeep.doctor() == []


def test_doctor_explains_damage_and_its_command_mends_it(memory):
    damage(memory)
    (finding,) = memory.upkeep.doctor()
    assert finding.as_json() == {
        "finding": "list of experiences: not what the journal gives: run `meridia rebuild`",
        "meaning": "what is listed differs from the journal, which is whole",
        "command": "meridia rebuild",
        "damage": True,
    }
    assert memory.upkeep.doctor(quick=True) == []
    memory.upkeep.rebuild()
    assert memory.upkeep.doctor() == []


def test_doctor_tells_of_a_graph_that_is_behind(memory):
    memory.remember("A boat.", person="Dana")
    assert any("graph is" in finding.finding for finding in memory.upkeep.doctor())


def test_a_rebuild_gives_the_same_digest_and_counts(memory):
    digest, counts = memory.graph.digest(), memory.graph.counts()
    memory.upkeep.rebuild()
    assert (memory.graph.digest(), memory.graph.counts()) == (digest, counts)
    assert [session.experiences for session in memory.sessions()] == [1]
    assert memory.spaces() == ["default"]


def test_a_receipt_is_checked_and_what_was_changed_in_it_is_told(memory):
    receipt = memory.forget(person="Dana").receipt
    assert memory.upkeep.check_receipt(receipt) == []
    assert memory.upkeep.check_receipt({**receipt, "memories": 7}) != []
    with pytest.raises(InvalidInput, match="not a receipt"):
        memory.upkeep.check_receipt({"a": 1})
