"""Names in what people write: found, and of the right kind."""

from __future__ import annotations

import pytest

from meridia import Memory
from meridia.language.names import find_message_names
from meridia.language.tagging import analyse
from meridia.models.embedder import MiniLmEmbedder

_ENCODER = MiniLmEmbedder()


def _named(text, people=()):
    analysis = analyse(text, _ENCODER.encode)
    return [(match.type.value, match.name) for match in find_message_names(analysis, people)]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("My daughter Sara is five.", [("PERSON", "Sara")]),
        ("We got a puppy named Toby.", [("PET", "Toby")]),
        ("I moved to Lisbon last year.", [("PLACE", "Lisbon")]),
        ("I love my home country, Sweden.", [("PLACE", "Sweden")]),
        (
            'I read the book "The Long Day" by Ann Smith.',
            [("WORK", "The Long Day"), ("PERSON", "Ann Smith")],
        ),
        ("We went to the Jazz Festival.", [("EVENT", "Jazz Festival")]),
        ("I played Catan with friends.", [("WORK", "Catan")]),
        ("My mentor Alice works at NASA.", [("PERSON", "Alice"), ("ORG", "NASA")]),
        ("I studied at Stanford.", [("ORG", "Stanford")]),
        ("My favorite game is Stardew Valley.", [("WORK", "Stardew Valley")]),
        ("We hiked Mount Rainier.", [("PLACE", "Mount Rainier")]),
        ("I'm going to Comic-Con in July.", [("EVENT", "Comic-Con")]),
        ("I ordered it from Amazon.", [("ORG", "Amazon")]),
        ('It is a song by "Winter Rain".', [("ORG", "Winter Rain")]),
        ("I'm reading a book by Haruki Murakami.", [("PERSON", "Haruki Murakami")]),
        ("I drive a Honda Civic.", [("PRODUCT", "Honda Civic")]),
        ("We celebrated Diwali with my family.", [("EVENT", "Diwali")]),
        ("My favorite band is Coldplay.", [("ORG", "Coldplay")]),
        ("We hiked in the Rockies.", [("PLACE", "Rockies")]),
    ],
)
def test_a_name_has_the_kind_that_the_words_beside_it_say(text, named):
    assert _named(text) == named


@pytest.mark.parametrize(
    "text",
    [
        "Wow, that's great! Hey, thanks!",
        "I love French food and LGBTQ events in May.",
        "All readings are stored in UTC, not in CEST.",
        "SO GOOD! AMAZING news on Monday.",
        "My Mom called. Clearly, she was tired.",
        'He said "sure".',
    ],
)
def test_openers_nationalities_and_days_are_no_names(text):
    assert _named(text) == []


def test_who_speaks_is_named_elsewhere():
    assert _named("I met Dana in Oslo.", {"dana"}) == [("PLACE", "Oslo")]


def test_a_place_in_the_text_is_that_of_the_name():
    text = "We saw it. I moved to Lisbon."
    (match,) = find_message_names(analyse(text, _ENCODER.encode), ())
    assert text[match.start : match.end] == "Lisbon"


def test_a_name_has_one_type_until_a_surer_word_comes():
    with Memory.open() as memory:
        for text in (
            "I watched Oscar all day.",
            "I met my guinea pig, Oscar.",
            "Here is a picture of my cat Milo.",
            "We went to Milo again.",
        ):
            memory.remember(text, person="Dana")
        memory.enrich()
        types = [(row.name, str(row.type)) for row in memory.chronicle.entities()]
    assert ("Milo", "PET") in types
    assert [name for name, _ in types].count("Milo") == 1
