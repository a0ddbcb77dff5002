"""Modes: one table of frozen strategies, and how the one that fits is told."""

from dataclasses import FrozenInstanceError

import pytest

from meridia.core.errors import InvalidInput
from meridia.resume.modes import (
    LONG_GAP_H,
    STRATEGIES,
    MemoryScope,
    Mode,
    Signals,
    detect,
    mode_of,
)


def test_every_mode_has_one_strategy_and_a_budget():
    assert set(STRATEGIES) == set(Mode)
    assert all(mode is one.mode and one.tokens >= 200 for mode, one in STRATEGIES.items())


def test_reach_is_that_of_the_source():
    assert STRATEGIES[Mode.TOPIC_REENTRY].retrieval.scope is MemoryScope.QUESTION
    assert STRATEGIES[Mode.SESSION_BOOTSTRAP].half_life_h == 24


def test_a_strategy_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        STRATEGIES[Mode.CRISIS].tokens = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("signals", "mode"),
    [
        (Signals(mode="crisis", query="x", person="Dana"), Mode.CRISIS),
        (Signals(query="mast", person="Dana"), Mode.TOPIC_REENTRY),
        (Signals(person="Dana", crashed="a"), Mode.RELATIONSHIP_RESUMPTION),
        (Signals(crashed="a", gap_h=1), Mode.CRISIS),
        (Signals(gap_h=LONG_GAP_H + 1), Mode.CRISIS),
        (Signals(gap_h=LONG_GAP_H), Mode.SESSION_BOOTSTRAP),
        (Signals(), Mode.SESSION_BOOTSTRAP),
    ],
)
def test_a_mode_is_told_by_what_was_asked_then_by_what_happened(signals, mode):
    found, why = detect(signals)
    assert found is mode
    assert why


def test_a_mode_that_is_none_is_refused_with_those_there_are():
    assert mode_of("topic-reentry") is Mode.TOPIC_REENTRY
    with pytest.raises(InvalidInput, match="no mode 'panic'.*crisis"):
        mode_of("panic")
