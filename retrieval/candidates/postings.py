"""Which experiences contain the words of a question, and how rare each word is in the space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...graph.schema import HAS_WORD
from ...graph.view import Floats, GraphView, Ints
from ...storage.sorted_arrays import distinct


@dataclass(frozen=True, slots=True)
class Postings:
    """Where a question's terms occur: rows of experiences by term, and each term's rarity.

    `share` is what each counts there: less than 1 where something else stands for it.
    """

    terms: Sequence[str]
    rows: Sequence[Ints]
    rarity: Floats
    share: Floats

    @property
    def absent(self) -> frozenset[str]:
        """The terms that occur nowhere."""
        return frozenset(t for t, rows in zip(self.terms, self.rows, strict=True) if not len(rows))

    def standing_in(
        self, rows: Mapping[str, Ints], share: Mapping[str, float], count: int
    ) -> Postings:
        """Return these with where other words stand for some terms, of a space of `count`."""
        if not rows:
            return self
        by_term = {**dict(zip(self.terms, self.rows, strict=True)), **rows}
        everywhere, shares = [*by_term.values()], [share.get(term, 1.0) for term in by_term]
        return Postings([*by_term], everywhere, rarity_of(everywhere, count), np.array(shares))


def rows_of(view: GraphView, seqs: Sequence[int]) -> Ints:
    """Return the rows of experiences by their sequences; those that a view lacks are left out."""
    rows = view.experiences.index_of(np.array(seqs, np.int64))
    return rows[rows >= 0]


def rarity_of(rows: Sequence[Ints], count: int) -> Floats:
    """Return ln(1 + (n - df + .5)/(df + .5)) of terms in df of n experiences each."""
    frequency = np.array([len(of_term) for of_term in rows], np.float64)
    rarity: Floats = np.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
    return rarity


def postings(
    view: GraphView, terms: Sequence[str], nodes: Sequence[int], unread: Sequence[Ints] = ()
) -> Postings:
    """Look up the experiences that have each term; a node of -1 is a term nobody used.

    `unread` are rows that have each term besides, of experiences whose words the view lacks.
    """
    having = view.links(HAS_WORD, outgoing=False)
    rows = [
        view.experience_of[having.of(np.array([node], np.int64)).target]
        if node >= 0
        else np.zeros(0, np.int64)
        for node in nodes
    ]
    if unread:
        rows = [distinct(np.concatenate(both)) for both in zip(rows, unread, strict=True)]
    rarity = rarity_of(rows, len(view.experiences.seqs))
    return Postings(terms, rows, rarity, np.ones(len(terms)))
