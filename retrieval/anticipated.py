"""Anticipated questions: which memory a question was expected for, by meaning.

Questions were written down beside the experiences that answer them, with vectors of their own.
Only those count that were written down, and embedded, by the time a question is asked as of.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from ..core.ids import content_hash
from ..core.products import product
from ..core.types import EntryKind
from ..core.types import Space as Name
from ..graph import vectors
from ..graph.adjacency import Adjacency
from ..graph.journal_file import JournalFile
from ..graph.vectors import Matrix
from ..graph.view import Floats, Ints
from .pool import Space


@dataclass(frozen=True, slots=True)
class Expected:
    """The anticipated questions nearest to one that was asked: one a memory.

    `rows` of `view.experiences` ascending, the cosine of each, and the question.
    """

    rows: Ints
    cosines: Floats
    questions: tuple[str, ...]


NOTHING = Expected(np.zeros(0, np.int64), np.zeros(0), ())


@dataclass(slots=True)
class _Told:
    """What was read of a space: by part of a question its sequence, experience, text, vector."""

    until: int = 0
    seqs: list[int] = field(default_factory=list)
    experiences: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    parts: list[Matrix] = field(default_factory=list)


class Anticipated:
    """Compares questions with those that were anticipated; only what is new is read."""

    def __init__(self, file: JournalFile, adjacency: Adjacency) -> None:
        self._file = file
        self._adjacency = adjacency
        self._told: dict[tuple[Name, str], _Told] = defaultdict(_Told)
        self._lock = Lock()

    def nearest(self, space: Space, vector: Matrix) -> Expected:
        """Return for each memory that can be seen its anticipated question nearest to a vector."""
        if space.index is None:
            return NOTHING
        told = self._read(space, space.index.model, space.index.until)
        everything = space.visible.all()
        last = int(np.max(space.view.experiences.seqs[space.visible], initial=0))
        until = space.index.until if everything else min(space.index.until, last)
        known = [place for place, seq in enumerate(told.seqs) if seq <= until]
        if not known:
            return NOTHING
        cosines = product(
            np.stack([told.parts[place] for place in known]).astype(np.float64), vector
        )
        rows = self._rows(space, [told.experiences[place] for place in known])
        best: dict[int, int] = {}
        for at in np.lexsort((np.arange(len(known)), -cosines)).tolist():
            if rows[at] >= 0 and space.visible[rows[at]]:
                best.setdefault(int(rows[at]), at)
        found = sorted(best)
        return Expected(
            np.array(found, np.int64),
            np.array([cosines[best[row]] for row in found], np.float64),
            tuple(told.questions[known[best[row]]] for row in found),
        )

    def _rows(self, space: Space, ids: list[str]) -> Ints:
        numbers = self._adjacency.numbers(space.name, sorted(set(ids)))
        nodes = space.view.nodes_of(np.array([numbers.get(id, -1) for id in ids], np.int64))
        return np.where(nodes >= 0, space.view.experience_of[nodes], -1)

    def _read(self, space: Space, model: str, until: int) -> _Told:
        with self._lock:
            told = self._told[space.name, model]
            if told.until >= until:
                return told
            kind = EntryKind.QUESTIONS_ANTICIPATED
            entries = [
                entry
                for entry in self._file.journal.of_kind(space.name, kind, told.until)
                if entry.payload is not None and entry.seq <= until
            ]
            asked = [
                (int(entry.seq), str(payload["experience"]), str(question))
                for entry in entries
                if (payload := entry.payload) is not None
                for question in payload["questions"]
            ]
            hashes = sorted({content_hash(question) for *_, question in asked})
            known = vectors.of_texts(self._file.database, space.number, model, hashes)
            fresh = _Told(until, [*told.seqs], [*told.experiences], [*told.questions])
            fresh.parts = [*told.parts]
            for seq, experience, question in asked:
                for part in known.get(content_hash(question), ()):
                    fresh.seqs.append(seq)
                    fresh.experiences.append(experience)
                    fresh.questions.append(question)
                    fresh.parts.append(part)
            self._told[space.name, model] = fresh
            return fresh
