"""Noun phrases: where they start and end, and what their main noun is."""

from __future__ import annotations

import pytest

from meridia.ingest.extraction.analysis.analysis import analyse
from meridia.models.embedder import MiniLmEmbedder

_ENCODER = MiniLmEmbedder()


@pytest.mark.parametrize(
    ("text", "texts", "cores"),
    [
        (
            "We painted the old garden bench.",
            ["We", "the old garden bench"],
            ["We", "old garden bench"],
        ),
        (
            "I'll bring the recipe tonight.",
            ["I", "the recipe", "tonight"],
            ["I", "recipe", "tonight"],
        ),
        ("It was a bowl of soup.", ["It", "a bowl of soup"], ["It", "bowl"]),
        (
            "I went to a fair two days ago.",
            ["I", "a fair", "two days"],
            ["I", "fair", "two days"],
        ),
        ("I met Sara Lind.", ["I", "Sara Lind"], ["I", "Sara Lind"]),
    ],
)
def test_phrases(text: str, texts: list[str], cores: list[str]):
    phrases = analyse(text, _ENCODER.encode).sentences[0].phrases
    assert [phrase.text for phrase in phrases] == texts
    assert [phrase.core for phrase in phrases] == cores


def test_what_says_when_is_marked_and_whose_it_is():
    phrases = analyse("My sister left two years ago.", _ENCODER.encode).sentences[0].phrases
    assert [phrase.is_time for phrase in phrases] == [False, True]
    assert [phrase.possessor for phrase in phrases] == ["my", ""]
