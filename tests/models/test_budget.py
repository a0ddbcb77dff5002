"""Budgets: what does not fit is refused, whoever asks and however many at once."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.settings import ModelSettings
from meridia.models.budget import Budget, Reservation

NAMES = ("calls_per_hour", "calls_per_day", "tokens_per_hour", "tokens_per_day")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def limits_of(**limits: int) -> ModelSettings:
    """Return settings with these limits, and none but these that matter."""
    return ModelSettings(**{**dict.fromkeys(NAMES, 10**12), **limits})


def test_what_fits_is_granted():
    budget = Budget(limits_of())
    assert all(isinstance(budget.reserve(NOON, 10**9), Reservation) for _ in range(100))


@pytest.mark.parametrize("name", ["calls_per_hour", "calls_per_day"])
def test_the_call_over_the_limit_is_refused_by_the_name_of_the_limit(name):
    budget = Budget(limits_of(**{name: 2}))
    assert isinstance(budget.reserve(NOON, 1), Reservation)
    assert isinstance(budget.reserve(NOON, 1), Reservation)
    assert str(budget.reserve(NOON, 1)).startswith(f"{name}: 2 of 2 are spent")


@pytest.mark.parametrize("name", ["tokens_per_hour", "tokens_per_day"])
def test_tokens_count_at_their_most_before_a_call_and_as_they_were_after_it(name):
    budget = Budget(limits_of(**{name: 100}))
    held = budget.reserve(NOON, 90)
    assert isinstance(held, Reservation)
    assert str(budget.reserve(NOON, 11)).startswith(name)
    budget.reconcile(held, 40)
    assert isinstance(budget.reserve(NOON, 60), Reservation)
    assert str(budget.reserve(NOON, 1)).startswith(name)


def test_a_limit_of_nothing_lets_nothing_through():
    assert isinstance(Budget(limits_of(calls_per_day=0)).reserve(NOON, 0), str)


def test_the_next_hour_and_the_next_day_begin_anew():
    budget = Budget(limits_of(calls_per_hour=1, calls_per_day=2))
    assert isinstance(budget.reserve(NOON, 1), Reservation)
    assert str(budget.reserve(NOON + timedelta(minutes=59), 1)).startswith("calls_per_hour")
    assert isinstance(budget.reserve(NOON + timedelta(hours=1), 1), Reservation)
    assert str(budget.reserve(NOON + timedelta(hours=2), 1)).startswith("calls_per_day")
    assert isinstance(budget.reserve(NOON + timedelta(hours=12), 1), Reservation)


def test_an_hour_is_the_same_hour_in_every_timezone():
    budget = Budget(limits_of(calls_per_hour=1))
    assert isinstance(budget.reserve(NOON, 1), Reservation)
    assert isinstance(budget.reserve(NOON.astimezone(timezone(timedelta(hours=5.5))), 1), str)


def test_times_may_come_in_any_order_because_events_do():
    budget = Budget(limits_of(calls_per_hour=1))
    later, earlier = NOON + timedelta(days=3), NOON
    assert [isinstance(budget.reserve(at, 1), str) for at in (later, earlier, later, earlier)] == [
        False,
        False,
        True,
        True,
    ]


def test_what_another_process_spent_counts():
    budget = Budget(limits_of(tokens_per_hour=100, calls_per_day=2), [(NOON, 95)])
    assert str(budget.reserve(NOON, 6)).startswith("tokens_per_hour")
    assert isinstance(budget.reserve(NOON, 5), Reservation)
    assert str(budget.reserve(NOON + timedelta(hours=1), 1)).startswith("calls_per_day")


def test_threads_together_stay_within_the_limits():
    budget = Budget(limits_of(calls_per_hour=50, tokens_per_day=4_000))
    granted: list[Reservation] = []
    start = threading.Barrier(8)

    def spend() -> None:
        start.wait()
        for _ in range(100):
            held = budget.reserve(NOON, 100)
            if isinstance(held, Reservation):
                granted.append(held)
                budget.reconcile(held, 90)

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    hour, day = budget.spent(NOON)
    assert len(granted) == hour.calls == day.calls <= 50
    assert day.tokens == 90 * len(granted) <= 4_000
    assert len(granted) >= 40


@given(
    st.lists(st.tuples(st.integers(0, 72), st.integers(0, 50), st.integers(0, 50)), max_size=60),
    st.integers(0, 10),
    st.integers(0, 200),
)
def test_no_hour_and_no_day_is_ever_over_its_limit(calls, calls_max, tokens_max):
    limits = limits_of(calls_per_hour=calls_max, tokens_per_day=tokens_max)
    budget = Budget(limits)
    for hours, reserved, less in calls:
        at = NOON + timedelta(hours=hours)
        held = budget.reserve(at, reserved)
        if isinstance(held, Reservation):
            budget.reconcile(held, max(reserved - less, 0))
        hour, day = budget.spent(at)
        assert hour.calls <= calls_max
        assert day.tokens <= tokens_max
