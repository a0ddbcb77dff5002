"""Which experiences contain the words of a question, and how rare each word is in the space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...graph.schema import HAS_WORD
from ...graph.view import Floats, GraphView, Ints
from ...storage.sorted_arrays import distinct


@dataclass(frozen=True, slots=True)
class Postings:
    """Where a question's terms occur: rows of experiences by term, and each term's rarity."""

    terms: Sequence[str]
    rows: Sequence[Ints]
    rarity: Floats


def postings(
    view: GraphView, terms: Sequence[str], nodes: Sequence[int], unread: Sequence[Ints] = ()
) -> Postings:
    """Look up the experiences that have each term; a node of -1 is a term nobody used.

    `unread` are rows that have each term besides, of experiences whose words the view lacks.

    Rarity is ln(1 + (n - df + .5)/(df + .5)) over the n experiences of the space.
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
    count = len(view.experiences.seqs)
    frequency = np.array([len(term_rows) for term_rows in rows], np.float64)
    return Postings(terms, rows, np.log(1 + (count - frequency + 0.5) / (frequency + 0.5)))
