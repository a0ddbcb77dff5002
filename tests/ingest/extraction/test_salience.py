"""Salience: the words that a conversation comes back to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from meridia.core.ids import fold
from meridia.core.text import Analyser
from meridia.ingest.extraction.salience import TermSalience, terms_of

ENGLISH = Analyser()


def of(*texts, names=()):
    return TermSalience(texts, ENGLISH, names)


def test_what_recurs_stands_for_the_topic_as_somebody_wrote_it():
    salience = of(
        "We bought a sewing machine in Porto.",
        "Is the sewing machine old?",
        "The machine is from Porto, and so are the buttons.",
    )
    assert salience.phrases(3) == ["sewing machine", "Porto"]


def test_chatter_names_and_stop_words_do_not():
    salience = of("Thanks Mel, sounds great!", "Great idea, Mel, thanks!", names={"mel"})
    assert salience.phrases(5) == []
    assert salience.stems("Thanks Mel, the kayak sounds great") == {"kayak"}


def test_a_word_counts_once_a_text():
    shouted, returned = of("kayak kayak kayak", "boat"), of("a kayak", "the kayak", "boat")
    assert shouted.phrases(2) == []
    assert returned.phrases(2) == ["kayak"]
    assert returned.weights["kayak"] > returned.weights["boat"]


def test_pairs_need_their_words_side_by_side():
    assert of("tax, return", "tax; return").phrases(3) == ["return", "tax"]
    assert of("my tax return", "the tax return").phrases(3) == ["tax return"]


def test_capitals_stay_where_they_mean_something():
    assert of("the LGBTQ group", "an LGBTQ parade").phrases(1) == ["LGBTQ"]
    assert of("Kayak!", "a kayak", "the kayak").phrases(1) == ["kayak"]


def test_languages_without_spaces_are_read_by_pairs():
    salience = of("東京駅で会う", "東京へ行く")
    assert salience.phrases(1) == ["東京"]
    assert "東京" in salience.stems("東京駅")


@given(st.lists(st.text(max_size=80), max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_texts_does_not_matter(texts, shuffle):
    mixed = list(texts)
    shuffle.shuffle(mixed)
    assert of(*mixed).phrases(5) == of(*texts).phrases(5)
    assert of(*mixed).weights == of(*texts).weights


@given(st.text(max_size=200))
def test_terms_are_words_of_the_text(text):
    for term in terms_of(text, ENGLISH, frozenset()):
        assert fold(term.written) in fold(text)
        assert term.stem
