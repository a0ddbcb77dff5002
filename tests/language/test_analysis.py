"""The shallow analysis, with the real encoder and the weights that ship."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from meridia.language.tagging import Analysis, analyse
from meridia.models.embedder import MiniLmEmbedder

_ENCODER = MiniLmEmbedder()


def no_encoder(text: str) -> None:
    return None


def read(text: str) -> Analysis:
    return analyse(text, _ENCODER.encode)


@given(st.text(max_size=300))
def test_any_text_is_analysed_and_places_are_those_of_the_text(text: str):
    analysis = analyse(text, no_encoder)
    for sentence in analysis.sentences:
        assert sentence.text == text[sentence.start : sentence.end]
        for token in sentence.tokens:
            assert token.text == text[token.start : token.end]


def test_a_message_is_read_sentence_by_sentence():
    analysis = read("I quit my job!  Is that okay?\n> quoted\n- `code` first item")
    assert [s.text for s in analysis.sentences] == [
        "I quit my job!",
        "Is that okay?",
        "first item",
    ]


def test_without_the_encoder_letters_alone_decide():
    sentence = analyse("We moved to Berlin with my daughter Sara.", no_encoder).sentences[0]
    assert [token.tag for token in sentence.tokens[:2]] == ["PRP", "VBD"]


def test_names_are_recognised():
    tokens = read("She works with Anna Lindqvist in Leeds.").sentences[0].tokens
    assert [(t.text, t.name) for t in tokens if t.name != "O"] == [
        ("Anna", "B-PER"),
        ("Lindqvist", "I-PER"),
        ("Leeds", "B-LOC"),
    ]


def test_a_text_beyond_the_encoders_length_is_tagged_to_its_end():
    sentences = read("I bought a new red bicycle today. " * 80).sentences
    assert len(sentences) == 80
    assert [token.tag for token in sentences[-1].tokens[:2]] == ["PRP", "VBD"]
