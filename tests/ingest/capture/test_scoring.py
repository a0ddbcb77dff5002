"""Scoring: the numbers of the sources, as defaults that can be set."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.core.settings import ScoringSettings
from meridia.ingest.capture.decide import FACTORS
from meridia.ingest.capture.scoring import (
    ERROR_FLOOR,
    LARGE_RESULT_BOOST,
    LARGE_RESULT_CHARS,
    MARKED_FLOOR,
    PROFILES,
    Scoring,
    scoring_of,
    shares_of,
    tool_matches,
)


def test_d2_the_five_weights_are_those_of_the_source_and_add_up_to_1():
    """D2: novelty .25, impact .30, relational .15, temporal .10, user intent .20."""
    assert dict(shares_of(ScoringSettings())) == pytest.approx(
        {
            "novelty": 0.25,
            "impact": 0.30,
            "relational": 0.15,
            "temporal": 0.10,
            "user_intent": 0.20,
        }
    )


@pytest.mark.parametrize(
    ("profile", "capture", "model", "high"),
    [
        ("standard", 0.5, 0.35, 0.8),
        ("aggressive", 0.3, 0.2, 0.7),
        ("conservative", 0.7, 0.5, 0.9),
        ("minimal", 0.8, 0.65, 0.9),
    ],
)
def test_d2_the_profiles_have_the_thresholds_of_the_source(profile, capture, model, high):
    """D2: capture, model and high-value thresholds of four profiles."""
    thresholds = scoring_of(ScoringSettings(profile=profile)).profile
    assert (thresholds.capture, thresholds.model, thresholds.high_value) == (capture, model, high)
    assert Scoring().profile == PROFILES["standard"]


def test_the_rules_have_the_numbers_of_the_sources():
    """Rows 8, 41 and D8: floors, caps, the band and what a relationship lowers."""
    scoring = Scoring()
    assert (scoring.settings.skeleton_floor, scoring.settings.band) == (0.2, 0.15)
    assert (scoring.settings.collaborator, scoring.settings.primary) == (0.10, 0.15)
    assert (ERROR_FLOOR, MARKED_FLOOR) == (0.55, 0.9)
    assert (LARGE_RESULT_CHARS, LARGE_RESULT_BOOST) == (5_000, 0.1)


@given(st.lists(st.floats(0, 1e6), min_size=5, max_size=5).filter(lambda all_: sum(all_) > 1e-6))
def test_any_weights_are_taken_as_shares_of_1(numbers):
    weights = dict(zip(FACTORS, numbers, strict=True))
    assert sum(shares_of(ScoringSettings(**weights)).values()) == pytest.approx(1)


def test_weights_that_cannot_be_shares_are_refused():
    with pytest.raises(InvalidInput, match="must be 0 or more, and at least one must be above 0"):
        scoring_of(ScoringSettings(**dict.fromkeys(FACTORS, 0)))


@pytest.mark.parametrize(
    ("tool", "fitting"),
    [
        ("write", True),
        ("memory_query", True),
        ("mcp__notes__memory_query", True),
        ("functions.write", True),
        ("rewrite", False),
        ("", False),
    ],
)
def test_a_tool_fits_a_pattern_with_or_without_its_servers_name(tool, fitting):
    assert tool_matches(tool, ("write", "memory_*")) is fitting
