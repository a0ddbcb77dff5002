"""What became known of experiences is read by their ids."""

from __future__ import annotations

from meridia.core.types import Space
from meridia.storage.sinks.judged import judged
from tests.fakes import private_journal
from tests.histories import every_kind


def test_it_is_read_by_id_and_unknown_ids_are_left_out():
    with private_journal() as file:
        ids = every_kind(file.journal, Space("home"))
        known = judged(file.space(Space("home")), [*ids[:2], "nobody"])
    assert set(known) <= set(ids)
    assert known
    assert all(each.seq > 0 and each.text_hash for each in known.values())
