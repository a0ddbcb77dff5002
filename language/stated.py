"""Which clauses of a sentence are stated: no question, condition, wish, report or quotation.

Careful rather than complete: where a sentence holds a word of doubt, nothing in it is stated.
English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .words import Span

_QUOTED = re.compile(r"[\"“«„][^\"”»“]*(?:[\"”»“]|\Z)|(?<!\w)['‘][^'’\n]{3,}['’](?!\w)")
#: A question behind what is stated: "I live in Rome, and you?".
_RETURNED = re.compile(
    r"[,.;–—-]+\s*(?:(?:(?:and|what about|how about)\s+)+(?:you|yours|yourself)|right|huh|you know"
    r"|can you (?:believe|imagine) (?:it|that)"
    r"|(?:did|do|does|is|are|was|were|have|has|ca|wo)n['’]t \w+(?: \w+){0,2})\s*\?+\W*\Z",
    re.IGNORECASE,
)
#: Nothing in a sentence with these is so.
_UNREAL = re.compile(
    r"\b(?:dream\w*|dreamt|nightmares?|kidding|joking|jk|novel|screenplay|fiction|fairy tale"
    r"|role-?play\w*|my character|lied|fake|april fools?)\b",
    re.IGNORECASE,
)
#: From these on nothing is stated, in the clause before them neither where no mark parts them.
_DOUBTS = re.compile(
    r"\b(?:wish\w*|hop(?:e|ed|ing)|imagin\w+|pretend\w*|suppos\w+|in case|as though|maybe|perhaps"
    r"|probably|possibly|apparently)\b",
    re.IGNORECASE,
)
#: A condition that opens a clause governs those behind it; else only its own.
_CONDITION = re.compile(r"\b(?:if|unless|whether|would|['’]d rather)\b", re.IGNORECASE)
_FRONTED = re.compile(r"(?:(?:and|but|so|or|even|only)\s+)*(?:if|unless|whether)\b", re.IGNORECASE)
_REPORTS = re.compile(
    r"\b(?:sa(?:id|y|ys|ying)|told|tells?|asked|asks|thinks|thought|claim\w*|heard|believes?|wrote"
    r"|writes|reads|according|rumou?rs?|lyrics?|song|quot\w+|assumes?|assumed|guess(?:es|ed))\b",
    re.IGNORECASE,
)
_SUBORDINATE = (
    r"because|'cause|cause|since|while|whilst|although|though|which|who|whom|whose|that|when"
    r"|whenever|where|wherever|until|till|after|before|as(?! of\b)|once|why|how|what(?! an?\b)"
)
#: "So" begins a clause, or is a degree: "so tired".
_SO = r"so(?= (?:i|we|my|our|it|he|she|they|that|the|you|there|no|please|if|when|don['’]t)\b)"
#: Where a clause may begin: behind a mark, and before a conjunction.
_BEGINS = re.compile(
    rf"[,;–—…!.](?=\s)\s*|\s[-–]\s+|\s+(?=(?:and|but|or|{_SO}|{_SUBORDINATE})\s)", re.IGNORECASE
)
_JOINED = re.compile(r"(?:and|or)\s", re.IGNORECASE)
_UNDER = re.compile(rf"(?:(?:and|but|so)\s+)?(?:{_SUBORDINATE})\b", re.IGNORECASE)
_TOGETHER = re.compile(r"(?!(?:i|we)\b)\w+(?: \w+){0,3} and i ", re.IGNORECASE)
_OPENING = re.compile(
    r"(?:(?:and|but|so|or|well|oh|ah|ok|okay|yes|yeah|yep|no|nope|hi|hello|hey|btw|fyi|by the way"
    r"|actually|also|honestly|anyway|then|plus|now|today|yesterday|recently|currently|sadly"
    r"|unfortunately|luckily|finally|and yes|these days|right now|guess what|good news|haha|lol"
    r"|i guess|i mean|you know|for the record|in \d{4}|at the moment"
    r"|(?:last|this) (?:night|week|weekend|month|year|morning|spring|summer|fall|autumn|winter"
    r"|\w+day)|as of \w+|\w+ (?:days|weeks|months|years) ago)\b[,!.]*\s+)+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class StatedClause:
    """A clause of a text: `start` to before `end`, without the words that only open it.

    `is_joined` says that "and" joins it to a clause that is stated.
    """

    start: int
    end: int
    is_joined: bool = False


def without_quoted(sentence: str) -> str:
    """Return a sentence of the same length, with blanks for what stands in quotation marks."""
    return _QUOTED.sub(lambda match: " " * len(match[0]), sentence)


def stated_clauses(sentence: str) -> Iterator[StatedClause]:
    """Yield the clauses of a sentence that state something, in order.

    `sentence` is without what is quoted (`without_quoted`).
    """
    returned = _RETURNED.search(sentence)
    last = returned.start() if returned else len(sentence.rstrip())
    if not returned and sentence.rstrip(" \"'”’)").endswith(("?", "？")):
        return
    if _UNREAL.search(sentence):
        return
    report = _REPORTS.search(sentence)
    is_under, is_supposed, has_stated = False, False, False
    for start, end in _spans(sentence, min(last, report.start() if report else last)):
        if not _JOINED.match(sentence, start):
            is_under = _UNDER.match(sentence, start) is not None
        is_supposed = is_supposed or _FRONTED.match(sentence, start) is not None
        is_supposed = is_supposed or _DOUBTS.search(sentence, start, end) is not None
        if is_under or is_supposed or _CONDITION.search(sentence, start, end):
            continue
        opening = _OPENING.match(sentence, start, end)
        is_joined = has_stated and _JOINED.match(sentence, start) is not None
        has_stated = True
        yield StatedClause(opening.end() if opening else start, end, is_joined)


def _spans(sentence: str, last: int) -> Iterator[Span]:
    start = len(sentence) - len(sentence.lstrip(" \"'“”‘’(*_-–—•"))
    for begin in _BEGINS.finditer(sentence, start, last):
        if _TOGETHER.fullmatch(sentence, start, begin.end() + len("and I ")):
            continue  # "Ann and I": one subject
        if start < begin.start():
            yield start, begin.start()
        start = begin.end()
    if start < last:
        yield start, last
