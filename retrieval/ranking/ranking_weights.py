"""The weights of the ranking formula, in one place.

`default` is the additive formula of docs/recall.md; `simple` is words alone (BM25), the plain top-k
to compare with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """Weights of the default profile; each is the score of a memory that has it in full."""

    meaning_in_context: float = 8.0
    meaning_alone: float = 5.0
    words: float = 4.5
    pairs: float = 0.5
    matches: float = 0.35
    matches_unread: float = 20.0
    session_words: float = 3.5
    speaker: float = 2.6
    asker: float = 2.0
    participant: float = 2.5
    when: float = 2.3
    month: float = 4.7
    period: float = 3.8
    day: float = 2.9
    information: float = 0.7
    asks_back: float = -0.6
    length: float = -0.3
    passages: float = -1.3
    walk: float = 1.0
    token_match: float = 0.0
    phrased: float = 0.0
    phrased_around: float = 0.0
    echo: float = 0.0


DEFAULT_WEIGHTS = RankingWeights()
#: For the reranked memories: each word's nearest word replaces the literal words.
RERANK_WEIGHTS = replace(
    DEFAULT_WEIGHTS,
    meaning_in_context=4.0,
    meaning_alone=8.9,
    words=0.0,
    pairs=0.4,
    matches=0.65,
    session_words=2.5,
    speaker=2.5,
    when=1.8,
    month=3.8,
    period=3.3,
    day=2.8,
    information=0.6,
    length=-0.8,
    token_match=4.5,
    phrased=3.2,
    phrased_around=11.0,
    echo=-2.0,
)
