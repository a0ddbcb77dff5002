"""Enrichment in the background: nobody calls it, nobody waits for it, and it derives the same."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.core.types import EntryKind

PLAIN = Settings(embedding=EmbeddingSettings(enabled=False))
VERBS = ["likes", "hates", "saw"] * 10
SAID = [f"I moved to Bergen in {1980 + n}, my sister Mira {VERBS[n]} it." for n in range(30)]
MINUTE, DAY = timedelta(minutes=1), datetime(2026, 3, 1, tzinfo=UTC)


def messages() -> list[dict[str, Any]]:
    """Return what Dana said, a minute each."""
    return [
        {"text": text, "person": "Dana", "session": "s", "id": f"m{n}", "at": DAY + MINUTE * n}
        for n, text in enumerate(SAID)
    ]


def told(memory: Memory) -> None:
    """Capture all of it at once."""
    memory.remember_many(messages())


def until_read(memory: Memory) -> None:
    deadline = time.monotonic() + 60
    while memory.catch_up(0) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert memory.catch_up(0) == []


def derived(memory: Memory) -> list[tuple[str, str]]:
    """Return what was derived, with the callers' ids in place of ours."""
    entries = memory.parts.journal.read(memory.space, 0, 10_000)
    own = {e.id: e.key for e in entries if e.kind is EntryKind.EXPERIENCE_CAPTURED}
    rows = []
    for entry in entries:
        if entry.id not in own:
            text = f"{entry.key} {entry.payload}"
            for id, key in own.items():
                text = text.replace(id, key)
            # Ids of what is derived are made of those of the memories; facts are learned when these
            # are written down.
            text = re.sub(r"_[0-9a-f]{24}", "_", text)
            rows.append((entry.kind.value, re.sub(r"learned='[^']*'", "learned", text)))
    return sorted(rows)


def test_what_is_captured_is_read_without_a_call_and_found_at_once():
    with Memory.open(settings=PLAIN) as memory:
        told(memory)
        recall = memory.recall("Who saw it in 1982?")
        assert "m2" in [hit.event_id for hit in recall.hits[:3]]
        assert recall.unread or memory.catch_up(0) == []
        until_read(memory)
        assert memory.recall("Who saw it in 1982?").unread == 0


def test_what_was_said_just_now_is_read_before_the_answer():
    with Memory.open() as memory:
        memory.remember("My sister Runa repairs organs.", person="Dana", session="s1")
        answer = memory.recall("Who repairs organs?")
        assert (answer.unread, answer.hits[0].person) == (0, "Dana")


def test_with_manual_nothing_is_read_until_somebody_asks_for_it():
    with Memory.open(settings=PLAIN, enrich="manual") as memory:
        told(memory)
        time.sleep(0.2)
        recall = memory.recall("Who saw it in 1982?")
        assert recall.unread == 30
        assert "m2" in [hit.event_id for hit in recall.hits[:3]]
        assert recall.notes[0].startswith("30 memories are not read yet")
        assert memory.recall("Who saw it in 1982?", wait_s=60).unread == 0


def test_it_derives_what_a_call_derives_whenever_it_comes_to_it():
    with Memory.open(settings=PLAIN, enrich="manual") as memory:
        told(memory)
        memory.enrich()
        wanted = derived(memory)
    with Memory.open(settings=PLAIN) as memory:
        for n, message in enumerate(messages()):
            memory.remember(**message)
            time.sleep(0.01 * (n % 3))
        until_read(memory)
        memory.enrich()
        assert derived(memory) == wanted


def test_another_word_than_background_or_manual_is_an_error():
    with pytest.raises(InvalidInput, match="background or manual"):
        Memory.open(enrich="later")


def test_an_exit_without_close_is_not_delayed_and_the_rest_is_read_the_next_time(tmp_path: Path):
    code = f"""
from meridia import Memory
from meridia.core.settings import EmbeddingSettings, Settings
settings = Settings(embedding=EmbeddingSettings(enabled=False))
memory = Memory.open({str(tmp_path / "a.db")!r}, settings=settings)
memory.remember_many([{{"text": f"I moved in {{n}}.", "person": "Dana"}} for n in range(600)])
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=120)
    with Memory.open(tmp_path / "a.db", settings=PLAIN, enrich="manual") as memory:
        assert memory.upkeep.verify() == []
        assert memory.catch_up(120) == []


def test_nothing_is_written_after_close(tmp_path: Path):
    memory = Memory.open(tmp_path / "a.db", settings=PLAIN)
    told(memory)
    memory.close()
    with Memory.open(tmp_path / "a.db", settings=PLAIN, enrich="manual") as again:
        head = again.parts.journal.head(again.space)
        time.sleep(0.3)
        assert again.parts.journal.head(again.space) == head


def test_two_processes_enrich_one_journal_once(tmp_path: Path):
    with (
        Memory.open(tmp_path / "a.db", settings=PLAIN) as one,
        Memory.open(tmp_path / "a.db", settings=PLAIN) as other,
    ):
        told(one)
        other.remember("The mast is made of oak.", person="Rosa", id="mast")
        recall = one.recall("mast of oak")
        # Both write all the time: who waits too long for the other says so.
        late = any("locked by another" in note for note in recall.notes)
        assert late or recall.hits[0].event_id == "mast"
        until_read(one)
        until_read(other)
        entries = one.parts.journal.read(one.space, 0, 10_000)
        assert sum(e.kind is EntryKind.EXPERIENCE_ENRICHED for e in entries) == 31
