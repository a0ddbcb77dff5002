"""Feelings that a speaker tells: their own, in words of the vocabulary, or none."""

from __future__ import annotations

import pytest

from meridia.core.vocabulary import Emotion
from meridia.ingest.extraction.affect.feelings import feelings_of
from meridia.ingest.extraction.analysis.analysis import analyse
from meridia.ingest.extraction.utterances import utterances_of
from meridia.models.embedder import MiniLmEmbedder

_ENCODER = MiniLmEmbedder()


def felt(text: str) -> tuple[Emotion, ...]:
    analysis = analyse(text, _ENCODER.encode)
    return feelings_of(analysis, utterances_of(analysis))


@pytest.mark.parametrize(
    ("text", "emotion"),
    [
        ("I'm really frustrated with this build.", Emotion.FRUSTRATED),
        ("I was so nervous about the exam.", Emotion.CONCERNED),
        ("So nervous about tomorrow.", Emotion.CONCERNED),
        ("I'm so proud of my daughter!", Emotion.SATISFIED),
        ("It made me so happy.", Emotion.SATISFIED),
        ("We had a blast at the lake!", Emotion.SATISFIED),
        ("It was so rewarding!", Emotion.SATISFIED),
        ("We leave on Friday, can't wait!", Emotion.EXCITED),
        ("Super stoked!", Emotion.EXCITED),
        ("I'm so relieved it is over.", Emotion.RELIEVED),
        ("What a relief! The warp holds at last.", Emotion.RELIEVED),
        ("I was surprised by the letter.", Emotion.SURPRISED),
        ("I'm curious how it works.", Emotion.CURIOUS),
        ("I miss him so much.", Emotion.SAD),
        ("It really bummed me out.", Emotion.SAD),
    ],
)
def test_a_feeling_that_is_told_has_its_word(text: str, emotion: Emotion):
    assert felt(text) == (emotion,)


@pytest.mark.parametrize(
    "text",
    [
        "Wow, that's awesome!",
        "Glad you liked it.",
        "I'm so proud of you!",
        "I'm happy for you.",
        "That sounds exciting!",
        "Yoga is calming.",
        "Thanks so much!",
        "Are you excited?",
        "I'm not worried about it.",
        "Don't be afraid of it.",
        "If I get nervous, I breathe.",
        "I'd be happy to look.",
        "I'm afraid it is not there.",
        "I missed the bus.",
        "Can't wait to see your paintings!",
        "My boss was angry.",
        "The content was there.",
        "Shame, I'd been looking forward to tea all week.",
        "",
    ],
)
def test_what_is_no_feeling_of_the_speaker_has_no_word(text: str):
    assert felt(text) == ()


def test_several_feelings_are_told_in_their_order():
    text = "I'm feeling a mix of relief and excitement, and some anxiety."
    assert felt(text) == (Emotion.RELIEVED, Emotion.EXCITED, Emotion.CONCERNED)


@pytest.mark.parametrize(
    "text",
    [
        "Can't wait! By the way, all tills were broken and my mood is terrible now!",
        "I started a shop last week. It's exciting and kinda scary too.",
    ],
)
def test_of_good_and_bad_in_one_message_neither_is_told(text: str):
    assert felt(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "I'm scared, the good kind!",
        "I'm nervous, but in a good way.",
        "I am sad. Good kind of sad.",
    ],
)
def test_what_felt_good_in_its_way_is_no_bad_feeling(text: str):
    assert felt(text) == ()
