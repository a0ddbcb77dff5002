"""The background worker of the service: enriches, projects and delivers every space.

A lease for each space lets one replica do the work; the others check again later. It rests while a
request is answered, and can be stopped between two steps; the next worker continues. A graph in
files is brought up to date while it is open: who asks opens it.
"""

from __future__ import annotations

import time

import structlog

from ..core.types import Space
from ..memory import Memory
from ..storage import work

LEASE = "service"
_RENEW_S = 15.0
#: A space is worked on for so long, then others have their turn.
_TURN_S = 10.0
#: What is due by time alone (sessions that ended, tasks to be tried again) waits no longer.
_REPEAT_S = 60.0
#: How long the end of a step is waited for at the end.
_END_S = 600.0


class _TurnOver(Exception):
    """Ends the work on a space between two steps, until its next turn."""


class BackgroundWorker:
    """Works in one thread over one open memory."""

    def __init__(self, memory: Memory, poll_s: float) -> None:
        self._memory = memory
        self._poll_s = poll_s
        self._owner = work.new_owner()
        self._thread = memory.background.lend(self._turn)
        #: By space, the journal's end when all was done, and when that was last looked at.
        self._finished: dict[Space, tuple[int, float]] = {}
        self._projected: dict[Space, int] = {}
        self._has_sinks = bool(memory.settings.postgres.url or memory.settings.graphiti.uri)
        self._renewed = 0.0
        #: Whether a space waits for its next turn.
        self._is_behind = False
        self.failures = 0
        self._log = structlog.get_logger("meridia.worker")

    def start(self) -> None:
        """Begin to work."""
        self._thread.wake()

    def notify(self) -> None:
        """Say that something was written."""
        self._thread.wake()

    def stop(self) -> None:
        """End after the step at hand."""
        self._thread.stop(_END_S)

    def lag(self) -> dict[str, int]:
        """Return the largest lag of each projection over all spaces, in journal sequences.

        Of graphs in files only those that are open count.
        """
        memory = self._memory
        head = memory.parts.journal.head
        graphs = [head(space).seq - seq for space, seq in list(self._projected.items())]
        lags = {**memory.enrichment.largest_lags(), "graph": max([0, *graphs])}
        for space in memory.spaces() if self._has_sinks else ():
            for sink in memory.in_space(space).sinks.status():
                name = f"sink {sink.name}"
                lags[name] = max(lags.get(name, 0), sink.lag)
        return lags

    def run_once(self) -> None:
        """Do what is there to do in every space."""
        for space in self._memory.background.taken():
            self._finished.pop(space, None)
        spaces, self._is_behind = self._memory.spaces(), False
        for space, head in self._memory.parts.journal.heads().items():
            self._thread.pause()
            if self._has_work(space, head):
                self._work(space)
                spaces = []  # busy
        if self._memory.settings.daydream.enabled:
            for space in spaces:
                self._daydream(space)

    def _turn(self) -> float:
        try:
            self.run_once()
        except Exception as error:  # noqa: BLE001 - one failure must not end the thread
            self._failed(None, error)
        return 0.0 if self._is_behind else self._poll_s

    def _has_work(self, space: Space, head: int) -> bool:
        """Return whether something came, or is due by time alone, which is seldom looked at."""
        done, checked_at = self._finished.get(space, (-1, 0.0))
        if head != done:
            return True
        if time.monotonic() - checked_at <= _REPEAT_S:
            return False
        self._finished[space] = head, time.monotonic()
        expires = bool(self._memory.settings.ingest.keep)
        return self._has_sinks or expires or not self._memory.enrichment.is_current(space)

    def _work(self, space: Space) -> None:
        memory = self._memory.in_space(space)
        held = self._memory.parts.space(space).leases
        clock = self._memory.parts.clock
        until = time.monotonic() + _TURN_S

        def check(_done: int, _total: int) -> None:
            self._thread.pause()
            if time.monotonic() > until:
                raise _TurnOver
            if time.monotonic() - self._renewed > _RENEW_S:
                held.take(LEASE, self._owner, clock())
                self._renewed = time.monotonic()

        def should_continue() -> bool:
            check(0, 0)
            return True

        if not held.take(LEASE, self._owner, clock()):
            return
        self._renewed = time.monotonic()
        try:
            memory.enrich(check)
            head = self._memory.parts.journal.head(space).seq
            lag = memory.background.project(space, should_continue)
            self._projected.pop(space, None)
            if lag is not None:
                self._projected[space] = head - lag
            if self._has_sinks:
                memory.sinks.dispatch()
            # What another process wrote since then is not read yet.
            read = self._memory.enrichment.rule_position(space)
            self._finished[space] = min(head, read), time.monotonic()
        except _TurnOver:
            self._is_behind = True
        except Exception as error:  # noqa: BLE001 - one space must not end the work on others
            self._failed(space, error)
        finally:
            held.release(LEASE, self._owner)

    def _daydream(self, space: Space) -> None:
        """Propose pairs of memories, if it is time to."""
        held, clock = self._memory.parts.space(space).leases, self._memory.parts.clock
        self._thread.pause()
        if held.take(LEASE, self._owner, clock()):
            try:
                self._memory.in_space(space).ideas.propose_if_due()
            except Exception as error:  # noqa: BLE001 - as in `_work`
                self._failed(space, error)
            finally:
                held.release(LEASE, self._owner)

    def _failed(self, space: Space | None, error: Exception) -> None:
        self.failures += 1
        self._log.warning(
            "worker_failed", space=space, error=type(error).__name__, detail=str(error)
        )
