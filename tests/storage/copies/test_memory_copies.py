"""A memory copies itself: all spaces by default, the chosen ones where they are named."""

from __future__ import annotations

import json

from meridia import Memory, restore
from tests.ingest.forgetting.told import PLAIN


def test_a_memory_offers_a_backup_an_archive_and_its_events(tmp_path):
    with Memory.open(tmp_path / "a.db", settings=PLAIN) as memory:
        memory.remember("The ferry leaves at nine.", id="m1")
        memory.in_space("work").remember("Deploy on Friday.", id="m2")
        moved: list[tuple[int, int]] = []
        memory.backup(str(tmp_path / "b.db"), lambda done, total: moved.append((done, total)))
        assert moved[-1][0] == moved[-1][1] > 0
        names = [
            [s["name"] for s in json.loads(next(memory.export(c)))["spaces"]]
            for c in (None, ["work"])
        ]
        assert names == [["default", "work"], ["work"]]
        assert [event["id"] for event in memory.export_events()] == ["m1"]
        assert [event["id"] for event in memory.in_space("work").export_events()] == ["m2"]
    assert restore(tmp_path / "b.db", tmp_path / "c.db").heads.keys() == {"default", "work"}
