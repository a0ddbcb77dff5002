"""Names that are words or months: where they are names, and where they stay words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.entities.common_words import is_name_at, words_in
from meridia.core.people import Gazetteer, Person

_NAMES = "Will May June April Rose Grace Hope Mark Bill Art Chase Sky Jo Melanie".split()
KNOWN = Gazetteer([Person(name, name) for name in _NAMES])


def named(text: str) -> list[str]:
    return [person.name for person in KNOWN.named_in(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What did Will sell?", ["Will"]),
        ("What will Jo do in May?", ["Jo"]),
        ("Which language is May learning?", ["May"]),
        ("What did may say?", ["May"]),
        ("will's drums", ["Will"]),
        ("April's job", ["April"]),
        ("Does Will like drums?", ["Will"]),
        ("Who is Will?", ["Will"]),
        ("What hurts Mark?", ["Mark"]),
        ("Mark hurt what?", ["Mark"]),
        ("Did June call?", ["June"]),
        ("Who will bill Bill?", ["Bill"]),
        ("Ask May about it", ["May"]),
        ("where does melanie live", ["Melanie"]),
    ],
)
def test_a_word_in_a_name_s_place_names_somebody(text, names):
    assert named(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "May I come?",
        "Will you come?",
        "Mark the date",
        "Bill me later",
        "Did the rose die?",
        "The sky is blue",
        "I hope for rain",
        "Hope you are well",
        "Was it in June?",
        "since May",
        "June 5 2024",
        "5 May",
        "last April",
        "may the verb",
        "will it rain?",
        "the May sale",
        "What Will Happen In May And June?",
    ],
)
def test_a_word_elsewhere_names_nobody(text):
    assert named(text) == []


@given(st.text(max_size=60))
def test_any_text_has_words_that_stand_where_they_are_said_to(text):
    words = words_in(text)
    assert [text[word.start : word.end] for word in words] == [word.text for word in words]
    for place in range(len(words)):
        is_name_at(words, place, text)
