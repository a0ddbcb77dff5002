from __future__ import annotations

from meridia.ingest.importers.import_reader import read
from tests.ingest.importers.samples import DATA


def test_a_retry_is_a_failed_result_and_a_picture_an_artifact() -> None:
    with read(DATA / "pydantic_ai.json") as records:
        events = [record.event for record in records if record.event]
    report = records.report
    (look,) = [e.tool for e in events if e.tool]
    assert (look.name, look.isError) == ("look", True)
    assert events[0].artifacts[0].uri == "https://example.org/a.png"
    assert report.refused == 1
