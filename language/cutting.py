"""The shortest run of clauses of a sentence that still says nearly all of it.

What is left is a piece of the sentence as it stands, never a paraphrase.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .sentences import without_opening

#: What a piece must keep of what the words of its sentence weigh.
_WEIGHT_SHARE_MIN = 0.85
#: A piece that is not the beginning opens with one of these.
_OWN = re.compile(
    r"\W*(?:(?:and|but|so|because|since|while)\b\W*)?(?:i|we|my|our)\b", re.IGNORECASE
)
_JOINED = re.compile(r"(?:(?:and|but|so|because)\b|[\s,;:–—-])\s*", re.IGNORECASE)
_ENDS = " ,;:-–—."


def telling_piece(
    sentence: str, cuts: Sequence[int], weight: Callable[[str], float]
) -> tuple[int, int]:
    """Return where in a sentence the piece stands that tells it, as (start, end).

    `cuts` are places in the sentence; `weight` is what the words of a text weigh together.
    """
    begin = len(sentence) - len(without_opening(sentence))
    ends = [begin, *(cut for cut in cuts if cut > begin), len(sentence)]
    whole = weight(sentence[begin:])
    best = begin, len(sentence)
    for first, start in enumerate(ends[:-1]):
        if start > begin and not _OWN.match(sentence, _skipped(sentence, start)):
            continue
        for end in ends[first + 1 :]:
            shorter = end - start < best[1] - best[0]
            if shorter and weight(sentence[start:end]) >= _WEIGHT_SHARE_MIN * whole:
                best = start, end
    return _trimmed(sentence, *best, begin)


def _skipped(sentence: str, start: int) -> int:
    joined = _JOINED.match(sentence, start)
    return joined.end() if joined else start


def _trimmed(sentence: str, start: int, end: int, begin: int) -> tuple[int, int]:
    while start > begin and start < end and (joined := _JOINED.match(sentence, start, end)):
        start = joined.end()
    piece = sentence[start:end]
    stripped = piece.rstrip() if piece.rstrip().endswith(("..", "…")) else piece.rstrip(_ENDS)
    return start, start + len(stripped or piece)


def shortened_end(sentence: str, cuts: Sequence[int], chars_max: int) -> int:
    """Return where a sentence that is too long ends when it is cut: at a clause, else a space."""
    if len(sentence) <= chars_max:
        return len(sentence)
    fitting = [cut for cut in cuts if chars_max // 2 <= cut <= chars_max]
    space = sentence.rfind(" ", chars_max // 2, chars_max)
    return fitting[-1] if fitting else space if space > 0 else chars_max
