from __future__ import annotations

from meridia.ingest.importers.import_reader import read
from tests.ingest.importers.samples import DATA


def test_every_observation_and_relation_is_a_note_without_a_time() -> None:
    with read(DATA / "memory.jsonl") as records:
        events = [record.event for record in records if record.event]
    report = records.report
    assert [e.payload["text"] for e in events] == [
        "Odile (person): owns a boat",
        "Odile (person): rows at dawn",
        "Odile member of Harbour Club",
    ]
    assert (report.no_time, report.refused) == (3, 1)
