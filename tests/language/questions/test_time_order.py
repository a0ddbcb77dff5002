"""Which of several statements a question asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.questions.time_order import (
    TimeOrder,
    around_events,
    denies,
    order_words,
    tells_of_change,
    time_order,
)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("Where does she live?", TimeOrder.NOW),
        ("Where is Dana's home now?", TimeOrder.NOW),
        ("What’s Dana's job?", TimeOrder.NOW),
        ("When is the meeting?", TimeOrder.NOW),
        ("May I book a meeting at nine?", TimeOrder.NOW),
        ("Should we use tabs?", TimeOrder.NOW),
        ("What did May say?", None),
        ("Where did she live?", None),
        ("Wo wohnen wir?", TimeOrder.NOW),
        ("Was war mein erstes Auto?", None),
        ("Où habitons-nous ?", TimeOrder.NOW),
        ("¿Dónde vivía mi hermana antes?", None),
        ("Was my sister there?", None),
        ("Who painted the boat?", None),
        ("When did Ilse go sailing the last time?", TimeOrder.LAST),
        ("latest news from Ilse", TimeOrder.LAST),
        ("What was her most recent illness?", TimeOrder.LAST),
        ("What did she do last week?", None),
        ("What is her last name?", None),
        ("What was at last repaired?", None),
        ("When did they first meet?", TimeOrder.FIRST),
        ("Which car did Dana use to drive?", TimeOrder.FIRST),
        ("Who was Dana's dentist back then?", TimeOrder.FIRST),
        ("What happened in the beginning of May?", None),
        ("Where did Dana live before?", TimeOrder.BEFORE),
        ("Who was her previous manager?", TimeOrder.BEFORE),
        ("Have I used it before?", None),
    ],
)
def test_the_order_that_a_question_asks_for(text: str, order: TimeOrder | None):
    assert time_order(text, names_time=False) is order
    assert time_order(text, names_time=True) is None


def test_words_of_order_are_no_content():
    assert order_words("When did she last time see the latest news?") == {
        *("last", "time", "latest", "news")
    }
    assert order_words("What did she paint?") == frozenset()


@given(st.text())
def test_any_text_has_an_order_or_none(text: str):
    assert time_order(text, names_time=False) in {None, *TimeOrder}
    assert all(word in text.casefold() for word in order_words(text))


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("What happened to Ilse after the rash?", ((True, "the rash"),)),
        ("What did she do before she moved house?", ((False, "she moved house"),)),
        (
            "What did we do between the rash and the move?",
            ((True, "the rash"), (False, "the move")),
        ),
        (
            "How was it between moving house and his trip?",
            ((True, "moving house"), (False, "his trip")),
        ),
        ("Was war nach dem Umzug?", ((True, "dem Umzug"),)),
        ("Qu'avons-nous fait avant le bail ?", ((False, "le bail"),)),
        ("Vad gjorde vi efter resan?", ((True, "resan"),)),
        ("Что было до переезда?", ((False, "переезда"),)),
        ("What does she do after work?", ()),
        ("We met after the rash.", ()),
        ("Wann sind wir nach Leipzig gefahren?", ()),
    ],
)
def test_what_came_after_or_before_events(text: str, event: tuple[tuple[bool, str], ...]):
    assert around_events(text) == event


def test_a_change_is_told_and_not_asked_for():
    assert tells_of_change("I am a teacher now.")
    assert tells_of_change("We moved to Leipzig.")
    assert not tells_of_change("Any new pictures?")
    assert not tells_of_change("I live in Bergen.")


def test_what_did_not_happen_is_denied():
    assert denies("No sailing today.")
    assert denies("We didn't sail.")
    assert not denies("We sailed to the island.")
