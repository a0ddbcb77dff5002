"""What one side asked of the other right before: "Let me know how it goes!" – "Sure thing!".

To accept is to promise what was asked for. "I'll keep you posted" promises something to somebody
who wants to hear of it, and is a manner of speaking to everybody else. English only.
"""

from __future__ import annotations

import re

from ...core.experience import TELL, Commitment
from ...core.sentences import split_sentences
from ...core.text import Analyser
from ...core.vocabulary import CommitmentKind

#: Asks to hear of it.
_TO_HEAR = re.compile(
    r"\b(?:let (?:me|us) know (?:how|what|when|once|if you (?:try|like|make|find|decide))"
    r"|(?:keep|keeping) (?:me|us) (?:\w+ )?(?:posted|updated|informed|in the loop)"
    r"|(?:update|fill in) (?:me|us)\b|fill (?:me|us) in\b|hear (?:all about (?:it|how)|how it)"
    r"|tell (?:me|us) (?:all about (?:it|how)|how (?:it|the|your)\b))\b",
    re.IGNORECASE,
)
_WANTS_TO_HEAR = re.compile(
    r"\b(?:can['’]t wait|(?:excited|eager|love|like|looking forward) to) *(?:to )?"
    r"(?:hear|see|read|know|watch)",
    re.IGNORECASE,
)
#: Asks to be given something.
_TO_BE_GIVEN = re.compile(
    r"(?:\b(?:can|could|will|would) you (?:please |maybe )?"
    r"(?P<verb>share|send|give|bring|lend|teach|forward|help|pick|watch|feed|text|call)\b"
    r"(?P<what>[^.?!]*)\?|\bwould you mind (?P<doing>\w+ing)\b(?P<how>[^.?!]*)\?"
    r"|(?:\A|[.!?] |\bplease |\bforget to )(?P<order>share|send|bring|lend|forward|text|email)"
    r" (?P<thing>(?:me|us|the|your|some|it|them)\b[^.?!]*))",
    re.IGNORECASE,
)
#: Tells the other side what to do.
_RECOMMENDS = re.compile(
    r"(?:\byou(?:['’]ll| will)? (?:(?:just|really|definitely) )*"
    r"(?:should|must|have to|gotta|need to)"
    r"|(?:\A|[.!?,] )(?:please )?"
    r"(?:make sure (?:you|to)|be sure to|don['’]t forget to|remember to))"
    r" (?:(?:just|really|definitely) )*(?P<verb>try|watch|read|check out|visit|listen to|call|email"
    r"|text|bring|ask|see|book|order|apply|take|send)\b(?P<what>[^.?!]*)",
    re.IGNORECASE,
)
#: Words that accept, among others that may stand beside them.
_YES = (
    r"(?:sure(?: thing)?|of course|absolutely|definitely|certainly|for sure|will do|you got it"
    r"|you bet|gladly|no problem at all|i(?: sure| definitely| certainly)? will"
    r"|i['’]ll do (?:that|so)|(?:i['’]d be )?(?:happy|glad) to|(?:i['’]d|i would|would) love to)"
    r"(?: (?:share|send|show|give) (?:it|that|them|you)\b)?"
)
_BESIDE = (
    r"(?:thanks|thank you|ok|okay|yes|yeah|yep|yup|cool|great|haha|oh|alright|got it|sounds good"
    r"|then|at all|soon)"
)
_ACCEPTS = re.compile(
    rf"(?:{_BESIDE}[,! ]+)*{_YES}(?:[,! ]+(?:{_YES}|{_BESIDE}))*(?:, \w+)?[.!]*", re.IGNORECASE
)
#: What is handed over at once, or not yet, was accepted and is not owed.
_AT_ONCE = re.compile(
    r"\bhere(?:['’]s| is| are| you go)\b|\bcheck (?:it|this|out)\b", re.IGNORECASE
)
_BARE = re.compile(
    r"\b(?:let (?:you|ya|u) (?:all )?know|(?:posted|updated|informed|in the loop)|first to know"
    r"|back (?:to|with) you)(?: then| soon| too)*\W*\Z",
    re.IGNORECASE,
)
#: Sentences among which an acceptance stands.
_OPENINGS = 4


def wants_to_hear(text: str) -> bool:
    """Say whether a message asks, or longs, to be told what becomes of something."""
    return bool(_TO_HEAR.search(text) or _WANTS_TO_HEAR.search(text))


def is_bare(text: str) -> bool:
    """Say whether a sentence promises news without saying of what: "I'll keep you posted!"."""
    return bool(_BARE.search(text))


def accepted(request: str, answer: str, analyser: Analyser) -> Commitment | None:
    """Return what an answer accepts of a request right before it; None where nothing."""
    asked = _asked(request, analyser)
    if asked is None or _AT_ONCE.search(answer):
        return None
    place = 0
    for sentence in split_sentences(answer)[:_OPENINGS]:
        place = answer.index(sentence, place)
        if _ACCEPTS.fullmatch(sentence.strip()):
            verb, objects = asked
            end = place + len(sentence)
            return Commitment(CommitmentKind.PROMISE, place, end, verb, objects)
    return None


def _asked(request: str, analyser: Analyser) -> tuple[str, tuple[str, ...]] | None:
    if match := _TO_BE_GIVEN.search(request):
        verb = match["verb"] or match["doing"] or match["order"]
        what = match["what"] or match["how"] or match["thing"] or ""
        return "".join(analyser.terms(verb)), tuple(dict.fromkeys(analyser.terms(what)))
    if _TO_HEAR.search(request):
        return TELL, ()
    if match := _RECOMMENDS.search(request):
        verb = next(iter(analyser.terms(match["verb"])), "")
        return verb, tuple(dict.fromkeys(analyser.terms(match["what"])))
    return None
