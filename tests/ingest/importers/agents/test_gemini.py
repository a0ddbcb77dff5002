from __future__ import annotations

from meridia.ingest.importers.import_reader import read
from tests.ingest.importers.samples import DATA


def test_notices_are_bookkeeping_and_a_conversation_gives_its_time() -> None:
    with read(DATA / "gemini.json") as records:
        events = [record.event for record in records if record.event]
    report = records.report
    assert [e.payload.get("result") for e in events if e.tool] == ["a.txt"]
    assert all(e.ts for e in events)
    assert dict(report.skipped) == {"lines of bookkeeping": 1}
