"""Deeds that can be done once, to something that can be pointed at."""

from __future__ import annotations

import pytest

from meridia.core.text import Analyser
from meridia.ingest.extraction.analysis.analysis import analyse
from meridia.ingest.extraction.deeds import deed_after
from meridia.ingest.extraction.definite_deeds import is_definite
from meridia.models.embedder import MiniLmEmbedder

_ENCODER = MiniLmEmbedder()


def definite(text, *, timed=False, by_agent=False):
    (sentence,) = analyse(text, _ENCODER.encode).sentences
    deed = deed_after(sentence, text.index(" ", text.index("'ll")), Analyser())
    return is_definite(deed, any_deed=timed or by_agent)


@pytest.mark.parametrize(
    "text",
    [
        "I'll send the form.",
        "I'll water your plants.",
        "I'll write the poster for the fair.",
        "I'll rebook the flight.",
        "I'll forward you the pictures.",
    ],
)
def test_what_can_be_done_once_is_definite(text):
    assert definite(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'll take the advice.",
        "I'll find my balance.",
        "I'll keep that in mind.",
        "I'll give it my all.",
        "I'll make some changes.",
        "I'll be a good teacher.",
        "I'll cheer you on.",
        "I'll look forward to your pictures.",
        "I'll put my trust in you.",
        "I'll ponder the lake.",
        "I'll note it.",
    ],
)
def test_manners_of_speaking_are_not(text):
    assert not definite(text)


def test_a_time_or_an_agent_makes_other_deeds_definite():
    text = "I'll restring the guitar."
    assert not definite(text)
    assert definite(text, timed=True)
    assert definite(text, by_agent=True)
