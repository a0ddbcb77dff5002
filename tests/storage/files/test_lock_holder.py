"""Who waits for the journal's lock in vain is told who holds it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from meridia.core.errors import Unavailable
from meridia.core.settings import JournalSettings, Settings
from meridia.memory import Memory
from meridia.storage.files.lock_holder import lock_holder

pytestmark = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux tells")
HOLD = """
import sqlite3, sys
file = sqlite3.connect(sys.argv[1], isolation_level=None)
file.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def journal(tmp_path):
    """Make a journal that stays open, with a short wait for its lock."""
    settings = Settings(journal=JournalSettings(busy_timeout_s=0.2))
    with Memory.open(tmp_path / "a.db", "home", settings) as memory:
        memory.remember("A heron at the pond.")
        yield memory, tmp_path / "a.db"


def test_the_process_that_writes_is_named_without_what_it_was_given(journal):
    memory, path = journal
    command = [sys.executable, "-c", HOLD, str(path), "secret words"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(Unavailable, match=rf"is locked by process {other.pid} \(python"):
            memory.remember("Another heron at the pond.")
        other.communicate()
    assert lock_holder(path) == ""
    assert memory.remember("Another heron at the pond.").seq


def test_a_thread_of_its_own_is_said_to_be_one(tmp_path):
    shm = tmp_path / "a.db-shm"
    shm.touch()
    status = shm.stat()
    where = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    locks = tmp_path / "locks"
    locks.write_text(
        f"1: POSIX  ADVISORY  READ 1 {where} 120 120\n2: FLOCK\n"
        f"3: POSIX  ADVISORY  WRITE {os.getpid()} {where} 0 EOF\n"
    )
    assert lock_holder(tmp_path / "a.db", locks) == "another thread of this process"
    assert lock_holder(tmp_path / "b.db", locks) == ""
    assert lock_holder(tmp_path / "a.db", tmp_path / "none") == ""
