"""Sentences that do not name what they mean."""

import pytest

from meridia.language.marks import leans


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I made it last week.", True),
        ("They were so kind.", True),
        ("This is wonderful!", True),
        ("The loom broke and I repaired it.", False),
        ("I sold my flat in Porto.", False),
        ("My sister Mira lives in Bergen.", False),
    ],
)
def test_a_pronoun_leans_where_nothing_was_named_before_it(sentence, expected):
    assert leans(sentence) is expected
