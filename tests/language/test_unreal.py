"""What happens in a dream of the night, or in a joke, is not told as what happened."""

from __future__ import annotations

import pytest

from meridia.language.reading import factual_spans, read_message


def told(text: str) -> list[str]:
    return [text[start:end] for start, end in factual_spans(read_message(text))]


@pytest.mark.parametrize(
    "text",
    [
        "Last night I dreamed that we moved to Oslo.",
        "I dreamt my sister was pregnant again.",
        "I had the weirdest dream: my mother died and I moved to Peru.",
        "And in the dream my boss got fired.",
        "I had a nightmare where my house burned down. My cat was gone. I was terrified.",
    ],
)
def test_a_dream_is_not_told(text: str):
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I've always dreamed of becoming a pilot.",
        "I got my dream job in Paris!",
        "I never dreamed I would win the race.",
        "I had a dream job in Paris.",
        "In my dream job I would paint all day.",
    ],
)
def test_a_dream_of_the_future_is_none(text: str):
    assert told(text) == [text]


def test_that_somebody_dreamed_is_told():
    assert told("I had the weirdest dream last night! My house was a boat.") == [
        "I had the weirdest dream last night!"
    ]


def test_a_dream_ends_when_somebody_wakes_up_or_speaks_of_now():
    dream = "I dreamed I was a pilot. My flat was gone."
    assert told(f"{dream} Then I woke up. I sold the car.") == ["I sold the car."]
    assert told(f"{dream} Anyway, I sold the car.") == ["Anyway, I sold the car."]
    assert told("I dreamt of snow? I dreamt I was late. I'm so nervous now.")[-1].endswith("now.")


def test_a_joke_that_is_called_one_is_not_told():
    assert told("I live on Mars, just kidding.") == []
    assert told("The cat is ill. I'm moving to Mars. Just kidding!") == ["The cat is ill."]
    assert told("April fools: I got married!") == []
    assert told("He was kidding about the boat.") == ["He was kidding about the boat."]


@pytest.mark.parametrize(
    "text",
    [
        "In the novel I wrote, I live in Cairo.",
        "In my story I was a pilot.",
        "In the game we play, I own a castle.",
        "I live in Rome, which was a lie.",
        "I work at the mint, but that's not true.",
        "I live in Rome. I lied.",
    ],
)
def test_fiction_and_what_is_called_a_lie_is_not_told(text: str):
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "In my novel I write about Cairo.",
        "In the game yesterday I scored twice.",
        "In the film industry I work as a gaffer.",
        "I work as a nurse, which is a fine job.",
        "That's a lie, I live in Cairo.",
    ],
)
def test_how_a_work_is_made_and_what_is_true_is_told(text: str):
    assert told(text) == [text]
