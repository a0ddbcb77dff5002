"""Which sentences lean on the one before them: "I made it last week" does not name what it means.

Words are compared, nothing is parsed. English only.
"""

from __future__ import annotations

import re
from functools import cache

from .analyser import Analyser
from .sentences import COMMON_TALK

#: People who may be meant by "they", beside all that tells something.
_PEOPLE = "friend friends guys people team someone everyone"
_PRONOUN = re.compile(
    r"\b(?P<object>it|them|him)\b|\b(?:they|he|she|his|her|their|its)\b|\Athat\b"
    r"|\bthat(?=\W*\Z| happened)"
    r"|\b(?:this|these|those)(?= (?:is|are|was|were|has|have)\b|['’]s|[,.;!?])"
    r"|(?P<shown>\bthis) (?!morning|evening|week|month|year|time|spring|summer|fall|autumn|winter)"
    r"\w+(?: on| off)?\W*\Z",
    re.IGNORECASE,
)
#: A pronoun behind one of these may mean what was named before it.
_CLAUSE = re.compile(
    r"[,;:.!?–—(]|-\s|\b(?:and|but|so|because|since|when|while|after|before|if|that|who|which"
    r"|where|as)\b",
    re.IGNORECASE,
)


def leans(sentence: str) -> bool:
    """Say whether a pronoun stands for what the sentence has not named before it."""
    stems = _english().terms
    for match in _PRONOUN.finditer(sentence):
        before = "" if match["shown"] else sentence[: match.start()]
        if match["object"]:
            before = before[: max((end.start() for end in _CLAUSE.finditer(before)), default=0)]
        if not {*stems(before)} - _not_meant():
            return True
    return False


@cache
def _english() -> Analyser:
    return Analyser("english")


@cache
def _not_meant() -> frozenset[str]:
    """Return the stems of words that talk is made of, but for people."""
    stems = _english().terms
    return frozenset(stems(" ".join(COMMON_TALK))) - {*stems(_PEOPLE)}
