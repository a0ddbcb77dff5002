"""Baselines for recall: words alone, meaning alone, prototype G, and chance.

Words alone is the product's own profile `simple` (BM25). The others are computed here, over the
texts of a space and in plain arrays, so that they owe nothing to the product but its analyser and
its encoder. They rank all memories of a space, whatever is asked.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from bench.scores import Ranker
from meridia import Memory
from meridia.core.settings import RecallSettings, Settings
from meridia.core.settings_loader import load
from meridia.core.types import memories_of
from meridia.language.analyser import Analyser
from meridia.models.tokens import Embedder, for_questions

Floats = NDArray[np.float64]

PROFILES: tuple[str, ...] = get_args(RecallSettings.model_fields["profile"].annotation)
MEANING, PROTOTYPE, CHANCE = "meaning alone", "prototype G", "chance"
NAMES = {"simple": "words alone"}
#: BM25 as the study had it that proposed prototype G.
_K1, _B = 0.9, 0.4
#: Prototype G: what naming the speaker is worth, neighbours one and two places away, the weight
#: of neighbours and of shared concepts, and how common a concept may be.
_SPEAKER, _NEAR, _NEXT, _CONCEPT, _SHARE_MAX = 0.2, {1: 0.3, 2: 0.2}, 2.0, 0.5, 0.05


@dataclass(frozen=True, slots=True)
class Text:
    """One memory as the baselines see it."""

    id: str
    text: str
    person: str | None
    session: str | None


def texts_of(memory: Memory) -> list[Text]:
    """Return every memory of a space, in the order of capture."""
    return [Text(m.event_id, m.text, m.person, m.session) for m in memories_of(memory.list)]


def settings(profile: str = "default", flags: Mapping[str, Any] | None = None) -> Settings:
    """Return the settings of a bench: a profile, what else is set, and no answer kept."""
    return load(flags={"recall.profile": profile, "recall.keep": False, **(flags or {})}).settings


@contextmanager
def product(
    database: Path, space: str, chosen: Settings, limit: int, embedder: Embedder
) -> Iterator[Ranker]:
    """Yield the product's own ranking of an imported space; afterwards the file is closed."""
    with Memory(database, space, chosen, embedder=embedder) as memory:
        memory.enrich()

        def rank(question: str) -> list[str]:
            return [hit.event_id for hit in memory.recall(question, limit=limit).hits]

        yield rank


class Baselines:
    """Rankers over the texts of one space; everything that no question changes is kept."""

    def __init__(self, texts: Sequence[Text], embedder: Embedder) -> None:
        self._texts = texts
        self._ids = [text.id for text in texts]
        self._embedder = embedder
        self._vectors = embedder.embed([text.text for text in texts])
        self._analyser = Analyser()
        self._counts = [Counter(self._analyser.terms(text.text)) for text in texts]
        self._lengths = np.array([counts.total() for counts in self._counts], float)
        self._postings: dict[str, list[int]] = defaultdict(list)
        for row, counts in enumerate(self._counts):
            for term in counts:
                self._postings[term].append(row)
        self._people = {
            text.person: set(self._analyser.terms(text.person)) for text in texts if text.person
        }

    def by_meaning(self, question: str) -> list[str]:
        """Rank by the cosine of the question with one vector a text."""
        return self._ordered(self._cosines(question))

    def by_prototype(self, question: str) -> list[str]:
        """Rank by prototype G: words and meaning halved, speaker, neighbours, shared concepts."""
        words, cosines = self._bm25(question), self._cosines(question)
        low, high = float(cosines.min()), float(cosines.max())
        near = (cosines - low) / max(high - low, 1e-12)
        base = 0.5 * words / max(float(words.max()), 1e-12) + 0.5 * near
        mass = base**3
        asked = set(self._analyser.terms(question))
        named = {person for person, terms in self._people.items() if terms & asked}
        spoken = np.array([text.person in named for text in self._texts], float)
        spread = _NEXT * self._neighbours(mass) + _CONCEPT * self._concepts(mass)
        return self._ordered(base + _SPEAKER * spoken + spread)

    def at_random(self, question: str) -> list[str]:
        """Rank by chance, the same way whenever the same question is asked."""
        return random.Random(question).sample(self._ids, len(self._ids))

    def _ordered(self, scores: Floats) -> list[str]:
        return [self._ids[row] for row in np.argsort(-scores, kind="stable")]

    def _cosines(self, question: str) -> Floats:
        asked = for_questions(self._embedder).embed([question])[0]
        cosines: Floats = (self._vectors @ asked).astype(np.float64)
        return cosines

    def _rarity(self, term: str) -> float:
        documents = len(self._postings.get(term, ()))
        return math.log(1 + (len(self._ids) - documents + 0.5) / (documents + 0.5))

    def _bm25(self, question: str) -> Floats:
        scores = np.zeros(len(self._ids))
        relative = self._lengths / max(float(self._lengths.mean()), 1.0)
        for term in dict.fromkeys(self._analyser.terms(question)):
            for row in self._postings.get(term, ()):
                often = self._counts[row][term]
                damped = often + _K1 * (1 - _B + _B * relative[row])
                scores[row] += self._rarity(term) * often * (_K1 + 1) / damped
        return scores

    def _neighbours(self, mass: Floats) -> Floats:
        flow = np.zeros(len(mass))
        sessions: dict[str, list[int]] = defaultdict(list)
        for row, text in enumerate(self._texts):
            if text.session is not None:
                sessions[text.session].append(row)
        for rows in map(np.array, sessions.values()):
            for distance, weight in _NEAR.items():
                flow[rows[distance:]] += weight * mass[rows[:-distance]]
                flow[rows[:-distance]] += weight * mass[rows[distance:]]
        return flow

    def _concepts(self, mass: Floats) -> Floats:
        flow = np.zeros(len(mass))
        most = max(1.0, _SHARE_MAX * len(mass))
        rare = {term: rows for term, rows in self._postings.items() if len(rows) <= most}
        whole = np.zeros(len(mass))
        for term, rows in rare.items():
            whole[rows] += self._rarity(term)
        for term, rows in rare.items():
            if len(rows) > 1:
                given = self._rarity(term) * (mass[rows] / whole[rows])
                flow[rows] += (given.sum() - given) / (len(rows) - 1)
        return flow
