"""What a clause states: whether it holds, has ended, or says nothing."""

from __future__ import annotations

import pytest

from tests.ingest.extraction.facts.fact_texts import utterance


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("I started working at Acme.", [("works_at", "Acme")]),
        ("I stopped using Slack.", [("not uses", "Slack")]),
        ("I go hiking every weekend.", [("hobby", "hiking")]),
        ("I've been playing the piano for years.", [("hobby", "piano")]),
        ("I do my favourite watercolor painting to relax.", [("hobby", "watercolor painting")]),
        ("I'm playing the piano.", []),
        ("I'm starting to like it.", []),
        ("I tried to live in Paris.", []),
        ("I don't work at Acme.", [("not works_at", "Acme")]),
    ],
)
def test_a_state_holds_from_when_it_began_until_it_is_said_to_be_over(text, stated):
    assert utterance(text) == stated


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("We moved to Bergen last year.", [("lives_in", "Bergen")]),
        ("The nightly job fails since we moved to Python 3.12.", []),
        ("I moved to Leipzig in March.", [("lives_in", "Leipzig")]),
        ("We moved to Postgres last year.", []),
        ("We moved to AWS last year.", []),
        ("We moved to Slack for all our messages.", []),
        ("I moved from Vim to Emacs.", []),
    ],
)
def test_who_moves_to_a_program_does_not_live_in_it(text, stated):
    assert utterance(text) == stated


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("I come from Hue in Vietnam.", [("origin", "Hue")]),
        ("I come back from Vietnam yesterday.", []),
    ],
)
def test_who_comes_back_from_a_place_is_not_from_there(text, stated):
    assert utterance(text) == stated
