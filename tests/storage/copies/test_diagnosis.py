"""Every finding of `verify` has a meaning and a command."""

from __future__ import annotations

import pytest

from meridia import Memory
from meridia.core.ports import Finding, FindingKind
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.core.types import Seq, Space
from meridia.storage.copies.diagnosis import explain


@pytest.mark.parametrize("kind", FindingKind)
def test_a_finding_is_explained_by_its_kind(kind):
    diagnosis = explain(Finding(Space("s"), Seq(3), "whatever it says", kind))
    assert diagnosis.finding == "entry 3: whatever it says"
    command = "meridia rebuild" if kind is FindingKind.LIST else "meridia restore BACKUP --replace"
    assert diagnosis.command == command
    assert diagnosis.damage
    assert diagnosis.meaning


def test_what_verify_finds_has_its_kind():
    with Memory(None, "s", Settings(embedding=EmbeddingSettings(enabled=False))) as memory:
        memory.remember("A heron.")
        memory.enrich()
        run = memory.parts.database.connection.execute
        run("UPDATE experience SET significance = 0.123")
        assert {finding.kind for finding in memory.verify()} == {FindingKind.LIST}
        run("DELETE FROM experience")
        assert {finding.kind for finding in memory.verify()} == {FindingKind.LIST}
        run("DROP TRIGGER payload_is_never_changed")
        run("UPDATE payload SET body = '{}' WHERE seq = 1")
        assert FindingKind.JOURNAL in {finding.kind for finding in memory.verify()}
