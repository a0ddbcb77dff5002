"""Which clauses are stated, and which of somebody's facts a sentence ends.

Stated is what is no question, condition, wish, report or quotation: where a sentence holds a word
of doubt, nothing in it is. A fact ends where its object is named again, or what it is, with a word
of ending. Careful rather than complete; English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from ..core.entities.common_words import is_common_word
from .fact_objects import ANIMALS, FAMILY, TRADE_ENDINGS, WORKPLACES
from .sentences import Span

_QUOTED = re.compile(r"[\"“«„][^\"”»“]*(?:[\"”»“]|\Z)|(?<!\w)['‘][^'’\n]{3,}['’](?!\w)")
#: A question behind what is stated: "I live in Rome, and you?", "…, so can you help me?".
_RETURNED = re.compile(
    r"[,.;–—-]+\s*(?:(?:(?:and|what about|how about)\s+)+(?:you|yours|yourself)|right|huh|you know"
    r"|(?:(?:and|but|so)\s+)*(?:(?:can|could|would|will|should|do|does) (?:i|you|we|it|that)|how"
    r"|what)(?: \w+){2}[^?]*"
    r"|can you (?:believe|imagine) (?:it|that)"
    r"|(?:did|do|does|is|are|was|were|have|has|ca|wo)n['’]t \w+(?: \w+){0,2})\s*\?+\W*\Z",
    re.IGNORECASE,
)
#: It asks from its beginning: "Do you think I live in Rome, or what?".
_ASKS = re.compile(
    r"\W*(?:(?:and|but|so|or|well)\s+)*(?:do|does|did|is|are|am|was|were|can|could|should|would|will"
    r"|have|has|had|what|how|why|who|where|when|which)\b",
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
    rf"[,;–—…!.](?=\s)\s*|\s?[-–]\s+|\s+(?=(?:and|but|or|{_SO}|{_SUBORDINATE})\s)", re.IGNORECASE
)
_JOINED = re.compile(r"(?:and|or)\s", re.IGNORECASE)
_UNDER = re.compile(rf"(?:(?:and|but|so)\s+)?(?:{_SUBORDINATE})\b", re.IGNORECASE)
_TOGETHER = re.compile(r"(?!(?:i|we)\b)\w+(?: \w+){0,3} and i ", re.IGNORECASE)
_OPENING = re.compile(
    r"(?:(?:and|but|so|or|well|oh|ah|ok|okay|yes|yeah|yep|no|nope|hi|hello|hey|btw|fyi|by the way"
    r"|actually|also|honestly|anyway|then|plus|now|today|yesterday|recently|currently|sadly"
    r"|unfortunately|luckily|finally|and yes|these days|right now|guess what|good news|haha|lol"
    r"|i guess|i mean|you know|for the record|in \d{4}|at the moment"
    r"|i (?:just |recently )?(?:found out|learned)(?: recently| today)?(?: that)?"
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
    is_asked = sentence.rstrip(" \"'”’)").endswith(("?", "？"))
    if is_asked and (not returned or _ASKS.match(sentence)):
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


class Ending(StrEnum):
    """What a sentence says of a fact: it is over, or it may be."""

    OVER = "over"
    MAYBE = "maybe"


_NOT = r"(?:n['’]t|\b(?:not|never|no|without|nearly|almost|refuse[ds]? to))\b"
#: Over, whatever it is.
_OVER = (
    r"no longer|any ?more|any longer|used to|gave up|given up|stopped|quit|got rid of|am done with"
    r"|(?:is|are|was|were|['’]s) (?:over|gone|history)|ended|(?:my|our) ex\b|ex-"
)
_GIVEN = (
    r"gave (?:\w+ ){1,3}?(?:away|up)|given (?:\w+ )*away|gave away|rehomed|re-homed|sold"
    r"|had to (?:rehome|sell|give up|give (?:\w+ ){1,3}?away)"
    r"|returned (?:\w+ ){1,3}?to the (?:shelter|breeder)"
)
_DEAD = (
    r"died|passed away|passed on|passed last|(?:is|are) dead|(?:is|are) no longer with us"
    r"|put (?:\w+ ){0,4}?(?:down|to sleep)|lost|buried|ran away|flew (?:off|away)"
    r"|crossed the rainbow bridge"
    r"|(?:'s|’s|of) (?:death|funeral|passing)|killed|we (?:had to )?say goodbye to"
)
_PARTED = (
    r"separated|divorced|divorcing|split up|split|broke up|broken up|breakup|left me|dumped"
    r"|called off|(?:engagement|wedding|marriage) (?:\w+ ){0,2}is off|moved out|are just friends"
    r"|(?:is|are) (?:not|n['’]t) together|am single|called it quits"
    r"|parted ways|cheated"
)
_LEFT_JOB = (
    r"quit|left|resigned|retired|lost|fired|sacked|laid off|let (?:me|us|go)|let go"
    r"|made (?:me )?redundant|redundant|handed in|gave notice|gave (?:in )?my notice|unemployed"
    r"|went (?:bankrupt|under|out of business)|closed (?:down|its doors)|last day|dismissed me"
)
_MOVED = (
    r"left|moved (?:\w+ )?from|moved (?:away|out)|gave up (?:my|our) (?:flat|house|apartment)|sold"
)
_CURED = (
    r"(?:is|are|['’]s) (?:\w+ly )?(?:gone|cured|in remission|over|history)|cured|outgr(?:ew|own)"
    r"|grew out of"
    r"|got over|recovered from|(?:can|could) eat .{0,30} again|healed|not .{0,12}any ?more"
)
_EATS = (
    r"(?:eat|eating)(?: \w+){0,2}? (?:meat|fish|chicken|beef|everything)\b"
    r"(?! (?:substitutes?|alternatives?)| on )"
)
_BY_PREDICATE = {
    "pet": f"{_GIVEN}|{_DEAD}",
    "partner": f"{_PARTED}|{_DEAD}",
    "works_at": _LEFT_JOB,
    "works_as": _LEFT_JOB,
    "lives_in": _MOVED,
    "allergic_to": _CURED,
    "health": _CURED,
    "diet": _EATS,
}
#: What will end, or may have.
_MAYBE = (
    r"(?:am|['’]m|are|['’]re|is|['’]s) (?:(?!not\b|never\b)\w+ )?"
    r"(?:leaving|quitting|selling|retiring|separating|divorcing|resigning|moving (?:out|away)"
    r"|(?:giving|putting) (?:\w+ ){1,3}?(?:away|up|down))"
    r"|(?:have|has|had) to (?:leave|quit)|taking a break|on a break"
    r"|looking for a (?:new )?(?:home|job)"
    r"|is missing|(?:is|are) (?:very )?ill"
)
#: Signs that something is over, whatever it is: told of a fact's object by name, it may be.
_SIGN = (
    r"(?:is|are|was|were|['’]s|['’]re) (?:\w+ )?(?:gone|over|done|finished|history)|out (?:at|of)"
    r"|(?:my|our|the) last (?:day|shift|week|month)|left|parted|notice|ended|no more|goodbye"
    r"|(?:gave|give|given|took|taken|sent|brought) (?:[^.!?]{0,40}? )?(?:away|back|up)"
    r"|forget (?:what|that|the)|(?:not|n['’]t) (?:with|at|keep|do)|put to sleep|moved out"
)
#: What shows that one only left for the day.
_FOR_NOW = re.compile(
    r"\bleft (?:\w+ ){1,3}?(?:early|late|at|around|before|after|by|in time|to (?:catch|get|go|visit"
    r"|meet|see|pick)|for (?:the|a|work|lunch|my|an)|in the (?!end\b)|this|with|yesterday"
    r"|on (?:time|foot))\b"
    r"|\blost (?:my|our|the)? ?(?:\w+ )?(?:temper|way|keys?|weight|game|bet|match)\b"
    r"|\bdied (?:of|from) (?:laugh\w*|boredom|shame|fright)|\bdied laughing"
    r"|\b(?:fired|sacked|dismissed|laid off|let) (?:my|our|his|her|their|the|some|many|half|all)\b"
    r"|\bquit (?:smoking|drinking|coffee|sugar)\b",
    re.IGNORECASE,
)
#: What stands for an object that is not named: "my dog", "my job".
_GENERIC = {
    "works_at": "job position role work employer there notice",
    "works_as": "job position role notice",
    "partner": "husband wife boyfriend girlfriend partner spouse fiancé fiancée fiance fiancee"
    " hubby marriage engagement",
}
#: Said of nobody by name and nothing by name, these end it: "I got fired", "I'm divorced".
_OWN_END_ENDS = {
    "works_at": r"(?:got|was|been|am|['’]m) (?:\w+ )?(?:fired|sacked|laid off|let go|made redundant"
    r"|unemployed|retired)|(?:have )?retired|(?:have )?resigned|['’]?m (?:now )?(?:retired"
    r"|unemployed|out of work)|quit (?:my|the) (?:\w+ )?job|lost my (?:\w+ )?job"
    r"|quit(?: (?:yesterday|today|last \w+|in \w+))?(?=\s*[.,!;]|\Z)",
    "partner": r"(?:got|am|['’]m|are|['’]re) (?:\w+ )?(?:divorced|separated|single|getting divorced"
    r"|a widow(?:er)?|widowed)|(?:broke|split) up(?! with \w+ [a-z])",
}
_OWN_END_ENDS["diet"] = _EATS
_OWN_END_ENDS["works_as"] = _OWN_END_ENDS["works_at"]
#: Another trade now, in whatever words: the one before may be over.
_OTHER_TRADE = re.compile(
    rf"i(?: am|['’]?m) (?=(?:\w+ ){{1,4}}?now\b|now )(?:now )?an? (?:[\w-]+ ){{0,2}}?"
    rf"(?!(?:{'|'.join(FAMILY)})\b)[\w-]+(?:{'|'.join(TRADE_ENDINGS)})\b",
    re.IGNORECASE,
)
_ANIMAL = re.compile(rf"\b({'|'.join(sorted(ANIMALS, key=len, reverse=True))})\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_INFLECTED = re.compile(r"(?<=\w{3})(?:ers?|ors?|ing|es?|s)\Z")
_SPEAKS = re.compile(r"\b(?:i|i['’]\w+|im|we|we['’]\w+|me|us|my|our)\b", re.IGNORECASE)
#: What somebody tells of themselves without "I": "Not a vegetarian any more", "Sold the boat".
_SUBJECTLESS = re.compile(
    r"(?:just |finally |recently )?(?:not|no longer|quit|left|sold|retired|resigned|broke|moved"
    r"|lost"
    r"|stopped|gave|handed|divorced|got rid)\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    rf"\b(?:my|our|his|her|their|the) (?:\w+ )?(?P<who>{'|'.join(FAMILY)}|parents|friends?|boss"
    r"|colleagues?|neighbou?rs?|coworkers?|roommates?|teammates?)\b(?! and i\b)",
    re.IGNORECASE,
)


def ending_of(
    sentence: str, predicate: str, object: str, quote: str = "", *, by_name: bool = False
) -> Ending | None:
    """Return what a sentence says of a fact's end; None where it says nothing.

    `quote` is what stated the fact: it says what kind of animal a pet is. With `by_name` only a
    clause that names the object counts.
    """
    text = without_quoted(sentence)
    if not may_end(text) or (by_name and not _is_named(text, object)):
        return None
    endings = [
        ending
        for clause in stated_clauses(text)
        for words in [_with_apposed(text, clause)]
        if not by_name or _is_named(words, object)
        if (ending := _in_clause(words, predicate, object, quote))
    ]
    return Ending.OVER if Ending.OVER in endings else next(iter(endings), None)


#: Names behind a clause that belong to it: "sold the hens, Dolly and Agatha".
_APPOSED = re.compile(r"(?:,| and) (?:[^\W\d_a-z][\w'’-]+(?:,? and |, |(?=[.,!;]|\Z)))+")


def _with_apposed(text: str, clause: StatedClause) -> str:
    apposed = _APPOSED.match(text, clause.end)
    return text[clause.start : apposed.end() if apposed else clause.end]


@cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?:(?<![\w-])|(?=['’]))(?:{words})(?![\w-])", re.IGNORECASE)


_ANY = _pattern(
    "|".join([_OVER, *_BY_PREDICATE.values(), *_OWN_END_ENDS.values(), _GIVEN, _MAYBE, _SIGN])
)


def may_end(text: str) -> bool:
    """Return whether a sentence holds any word of an ending."""
    return _ANY.search(text) is not None or _OTHER_TRADE.search(text) is not None


def _in_clause(clause: str, predicate: str, object: str, quote: str) -> Ending | None:
    named = _is_named(clause, object)
    if not named and not _stands_for(clause, predicate, quote):
        own = _OWN_END_ENDS.get(predicate)
        opens = r"(?:i|we)(?: have| had)?(?:['’]\w+)? ?"
        own = own if object not in _EATING else None
        if own and re.match(rf"{opens}(?:{own})", clause, re.IGNORECASE):
            return Ending.OVER
        other = predicate == "works_as" and _OTHER_TRADE.match(clause)
        return Ending.MAYBE if other else None
    if not _is_own(clause, predicate, object, named=named) or _FOR_NOW.search(clause):
        return None
    specific = _BY_PREDICATE.get(predicate) or (
        _DEAD if predicate in FAMILY.values() else f"{_GIVEN}|left"
    )
    general = _OVER if predicate not in FAMILY.values() or predicate == "partner" else "(?!)"
    for match in _pattern(f"{specific}|{general}").finditer(clause):
        if not _is_denied(clause, match):
            if _concerns(clause, predicate, match, object):
                return Ending.OVER
            break
    body = predicate in {"allergic_to", "health"}
    maybe = _pattern(f"{_MAYBE}|{_SIGN}" if named and not body else _MAYBE).search(clause)
    return Ending.MAYBE if maybe and not _is_denied(clause, maybe) else None


def _is_denied(clause: str, match: re.Match[str]) -> bool:
    if match[0].lower() in {"any more", "anymore", "any longer", "no longer", "used to"}:
        return False
    if match[0].lower().startswith(("not", "is not", "are not", "isn", "aren")):
        return False
    before = clause[: match.start()].split()[-4:]
    return re.search(_NOT, " ".join(before), re.IGNORECASE) is not None


#: "No longer", "stopped" and the like end what their verb says: "I no longer buy nuts" ends none.
_VERBS = {
    "allergic_to": r"allerg|react",
    "diet": r"\A\W*not\b|\b(?:am|['’]m|be|being|are|is)\b",
    "works_at": r"\b(?:work|with|at|employ|job)",
    "works_as": r"\A\W*not\b|\b(?:work|am|['’]m|as|being|job|\w+ing\b)",
    "lives_in": r"\b(?:live|living|in|home|based)\b",
    "speaks": r"\b(?:speak|know|understand)",
}


def _concerns(clause: str, predicate: str, match: re.Match[str], object: str) -> bool:
    if match[0].lower().endswith(" from"):
        return _is_named(clause[match.end() :].partition(" to ")[0], object)
    specific = _pattern(_BY_PREDICATE.get(predicate, "(?!)")).fullmatch(match[0])
    general = not specific and _pattern(_OVER).fullmatch(match[0])
    verbs = _VERBS.get(predicate)
    return not general or verbs is None or re.search(verbs, clause, re.IGNORECASE) is not None


def _is_own(clause: str, predicate: str, object: str, *, named: bool) -> bool:
    """Return whether it is told of the speaker: I, we, or what is named is what it happens to."""
    others, keys = _OTHERS.match(clause), _key_words(object)
    if others is not None:
        near = predicate not in _PLACED and keys & set(_words(clause[others.end() :])[:2])
        return bool(near) or (not named and others["who"].lower() in _GENERIC["partner"].split())
    if named and set(_words(clause)[:4]) & keys:
        return True
    return _SPEAKS.search(clause) is not None or _SUBJECTLESS.match(clause) is not None


#: Diets with meat or fish.
_EATING = frozenset("pescatarian pescetarian flexitarian halal kosher keto".split())
#: What is told of others too: an employer, a home.
_PLACED = frozenset({"works_at", "works_as", "lives_in"})


def _key_words(object: str) -> set[str]:
    """Return the words by which an object is named: those of a name, else the last one's stem."""
    words = [word for word in _WORD.findall(object) if not is_common_word(word.lower())]
    named = [word.lower() for word in words if word[0].isupper()]
    return set(named) or {_bare(word.lower()) for word in words[-1:]}


