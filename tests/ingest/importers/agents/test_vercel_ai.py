from __future__ import annotations

from meridia.ingest.importers.import_reader import read
from tests.ingest.importers.samples import DATA


def test_parts_of_every_kind_are_read_and_an_error_is_one() -> None:
    with read(DATA / "vercel_ai.json") as records:
        events = [record.event for record in records if record.event]
    report = records.report
    tide, wind = [e.tool for e in events if e.tool]
    assert (tide.name, tide.isError, wind.name, wind.isError) == ("tide", False, "wind", True)
    assert events[0].artifacts[0].uri == "https://example.org/quay.png"
    assert report.skipped["thoughts of the model"] == 1
