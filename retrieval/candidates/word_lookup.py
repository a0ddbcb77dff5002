"""Where the words of a question stand, or what stands for those that no memory of the space has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...core.ids import word_id
from ...graph.adjacency import Adjacency
from ...graph.view import Ints
from ...models.wordpiece import is_common
from ...storage.sorted_arrays import distinct
from ...storage.store import Store
from ..query.question import ParsedQuestion
from .near_words import stand_ins
from .pool import SpaceView, StandIns
from .postings import Postings, postings, rows_of


class WordLookup:
    """Looks words up in the views of a file's spaces, and in their full text."""

    def __init__(self, file: Store, adjacency: Adjacency) -> None:
        self._file = file
        self._adjacency = adjacency

    def postings(self, space: SpaceView, terms: Sequence[str]) -> Postings:
        """Return where terms stand, and how rare each is."""
        ids = [word_id(space.name, term) for term in terms]
        numbers = self._adjacency.numbers(space.name, ids)
        nodes = space.view.nodes_of(np.array([numbers.get(id, -1) for id in ids], np.int64))
        seqs, unread = space.view.experiences.seqs, list[Ints]()
        if len(seqs) and seqs[-1] > space.read:
            unread = [self._having(space, term, space.read) for term in terms]
        everywhere = postings(space.view, terms, nodes.tolist(), unread)
        # What a long memory says in another place than the rest of the question is not said here.
        apart = self._file.space(space.name).full_text.scattered(terms, everywhere.rarity.tolist())
        rows = [
            np.setdiff1d(having, rows_of(space.view, seqs)) if seqs else having
            for having, seqs in zip(everywhere.rows, apart, strict=True)
        ]
        return replace(everywhere, rows=rows)

    def look_up(self, space: SpaceView, question: ParsedQuestion) -> tuple[SpaceView, Postings]:
        """Return where the words of a question stand; and the space with what stands for them.

        A question asked again has what stood for them then: `space.stand_ins`.
        """
        postings_of_terms = self.postings(space, question.terms)
        given = space.stand_ins
        if given is None:
            given = self._stand_ins(space, question, postings_of_terms.absent)
        rows = {
            term: distinct(np.concatenate([self._having(space, form) for form in forms]))
            for term, (forms, _) in given.items()
        }
        shares = {term: share for term, (_, share) in given.items()}
        count = len(space.view.experiences.seqs)
        return replace(space, stand_ins=given), postings_of_terms.standing_in(rows, shares, count)

    def _stand_ins(
        self, space: SpaceView, question: ParsedQuestion, absent: frozenset[str]
    ) -> StandIns:
        vocabulary = self._file.space(space.name).full_text.vocabulary
        candidates = stand_ins(question.text, absent, vocabulary, is_common, self._file.analyser)
        there = {
            term: ([form for form in forms if len(self._having(space, form))], share)
            for term, (forms, share) in candidates.items()
        }
        return {term: (forms, share) for term, (forms, share) in there.items() if forms}

    def _having(self, space: SpaceView, form: str, after: int = 0) -> Ints:
        """Return the rows of what has a term, or the terms of a phrase next to each other."""
        return rows_of(
            space.view, self._file.space(space.name).full_text.phrase(form.split(), after)
        )


def searched_terms(space: SpaceView, question: ParsedQuestion) -> list[str]:
    """Return the terms of a question, and what stands for those that no memory has."""
    forms = [form for mine, _ in (space.stand_ins or {}).values() for form in mine]
    return list(dict.fromkeys([*question.terms, *" ".join(forms).split()]))
