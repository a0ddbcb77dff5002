"""What a model may cost: calls and tokens an hour and a day; retries, and pauses after failures.

The caller passes the present time, so that a replay or an import can use the time of its events. A
call reserves its maximum before it is made and is corrected to its real use, under one lock, so
that all threads together stay within the limits. Nothing here waits: a call over the limit is
refused. A pause saves a long import from waiting for the time limit at every event while the server
is down; each process has its own.
"""

from __future__ import annotations

import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from ..core.settings import ModelSettings
from .model_types import ModelAnswer, ModelOutcome, T


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


_PAUSE_S_MAX = 3600.0
_FAILED = frozenset(
    {
        ModelOutcome.TIMED_OUT,
        ModelOutcome.SERVER_ERROR,
        ModelOutcome.UNREACHABLE,
        ModelOutcome.RATE_LIMITED,
    }
)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How persistent the client is. Waits are in seconds and double from try to try.

    After `pause_after` questions in a row that a server failed, it is not asked for `pause_s`;
    0 never pauses. A server that says how long to stay away is always obeyed, up to an hour.
    """

    attempts_max: int = 4
    wait_s: float = 0.25
    wait_max_s: float = 4.0
    pause_after: int = 5
    pause_s: float = 60.0

    def wait_before(self, attempts: int, retry_after_s: float | None) -> float:
        """Return how long to wait after so many attempts, seconds; half of it is chance."""
        wait_s = min(self.wait_s * 2.0 ** (attempts - 1), self.wait_max_s)
        return max(wait_s * random.uniform(0.5, 1), retry_after_s or 0.0)  # noqa: S311 (no secret)


class CircuitBreaker:
    """Does not ask a failing server for a while, so that a long import does not wait for it."""

    def __init__(self, policy: RetryPolicy, now: Callable[[], float] = time.monotonic) -> None:
        self._policy = policy
        self._now = now
        self._lock = threading.Lock()
        self._failures = 0
        self._until = 0.0
        self._outcome = ModelOutcome.UNREACHABLE

    def remaining(self) -> tuple[float, ModelOutcome]:
        """Return for how many seconds more not to ask (0: ask), and what it was that failed."""
        with self._lock:
            return max(self._until - self._now(), 0.0), self._outcome

    def record(self, answer: ModelAnswer[T]) -> None:
        """Count how a question ended that was really asked."""
        with self._lock:
            failed = answer.outcome in _FAILED
            self._failures = self._failures + 1 if failed else 0
            wait = answer.retry_after_s or 0.0
            if 0 < self._policy.pause_after <= self._failures:
                wait = max(wait, self._policy.pause_s)
            if failed and wait > 0:
                self._outcome = answer.outcome
                self._until = max(self._until, self._now() + min(wait, _PAUSE_S_MAX))
