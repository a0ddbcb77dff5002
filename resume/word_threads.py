"""Threads: quotes grouped by the rare words that they share and by when they were said.

Average linkage over a small similarity; what joins nothing is left over. A thread is named by one
or two of its own words.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .quotes import Quotable, Quote

#: What sharing all rare words is worth, what weighs against sharing one, and being said together.
_WORDS, _LEAST = 1.0, 0.5
_SAME_MESSAGE, _SAME_SESSION = 0.3, 0.08
#: Groups join as long as they are so alike; small ones as long as they are nearly so.
_JOIN, _JOIN_SMALL = 0.15, 0.1
_QUOTES_MAX, _SMALL = 16, 3
_TITLE_WORDS = 2

#: Of each quote, how alike it is to those before it, by place; what is missing is not alike.
Similarities = Sequence[Mapping[int, float]]


@dataclass(frozen=True, slots=True)
class QuoteThread:
    """Quotes that belong together, newest first, and the words that name them."""

    title: str
    quotes: tuple[Quote, ...]


def threads_of(
    talk: Quotable, quotes: Sequence[Quote], alike: Similarities | None = None
) -> tuple[list[QuoteThread], list[Quote]]:
    """Return threads, the one that came up last first, and the quotes that join none.

    `alike` are the quotes' similarities, where they are worked out already.
    """
    groups = _groups(similarities(quotes) if alike is None else alike)
    threads = [group for group in groups if len(group) >= _SMALL]
    rest = [quotes[place] for group in groups if len(group) < _SMALL for place in group]
    counts = Counter(word for quote in quotes for word in quote.words)
    made = [
        QuoteThread(
            _title(talk, [quotes[place] for place in group], counts),
            tuple(sorted((quotes[place] for place in group), key=by_time, reverse=True)),
        )
        for group in threads
    ]
    rest += [quote for thread in made if not thread.title for quote in thread.quotes]
    made = [thread for thread in made if thread.title]
    made.sort(key=lambda thread: by_time(thread.quotes[0]), reverse=True)
    return made, sorted(rest, key=by_time, reverse=True)


def by_time(quote: Quote) -> tuple[object, ...]:
    """Return what puts quotes in order of time; within a message, the first is the newest."""
    return quote.memory.at, quote.memory.seq, -quote.start


def similarities(quotes: Sequence[Quote]) -> Similarities:
    """Return how alike each quote is to those before it, where it is at all."""
    masses = [sum(quote.words.values()) for quote in quotes]
    rows: list[dict[int, float]] = []
    for place, quote in enumerate(quotes):
        row = {}
        for other in range(place):
            shared = sum(m for word, m in quote.words.items() if word in quotes[other].words)
            by = _WORDS * shared / (min(masses[place], masses[other]) + _LEAST)
            if quote.memory.seq == quotes[other].memory.seq:
                by += _SAME_MESSAGE
            elif quote.memory.session == quotes[other].memory.session:
                by += _SAME_SESSION
            if by:
                row[other] = by
        rows.append(row)
    return rows


def _groups(rows: Similarities) -> list[list[int]]:
    """Return groups by average linkage: the two that are most alike join, of equal ones the first.

    Two that do not join count as each other's opposite from then on.
    """
    groups, alike = [[place] for place in range(len(rows))], [dict[int, float]() for _ in rows]
    for place, row in enumerate(rows):
        for other, by in row.items():
            alike[place][other] = alike[other][place] = by
    pairs = [(-by, other, place) for place, row in enumerate(rows) for other, by in row.items()]
    heapq.heapify(pairs)
    while pairs and -pairs[0][0] >= _JOIN_SMALL:
        less, first, second = heapq.heappop(pairs)
        if alike[first].get(second) != -less:
            continue  # is otherwise by now
        small = min(len(groups[first]), len(groups[second])) < _SMALL
        size = len(groups[first]) + len(groups[second])
        if size > _QUOTES_MAX or not (small or -less >= _JOIN):
            alike[first][second] = alike[second][first] = -1.0
            continue
        ones, others = alike[first], alike[second]
        for other in (ones.keys() | others.keys()) - {first, second}:
            by = ones.get(other, 0.0) * len(groups[first])
            by = (by + others.get(other, 0.0) * len(groups[second])) / size
            ones[other] = alike[other][first] = by
            alike[other].pop(second, None)
            heapq.heappush(pairs, (-by, min(first, other), max(first, other)))
        del ones[second]
        alike[second] = {}
        groups[first] += groups[second]
        groups[second] = []
    return [group for group in groups if group]


def _title(talk: Quotable, quotes: Sequence[Quote], everywhere: Counter[str]) -> str:
    counts = Counter(word for quote in quotes for word in quote.words)
    weights = {word: sum(q.words.get(word, 0.0) for q in quotes) for word in counts}
    spelled: dict[str, Counter[str]] = defaultdict(Counter)
    for quote in quotes:
        for word, written in talk.spellings(quote.text).items():
            if word in counts and is_telling(written):
                spelled[word][written] += 1
    ranked = sorted(
        spelled,
        key=lambda word: (-(weights[word] * counts[word]) / (everywhere[word] + 1), word),
    )
    return ", ".join(spelled[word].most_common(1)[0][0] for word in ranked[:_TITLE_WORDS])


def is_telling(written: str) -> bool:
    """Return whether a word could name a thread: letters alone, more than two of an alphabet."""
    return written.isalpha() and len(written) > (
        2 if written[0].lower() != written[0].upper() else 0
    )
