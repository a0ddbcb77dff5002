"""Patience: when a failing server is left alone, and when it is asked again."""

from __future__ import annotations

import pytest

from meridia.core.model import ModelAnswer, ModelOutcome
from meridia.core.model_patience import Pause, Policy

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


@pytest.fixture
def hands() -> Hands:
    return Hands()


def ended(outcome: ModelOutcome, retry_after_s: float | None = None) -> ModelAnswer:
    return ModelAnswer(outcome, None, "m", "p", 1, attempts=1, retry_after_s=retry_after_s)


def pause_of(hands: Hands, after: int = 3) -> Pause:
    return Pause(Policy(pause_after=after, pause_s=60), hands)


@pytest.mark.parametrize("outcome", FAILING)
def test_a_server_that_keeps_failing_is_left_alone_and_then_asked_again(hands, outcome):
    pause = pause_of(hands)
    for _ in range(2):
        pause.note(ended(outcome))
        assert pause.left()[0] == 0
    pause.note(ended(outcome))
    assert pause.left() == (60, outcome)
    hands.at += 59
    assert pause.left() == (1, outcome)
    hands.at += 1
    assert pause.left()[0] == 0
    pause.note(ended(outcome))
    assert pause.left()[0] == 60, "one more failure is enough once it had been left alone"


@pytest.mark.parametrize("outcome", set(ModelOutcome) - set(FAILING))
def test_an_answer_good_or_bad_shows_that_the_server_is_there(hands, outcome):
    pause = pause_of(hands)
    for failing in [ModelOutcome.TIMED_OUT] * 2:
        pause.note(ended(failing))
    pause.note(ended(outcome))
    pause.note(ended(ModelOutcome.TIMED_OUT))
    assert pause.left()[0] == 0


def test_a_server_that_says_how_long_to_stay_away_is_obeyed_at_once_and_up_to_an_hour(hands):
    pause = pause_of(hands)
    pause.note(ended(ModelOutcome.RATE_LIMITED, 7.5))
    assert pause.left() == (7.5, ModelOutcome.RATE_LIMITED)
    pause.note(ended(ModelOutcome.RATE_LIMITED, 10**9))
    assert pause.left()[0] == 3600


def test_without_pauses_only_the_servers_own_wish_counts(hands):
    pause = pause_of(hands, after=0)
    for _ in range(50):
        pause.note(ended(ModelOutcome.UNREACHABLE))
    assert pause.left()[0] == 0
