"""Gates: how many full captures a session gets, by its own clock."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.settings import GatesSettings
from meridia.core.vocabulary import CaptureMode, LimitReason
from meridia.ingest.capture.decide import check_gates
from meridia.ingest.capture.event_view import read_event
from meridia.ingest.capture.session_history import SessionHistory
from tests.ingest.ingest_events import (
    MESSAGES,
    SECONDS,
    at,
    boundary,
    happening,
    result,
    user,
)

GATES = GatesSettings()
HOURLY = GatesSettings(min_interval_ms=0)


def after_captures(*seconds):
    history = SessionHistory()
    for second in seconds:
        history = history.after(read_event(result(seconds=second)), CaptureMode.FULL)
    return history


def test_row_3_the_defaults_are_five_minutes_and_ten_an_hour():
    """Row 3: min_interval_ms 300 000, max_captures_per_hour 10; no budget unless one is set."""
    assert (GATES.min_interval_ms, GATES.max_per_hour) == (300_000, 10)
    assert GATES.tokens_per_day_max is None


def allows(event, history, gates):
    """Return whether no gate denies a full capture."""
    return check_gates(event, history, gates) is None


@pytest.mark.parametrize(("gap", "allowed"), [(0, False), (299, False), (300, True), (-300, True)])
def test_row_3_two_full_captures_lie_five_minutes_apart(gap, allowed):
    """Row 3: 300 s between two full captures, counted by event time."""
    answer = check_gates(read_event(result(seconds=gap)), after_captures(0), GATES)
    assert (answer is None) is allowed
    if not allowed:
        assert answer.reason is LimitReason.MIN_INTERVAL
        assert answer.detail == (
            f"the nearest full capture is {gap} s away, and 300 s must lie between two"
        )


def test_row_3_the_eleventh_full_capture_within_an_hour_is_denied():
    """Row 3: ten an hour; after the hour there is room again."""
    history = after_captures(*range(0, 3_000, 300))
    answer = check_gates(read_event(result(seconds=3_300)), history, GATES)
    assert answer.reason is LimitReason.MAX_PER_HOUR
    assert answer.detail == "10 full captures within an hour, and 10 are allowed"
    assert allows(read_event(result(seconds=3_600)), history, GATES)


def test_row_2_the_interval_is_asked_before_the_hour_and_the_hour_before_the_budget():
    """Row 2: order interval, hourly, budget."""
    history = after_captures(*range(0, 3_000, 300))
    broke = GatesSettings(tokens_per_day_max=0)
    asked = [
        check_gates(read_event(result(seconds=s)), history, broke).reason
        for s in (2_710, 3_300, 7_000)
    ]
    assert asked == [LimitReason.MIN_INTERVAL, LimitReason.MAX_PER_HOUR, LimitReason.BUDGET]


def test_row_2_the_budget_counts_the_tokens_of_a_day():
    """Row 2: reason budget, with the tokens spent and asked for."""
    gates = GatesSettings(min_interval_ms=0, max_per_hour=1_000, tokens_per_day_max=1_000)
    large = result(output="x" * 3_000, seconds=0)
    history = SessionHistory().after(read_event(large), CaptureMode.FULL)
    answer = check_gates(read_event(result(output="x" * 3_000, seconds=60)), history, gates)
    assert answer.reason is LimitReason.BUDGET
    assert answer.detail == "752 tokens spent within a day; 752 more would pass 1000"
    assert allows(read_event(result(output="x" * 900, seconds=60)), history, gates)
    assert allows(read_event(result(output="x" * 3_000, seconds=86_400)), history, gates)


def test_a_budget_counts_events_without_a_time_too():
    gates = GatesSettings(tokens_per_day_max=1_000)
    history = SessionHistory().after(read_event(result(output="x" * 3_000)), CaptureMode.FULL)
    assert (
        check_gates(read_event(result(output="x" * 3_000)), history, gates).reason
        is LimitReason.BUDGET
    )


@given(st.lists(st.integers(0, 600), max_size=30))
def test_d32_an_event_without_a_time_is_never_denied_by_interval_or_hour(seconds):
    """D32: old transcripts have no clock."""
    assert allows(read_event(result()), after_captures(*seconds), GATES)


@given(MESSAGES)
def test_d1_what_is_said_is_never_denied(message):
    """D1: gates limit spending, never remembering; messages are light."""
    history = after_captures(*range(0, 3_000, 10))
    assert allows(read_event(message), history, GatesSettings(max_per_hour=0, tokens_per_day_max=0))
    assert allows(read_event(happening("manual_capture", {"text": "note"}, 5)), history, GATES)


def test_only_full_captures_of_tool_results_and_boundaries_count():
    history = SessionHistory()
    for second in range(0, 600, 10):
        history = history.after(read_event(user("hello", second)), CaptureMode.FULL)
        history = history.after(read_event(result(seconds=second)), CaptureMode.TRACE_ONLY)
    assert allows(read_event(result(seconds=600)), history, GATES)
    assert not allows(
        read_event(result(seconds=600)),
        history.after(read_event(boundary(599)), CaptureMode.FULL),
        GATES,
    )


def test_a_session_boundary_has_a_small_allowance_of_its_own():
    history = after_captures(*range(0, 3_000, 300))
    last = boundary(2_710)
    assert allows(read_event(last), history, GATES)
    assert (
        check_gates(
            read_event(last), history.after(read_event(last), CaptureMode.FULL), GATES
        ).reason
        is LimitReason.MAX_PER_HOUR
    )
    tight = GatesSettings(tokens_per_day_max=0)
    assert allows(read_event(last), SessionHistory(), tight)
    assert not allows(
        read_event(last), SessionHistory(), GatesSettings(tokens_per_day_max=0, boundary_tokens=0)
    )


@given(st.lists(st.integers(0, 7_200), min_size=1, max_size=60), st.randoms(use_true_random=False))
def test_no_order_of_arrival_gets_more_than_the_limits(seconds, chance: random.Random):
    """Row 3, as a property: whatever order events come in, the limits hold by their times."""
    chance.shuffle(seconds)
    for gates in (GATES, HOURLY):
        history, captured_at = SessionHistory(), []
        for second in seconds:
            event = result(seconds=second)
            if allows(read_event(event), history, gates):
                history = history.after(read_event(event), CaptureMode.FULL)
                captured_at.append(at(second))
        apart = [abs(a - b).total_seconds() for a, b in combinations(captured_at, 2)]
        assert all(gap * 1_000 >= gates.min_interval_ms for gap in apart)
        for start in captured_at:
            within = [time for time in captured_at if 0 <= (time - start).total_seconds() < 3_600]
            assert len(within) <= gates.max_per_hour


@given(SECONDS)
def test_the_first_capture_of_a_session_is_never_denied(seconds):
    assert allows(read_event(result(seconds=seconds)), SessionHistory(), GATES)
