"""The content of the debug log: how an answer was computed, in numbers and ids only.

It has no text of a memory, no word of the question and no name: more people read a log than a
memory.
"""

from __future__ import annotations

from typing import Any

from ..recall_result import Hit, Recall

#: Memories listed one by one.
TOP_HITS_MAX = 12
#: What search itself finds; everything else is added to it.
_BASE = ("meaning", "words")
#: What a rerank adds: by facets and by profile (feature 120).
_RERANK_TERMS = {"facet_boost": "facets", "profile_boost": "profile"}


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
        "timings_ms": {stage: round(value, 3) for stage, value in recall.timings_ms.items()},
        "top": [_hit_record(hit) for hit in recall.hits[:TOP_HITS_MAX]],
    }


def _hit_record(hit: Hit) -> dict[str, Any]:
    """Return one memory's base score, and what every other mechanism adds to it."""
    terms = {branch.label: branch.value for branch in hit.trace.children}
    base = sum(value for term, value in terms.items() if term in _BASE)
    added = {name: terms.get(term, 0.0) for name, term in _RERANK_TERMS.items()}
    return {
        "rank": hit.rank,
        "id": hit.id,
        "score": hit.score,
        "score_before_boosts": hit.base,
        **added,
        "base": base,
        "additions": {term: value for term, value in terms.items() if term not in _BASE},
        "terms": terms,
    }
