"""Excerpts of whole sentences: the part of a text that a question is about, within a length.

Nothing is paraphrased. `…` marks sentences that are left out; a sentence that is too long is shown
around the words of the question and ends in `[cut]`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..language.analyser import Analyser
from ..language.sentences import split_sentences
from .recall_result import Hit

#: Behind the last sentence, where others are left out.
MORE = " …"
#: Behind a sentence that is not shown whole.
CUT = " [cut]"
#: Words shown before the first word of the question, in a sentence that is cut.
_WORDS_BEFORE = 6


def excerpt(
    text: str, question: str, analyser: Analyser, room: int, measure: Callable[[str], int]
) -> str:
    """Return whole sentences of a text on one line, those that share words with a question.

    `measure` says how much room a text takes, in whatever unit `room` is. Where no sentence shares
    a word with the question, the first ones are shown.
    """
    sentences = split_sentences(text)
    sizes = [measure(f"{sentence} ") for sentence in sentences]
    if sum(sizes) <= room:
        return " ".join(sentences)
    room -= max(measure(MORE), measure(CUT))
    analyser = analyser.of(question)
    wanted = set(analyser.terms(question))
    shared = [len(wanted.intersection(analyser.terms(sentence))) for sentence in sentences]
    most = max(range(len(sentences)), key=shared.__getitem__)
    fitting = [place for place in range(len(sentences)) if sizes[place] <= room]
    best = max(fitting, key=shared.__getitem__, default=most)
    if sizes[best] > room or (shared[most] and not shared[best]):
        return _window(sentences[most], wanted, analyser, room, measure) + CUT
    first, last = _grown(best, sizes, room)
    return " ".join(sentences[first:last]) + MORE


def excerpt_of(
    hit: Hit, question: str, analyser: Analyser, room: int, measure: Callable[[str], int]
) -> str:
    """Return an excerpt of a recalled memory: of a long one, from the passage that was compared."""
    if hit.passage is None or measure(hit.text) <= room:
        return excerpt(hit.text, question, analyser, room, measure)
    lead = MORE.lstrip() + " " if hit.passage.start else ""
    shown = excerpt(hit.passage.text, question, analyser, room - measure(lead + MORE), measure)
    return lead + shown + ("" if shown.endswith((MORE, CUT)) else MORE)


def fair_shares(wanted: Sequence[int], room: int) -> list[int]:
    """Return how much each may take of a room: all it wants, or as much as the others that want."""
    shares = [0] * len(wanted)
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    for waiting, place in zip(range(len(wanted), 0, -1), order, strict=True):
        shares[place] = min(wanted[place], room // waiting)
        room -= shares[place]
    return shares


def _grown(best: int, sizes: Sequence[int], room: int) -> tuple[int, int]:
    """Return the longest run of sentences about one of them: what follows it, then what leads."""
    first, last = best, best + 1
    room -= sizes[best]
    while last < len(sizes) and sizes[last] <= room:
        room -= sizes[last]
        last += 1
    while first and sizes[first - 1] <= room:
        first -= 1
        room -= sizes[first]
    return first, last


def _window(
    sentence: str,
    wanted: set[str],
    analyser: Analyser,
    room: int,
    measure: Callable[[str], int],
) -> str:
    """Return the words of a sentence from shortly before the first that is asked for."""
    words = sentence.split(" ")
    named = (n for n, word in enumerate(words) if wanted.intersection(analyser.terms(word)))
    start = max(0, next(named, 0) - _WORDS_BEFORE)
    shown = ""
    for word in words[start:]:
        if measure(f"{shown}{word} ") > room:
            break
        shown += f"{word} "
    return shown.rstrip() or _cut_word(words[start], room, measure)


def _cut_word(word: str, room: int, measure: Callable[[str], int]) -> str:
    """Return as much of one word as there is room for: a base64 text, a script without blanks."""
    low, high = 0, len(word)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if measure(word[:middle]) <= room else (low, middle - 1)
    return word[:low]
