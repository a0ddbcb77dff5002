"""Passages of long texts: each term is in those that cover it, and the best one counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.storage.search import passages
from meridia.storage.search.term_index import TermIndex

SIZE, STEP = passages.LENGTH, passages.LENGTH // 2
lengths = st.lists(st.integers(0, 5 * SIZE), min_size=1, max_size=5)


def plain_runs(length: int) -> list[range]:
    """Return the runs of terms that are the passages of a text, one by one."""
    starts = range(0, max(length - STEP, 1), STEP)
    return [range(start, min(start + SIZE, length)) for start in starts]


@given(lengths=lengths, data=st.data())
def test_a_term_is_in_every_passage_that_covers_it(lengths, data):
    split = passages.split(np.array(lengths))
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
