from __future__ import annotations

from meridia.ingest.importers.import_reader import read
from tests.ingest.importers.samples import DATA


def test_the_role_has_a_name_and_a_tool_is_one() -> None:
    with read(DATA / "zep.json") as records:
        events = [record.event for record in records if record.event]
    report = records.report
    assert [e.person for e in events] == ["Odile", None, None]
    assert [e.tool and e.tool.name for e in events] == [None, None, "clock"]
    assert report.no_time == 1
