"""Tests of what all sessions of frameworks share."""

from __future__ import annotations

from meridia.integrations.transcript import Item, Transcript, context_for, words_of


def test_a_session_longer_than_a_page_comes_back_whole(memory):
    transcript = Transcript(memory, "here", "s1", "Kim")
    transcript.add(Item("user", f"This is number {n} of them.", {"n": n}) for n in range(700))
    assert transcript.contents() == [{"n": n} for n in range(700)]
    assert transcript.contents(2) == [{"n": 698}, {"n": 699}]


def test_frameworks_that_share_a_session_have_their_own_items(memory):
    one, other = Transcript(memory, "one", "s1"), Transcript(memory, "other", "s1")
    one.add([Item("user", "The race is on Friday.", 1)])
    other.add([Item("user", "The race is on Friday.", 2)])
    one.clear()
    assert (one.contents(), other.contents(), one.pop()) == ([], [2], None)


def test_words_are_those_of_texts_and_parts():
    parts = [{"type": "text", "text": "one"}, {"type": "image_url", "image_url": {}}, "two"]
    assert words_of(parts) == "one\ntwo"
    assert words_of({"type": "text", "text": "one"}) == "one"
    assert words_of(None) == words_of([]) == ""


def test_a_model_is_told_no_more_than_it_has_room_for(memory):
    for n in range(60):
        memory.remember(f"Race {n} of our sailing season is in week {n}.", person="Kim")
    told = context_for(memory, "When is the next sailing race?", "Kim", 300)
    assert "race" in told.lower()
    assert len(told) / 4 <= 330
    assert context_for(memory, "Who?", "Nobody Known", 300).count("Nobody Known") <= 1
