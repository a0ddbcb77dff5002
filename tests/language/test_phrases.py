"""Noun phrases: where they start and end."""

from __future__ import annotations

import pytest

from meridia.language.tagging import analyse, join
from meridia.models.embedder import MiniLmEmbedder

_ENCODER = MiniLmEmbedder()


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        (
            "We painted the old garden bench.",
            ["We", "the old garden bench"],
        ),
        (
            "I'll bring the recipe tonight.",
            ["I", "the recipe", "tonight"],
        ),
        ("It was a bowl of soup.", ["It", "a bowl of soup"]),
        (
            "I went to a fair two days ago.",
            ["I", "a fair", "two days"],
        ),
        ("I met Sara Lind.", ["I", "Sara Lind"]),
    ],
)
def test_phrases(text: str, texts: list[str]):
    phrases = analyse(text, _ENCODER.encode).sentences[0].phrases
    assert [join(phrase) for phrase in phrases] == texts
