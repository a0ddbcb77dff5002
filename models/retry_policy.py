"""How often a request is retried, and when a failing server is not asked for a while.

The pause saves a long import from waiting for the time limit at every event while the server is
down. It is held in memory only, for each process.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from .model_types import ModelAnswer, ModelOutcome, T

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
