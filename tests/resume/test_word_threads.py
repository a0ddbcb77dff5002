"""Quotes of several meetings grouped by a rare word that they share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.analyser import Analyser
from meridia.resume.quotes import Quotable
from meridia.resume.word_threads import is_telling, threads_of
from tests.resume.experience_builders import experience

TEXTS = [
    "My cello teacher Ferrer praised my cello scales.",
    "The tax office lost my letter.",
    "I bought new cello strings from Ferrer.",
    "Ilka painted the nursery green.",
    "Ferrer lent me a cello bow for the concert.",
    "The Volvo needs brakes.",
    "Timo moved to Bergen in May.",
    "My flat in Porto has damp walls.",
    "We adopted a three-legged cat.",
    "The bakery won a regional prize.",
    "Heavy rain flooded our cellar.",
    "Aunt Rosa turned ninety.",
]


def test_a_thread_has_what_shares_a_rare_word_and_is_named_by_it():
    views = [experience(n, text, session=f"s{n}") for n, text in enumerate(TEXTS, 1)]
    talk = Quotable(views, Analyser())
    threads, rest = threads_of(talk, talk.quotes)
    (thread,) = threads
    assert [quote.memory.seq for quote in thread.quotes] == [5, 3, 1]
    assert thread.title == "cello"
    assert [quote.memory.seq for quote in rest] == [12, 11, 10, 9, 8, 7, 6, 4, 2]


def test_nothing_is_lost_and_one_quote_is_no_thread():
    views = [experience(1, TEXTS[0])]
    talk = Quotable(views, Analyser())
    assert threads_of(talk, talk.quotes) == ([], list(talk.quotes))
    assert threads_of(talk, []) == ([], [])


@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=30), st.integers(1, 4))
def test_every_quote_stands_once_and_a_thread_is_of_several_meetings(texts, per_session):
    views = [experience(n, text, session=f"s{n // per_session}") for n, text in enumerate(texts, 1)]
    talk = Quotable(views, Analyser())
    threads, rest = threads_of(talk, talk.quotes)
    told = [*rest, *(quote for thread in threads for quote in thread.quotes)]
    assert sorted(q.memory.seq for q in told) == sorted(q.memory.seq for q in talk.quotes)
    for thread in threads:
        assert 3 <= len(thread.quotes) <= 16
        assert len({quote.memory.session for quote in thread.quotes}) > 1
        assert all(thread.title.casefold() in quote.text.casefold() for quote in thread.quotes)


def test_a_word_that_is_no_topic_names_no_thread():
    texts = ["I fixed the red loom.", "I fixed the red gate.", "I fixed a red kettle."]
    topics = [{"loom": "loom"}, {"gate": "gate"}, {"kettl": "kettle"}]
    views = [
        experience(n, text, session=f"s{n}", topics=found)
        for n, (text, found) in enumerate(zip(texts, topics, strict=True), 1)
    ]
    talk = Quotable(views, Analyser())
    assert threads_of(talk, talk.quotes)[0] == []


@pytest.mark.parametrize(
    ("written", "telling"),
    [("kiln", True), ("17", False), ("5,66", False), ("e", False), ("ab", False), ("窑", True)],
)
def test_a_thread_is_named_by_words_and_not_by_numbers_or_letters(written: str, telling: bool):
    assert is_telling(written) is telling
