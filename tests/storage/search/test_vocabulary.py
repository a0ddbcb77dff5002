"""The words of a space, by how they begin, end and are put together: as a plain search has them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from meridia.storage.search.vocabulary import Vocabulary, letters_of

WORDS = st.sets(st.text("abü수영1", min_size=1, max_size=14), max_size=12)


@given(WORDS, WORDS, st.text("abü수", min_size=1, max_size=5))
def test_words_are_found_by_their_beginning_end_and_inside(at_first, later, part):
    source = dict.fromkeys(sorted(at_first), 0)
    vocabulary = Vocabulary(source)
    vocabulary.catch_up()
    source |= dict.fromkeys(sorted(later), 0)
    vocabulary.catch_up()
    words, part = at_first | later, letters_of(part)
    spelled = {word: letters_of(word) for word in words}
    assert vocabulary.words == words
    assert {*vocabulary.beginning(part)} == {w for w in words if spelled[w].startswith(part)}
    assert {*vocabulary.ending(part)} == {w for w in words if spelled[w].endswith(part)}
    inside = {*vocabulary.around(part)}
    assert all(part in spelled[word] for word in inside)
    if len(part) >= 4:
        long = {w for w in words if len(spelled[w]) >= 9 and "1" not in w}
        assert inside == {w for w in long if part in spelled[w][1:] and len(part) < len(spelled[w])}
