"""What was asked for right before, and whether an answer accepts it."""

from __future__ import annotations

import pytest

from meridia.core.text import Analyser
from meridia.retrieval.history.requests import accepted, is_bare, wants_to_hear

ENGLISH = Analyser()


@pytest.mark.parametrize(
    ("request_", "answer", "verb", "objects"),
    [
        ("Let me know how it goes!", "Sure thing! Bye.", "tell", ()),
        ("Keep me posted.", "Thanks, Nora! I will.", "tell", ()),
        ("Could you share the recipe?", "Yeah sure! It is easy.", "share", ("recip",)),
        ("Send me some pictures!", "Thanks, will do!", "send", ("pictur",)),
        ("Would you mind watering my plants?", "No problem at all!", "water", ("plant",)),
        ("You really should read the letters.", "I'll do that!", "read", ("letter",)),
        ("Could you share the recipe?", "Would love to share it.", "share", ("recip",)),
        ("Can you help me move on Saturday?", "Of course, Ada!", "help", ("move", "saturday")),
    ],
)
def test_to_accept_is_to_promise_what_was_asked_for(request_, answer, verb, objects):
    promise = accepted(request_, answer, ENGLISH)
    assert promise is not None
    assert (promise.kind, promise.verb, promise.objects) == ("promise", verb, objects)
    assert answer.startswith(answer[promise.start : promise.end]) or promise.start


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ("The weather is fine.", "Sure thing!"),
        ("Let me know how it goes!", "The weather is fine."),
        ("Let me know if you need more.", "Sure thing!"),
        ("Take care of yourself!", "I will!"),
        ("Are you happy?", "Absolutely!"),
        ("Could you share the recipe?", "Sure thing! Here it is. Here's how to make it."),
        ("", ""),
    ],
)
def test_nothing_is_accepted_that_was_not_asked_for_or_is_given_at_once(request_, answer):
    assert accepted(request_, answer, ENGLISH) is None


def test_news_is_promised_barely_or_of_something():
    assert is_bare("I'll keep you posted!")
    assert is_bare("You'll be the first to know.")
    assert not is_bare("I'll let you know how it turns out.")


def test_who_longs_to_hear_of_it_wants_to():
    assert wants_to_hear("Can't wait to hear about your next one.")
    assert wants_to_hear("Keep me posted!")
    assert not wants_to_hear("Have fun!")
