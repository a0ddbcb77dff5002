"""Who of the speaker's died, and what ends with that."""

from __future__ import annotations

import pytest

from meridia.ingest.extraction.facts.deaths import deaths_in, ended_by
from tests.ingest.extraction.facts.fact_texts import analysed


def dead(text):
    return [death for sentence in analysed(text).sentences for death in deaths_in(sentence)]


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("My aunt died.", ("aunt", "")),
        ("My aunt Carla has just passed away.", ("aunt", "Carla")),
        ("I lost my grandpa in May.", ("grandpa", "")),
        ("We had to put my cat Milo to sleep.", ("cat", "Milo")),
        ("Our old dog Rex died.", ("dog", "Rex")),
    ],
)
def test_who_is_told_to_be_dead_is(text, who):
    assert dead(text) == [who]


@pytest.mark.parametrize(
    "text",
    [
        "My cousin died laughing.",
        "My aunt nearly died.",
        "I lost my dog in the park.",
        "We put our dog in the car.",
        "If my uncle died, I would inherit the farm.",
        "Her aunt died.",
    ],
)
def test_who_is_not_dead_is_not_told_so(text):
    assert dead(text) == []


def test_a_death_ends_what_is_said_by_kind_and_by_name():
    assert list(ended_by("aunt", "Carla")) == [("aunt", "aunt", True), ("aunt", "Carla", True)]
    assert list(ended_by("husband", "Tom")) == [("partner", "", True)]
    assert list(ended_by("dog", "")) == [("pet", "dog", True)]
