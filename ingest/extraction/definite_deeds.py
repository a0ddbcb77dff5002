"""Whether a deed is definite: something that can be done once, to something that can be pointed at.

"I'll send the form" and "I'll feed your fish" are; "I'll take your advice", "I'll find my balance"
and "I'll keep going" are manners of speaking. English only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from ...core.text import Analyser
from .analysis.clauses import Clause
from .deeds import Deed, lemma

#: A manner of speaking, whatever its verb.
_FORMULA = re.compile(
    r"\b(?:(?:my|our) best|(?:an?|the|big) (?:difference|impact)|(?:great|awesome|new|more|amazing)"
    r" memories|(?:my|our) (?:dreams?|goals?|passion)|happen|on (?:my|our) feet|pass on|hard on"
    r"|(?<= )(?:easy|forward|vibes?|an eye|fingers? crossed)|cross (?:my |our )?fingers"
    r"|(?:leave|give) (?:it|that|this) to you|you that one"
    r"|(?:handle|do|deal with|sort out) (?:it|that|this) (?:\w+ )?(?:later|another time)"
    r"|look back|going (?:to (?:bed|sleep)|crazy|nuts|mad)|second thoughts|a blast|a glass to"
    r"|count(?:ing)? down|in heaven|live with (?:the|that|it|this)|spare you|for their money"
    r"|(?:keep|live|mix|soak|step|suck) it up"
    r"|anything else|no matter|my (?:trust|all|hat|a[ -]?game)|my (?:\w+ )?hardest|rest assured"
    r"|(?:some|any|positive|big) changes?|in mind|to heart|note (?:it|that|this))\b",
    re.IGNORECASE,
)
#: Verbs that name no deed, and those that only choose among what is offered.
_NO_DEED = (
    "hope think love like know remember miss enjoy need want cherish believe forget bet admit say"
    " assume face guess appreciate support push grind stay feel become dream grow embrace treasure"
    " spread conquer tackle pursue understand see seem mean wait thank apologize regret survive"
    " win lose succeed manage happen agree trust listen hear assist guide let hold wish use choose"
    " prefer pay stick transfer require focus aim strive achieve reach overcome inspire"
    " motivate encourage cheer root consider lean rely chase adapt adjust fight crush rock nail"
    " ace smash savor savour"
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
    " ask restore reverse hand plan come quit adopt rebook contact provide gather forward"
    " volunteer launch babysit repaint"
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

#: What stands for a thing.
THINGS = frozenset(
    "what whether it that this them these those everything him her some few one ones".split()
)
#: Prepositions behind which stands how or when, and no object.
_NO_OBJECT_BEHIND = frozenset(
    "in like as than through by until before after because since from".split()
)
#: Verbs that need no object where a time is set for them.
_MOVES = "come go visit drop stop head fly drive travel meet start begin leave move apply"
_TAKES_IN = "tune participate enroll compete move take sign join"
#: Verbs that say too little without an object.
_VAGUE = frozenset("go make do take come have".split())
_COMES = re.compile(
    r"(?:swing|pop|stop|drop|come) (?:by|over|round)\b"
    r"|be there (?:\w+ )?(?:at (?:\d|noon|(?:one|two|three|four|five|six|seven|eight|nine|ten)\b)"
    r"|with (?:my|the|an?) )"
)
#: Deeds that say all by themselves, where a time is set; and those done to the listener.
_WHOLE = frozenset("married engaged graduating retiring".split())
_REACHES = frozenset("pick text call email messag ring join visit help teach".split())
_FOR_EVER = frozenset({"always", "never", "forever"})


def is_definite(deed: Deed, *, any_deed: bool) -> bool:
    """Say whether what is undertaken can be done once and be over.

    `any_deed` can where a time is set, an agent sets out to do it or the sentence surely commits;
    else those of some verbs can, and what is done for the other side. Nothing done to mere
    abstractions can.
    """
    words = [token.lower for token in deed.written]
    meets = words[:1] == ["seeing"] and bool(deed.objects)  # a doctor
    if not words or words[0] == "be" or (deed.verb in _stems(_NO_DEED) and not meets):
        return False
    if _FORMULA.search(" ".join(words)):
        return False
    if deed.objects and set(deed.objects) <= _stems(_ABSTRACT):
        return False
    return any_deed or deed.verb in _stems(_DEEDS) or _is_for_other(words)


def names_deed(clause: Clause, deed: Deed, *, has_due: bool, any_deed: bool) -> bool:
    """Say whether something is to be done to something."""
    for_ever = any(token.lower in _FOR_EVER for token in clause.tokens)
    comes = _COMES.match(" ".join(token.lower for token in deed.written)) is not None
    event = comes or (has_due and not for_ever and _is_event(deed))
    if event or for_ever or not is_definite(deed, any_deed=has_due or any_deed):
        return event
    verb, leads = lemma(deed.written[0]), {lemma(led) for led in clause.verbs[:-1]}
    behind = [token for token in deed.written[1:] if token.tag not in {"RB", "RP"}]
    tries = "try" in leads and deed.written[0].tag != "VBG"
    if not behind or "keep" in leads or (tries and not has_due):
        joins = not behind and deed.verb in _stems(_TAKES_IN) and len(deed.written) > 1
        return joins and any_deed  # "I'll be tuning in"
    follows = behind[0]
    if verb == "keep" and follows.tag in {"VBG", "PRP", "VB"}:
        return False
    if follows.lower in _NO_OBJECT_BEHIND and verb not in _TAKES_IN.split() and not has_due:
        return False
    if deed.objects:
        return (verb, follows.lower) != ("go", "with") and (has_due or verb != "have")
    listener = (has_due or deed.verb in _REACHES) and follows.lower in {"you", "ya"}
    things = listener or any(token.lower in THINGS for token in behind[:3])
    return (has_due and deed.verb in _stems(_MOVES)) or (things and verb not in _VAGUE)


def _is_event(deed: Deed) -> bool:
    """Say whether a time is all that is missing: "getting married", "be at the market"."""
    words = [token.lower for token in deed.written[:2]]
    if not _WHOLE.isdisjoint(words):
        return True
    return words == ["be", "there"] or (
        words in (["be", "at"], ["be", "in"]) and bool(deed.objects)
    )


def _is_for_other(words: Sequence[str]) -> bool:
    return not {"you", "ya", "your", "yours", "u"}.isdisjoint(words)


@cache
def _stems(words: str) -> frozenset[str]:
    return frozenset(Analyser().terms(words))
