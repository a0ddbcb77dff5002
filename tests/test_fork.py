"""The child of a fork works with a memory of its parent, on connections and files of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os, sys
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.memory import Memory

path, count = sys.argv[1], "MATCH (e:Experience) RETURN count(e) AS n"

def locked():
    places = [f":{os.stat(path + end).st_ino} " for end in ("", "-shm")]
    with open("/proc/locks") as locks:
        own = [line for line in locks if f" {os.getpid()} " in line]
    return [any(place in line for line in own) for place in places]

with Memory.open(path, settings=Settings(embedding=EmbeddingSettings(enabled=False))) as memory:
    memory.remember("I like boats.", person="Dana")
    memory.recall("boats")
    memory.query(count)
    if (child := os.fork()) == 0:
        memory.remember("I like cars.", person="Dana")
        print("locked", *locked())
        print("hits", *[hit.text for hit in memory.recall("cars").hits])
        print("kept", len(memory.reasons.newest()))
        print("graph", *memory.query(count, wait_s=10).rows[0])
        memory.close()
        sys.exit()
    print("child", os.waitpid(child, 0)[1], flush=True)
    memory.remember("I like trains.", person="Dana")
    print("graph", *memory.query(count, wait_s=10).rows[0])
    print("damage", len(memory.upkeep.verify()))
"""


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="shows who holds which lock")
def test_a_child_writes_answers_and_queries_and_so_does_its_parent_afterwards(tmp_path):
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "m.db")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == [
        "locked True True",
        "hits I like cars.",
        "kept 2",
        "graph 2",
        "child 0",
        "graph 3",
        "damage 0",
    ]
    assert done.stderr == ""
