"""Marks that can be seen on the surface of a sentence."""

import pytest

from meridia.language.marks import marks_of


@pytest.mark.parametrize(
    ("sentence", "marks"),
    [
        ("I lost my keys last week!", {"own", "subject I", "past time", "past verb"}),
        ("We're flying to Oslo tomorrow.", {"future", "name"}),
        ("Where do you live?", {"question", "you"}),
        ("Never call me at work.", {"always", "order", "own"}),
        ("I’m allergic to nuts.", {"body"}),
        ("No idea, sorry.", {"defers"}),
        ("It has been a while!", {"pronoun first", "exclamation"}),
    ],
)
def test_a_sentence_has_its_marks(sentence, marks):
    assert marks <= set(marks_of(sentence))


@pytest.mark.parametrize(
    "sentence", ["Their order came.", "The shop is red.", "他们喜欢喝茶。", ""]
)
def test_what_is_no_order_and_no_word_of_its_own_has_no_such_mark(sentence):
    assert not {"order", "own", "question", "please"} & set(marks_of(sentence))
