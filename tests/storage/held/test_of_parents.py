"""What is left to the parent of a fork is never closed."""

import gc
import subprocess
import sys

from meridia.storage.held.of_parents import leave


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
from meridia.storage.held.of_parents import begins_anew

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
