"""What sentences tell done, received or given up."""

from __future__ import annotations

import pytest

from meridia.core.text import Analyser
from meridia.ingest.extraction.analysis.analysis import analyse
from meridia.ingest.extraction.completions import completions_of
from meridia.models.embedder import MiniLmEmbedder

_ENCODER, ENGLISH = MiniLmEmbedder(), Analyser()


def completions(text):
    return [
        (kind.value, deed.verb, *deed.objects)
        for sentence in analyse(text, _ENCODER.encode).sentences
        for kind, deed in completions_of(sentence, ENGLISH)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I booked the table.", [("done", "book", "tabl")]),
        ("Found it!", [("done", "find")]),
        ("I've finished painting the hull.", [("done", "paint", "hull")]),
        ("Your ticket has been cancelled.", [("done", "cancel", "ticket")]),
        ("The gaming party was a great success!", [("done", "be", "game", "parti")]),
        ("Here are the flights.", [("done", "", "flight")]),
        ("Sending you the recipe now!", [("done", "send", "recip")]),
        ("Thanks for sending the recipe!", [("received", "send", "recip")]),
        ("Never mind, found it.", [("cancel", "find")]),
        ("We're not going to the lake after all.", [("cancel", "go", "lake")]),
        ("I changed my mind about the boat.", [("cancel", "chang", "mind", "boat")]),
        ("Unfortunately, I cannot book the hotel.", [("cancel", "book", "hotel")]),
    ],
)
def test_what_was_done_received_or_given_up(text, expected):
    assert completions(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Did you book the table?",
        "I didn't book the table.",
        "Got it, thanks!",
        "I can't wait for the party!",
        "I thought about the party.",
        "I'll book the table.",
        "",
    ],
)
def test_what_tells_nothing_done(text):
    assert completions(text) == []
