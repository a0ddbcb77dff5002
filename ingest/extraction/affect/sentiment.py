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

from ....core.sentences import own_words, split_sentences
from ....core.text import stop_words

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
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
#: Words that answer, ask or name things of an agent's work: no feeling in them.
_NEUTRAL_WORDS = (
    "yes no yeah yep ok okay sure please like help helps helped free save saved saving share "
    "shared sharing number interest credit gift certain agree accept accepted kill killed killing "
    "dead fatal abort aborted critical cancel canceled cancelled cancelling block blocked attack "
    "drop dropped cut lost master execute alert warning warn argument arguments crash force forced "
    "join joined true false special original legal natural solid support supports supported well "
    "want wants matter matters thing value values top positive negative growth security"
)

#: Words that only other European languages have among their commonest.
_FOREIGN = frozenset(
    # German, Dutch
    "der das und ist nicht ich ein eine einen mit auf für wir sie auch aber oder wenn dass kann "
    "haben werden noch nur schon sehr mein dein kein wo warum bitte danke het een niet van voor "
    "maar zijn naar ook deze wordt jij mijn heb geen "
    # French, Spanish, Portuguese, Italian, Romanian
    "le la les est une des du et pas que qui je tu il elle nous vous dans pour avec sur mais ou "
    "mon ton c'est j'ai el los las una y es en por para con como pero muy está soy mi su lo yo "
    "não um uma os do da na em com mas você eu isso ele il gli della sono che di e per non una "
    "ho anche questo molto și nu este pentru din "
    # Swedish, Danish, Norwegian, Finnish
    "och att det är inte jag som på med för av på ett har vi kan ikke jeg og er til af ja ei se "
    "että mutta olen hän "
    # Polish, Czech, Turkish, Indonesian, Hungarian
    "nie się jest na że to jak ale jestem czy ne je že ve bir bu için ama değil yang dan di ini "
    "itu saya tidak untuk dengan egy az és hogy nem".split()
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
    if not _is_english(prose):
        return NEUTRAL
    lexicon = _lexicon()
    scores = [lexicon.polarity_scores(sentence)["compound"] for sentence in split_sentences(prose)]
    nonzero_scores = [score for score in scores if abs(score) >= _STRENGTH_MIN]
    valence = round(fsum(nonzero_scores) / len(nonzero_scores), _PLACES) if nonzero_scores else 0.0
    intensity = round(max(map(abs, nonzero_scores), default=0.0), _PLACES)
    return Sentiment(valence, intensity)


def _is_english(text: str) -> bool:
    """Say whether a text reads as English by its commonest words; a few words without any pass."""
    tokens = _WORD.findall(text)[:200]
    words = [word.replace("’", "'").lower() for word in tokens]
    english_words = stop_words("english")
    english = sum(word in english_words for word in words)
    foreign = sum(
        word in _FOREIGN
        or (token[0].islower() and not token.isascii())
        or _is_unspaced_script(token)
        for word, token in zip(words, tokens, strict=True)
    )
    return english > foreign or (foreign == 0 and len(words) <= 8)


def _is_unspaced_script(word: str) -> bool:
    """Say whether a word is of a script without capitals, such as Chinese or Arabic."""
    return not word.isascii() and word.upper() == word.lower()


@lru_cache(maxsize=1)
def _lexicon() -> SentimentIntensityAnalyzer:
    from vader import SentimentIntensityAnalyzer  # noqa: PLC0415 - not needed before the first text

    return SentimentIntensityAnalyzer(extra_lexicon=dict.fromkeys(_NEUTRAL_WORDS.split(), 0.0))
