"""What an encoder is asked about a question is enough to get its answer again."""

from __future__ import annotations

import numpy as np

from meridia import Memory
from meridia.core.people import Gazetteer, Person
from meridia.core.settings import RecallSettings
from meridia.language.analyser import Analyser
from meridia.retrieval.ranking.late_interaction import encode_question, question_texts

ENGLISH = Analyser("english")
PEOPLE = Gazetteer([Person("p-1", "Dana"), Person("p-2", "Oskar Lund")])


def test_of_the_names_those_that_the_question_has_are_asked_with_it():
    texts = question_texts("What did Dana's boat cost?", PEOPLE, ENGLISH)
    assert list(texts.names) == ["dana"]
    assert texts.text != texts.rewritten


def test_the_words_of_a_question_have_vectors_but_not_the_names(demo: Memory):
    embedder, texts = demo._components.embedder(), question_texts("Dana's boat", PEOPLE, ENGLISH)
    vector, asked = encode_question(texts, embedder, RecallSettings(), ENGLISH)
    again, _ = encode_question(texts, embedder, RecallSettings(), ENGLISH)
    assert list(asked.stems) == ["boat"]
    assert np.array_equal(vector, again)


def test_the_encoder_is_asked_no_more_than_the_settings_need(demo: Memory):
    embedder, texts = demo._components.embedder(), question_texts("a boat", PEOPLE, ENGLISH)
    assert encode_question(texts, None, RecallSettings(), ENGLISH) == (None, None)
    for settings in (RecallSettings(profile="reference"), RecallSettings(rerank_depth=0)):
        vector, asked = encode_question(texts, embedder, settings, ENGLISH)
        assert (vector.shape, asked) == ((384,), None)
