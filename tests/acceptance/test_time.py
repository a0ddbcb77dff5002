"""What depends on the time, under a clock that tests move: silence, and the end of what is held."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from meridia import Memory
from meridia.core.settings import IngestSettings, Settings
from tests.fakes import START, FakeEmbedder, SeededBytes, TickingClock

SPACE = "agent"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give an empty folder for the journal and what belongs to it."""
    (tmp_path / "journal").mkdir()
    return tmp_path / "journal"


@pytest.fixture
def memory(folder: Path, clock: TickingClock) -> Iterator[Memory]:
    """Open a memory whose clock the test moves."""
    opened = Memory(
        folder / "a.db",
        SPACE,
        Settings(ingest=IngestSettings(skeleton_days=7)),
        clock=clock,
        random_bytes=SeededBytes(),
        embedder=FakeEmbedder(),
    )
    with opened:
        yield opened


def said(minutes: float, text: str, **more: Any) -> dict[str, Any]:
    at = (START + timedelta(minutes=minutes)).isoformat()
    shared = {"ts": at, "session": {"key": "s1"}, "person": "Dana"}
    return {"kind": "user_message", "payload": {"text": text}, **shared, **more}


def looked(minutes: float, path: str, output: str) -> dict[str, Any]:
    at = (START + timedelta(minutes=minutes)).isoformat()
    return {
        "kind": "tool_result",
        "ts": at,
        "session": {"key": "s1"},
        "tool": {"name": "read"},
        "payload": {"args": {"path": path}, "result": output},
    }


def live(memory: Memory, clock: TickingClock, *events: dict[str, Any]) -> None:
    """Capture events at the time they happen."""
    for event in events:
        clock.now = max(clock.now, datetime.fromisoformat(event["ts"]))
        memory.capture(event)


TALK = [
    said(0, "The keel of the Heron has to be mended before May."),
    said(2, "The sail maker in Kiel has no time."),
    said(4, "Who could lend us a crane for the mast?"),
]


def test_row_32_a_session_that_is_silent_for_four_hours_is_told(memory, clock):
    """Row 32, decision D26: a silence of four hours ends a session."""
    live(memory, clock, *TALK)
    clock.now = START + timedelta(hours=4)  # four hours after the first, not after the last
    memory.enrich()
    assert memory.chronicle.episodes() == []
    clock.now = START + timedelta(hours=4, minutes=5)
    memory.enrich()
    (told,) = memory.chronicle.episodes("s1")
    assert set(told.sources) == {one.id for one in memory.list().memories}
    assert "keel" in told.summary
    memory.enrich()
    assert len(memory.chronicle.episodes()) == 1, "it is told once"


def test_row_46_a_question_that_nobody_answered_stays_open_when_the_session_ends(memory, clock):
    """Row 46: open threads of a session become uncertainties."""
    live(memory, clock, *TALK)
    clock.now = START + timedelta(hours=5)
    memory.enrich()
    arc = memory.chronicle.arc("s1")
    assert any("crane" in question for question in arc.now.uncertainties)
    assert any(change.field == "uncertainty" for change in arc.transitions)


def test_a_session_that_goes_on_after_its_end_is_told_again(memory, clock):
    live(memory, clock, *TALK)
    clock.now = START + timedelta(hours=5)
    memory.enrich()
    (before,) = memory.chronicle.episodes("s1")
    live(memory, clock, said(310, "Oskar lends us the crane of the harbour."))
    clock.now = START + timedelta(hours=10)
    memory.enrich()
    (after,) = memory.chronicle.episodes("s1")
    assert after.episode == before.episode
    assert len(after.sources) == len(before.sources) + 1


def everything(folder: Path) -> bytes:
    """Return the bytes of every file that belongs to the journal."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def held(memory: Memory) -> tuple[int, int]:
    """Return how many skeletons there are, and how many of them are still held whole."""
    tally = memory.status().tally
    return tally.outlines, tally.held


def test_row_43_the_words_of_a_skeleton_are_gone_after_seven_days(memory, clock, folder):
    """Row 43, decision D30: held for a second look, and then erased from the file's bytes."""
    memory.capture(TALK[0])
    for number in range(3):
        memory.capture(looked(10 + number, f"src/part{number}.txt", f"zwiebelfisch {number}"))
    memory.enrich()
    memory.graph.project()
    skeletons, whole = held(memory)
    assert skeletons == whole == 3
    assert b"zwiebelfisch" in everything(folder)
    clock.now = START + timedelta(days=6, hours=23)
    memory.enrich()
    assert b"zwiebelfisch" in everything(folder), "it is held until the end"
    clock.now = START + timedelta(days=7, hours=1)
    memory.enrich()
    memory.graph.project()
    assert held(memory) == (3, 0)
    with closing(sqlite3.connect(folder / "a.db")) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"zwiebelfisch" not in everything(folder)
    assert b"keel of the Heron" in everything(folder), "what is kept whole stays"


def test_recall_still_works_when_skeletons_are_erased(memory, clock):
    memory.capture(TALK[0])
    kept = memory.capture(looked(10, "src/part.txt", "zwiebelfisch"))
    memory.enrich()
    clock.now = START + timedelta(days=8)
    memory.enrich()
    best = memory.recall("Who mends the keel of the Heron?").hits[0]
    assert best.text == TALK[0]["payload"]["text"]
    found = memory.recall("zwiebelfisch")
    assert all("zwiebelfisch" not in hit.text for hit in found.hits)
    assert memory.get(kept.id).id == kept.id, "that it happened is not forgotten"
    assert memory.chronicle.kit(kept.id).id == kept.id
