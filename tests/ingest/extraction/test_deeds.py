"""Deeds in stems: one form for all tenses, and what they are about."""

from __future__ import annotations

import pytest

from meridia.core.text import Analyser
from meridia.ingest.extraction.analysis.analysis import analyse
from meridia.ingest.extraction.deeds import deed_after, deed_of
from meridia.models.embedder import MiniLmEmbedder

_ENCODER, ENGLISH = MiniLmEmbedder(), Analyser()


def deed(text):
    (sentence,) = analyse(text, _ENCODER.encode).sentences
    given = deed_of(sentence, sentence.clauses[0], ENGLISH)
    return given.verb, set(given.objects)


@pytest.mark.parametrize(
    ("text", "verb", "objects"),
    [
        ("I'll send you the recipe tomorrow.", "send", {"recip"}),
        ("I sent the recipe.", "send", {"recip"}),
        ("I'll proceed with canceling your reservation.", "cancel", {"reserv"}),
        ("Your reservation has been successfully canceled.", "cancel", {"reserv"}),
        ("I'll make sure to water the plants.", "water", {"plant"}),
        ("I'll look up how the brake of a loom is set, later.", "look", {"brake", "loom"}),
        ("I'll proceed with the booking.", "proceed", {"book"}),
    ],
)
def test_a_deed_is_the_same_in_every_tense_and_behind_verbs_that_only_lead_to_it(
    text, verb, objects
):
    assert deed(text) == (verb, objects)


def test_the_deed_after_a_place_is_read_up_to_the_end_of_the_sentence():
    text = "Remind me to call the dentist on Friday."
    (sentence,) = analyse(text, _ENCODER.encode).sentences
    given = deed_after(sentence, len("Remind me"), ENGLISH)
    assert (given.verb, given.objects) == ("call", ("dentist",))
