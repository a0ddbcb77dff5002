"""What is older than it is kept is forgotten, by kind."""

from __future__ import annotations

from datetime import timedelta

import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput
from meridia.core.settings import (
    EmbeddingSettings,
    IngestSettings,
    JournalSettings,
    RecallSettings,
    Settings,
)
from meridia.ingest.forgetting.forgetting_service import periods_of
from tests.fakes import START, TickingClock


def test_results_of_tools_go_after_their_days_and_the_rest_stays():
    settings = Settings(
        embedding=EmbeddingSettings(enabled=False), ingest=IngestSettings(keep=("tool_result=30",))
    )
    with Memory(None, "default", settings, TickingClock()) as memory:
        for days in (1, 29, 31, 90):
            at = START - timedelta(days=days)
            memory.remember(f"built {days}", role="tool", tool="make", at=at, id=f"t{days}")
            memory.remember(f"I said {days}", person="Dana", at=at, id=f"m{days}")
        memory.enrich()
        stay = [record.event_id for record in memory.list().memories]
        assert stay == ["t1", "m1", "t29", "m29", "m31", "m90"]
        head = memory.parts.journal.head(memory.space).seq
        memory.enrich()
        assert memory.parts.journal.head(memory.space).seq == head


def test_rules_are_read_or_refused():
    assert periods_of(["*=365", "tool_result=0.5"]) == {None: 365, "tool_result": 0.5}
    for rule in ("tool_result", "=3", "a=b", "a=-1", "a=inf", "a=nan"):
        with pytest.raises(InvalidInput, match="KIND=DAYS"):
            periods_of([rule])


def test_what_is_kept_longer_than_there_was_time_stays():
    settings = Settings(
        embedding=EmbeddingSettings(enabled=False),
        ingest=IngestSettings(keep=("*=1e12",)),
        journal=JournalSettings(trace_days=1e12),
        recall=RecallSettings(keep_days=1e12),
    )
    with Memory(None, "default", settings) as memory:
        memory.remember("The kettle is in the galley", at="0001-01-01")
        memory.enrich()
        assert memory.recall("kettle").hits
        memory.parts.prune_trace(memory.space)
        assert memory.reasons.newest(1)
