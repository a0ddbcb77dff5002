"""Sentences that do not name what they mean."""

import pytest

from meridia.language.marks import leans


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I made it last week.", True),
        ("They were so kind.", True),
        ("This is wonderful!", True),
        ("Another one I like is the harp.", True),
        ("The best part was the bread.", True),
        ("I stayed there for a month.", True),
        ("I had a teacher who said that.", True),
        ("I got the idea from a walk.", True),
        ("I bought a tandem, since Timo had one.", False),
        ("If that's not possible, I'll take the bus.", True),
        ("There is a leak in the roof.", False),
        ("I went to Bergen and stayed there for a month.", False),
        ("The loom broke and I repaired it.", False),
        ("I sold my flat in Porto.", False),
        ("My sister Mira lives in Bergen.", False),
    ],
)
def test_a_pronoun_leans_where_nothing_was_named_before_it(sentence, expected):
    assert leans(sentence) is expected
