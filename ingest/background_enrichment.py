"""Enrichment behind the caller's back: what was captured is read in a thread of its own.

It derives what a call of `enrich` would, in the same order, and asks no language model.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from ..core.errors import NotFound
from ..core.types import Space
from ..models.encoder_ports import Embedder
from .background_thread import BackgroundThread

#: A space is worked on for so long, then others may have its lease for a moment, seconds.
_TURN_S, _BREATH_S = 2.0, 0.12
#: Where another process enriches the space, or something failed, it is looked at again then.
_AGAIN_S, _FAILED_S = 1.0, 30.0
#: So few memories are read in a moment, which an answer waits for at most; it looks so often.
_FEW, _MOMENT_S, _LOOK_S = 100, 0.8, 0.01


class Worker(Protocol):
    """What enriches."""

    def catch_up(self, space: Space, should_continue: Callable[[], bool], *, waits: bool) -> bool:
        """Enrich while it may; return whether nothing is left."""
        ...


class BackgroundEnrichment:
    """Enriches the spaces of one file that it is told of; `manual` does nothing."""

    def __init__(
        self,
        worker: Callable[[], Worker],
        project: Callable[[Space, Callable[[], bool], bool], int | None] = lambda *_: None,
        *,
        manual: bool,
    ) -> None:
        """Enrich with a worker; `project` brings a graph up to date, and says how far behind it is.

        Its last argument says whether a graph on a server is opened for that; what is not open has
        no lag.
        """
        self.manual, self._project = manual, project
        self._lent = False
        #: By space, why it could not be enriched.
        self.failures: dict[Space, str] = {}
        self._worker = worker
        self._waiting: dict[Space, None] = {}
        self._lock = threading.Lock()
        self.thread = BackgroundThread("meridia-enrichment", self._work)

    def notify(self, space: Space) -> None:
        """Say that something of a space is not read yet."""
        if self._lent or not self.manual:
            with self._lock:
                self._waiting[space] = None
            self.thread.wake()

    def noted(self, space: Space, notes: Sequence[str]) -> Sequence[str]:
        """Have done what notes say is missing, and add why it could not be done before."""
        self.notify(space)
        failure = self.failures.get(space)
        return [*notes, f"enrichment failed: {failure}"] if failure else notes

    def lend(self, work: Callable[[], float | None]) -> BackgroundThread:
        """Have the thread do other work from now on, and rest for the same answers; return it."""
        self.manual, self._lent, self.thread.work = True, True, work
        return self.thread

    def project(self, space: Space, should_continue: Callable[[], bool]) -> int | None:
        """Bring the graph of a space up to date if it is open; return how far behind it is."""
        return self._project(space, should_continue, self._lent)

    def taken(self) -> list[Space]:
        """Return the spaces that it was told of since the last time."""
        with self._lock:
            spaces, self._waiting = list(self._waiting), {}
        return spaces

    def read_few(
        self, space: Space, unread: Callable[[Space], int], embedder: Callable[[], Embedder | None]
    ) -> None:
        """Wait a moment where `unread` counts no more than are read in one: what was said just now.

        Where more is behind, nothing waits. The moment begins when the encoder is there, which the
        question needs as well.
        """
        if self.manual or self.failures.get(space) or not 0 < unread(space) <= _FEW:
            return
        self.notify(space)
        if (encoder := embedder()) is not None:
            encoder.embed(["loads it"])
        until = time.monotonic() + _MOMENT_S
        while unread(space) and time.monotonic() < until:
            time.sleep(_LOOK_S)

    def resting(self) -> AbstractContextManager[None]:
        """Leave the processor to who waits for an answer."""
        return self.thread.resting()

    def pause(self) -> None:
        """Let others go first, between two steps of the thread's work; elsewhere nothing."""
        self.thread.pause()

    def stop(self, wait_s: float = 10.0) -> None:
        """Stop for good at the end of the step at hand."""
        self.thread.stop(wait_s)

    def _work(self) -> float | None:
        """Work on the next space; return when to go on, None when nothing is left."""
        with self._lock:
            space = next(iter(self._waiting), None)
            if space is None:
                return None
            # What comes from now on is another turn's.
            del self._waiting[space]
        again_s = self._enrich(space)
        with self._lock:
            if again_s is not None:
                self._waiting[space] = None
            return (again_s or _BREATH_S) if self._waiting else None

    def _enrich(self, space: Space) -> float | None:
        until = time.monotonic() + _TURN_S

        def should_continue() -> bool:
            self.pause()
            return time.monotonic() < until

        try:
            done = self._worker().catch_up(space, should_continue, waits=False)
            done = done and not self.project(space, should_continue)
        except NotFound:  # the space was undone
            return None
        except Exception as error:  # noqa: BLE001 - an answer says it; a call of `enrich` raises it
            self.failures[space] = f"{type(error).__name__}: {error}"
            return _FAILED_S
        self.failures.pop(space, None)
        if done:
            return None
        return _BREATH_S if time.monotonic() >= until else _AGAIN_S
