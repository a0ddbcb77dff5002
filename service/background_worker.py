"""The background worker of the service: enriches, projects and delivers every space.

A lease for each space lets one replica do the work; the others check again later. It can be stopped
between two batches; the next worker continues.
"""

from __future__ import annotations

import threading
import time

import structlog

from ..core.errors import MeridiaError
from ..core.types import Space
from ..memory import Memory
from ..storage import leases

LEASE = "service"
_RENEW_S = 15.0
#: What is due by time alone (sessions that ended, tasks to be tried again) waits no longer.
_REPEAT_S = 60.0


class _WorkerStopped(Exception):
    """The worker is to stop."""


class BackgroundWorker:
    """Works in one thread over one open memory."""

    def __init__(self, memory: Memory, poll_s: float) -> None:
        self._memory = memory
        self._poll_s = poll_s
        self._owner = leases.new_owner()
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="meridia-worker", daemon=True)
        #: By space, the journal's end when all was done, and when that was.
        self._finished: dict[Space, tuple[int, float]] = {}
        self._projected: dict[Space, int] = {}
        self._renewed = 0.0
        self.failures = 0
        self._log = structlog.get_logger("meridia.worker")

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def notify(self) -> None:
        """Say that something was written."""
        self._wake.set()

    def stop(self) -> None:
        """End after the batch at hand."""
        self._stopping.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def lag(self) -> dict[str, int]:
        """Return the largest lag of each projection over all spaces, in journal sequences."""
        parts, lags = self._memory.parts, dict.fromkeys(("search", "enrichment", "graph"), 0)
        for space in self._memory.spaces():
            head = parts.journal.head(space).seq
            cursors = {
                "search": parts.space(space).full_text.until(),
                "enrichment": self._memory.enrichment.cursor(space),
                "graph": self._projected.get(space, 0),
            }
            for name, cursor in cursors.items():
                lags[name] = max(lags[name], head - cursor)
            for sink in self._memory.in_space(space).sinks.status():
                name = f"sink {sink.name}"
                lags[name] = max(lags.get(name, 0), sink.lag)
        return lags

    def run_once(self) -> None:
        """Do what is there to do in every space."""
        spaces = self._memory.spaces()
        for space in spaces:
            if self._stopping.is_set():
                return
            if self._has_work(space):
                self._work(space)
                spaces = []  # busy
        if self._memory.settings.daydream.enabled:
            for space in spaces:
                self._daydream(space)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.wait(self._poll_s)
            self._wake.clear()
            try:
                self.run_once()
            except MeridiaError as error:
                self._failed(None, error)

    def _has_work(self, space: Space) -> bool:
        head, at = self._finished.get(space, (-1, 0.0))
        is_due = time.monotonic() - at > _REPEAT_S
        return is_due or self._memory.parts.journal.head(space).seq != head

    def _work(self, space: Space) -> None:
        memory = self._memory.in_space(space)
        held = self._memory.parts.space(space).leases
        clock = self._memory.parts.clock

        def check(_done: int, _total: int) -> None:
            if self._stopping.is_set():
                raise _WorkerStopped
            if time.monotonic() - self._renewed > _RENEW_S:
                held.take(LEASE, self._owner, clock())
                self._renewed = time.monotonic()

        if not held.take(LEASE, self._owner, clock()):
            return
        self._renewed = time.monotonic()
        try:
            memory.enrich(check)
            head = self._memory.parts.journal.head(space).seq
            memory.project(check)
            self._projected[space] = head
            memory.sinks.dispatch()
            self._finished[space] = head, time.monotonic()
        except _WorkerStopped:
            return
        except MeridiaError as error:
            self._failed(space, error)
        except Exception as error:  # noqa: BLE001 - one space must not end the work on others
            self._failed(space, error)
        finally:
            held.release(LEASE, self._owner)

    def _daydream(self, space: Space) -> None:
        """Propose pairs of memories, if it is time to."""
        held, clock = self._memory.parts.space(space).leases, self._memory.parts.clock
        if not self._stopping.is_set() and held.take(LEASE, self._owner, clock()):
            try:
                self._memory.in_space(space).ideas.propose_if_due()
            finally:
                held.release(LEASE, self._owner)

    def _failed(self, space: Space | None, error: Exception) -> None:
        self.failures += 1
        self._log.warning(
            "worker_failed", space=space, error=type(error).__name__, detail=str(error)
        )
