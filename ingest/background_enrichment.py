"""Enrichment in a daemon thread: what was captured is read without holding up an answer or an exit.

It derives what a call of `enrich` would, in the same order and in small steps, and asks no language
model. Between two steps it rests while somebody waits for an answer, stops when it is asked to, and
lets the process fork. It ends when there was nothing to do for a while, and starts again when it is
woken: in the child of a fork too, where the thread of the parent does not exist.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING
from weakref import WeakSet

from ..core.errors import NotFound
from ..core.types import Space
from ..models.tokens import Embedder

if TYPE_CHECKING:
    from .enrichment.worker import EnrichmentWorker

#: A step waits at most so long for who is answering, and an exit or a fork for the step at hand.
_REST_S, _STEP_S = 0.1, 2.0
#: Without anything to do the thread ends after so long, seconds.
_IDLE_S = 5.0


class Stopped(BaseException):
    """The thread is to stop: raised between two steps, and never taken for a failure of one."""


class BackgroundThread:
    """Calls `work` whenever it was woken, or `work` returned after how many seconds to go on."""

    def __init__(self, name: str, work: Callable[[], float | None]) -> None:
        self._name = name
        #: What is called; another may take its place before the first `wake`.
        self.work = work
        self._stopping = self._held = False
        self._reset()
        _threads.add(self)

    def _reset(self) -> None:
        """Begin without a thread, as in the child of a fork."""
        self._changed = threading.Condition()
        #: Held while a step runs: who has it, knows that none does.
        self._step = threading.Lock()
        self._thread: threading.Thread | None = None
        self._woken = False
        self._answering, self._answered = 0, 0

    def wake(self) -> None:
        """Say that there is something to do; nothing happens after `stop`."""
        with self._changed:
            if self._stopping:
                return
            self._woken = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._changed.notify_all()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Have no new step begun while somebody waits for an answer."""
        with self._changed:
            self._answering += 1
        try:
            yield
        finally:
            with self._changed:
                self._answering -= 1
                self._answered += 1
                self._changed.notify_all()

    def stop(self, wait_s: float) -> bool:
        """Stop for good at the next pause; return whether it has stopped within `wait_s`."""
        with self._changed:
            self._stopping = True
            thread = self._thread
            self._changed.notify_all()
        if thread is not None and thread is not threading.current_thread():
            thread.join(wait_s)
            return not thread.is_alive()
        return True

    def pause(self) -> None:
        """Let others go first; called by the work between two steps, holding no lock.

        Raises `Stopped` when the thread is to stop. In another thread it does nothing.
        """
        if threading.current_thread() is not self._thread:
            return
        self._step.release()
        try:
            with self._changed:
                before = self._answered
                self._changed.wait_for(
                    lambda: self._stopping or not self._answering or self._answered != before,
                    _REST_S,
                )
        finally:
            self._step.acquire()
        if self._stopping:
            raise Stopped

    def _run(self) -> None:
        again_s: float | None = None
        try:
            while self._is_wanted(again_s):
                with self._step:
                    again_s = self.work()
        except Stopped:
            pass
        finally:
            # What the work raised has ended this thread: the next `wake` starts another.
            with self._changed:
                if self._thread is threading.current_thread():
                    self._thread = None

    def _is_wanted(self, again_s: float | None) -> bool:
        """Wait until there is something to do; without anything the thread ends."""
        wait_s = _IDLE_S if again_s is None else again_s
        with self._changed:
            self._changed.wait_for(lambda: self._woken or self._stopping, wait_s)
            wanted = not self._stopping and (self._woken or again_s is not None)
            self._woken = False
            if not wanted:
                self._thread = None
            return wanted

    # Exits and forks

    def _hold(self) -> None:
        self._held = self._step.acquire(timeout=_STEP_S)

    def _let_go(self) -> None:
        if self._held:
            self._step.release()


#: All of the process; an exit stops them, and a fork waits for the steps at hand.
_threads: WeakSet[BackgroundThread] = WeakSet()


@atexit.register
def _stop_all() -> None:
    deadline = time.monotonic() + _STEP_S
    for thread in list(_threads):
        thread.stop(max(0.0, deadline - time.monotonic()))


def _before_fork() -> None:
    for thread in list(_threads):
        thread._hold()  # noqa: SLF001 - of this module


def _after_fork_in_parent() -> None:
    for thread in list(_threads):
        thread._let_go()  # noqa: SLF001 - of this module


def _after_fork_in_child() -> None:
    for thread in list(_threads):
        thread._reset()  # noqa: SLF001 - of this module


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )


#: A space is worked on for so long, then others may have its lease for a moment, seconds.
_TURN_S, _BREATH_S = 2.0, 0.12
#: Where another process enriches the space, or something failed, it is looked at again then.
_AGAIN_S, _FAILED_S = 1.0, 30.0
#: So few memories are read in a moment, which an answer waits for at most; it looks so often.
_FEW, _MOMENT_S, _LOOK_S = 100, 0.8, 0.01


class BackgroundEnrichment:
    """Enriches the spaces of one file that it is told of; `manual` does nothing."""

    def __init__(
        self,
        worker: Callable[[], EnrichmentWorker],
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
