"""The fan-out: who delivers what to which sink, and when, without holding anybody up.

A delivery waits in a queue under its key, space and sink, once; a few run at a time, each in a
thread of its own. It yields to captures: it begins when the journal of the space has not grown for
a moment, and where it never rests, after `_LATEST_S`, with one batch; then it queues again, behind
the others. What finds the queue full is skipped, said in the trace, and done the next time: a
skipped delivery loses nothing, for the cursor stays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event, Lock

from ...core.calls.arguments import checked
from ...core.errors import MeridiaError, NotFound
from ...core.types import Space
from ...graph.schema import partition
from ...storage.sinks.sink_state import SinkStatus, left_sinks, sink_names
from ..enrichment.passes import Progress
from .delivery import DeliveryContext, SinkDelivery
from .sink import Sink

Key = tuple[Space, str]

#: Seconds without a new entry after which a delivery begins, and the longest wait for them.
_QUIET_S, _LATEST_S = 0.2, 2.0


class FanoutDispatcher:
    """Delivers the spaces of one file to its sinks."""

    def __init__(self, context: DeliveryContext, sinks: Sequence[Sink]) -> None:
        self._context = context
        self._file = context.file
        self._deliveries = {sink.name: SinkDelivery(context, sink) for sink in sinks}
        self._waiting: dict[Key, Future[None]] = {}
        self._asked: set[Key] = set()
        self._lock = Lock()
        self._stopping = Event()
        self._threads = ThreadPoolExecutor(context.settings.concurrency, "meridia-sinks")

    @property
    def names(self) -> list[str]:
        """The sinks that the settings name."""
        return list(self._deliveries)

    def dispatch(self, space: Space) -> None:
        """Queue what is due in a space, and return at once."""
        for name, delivery in self._deliveries.items():
            if (space, name) not in self._waiting and delivery.is_due(space):
                self._queue(space, name)

    def wait(self) -> None:
        """Wait until nothing is queued; failures are in `status`."""
        while futures := list(self._waiting.values()):
            for future in futures:
                future.exception()

    def sync(
        self,
        space: Space,
        name: str | None = None,
        progress: Progress = lambda done, total: None,
    ) -> dict[str, str]:
        """Deliver all that is missing now, to one sink or all, and wait for it.

        Returns by sink what went wrong, "" where nothing did. No sink waits for another.
        `progress` is told how far the slowest is, in journal sequences, and where all will be.
        """
        names = [self._delivery(name).sink.name] if name else self.names
        for each in names:
            with self._lock:
                self._asked.add((space, each))
                queued = self._waiting.get((space, each))
            if queued:
                queued.exception()  # it holds the sink until the batch at hand is delivered
            self._asked.discard((space, each))
        stopped = Event()

        def goes_on() -> bool:
            stands = [self._deliveries[each].status(space) for each in names]
            progress(min(s.seq for s in stands), max(s.seq + s.lag for s in stands))
            return not (self._stopping.is_set() or stopped.is_set())

        with ThreadPoolExecutor(max(1, len(names)), "meridia-sinks") as threads:
            try:
                done = threads.map(lambda name: self._sync(space, name, goes_on), names)
                return dict(zip(names, done, strict=True))
            except BaseException:
                stopped.set()  # Ctrl-C: the batch at hand is the last one
                raise

    def rebuild(
        self,
        space: Space,
        name: str | None = None,
        progress: Progress = lambda done, total: None,
    ) -> dict[str, str]:
        """Empty a sink, or all, of a space and deliver everything again: see `sync`."""
        for each in [name] if name else self.names:
            self._delivery(each).restart(space)
        return self.sync(space, name, progress)

    def forget(self, space: Space) -> dict[str, str]:
        """Bring every forgetting of a space to the sinks that hold anything of it.

        Returns by sink why it was not possible, "" where it was.
        """
        answers = {}
        for name in sink_names(self._file.space(space).cursors):
            if name not in self._deliveries:
                answers[name] = "the settings do not name it any more"
                continue
            try:
                self._deliveries[name].forget(space)
                answers[name] = ""
            except MeridiaError as error:
                answers[name] = str(error)
        return answers

    def status(self, space: Space) -> list[SinkStatus]:
        """Return where each sink stands, those too that were filled once and are named no more."""
        statuses = [delivery.status(space) for delivery in self._deliveries.values()]
        head = self._file.journal.head(space).seq
        return [*statuses, *left_sinks(self._file.space(space), self._deliveries, head)]

    def count(self, space: Space, name: str) -> int:
        """Ask a sink how many memories it holds of a space."""
        return self._delivery(name).sink.count(partition(self._file.journal, space))

    def close(self) -> None:
        """Stop after the batches at hand and release every sink."""
        self._stopping.set()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for delivery in self._deliveries.values():
            delivery.sink.close()

    def _queue(self, space: Space, name: str) -> None:
        with self._lock:
            if len(self._waiting) >= self._context.settings.queue_max:
                line = ("sink", "skipped", name)
                detail = {"reason": "too many deliveries wait"}
                self._file.space(space).trace(self._file.clock(), line, detail)
                return
            key = space, name
            self._waiting[key] = self._threads.submit(self._run, key)

    def _run(self, key: Key) -> None:
        """Deliver while nothing is captured, but at least one batch."""
        space, name = key
        is_done = True
        try:
            if (head := self._quiet_head(key)) is not None:
                is_done = self._deliveries[name].deliver(
                    space, lambda: not self._must_end(key) and self._head(space) == head
                )
        except MeridiaError:
            pass  # it is noted in the status of the sink
        finally:
            with self._lock:
                if is_done or self._must_end(key):
                    self._waiting.pop(key, None)
                else:
                    self._waiting[key] = self._threads.submit(self._run, key)

    def _quiet_head(self, key: Key) -> int | None:
        """Return where the journal of a space rests; -1: nowhere; None: do nothing."""
        head, latest = self._head(key[0]), time.monotonic() + _LATEST_S
        while not self._must_end(key):
            self._stopping.wait(_QUIET_S)
            before, head = head, self._head(key[0])
            if not self._must_end(key) and (head == before or time.monotonic() >= latest):
                return head if head == before else -1
        return None

    def _must_end(self, key: Key) -> bool:
        return self._stopping.is_set() or key in self._asked

    def _head(self, space: Space) -> int:
        return self._file.journal.head(space).seq

    def _sync(self, space: Space, name: str, goes_on: Callable[[], bool]) -> str:
        """Deliver while it goes on, until all is there, and return what went wrong."""
        try:
            self._deliveries[name].deliver(space, goes_on)
        except MeridiaError as error:
            return str(error)
        return ""

    def _delivery(self, name: str) -> SinkDelivery:
        if name not in self._deliveries:
            names = ", ".join(self.names) or "none (docs/sinks.md)"
            raise NotFound(f"there is no sink {name!r}; the settings have {names}")
        return self._deliveries[name]


@checked
class SpaceSinks:
    """What is delivered of one space, and where: see `docs/sinks.md`."""

    def __init__(self, dispatcher: FanoutDispatcher, space: Space) -> None:
        self._dispatcher = dispatcher
        self._space = space

    def status(self) -> list[SinkStatus]:
        """Return the state of each sink: its lag and its last failure."""
        return self._dispatcher.status(self._space)

    def sync(
        self, name: str | None = None, progress: Progress = lambda done, total: None
    ) -> dict[str, str]:
        """Deliver all missing entries to one sink or all; return the failure of each sink, or "".

        `progress` is told how far the slowest is, in journal sequences, and where all will be.
        Raises `NotFound` for a sink that the settings do not name.
        """
        return self._dispatcher.sync(self._space, name, progress)

    def rebuild(
        self, name: str | None = None, progress: Progress = lambda done, total: None
    ) -> dict[str, str]:
        """Empty one sink or all of the space and deliver everything again; see `sync`."""
        return self._dispatcher.rebuild(self._space, name, progress)

    def count(self, name: str) -> int:
        """Return how many memories of the space a sink has; raises `Unavailable`."""
        return self._dispatcher.count(self._space, name)

    def dispatch(self) -> None:
        """Deliver what is due, in the background, and return at once."""
        self._dispatcher.dispatch(self._space)
