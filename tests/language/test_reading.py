"""A message read once: sentences, kinds, places where it may be cut."""

from hypothesis import given
from hypothesis import strategies as st

from meridia.core.experience import Utterance
from meridia.language.reading import read_message, recorded_or_read

TALK = "Hi Sam! I lost my job last week, and the rent is due. Can you lend me a book?"


def test_each_sentence_has_its_place_and_kind():
    greeting, news, question = read_message(TALK)
    assert TALK[news.start : news.end] == "I lost my job last week, and the rent is due."
    assert max(news.kinds, key=news.kinds.__getitem__) in {"news", "setback"}
    assert question.kinds["question"] > 0.5
    assert greeting.kinds.get("news", 0) < 0.5
    assert TALK[news.cuts[0] :].startswith(", and the rent")


def test_a_word_with_a_hyphen_is_never_cut():
    text = "I was networking non-stop at the fair - it was fun."
    (sentence,) = read_message(text)
    assert [text[cut:].strip()[:1] for cut in sentence.cuts] == ["-"]


@given(st.text(max_size=400))
def test_sentences_stand_in_the_text_in_order(text):
    ends = 0
    for sentence in read_message(text):
        assert ends <= sentence.start < sentence.end <= len(text)
        assert all(sentence.start <= cut <= sentence.end for cut in sentence.cuts)
        assert all(0 <= by <= 1 for by in sentence.kinds.values())
        ends = sentence.end


def test_what_an_older_release_recorded_is_read_now_and_keeps_its_feelings():
    old = (Utterance(8, 54, {"news": 0.9}, {"sad": 0.7}),)
    read = recorded_or_read(TALK, old)
    assert len(read) == 3
    assert read[1].feelings == {"sad": 0.7}
    assert recorded_or_read(TALK, tuple(read)) == tuple(read)
