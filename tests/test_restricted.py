"""Restricted memories: who has not asked for them sees nothing of them, on any way in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from meridia import Memory
from meridia.core.errors import NotFound
from meridia.core.settings import AccessSettings, RecallSettings, Settings
from meridia.storage.statement_loader import migrations

#: A word that stands in restricted memories alone.
SECRET = "Zugspitze"
START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def _open(path: Path, **sections: Any) -> Memory:
    return Memory(path, "default", Settings(**sections))


def _fill(memory: Memory, restricted: int = 3) -> None:
    """Tell of an evening; `restricted` messages of it are not for everybody."""
    open_texts = [
        "My sister Sara moved to Porto last week, she works at the harbour now.",
        "I promise to send Jonas the pictures of the harbour tomorrow.",
        "The harbour festival was loud but the fireworks were wonderful.",
    ]
    for place, text in enumerate(open_texts):
        at = START + timedelta(minutes=place)
        memory.remember(text, person="Dana", session="s1", at=at, id=f"open-{place}")
    metadata = [
        {"visibility": "private"},
        {"confidentiality": "internal"},
        {"document": {"visibility": ["team"]}},
    ]
    for place in range(restricted):
        memory.remember(
            f"I live in {SECRET} Street {place} and promise to pay Jonas, the harbour master, 900.",
            person="Dana",
            session="s1",
            at=START + timedelta(minutes=10 + place),
            id=f"closed-{place}",
            metadata=metadata[place % len(metadata)],
        )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a journal with open and restricted memories of one session."""
    with _open(tmp_path / "m.db") as memory:
        _fill(memory)
        memory.capture(
            {
                "kind": "session_boundary",
                "payload": {"boundary": "end"},
                "session": {"key": "s1"},
                "ts": "2026-03-02T10:00:00Z",
            }
        )
        memory.enrich()
    return tmp_path / "m.db"


def _answers(memory: Memory) -> dict[str, str]:
    """Return what every way of reading says, as text."""
    recall = memory.recall("Which street does Dana live in, and what of the harbour?")
    plan = memory.plan("street harbour") if hasattr(memory, "plan") else None
    queries = [
        "MATCH (e:Experience) RETURN e.text AS text",
        "MATCH (n) WHERE n.name IS NOT NULL RETURN n.name AS name",
        "MATCH (f:Fact) RETURN f.text AS text",
    ]
    return {
        "recall": str([(hit.text, hit.trace) for hit in recall.hits]),
        "list": str(memory.list().memories),
        "resume": str(memory.resume("Dana")),
        "topic": str(memory.reconstitute("topic_reentry", query="street harbour")),
        "bootstrap": str(memory.reconstitute("session_bootstrap")),
        "plan": str(memory.planning.plan("street harbour")),
        "query": str([memory.query(query).rows for query in queries]),
        "entities": str(memory.entities()),
    } | ({"plan method": str(plan)} if plan else {})


def test_no_way_of_reading_shows_a_restricted_memory(path: Path):
    with _open(path) as memory:
        answers = _answers(memory)
    assert "harbour" in answers["recall"], "the open ones come back"
    assert {name for name, text in answers.items() if SECRET.lower() in text.lower()} == set()


def test_who_asks_for_restricted_memories_gets_them(path: Path):
    with _open(path, access=AccessSettings(restricted=True)) as memory:
        hits = memory.recall(f"Where is {SECRET} Street?").hits
        listed = memory.list().memories
    assert hits[0].event_id.startswith("closed-")
    assert {m.event_id for m in listed} >= {"closed-0", "closed-1", "closed-2"}


def test_its_writer_finds_it_by_its_address(path: Path):
    with _open(path) as memory:
        record = memory.get("closed-1")
        assert SECRET in record.text
        assert memory.get(f"@{record.seq}").id == record.id
        with pytest.raises(NotFound):
            memory.get("closed-9")


def test_many_restricted_memories_hide_no_open_one(tmp_path: Path):
    for rerank in (False, True):
        folder = tmp_path / str(rerank)
        folder.mkdir()
        with _open(folder / "m.db", recall=RecallSettings(rerank=rerank)) as memory:
            _fill(memory, restricted=70)
            hits = memory.recall(
                "Who promised Jonas something, and where is the harbour master?"
            ).hits
            assert {hit.event_id for hit in hits} == {"open-0", "open-1", "open-2"}
            assert SECRET not in str([hit.trace for hit in hits])


def test_a_journal_from_before_marks_them_too(path: Path):
    """The list of an old journal has no mark: the migration adds it from the metadata."""
    with _open(path) as memory:
        database = memory.parts.database
        with database.writing() as connection:
            connection.execute("UPDATE experience SET traits = traits & 63")
            for step in dict(migrations())["0008_restricted"]:
                connection.execute(step)
    with _open(path) as memory:
        assert not [m for m in memory.list().memories if SECRET in m.text]
