"""Every finding of `verify` has a meaning and a command."""

from __future__ import annotations

import pytest

from meridia.core.ports import Finding
from meridia.core.types import Seq, Space
from meridia.storage.copies.diagnosis import explain


@pytest.mark.parametrize(
    ("problem", "command"),
    [
        ("nodes: not what the journal gives: run `meridia rebuild`", "meridia rebuild"),
        ("the database file: row 3 missing from index", "meridia restore BACKUP --replace"),
        ("its header does not fit the chain", "meridia restore BACKUP --replace"),
        ("the database file: entry 9 was acknowledged and is not in it", "meridia restore"),
    ],
)
def test_a_finding_is_explained(problem, command):
    diagnosis = explain(Finding(Space("s"), Seq(3), problem))
    assert diagnosis.finding == f"entry 3: {problem}"
    assert diagnosis.command.startswith(command)
    assert diagnosis.damage
    assert diagnosis.meaning
