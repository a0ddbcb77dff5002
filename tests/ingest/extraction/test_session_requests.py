"""What a session was asked for, and which of the requests names it."""

from __future__ import annotations

import pytest

from meridia.core.text import Analyser
from meridia.ingest.extraction.session_requests import first_request, request_title
from tests.ingest.ingest_events import agent, user

STEMS = Analyser().terms


def _title(*said: str) -> str:
    events = [event for text in said for event in (user(text), agent("Could you say more?"))]
    request = first_request(events, STEMS)
    assert request is not None
    return request_title(events, request, STEMS)


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (["Hi! I'd like to cancel my order 77 from May."], "Cancel my order 77 from May"),
        (
            [
                "Hi, I need to make some changes to my order.",
                "My user ID is mia_li_1.",
                "Yes, I'd like to send the blue lamp to my office in Ghent instead.",
            ],
            "Send the blue lamp to my office in Ghent instead",
        ),
        (
            ["I need help with my booking.", "Please go ahead.", "I want to add two bags to it."],
            "I need help with my booking",
        ),
        (
            ["The nightly build of the harbour has been red for days. Can you find out why?"],
            "The nightly build of the harbour has been red for days",
        ),
    ],
)
def test_row_32_a_title_says_what_was_wanted_in_particular(said, title):
    assert _title(*said) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("My father moved in with me.", "Ruth: “My father moved in with me.”"),
        (
            "Good morning. I'd like to use you as a diary.",
            "Ruth: “I'd like to use you as a diary.”",
        ),
        ("Please look at visits.csv.", "Look at visits.csv"),
    ],
)
def test_what_somebody_only_tells_or_says_of_themselves_is_a_quote(text, title):
    events = [user(text, person="Ruth"), agent("I see.")]
    assert request_title(events, first_request(events, STEMS), STEMS) == title


def test_nobody_asked_for_anything():
    assert first_request([agent("Anything else?")], STEMS) is None
