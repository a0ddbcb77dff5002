"""Feelings that a speaker tells: their own, of now, in words of the vocabulary, or none."""

from __future__ import annotations

import pytest

from meridia.core.vocabulary import Emotion
from meridia.language.feelings import feelings_in
from meridia.language.reading import factual_spans, read_message


def felt(text: str) -> tuple[Emotion, ...]:
    return feelings_in(text[start:end] for start, end in factual_spans(read_message(text)))


#: Ways to say what one feels now, and ways in which it is somebody else's, over, or not said.
OWN = [
    "I'm {}.",
    "I am so {} today.",
    "I feel {}.",
    "We're so {} about the news!",
    "I feel really {} right now.",
    "Honestly, I'm a bit {}.",
    "We are {}, and it rains.",
    "i'm {} tbh",
    "I’m very {} that it ends.",
    "I'm still {} about everything, thank you.",
    "I've been so {} lately.",
    "My wife and I are {}.",
    "It makes me {}.",
    "So {}.",
]
NOT_OWN = [
    "She is {}.",
    "My sister is so {}.",
    "You must be {}.",
    "Are you {}?",
    "I'm not {}.",
    "I was {} yesterday.",
    "I felt {} back then.",
    "I used to be {}.",
    "If I am {}, I walk.",
    "When I'm {}, I walk.",
    "He said I'm {}.",
    'He wrote: "I am {}."',
    "I'd be {}.",
    "I wish I were {}.",
    "I hope you are {}.",
    "Maybe I'm {}.",
    "Last night I dreamed that I was {}.",
    "I'm usually {} before a race.",
    "The {} people waited.",
]


@pytest.mark.parametrize("frame", OWN)
@pytest.mark.parametrize("emotion", list(Emotion))
def test_a_word_of_the_vocabulary_is_never_missed(frame, emotion):
    assert felt(frame.format(emotion.value)) == (emotion,)


@pytest.mark.parametrize("frame", NOT_OWN)
@pytest.mark.parametrize("emotion", list(Emotion))
def test_what_others_feel_and_what_was_felt_is_not_told(frame, emotion):
    assert felt(frame.format(emotion.value)) == ()


@pytest.mark.parametrize(
    ("text", "emotion"),
    [
        ("I'm so proud of my daughter!", Emotion.SATISFIED),
        ("We leave on Friday, can't wait!", Emotion.EXCITED),
        ("I'm looking forward to the trip.", Emotion.EXCITED),
        ("Super stoked!", Emotion.EXCITED),
        ("What a relief! The warp holds at last.", Emotion.RELIEVED),
        ("It's so frustrating.", Emotion.FRUSTRATED),
        ("I miss him so much.", Emotion.SAD),
        ("I'm worried about you.", Emotion.CONCERNED),
        ("I'm scared of the exam.", Emotion.CONCERNED),
    ],
)
def test_a_feeling_in_other_words_has_its_word(text: str, emotion: Emotion):
    assert felt(text) == (emotion,)


@pytest.mark.parametrize(
    "text",
    [
        "Wow, that's awesome!",
        "Glad you liked it.",
        "I'm so proud of you!",
        "I'm happy for you.",
        "I'm happy to help.",
        "I'm so glad we can always be there for each other.",
        "I'm proud of what you did.",
        "Can't wait to hear about it!",
        "It's normal to be both excited and nervous.",
        "That sounds exciting!",
        "Yoga is calming.",
        "Thanks so much!",
        "Don't be afraid of it.",
        "I'm afraid it is not there.",
        "As far as I'm concerned, it's fine.",
        "I missed the bus.",
        "I miss my bus every day.",
        "Can't wait to see your paintings!",
        "The content was there.",
        "Happy birthday!",
        "Shame, I'd been looking forward to tea all week.",
        "I'm scared, the good kind!",
        "I'm nervous, but in a good way.",
        "",
    ],
)
def test_what_is_polite_or_says_nothing_has_no_word(text: str):
    assert felt(text) == ()


def test_several_feelings_are_told_in_their_order_and_grief_first():
    text = "I'm feeling a mix of relief and excitement, and some anxiety."
    assert felt(text) == (Emotion.RELIEVED, Emotion.EXCITED, Emotion.CONCERNED)
    assert felt("I'm thankful for the cards. I am grieving.")[0] is Emotion.GRIEVING
    assert felt("I am sad and frustrated.") == (Emotion.SAD, Emotion.FRUSTRATED)
