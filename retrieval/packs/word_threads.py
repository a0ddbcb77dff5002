"""Threads: quotes grouped by the rare words that they share and by when they were said.

Average linkage over a small similarity; what joins nothing is left over. A thread is named by one
or two of its own words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .quotes import Quotable, Quote

#: What sharing all rare words is worth, what weighs against sharing one, and being said together.
_WORDS, _LEAST = 1.0, 0.5
_SAME_MESSAGE, _SAME_SESSION = 0.3, 0.08
#: Groups join as long as they are so alike; small ones as long as they are nearly so.
_JOIN, _JOIN_SMALL = 0.15, 0.1
_QUOTES_MAX, _SMALL = 16, 3


@dataclass(frozen=True, slots=True)
class QuoteThread:
    """Quotes that belong together, newest first, and the words that name them."""

    title: str
    quotes: tuple[Quote, ...]


def threads_of(talk: Quotable, quotes: Sequence[Quote]) -> tuple[list[QuoteThread], list[Quote]]:
    """Return threads, the one that came up last first, and the quotes that join none."""
    groups = _groups(quotes)
    threads = [group for group in groups if len(group) >= _SMALL]
    rest = [quotes[place] for group in groups if len(group) < _SMALL for place in group]
    counts = Counter(word for quote in quotes for word in quote.words)
    made = [
        QuoteThread(
            _title(talk, [quotes[place] for place in group], counts),
            tuple(sorted((quotes[place] for place in group), key=_order, reverse=True)),
        )
        for group in threads
    ]
    made.sort(key=lambda thread: _order(thread.quotes[0]), reverse=True)
    return made, sorted(rest, key=_order, reverse=True)


def _order(quote: Quote) -> tuple[object, ...]:
    return quote.memory.at, quote.memory.seq, -quote.start


def _groups(quotes: Sequence[Quote]) -> list[list[int]]:
    groups = [[place] for place in range(len(quotes))]
    if len(quotes) < 2:
        return groups
    alike = _similarities(quotes)
    sizes = np.ones(len(quotes))
    alive = np.ones(len(quotes), bool)
    np.fill_diagonal(alike, -1.0)
    while True:
        first, second = np.unravel_index(int(alike.argmax()), alike.shape)
        best = float(alike[first, second])
        small = min(sizes[first], sizes[second]) < _SMALL
        if best < (_JOIN_SMALL if small else _JOIN):
            if best < _JOIN_SMALL:
                break
            alike[first, second] = alike[second, first] = -1.0
            continue
        if sizes[first] + sizes[second] > _QUOTES_MAX:
            alike[first, second] = alike[second, first] = -1.0
            continue
        total = sizes[first] + sizes[second]
        merged = (alike[first] * sizes[first] + alike[second] * sizes[second]) / total
        merged[~alive] = -1.0
        alike[first], alike[:, first] = merged, merged
        alike[first, first] = -1.0
        alike[second], alike[:, second] = -1.0, -1.0
        alive[second] = False
        sizes[first] = total
        groups[first] += groups[second]
        groups[second] = []
    return [group for group in groups if group]


def _similarities(quotes: Sequence[Quote]) -> np.ndarray:
    masses = [sum(quote.words.values()) for quote in quotes]
    alike = np.zeros((len(quotes), len(quotes)))
    for place, quote in enumerate(quotes):
        for other in range(place):
            shared = sum(m for word, m in quote.words.items() if word in quotes[other].words)
            by = _WORDS * shared / (min(masses[place], masses[other]) + _LEAST)
            if quote.memory.seq == quotes[other].memory.seq:
                by += _SAME_MESSAGE
            elif quote.memory.session == quotes[other].memory.session:
                by += _SAME_SESSION
            alike[place, other] = alike[other, place] = by
    return alike


def _title(talk: Quotable, quotes: Sequence[Quote], everywhere: Counter[str]) -> str:
    counts = Counter(word for quote in quotes for word in quote.words)
    weights = {word: sum(q.words.get(word, 0.0) for q in quotes) for word in counts}
    ranked = sorted(
        counts,
        key=lambda word: (-(weights[word] * counts[word]) / (everywhere[word] + 1), word),
    )
    spelled: dict[str, Counter[str]] = {word: Counter() for word in ranked[:2]}
    for quote in quotes:
        for word, written in talk.spellings(quote.text).items():
            if word in spelled:
                spelled[word][written] += 1
    return ", ".join(each.most_common(1)[0][0] for each in spelled.values() if each)
