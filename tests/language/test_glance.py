"""What capture reads of a text: small talk, feedback, insight, orders, times, style."""

from __future__ import annotations

import pytest

from meridia.language.glance import (
    asks_to_remember,
    corrects,
    is_small_talk,
    names_a_time,
    praises,
    speaks_of_decision,
    style_measures,
    tells_of_insight,
)


@pytest.mark.parametrize(
    ("look", "shown", "not_shown"),
    [
        (is_small_talk, "Thanks a lot, haha!", "Thanks for the cake on Friday"),
        (is_small_talk, "好的，谢谢你", "好的，明天见"),
        (praises, "That works now. Great job", "That works now, but the log is gone"),
        (tells_of_insight, "Turns out the cache was cold", "The cache turns cold"),
        (asks_to_remember, "Please keep in mind that I am away", "I remember the sea"),
        (speaks_of_decision, "We concluded to wait", "We included the weight"),
        (names_a_time, "It broke on the 3rd", "It broke thrice"),
    ],
)
def test_a_glance_tells_what_is_there_from_what_only_looks_like_it(look, shown, not_shown):
    assert look(shown)
    assert not look(not_shown)


def test_a_no_corrects_unless_it_answers_the_agents_question():
    assert corrects("No, use the other branch", answers_question=False)
    assert not corrects("No, use the other branch", answers_question=True)
    assert corrects("You misread the file", answers_question=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You and I know. It is done!", (3.5, 2 / 7, 0, 0.5)),
        ("Why?", (1, 0, 1, 0)),
        ("no end to this", (4, 0, 0, 0)),
        ("", (0, 0, 0, 0)),
        ("本当？", (1, 0, 1, 0)),
    ],
)
def test_row_59_measures_count_words_pronouns_questions_and_exclamations(text, expected):
    assert style_measures(text) == pytest.approx(expected)
