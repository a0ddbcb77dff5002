"""Confidence over time: eight kinds and their floors, and turns that grow old."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.vocabulary import Stability
from meridia.retrieval.plans.plan import (
    DECAY,
    EXPIRED_BELOW,
    ContentType,
    band,
    decayed,
    lowered,
    stated_type,
    type_of_fact,
)

CONFIDENCES = st.floats(0, 1)
AGES = st.floats(0, 10_000)
TYPES = st.sampled_from(ContentType)


def test_row_80_the_table_has_the_rates_and_floors_of_the_source():
    """Row 80: 8 types and the default."""
    assert {type.value: (row.rate, row.floor) for type, row in DECAY.items()} == {
        "availability": (0.20, 0.10),
        "price": (0.10, 0.20),
        "product_spec": (0.03, 0.50),
        "vendor_info": (0.02, 0.60),
        "strategy": (0.02, 0.50),
        "site_pattern": (0.01, 0.70),
        "preference": (0.005, 0.80),
        "general_fact": (0.005, 0.80),
        "default": (0.02, 0.30),
    }


@given(CONFIDENCES, TYPES, AGES, AGES)
def test_row_80_confidence_never_grows_with_age_and_never_falls_below_its_floor(c, type, a, b):
    """Row 80: floors."""
    younger, older = sorted((a, b))
    left = decayed(c, type, older)
    assert left <= decayed(c, type, younger) <= c
    assert left >= min(c, DECAY[type].floor)
    assert decayed(c, type, 0) == pytest.approx(c)
    assert decayed(c, type, -older) == decayed(c, type, 0)


def test_row_80_a_price_is_worked_out_by_hand():
    """Row 80: .20 + (.90 − .20) · e^(−.10 · 10) = .4575."""
    assert decayed(0.9, ContentType.PRICE, 10) == pytest.approx(0.20 + 0.70 * 0.36787944)
    assert decayed(0.9, ContentType.PRICE, 20) < EXPIRED_BELOW


@pytest.mark.parametrize(
    ("confidence", "name"),
    [(1, "high"), (0.8, "high"), (0.5, "medium"), (0.3, "low"), (0.299, "expired"), (0, "expired")],
)
def test_a_confidence_lies_in_one_band(confidence, name):
    assert band(confidence) == name


@pytest.mark.parametrize(
    ("predicate", "stability", "type"),
    [
        ("likes", Stability.DYNAMIC, ContentType.PREFERENCE),
        ("favourite_colour", Stability.DYNAMIC, ContentType.PREFERENCE),
        ("price", Stability.DYNAMIC, ContentType.PRICE),
        ("lives_in", Stability.DYNAMIC, ContentType.GENERAL_FACT),
        ("born", Stability.STATIC, ContentType.GENERAL_FACT),
        ("mood", Stability.EPHEMERAL, ContentType.AVAILABILITY),
    ],
)
def test_a_fact_decays_by_what_it_says(predicate, stability, type):
    assert type_of_fact(predicate, stability) is type


def test_a_caller_may_say_what_a_memory_is_about():
    assert stated_type({"content_type": "price"}) is ContentType.PRICE
    for unknown in ({}, {"content_type": "poem"}, {"content_type": 3}, {"content_type": None}):
        assert stated_type(unknown) is ContentType.DEFAULT


@given(st.floats(0, 1), st.sampled_from([*ContentType]), st.floats(0, 4_000))
def test_row_79_what_is_proven_stale_loses_a_tenth_at_most_and_nothing_below_its_floor(
    first, type, days
):
    """Row 79: a capped .10, never below the floor."""
    before, floor = decayed(first, type, days), decayed(first, type, 1e7)
    after = lowered(before, floor)
    assert floor <= after <= before
    assert after >= before - 0.10
    assert after == pytest.approx(max(before - 0.10, floor))


def test_row_79_by_hand_a_stale_source_is_a_tenth_less_sure():
    assert lowered(0.9, 0.3) == pytest.approx(0.8)
    assert lowered(0.85, 0.8) == 0.8
    assert lowered(0.5, 0.5) == 0.5
