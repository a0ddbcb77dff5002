"""Threads: quotes from several sessions that share a rare word, which names the thread."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from .quotes import Quotable, Quote

#: A thread has so many quotes, of so many sessions.
_QUOTES_MIN, _QUOTES_MAX, _SESSIONS_MIN = 3, 16, 2


@dataclass(frozen=True, slots=True)
class QuoteThread:
    """Quotes with a word in common, newest first, and that word."""

    title: str
    quotes: tuple[Quote, ...]


def threads_of(talk: Quotable, quotes: Sequence[Quote]) -> tuple[list[QuoteThread], list[Quote]]:
    """Return threads, the most recent first, and the quotes without a thread.

    The word with the largest weight over the quotes names the first thread, and so on with the
    remaining quotes.
    """
    left = sorted(quotes, key=by_time, reverse=True)
    written = [talk.spellings(quote.text) for quote in left]
    made: list[QuoteThread] = []
    while True:
        places: dict[str, list[int]] = defaultdict(list)
        for place, quote in enumerate(left):
            named = {stem for key in quote.view.topics for stem in key.split()}
            for word in quote.words.keys() & (named or quote.words.keys()):
                if is_telling(written[place].get(word, "")):
                    places[word].append(place)
        weights = {word: _weight(word, [left[at] for at in of]) for word, of in places.items()}
        word = max(sorted(weights), key=weights.__getitem__, default="")
        if not weights.get(word):
            made.sort(key=lambda thread: by_time(thread.quotes[0]), reverse=True)
            return made, left
        taken = places[word][:_QUOTES_MAX]
        title = Counter(written[place][word] for place in taken).most_common(1)[0][0]
        made.append(QuoteThread(title, tuple(left[place] for place in taken)))
        kept = [place for place in range(len(left)) if place not in taken]
        left, written = [left[place] for place in kept], [written[place] for place in kept]


def by_time(quote: Quote) -> tuple[object, ...]:
    """Return what puts quotes in order of time; within a message, the first is the newest."""
    return quote.memory.at, quote.memory.seq, -quote.start


def _weight(word: str, quotes: Sequence[Quote]) -> float:
    """Return how well a word names a thread of some quotes; 0 if they are not a thread."""
    if len(quotes) < _QUOTES_MIN or len({each.memory.session for each in quotes}) < _SESSIONS_MIN:
        return 0.0
    return sum(quote.words[word] for quote in quotes[:_QUOTES_MAX])


def is_telling(written: str) -> bool:
    """Return whether a word could name a thread: letters alone, more than two of an alphabet."""
    return written.isalpha() and len(written) > (
        2 if written[:1].lower() != written[:1].upper() else 0
    )
