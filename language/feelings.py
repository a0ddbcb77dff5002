"""What a speaker says they feel now: their own feelings in words of the vocabulary, or none.

"I'm", "I feel", "we're so …" and a word of feeling; what cannot be waited for, what is missed, what
a relief it is. What others feel, what was felt, what is denied, asked or supposed, and what is only
polite tells none. English only. No word is better than a wrong one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from ..core.experience import PRIMARY_MAX
from ..core.vocabulary import Emotion
from .fact_ends import stated_clauses, without_quoted
from .tone import is_ironic
from .word_lists import word_table


def _by_word(table: str) -> dict[str, Emotion]:
    return {word: Emotion(emotion) for word, emotion in word_table(table).items()}


#: What I am, or feel. Pride, joy and gratitude are `satisfied`, fear and worry `concerned`.
_STATES = _by_word("feelings_states")
#: What something is that goes on now.
_LASTING = _by_word("feelings_lasting")
#: Feelings by their nouns.
_NOUNS = _by_word("feelings_nouns")
#: What something does to me now.
_DONE_TO_ME = _by_word("feelings_done_to_me")
_BRIGHT = frozenset({Emotion.EXCITED, Emotion.SATISFIED, Emotion.RELIEVED})
_BAD = frozenset({Emotion.FRUSTRATED, Emotion.SAD, Emotion.CONCERNED})

_DEGREE = (
    r"(?:(?:so|such|really|very|quite|pretty|super|a|an|bit|little|tad|lot|kinda|sorta|kind|sort|of"
    r"|too|also|just|still|all|both|rather|extremely|beyond|more|even|feeling|feel|way|most|deeply"
    r"|now|today|honestly|\w+ly|and|a mix of|like) |, )*"
)
_WE_BOTH = r"(?:my \w+|our \w+|[^\W\d_]\w+) and i are "
_AM = (
    r"(?:i think |i guess |i must say |i have to say |i must admit |i admit |honestly,? )?"
    r"(?:i(?:['’]?m| am)|we(?:['’]re| are)|(?:i|we)(?: \w+ly| still| both| just)? (?:feel|get)"
    rf"|(?:i|we)(?:['’]ve| have) been|{_WE_BOTH}) ?"
)
_WORDS = "|".join(sorted(_STATES, key=len, reverse=True))
_STATE = re.compile(rf"{_AM}{_DEGREE}(?P<word>{_WORDS})(?![\w-])", re.IGNORECASE)
_MAKES = re.compile(
    rf"(?:it|this|that|\w+)(?:['’]s| is)? (?:makes?|making|gets?) me (?:feel )?{_DEGREE}"
    rf"(?P<word>{_WORDS})(?![\w-])",
    re.IGNORECASE,
)
#: "So nervous about tomorrow.", "Relieved."
_BARE = re.compile(
    rf"(?:i )?{_DEGREE}(?P<word>{_WORDS})(?=\s*(?:[.,!;…]|\Z)"
    r"| (?:about|that|to|with|at|by|because|and|but|right now|today|of)\b)",
    re.IGNORECASE,
)
_NEXT = re.compile(
    rf"(?:, | (?:and|but|yet|or|&) |/){_DEGREE}(?P<word>{_WORDS})(?![\w-])", re.IGNORECASE
)
_NOUN_OPENS = re.compile(
    r"(?:i(?:['’]?m| am)? (?:\w+ly |just )?(?:feel|feeling|full of|filled with|in)\b"
    r"|(?:a )?mix of)",
    re.IGNORECASE,
)
_NOUN = re.compile(rf"\b({'|'.join(_NOUNS)})\b", re.IGNORECASE)
_LASTS = re.compile(
    rf"(?:(?:it|this)(?:['’]s| is)|what) {_DEGREE}(?P<word>{'|'.join(_LASTING)})\b", re.IGNORECASE
)
_HURTS = re.compile(
    rf"(?:it|this|that) (?:\w+ )?(?P<word>{'|'.join(_DONE_TO_ME)}) (?:me|us)\b", re.IGNORECASE
)
#: Set phrases of now, each with its feeling.
_PHRASES = (
    (
        Emotion.EXCITED,
        re.compile(
            r"(?:i |we |just |so )*(?:can(?:['’]?t| ?not)) wait\b"
            r"(?! to (?:see|hear|read|watch|help|try)\b(?! (?:my|our|his|her))"
            r"|[^.!]*\byour\b)"
            r"|(?:i['’]?m |i am |we['’]re |we are |so |really |i )*(?:look|looking) forward to\b"
            r"(?! (?:you|hearing|seeing|meeting|working|assisting|helping|trying|more|that|it)\b"
            r"|[^.!]*\byou)",
            re.IGNORECASE,
        ),
    ),
    (
        Emotion.SAD,
        re.compile(
            r"(?:and |i |we )*(?:really |still |so |just )*miss(?:ing)? "
            r"(?:my|our|him|her|them|home)\b"
            r"(?! (?:bus|train|flight|stop|exit|chance|turn|deadline|connection))",
            re.IGNORECASE,
        ),
    ),
)
#: Behind a word of feeling, what makes it the listener's, or politeness.
_POLITE = re.compile(
    r" (?:to (?:help|assist|hear|see|read|know|meet|look|do|be of|answer|explain|show|share)\b"
    r"|(?:for|of) (?:you|him|her|them|your)\b|(?:with|by) your\b"
    r"|(?:that )?(?:you|it (?:helped|helps|worked|works))\b)",
    re.IGNORECASE,
)
_APOLOGY = re.compile(r" (?:i|we|that|not|so|there|it|you)\b", re.IGNORECASE)
_THANKS = re.compile(r"(?:grateful|thankful|excited|thrilled)\b(?! for you\b)", re.IGNORECASE)
_OF_YOU = re.compile(
    r"(?: [\w']+){1,7}? (?:you|your|you're|u|each other|everyone's)\b", re.IGNORECASE
)
#: What happens now and then is no feeling of now.
_HABIT = re.compile(r"\b(?:usually|sometimes|often|whenever|every time)\b", re.IGNORECASE)
_SET_PHRASE = re.compile(r"as (?:far|long) as (?:i|we)", re.IGNORECASE)
#: Says that what sounds bad felt good: "scared, the good kind", "nervous, but in a good way".
GOOD_KIND = re.compile(
    r"\b(?:(?:the|a) (?:\w+ly )?(?:good|best|nice|great|happy) (?:kind|sort|way)"
    r"|good (?:kind|sort) of|(?:happy|joyful) tears|tears of joy)\b",
    re.IGNORECASE,
)
_YOU = re.compile(r"\b(?:you|your|yours|u|ya)\b", re.IGNORECASE)


def feelings_in(sentences: Iterable[str]) -> tuple[Emotion, ...]:
    """Return the feelings that sentences tell of their speaker, the most often told first.

    At most three. `sentences` are those of a message that tell what is so.
    """
    sentences = list(sentences)
    felt: Counter[Emotion] = Counter()
    for sentence in sentences:
        felt.update(list(dict.fromkeys(_in_sentence(sentence))))
    if is_ironic(" ".join(sentences)):
        felt = Counter({word: count for word, count in felt.items() if word not in _BRIGHT})
    if any(GOOD_KIND.search(sentence) for sentence in sentences):
        felt = Counter({word: count for word, count in felt.items() if word not in _BAD})
    emotions = sorted(felt, key=lambda word: (word is not Emotion.GRIEVING, -felt[word]))
    return tuple(emotions[:PRIMARY_MAX])


def _in_sentence(sentence: str) -> Iterator[Emotion]:
    text = without_quoted(sentence).replace("’", "'")
    last = 0
    for clause in stated_clauses(text):
        if clause.start < last or _HABIT.search(text, clause.start, clause.end):
            continue
        before = text[max(0, clause.start - 24) : clause.start + 8]
        if _SET_PHRASE.search(before):
            continue
        for match in _words_at(text, clause.start, bare=not clause.is_joined):
            last = match.end()
            if not _is_polite(text, match):
                yield _STATES[match["word"].lower()]
        yield from _otherwise(text, clause.start)


def _words_at(text: str, start: int, *, bare: bool) -> Iterator[re.Match[str]]:
    """Yield the words of feeling that a clause opens with, and those that are listed behind."""
    match = _STATE.match(text, start) or _MAKES.match(text, start)
    match = match or (_BARE.match(text, start) if bare else None)
    while match:
        yield match
        match = _NEXT.match(text, match.end())


def _is_polite(text: str, match: re.Match[str]) -> bool:
    word = match["word"].lower()
    if word == "afraid":
        return _APOLOGY.match(text, match.end()) is not None
    if _STATES[word] not in _BRIGHT:
        return False
    end = match.end()
    if _THANKS.match(text, match.start("word")):
        return False
    return bool(_POLITE.match(text, end) or _OF_YOU.match(text, end))


def _otherwise(text: str, start: int) -> Iterator[Emotion]:
    if opens := _NOUN_OPENS.match(text, start):
        yield from (_NOUNS[word.lower()] for word in _NOUN.findall(text, opens.end()))
    lasts = _LASTS.match(text, start)
    if lasts and not _YOU.search(text):
        yield _LASTING[lasts["word"].lower()]
    if hurts := _HURTS.match(text, start):
        yield _DONE_TO_ME[hurts["word"].lower()]
    yield from (emotion for emotion, phrase in _PHRASES if phrase.match(text, start))
