"""What a text shows at a glance, while it is captured: small talk, praise, orders, times, style.

Looked at before an event is acknowledged, so it loads little and reads no more than it must. Small
talk is known in many languages; praise, correction, insight and orders in English.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from ..core.ids import fold
from .lazy_pattern import LazyPattern
from .sentences import split_sentences
from .word_lists import phrase_list, word_list

#: A long text is known by its opening, characters, not to be made of such phrases.
_OPENING_CHARS = 120
_REPEATED = re.compile(r"(.{1,3}?)\1+")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_APOSTROPHES = re.compile(r"['’`]")


def is_small_talk(line: str) -> bool:
    """Return whether a text is made of phrases of the list, or of no letters and digits at all."""
    first = line.split(" ", 1)[0]
    begins = _may_begin if len(first) <= _OPENING_CHARS else _may_begin.__wrapped__
    if not begins(first):
        return False
    if len(line) > _OPENING_CHARS:
        opening = _words(line[:_OPENING_CHARS])
        if _small_talk_words(opening) < len(opening) - _PHRASE_WORDS:
            return False
    words = _words(line)
    return _small_talk_words(words) == len(words)


@lru_cache(maxsize=4096)
def _may_begin(word: str) -> bool:
    """Return whether a phrase of the list may begin with a word; sentences begin with few words."""
    first = _words(word)
    return not first or first[0] in _FIRST_WORDS


def _small_talk_words(words: list[str]) -> int:
    """Return how many words from the beginning are phrases of the list, the longest first."""
    place = 0
    while place < len(words):
        ends = range(min(len(words), place + _PHRASE_WORDS), place, -1)
        end = next((end for end in ends if tuple(words[place:end]) in _PHRASES), None)
        if end is None:
            break
        place = end
    return place


def _words(line: str) -> list[str]:
    """Return the folded words of a line, marks of punctuation left out, repetition taken back."""
    if line.isascii():
        normalised = _REPEATED.sub(r"\1", _APOSTROPHES.sub("", line.lower()))
        return _ASCII_WORD.findall(normalised)
    letters = "".join(
        letter if letter.isalnum() or unicodedata.category(letter)[0] == "M" else " "
        for letter in _APOSTROPHES.sub("", fold(line))
    )
    return [_REPEATED.sub(r"\1", word) for word in letters.split()]


#: Answers, thanks, greetings and laughter: alone or in a row they say nothing; repeated letters,
#: capitals and punctuation do not matter.
_PHRASES = frozenset(tuple(_words(phrase)) for phrase in phrase_list("small_talk"))
_PHRASE_WORDS = max(map(len, _PHRASES))
_FIRST_WORDS = frozenset(phrase[0] for phrase in _PHRASES)


def _any(*phrases: str, pieces: Sequence[str] = ()) -> LazyPattern:
    return LazyPattern("|".join(phrases), re.IGNORECASE, pieces)


_CORRECTS = _any(
    r"\bthat(?:['’]s| is| was|['’]s still| is still) (?:not (?:right|correct|true|it|what)"
    r"|wrong|incorrect|a mistake)\b",
    r"\b(?:isn['’]t|is not|wasn['’]t|not) what i (?:asked|meant|wanted|said|need(?:ed)?)\b",
    r"\byou(?:['’]ve| have)? (?:forgot|missed|misunderstood|misread|broke|overlooked|ignored)\b",
    r"\byou (?:should(?:n['’]t| not) have(?! to)|were not supposed to|weren['’]t supposed to)\b",
    r"\b(?:as|like) i (?:already )?(?:said|told you|asked)\b",
    r"\bi (?:told you (?:to|not|already|twice)|asked you (?:to|not|for)|meant(?! to\b))\b",
    r"\bi said,? (?:not|no [a-z]|don['’]t|only|just|use|the|\d|[\"“'‘`]"
    r"|to (?!(?:him|her|them|my|us)\b))",
    r"\b(?:revert|undo|roll back) (?:that|this|it|your)\b",
    r"\bwrong (?:file|one|way|place|branch|answer|date|number|version)\b",
    r"\bstill (?:failing|broken|wrong|fails|not working|doesn['’]t work|does not work)\b",
    r"\b(?:it|that|this) (?:doesn['’]t|does not|didn['’]t|did not) work\b",
    r"\b(?:please )?(?:stop|don['’]t) (?:doing|do) (?:that|this)\b",
)
#: At the beginning, and no answer: a "no" that takes something back.
_NO = re.compile(
    r"\s*no+\b[,.!:;–-]+\s*(?:(?:that|this|it)(?:['’]s| is| was)? (?:not|wrong|still)\b"
    r"|i (?:wanted|want|asked|need|needed)\b"
    r"|(?:you|use|leave|keep|put|not|don['’]t|do not|wrong)\b)",
    re.IGNORECASE,
)
_PRAISES = _any(
    r"\b(?:that|this|it)(?:['’]s| is| was)? (?:now )?"
    r"(?:works|working|worked|fixed|solved)\b(?! for me)",
    r"\b(?:that|this|it) (?:did|does) the trick\b",
    r"\b(?:well done|good job|great job|nice work|great work|good work|nicely done|lgtm)\b",
    r"\b(?:looks|look) (?:good|great|perfect|right)\b",
    r"\b(?:exactly|just|precisely) what i (?:wanted|needed|asked for|meant)\b",
    r"\bthat(?:['’]s| is| was) (?:perfect|great|awesome|excellent|amazing|brilliant"
    r"|very helpful|super helpful|helpful)\b",
    r"(?:^|[.!]\s+)(?:perfect|excellent|brilliant|awesome|amazing|fantastic)\b(?: work\b)?[.!,]",
    r"\b(?:thanks|thank you) (?:so much|very much|a lot|a million) for (?:all )?(?:your|the) "
    r"(?:help|assistance|support|work|effort)\b",
    r"\breally appreciate (?:all )?(?:your|the) (?:help|work|effort|assistance|support)\b",
    r"\bi (?:really )?(?:love|like) (?:it|this|that|what you|how you)\b",
)
_RESERVATIONS = _any(
    r"\bbut\b", r"\bhowever\b", r"\bexcept\b", r"\bunfortunately\b", r"\bnot (?:quite|yet)\b"
)
_QUESTION = re.compile(r"[^.!?\n]*\?")
_LEARNS = _any(
    r"\b(?:lesson learned|til)\b[:,.]?",
    r"\b(?:i|we)(?:['’]ve| have)? (?:just )?(?:learned|learnt|realised|realized|figured out"
    r"|found out|discovered) (?:that|how|why|what|to)\b",
    r"\b(?:it )?turns out\b",
    r"\bnow i (?:understand|see|know|get) (?:that|how|why|what|it)\b",
    r"\bthe (?:trick|key|root cause|solution|fix) (?:is|was)\b",
    pieces=(
        *("lesson", "til", "learn", "reali", "figured", "found", "discovered", "turns out"),
        *("now i", "the trick", "the key", "the root", "the solution", "the fix"),
    ),
)


def corrects(text: str, *, answers_question: bool) -> bool:
    """Return whether a text says that the agent was wrong; a "no" to its question does not."""
    return bool(_CORRECTS.search(text) or (not answers_question and _NO.match(text)))


def praises(text: str) -> bool:
    """Return whether a text praises without reserve, outside of its questions."""
    return not _RESERVATIONS.search(text) and bool(_PRAISES.search(_QUESTION.sub(" ", text)))


def tells_of_insight(text: str) -> bool:
    """Return whether somebody says that they learned something."""
    return bool(_LEARNS.search(text))


_REMEMBER = LazyPattern(
    r"\bimportant(?:ly)?\b|(?<!\bi )\bremember\b|\bdon['’]?t forget\b|\bkeep in mind\b",
    re.IGNORECASE,
    ("important", "remember", "forget", "in mind"),
)
_DECIDE = LazyPattern(
    r"\b(?:decisions?|decided|conclu(?:ded?|sions?))\b",
    re.IGNORECASE,
    ("decision", "decided", "conclu"),
)


def asks_to_remember(text: str) -> bool:
    """Return whether a text asks to be remembered, or calls itself important."""
    return bool(_REMEMBER.search(text))


def speaks_of_decision(text: str) -> bool:
    """Return whether a text speaks of a decision or a conclusion."""
    return bool(_DECIDE.search(text))


_TOKEN = re.compile(r"\w+")
_TIMES = word_list("words_of_time")
#: A year, or a day of the month; a word's first digit comes first, which is searched for fastest.
_NUMBER = re.compile(r"\d(?<=\b\d)(?:\d{3}|\d?(?:st|nd|rd|th))\b", re.IGNORECASE)


def names_a_time(text: str) -> bool:
    """Return whether a text has a word or a number of the calendar."""
    return not _TIMES.isdisjoint(_TOKEN.findall(text.lower())) or bool(_NUMBER.search(text))


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PERSONAL = word_list("personal")


def style_measures(text: str) -> tuple[float, float, float, float]:
    """Return words a sentence, share of personal words, and of sentences that ask or exclaim."""
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(text)]
    sentences = split_sentences(text)
    count = max(len(sentences), 1)
    personal = sum(word in _PERSONAL for word in words) / max(len(words), 1)
    asks = sum(sentence.endswith(("?", "？")) for sentence in sentences) / count
    exclaims = sum(sentence.endswith(("!", "！")) for sentence in sentences) / count
    return len(words) / count, personal, asks, exclaims
