"""What uses a connection while it is closed, and in the child of a fork."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
