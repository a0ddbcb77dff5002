"""Statements: what is stated, by whom, how surely; and what states nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.events import text_of
from meridia.core.vocabulary import Stability
from meridia.ingest.extraction.statements import Statement, extract_statements
from meridia.language.reading import factual_spans, read_message
from tests.ingest.extraction.fact_texts import statements as utterance
from tests.ingest.ingest_events import EVENTS, agent, result, user


def test_a_statement_has_all_that_a_fact_needs():
    assert utterance("I live in Boston.") == [
        Statement(
            subject=None,
            predicate="lives_in",
            object="Boston",
            text="Dana lives in Boston.",
            stability=Stability.DYNAMIC,
            single_valued=True,
            confidence=0.9,
            quote="I live in Boston.",
        )
    ]


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ("My name is Dana Smith.", 0.95),
        ("I live in Boston.", 0.9),
        ("i live in boston", 0.8),
    ],
)
def test_a_statement_is_as_sure_as_it_was_made(text, confidence):
    assert [s.confidence for s in utterance(text)] == [confidence]


@pytest.mark.parametrize(
    "text",
    [
        "Do you live in Boston?",
        "You know I live in Boston, do you?",
        "If I live in Boston, do I pay?",
        "I would live in Boston if I could.",
        "I think I live in Boston.",
        "Ann lives in Boston.",
        "My sister lives in Boston.",
        "I wish I lived in Boston.",
        "Imagine I live in Boston.",
        "I want to live in Boston.",
        "He said I live in Boston.",
        'He said, "I live in Boston."',
        "When I was ten I lived in Boston.",
        "The street where I live in Boston is long.",
        "> I live in Boston",
        "`I live in Boston`",
        "Remember that book I was talking about?",
        "I joined a chess tournament yesterday.",
        "My furry friend Bello lay down next to me.",
        "I had to go to the hospital.",
    ],
)
def test_questions_wishes_conditions_and_the_words_of_others_state_nothing(text):
    assert utterance(text) == []


def test_a_statement_before_a_question_counts():
    assert [s.object for s in utterance("I live in Boston, and you?")] == ["Boston"]


def test_what_somebody_without_a_name_states_is_the_speakers():
    assert [s.text for s in utterance("I live in Oslo.", None)] == ["The speaker lives in Oslo."]


def test_ones_own_name_as_it_is_known_is_no_statement():
    assert utterance("My name is Dana.") == []
    assert [s.object for s in utterance("My name is Dana Smith.")] == ["Dana Smith"]


def test_who_is_named_as_dead_is_stated_as_such():
    assert [(s.object, s.ends) for s in utterance("My aunt Carla died.")] == [("Carla", True)]


def test_only_what_people_say_is_read():
    text = "I live in Boston."
    assert extract_statements(agent(text), "Dana", text, [(0, len(text))]) == []
    assert extract_statements(result(), None, text, [(0, len(text))]) == []


def test_what_is_said_twice_is_one_statement():
    assert len(utterance("I live in Boston. Yes, I live in  the BOSTON!")) == 1


def test_a_long_text_gives_a_few_statements():
    text = " ".join(f"My dog Rex{chr(97 + n)} barks." for n in range(20))
    assert len(utterance(text)) == 12


@given(st.one_of(EVENTS, st.text(max_size=300).filter(bool).map(user)))
def test_whatever_is_said_gives_sound_statements(event):
    text = text_of(event)
    for statement in extract_statements(event, "Dana", text, factual_spans(read_message(text))):
        assert 0.6 <= statement.confidence <= 1
        assert statement.object or statement.ends
        assert statement.text.endswith(".")


@given(st.lists(st.sampled_from("I live in work at My name is Rome love , . and if".split())))
def test_words_in_any_order_give_sound_statements(words):
    made = utterance(" ".join(words) or "x")
    assert all(s.object.strip() == s.object for s in made)


def test_that_somebody_is_called_by_their_name_is_no_fact():
    assert utterance("Hi, my name is Dana Falk.", "Dana Falk") == []
    assert [one.object for one in utterance("My name is Dana Falk.", "Dana")] == ["Dana Falk"]
