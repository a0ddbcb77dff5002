"""What is left to the parent of a fork is never closed."""

from __future__ import annotations

import gc
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from meridia.core.errors import Damaged, MeridiaError, Refused, StorageFull, Unavailable
from meridia.core.settings import JournalSettings, Settings
from meridia.memory import Memory
from meridia.storage import connections
from meridia.storage.connections import leave, lock_holder, translated


def test_what_is_left_is_not_let_go_of():
    closed = []

    class File:
        def __del__(self):
            closed.append(self)

    file = File()
    leave(file)
    del file
    gc.collect()
    assert closed == []


def test_whoever_asked_begins_anew_in_the_child_of_a_fork():
    script = """
import os
from meridia.storage.connections import begins_anew

class Open:
    def leave_to_parent(self):
        print("anew", flush=True)

one = Open()
begins_anew(one)
if (child := os.fork()) == 0:
    os._exit(0)
os.waitpid(child, 0)
"""
    done = subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.PIPE)
    assert done.stdout == b"anew\n"


resource = pytest.importorskip("resource")


def test_the_limit_is_that_of_the_process():
    assert connections.open_files_max() == resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def test_without_a_limit_it_is_a_usual_one(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, -1))
    assert 64 <= connections.open_files_max() <= 4096
    monkeypatch.setattr(connections, "_resource", None)
    assert 64 <= connections.open_files_max() <= 4096


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
    with Memory.open(tmp_path / "a.db", "home", settings, enrich="manual") as memory:
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


def test_a_file_that_is_no_database_is_damaged(tmp_path):
    path = tmp_path / "m.db"
    path.write_bytes(b"no database at all, but long enough to be read as one" * 20)
    with (
        closing(sqlite3.connect(path)) as connection,
        pytest.raises(Damaged, match="restore a backup"),
        translated(path),
    ):
        connection.execute("SELECT * FROM sqlite_master")


def test_a_file_that_may_not_grow_is_full(tmp_path):
    path = tmp_path / "m.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.execute("PRAGMA max_page_count = 2")
        with pytest.raises(StorageFull, match="free space"), translated(path):
            connection.execute("INSERT INTO t VALUES (zeroblob(100000))")


def test_what_may_only_be_read_is_refused(tmp_path):
    path = tmp_path / "m.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
    only_read = closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True))
    with only_read as connection, pytest.raises(Refused, match="for writing"), translated(path):
        connection.execute("INSERT INTO t VALUES (1)")


def test_any_other_error_of_sqlite_names_the_file(tmp_path):
    path = tmp_path / "m.db"
    with (
        closing(sqlite3.connect(path)) as connection,
        pytest.raises(MeridiaError, match="m.db"),
        translated(path),
    ):
        connection.execute("SELECT wrong syntax here FROM")


@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt()])
def test_errors_of_others_pass(tmp_path, error):
    with pytest.raises(type(error)), translated(tmp_path):
        raise error


#: Threads that read and write without a pause, and somebody who closes: in a process of its own,
#: since what used to happen is that it died.
CLOSING = """
import sys, threading, time
from meridia import Memory
from meridia.core.errors import MeridiaError

for round in range(40):
    memory = Memory.open(sys.argv[1], enrich="manual")
    errors, started, over = [], threading.Barrier(5), threading.Event()
    def work(kind):
        started.wait()
        try:
            while not over.is_set():
                if kind % 2:
                    memory.list(limit=20)
                else:
                    memory.remember(f"A line of {threading.get_ident()} at {time.time_ns()}.")
        except MeridiaError as error:
            errors.append(str(error))
    threads = [threading.Thread(target=work, args=(kind,)) for kind in range(4)]
    for thread in threads:
        thread.start()
    started.wait()
    time.sleep(0.002 * (round % 10))
    memory.close()
    over.set()
    for thread in threads:
        thread.join(20)
    assert all("closed" in error for error in errors), errors
"""


def test_closing_waits_for_what_other_threads_do(tmp_path):
    run = [sys.executable, "-X", "faulthandler", "-c", CLOSING, str(tmp_path / "m.db")]
    done = subprocess.run(run, check=False, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


FORKING = """
import os, sys
from meridia import Memory

path = sys.argv[1] if len(sys.argv) > 1 else None
memory = Memory.open(path, enrich="manual")
memory.remember("Before the fork.", id="before")
if (child := os.fork()) == 0:
    memory.remember("Of the child.", id="child")
    assert {hit.text for hit in memory.list()} == {"Before the fork.", "Of the child."}
    memory.close()
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
memory.remember("Of the parent.", id="parent")
assert len(list(memory.list())) == 3
assert memory.recall("Of the child").hits[0].text == "Of the child."
memory.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="nothing forks there")
@pytest.mark.parametrize("in_memory", [False, True])
def test_the_child_of_a_fork_has_connections_of_its_own(tmp_path, in_memory):
    run = [sys.executable, "-c", FORKING, *([] if in_memory else [str(tmp_path / "m.db")])]
    done = subprocess.run(run, check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
