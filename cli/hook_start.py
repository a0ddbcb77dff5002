"""Start `meridia hook` in a separate process, so that the coding agent does not wait for it.

Loads only the standard library. Only the hook at the start of a session is waited for, because its
answer is added to the session.
"""

from __future__ import annotations

import io
import os
import sys

#: Arguments for which a person waits.
_WAITED_FOR = frozenset({"install", "remove", "--help", "-h"})


def serves_hook() -> bool:
    """Say whether this process was called by an agent, which it must never fail."""
    words = sys.argv[1:]
    return words[:1] == ["hook"] and not _WAITED_FOR & {*words}


def read_event() -> None:
    """Read the event; where it wants no answer, let the agent go on and work on by oneself."""
    event = sys.stdin.buffer.read() if sys.stdin is not None else b""
    sys.stdin = io.TextIOWrapper(io.BytesIO(event), "utf-8")
    if b"essionStart" in event or not hasattr(os, "fork"):
        return
    if os.fork():
        os._exit(0)
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
