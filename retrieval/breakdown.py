"""How an answer came about, in numbers and ids alone: what a debug log may hold.

No text of a memory, no word of the question, no name: a log is read by more people than a memory.
"""

from __future__ import annotations

from typing import Any

from .recall import Hit, Recall

#: Memories told one by one.
TOLD = 12
#: What search itself finds; everything else is added to it.
_BASE = ("meaning", "words")


def debug_record(recall: Recall, candidates: int, terms: int) -> dict[str, Any]:
    """Return the record of one answer as plain JSON values.

    `candidates` were scored; `terms` is how many words of the question were looked for.
    """
    return {
        "event": "recall",
        "recall": recall.id,
        "profile": recall.profile,
        "seq": recall.seq,
        "question_chars": len(recall.question),
        "question_terms": terms,
        "candidates": candidates,
        "hits": len(recall.hits),
        "notes": len(recall.notes),
        "timings_ms": {part: round(value, 3) for part, value in recall.timings_ms.items()},
        "top": [_told(hit) for hit in recall.hits[:TOLD]],
    }


def _told(hit: Hit) -> dict[str, Any]:
    """Return one memory's base score, and what every other mechanism adds to it."""
    terms = {branch.label: branch.value for branch in hit.trace.children}
    base = sum(value for term, value in terms.items() if term in _BASE)
    return {
        "rank": hit.rank,
        "id": hit.id,
        "score": hit.score,
        "base": base,
        "boosts": {term: value for term, value in terms.items() if term not in _BASE},
        "terms": terms,
    }
