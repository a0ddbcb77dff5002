"""Runs users' statements on a copy of an embedded graph in another process: `kglite_query`.

The process is started with the first statement and stays. What is committed to the graph goes to
it with the next statement, so that it answers about the newest graph. Where a statement ended it,
the next one starts another.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, suppress
from pathlib import Path
from typing import Any

from ...core import errors
from ...core.errors import MeridiaError, Refused, Unavailable
from ...core.ports import Table
from ...storage.companion_files import PrivateFolder
from .query_guard import CheckedStatement, memory_refusal, timeout_refusal

#: A statement and its parameters, as they changed the graph.
Change = tuple[str, Mapping[str, Any]]

#: Graphs that have a process at the same time; one more takes that of the oldest.
_PROCESSES_MAX = 4
#: A statement is run again so often on a graph that was emptied meanwhile.
_TRIES = 5
#: Changes that wait for the next statement; with more, the process reads the graph again.
_CHANGES_MAX = 1_000
#: How long reading the graph and refreshing an index may take, beside the statement itself.
_UPKEEP_S = 60.0
#: Allocators reserve little ahead there: what they reserve would count as used, and be free to use.
_ALLOCATORS = {"MALLOC_ARENA_MAX": "2", "MIMALLOC_ARENA_RESERVE": "64MiB"}
#: What the engine or Python says before a process ends for lack of memory.
_NO_MEMORY = (b"memory allocation", b"MemoryError", b"out of memory")


class QueryProcess:
    """Answers statements about one graph. Threads may share it; they take turns."""

    def __init__(self, writing: AbstractContextManager[Any], memory_mb: int) -> None:
        """Answer; `writing` keeps the graph as it is, a statement may use `memory_mb` beside it."""
        self._writing = writing
        self._memory_mb = memory_mb
        self._asking = threading.Lock()
        #: Held to look at the process and at what it knows, and for nothing that takes long.
        self._looking = threading.Lock()
        self._worker: _Worker | None = None

    def ask(
        self,
        backup: Callable[[Path], None],
        checked: CheckedStatement,
        parameters: Mapping[str, Any],
        timeout_s: float,
        row_limit: int,
    ) -> Table:
        """Run a statement that the guard admitted by its words.

        `backup` writes the graph to a file. Where the graph is emptied meanwhile, the statement is
        run on the new one. Raises `Refused` where it needs more time or memory than it may, or ends
        the engine.
        """
        if not self._asking.acquire(timeout=timeout_s):
            raise Unavailable(f"other statements ran for {timeout_s:g} s: try again")
        try:
            for _ in range(_TRIES):
                try:
                    worker = self._loaded(backup)
                    answer = worker.ask(
                        "ask", checked, parameters, timeout_s, row_limit, self._memory_mb
                    )
                    break
                except _EndedError as ended:
                    if self._drop(ended.worker):
                        raise ended.refusal(timeout_s, self._memory_mb) from None
            else:
                raise Unavailable("the graph was emptied each time the statement began: try again")
            if answer["last"]:
                self._drop(worker)
        except MeridiaError:
            raise
        except BaseException:
            self.kill()  # an answer may still come, and would be taken for that of the next
            raise
        finally:
            self._asking.release()
        columns, rows, notes = answer["columns"], answer["rows"], tuple(answer["notes"])
        return Table(columns, rows, answer["truncated"], notes)

    def follow(self, changes: Sequence[Change]) -> None:
        """Send what was just committed to the process with its next statement."""
        with self._looking:
            if self._worker is not None and self._worker.changes is not None:
                self._worker.changes += changes
                if len(self._worker.changes) > _CHANGES_MAX:
                    self._worker.changes = None

    def kill(self) -> None:
        """End the process at once, with all that it knows."""
        if (worker := self._worker) is not None:
            self._drop(worker)

    def release(self) -> bool:
        """Leave the process to another graph; return whether it was free."""
        if not self._asking.acquire(blocking=False):
            return False
        try:
            if (worker := self._worker) is None:
                return True
            worker.ask("unload")
            worker.changes = None
            if self._takes(worker):
                with _POOL:
                    _FREE.append(worker)
        except _EndedError as ended:
            self._drop(ended.worker)
        finally:
            self._asking.release()
        return True

    def _takes(self, worker: _Worker) -> bool:
        """Leave a process; return whether nobody else has done so."""
        with self._looking:
            if self._worker is not worker:
                return False
            self._worker = None
        with _POOL:
            _USERS.remove(self)
        return True

    def _drop(self, worker: _Worker) -> bool:
        """End a process; return whether nobody else has done so."""
        is_mine = self._takes(worker)
        worker.kill()
        return is_mine

    def _loaded(self, backup: Callable[[Path], None]) -> _Worker:
        """Return the process with the graph in it, as it is now."""
        worker = self._worker
        if worker is not None and not worker.is_alive:
            self._drop(worker)
            worker = None
        if worker is None:
            worker = _worker_for(self)
            with self._looking:
                self._worker = worker
        with self._looking:
            changes = worker.changes
            worker.changes = None if changes is None else []
        try:
            if changes:
                worker.ask("follow", changes)
        except MeridiaError:  # it knows some of them
            changes = None
        if changes is None:
            with closing(PrivateFolder()) as folder:
                path = folder.path / "graph.kgl"
                with self._writing:
                    backup(path)
                    worker.changes = []
                worker.ask("load", str(path))
        return worker


class _EndedError(Exception):
    """The process ended before it answered: with which status, and what it said last."""

    def __init__(self, worker: _Worker, status: int, last_words: bytes) -> None:
        super().__init__(status)
        self.worker = worker
        self._status, self._last_words = status, last_words

    def refusal(self, timeout_s: float, memory_mb: int) -> Refused:
        """Return what to tell the author of the statement."""
        if self._status == -getattr(signal, "SIGALRM", 0):
            return timeout_refusal(timeout_s)
        if any(words in self._last_words for words in _NO_MEMORY):
            return memory_refusal(memory_mb)
        return Refused(
            "the statement crashed the graph engine, and nothing was changed: it is nested too "
            "deeply or too large; split it into several smaller ones"
        )


class _Worker:
    """The other process, as this one sees it."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        #: Held by who sends a request and waits for its answer.
        self._talking = threading.Lock()
        #: What it does not know yet of its graph; None where it does not know the graph.
        self.changes: list[Change] | None = None
        self._last_words = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        environment = {"PYTHONPATH": os.pathsep.join(sys.path), **_ALLOCATORS}
        self._process = subprocess.Popen(  # noqa: S603 - this Python, with a module of ours
            [sys.executable, "-m", f"{__package__}.kglite_query"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._last_words,
            env={**os.environ, **environment},
            start_new_session=True,  # Ctrl-C is for the process that asks
        )

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked: a fork of its owner cannot."""
        return self._owner == os.getpid() and self._process.poll() is None

    def ask(self, name: str, *arguments: Any) -> dict[str, Any]:
        """Send a request and return the answer; raise its error, or `_EndedError`."""
        with self._talking:
            answer = self._ask(name, arguments)
        if "error" in answer:
            kind, message = answer["error"]
            raise getattr(errors, kind)(message)
        return answer

    def _ask(self, name: str, arguments: Sequence[Any]) -> dict[str, Any]:
        if self._last_words.closed:
            raise _EndedError(self, 0, b"")
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answers is not None
        # A statement's own time is kept over there; this is for what hangs all the same.
        allowed_s = _UPKEEP_S + (arguments[2] if name == "ask" else 0.0)
        watch = threading.Timer(allowed_s, self._process.kill)
        watch.start()
        try:
            pickle.dump((name, arguments), requests)
            requests.flush()
            line = answers.readline()
        except OSError:
            line = b""
        finally:
            watch.cancel()
        if not line.endswith(b"\n"):
            raise self._ended()
        answer: dict[str, Any] = json.loads(line)
        return answer

    def kill(self) -> None:
        """End it, if this is its owner."""
        if self._owner != os.getpid():
            self._close()
            return
        self._process.kill()
        with self._talking:  # whoever waits for an answer is told first
            self._process.wait()
            self._close()

    def _close(self) -> None:
        for file in (self._process.stdin, self._process.stdout, self._last_words):
            if file is not None:
                with suppress(OSError):  # of a request that was not sent to the end
                    file.close()

    def _ended(self) -> _EndedError:
        self._process.kill()
        status = self._process.wait()
        self._last_words.seek(0)
        return _EndedError(self, status, self._last_words.read())


#: Graphs that have a process, the oldest first, and processes that are free.
_USERS: list[QueryProcess] = []
_FREE: list[_Worker] = []
_POOL = threading.Lock()


def _worker_for(user: QueryProcess) -> _Worker:
    """Return a process for one more graph: a free one, or another."""
    with _POOL:
        oldest = _USERS[: max(0, len(_USERS) + 1 - _PROCESSES_MAX)]
    for other in oldest:
        if other.release():
            break
    with _POOL:
        while _FREE and not _FREE[-1].is_alive:
            _FREE.pop().kill()
        worker = _FREE.pop() if _FREE else _Worker()
        _USERS.append(user)
    return worker


@atexit.register
def _kill_all() -> None:
    for user in _USERS[:]:  # which each leaves
        user.kill()
    while _FREE:
        _FREE.pop().kill()
