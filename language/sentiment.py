"""The tone of a message, from a lexicon: valence and intensity. It names no feeling.

English only: any other language gets a neutral tone, as a lexicon of English would misread it.
Code, links and quotations are left out. The lexicon is VADER's, loaded when it is first needed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from math import fsum
from typing import TYPE_CHECKING

from .analyser import is_english
from .sentences import own_words, split_sentences

if TYPE_CHECKING:
    from vader import SentimentIntensityAnalyzer

#: Read so much of a message; a sentence must be so strong to count.
_CHARS_MAX, _STRENGTH_MIN = 4_000, 0.05
_PLACES = 4

#: Politeness that a lexicon takes for feeling.
_POLITE_PHRASES = re.compile(
    r"\b(?:(?:i|we|he|she|they|you)(?:['’]d| would) (?:really )?(?:like|love) to"
    r"|would you like|i['’]m afraid (?=i\b|we\b|that\b|not\b|there\b|it\b)"
    r"|have an? \w+ (?:day|one|evening|weekend|trip)|looking forward to assisting"
    r"|no (?:problem|worries)|don['’]t worry|you['’]re welcome|looks? like|like this|like that)\b",
    re.IGNORECASE,
)
#: Words that answer, ask or name things of an agent's work: no feeling in them.
_NEUTRAL_WORDS = (
    "yes no yeah yep ok okay sure please like help helps helped free save saved saving share "
    "shared sharing number interest credit gift certain agree accept accepted kill killed killing "
    "dead fatal abort aborted critical cancel canceled cancelled cancelling block blocked attack "
    "drop dropped cut lost master execute alert warning warn argument arguments crash force forced "
    "join joined true false special original legal natural solid support supports supported well "
    "want wants matter matters thing value values top positive negative growth security"
)


@dataclass(frozen=True, slots=True)
class Sentiment:
    """How a text sounds: valence −1 to 1, intensity 0 to 1."""

    valence: float = 0.0
    intensity: float = 0.0


NEUTRAL = Sentiment()


def analyse_sentiment(text: str) -> Sentiment:
    """Return the tone of a message; neutral for other languages than English, and for code.

    The valence is the mean over the sentences that carry any, the intensity that of the strongest.
    """
    prose = _POLITE_PHRASES.sub(" ", own_words(text[:_CHARS_MAX]))
    if not is_english(prose):
        return NEUTRAL
    lexicon = _lexicon()
    scores = [lexicon.polarity_scores(sentence)["compound"] for sentence in split_sentences(prose)]
    nonzero_scores = [score for score in scores if abs(score) >= _STRENGTH_MIN]
    valence = round(fsum(nonzero_scores) / len(nonzero_scores), _PLACES) if nonzero_scores else 0.0
    intensity = round(max(map(abs, nonzero_scores), default=0.0), _PLACES)
    return Sentiment(valence, intensity)


@lru_cache(maxsize=1)
def _lexicon() -> SentimentIntensityAnalyzer:
    from vader import SentimentIntensityAnalyzer  # noqa: PLC0415 - not needed before the first text

    return SentimentIntensityAnalyzer(extra_lexicon=dict.fromkeys(_NEUTRAL_WORDS.split(), 0.0))
