from __future__ import annotations

from meridia.ingest.importers.import_reader import read
from tests.ingest.importers.samples import DATA


def test_events_that_repeat_items_are_left_out_and_counted() -> None:
    with read(DATA / "codex.jsonl") as records:
        events = [record.event for record in records if record.event]
    report = records.report
    assert [e.payload.get("text") for e in events] == ["Mend the pump", None, "Mended."]
    assert {e.session.key for e in events if e.session} == {"x-1"}
    assert report.skipped["lines of bookkeeping"] == 2
