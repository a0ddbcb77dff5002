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
from .gist import Gist, gist_of, rarity_of
from .modes import Ranking
from .snapshot import Seen

#: A memory's worth is divided by its length to this power: 1 would leave short scraps alone.
_LENGTH_POWER = 0.5
#: Room that a citation, a new session and another speaker take, characters.
CITATION, SESSION, SPEAKER = 9, 24, 4


@dataclass(frozen=True, slots=True)
class Chosen:
    """One memory and what is told of it."""

    moment: ExperienceView
    gist: Gist


class Choice:
    """What could be told of the memories that a pack sees."""

    def __init__(
        self,
        seen: Seen,
        ranking: Ranking,
        terms_of: Callable[[str], Sequence[str]],
        chars_max: int,
    ) -> None:
        """Take the gist of every memory that says something, in at most `chars_max` characters."""
        self._ranking = ranking
        told = [one for one in seen.moments if one.memory.text.strip()]
        names = {w for one in told for w in terms_of(one.memory.person or "")}
        rarity = rarity_of([terms_of(one.memory.text) for one in told])
        self._rarity = {term: worth for term, worth in rarity.items() if term not in names}
        self._gists = [
            Chosen(one, gist_of(one.memory.text, terms_of, self._rarity, chars_max)) for one in told
        ]
        self._lift = [self._lifted(seen, one.moment) for one in self._gists]

    def within(self, chars: int, without: set[int]) -> list[Chosen]:
        """Return what fits into some characters, the best first; sequences in `without` are out."""
        often: Counter[str] = Counter()
        sessions: set[str | None] = set()
        speakers: set[tuple[str | None, str | None]] = set()
        chosen, used = [], 0
        heap = [(-self._gain(place, often), place) for place in range(len(self._gists))]
        heap = [one for one in heap if self._gists[one[1]].moment.memory.seq not in without]
        heapq.heapify(heap)
        while heap and used < chars:
            _, place = heapq.heappop(heap)
            gain = self._gain(place, often)
            if gain <= 0:
                continue
            if heap and -gain > heap[0][0]:
                heapq.heappush(heap, (-gain, place))
                continue
            one = self._gists[place]
            memory = one.moment.memory
            room = len(one.gist.text) + CITATION
            room += 0 if memory.session in sessions else SESSION
            speaker = (memory.session, memory.person)
            room += 0 if speaker in speakers else SPEAKER + len(memory.person or "")
            if used + room > chars:
                continue
            used += room
            chosen.append(one)
            often.update(one.gist.terms)
            sessions.add(memory.session)
            speakers.add(speaker)
        return chosen

    def _gain(self, place: int, often: Counter[str]) -> float:
        gist, repeats = self._gists[place].gist, self._ranking.repeats
        worth = sum(self._rarity.get(term, 0.0) * repeats ** often[term] for term in gist.terms)
        room = len(gist.text) + CITATION
        return worth * gist.weight * self._lift[place] / float(room**_LENGTH_POWER)

    def _lifted(self, seen: Seen, moment: ExperienceView) -> float:
        """Return by how much the mode's ranking lifts a memory above its information."""
        weigh = self._ranking
        return (
            1.0
            + weigh.recency * seen.recency(moment, weigh.half_life_h)
            + weigh.significance * moment.significance
            + weigh.feeling * moment.feeling
            + weigh.relevance * seen.relevance.get(moment.memory.seq, 0.0)
        )
