"""Failed tasks of enrichment: retried after growing waits, and given up after five failures.

A task that was given up is a dead letter: it stays here with its reason until somebody retries it.
This module decides when; it does no work itself, and no reason it stores may quote content.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ..core.text import shorten
from ..core.time import from_text, to_text
from ..core.types import Seq
from .space_scope import SpaceScope

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


class Tasks:
    """What is still to be done in one space, and what was given up."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space

    def fail(self, seq: int, stage: str, error: str, now: datetime) -> Task:
        """Count one more failure and return the task as it stands now.

        It is due again after 30 s · 2^failures, at most an hour; from the fifth failure on it is
        dead.
        """
        with self._space.writing():
            before = [task for task in self.of_entry(seq) if task.stage == stage]
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
                "space": self._space.number,
                "seq": seq,
                "stage": stage,
                "attempts": attempts,
                "due_at": to_text(task.due_at),
                "dead": task.dead,
                "error": task.error,
            }
            self._space.run("work/task_failed", row)
        return task

    def schedule(self, seq: int, stage: str, reason: str) -> None:
        """Have a stage of an entry done once more: it is due at any time, and has not failed."""
        row = {"space": self._space.number, "seq": seq, "stage": stage, "attempts": 0}
        row |= {"due_at": to_text(_ALWAYS), "dead": False, "error": reason}
        self._space.run("work/task_failed", row)

    def done(self, seq: int, stage: str) -> None:
        """Forget a task that was done, or that nobody needs any more."""
        self._space.run("work/task_done", (self._space.number, seq, stage))

    def due(self, now: datetime) -> list[Task]:
        """Return the tasks to try again at `now`, in the order of the journal; none is dead."""
        return self._read("work/tasks_due", to_text(now))

    def dead(self) -> list[Task]:
        """Return the tasks that were given up, in the order of the journal."""
        return self._read("work/tasks_listed", 1)

    def waiting(self) -> list[Task]:
        """Return the tasks that will be tried again, due or not, in the order of the journal."""
        return self._read("work/tasks_listed", 0)

    def of_entry(self, seq: int) -> list[Task]:
        """Return what is still to be done about one entry, by stage."""
        return self._read("work/tasks_of_entry", seq)

    def counts(self) -> dict[str, int]:
        """Return how many tasks are `waiting` and how many are `dead`."""
        waiting, dead = self._space.only_row("work/tasks_counted", (self._space.number,))
        return {"waiting": waiting, "dead": dead}

    def retry(self) -> int:
        """Make every task due now, dead or waiting, with all its attempts before it; count them."""
        return self._space.run("work/tasks_retried", (to_text(_ALWAYS), self._space.number))

    def _read(self, statement: str, value: str | int) -> list[Task]:
        rows = self._space.rows(statement, (self._space.number, value))
        return [Task(Seq(r[0]), r[1], r[2], from_text(r[3]), bool(r[4]), r[5]) for r in rows]