def _bare(word: str) -> str:
    """Return what a trade, its verb and one of several have in common: cook, cooking, cooks."""
    return _INFLECTED.sub("", word)


def _is_named(clause: str, object: str) -> bool:
    words = _words(clause)
    return not _key_words(object).isdisjoint([*words, *map(_bare, words)])


def _words(clause: str) -> list[str]:
    """Return the words of a clause in small letters, without the marks of a genitive."""
    words = (word.lower().replace("’", "'") for word in _WORD.findall(clause))
    return [word.removesuffix("'s") for word in words]


def _stands_for(clause: str, predicate: str, quote: str) -> bool:
    """Return whether a clause names what the object is, as the speaker's: "my dog", "my job"."""
    kinds: Iterable[str] = _GENERIC.get(predicate, "").split()
    if predicate == "pet":
        kinds = [match.lower() for match in _ANIMAL.findall(quote)]
    elif predicate == "works_at":
        kinds = [*kinds, *(WORKPLACES & set(_words(quote)))]
    words = "|".join(map(re.escape, kinds))
    if not words:
        return False
    article = "my|our|the" if predicate == "works_at" else "my|our"
    alone = r"|\bthere\b" if predicate == "works_at" else ""
    pattern = rf"\b(?:{article}) (?:\w+ )?(?:{words})\b{alone}"
    return re.search(pattern, clause, re.IGNORECASE) is not None
