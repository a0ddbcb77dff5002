"""What entries are about is known as they come in, and found again in the journal."""

from __future__ import annotations

import pytest

from meridia import Memory
from meridia.storage.projections import references
from tests.ingest.forgetting.told import PLAIN, tell


@pytest.fixture
def memory():
    with Memory(None, "default", PLAIN) as opened:
        tell(opened)
        opened.remember("The heron stands there.", person="Kim", id="h-1")
        opened.remember("The heron stands there.", person="Kim", id="h-2")
        opened.feedback("m-0", "useful")
        yield opened


def about(memory: Memory, id: str) -> set[str]:
    """Return the kinds of the entries that are about a memory."""
    rows = memory.parts.database.connection.execute(
        "SELECT e.kind FROM about a JOIN entry e ON e.space = a.space AND e.seq = a.seq "
        "WHERE a.memory = ?",
        (memory.get(id).seq,),
    )
    return {kind for (kind,) in rows}


def test_what_was_derived_repeated_and_judged_is_about_a_memory(memory: Memory):
    assert {"ExperienceEnriched", "FactAsserted", "FeedbackGiven"} <= about(memory, "m-0")
    assert "ExperienceCaptured" in about(memory, "h-1")
    assert "FeedbackGiven" not in about(memory, "m-1")


def test_it_is_the_same_after_a_rebuild_from_the_journal(memory: Memory):
    connection = memory.parts.database.connection
    before = connection.execute("SELECT * FROM about ORDER BY 1, 2, 3").fetchall()
    with memory.parts.writing():
        references.rebuild(connection, 1)
    assert connection.execute("SELECT * FROM about ORDER BY 1, 2, 3").fetchall() == before
    assert before
