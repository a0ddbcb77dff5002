"""The tone of a message, from a lexicon: valence, intensity and at most one word for the feeling.

English only: any other language gets a neutral tone, as a lexicon of English would misread it.
Code, links and quotations are left out. The lexicon is VADER's, loaded when it is first needed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import fsum
from typing import TYPE_CHECKING

from ....core.sentences import own_words, split_sentences
from ....core.text import stop_words
from ....core.vocabulary import Emotion

if TYPE_CHECKING:
    from vader import SentimentIntensityAnalyzer

#: Read so much of a message; a sentence must be so strong to count; a named feeling is so strong.
_CHARS_MAX, _STRENGTH_MIN, _NAMED_MIN = 4_000, 0.05, 0.3
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

_EMOTION_PATTERNS: Mapping[Emotion, str] = {
    Emotion.FRUSTRATED: r"frustrat(?:ed|ing|ion)|annoy(?:ed|ing)|fed up|sick (?:and tired )?of"
    r"|irritat(?:ed|ing)|infuriat(?:ed|ing)|furious|angry|mad at|u+gh+|a+rgh+"
    r"|waste of (?:my )?time",
    Emotion.SATISFIED: r"satisf(?:ied|ying)|pleased|happy(?! to\b)|glad(?! (?:to|i could)\b)"
    r"|proud|grateful|thankful|well done"
    r"|(?:works?|working|worked) (?:great|perfectly|well|beautifully|like a charm)|content with"
    r"|exactly what i (?:wanted|needed)|(?:i )?love (?:it|this|that)|delighted",
    Emotion.SURPRISED: r"surpris(?:ed|ing(?:ly)?)|wow|whoa|unexpected(?:ly)?|shocked|shocking"
    r"|astonish(?:ed|ing)|can['’]t believe|out of nowhere|did(?:n['’]t| not) expect"
    r"|did(?:n['’]t| not) see that coming",
    Emotion.CONCERNED: r"worr(?:y|ied|ies|ying)|concerned|my concerns?|anxious|anxiety"
    r"|nervous|afraid|scared|upset|uneasy|stress(?:ed|ful)|scary",
    Emotion.RELIEVED: r"relie(?:ved|f)|phew|thank (?:god|goodness|heavens)",
    Emotion.EXCITED: r"excit(?:ed|ing|ement)|thrilled|can['’]t wait|looking forward to|stoked"
    r"|pumped|ecstatic|yay+|woohoo|hooray|so happy|(?:amazing|awesome|fantastic)(?=[^.?]*!)",
    Emotion.CURIOUS: r"curious|wonder(?:ing|ed)?(?! (?:if|whether)\b)|intrigu(?:ed|ing)"
    r"|fascinat(?:ed|ing)|(?:love|like) to (?:know|hear|learn) (?:more|how|what|why|about)"
    r"|tell me more",
    Emotion.UNCERTAIN: r"not (?:so |too |really |quite |entirely |completely |100% )?"
    r"(?:sure|certain)|unsure|uncertain|confus(?:ed|ing)|no idea|can['’]t decide"
    r"|puzzled|hesitant|torn between",
    Emotion.CAUTIOUS: r"careful(?:ly)?|cautious(?:ly)?|double[- ]check|to be (?:on the )?safe|wary",
    Emotion.FOCUSED: r"let['’]s focus|(?:focus(?:ed|ing)?|concentrat(?:e|ed|ing)) on|heads[- ]down"
    r"|in the zone|one thing at a time",
}
_EMOTION = re.compile(
    r"\b(?:"
    + "|".join(f"(?P<{emotion.name}>{cues})" for emotion, cues in _EMOTION_PATTERNS.items())
    + r")\b",
    re.IGNORECASE,
)
#: What takes a feeling back within the three words before it, or gives it to somebody else.
_NEGATION = re.compile(
    r"\b(?:(?:not|never|no|without|isn['’]?t|aren['’]?t|wasn['’]?t|don['’]?t|doesn['’]?t"
    r"|didn['’]?t|won['’]?t|hardly)\s+(?:\S+\s+){0,2}|your\s+)\Z",
    re.IGNORECASE,
)
_SIGN = {
    Emotion.FRUSTRATED: -1,
    Emotion.CONCERNED: -1,
    Emotion.SATISFIED: 1,
    Emotion.RELIEVED: 1,
    Emotion.EXCITED: 1,
}


@dataclass(frozen=True, slots=True)
class Sentiment:
    """How a text sounds: valence −1 to 1, intensity 0 to 1, and a word where one is plain."""

    valence: float = 0.0
    intensity: float = 0.0
    emotion: Emotion | None = None


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
    emotion = _named_emotion(prose, valence)
    return Sentiment(valence, max(intensity, _NAMED_MIN) if emotion else intensity, emotion)


def _named_emotion(text: str, valence: float) -> Emotion | None:
    """Return the feeling most often named and not denied, the earliest of equals.

    A feeling that contradicts the valence of the text is not reported.
    """
    named: dict[Emotion, int] = {}
    for match in _EMOTION.finditer(text):
        emotion = Emotion[match.lastgroup or ""]
        denied = _NEGATION.search(text[max(0, match.start() - 40) : match.start()])
        if not denied and _SIGN.get(emotion, 0) * valence > -_STRENGTH_MIN:
            named[emotion] = named.get(emotion, 0) + 1
    return max(named, key=lambda emotion: named[emotion], default=None)


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
