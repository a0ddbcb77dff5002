"""Patience: when a failing server is left alone, and when it is asked again."""

from __future__ import annotations

import pytest

from meridia.models.budget import CircuitBreaker, RetryPolicy
from meridia.models.model_types import ModelAnswer, ModelOutcome

FAILING = [
    ModelOutcome.TIMED_OUT,
    ModelOutcome.SERVER_ERROR,
    ModelOutcome.UNREACHABLE,
    ModelOutcome.RATE_LIMITED,
]


class Hands:
    """A clock whose hands are moved by the test."""

    at = 100.0

    def __call__(self) -> float:
        return self.at


def test_waits_double_up_to_a_most_and_a_longer_wish_of_the_server_is_obeyed():
    policy = RetryPolicy(wait_s=0.25, wait_max_s=4)
    for attempts, most in enumerate([0.25, 0.5, 1, 2, 4, 4], start=1):
        assert most / 2 <= policy.wait_before(attempts, None) <= most
    assert policy.wait_before(1, 2.0) == 2.0


@pytest.fixture
def hands() -> Hands:
    return Hands()


def ended(outcome: ModelOutcome, retry_after_s: float | None = None) -> ModelAnswer:
    return ModelAnswer(outcome, None, "m", "p", 1, attempts=1, retry_after_s=retry_after_s)


def pause_of(hands: Hands, after: int = 3) -> CircuitBreaker:
    return CircuitBreaker(RetryPolicy(pause_after=after, pause_s=60), hands)


@pytest.mark.parametrize("outcome", FAILING)
def test_a_server_that_keeps_failing_is_left_alone_and_then_asked_again(hands, outcome):
    pause = pause_of(hands)
    for _ in range(2):
        pause.record(ended(outcome))
        assert pause.remaining()[0] == 0
    pause.record(ended(outcome))
    assert pause.remaining() == (60, outcome)
    hands.at += 59
    assert pause.remaining() == (1, outcome)
    hands.at += 1
    assert pause.remaining()[0] == 0
    pause.record(ended(outcome))
    assert pause.remaining()[0] == 60, "one more failure is enough once it had been left alone"


@pytest.mark.parametrize("outcome", set(ModelOutcome) - set(FAILING))
def test_an_answer_good_or_bad_shows_that_the_server_is_there(hands, outcome):
    pause = pause_of(hands)
    for failing in [ModelOutcome.TIMED_OUT] * 2:
        pause.record(ended(failing))
    pause.record(ended(outcome))
    pause.record(ended(ModelOutcome.TIMED_OUT))
    assert pause.remaining()[0] == 0


def test_a_server_that_says_how_long_to_stay_away_is_obeyed_at_once_and_up_to_an_hour(hands):
    pause = pause_of(hands)
    pause.record(ended(ModelOutcome.RATE_LIMITED, 7.5))
    assert pause.remaining() == (7.5, ModelOutcome.RATE_LIMITED)
    pause.record(ended(ModelOutcome.RATE_LIMITED, 10**9))
    assert pause.remaining()[0] == 3600


def test_without_pauses_only_the_servers_own_wish_counts(hands):
    pause = pause_of(hands, after=0)
    for _ in range(50):
        pause.record(ended(ModelOutcome.UNREACHABLE))
    assert pause.remaining()[0] == 0
