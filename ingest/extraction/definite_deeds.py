"""Whether a deed is definite: something that can be done once, to something that can be pointed at.

"I'll send the form" and "I'll feed your fish" are; "I'll take your advice", "I'll find my balance"
and "I'll keep going" are manners of speaking. English only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from ...core.text import Analyser
from .deeds import Deed

#: A manner of speaking, whatever its verb.
_FORMULA = re.compile(
    r"\b(?:(?:my|our) best|(?:an?|the|big) (?:difference|impact)|(?:great|awesome|new|more|amazing)"
    r" memories|(?:my|our) (?:dreams?|goals?|passion)|happen|forward|hard on|it up|anything else"
    r"|no matter|rest assured|(?:some|any|positive|big) changes?|in mind|to heart"
    r"|my (?:all|hat))\b",
    re.IGNORECASE,
)
#: Verbs that name no deed, and those that only choose among what is offered.
_NO_DEED = (
    "hope think love like know remember miss enjoy need want cherish believe forget bet admit say"
    " assume face guess appreciate support push grind stay feel become dream grow embrace treasure"
    " spread conquer tackle pursue understand see seem mean wait thank apologize regret survive"
    " win lose succeed manage happen agree trust listen hear assist guide let hold wish use choose"
    " prefer pay stick transfer require focus aim strive achieve reach overcome inspire"
    " motivate encourage cheer root consider lean rely chase adapt adjust fight crush rock"
)
#: Verbs of a deed that is over when it is done, and shows.
_DEEDS = (
    "send share give show bring lend tell text call email mail forward drop pick book order buy get"
    " grab make bake cook prepare write draft print scan post upload file fill submit sign register"
    " check watch read try visit attend join meet drive fly fix repair clean wash paint draw build"
    " install water feed walk return refund cancel change update add remove delete search look find"
    " invite introduce schedule arrange organize organise host set put leave pack move sell donate"
    " plant hang record film edit test teach swap ship issue check verify review proceed process"
    " reserve rent apply enrol enroll enter research start begin finish compete hike camp"
    " ping remind ring collect pull fetch serve sew knit wrap deliver replace open close"
    " ask restore reverse hand plan come quit adopt rebook contact provide gather"
)
#: Nouns of nothing that can be pointed at.
_ABSTRACT = (
    "advice mind heart look balance chance way step steps effort progress decision health"
    " future life energy focus journey support word touch goal dream passion potential"
    " difference impact challenge strength confidence motivation inspiration feeling part"
    " best all faith courage hope joy fun happiness care risk opportunity habit track pace role"
    " leap plunge stress pressure peace perspective path growth skill control charge advantage"
    " consideration edge stuff attitude mindset positivity kindness creativity limit"
    " boundary comfort zone success world people dedication work level suggestion recommendation"
    " rest break sleep point sense statement mark practice ways solution answer result dent"
)


def is_definite(deed: Deed, *, any_deed: bool) -> bool:
    """Say whether what is undertaken can be done once and be over.

    `any_deed` can where a time is set, an agent sets out to do it or the sentence surely commits;
    else those of some verbs can, and what is done for the other side. Nothing done to mere
    abstractions can.
    """
    words = [token.lower for token in deed.written]
    if not words or words[0] == "be" or deed.verb in _stems(_NO_DEED):
        return False
    if _FORMULA.search(" ".join(words)):
        return False
    if deed.objects and set(deed.objects) <= _stems(_ABSTRACT):
        return False
    return any_deed or deed.verb in _stems(_DEEDS) or _is_for_other(words)


def _is_for_other(words: Sequence[str]) -> bool:
    return not {"you", "ya", "your", "yours", "u"}.isdisjoint(words)


@cache
def _stems(words: str) -> frozenset[str]:
    return frozenset(Analyser().terms(words))
