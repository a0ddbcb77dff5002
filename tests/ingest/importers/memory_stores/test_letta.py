from __future__ import annotations

from meridia.ingest.importers.import_reader import read
from tests.ingest.importers.samples import DATA


def test_what_an_agent_sends_is_what_it_says_and_blocks_are_notes() -> None:
    with read(DATA / "letta.af") as records:
        events = [record.event for record in records if record.event]
    report = records.report
    assert [e.payload["text"] for e in events] == [
        *("The pump leaks", "Oh no!", "human: Name: Odile")
    ]
    assert report.events == {"message": 2, "note": 1}
