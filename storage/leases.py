"""Leases: of several workers on one space, in whatever process, one does a piece of work at a time.

A lease ends by itself, so that a worker that was killed holds nobody up for long; the lease of a
process that is gone from this machine is over at once.
"""

from __future__ import annotations

import os
import socket
import uuid
from datetime import datetime, timedelta

from ..core.time import to_text
from .database import Connection
from .statement_loader import sql

#: Renewed with every batch; a batch that takes longer is protected by its cursor alone.
TERM = timedelta(seconds=60)


def new_owner() -> str:
    """Return a name for one worker: machine, process, and one of a kind."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex}"


def take(connection: Connection, space: int, work: str, owner: str, now: datetime) -> bool:
    """Take or renew a lease, inside the caller's transaction; say whether it is ours."""
    _release_if_gone(connection, space, work)
    row = {
        "space": space,
        "work": work,
        "owner": owner,
        "until": to_text(now + TERM),
        "now": to_text(now),
    }
    connection.execute(sql("work/take"), row)
    holder = connection.execute(sql("work/holder"), (space, work)).fetchone()
    return bool(holder and holder[0] == owner)


def release(connection: Connection, space: int, work: str, owner: str) -> None:
    """Give a lease back, if it is still ours."""
    connection.execute(sql("work/release"), (space, work, owner))


def _release_if_gone(connection: Connection, space: int, work: str) -> None:
    holder = connection.execute(sql("work/holder"), (space, work)).fetchone()
    if holder is None:
        return
    machine, process, _ = holder[0].rsplit(":", 2)
    if machine == socket.gethostname() and not _runs(int(process)):
        release(connection, space, work, holder[0])


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
