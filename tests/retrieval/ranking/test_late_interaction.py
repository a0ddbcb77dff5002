"""Late interaction: each content word of a question looks for its nearest word in a memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.analyser import Analyser
from meridia.models.tokens import DIMENSION, Encoded, Small, compress, expand, joined
from meridia.retrieval.ranking.late_interaction import (
    CONTENT_WORD,
    FUNCTION_WORD,
    SPECIAL_TOKEN,
    QuestionTokens,
    max_similarities,
    nearest_sentences,
    question_tokens,
    weights,
    with_rewritten_tokens,
)

MODEL = "fake:384:1"
ENGLISH = Analyser("english")


def small(seed: int, count: int) -> Small:
    drawn = np.random.default_rng(seed).normal(size=(count, 384)).astype(np.float32)
    return compress(drawn)


def asked(count: int, seed: int = 0) -> QuestionTokens:
    return QuestionTokens(expand(small(seed, count)), [f"w{n}" for n in range(count)], MODEL)


# What is asked for


def encoded(text: str) -> Encoded:
    """Encode a text of one piece a word between two marks, the nth of them along the nth axis."""
    spans, end = [(0, 0)], 0
    for word in text.split(" "):
        spans.append((end, end + len(word)))
        end += len(word) + 1
    spans.append((0, 0))
    return Encoded(
        np.eye(384, dtype=np.float32)[0], np.eye(len(spans), 384, dtype=np.float32), spans
    )


def test_the_pieces_of_a_question_are_those_of_its_content_words_without_names():
    text = "When did Dana adopt the puppies"
    found = question_tokens(
        text, encoded(text), MODEL, Analyser("english"), frozenset({"dana", "novak"})
    )
    assert list(found.stems) == ["adopt", "puppi"]
    assert found.model == MODEL
    rows = np.eye(7, 384, dtype=np.float32)[[4, 6]]
    assert np.array_equal(found.rows, expand(compress(rows))[:])


@pytest.mark.parametrize("text", ["", "Dana", "what did she do", "?!"])
def test_a_question_without_content_words_asks_for_nothing(text):
    found = question_tokens(text, encoded(text), MODEL, Analyser("english"), frozenset({"dana"}))
    assert (list(found.stems), found.rows.shape) == ([], (0, DIMENSION))


def test_a_voiced_question_has_every_piece_but_punctuation_by_its_kind():
    text = "what did I adopt ?"
    asked = with_rewritten_tokens(
        QuestionTokens(expand(small(0, 1)), ["adopt"], MODEL), text, encoded(text), ENGLISH
    )
    assert asked.kinds == SPECIAL_TOKEN + FUNCTION_WORD * 3 + CONTENT_WORD + SPECIAL_TOKEN
    rows = np.eye(7, 384, dtype=np.float32)[[0, 1, 2, 3, 4, 6]]
    assert np.array_equal(asked.rewritten, expand(compress(rows)))
    assert (list(asked.stems), asked.rows.shape) == (["adopt"], (1, DIMENSION))
    both = asked.all_pieces()
    assert (len(both.rows), len(both.stems)) == (7, 7)


# What each piece counts


@given(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=6),
    st.dictionaries(st.sampled_from("abc"), st.floats(0.01, 20), max_size=3),
    st.floats(0.01, 20),
)
def test_weights_add_up_to_one_and_keep_the_proportions_of_rarity(stems, rarity, unseen):
    found = weights(stems, rarity, unseen)
    assert found.sum() == pytest.approx(1)
    wanted = np.array([rarity.get(stem, unseen) for stem in stems])
    assert np.allclose(found * wanted.sum(), wanted)


def test_words_that_everybody_uses_weigh_nothing_and_no_words_are_no_weights():
    assert weights(["a", "b"], {"a": 0.0, "b": 0.0}, 3.0).tolist() == [0.0, 0.0]
    assert weights([], {}, 3.0).tolist() == []


# The nearest


@given(
    st.integers(0, 4),
    st.dictionaries(st.integers(0, 6), st.lists(st.integers(0, 3), min_size=1, max_size=3)),
    st.lists(st.integers(-1, 6), max_size=8),
)
def test_each_piece_has_its_largest_cosine_with_the_best_passage_of_each_memory(
    count, lengths, rows
):
    question, counts = asked(count), np.full(count, 1 / max(count, 1))
    passages = {
        row: [small(10 * row + place, length) for place, length in enumerate(each)]
        for row, each in lengths.items()
    }
    stored = {row: joined(each) for row, each in passages.items()}
    found, chosen = max_similarities(question, counts, stored, np.array(rows, np.int64))
    assert found.shape == (count, len(rows))
    for place, row in enumerate(rows):
        matches = [
            [max((float(q @ one) for one in expand(each)), default=0.0) for q in question.rows]
            for each in passages.get(row, [small(0, 0)])
        ]
        if len(matches) > 1:  # the row between passages is near to nothing
            matches = [[max(0.0, match) for match in each] for each in matches]
        assert found[:, place].tolist() == pytest.approx(matches[chosen[place]], abs=1e-5)
        assert sum(found[:, place]) == pytest.approx(max(map(sum, matches)), abs=1e-5)


def test_a_memory_that_says_the_very_word_is_nearest_to_it():
    question = asked(1)
    same = np.concatenate([small(9, 3), small(0, 1)])
    stored = {0: same, 1: small(9, 3)}
    found, _ = max_similarities(question, np.ones(1), stored, np.array([0, 1, -1]))
    assert found[0, 0] == pytest.approx(1, abs=0.05)
    assert found[0, 0] > found[0, 1]
    assert found[0, 2] == 0.0


def test_the_nearest_sentence_counts_in_long_texts_only():
    question = asked(3)
    told = compress(np.random.default_rng(9).normal(size=(400, 384)).astype(np.float32))
    fact = told.copy()
    fact[200:205] = small(0, 3)[[0, 1, 2, 0, 1]]
    stored = {0: fact, 1: joined([told[:200], told[200:]]), 2: joined([fact[:190], fact[190:]])}
    whole, without, having, unknown = nearest_sentences(question.rows, stored, np.arange(4))
    assert whole == unknown == 0
    assert having > 0.4 > abs(without) + 0.2
