"""The table of predicates, and when two objects are the same or opposite."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.facts import object_key
from meridia.core.vocabulary import Stability
from meridia.language.predicates import PREDICATES, find_opposite, get_predicate, render_statement


@pytest.mark.parametrize(
    ("name", "stability", "single_valued"),
    [
        ("name", Stability.STATIC, True),
        ("birthday", Stability.STATIC, True),
        ("lives_in", Stability.DYNAMIC, True),
        ("works_at", Stability.DYNAMIC, True),
        ("favourite_colour", Stability.DYNAMIC, True),
        ("likes", Stability.DYNAMIC, False),
        ("did", Stability.STATIC, False),
        ("note", Stability.UNKNOWN, False),
        ("of my own", Stability.UNKNOWN, False),
    ],
)
def test_a_predicate_is_stable_for_so_long_and_has_one_value_or_many(
    name, stability, single_valued
):
    row = get_predicate(name)
    assert (row.stability, row.single_valued) == (stability, single_valued)


@pytest.mark.parametrize("row", PREDICATES.values(), ids=PREDICATES.keys())
def test_every_predicate_can_be_said_with_its_object(row):
    assert row.holds_template.count("{}") == row.ended_template.count("{}") == 1
    assert row.holds_template != row.ended_template


def test_a_statement_is_one_sentence():
    assert render_statement("Ann", "lives_in", "Oslo") == "Ann lives in Oslo."
    assert (
        render_statement("Ann", "lives_in", "Oslo", ends=True) == "Ann does not live in Oslo now."
    )
    assert render_statement("Ann", "works_at", "", ends=True) == "Ann has left the last employer."
    assert render_statement("Ann", "favourite_colour", "red") == "Ann has favourite colour red."
    assert render_statement("Ann", "did", "won a race") == "Ann won a race."
    assert render_statement("Ann", "partner", "husband") == "Ann has a husband."
    assert render_statement("Ann", "plays_bridge_with", "Bo") == "Ann plays bridge with Bo."


@pytest.mark.parametrize("same", ["beatles", "  The  BEATLES ", "the beatles.", "“Beatles”"])
def test_case_spacing_and_articles_make_no_difference(same):
    assert object_key(same) == object_key("The Beatles")


def test_an_article_alone_is_an_object():
    assert object_key("A") == "a"


def test_what_is_liked_is_not_disliked():
    assert find_opposite("likes", "The Beatles") == ("dislikes", "beatles")
    assert find_opposite("lives_in", "Oslo") is None


@given(
    st.sampled_from(["tea", "a coffee", "Milk", "the rain"]), st.sampled_from(["wine", "an ale"])
)
def test_the_opposite_of_a_preference_is_the_other_way_round_and_back(item, other):
    turned = find_opposite("prefers", f"{item} over {other}")
    assert turned == ("prefers", f"{object_key(other)} over {object_key(item)}")
    assert find_opposite(*turned) == ("prefers", f"{object_key(item)} over {object_key(other)}")


def test_row_36_who_is_asthmatic_has_no_health_issue():
    assert render_statement("Gina", "health", "asthmatic") == "Gina is asthmatic."
    assert render_statement("Gina", "health", "asthma") == "Gina has the health issue asthma."
