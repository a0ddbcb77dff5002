"""Words of a sentence put together again."""

from __future__ import annotations

from meridia.language.tagging import analyse, join


def test_words_are_joined_as_they_were_written():
    text = "Don't say I'll go (now)!"
    (sentence,) = analyse(text, lambda _: None).sentences
    assert join(sentence.tokens) == text
    assert [token.lower for token in sentence.tokens][:3] == ["do", "n't", "say"]
