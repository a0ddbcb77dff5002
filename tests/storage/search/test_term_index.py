"""BM25 over arrays: the scores of SQLite's FTS5, whatever came, changed and went in between."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.storage.search import term_index
from meridia.storage.search.term_index import TermIndex

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
