"""The end of a journal is known outside of it: what was cut off or replaced is noticed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress

import pytest

from meridia import Memory
from meridia.core.ports import FindingKind
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.storage.files.head_anchor import Acknowledged, HeadAnchor, forget

QUICK = Settings(embedding=EmbeddingSettings(enabled=False))
_KILLED = """
import os, sys
from meridia import Memory
memory = Memory.open(sys.argv[1])
for number in range(20):
    memory.remember(f"heron {number}")
os.kill(os.getpid(), 9)
"""


def remember(path, *texts):
    with Memory.open(path, settings=QUICK) as memory:
        for text in texts:
            memory.remember(text)


def problems(path):
    with Memory.open(path, settings=QUICK) as memory:
        findings = memory.verify()
        assert {finding.kind for finding in findings} <= {FindingKind.END}
        return [finding.problem for finding in findings]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_log_that_was_cut_off_is_noticed(tmp_path):
    path, log = tmp_path / "a.db", tmp_path / "a.db-wal"
    subprocess.run([sys.executable, "-c", _KILLED, str(path)], check=False)
    os.truncate(log, log.stat().st_size // 2)
    (problem,) = problems(path)
    assert "entry 20 was acknowledged and is not in it" in problem
    remember(path, "a later one")
    assert any("entry 20 was acknowledged" in problem for problem in problems(path))
    forget(path)
    assert problems(path) == []


def test_an_older_copy_in_its_place_is_noticed_and_a_restored_backup_is_not(tmp_path):
    path, copied = tmp_path / "a.db", tmp_path / "copy.db"
    remember(path, "one")
    shutil.copy(path, copied)
    remember(path, "two")
    assert problems(path) == []
    shutil.copy(copied, path)
    assert "an older copy was put in its place" in problems(path)[0]


def test_what_was_undone_is_not_noted(tmp_path):
    with Memory.open(tmp_path / "a.db", settings=QUICK) as memory:
        memory.remember("one")
        with suppress(RuntimeError), memory.parts.writing():
            memory.remember("two")
            raise RuntimeError
        assert memory.verify() == []


@pytest.mark.parametrize("line", ["", "1 2", "x y z", "1 1 zz"])
def test_half_a_note_says_nothing(tmp_path, line):
    (tmp_path / "a.db-head").write_text(line)
    assert HeadAnchor(tmp_path / "a.db", lambda _: False).lost() == []


def test_a_folder_that_takes_no_file_has_no_note(tmp_path):
    anchor = HeadAnchor(tmp_path / "nowhere" / "a.db", lambda _: True)
    anchor.write(Acknowledged(1, 1, b"x"))
    assert anchor.lost() == []
