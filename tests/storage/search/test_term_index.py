"""Passages of long texts: each term is in those that cover it, and the best one counts."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.storage.search import term_index
from meridia.storage.search.term_index import TermIndex, Vocabulary, letters_of

SIZE, STEP = term_index.LENGTH, term_index.LENGTH // 2
lengths = st.lists(st.integers(0, 5 * SIZE), min_size=1, max_size=5)


def plain_runs(length: int) -> list[range]:
    """Return the runs of terms that are the passages of a text, one by one."""
    starts = range(0, max(length - STEP, 1), STEP)
    return [range(start, min(start + SIZE, length)) for start in starts]


@given(lengths=lengths, data=st.data())
def test_a_term_is_in_every_passage_that_covers_it(lengths, data):
    split = term_index.split(np.array(lengths))
    runs = [(row, run) for row, length in enumerate(lengths) for run in plain_runs(length)]
    assert split.start[-1] == len(runs)
    at = [(row, place) for row, length in enumerate(lengths) for place in range(length)]
    picked = sorted(data.draw(st.sets(st.sampled_from(at)) if at else st.just(set())))
    rows = np.array([row for row, _ in picked], np.int64)
    positions = split.first[rows] + np.array([place for _, place in picked], np.int64)
    having, often = split.having(rows, positions)
    plain = [sum(r == row and place in run for r, place in picked) for row, run in runs]
    assert dict(zip(having.tolist(), often.tolist(), strict=True)) == {
        number: count for number, count in enumerate(plain) if count
    }


def filled(*said: tuple[int, str], size: int = 1000) -> str:
    """Return a text of so many terms, all of them filler but those that are said at a place."""
    terms = [f"filler{place % 50}" for place in range(size)]
    for place, term in said:
        terms[place] = term
    return " ".join(terms)


@pytest.mark.parametrize("place", [0, 39, 40, 41, 500, 960, 998])
def test_a_fact_in_a_long_text_counts_as_in_a_short_one_wherever_it_stands(place):
    together = filled((place, "spare"), (place + 1, "key"))
    apart = filled((0, "spare"), (900, "key"))
    others = [(seq, f"other{seq} words") for seq in range(3, 40)]
    index = TermIndex(1).extended([(1, together), (2, apart), *others])
    found = dict(index.match(["spare", "key"], 9))
    assert [*found] == [1, 2]
    assert found[1] == pytest.approx(2 * found[2])


def test_a_word_in_another_place_than_the_rest_is_scattered():
    texts = [(1, filled((5, "spare"), (6, "key"), (900, "spare"))), (2, "key spare")]
    texts += [(3, filled((5, "spare"), (900, "key")))]
    index = TermIndex(1).extended(texts)
    spare, key = index.scattered(["spare", "key"], [1.0, 2.0])
    assert (spare, key) == ([3], [])
    assert index.without([3], 1).scattered(["spare"], [1.0]) == [[]]


SPELLINGS = st.sets(st.text("abü수영1", min_size=1, max_size=14), max_size=12)


@given(SPELLINGS, SPELLINGS, st.text("abü수", min_size=1, max_size=5))
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
        # What begins in the last four letters is an end, and found as such.
        assert inside == {
            w
            for w in long
            if part in spelled[w][1:] and spelled[w].find(part, 1) < len(spelled[w]) - 4
        }


WORDS = ["red", "barn", "fox", "sea", "東", "é"]
terms = st.lists(st.sampled_from(WORDS), max_size=7)
#: A text for a memory, or None: it goes. Memories are new, or were there before.
steps = st.lists(st.tuples(st.integers(1, 12), st.none() | terms), max_size=30)


def lived(history: list[tuple[int, list[str] | None]]) -> tuple[TermIndex, dict[int, list[str]]]:
    index, texts = TermIndex(1), dict[int, list[str]]()
    for number, (seq, text) in enumerate(history, 1):
        if seq in texts:
            index = index.without([seq], number)
            del texts[seq]
        if text is not None:
            index = index.extended([(seq, " ".join(text))])
            texts[seq] = text
    return index, texts


def by_sqlite(texts: dict[int, list[str]], asked: list[str]) -> list[tuple[int, float]]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5 (terms, content = '')")
    rows = [(seq, " ".join(text)) for seq, text in texts.items()]
    connection.executemany("INSERT INTO t (rowid, terms) VALUES (?, ?)", sorted(rows))
    wanted = " OR ".join(f'"{term}"' for term in asked)
    found = "SELECT rowid, -rank FROM t WHERE t MATCH ? ORDER BY rank, rowid"
    return connection.execute(found, (wanted,)).fetchall()


@given(history=steps, asked=st.lists(st.sampled_from([*WORDS, "none"]), min_size=1, max_size=5))
def test_scores_are_those_of_fts5(history, asked):
    for floor in (20_000, 3, 0):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(term_index, "_FLOOR", floor)
            index, texts = lived(history)
        found = index.match(asked, 100)
        assert dict(found) == pytest.approx(dict(by_sqlite(texts, asked)), rel=1e-6)
        assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)


@given(history=steps, asked=terms)
def test_a_phrase_is_where_a_plain_look_finds_it(history, asked):
    index, texts = lived(history)
    places = range(8)
    plain = [
        seq
        for seq, text in sorted(texts.items())
        if asked and any(text[at : at + len(asked)] == asked for at in places)
    ]
    assert index.phrase(asked) == plain
    assert index.phrase(asked, 5) == [seq for seq in plain if seq > 5]


@given(history=steps, asked=terms, limit=st.integers(1, 4), among=st.sets(st.integers(1, 12)))
def test_the_best_of_some_are_the_best_of_all_that_are_among_them(history, asked, limit, among):
    index, _ = lived(history)
    whole = index.match(asked, 100)
    assert index.match(asked, limit) == whole[:limit]
    some = np.array(sorted(among), np.int64)
    assert index.match(asked, limit, some) == [(q, s) for q, s in whole if q in among][:limit]


def test_an_index_is_not_changed_by_those_made_of_it():
    first = TermIndex(1).extended([(1, "red barn"), (2, "red")])
    second = first.extended([(3, "red sea")]).without([1], 7)
    assert [seq for seq, _ in first.match(["red", "barn", "sea"], 9)] == [1, 2]
    assert [seq for seq, _ in second.match(["red", "barn", "sea"], 9)] == [3, 2]
    assert (second.until, second.changes, first.changes) == (3, 7, 0)
    assert second.nbytes > 0
