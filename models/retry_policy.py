"""How long the model client keeps trying, and when it leaves a failing server alone for a while.

A pause spares a long import from waiting for the time limit at every event while the server is
down. It is kept in memory only: another process finds out for itself.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from .model_types import ModelAnswer, ModelOutcome, T


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How persistent the client is. Waits are in seconds and double from try to try.

    After `pause_after` questions in a row that a server failed, it is left alone for `pause_s`;
    0 never pauses. A server that says how long to stay away is always obeyed, up to an hour.
    """

    attempts_max: int = 4
    wait_s: float = 0.25
    wait_max_s: float = 4.0
    pause_after: int = 5
    pause_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Timer:
    """Where waiting and the passing of time come from, so that tests need not wait."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random


class CircuitBreaker:
    """Leaves a failing server alone for a while, so that a long import does not wait for it."""

    _LONGEST_S = 3600.0
    _COUNTED = frozenset(
        {
            ModelOutcome.TIMED_OUT,
            ModelOutcome.SERVER_ERROR,
            ModelOutcome.UNREACHABLE,
            ModelOutcome.RATE_LIMITED,
        }
    )

    def __init__(self, policy: RetryPolicy, now: Callable[[], float]) -> None:
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
            failed = answer.outcome in self._COUNTED
            self._failures = self._failures + 1 if failed else 0
            wait = answer.retry_after_s or 0.0
            if 0 < self._policy.pause_after <= self._failures:
                wait = max(wait, self._policy.pause_s)
            if failed and wait > 0:
                self._outcome = answer.outcome
                self._until = max(self._until, self._now() + min(wait, self._LONGEST_S))
