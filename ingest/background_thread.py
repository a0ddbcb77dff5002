"""A daemon thread that works a small step at a time, and never holds up an answer or an exit.

Between two steps it rests while somebody waits for an answer, stops when it is asked to, and lets
the process fork. It ends when there was nothing to do for a while, and starts again when it is
woken: in the child of a fork too, where the thread of the parent does not exist.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from weakref import WeakSet

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
