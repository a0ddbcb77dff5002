"""Shapes: what an object must be for a verb to state a fact."""

from __future__ import annotations

import pytest

from meridia.ingest.extraction.facts.clause_rules import Shape
from meridia.ingest.extraction.facts.object_shapes import SHAPES
from tests.ingest.extraction.facts.fact_texts import utterance


def test_every_shape_but_deeds_is_read():
    assert {*Shape} == SHAPES.keys() | {Shape.DEED}


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("We've got a dog and a cat.", [("pet", "dog"), ("pet", "cat")]),
        ("We got another cat named Bailey.", [("pet", "Bailey")]),
        ("I work at a bank.", [("works_at", "a bank")]),
        ("I volunteer at a homeless shelter.", [("volunteers_at", "a homeless shelter")]),
        ("I have asthma.", [("health", "asthma")]),
        ("I have three brothers.", [("brothers", "3 brothers")]),
        ("I do yoga every day.", [("hobby", "yoga")]),
        ("I have a car.", [("owns", "a car")]),
        ("I have a feeling.", []),
        ("I'm interested in getting into it.", []),
        ("I joined a new platform for freelancers.", []),
        ("I love being surrounded by trees.", []),
        ("I was born on May 3, 1990.", [("born", "on May 3, 1990")]),
    ],
)
def test_an_object_has_the_shape_that_its_verb_asks_for(text, stated):
    assert utterance(text) == stated
