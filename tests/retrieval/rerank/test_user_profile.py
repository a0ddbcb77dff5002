"""Profiles: how they are read, how they move, and what a memory gains that fits one."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.retrieval.rerank.reranker import (
    ARCHETYPE_BOOST_MAX,
    ARCHETYPES,
    archetype_boost,
    neutral,
    profile_of,
    updated_profile,
)
from tests.retrieval.rerank.facet_strategies import json_values

weights = st.dictionaries(
    st.sampled_from([*ARCHETYPES, "unknown", " Analyst "]), st.floats() | json_values
)
ANALYST = profile_of({"analyst": 0.6, "legacy": 0.1, "loyalist": 0.1, "prestige": 0.2})


def test_nothing_known_is_a_fifth_of_each():
    """Row 115: neutral is .2 each, and 1/n for n names."""
    assert neutral().as_json() == dict.fromkeys(
        ("loyalist", "prestige", "analyst", "achiever", "legacy"), 0.2
    )
    assert neutral(["Night", "day", "DAY", "dusk", "dawn"]).weights == (0.25,) * 4
    assert neutral([]).weights == ()


def test_a_vector_is_scaled_to_one_and_unknown_names_are_passed_over():
    """Row 114: unknown keys ignored, vector renormalised."""
    found = profile_of({" Analyst ": 3, "legacy": 1, "gardener": 96, "loyalist": -5})
    assert found.as_json() == {
        "loyalist": 0, "prestige": 0, "analyst": 0.75, "achiever": 0, "legacy": 0.25
    }  # fmt: skip
    assert profile_of({"analyst": 1e308, "legacy": 1e308}).weights == (0, 0, 0.5, 0, 0.5)


@pytest.mark.parametrize(
    "value", [None, [], "analyst", {}, {"analyst": 0}, {"analyst": math.nan}, {"gardener": 1}]
)
def test_what_says_nothing_of_anybody_is_neutral(value):
    assert profile_of(value) == neutral()


def test_a_message_moves_a_profile_by_a_quarter_of_what_it_signals():
    """D22: smoothing .75. By hand: (.2 + .25·.4) / 1.1 = .2727…, the others .2 / 1.1."""
    after = updated_profile(neutral(), {"analyst": 0.4, "gardener": 9}).as_json()
    assert after["analyst"] == pytest.approx(0.3 / 1.1)
    assert after["legacy"] == pytest.approx(0.2 / 1.1)
    assert updated_profile(ANALYST, None).weights == pytest.approx(ANALYST.weights)
    assert updated_profile(neutral(), {"analyst": -100}).as_json()["analyst"] == 0


def test_a_fitting_memory_gains_by_the_formula():
    """Row 114: K·alignment·(1 − n/5)·clamp(margin/.08), by hand for one and for two."""
    one = archetype_boost(["analyst"], ANALYST)
    assert one.value == pytest.approx(0.08 * 0.6 * (1 - 1 / 5))
    assert [(line.term, line.label) for line in one.lines] == [
        ("archetype", "is for archetype analyst")
    ]
    two = archetype_boost(["Analyst", "legacy", "analyst"], ANALYST)
    assert two.value == pytest.approx(0.08 * 0.7 * (1 - 2 / 5))
    half = archetype_boost(["analyst"], ANALYST, margin=0.04)
    assert half.value == pytest.approx(one.value / 2)
    assert archetype_boost(["analyst"], ANALYST, margin=0.9).value == one.value
    assert archetype_boost(["analyst"], ANALYST, margin=-1).value == 0


def test_a_peaked_profile_prefers_its_own():
    """Row 114: for an analyst, what is for analysts gains more than what is for legacy."""
    analyst = archetype_boost(["analyst"], ANALYST).value
    assert analyst > archetype_boost(["legacy"], ANALYST).value > 0


@pytest.mark.parametrize("bias", [None, [], {}, "", list(ARCHETYPES), ["gardener"], 5, [[]]])
def test_a_memory_for_nobody_or_for_all_gains_nothing(bias):
    """Row 115: empty or all five give 0."""
    assert archetype_boost(bias, ANALYST).value == 0
    assert archetype_boost(bias, ANALYST).lines == ()


def test_a_neutral_profile_gives_nothing():
    """Row 115: with no lead there is nothing to fit."""
    assert archetype_boost(["analyst"], neutral()).value == 0


def test_any_number_of_archetypes_will_do():
    """D22: 1 − n/N over N names."""
    profile = profile_of({"night": 1}, ["night", "day"])
    assert archetype_boost("night", profile).value == pytest.approx(0.08 * 1 * (1 - 1 / 2))
    assert archetype_boost("night, day", profile).value == 0
    assert archetype_boost("only", neutral(["only"])).value == 0


def test_no_fit_gives_more_than_fifteen_hundredths_and_the_cut_is_shown():
    """Row 114: clamp [0, .15]."""
    given_boost = archetype_boost(["analyst"], ANALYST, strength=1.0)
    assert given_boost.value == ARCHETYPE_BOOST_MAX == 0.15
    assert [line.value for line in given_boost.lines] == pytest.approx([0.48, -0.33])


@given(weights, weights, json_values, st.none() | st.floats())
def test_any_values_give_a_profile_that_sums_to_one_and_a_boost_within_limits(
    value, signals, bias, margin
):
    """Rows 114 and 115: never raises, finite, within 0 to .15, the sum of its lines."""
    profile = updated_profile(profile_of(value), signals)
    assert math.fsum(profile.weights) == pytest.approx(1)
    assert min(profile.weights) >= 0
    for meant in (bias, ["analyst"], ["analyst", "legacy"]):
        given_boost = archetype_boost(meant, profile, margin)
        assert 0 <= given_boost.value <= 0.15
        assert math.fsum(line.value for line in given_boost.lines) == given_boost.value
