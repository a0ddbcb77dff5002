"""Style continuity: is the agent's first reply similar to its earlier first replies?

Compares four measures of a text with their means in a baseline; they count characters and pronouns
and judge nothing. Pronouns are known in English only: in other languages that measure is 0 on both
sides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...core.sentences import split_sentences

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PERSONAL = frozenset(
    """
    i me my mine we us our ours you your yours i'm i've i'd i'll we're we've we'd we'll
    you're you've you'd you'll
    """.split()
)
#: A difference as large as this makes a measure wholly unlike: words a sentence, and three shares.
_DIFFERENCES_MAX = (20.0, 0.2, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class ReplyStyle:
    """How a reply compares with the baseline of `replies` earlier ones.

    `similarity` is 0 to 1. `personal` is how much larger the share of its words is that are I, we
    or you; `contextual` the share of its terms that nobody in the session had said, and that what
    was shown brings.
    """

    similarity: float
    personal: float
    contextual: float
    replies: int


def style_measures(text: str) -> tuple[float, float, float, float]:
    """Return words a sentence, share of personal words, and of sentences that ask or exclaim."""
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(text)]
    sentences = split_sentences(text)
    count = max(len(sentences), 1)
    personal = sum(word in _PERSONAL for word in words) / max(len(words), 1)
    asks = sum(sentence.endswith(("?", "？")) for sentence in sentences) / count
    exclaims = sum(sentence.endswith(("!", "！")) for sentence in sentences) / count
    return len(words) / count, personal, asks, exclaims


def style_continuity(
    reply: str, baseline: Sequence[str], contextual: float = 0.0
) -> ReplyStyle | None:
    """Compare a reply with earlier ones; None where there is none to compare with."""
    if not baseline:
        return None
    own, before = style_measures(reply), [style_measures(text) for text in baseline]
    means = [sum(column) / len(before) for column in zip(*before, strict=True)]
    differences = [
        min(abs(own_value - mean) / most, 1.0)
        for own_value, mean, most in zip(own, means, _DIFFERENCES_MAX, strict=True)
    ]
    similarity = 1 - sum(differences) / len(differences)
    return ReplyStyle(
        round(similarity, 3), round(own[1] - means[1], 3), round(contextual, 3), len(before)
    )
