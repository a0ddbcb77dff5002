"""A question in the voice of the person it asks about."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.people import Gazetteer, Person
from meridia.language.questions.question import rewrite_in_first_person

PEOPLE = Gazetteer(
    [Person("p-1", "Dana Novak"), Person("p-2", "Oskar"), Person("p-3", "O'Neil (Ali)")]
)


@pytest.mark.parametrize(
    ("asked", "turned"),
    [
        ("What did Dana buy?", "What did I buy?"),
        ("what did DANA buy?", "what did I buy?"),
        ("Where did Dana Novak go?", "Where did I go?"),
        ("What is Dana's dog called?", "What is my dog called?"),
        ("What is Dana’s dog called?", "What is my dog called?"),
        ("What is Dana painting?", "What am I painting?"),
        ("Which books has Dana read?", "Which books have I read?"),
        ("Where does Dana live?", "Where do I live?"),
        ("Why doesn't Dana sail?", "Why don't I sail?"),
        ("Does Dana's sister sail?", "Does my sister sail?"),
        ("What does Oskar think she has?", "What do I think I have?"),
        (
            "Is it true that Dana has a boat and isn't she glad?",
            "Is it true that I have a boat and aren't I glad?",
        ),
        ("What does Dana think Oskar does?", "What do I think you does?"),
        ("What is Dana's, and is Dana happy?", "What is my, and am I happy?"),
        ("Did Dana sell her boat herself?", "Did I sell my boat myself?"),
        ("Did Oskar say he would bring his dog?", "Did I say I would bring my dog?"),
        ("What did Dana give him?", "What did I give me?"),
        ("What did Dana promise Oskar?", "What did I promise you?"),
        ("Why is Oskar cross with Dana's brother?", "Why am I cross with your brother?"),
        ("What is Dana's gift and is Oskar glad?", "What is my gift and is you glad?"),
    ],
)
def test_a_name_becomes_i_another_you_and_pronouns_follow(asked, turned):
    assert rewrite_in_first_person(asked, PEOPLE) == turned


@pytest.mark.parametrize(
    "asked",
    ["", "What did she buy?", "Where is his dog?", "Is Danae here?", "What of Mira?", "東京は?"],
)
def test_a_question_that_names_nobody_is_as_it_was(asked):
    assert rewrite_in_first_person(asked, PEOPLE) == asked


def test_words_that_only_hold_a_name_or_a_pronoun_stay():
    asked = "Did Dana buy theirloom chess for Danae?"
    assert rewrite_in_first_person(asked, PEOPLE) == "Did I buy theirloom chess for Danae?"


words = st.sampled_from(
    ["Dana", "Oskar", "Dana's", "novak", "she", "his", "boat", "is", "has", "what", "?", "O'Neil"]
)


@given(st.lists(words, max_size=8).map(" ".join))
def test_afterwards_nobody_is_named_and_turning_again_changes_nothing(asked):
    turned = rewrite_in_first_person(asked, PEOPLE)
    assert PEOPLE.named_in(turned) == []
    assert rewrite_in_first_person(turned, PEOPLE) == turned
    if turned != asked:
        assert not re.search(r"\b(she|his)\b", turned)


@given(st.text(max_size=60), st.text(max_size=10))
def test_any_text_and_any_name_is_answered(text, name):
    assert isinstance(
        rewrite_in_first_person(f"{name} {text}", Gazetteer([Person("p", name)])), str
    )
