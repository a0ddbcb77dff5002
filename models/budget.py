"""The budget of model calls: calls and tokens, an hour and a day.

The caller passes the present time, so that a replay or an import can use the time of its events. A
call reserves its maximum before it is made and is corrected to its real use, under one lock, so
that all threads together stay within the limits. Nothing here waits: a call over the limit is
refused.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from ..core.settings import ModelSettings


@dataclass(slots=True)
class BudgetUsage:
    """What has been spent in one hour or one day."""

    calls: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reservation:
    """A place in the budget, held for one call."""

    at: datetime
    tokens: int


class Budget:
    """Counts calls and tokens by the hour and the day of UTC. Safe to share between threads.

    `earlier` are the time and the tokens of calls that were made before, by other processes too.
    """

    def __init__(self, limits: ModelSettings, earlier: Iterable[tuple[datetime, int]] = ()) -> None:
        self._limits = limits
        self._spent: defaultdict[str, BudgetUsage] = defaultdict(BudgetUsage)
        self._lock = threading.Lock()
        for at, tokens in earlier:
            self._add(at, 1, tokens)

    def reserve(self, at: datetime, tokens: int) -> Reservation | str:
        """Hold a place for one call of at most `tokens`, or return which limit has no room."""
        with self._lock:
            hour, day = (self._spent[window] for window in _windows(at))
            for name, spent, wanted in (
                ("calls_per_hour", hour.calls, 1),
                ("calls_per_day", day.calls, 1),
                ("tokens_per_hour", hour.tokens, tokens),
                ("tokens_per_day", day.tokens, tokens),
            ):
                limit = getattr(self._limits, name)
                if spent + wanted > limit:
                    return f"{name}: {spent} of {limit} are spent, {wanted} more do not fit"
            self._add(at, 1, tokens)
        return Reservation(at, tokens)

    def reconcile(self, reservation: Reservation, tokens: int) -> None:
        """Count what the call took instead of what was reserved; the call itself stays counted."""
        with self._lock:
            self._add(reservation.at, 0, tokens - reservation.tokens)

    def spent(self, at: datetime) -> tuple[BudgetUsage, BudgetUsage]:
        """Return what is spent or reserved in the hour and in the day of `at`."""
        with self._lock:
            hour, day = (self._spent.get(window, BudgetUsage()) for window in _windows(at))
            return BudgetUsage(hour.calls, hour.tokens), BudgetUsage(day.calls, day.tokens)

    def _add(self, at: datetime, calls: int, tokens: int) -> None:
        for window in _windows(at):
            self._spent[window].calls += calls
            self._spent[window].tokens += tokens


def _windows(at: datetime) -> tuple[str, str]:
    """Return the hour and the day of an instant, as keys."""
    instant = at.astimezone(UTC)
    return f"{instant:%Y-%m-%dT%H}", f"{instant:%Y-%m-%d}"
