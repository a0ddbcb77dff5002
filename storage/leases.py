"""Leases: one worker at a time does a piece of work on a space, across processes.

A lease expires, so that a killed worker delays others only for a short time; the lease of a process
that no longer exists on this machine ends at once, and so does one from a clock that ran ahead.
"""

from __future__ import annotations

import os
import socket
import uuid
from datetime import datetime, timedelta

from ..core.time import to_text
from .space_scope import SpaceScope

#: Renewed with every batch; a batch that takes longer is protected by its cursor alone.
TERM = timedelta(seconds=60)


def new_owner() -> str:
    """Return a name for one worker: machine, process, and one of a kind."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex}"


class Leases:
    """The leases of one space."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space

    def take(self, work: str, owner: str, now: datetime) -> bool:
        """Take or renew a lease; say whether it is ours."""
        number = self._space.number
        row = {
            "space": number,
            "work": work,
            "owner": owner,
            "until": to_text(now + TERM),
            "now": to_text(now),
            "latest": to_text(now + 2 * TERM),
        }
        with self._space.writing():
            self._release_if_gone(work)
            self._space.run("work/take", row)
            holder = self._space.row("work/holder", (number, work))
        return bool(holder and holder[0] == owner)

    def release(self, work: str, owner: str) -> None:
        """Give a lease back, if it is still ours."""
        self._space.run("work/release", (self._space.number, work, owner))

    def _release_if_gone(self, work: str) -> None:
        holder = self._space.row("work/holder", (self._space.number, work))
        if holder is None:
            return
        machine, process, _ = holder[0].rsplit(":", 2)
        if machine == socket.gethostname() and not _runs(int(process)):
            self.release(work, holder[0])


def _runs(process: int) -> bool:
    if os.name == "nt":  # there, a signal of 0 is no question
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
