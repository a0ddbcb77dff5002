"""What was written for this project and held out, and how two readers agree."""

from __future__ import annotations

import pytest

from bench.truth.written import (
    asked_in_talks,
    ended,
    facts,
    harness_runs,
    kappa,
    kinds_of_orders,
    open_items,
    orders,
    outputs,
    readers,
)


def shares(pairs):
    right = sum(given and wanted for given, wanted in pairs)
    return right / sum(given for given, _ in pairs), right / sum(wanted for _, wanted in pairs)


def test_failures_of_tools_that_nothing_was_learned_from_are_known():
    precision, recall = shares(outputs())
    assert precision >= 0.9
    assert recall >= 0.75


@pytest.mark.thorough
def test_what_is_asked_for_good_is_known_among_orders_for_once():
    precision, recall = shares(orders())
    assert precision >= 0.9
    assert recall >= 0.65


@pytest.mark.thorough
def test_short_lines_are_told_from_conditions_of_the_moment_and_quoted_orders():
    precision, recall = shares(kinds_of_orders("orders.held.tsv"))
    assert precision >= 0.9
    assert recall >= 0.85


@pytest.mark.thorough
def test_wishes_plans_and_choices_about_the_matter_in_hand_are_not_asked_for_good():
    precision, recall = shares(kinds_of_orders("lasting.held.tsv"))
    assert precision >= 0.9
    assert recall >= 0.8


@pytest.mark.thorough
def test_what_a_pack_tells_of_talks_and_facts_is_right():
    precision, _ = shares(asked_in_talks())
    assert precision >= 0.8
    assert min(*shares(facts()), *shares(ended())) >= 0.95


@pytest.mark.thorough
def test_what_is_shown_as_open_is_open():
    precision, recall = shares(open_items())
    assert precision >= 0.9
    assert recall >= 0.6


def test_failures_and_fixes_are_known_where_no_rule_names_a_tool():
    failed, solved, left = harness_runs()
    assert shares(failed)[0] == shares(solved)[0] == 1
    assert min(shares(failed)[1], shares(left)[1]) >= 0.6


def test_two_readers_agree_on_what_would_be_mentioned():
    assert dict(readers())["mention"] > 0.8


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [([(0, 0), (1, 1)], 1.0), ([(0, 1), (1, 0)], -1.0), ([(0, 0), (0, 1), (1, 0), (1, 1)], 0.0)],
)
def test_kappa_is_agreement_beyond_chance(pairs, expected):
    assert kappa(pairs) == pytest.approx(expected)
