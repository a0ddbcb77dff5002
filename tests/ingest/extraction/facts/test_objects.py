"""Objects: complete, without the time behind them, or none."""

from __future__ import annotations

import pytest

from meridia.ingest.extraction.facts.objects import is_vague, name_at, read_items, read_object
from tests.ingest.extraction.facts.fact_texts import analysed


def _object(text):
    sentence = analysed(text).sentences[0]
    return read_object(sentence, sentence.clauses[0].complement_first)


@pytest.mark.parametrize(
    ("text", "object"),
    [
        ("I made a big wooden table for my mom yesterday.", "a big wooden table for their mom"),
        (
            "I read a book about black and white photos last week.",
            "a book about black and white photos",
        ),
        ("I joined a club two years ago.", "a club"),
        ('I watched "The Long Day" again.', '"The Long Day"'),
        ("I love music because it helps.", "music"),
    ],
)
def test_an_object_is_read_to_its_end(text, object):
    read = _object(text)
    assert read is not None
    assert (read.text, read.is_complete) == (object, True)


@pytest.mark.parametrize("text", ["I love it.", "I love your idea.", "I love these.", "I left."])
def test_what_points_elsewhere_is_no_object(text):
    assert _object(text) is None


@pytest.mark.parametrize("text", ["I know people who need one.", "I love the trails we found."])
def test_what_a_clause_goes_on_with_is_not_complete(text):
    read = _object(text)
    assert read is not None
    assert not read.is_complete


def test_a_list_is_read_as_far_as_it_is_one():
    sentence = analysed("I like cats, dogs and birds.").sentences[0]
    assert [item.text for item in read_items(sentence, 2)] == ["cats", "dogs", "birds"]
    sentence = analysed("I like cats and Sam hates dogs.").sentences[0]
    assert [item.text for item in read_items(sentence, 2)] == ["cats"]


def test_a_name_is_read_with_its_links():
    tokens = analysed("I studied at the University of Oslo.").sentences[0].tokens
    assert name_at(tokens, 3)[0] == "the University of Oslo"
    assert name_at(tokens, 0)[0] == ""


def test_some_things_say_nothing():
    read = _object("I love the way.")
    assert read is not None
    assert is_vague(read)
