"""Headlines: what a sentence tells of its speaker, in its own words."""

from __future__ import annotations

import pytest

from meridia.core.experience import Utterance
from meridia.ingest.extraction.analysis.analysis import analyse
from meridia.ingest.extraction.headlines import (
    WORDS_MAX,
    headline_of,
    title_of,
    with_headlines,
)
from meridia.models.embedder import MiniLmEmbedder

_ENCODER = MiniLmEmbedder()


@pytest.mark.parametrize(
    ("text", "headline"),
    [
        ("I finally quit my job last Friday.", "Sara quit job"),
        ("I just signed up for a pottery class yesterday.", "Sara signed up for a pottery class"),
        ("Last weekend we went hiking in the mountains!", "Sara went hiking in the mountains"),
        ("My dad passed away.", "Sara's dad passed away"),
        (
            "I'm going to a conference in Lisbon next month.",
            "Sara is going to a conference in Lisbon",
        ),
        ("After finishing my book I got a rejection letter.", "Sara got a rejection letter"),
        ("Quite a ride - had an audition yesterday.", "Sara had an audition"),
        ("I played chess with Ben and I won the cup.", "Sara won the cup"),
        ("so Freya and I split up.", "Sara split up"),
        ("I got laid off last week.", "Sara got laid off"),
        ("I was diagnosed with diabetes on Friday.", "Sara was diagnosed with diabetes"),
        ("I had a great time.", None),
        ("I started running and nearly died.", None),
        ("We almost bought the house.", None),
        ("We had to put our cat to sleep.", None),
        ("I was playing a game.", None),
        ("The car I bought broke down.", None),
        ("I've been organizing something with friends.", None),
        ("I did it with them.", None),
        ("I wish I had a garden.", None),
        ("Did I buy the house?", None),
        ("If I sold the house, we would move.", None),
        ("You bought a boat.", None),
        ("I used to have a dog.", None),
        ("I'll send you the recipe.", None),
    ],
)
def test_a_headline_is_the_clause_with_a_name(text: str, headline: str | None):
    (sentence,) = analyse(text, _ENCODER.encode).sentences
    assert headline_of(sentence, "Sara Fox") == headline
    assert headline is None or len(headline.split()) <= WORDS_MAX


@pytest.mark.parametrize("speaker", ["Coach Dana", "Dr. Imani"])
def test_who_is_called_by_a_title_keeps_the_whole_name(speaker):
    (sentence,) = analyse("I finally quit my job last Friday.", _ENCODER.encode).sentences
    assert headline_of(sentence, speaker) == f"{speaker} quit job"


def test_a_relative_clause_that_says_what_became_of_it_stays():
    text = "I wrote a few lines for a film that appeared on the big screen yesterday!"
    (sentence,) = analyse(text, _ENCODER.encode).sentences
    assert headline_of(sentence, "Sara") == (
        "Sara wrote a few lines for a film that appeared on the big screen"
    )


def test_only_what_tells_has_a_headline():
    analysis = analyse("I sold my house. I sold my boat.", _ENCODER.encode)
    first, second = analysis.sentences
    utterances = (
        Utterance(first.start, first.end, {"news": 0.9}, {}),
        Utterance(second.start, second.end, {"question": 0.9}, {}),
    )
    headlines = [one.headline for one in with_headlines(utterances, analysis, "Sara")]
    assert headlines == ["Sara sold house", None]


def test_a_title_is_what_tells_most_and_two_people_where_there_is_room():
    def told(by: float, headline: str) -> Utterance:
        return Utterance(0, 1, {"news": by}, {}, headline)

    sara, ben = told(0.9, "Sara sold house"), told(0.8, "Ben bought a boat")
    assert title_of([sara, told(0.7, "Sara left"), ben]) == "Sara sold house; Ben bought a boat"
    long = told(0.5, "Ben went to a concert in the park")
    assert title_of([sara, long]) == "Sara sold house"
    assert title_of([told(0.9, "Ben sold two old boats"), sara]).startswith("Ben")
    letter = told(0.8, "Ben got a rejection letter from a publisher")
    assert title_of([told(0.9, "Sara played chess with friends"), letter]) == letter.headline
    assert title_of([]) == ""
