"""Which memories a pack tells of: the most that is worth knowing in the room there is.

Greedy: the next memory is the one whose new words are worth most for the room that it takes. A word
that was told already is worth less each time, which spreads a pack over themes and sessions.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..history.experience_views import ExperienceView
from .excerpts import Excerpt, excerpt_of, rarity_of
from .modes import Ranking
from .snapshot import PackSnapshot

#: A memory's worth is divided by its length to this power: 1 would leave short scraps alone.
_LENGTH_POWER = 0.5
#: Room that a citation, a new session and another speaker take, characters.
CITATION, SESSION, SPEAKER = 9, 24, 4


@dataclass(frozen=True, slots=True)
class SelectedMemory:
    """One memory and what is told of it."""

    experience: ExperienceView
    excerpt: Excerpt


class MemorySelector:
    """What could be told of the memories that a pack sees."""

    def __init__(
        self,
        snapshot: PackSnapshot,
        ranking: Ranking,
        terms_of: Callable[[str], Sequence[str]],
        chars_max: int,
    ) -> None:
        """Take the gist of every memory that says something, in at most `chars_max` characters."""
        self._ranking = ranking
        quotable = [item for item in snapshot.experiences if item.memory.text.strip()]
        names = {w for item in quotable for w in terms_of(item.memory.person or "")}
        rarity = rarity_of([terms_of(item.memory.text) for item in quotable])
        self._rarity = {term: worth for term, worth in rarity.items() if term not in names}
        self._excerpts = [
            SelectedMemory(item, excerpt_of(item.memory.text, terms_of, self._rarity, chars_max))
            for item in quotable
        ]
        self._weights = [self._rank_weight(snapshot, item.experience) for item in self._excerpts]

    def select(self, chars: int, excluded: set[int]) -> list[SelectedMemory]:
        """Return what fits into some characters, the best first; sequences in `without` are out."""
        counts: Counter[str] = Counter()
        sessions: set[str | None] = set()
        speakers: set[tuple[str | None, str | None]] = set()
        chosen, used = [], 0
        heap = [(-self._gain(place, counts), place) for place in range(len(self._excerpts))]
        heap = [
            item for item in heap if self._excerpts[item[1]].experience.memory.seq not in excluded
        ]
        heapq.heapify(heap)
        while heap and used < chars:
            _, place = heapq.heappop(heap)
            gain = self._gain(place, counts)
            if gain <= 0:
                continue
            if heap and -gain > heap[0][0]:
                heapq.heappush(heap, (-gain, place))
                continue
            item = self._excerpts[place]
            memory = item.experience.memory
            length = len(item.excerpt.text) + CITATION
            length += 0 if memory.session in sessions else SESSION
            speaker = (memory.session, memory.person)
            length += 0 if speaker in speakers else SPEAKER + len(memory.person or "")
            if used + length > chars:
                continue
            used += length
            chosen.append(item)
            counts.update(item.excerpt.terms)
            sessions.add(memory.session)
            speakers.add(speaker)
        return chosen

    def _gain(self, place: int, counts: Counter[str]) -> float:
        excerpt, repeat_factor = self._excerpts[place].excerpt, self._ranking.repeat_factor
        worth = sum(
            self._rarity.get(term, 0.0) * repeat_factor ** counts[term] for term in excerpt.terms
        )
        length = len(excerpt.text) + CITATION
        return worth * excerpt.weight * self._weights[place] / float(length**_LENGTH_POWER)

    def _rank_weight(self, snapshot: PackSnapshot, experience: ExperienceView) -> float:
        """Return by how much the mode's ranking lifts a memory above its information."""
        weigh = self._ranking
        return (
            1.0
            + weigh.recency * snapshot.recency(experience, weigh.half_life_h)
            + weigh.significance * experience.significance
            + weigh.feeling * experience.feeling
            + weigh.relevance * snapshot.relevance.get(experience.memory.seq, 0.0)
        )
