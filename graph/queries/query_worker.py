"""The process that runs users' statements on a copy of an embedded graph, one at a time.

A statement can make the engine take all memory, overflow its stack, or run past its time limit:
that ends this process, and the one that asked goes on. Requests come on standard input, each a
pickle of a name and its arguments; an answer is one line of JSON on standard output.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kglite

from ...core.errors import MeridiaError, Refused
from ...core.ports import Table
from ..schema import BOOKKEEPING, for_label
from .kglite_query import refresh_text_index, run_query
from .query_guard import CheckedStatement, memory_refusal

if sys.platform != "win32":
    import resource

#: How long past its time limit a statement may run before the process is ended.
_GRACE_S = 0.5
_MB = 1024 * 1024
_ANSWER_MB_MAX = 64


class QueryWorker:
    """Holds the copy and answers about it, in JSON."""

    def __init__(self) -> None:
        self._session: kglite.Session | None = None

    def load(self, path: str) -> str:
        """Read the copy at `path`."""
        self._session = kglite.open_session(path, write_budget=None)
        return "{}"

    def unload(self) -> str:
        """Give up the copy."""
        self._session = None
        return "{}"

    def ask(
        self,
        changes: Sequence[tuple[str, Mapping[str, Any]]],
        checked: CheckedStatement,
        parameters: Mapping[str, Any],
        timeout_s: float,
        row_limit: int,
        memory_mb: int,
    ) -> str:
        """Run a statement on the graph with its latest changes, within limits.

        `last` in the answer says that the process kept so much memory that it is to be ended.
        """
        if self._session is None:
            raise MeridiaError("no graph was loaded")
        for text, values in changes:
            self._session.execute(text, params=dict(values))
        # Of the copy only: how far the projection has come is no part of what a query sees.
        hiding = for_label("write/forget_projection", BOOKKEEPING)
        self._session.execute(hiding, params={"projection": parameters["space"]})
        refresh_text_index(self._session, checked.text)
        before, more = _address_space(), memory_mb * _MB
        try:
            with _limited(timeout_s, before + more):
                table = run_query(self._session, checked, parameters, timeout_s, row_limit)
                fields = {name: getattr(table, name) for name in Table.__slots__}
                answer = json.dumps({**fields, "last": _address_space() > before + more / 4})
        except MemoryError:
            raise memory_refusal(memory_mb) from None
        if len(answer) > _ANSWER_MB_MAX * _MB:
            raise Refused(f"the answer is larger than {_ANSWER_MB_MAX} MB: return less of it")
        return answer


@contextmanager
def _limited(timeout_s: float, bytes_max: int) -> Iterator[None]:
    """End this process where it needs more time, or more addresses in all."""
    if sys.platform == "win32":  # there the one that asked keeps the time, and nobody the memory
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, timeout_s + _GRACE_S)
    resource.setrlimit(resource.RLIMIT_AS, (bytes_max, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _address_space() -> int:
    """Return how many bytes of addresses this process uses; 0 where that is not known."""
    try:
        pages = Path("/proc/self/statm").read_text("ascii").split()[0]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _answer(worker: QueryWorker, name: str, arguments: Sequence[Any]) -> str:
    """Return what a request gives, or its error, as JSON."""
    try:
        return str(getattr(worker, name)(*arguments))
    except MeridiaError as error:
        problem = type(error).__name__, str(error)
    except (kglite.KgError, RuntimeError, ValueError, OSError) as error:
        problem = MeridiaError.__name__, f"the graph failed: {error}"
    return json.dumps({"error": problem})


def main() -> None:
    """Answer requests until the one that asks is gone."""
    kglite.set_query_warning_policy("silent")
    requests = sys.stdin.buffer
    # What the engine prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    worker = QueryWorker()
    while True:
        try:
            name, arguments = pickle.load(requests)  # noqa: S301 - from the process that made this one
        except EOFError:
            return
        answers.write(_answer(worker, name, arguments) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
