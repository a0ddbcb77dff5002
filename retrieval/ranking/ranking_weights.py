"""The weights of the ranking formula, in one place.

`default` is the additive formula of docs/recall.md; `simple` is words alone (BM25), the plain top-k
to compare with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """Weights of the default profile; each is the score of a memory that has it in full."""

    meaning_in_context: float = 7.0
    meaning_alone: float = 8.0
    meaning_in_context_unsure: float = 8.0
    words_with_previous: float = 2.5
    words_around: float = 1.25
    pairs: float = 1.5
    matches: float = 0.0
    matches_unread: float = 10.0
    session_words: float = 2.5
    speaker: float = 2.5
    session_participant: float = 4.0
    when: float = 2.5
    month: float = 4.5
    period: float = 4.5
    day: float = 3.0
    information: float = 2.0
    asks_back: float = -0.4
    length: float = -0.9
    caption: float = -0.25
    two_before: float = 1.25
    two_after: float = 0.6
    answer: float = 1.0
    activation: float = 1.0
    token_match: float = 0.0
    token_match_around: float = 0.0
    token_match_near: float = 0.0
    phrased: float = 0.0
    phrased_near: float = 0.0
    echo: float = 0.0


DEFAULT_WEIGHTS = RankingWeights()
#: For the reranked memories: each word's nearest word replaces the literal words.
#: Learned with a listwise loss over what the benches ask (docs/benchmarks.md), to two digits.
RERANK_WEIGHTS = replace(
    DEFAULT_WEIGHTS,
    meaning_in_context=3.6,
    words_with_previous=0.1,
    words_around=0.0,
    pairs=0.53,
    matches=0.47,
    session_words=3.0,
    speaker=2.6,
    when=2.2,
    period=5.1,
    information=0.89,
    asks_back=-0.48,
    length=-1.2,
    caption=-0.16,
    two_before=0.9,
    two_after=0.0,
    answer=0.47,
    token_match=1.3,
    token_match_around=4.5,
    token_match_near=3.9,
    phrased=4.3,
    phrased_near=3.4,
    echo=-2.3,
)
