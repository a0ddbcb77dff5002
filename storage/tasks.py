"""Work of enrichment that went wrong: tried again after growing waits, and given up after a while.

What is given up is a dead letter: it stays here with the reason until somebody has it tried again.
This module decides when; it does no work itself, and no reason it keeps may say what was said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from ..core.text import shorten
from ..core.time import from_text, to_text
from ..core.types import Seq
from .database import Connection
from .statement_loader import sql

#: So many failures in a row make a dead letter.
ATTEMPTS_MAX = 5
#: The wait doubles with every failure, up to the longest.
WAIT, WAIT_MAX = timedelta(seconds=30), timedelta(hours=1)
_DOUBLINGS_MAX = 10
_ERROR_CHARS_MAX = 300
#: Due at any time.
_ALWAYS = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Task:
    """One stage of one entry that is still to be done, how often it failed, and why last."""

    seq: Seq
    stage: str
    attempts: int
    due_at: datetime
    dead: bool
    error: str


def fail(
    connection: Connection, space: int, seq: int, stage: str, error: str, now: datetime
) -> Task:
    """Count one more failure and return the task as it stands now.

    It is due again after 30 s · 2^failures, at most an hour; from the fifth failure on it is dead.
    Runs inside the caller's transaction.
    """
    before = [task for task in of_entry(connection, space, seq) if task.stage == stage]
    attempts = (before[0].attempts if before else 0) + 1
    wait = min(WAIT * 2 ** min(attempts, _DOUBLINGS_MAX), WAIT_MAX)
    task = Task(
        seq=Seq(seq),
        stage=stage,
        attempts=attempts,
        due_at=now + wait,
        dead=attempts >= ATTEMPTS_MAX,
        error=shorten(error, _ERROR_CHARS_MAX),
    )
    row = {
        "space": space,
        "seq": seq,
        "stage": stage,
        "attempts": attempts,
        "due_at": to_text(task.due_at),
        "dead": task.dead,
        "error": task.error,
    }
    connection.execute(sql("work/task_failed"), row)
    return task


def done(connection: Connection, space: int, seq: int, stage: str) -> None:
    """Forget a task that was done, or that nobody needs any more."""
    connection.execute(sql("work/task_done"), (space, seq, stage))


def due(connection: Connection, space: int, now: datetime) -> list[Task]:
    """Return the tasks to try again at `now`, in the order of the journal; none that is dead."""
    return _read(connection, "work/tasks_due", (space, to_text(now)))


def dead(connection: Connection, space: int) -> list[Task]:
    """Return the tasks that were given up, in the order of the journal."""
    return _read(connection, "work/tasks_listed", (space, 1))


def waiting(connection: Connection, space: int) -> list[Task]:
    """Return the tasks that will be tried again, due or not, in the order of the journal."""
    return _read(connection, "work/tasks_listed", (space, 0))


def of_entry(connection: Connection, space: int, seq: int) -> list[Task]:
    """Return what is still to be done about one entry, by stage."""
    return _read(connection, "work/tasks_of_entry", (space, seq))


def counts(connection: Connection, space: int) -> dict[str, int]:
    """Return how many tasks are `waiting` and how many are `dead`."""
    row = connection.execute(sql("work/tasks_counted"), (space,)).fetchone()
    return {"waiting": row[0], "dead": row[1]}


def retry(connection: Connection, space: int) -> int:
    """Make every task due now, dead or waiting, with all its attempts before it; count them."""
    return connection.execute(sql("work/tasks_retried"), (to_text(_ALWAYS), space)).rowcount


def _read(connection: Connection, statement: str, values: Sequence[Any]) -> list[Task]:
    rows = connection.execute(sql(statement), values).fetchall()
    return [Task(Seq(r[0]), r[1], r[2], from_text(r[3]), bool(r[4]), r[5]) for r in rows]
