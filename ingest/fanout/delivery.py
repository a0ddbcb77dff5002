"""Delivers the journal of a space to one sink: forgettings first, then batches behind a cursor.

One process at a time does it, by a lease. A crash repeats at most one batch, which changes nothing
there. A sink that does not answer is tried again a few times, and then left until later: its cursor
stays, and with it all that it lacks. Nothing here runs before an acknowledgement.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from ...core.entries import EpisodeSynthesised, Forgotten
from ...core.errors import MeridiaError, Unavailable
from ...core.settings import SanitiseSettings, SinksSettings
from ...core.types import EntryKind, Payload, Space
from ...graph.schema import Partition, partition
from ...storage.sinks.sink_state import SinkState, SinkStatus
from ...storage.store import Store
from ...storage.upkeep import newest_forgetting
from ...storage.work import TERM, new_owner
from .sink import Runs, Sink, SinkBatch, is_withheld, outward_entries

ShouldContinue = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class DeliveryContext:
    """What every delivery needs: the file, how it is delivered, and how far a space may be.

    `until` returns the last sequence of a space whose texts are enriched and embedded.
    """

    file: Store
    settings: SinksSettings
    policy: SanitiseSettings
    until: Callable[[Space], int]
    sleep: Callable[[float], None] = time.sleep


class SinkDelivery:
    """Delivers to one sink, of any space."""

    def __init__(self, context: DeliveryContext, sink: Sink) -> None:
        self._context = context
        self._file = context.file
        self.sink = sink

    def is_due(self, space: Space) -> bool:
        """Return whether a delivery is to begin of its own accord.

        After a forgetting, at the end of a session, and after so many captures; where the last one
        failed, not before its time.
        """
        failure = self._state(space).failure()
        if failure is not None and self._file.clock() < failure.due_at:
            return False
        if self._outstanding(space):
            return True
        start, end = self._position(space), self._context.until(space)
        if start >= end:
            return False
        kind = EntryKind.EPISODE_SYNTHESISED
        settings, journal = self._context.settings, self._file.journal
        episodes = [e.payload for e in journal.of_kind(space, kind, after=start) if e.seq <= end]
        return any(
            isinstance(episode, EpisodeSynthesised) and len(episode.sources) >= settings.session_min
            for episode in episodes
        ) or self._file.catalog.has_captures(space, start, end, settings.every)

    def status(self, space: Space) -> SinkStatus:
        """Return where the sink stands."""
        state, seq = self._state(space), self._position(space)
        failure = state.failure()
        return SinkStatus(
            name=self.sink.name,
            seq=seq,
            lag=max(0, self._file.journal.head(space).seq - seq),
            forgettings=len(self._outstanding(space)),
            failures=failure.attempts if failure else 0,
            error=failure.error if failure else "",
            retry_at=failure.due_at if failure else None,
        )

    def restart(self, space: Space) -> None:
        """Have the next delivery begin with an empty sink."""
        self._state(space).restart()

    def deliver(self, space: Space, should_continue: ShouldContinue = lambda: True) -> bool:
        """Deliver a batch, and what else is missing while `should_continue()`; say if that is all.

        Raises `Unavailable`, or another `MeridiaError`, when the sink fails after all tries; the
        failure is noted. `Unavailable` too while another process delivers to it.
        """
        with self._leased(space) as renew:
            begun = self._state(space).begun
            if self._file.journal.is_outdated(space, self._position(space), begun):
                self.restart(space)
            while self._step(space):
                if not should_continue():
                    return False
                renew()
        return True

    def forget(self, space: Space) -> None:
        """Bring every forgetting to the sink, and nothing else; raises what `deliver` does."""
        with self._leased(space):
            self._forget(space, newest_forgetting(self._file, space))

    @contextmanager
    def _leased(self, space: Space) -> Iterator[Callable[[], object]]:
        """Let nobody else deliver to the sink, and note how it ends; gives what renews that."""
        owner, held = new_owner(), self._file.space(space).leases
        work, state, taken_at = f"sink {self.sink.name}", self._state(space), self._file.clock()

        def renew() -> None:
            """Renew it where that is due: each time is a commit, and captures wait for that."""
            nonlocal taken_at
            if (now := self._file.clock()) - taken_at > TERM / 4:
                held.take(work, owner, now)
                taken_at = now

        if not held.take(work, owner, taken_at):
            raise Unavailable(f"another process is delivering to {self.sink.name}: try again")
        try:
            yield renew
        except Exception as error:
            reason = str(error) if isinstance(error, MeridiaError) else type(error).__name__
            state.fail(reason, self._file.clock())
            self._trace(space, "failed", {"error": type(error).__name__})
            raise
        else:
            state.succeed()
        finally:
            held.release(work, owner)

    def _step(self, space: Space) -> bool:
        """Bring what was forgotten to the sink, and one batch; say whether there may be more.

        What was delivered and is read otherwise since then was begun again: see `deliver`.
        """
        newest = newest_forgetting(self._file, space)
        self._forget(space, newest)
        start, end = self._position(space), self._context.until(space)
        if start >= end:
            return False
        entries = self._file.journal.read(space, start, self._context.settings.batch)
        entries = [entry for entry in entries if entry.seq <= end]
        last = entries[-1].seq if entries else end
        policy, target = self._context.policy, self.sink.target
        leaving = outward_entries(entries, partial(self._withheld, space), policy, target)
        if leaving:
            batch = SinkBatch(self._partition(space), start, last, leaving)
            self._try(partial(self.sink.deliver, batch))
        state = self._state(space)
        with self._file.writing(appends=False):
            if self._position(space) == start:
                state.move(self.sink.version, last)
                if newest_forgetting(self._file, space) != newest:
                    # What was read before the forgetting may have come there after it.
                    state.forgotten = min(newest, state.forgotten)
            self._trace(space, "delivered", {"until": int(last), "entries": len(leaving)})
        return True

    def _forget(self, space: Space, newest: int) -> None:
        """Bring every forgetting up to the newest to the sink; at the beginning it is emptied."""
        state, mine = self._state(space), self._partition(space)
        if self._position(space) == 0:
            # Noted before anything is there, so that who forgets knows where to look.
            state.move(self.sink.version, 0)
            state.begun = self._file.journal.head(space).seq
            self._try(partial(self.sink.drop, mine))
            state.forgotten = newest
        for seq, erased in self._outstanding(space):
            if not self._try(partial(self.sink.forget, mine, erased)):
                state.restart()
            state.forgotten = seq
            self._trace(space, "forgotten", {"entry": seq})

    def _outstanding(self, space: Space) -> list[tuple[int, Runs]]:
        """Return the forgettings that have not reached the sink: sequence, and what was erased."""
        after = self._state(space).forgotten
        if newest_forgetting(self._file, space) <= after:
            return []
        entries = self._file.journal.of_kind(space, EntryKind.FORGOTTEN, after=after)
        return [(e.seq, e.payload.erased) for e in entries if isinstance(e.payload, Forgotten)]

    def _try(self, work: Callable[[], bool | None]) -> bool | None:
        """Do what may fail, a few times while the sink does not answer."""
        settings = self._context.settings
        for attempt in range(1, settings.attempts):
            try:
                return work()
            except Unavailable:
                wait = min(settings.backoff_s * 2 ** (attempt - 1), settings.backoff_s_max)
                spread = settings.jitter * wait
                self._context.sleep(wait + random.uniform(-spread, spread))  # noqa: S311 - no secret
        return work()

    def _trace(self, space: Space, decision: str, detail: Payload) -> None:
        line = ("sink", decision, self.sink.name)
        self._file.space(space).trace(self._file.clock(), line, detail)

    def _withheld(self, space: Space, ids: Sequence[str]) -> set[str]:
        entries = self._file.journal.by_ids(space, ids)
        return set(ids) - {entry.id for entry in entries if not is_withheld(entry)}

    def _partition(self, space: Space) -> Partition:
        return partition(self._file.journal, space)

    def _position(self, space: Space) -> int:
        return self._state(space).position(self.sink.version)

    def _state(self, space: Space) -> SinkState:
        return SinkState(self._file.space(space), self.sink.name)
