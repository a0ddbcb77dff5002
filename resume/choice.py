"""Which quotes a pack has: greedily the most that is likely mentioned for the room that it takes.

What was told already is worth less, and so is the next quote of a session that has many: a pack
covers what there is.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence

from .quotes import Quote

#: How much the share of new words counts, what each quote of its session takes, and the room.
_NOVELTY, _SESSION, _ROOM = 0.15, 0.5, 0.5
#: The share of new words of a quote that has none.
_NOTHING_NEW = 0.01
#: Room that a citation takes, and a line of its own with a date, characters.
CITATION, LINE = 7, 12
#: What is worth less is left out, whatever room there is.
WORTH_MIN = 0.03


class QuoteChoice:
    """What was chosen so far, and what is worth quoting next."""

    def __init__(self) -> None:
        self.chosen: list[Quote] = []
        self._covered: set[str] = set()
        self._sessions: Counter[str | None] = Counter()
        self._cited: set[int] = set()
        self._texts: set[str] = set()

    def take(self, quotes: Iterable[Quote]) -> None:
        """Take quotes whatever they are worth."""
        for quote in quotes:
            self.chosen.append(quote)
            self._covered |= quote.words.keys()
            self._sessions[quote.memory.session] += 1
            self._cited.add(quote.memory.seq)
            self._texts.add(quote.text.casefold())

    def fill(self, quotes: Sequence[Quote], room: int, at_least: float = WORTH_MIN) -> list[Quote]:
        """Choose of quotes as long as there is room, characters, the best first; return those.

        What is worth less than `at_least` is left out.
        """
        places = {(quote.memory.seq, quote.start, quote.end) for quote in self.chosen}
        left = [
            quote
            for quote in quotes
            if quote.worth >= at_least
            and (quote.words or not at_least)
            and (quote.memory.seq, quote.start, quote.end) not in places
        ]
        heap = [(-self._gain(quote), place) for place, quote in enumerate(left)]
        heapq.heapify(heap)
        taken: list[Quote] = []
        while heap and room > 0:
            _, place = heapq.heappop(heap)
            gain = self._gain(left[place])
            if left[place].text.casefold() in self._texts:
                continue
            if heap and -gain > heap[0][0]:
                heapq.heappush(heap, (-gain, place))
                continue
            length = self._length(left[place])
            if length <= room:
                room -= length
                taken.append(left[place])
                self.take([left[place]])
        return taken

    def _gain(self, quote: Quote) -> float:
        whole = sum(quote.words.values()) or 1.0
        untold = sum(mass for word, mass in quote.words.items() if word not in self._covered)
        new = max(untold / whole, _NOTHING_NEW)
        many = 1 + _SESSION * self._sessions[quote.memory.session]
        room = len(quote.text) + 4 + CITATION + LINE
        return float(quote.worth * new**_NOVELTY / many / room**_ROOM)

    def _length(self, quote: Quote) -> int:
        length = len(quote.text) + 4
        if quote.memory.seq not in self._cited:
            length += CITATION
        return length if self._sessions[quote.memory.session] else length + LINE
