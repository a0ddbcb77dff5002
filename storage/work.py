"""What is still to be done in a space: cursors of projections, leases of workers, failed tasks.

A cursor of an older version reads as 0, so that the projection is rebuilt. A lease lets one worker
at a time do a piece of work; it expires, and ends at once with its process. A failed task is tried
again after growing waits, and is a dead letter after five failures.
"""

from __future__ import annotations

import json
import os
import socket
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

from ..core.errors import outdated
from ..core.ports import Head
from ..core.text import shorten
from ..core.time import from_text, to_text
from ..core.types import Seq
from .space_scope import OfSpace


@dataclass(frozen=True, slots=True)
class SpaceState:
    """Where a space stands at one moment.

    `positions` has (version, sequence) of every projection; `due` says that a task, the end of a
    session or of a held event may be due.
    """

    head: Head
    positions: Mapping[str, tuple[int, int]]
    due: bool

    def is_current(self, projection: str, version: int) -> bool:
        """Return whether a projection of this version has applied the whole journal."""
        applied_version, seq = self.positions.get(projection, (version, 0))
        return applied_version == version and seq >= self.head.seq


class Cursors(OfSpace):
    """The cursors of one space."""

    def position(self, projection: str, version: int, *, counted: bool = True) -> Seq:
        """Return the last sequence that a projection of this version has applied.

        Raises `Refused` where a newer version was at work: the two would begin it anew by turns. A
        version that is not `counted` is a fingerprint, of which none is newer.
        """
        row = self._space.row("journal/cursor", projection)
        if counted and row and row[1] > version:
            raise outdated(self._space.database.path, projection, row[1], version)
        return Seq(row[0]) if row and row[1] == version else Seq(0)

    def names(self) -> list[str]:
        """Return the projections that have a cursor."""
        return [row[0] for row in self._space.rows("journal/cursor_names")]

    def state(self, silence: timedelta, now: datetime) -> SpaceState:
        """Return where the space stands; see `SessionStates.due` for `silence`."""
        seq, hash, positions, due = self._space.only_row(
            "work/state",
            now=now,
            heard_before=now - silence,
            silence_days=silence / timedelta(days=1),
        )
        return SpaceState(Head(Seq(seq), hash), json.loads(positions), bool(due))

    def move(self, projection: str, version: int, seq: int) -> None:
        """Move a cursor forward, inside the transaction that did the work."""
        self._space.run("journal/move_cursor", projection, version, seq)

    def take_back(self, projection: str, seq: int) -> None:
        """Take a projection's cursor back to a sequence, where it is farther."""
        self._space.run("journal/take_cursor_back", projection=projection, seq=seq)

    def forget(self, projection: str) -> None:
        """Take a projection's cursor back to 0."""
        self._space.run("journal/forget_cursor", projection)


#: Renewed with every batch; a batch that takes longer is protected by its cursor alone.
TERM = timedelta(seconds=60)
#: Work that writes entries: one replica at a time does it.
SHARED = frozenset({"enrichment"})


def new_owner() -> str:
    """Return a name for one worker: machine, process, and one of a kind."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex}"


class Leases(OfSpace):
    """The leases of one space."""

    def take(self, work: str, owner: str, now: datetime) -> bool:
        """Take or renew a lease; return whether it is ours."""
        until, latest = now + TERM, now + 2 * TERM
        times = {"until": until, "now": now, "latest": latest}
        with self._space.writing():
            self._release_if_gone(work)
            self._space.run("work/take", work=work, owner=owner, **times)
            holder = self._space.row("work/holder", work)
        is_ours = bool(holder and holder[0] == owner)
        sharing = self._space.database.sharing if work in SHARED else None
        if not is_ours or sharing is None:
            return is_ours
        told = to_text(until), to_text(now), to_text(latest)
        if sharing.take_lease(self._space.number, work, owner, told):
            return True
        self._space.run("work/release", work, owner)
        return False

    def release(self, work: str, owner: str) -> None:
        """Release a lease, if it is still ours."""
        self._space.run("work/release", work, owner)
        if work in SHARED and (sharing := self._space.database.sharing):
            sharing.release_lease(self._space.number, work, owner)

    def _release_if_gone(self, work: str) -> None:
        holder = self._space.row("work/holder", work)
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
    except OSError as error:
        return isinstance(error, PermissionError)
    return True


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


class Tasks(OfSpace):
    """What is still to be done in one space, and what was given up."""

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
            self._put(task)
        return task

    def schedule(self, seq: int, stage: str, reason: str) -> None:
        """Schedule a stage of an entry once more: due at any time, with no failure."""
        self._put(Task(Seq(seq), stage, 0, _ALWAYS, dead=False, error=reason))

    def _put(self, task: Task) -> None:
        self._space.run("work/task_failed", **asdict(task))

    def done(self, seq: int, stage: str) -> None:
        """Forget a task that was done, or that nobody needs any more."""
        self._space.run("work/task_done", seq, stage)

    def due(self, now: datetime) -> list[Task]:
        """Return the tasks to try again at `now`, in the order of the journal; none is dead."""
        return self._read("work/tasks_due", now)

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
        waiting, dead = self._space.only_row("work/tasks_counted")
        return {"waiting": waiting, "dead": dead}

    def retry(self) -> int:
        """Make every task due now, dead or waiting, with all its attempts before it; count them."""
        return self._space.run("work/tasks_retried", due_at=_ALWAYS)

    def _read(self, statement: str, value: datetime | int) -> list[Task]:
        rows = self._space.rows(statement, value)
        return [Task(Seq(r[0]), r[1], r[2], from_text(r[3]), bool(r[4]), r[5]) for r in rows]
