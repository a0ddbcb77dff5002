"""A copy whose process was killed is named, removed by the next one, and by a forgetting."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from meridia import Memory, Refused, restore
from meridia.storage.copies.backup import back_up
from meridia.storage.copies.diagnosis import of_file
from meridia.storage.copies.unfinished import abandoned, begun, partial_of, remove_abandoned
from tests.ingest.forgetting.told import PLAIN

#: Begins a copy of the journal in its first argument, and is killed in it.
KILLED = """
import os, signal, sys
from pathlib import Path
from meridia import Memory
from meridia.storage.copies.backup import back_up
from tests.ingest.forgetting.told import PLAIN
with Memory.open(sys.argv[1], settings=PLAIN) as memory:
    end = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    back_up(memory.parts, Path(sys.argv[2]), end)
"""


def kill_backup(path, target):
    """Back a journal up, and kill who does it."""
    done = subprocess.run([sys.executable, "-c", KILLED, path, target], check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.fixture
def journal(tmp_path):
    """Make a journal with a secret, of which a backup elsewhere was killed."""
    path = tmp_path / "a.db"
    with Memory.open(path, settings=PLAIN) as memory:
        memory.remember("The word is quokka.", person="Dana", id="m1")
        memory.remember("Another thing is told.", person="Robin", id="m2")
    kill_backup(path, tmp_path / "elsewhere" / "copy.db")
    return path


def held(folder):
    """Return the names of files in which the secret is."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {file.name for file in files if b"quokka" in file.read_bytes()}


def test_what_a_killed_backup_left_is_named_with_what_removes_it(journal, tmp_path):
    left = partial_of(tmp_path / "elsewhere" / "copy.db")
    assert left.name in held(tmp_path)
    with Memory.open(journal, settings=PLAIN) as memory:
        named = [d for d in of_file(memory.parts, memory.space) if "killed" in d.finding]
    assert [(d.finding.split()[0], d.command) for d in named] == [(str(left), f"rm {left}")]


def test_the_next_backup_removes_it_wherever_it_was(journal, tmp_path):
    with Memory.open(journal, settings=PLAIN) as memory:
        back_up(memory.parts, tmp_path / "whole.db")
    assert held(tmp_path) == {"a.db", "whole.db"}
    assert {file.name for file in tmp_path.iterdir()} >= {"a.db", "whole.db"}
    assert not (tmp_path / "a.db-copies").exists()


def test_a_forgetting_reaches_it(journal, tmp_path):
    with Memory.open(journal, settings=PLAIN) as memory:
        memory.forget(person="Dana")
    assert held(tmp_path) == set()


def test_a_killed_restore_is_found_beside_its_journal(journal, tmp_path):
    with Memory.open(journal, settings=PLAIN) as memory:
        back_up(memory.parts, tmp_path / "whole.db")
    target = tmp_path / "b.db"
    partial_of(target).write_bytes((tmp_path / "whole.db").read_bytes())
    assert abandoned(target) == [partial_of(target)]
    restore(tmp_path / "whole.db", target)
    assert abandoned(target) == []
    assert not partial_of(target).exists()


def test_one_that_is_being_written_is_left_alone(tmp_path):
    journal, target = tmp_path / "a.db", tmp_path / "copy.db"
    with begun(journal, target) as partial:
        partial.write_bytes(b"half")
        assert abandoned(journal) == []
        remove_abandoned(journal)
        assert partial.read_bytes() == b"half"
        with pytest.raises(Refused, match="being written"), begun(journal, target):
            pass
        assert partial.read_bytes() == b"half"
        partial.rename(target)
    assert target.read_bytes() == b"half"
    assert [file.name for file in tmp_path.iterdir()] == ["copy.db"]
