"""The tone of a message, from a lexicon: valence and intensity. It names no feeling.

English only: any other language gets a neutral tone, as a lexicon of English would misread it.
Code, links and quotations are left out. The lexicon is VADER's, loaded when it is first needed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from math import fsum
from typing import TYPE_CHECKING

from .analyser import is_english
from .fact_objects import ANIMALS, FAMILY
from .sentences import own_words, split_sentences
from .word_lists import word_list

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


#: The valence and the intensity of what has no tone.
NEUTRAL = (0.0, 0.0)


def analyse_sentiment(text: str) -> tuple[float, float]:
    """Return how a message sounds: its valence, −1 to 1, and its intensity, 0 to 1.

    Other languages than English, and code, are neutral. The valence is the mean over the sentences
    that carry any, the intensity that of the strongest.
    """
    prose = _POLITE_PHRASES.sub(" ", own_words(text[:_CHARS_MAX]))
    if not is_english(prose):
        return NEUTRAL
    lexicon = _lexicon()
    scores = [lexicon.polarity_scores(sentence)["compound"] for sentence in split_sentences(prose)]
    nonzero_scores = [score for score in scores if abs(score) >= _STRENGTH_MIN]
    valence = round(fsum(nonzero_scores) / len(nonzero_scores), _PLACES) if nonzero_scores else 0.0
    intensity = round(max(map(abs, nonzero_scores), default=0.0), _PLACES)
    return valence, intensity


@lru_cache(maxsize=1)
def _lexicon() -> SentimentIntensityAnalyzer:
    from vader import SentimentIntensityAnalyzer  # noqa: PLC0415 - not needed before the first text

    # words that answer, ask or name things of an agent's work: no feeling in them
    return SentimentIntensityAnalyzer(extra_lexicon=dict.fromkeys(word_list("no_tone"), 0.0))


_PHRASE = re.compile(
    r"""
    (?:^|[.!?]\ )(?:(?:oh|ah|well|wow),?\ |just\ )+(?:great|wonderful|fantastic|perfect|lovely)
      ,\ (?:my|our|the|another|now|it|they|he|she|someone)\b
    | \boh\ (?:joy|goody)\b | \blucky\ (?:me|us)\b | \bjust\ my\ luck\b
    | \b(?:another|again)\b[^.!?]*[.!?]\ (?:just|exactly)\ what\ (?:I|we)\ (?:needed|wanted)\b
    | \byeah,?\ living\ the\ dream\b | \bwhat\ could\ (?:possibly\ )?go\ wrong\b
    | \bbecause\ (?:who|everyone|everybody)\ (?:doesn't\ )?(?:loves?|needs?|wants?)\b
    | (?:^|[.!?]\ )(?:yeah,?\ right|sure,\ because|as\ if)\b | (?<!\w)/s\s*$
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_PRAISES = r"(?:great|wonderful|fantastic|perfect|lovely|brilliant|awesome|marvellous|nice|super)"
_MISHAP = r"""
    (?:flat\ tyres?|flat\ tires?|(?:parking|speeding)\ tickets?|cancel\w*|postponed|delay(?:ed|s)?
    |out\ of\ (?:order|ink|gas|paper|battery)|crashed|crashes|died|is\ dead|leak(?:s|ed|ing)?
    |broke(?:n)?(?!\ (?:my|our|the|a|his|her)\ )|(?:has|have)\ gone|stuck|raining\b|power\ cut
    |declined|stolen|lost\ (?:my|our|the)\ (?:luggage|keys|suitcase|bags?|file|order|wallet|phone)
    |traffic\ jam|drill(?:ed|ing)|slept|overtime|won['’]t\ start|not\ working|does\ ?n['’]t\ work
    |failed\ again|(?:is|are)\ down|left\ without\ me|missed\ (?:my|the|our)|bill\ of|error
    |\bbugs?\b|headache)
"""
#: Praise of a mishap: it opens the sentence, or stands behind it.
_PRAISED_MISHAP = re.compile(
    rf"""
    (?:^|[.!?]\ )(?:(?:oh|ah|well|wow|yeah|and),?\ )?(?:(?:that['’]s|how|isn['’]t\ (?:that|it))\ )?
      (?:just\ |simply\ |so\ )?{_PRAISES}[,.!:–-]*\ [^.!?]*?\b{_MISHAP}
    | \b{_MISHAP}[^.!?]*[,.!–-]+\ ?(?:how|that['’]s\ just|just|so)\ {_PRAISES}\b
    | \b{_MISHAP}[^.!?]*[,.!–-]+\ ?(?:just|exactly)\ what\ (?:I|we)\ (?:needed|wanted)\b
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
#: Mended, or none: praise that may be meant.
_MEANT = re.compile(
    r"\b(?:no|not|never|fixed|repaired|finally|found|at last|without|stopped|instead|but|so we"
    r"|thanks?|works? again)\b|n['’]t\b(?! (?:start|work|slept))",
    re.IGNORECASE,
)


def is_ironic(text: str) -> bool:
    """Return whether a message praises what it complains of."""
    if _PHRASE.search(text) is not None:
        return True
    praised = _PRAISED_MISHAP.search(text)
    if praised is None:
        return False
    behind = re.split(r"[.!?]", text[praised.end() :], maxsplit=1)[0]
    return not _MEANT.search(praised[0] + behind)


#: From here on a sentence is taken for what a head says it is.
_LIKELY_MIN, _WORDED_MIN, _OTHERS_MIN, _SURE_MIN = 0.45, 0.15, 0.5, 0.9
_OTHERS = ("othernews", "advice", "question")


class Fortune(StrEnum):
    """What a sentence tells, worst first."""

    DEATH = "death"
    BAD = "bad"
    GOOD = "good"


_NEAR = "|".join(
    sorted(
        {*FAMILY, *ANIMALS, "friend", "friends", "bestie", "mentor", "parents", "parent", "nan"}
        | {"mother-in-law", "father-in-law", "baby", "granny", "gran", "nana", "grandparents"},
        key=len,
        reverse=True,
    )
)
_MINE = r"(?:my|our) (?:[\w-]+ ){0,2}?"
_ADVERB = r"(?:(?:just|recently|sadly|suddenly|unexpectedly|finally|also|peacefully) )?"
_DEATH = re.compile(
    rf"\b{_MINE}(?:{_NEAR})\b(?:,? [A-Z][\w'-]*,?)? {_ADVERB}(?:(?:has|had|have) {_ADVERB})?"
    r"(?:(?:died|passed away|passed on|passed(?= (?:last|this|on|in|yesterday)\b|\W*\Z))\b"
    r"(?! (?:laughing|of (?:boredom|laughter|shame)))"
    r"|(?:is|are) (?:dead(?! (?:tired|set|serious|wrong|right|on|keen))|dying|no longer with us)\b)"
    rf"|\b(?:i|we)(?:'ve| have| had to| had)? {_ADVERB}(?:lost|buried) {_MINE}(?:{_NEAR})\b"
    r"(?! (?:in|at) the|'s| [a-z]+ing)"
    rf"|\b(?:put|putting) {_MINE}(?:{_NEAR})\b[^.!?]* (?:down|to sleep)\b"
    rf"|\b(?:since|at|after) {_MINE}(?:{_NEAR})'s (?:death|funeral|passing)\b",
    re.IGNORECASE,
)
_NOT_SO = re.compile(r"\b(?:if|when|nearly|almost|never|dream\w*|not|no)\b|n't\b", re.IGNORECASE)
_BODY = r"(?:pain|aches?|headaches?|migraines?|stress|fears?|worr(?:y|ies)|debts?|anxiety)"
_GAINS = (
    r"(?:job|promotion|raise|offer|scholarship|grant|prize|award|medal|trophy|cup|title|part|role"
    r"|flat|apartment|house|place|visa|licen[cs]e|degree|diploma|approval|refund|internship)"
)


def _any(phrases: str) -> re.Pattern[str]:
    """Return a pattern of any of the lines, as whole words."""
    lines = [line.strip() for line in phrases.strip().splitlines()]
    return re.compile(rf"\b(?:{'|'.join(lines)})\b", re.IGNORECASE)


_GOOD = _any(
    rf"""
    (?:got|landed|received|won|earned|took|brought home|(?:been|was) offered)[ ]
      (?:an? |the |my |our |that |this |first )*(?:\w+ )?{_GAINS}
    got (?:promoted|accepted|engaged|hired|published|approved|picked|selected|married|better)
    got (?:my|our) (?:\w+ )?(?:back|fixed|repaired)
    passed (?:my|the|our|his|her|all|every|with)
    graduat(?:ed|ing)
    aced|nailed it|made it (?:to|into)|said yes|hooray|yay|at last|what a laugh
    (?:i|we|they|he|she|team|daughter|son) won|won (?:the|our|my|a|first)
    beat (?:my|our|the) (?:\w+ )?(?:record|best|time|goal)|beat them|crushed (?:it|them)
    (?:finished|completed) (?:my|our|the|a)|pulled (?:it|that) off|paid off|worth (?:it|every)
    (?:has|have|is|are|was|fully|finally) (?:healed|recovered|cured)|recovered
    in remission|healthy|all clear|clean bill|found (?:my|our)
    (?:came|comes|come|is|are|'s) (?:back |safely )?home(?: again)?
    went (?:\w+ ){{0,2}}(?:well|great|fine|smoothly|perfectly|better)
    slept (?:\w+ )?(?:well|great|better)
    (?:was|were|been|is|are|'s|got|finally) (?:\w+ )?(?:accepted|approved|published|born|fixed)
    (?:was|were|been|is|are|'s|finally) (?:\w+ )?(?:repaired|solved|resolved|working|green|open)
    (?:is|are|works?|walks?|runs?|up|healthy|fit) again|blooming|booming|thriving
    (?:fixed|solved|repaired) (?:it|the|my|our)|works (?:now|fine|great|perfectly)
    (?:accepted|approved) (?:my|our)|(?:refund|money) arrived|learn(?:ed|t) to|quit smoking
    first (?:steps?|marathon|house|customer|word|place|win)
    gave birth|had (?:her|their|our|a) (?:\w+ )?baby|made (?:a|some) (?:new )?friends?
    doing (?:so |really |very )?(?:well|great|fine|better)
    back (?:on my feet|on track|to normal)|had (?:\w+ ){{0,2}}(?:fun|blast|great time)
    (?:got|getting) (?:rid of|over|out of my)|(?:took|takes) away (?:\w+ ){{0,2}}{_BODY}
    no more {_BODY}|without (?:an?|any|one|a single) (?:\w+ )?(?:injury|problems?|hitch)
    (?:barely|hardly|did ?n't) hurt|(?:better|easier) than (?:i|we) (?:feared|thought|expected)
    lost (?:(?:so much|some|a lot of|the) weight|[\w-]+ (?:kilos?|pounds|kg|lbs))|goal weight
    """.replace("\n      ", "")
)
_BAD = _any(
    r"""
    (?:i|we|they)(?:'ve|'m|'re)? (?:\w+ )?(?:was |were |got |get |been |am |are |being )?(?:\w+ly )?
      (?:fired|sacked|laid off|dumped|evicted|robbed|mugged|burgled|hospitali[sz]ed|scammed
      |rejected|turned down|ghosted|expelled|demoted|injured|bullied|diagnosed with)
    let (?:me|us) go|(?:broke|split) up|broke down|(?:left|dumped) me|fell (?:through|apart|ill)
    (?:lost|missed|crashed|broke|ruined|wrecked|failed|flunked) (?:my|our|the|all|a)
      (?! (?:weight|record|ice|silence|fast|news|point|game changer))
    (?:is|are|was|were|got|been) (?:\w+ly )?(?:stolen|cancelled|canceled|gone|broken|flooded|ruined)
    (?:is|are|was|were|got|been) (?:\w+ly )?(?:refused|denied|destroyed|bullied|down|stuck|smashed)
    passed out|gave out|bad news|no luck|(?:in|to) (?:the )?hospital|big fight|surgery
    did ?n't (?:get|make|qualify|pass|win|work)
    """.replace("\n      ", "")
)
#: Without any of these, or a bad tone, a likely setback is none: "I just finished a painting".
_HINTS = _any(
    r"""
    \w+n['’]t|not|no|nobody|never|stopped|without|had to|g[ia]ve up|rained|late|lost|broke
    hurt|ill|sick|fell|failed|cancel\w*|gone|down|quit|tired|alone|worse|flooded|only
    setbacks?|smashed|stol\w+|threw|throwing|struggl\w+|troubles?|problems?|accident|fight|stuck
    """
)
_MINE_WORD = re.compile(r"\b(?:i|we|me|us|my|our|im|ive)\b", re.IGNORECASE)
_DENIED = re.compile(
    r"(?:n't|\b(?:not|never|nearly|almost|if|hope|hoping|wish|want|would|will|to be))"
    r"(?: \w+){0,2} ?\Z",
    re.IGNORECASE,
)
_NO_MISHAP = re.compile(
    r"\b(?:did|have|do|has|does)n't (?:\w+ )?(?:fail|lose|crash|hurt|break|fall|miss)\w*",
    re.IGNORECASE,
)
_SORRY = re.compile(r"\b(?:sorry|condolences|your)\b", re.IGNORECASE)
#: A question that asks nothing, behind what is stated.
_TAG = re.compile(
    r",? (?:can you (?:believe|imagine) (?:it|that)|you know(?: what i mean)?|right|huh)\?+\W*\Z",
    re.IGNORECASE,
)


def fortune_of(sentence: str, kinds: Mapping[str, float]) -> Fortune | None:
    """Return what a sentence that tells what is so says of its speaker; None where nothing.

    `kinds` says how likely the sentence does what (`reading`). Questions tell nothing.
    """
    text = sentence.replace("’", "'")
    if text.rstrip("\"') ").endswith("?") and not _TAG.search(text):
        return None
    death = _DEATH.search(text)
    if death and not _NOT_SO.search(text[: death.start()]) and not _SORRY.search(text):
        return Fortune.DEATH
    if any(kinds.get(kind, 0.0) >= _OTHERS_MIN for kind in _OTHERS):
        return None
    setback = kinds.get("setback", 0.0)
    if _is_good(text, setback):
        return Fortune.GOOD
    return Fortune.BAD if _is_bad(text, setback) else None


def _is_good(text: str, setback: float) -> bool:
    good = _GOOD.search(text)
    if good is None or _DENIED.search(text[: good.start()]):
        return False
    turned = re.search(r"\b(?:but|and|yet)\b", text[: good.start()], re.IGNORECASE)
    return setback < _SURE_MIN or turned is not None


def _is_bad(text: str, setback: float) -> bool:
    if _NO_MISHAP.search(text):
        return False
    bad = _BAD.search(text)
    worded = bad and not _DENIED.search(text[: bad.start()]) and _MINE_WORD.search(text)
    if worded:
        return setback >= _WORDED_MIN
    sounds_bad = _HINTS.search(text) or analyse_sentiment(text)[0] < 0
    return setback >= _LIKELY_MIN and bool(sounds_bad)
