"""Set phrases say that praise is not meant."""

from __future__ import annotations

import pytest

from meridia.language.tone import is_ironic


@pytest.mark.parametrize(
    "text",
    [
        "Oh great, my car broke down again.",
        "Another invoice. Just what I needed.",
        "Yeah, living the dream.",
        "Lucky me, I get to pay twice.",
        "Oh joy.",
        "What could possibly go wrong?",
        "Love this weather /s",
        "Great, another flat tyre. Just what I needed today.",
        "Fantastic, they cancelled my train.",
        "My neighbours drilled all Sunday, how lovely.",
        "Well that's just perfect, my phone died on the way.",
    ],
)
def test_a_complaint_in_words_of_praise_is_ironic(text: str):
    assert is_ironic(text)


@pytest.mark.parametrize(
    "text",
    [
        "Great, thank you!",
        "A week by the sea. Just what I needed!",
        "I'm living the dream!",
        "My car is just what I was looking for.",
        "That was a great concert, my favourite so far.",
        "It's as if nothing had happened.",
        "I was lucky, my train was late too.",
        "Great, another gold medal! Just what we hoped for.",
        "Great, my broken laptop works again.",
        "Awesome, she broke the record!",
        "Great, no delays today!",
    ],
)
def test_praise_is_praise(text: str):
    assert not is_ironic(text)
