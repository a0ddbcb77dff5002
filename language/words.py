"""Split a text into sentences and words with their places in it, as the tagger was taught to.

Contractions are two words ("I'll" is "I" and "'ll", "don't" is "do" and "n't"). Code, quoted lines
and addresses are nobody's own words: they are skipped. No model is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .sentences import blank_quotations, split_sentences

_WORD = re.compile(
    r"[^\W\d_]+(?=n['’]t\b)|n['’]t\b"  # don't
    r"|['’](?:ll|re|ve|s|m|d)\b"
    r"|(?:[^\W\d_]\.){2,}"  # U.S.
    r"|\d+(?:[.,:/]\d+)*(?:st|nd|rd|th|s|am|pm|k|m|km|kg|%)?\b"
    r"|[^\W_]+(?:[-&][^\W_]+)*"
    r"|\.{2,}|[!?]+|\S",
    re.IGNORECASE,
)
#: Words that are written as one and tagged as two.
_JOINED = {"gonna": 3, "wanna": 3, "gotta": 3, "cannot": 3}

Span = tuple[int, int]


def own_spans(text: str) -> list[tuple[Span, list[Span]]]:
    """Return where the sentences of a text stand, in order, and the words of each.

    Each span is (start, end) in characters of `text`.
    """
    own = blank_quotations(text)
    return [(span, list(_word_spans(own, span))) for span in sentence_spans(text)]


def sentence_spans(text: str) -> list[Span]:
    """Return where the sentences of a text stand, in order, without what is quoted."""
    own = blank_quotations(text)
    spans, place = [], 0
    for sentence in split_sentences(own):
        words = sentence.split()
        start = own.index(words[0], place)
        place = start
        for word in words:
            place = own.index(word, place) + len(word)
        spans.append((start, place))
    return spans


def _word_spans(text: str, span: Span) -> Iterator[Span]:
    for match in _WORD.finditer(text, *span):
        start, end = match.span()
        joined = _JOINED.get(match.group().lower())
        if joined is not None:
            yield start, start + joined
            start += joined
        yield start, end
