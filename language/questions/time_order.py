"""Whether a question asks for what holds now, the last, the first, or the one before.

Rules for English; what holds, and what changed, is known in German, Spanish and French too.

The time of an event that a question refers to: "two weeks before the race".

Several memories may mention it: some before it, one reports it, others look back. Rules for
English; where no memory reports it, the last one that looks ahead is nearest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from enum import StrEnum

from ...core.time import MONTHS, NUMBERS, WEEKDAYS
from ..sentences import split_sentences
from .dates import parse_dates

#: Returns the stems of a text.
StemsOf = Callable[[str], Sequence[str]]


class TimeOrder(StrEnum):
    """Which of several statements about the same thing a question asks for."""

    NOW = "asks for now"
    LAST = "asks for the last"
    FIRST = "asks for the first"
    BEFORE = "asks for what was before"


_HOLDS = re.compile(
    r"\b(?:is|are|am|do|does|can|should|must|may(?= (?:I|we|you|they|he|she)\b)|lives?|works?"
    r"|stud(?:y|ies)|ha(?:s|ve) got)\b|['’](?:s|re|m)\b"
    r"|^\W*(?:who|(?:which|whose) \w+) (?!was\b|has\b)\w{2,}s\b"
    r"|^\W*what \w{2,}s (?:on|in|at|to|for|from|with|the|my|our)\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:now|nowadays|currently?|these days|at (?:the moment|present)|jetzt|derzeit|momentan"
    r"|zurzeit|ahora|actualmente|maintenant|actuellement)\b",
    re.IGNORECASE,
)
#: Of whom a German, Spanish or French question is that asks for what holds of those who ask.
_OURS = re.compile(
    r"\b(?:ich|wir|mein\w*|unser\w*|yo|mis?|nuestr[oa]s?|je|nous|mon|ma|mes|notre|nos)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^\W*(?:(?:in|an|auf|mit|bei|von|für|zu|de|en|con|para|por|a|à|avec|pour|chez) )?(?:wo|wer|wie"
    r"|wem|wen|wann|welche\w*|was|dónde|quién|qué|cuál|cuándo|cómo|où|qui|quel\w*|comment|quand)\b",
    re.IGNORECASE,
)
#: What shows that such a question is of the past.
_PAST_ELSEWHERE = re.compile(
    r"\b(?:wa?r(?:en|st)?|hatten?|wurden?|früher\w*|damals|zuletzt|zuerst|vorher|ehemalig\w*"
    r"|letzte\w*|erste\w*|bevor|nachdem|als|ge\w{3,}(?:t|en)|er[ae]n?|fue(?:ron)?|estaba\w*"
    r"|había\w*|antes|ayer|últim\w+|primer\w*|\w{2,}(?:ó|aron|ieron|aba|aban|ía|ían)|était\w*"
    r"|avai\w+|avant|hier|dernier\w*|premi[eè]re?s?|a-t-\w+|(?:a|ai|as|ont|avons|avez) \w+[éus])\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|did|had|been|ever|used to|before|after|ago|when(?! (?:is|are|do|does)\b)|once"
    r"|since|until|during|past|previous(?:ly)?|former(?:ly)?|earlier|originally|first|last)\b",
    re.IGNORECASE,
)
#: What "last" stands before where it means a period or a name and no order.
_NO_TIME = (
    *r"name night days? weeks? weekends? fortnight months? quarter years? decade century".split(),
    *r"spring summer autumn fall winter few couple \d".split(),
)
_NO_ORDER = "|".join((*_NO_TIME, *MONTHS, *WEEKDAYS, *NUMBERS))
_LAST = re.compile(
    r"\b(?:most recent(?:ly)?(?: time)?|recent (?:news|updates?)"
    r"|(?:latest|newest)(?: (?:news|updates?))?"
    rf"|(?<!at )last(?: time)?(?! (?:{_NO_ORDER})\b))\b",
    re.IGNORECASE,
)
_FIRST = re.compile(
    rf"\b(?:(?:at )?first(?: time)?(?! (?:and|{_NO_ORDER})\b)|earliest|originally|initially"
    r"|in the beginning(?! of)|back then|in those days)\b",
    re.IGNORECASE,
)
_PREVIOUS = re.compile(r"\b(?:previous(?:ly)?|former(?:ly)?)\b", re.IGNORECASE)
_BEFORE = re.compile(r"^\W*(?:wh|how)[^.?!]*\bbefore(?=\W*$)", re.IGNORECASE)
_USED_TO = re.compile(r"\b(?:did\b.*\bused? to|(?:who|what|which \w+) used to)\b", re.IGNORECASE)
_NEWS = re.compile(
    r"^\W*(?:(?:what(?: is|['’]s)|any(?:thing)?|tell me)\s+)?(?:the\s+)?new(?:s)?\b", re.IGNORECASE
)
#: Words of somebody who says that something is not as it was.
_CHANGE = re.compile(
    r"\b(?:now|nowadays|these days|new|current(?:ly)?|any ?more|no more|any longer|no longer"
    r"|instead|since (?:today|then|yesterday|last|the)|took over(?:[^.!?]{0,30} from)?|goodbye"
    r"|(?:from|as of) (?:now|today|tomorrow|next)|no wait|correction|typo|i meant"
    r"|(?:was|got (?:it|that)) wrong"
    r"|moved|relocated|changed|switched|shifted|postponed"
    r"|rescheduled|replaced|swapped|renamed|rewrote|migrated|upgraded|raised|lowered|halved"
    r"|doubled|(?:went|gone) (?:up|down)|became|turned|quit|left|resigned|retired|fired|sold|died"
    r"|stopped|gave up|dropped|cancell?ed|finished|broke up|split up|divorced|married|forget"
    r")\b",
    re.IGNORECASE,
)
#: The same in German, Spanish and French.
_CHANGE_ELSEWHERE = re.compile(
    r"\b(?:jetzt|nun|inzwischen|mittlerweile|neue[rsnm]?|(?:nicht|kein\w*) mehr|statt(?:dessen)?"
    r"|seit|umgezogen|gewechselt|verkauft|gekündigt|ersetzt|ahora|ya no|nuev[oa]s?|desde"
    r"|en (?:vez|lugar) de|mud\w+|cambi\w+|vend[íi]\w*|dej[éóa]\w*|maintenant|désormais"
    r"|nouve(?:au|lle|l)s?|au lieu de|depuis|déménagé\w*|changé\w*|vendu\w*|quitté\w*"
    r"|remplacé\w*)\b",
    re.IGNORECASE,
)
#: Those whose words say nothing else.
_WORDS = (_PREVIOUS, _FIRST, _LAST, _NOW, _NEWS)
#: Words before an event: in English of a question that begins as one; in other languages where they
#: do not lead to a place as well.
_THE = r"(?:de[mnr]|das|ein\w*|[dms]ein\w+|ihr\w+|unser\w+|de|het|mijn|onze)"
_AFTER = (
    rf"after|nach(?=\s+{_THE}\b)|nachdem|après|después del?|depois d\w+|dopo"
    rf"|na(?=\s+{_THE}\b)|efter|після|после"
)
_BEFORE_IT = (
    rf"before|vor(?=\s+{_THE}\b)|bevor|avant|antes d\w+|prima d\w+"
    rf"|voor(?=\s+{_THE}\b)|före|før|przed|před|перед|до"
)
_EVENT = (
    r"(?:the|this|that|a|an|my|your|his|her|our|their|i|you|he|she|we|they|(?-i:[A-Z])[\w'’]+)"
    r"\s[^.?!,;]+"
)
_AROUND = re.compile(
    rf"^\W*(?:wh|how)[^.?!]*\b(?:between\s+(?P<first>(?:{_EVENT}|\w+ing\s.+)?)\s+and\s+(?P<last>[^.?!,;]+)"
    rf"|(?P<side>after|before)\s+(?P<event>{_EVENT}))"
    rf"|^[^.?!]*?\b(?:(?P<after>(?!after){_AFTER})|(?!before)(?:{_BEFORE_IT}))\s+(?P<other>[^.?!,;]+)",
    re.IGNORECASE,
)
#: What stands before what was given up.
_INSTEAD = re.compile(
    r"\b(?:left|quit|sold|dropped|cancell?ed|gave up|stopped|replaced|swapped|goodbye|no longer"
    r"|(?:took over|moved|switched|migrated|changed)(?:[^.!?]{0,30} from)|not|instead of"
    r"|rather than)\b",
    re.IGNORECASE,
)
#: What a verb is of: a word, or several with a capital, behind words that only lead to it.
_OBJECT = re.compile(
    r"(?:\s+(?:from|with|off|away|out|of|at|my|our|the|his|her|their|a|an|mr|mrs|ms|dr))*+\s+"
    r"(?P<what>(?-i:(?:[A-Z][\w'’-]+\s)*[A-Z])?[\w'’-]++)"
    r"(?=\W*\Z|\s*[^\w\s]|\s+(?:and|or|but|for|with|to|in|on|at|by|from|when|because|last|this)\b)",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:no|not|never|without|cancell?ed|instead of)\b|n['’]t\b", re.IGNORECASE)


def time_order(text: str, names_time: bool) -> TimeOrder | None:
    """Return which statement a question asks for; None where it does not say, or names a time."""
    if names_time:
        return None
    for pattern, order in (
        (_PREVIOUS, TimeOrder.BEFORE),
        (_BEFORE, TimeOrder.BEFORE),
        (_FIRST, TimeOrder.FIRST),
        (_USED_TO, TimeOrder.FIRST),
        (_LAST, TimeOrder.LAST),
    ):
        if pattern.search(text):
            return order
    if _NEWS.match(text):
        return TimeOrder.LAST
    holds = (
        _NOW.search(text)
        or (_HOLDS.search(text) and not _PAST.search(text))
        or (_ASKS.search(text) and _OURS.search(text) and not _PAST_ELSEWHERE.search(text))
    )
    return TimeOrder.NOW if holds else None


def order_words(text: str) -> frozenset[str]:
    """Return the words that only say which statement is asked for: "last time", "newest"."""
    forms = [match[0] for form in _WORDS for match in form.finditer(text)]
    return frozenset(word for words in forms for word in words.casefold().split())


def around_events(text: str) -> tuple[tuple[bool, str], ...]:
    """Return of what came after which event a question is, else before; of two, between them."""
    match = _AROUND.search(text)
    if match is None:
        return ()
    if match["last"]:
        return (True, match["first"].strip()), (False, match["last"].strip())
    after = (match["side"] or "").lower() == "after" or match["after"] is not None
    return ((after, (match["event"] or match["other"]).strip()),)


def side_told(text: str, event: str) -> bool | None:
    """Return whether a text says of itself that it was after an event, or before; else None."""
    last = re.escape(event.rpartition(" ")[2])
    match = re.search(
        rf"\b(?P<side>after|before)\s+(?:\w+\s+){{0,3}}?{last}\b", text, re.IGNORECASE
    )
    return None if match is None else match["side"].lower() == "after"


def tells_of_change(text: str) -> bool:
    """Return whether somebody says in a few words that something is not as it was."""
    change = _CHANGE.search(text) or _CHANGE_ELSEWHERE.search(text)
    return bool(change) and not text.rstrip().endswith("?")


def replaces(text: str, named: AbstractSet[str], stems: StemsOf) -> bool:
    """Return whether a text tells that one of some things, named by their stems, was given up.

    They are what a word of change is of: "replaced Debian with", "dropped law and".
    """
    for sentence in split_sentences(text) if named else ():
        for change in _INSTEAD.finditer(sentence):
            given_up = _OBJECT.match(sentence, change.end())
            if given_up and named >= set(stems(given_up["what"]) or " "):
                return True
    return False


def denies(text: str) -> bool:
    """Return whether somebody says that something did not happen."""
    return bool(_DENIES.search(text))


#: Words of somebody to whom it still lies ahead.
_AHEAD = re.compile(
    r"\b(?:will|won['’]t|shall|going to|gonna|plan(?:s|ned|ning)?|sign(?:ed|ing)? up|regist\w+"
    r"|enter(?:ed|ing)?|enrol\w*|book(?:ed|ing)?|train(?:ing)? for|prepar\w+|practi[cs]\w+ for"
    r"|next|tomorrow|soon|upcoming|until|till|before the|ahead of|looking forward|can['’]t wait"
    r"|want(?:s|ed)? to|would like|hop(?:e|es|ing)|invit\w+|if|whether)\b"
    r"|\w['’]ll\b|\?\s*$",
    re.IGNORECASE,
)
#: Words of somebody who comes from it.
_JUST_NOW = re.compile(
    r"\b(?:today|tonight|yesterday|this (?:morning|afternoon|evening)|last night|just|finally"
    r"|at last)\b",
    re.IGNORECASE,
)


def anchor_time(mentions: Sequence[tuple[float, str]]) -> float:
    """Return when it happened, of the time and text of each mention, earliest first, not none.

    That is the first mention that comes from it, else the day that the last mention with one names,
    else the first mention that does not look ahead, else the last of all.
    """
    behind = [(at, text) for at, text in mentions if not _AHEAD.search(text)]
    fresh = [at for at, text in behind if _JUST_NOW.search(text)]
    named = [day for at, text in mentions if (day := _named_day(text, at)) is not None]
    return next(iter(fresh), (named or [behind[0][0] if behind else mentions[-1][0]])[-1])


def _named_day(text: str, at: float) -> float | None:
    """Return when the one day begins that a mention writes out; without a year, the nearest."""
    days = [date for date in parse_dates(text) if date.day is not None]
    if len(days) != 1:
        return None
    mentioned, (named,) = datetime.fromtimestamp(at, UTC), days
    years = [named.year] if named.year else [mentioned.year + shift for shift in (-1, 0, 1)]
    begins = [day for year in years if (day := named.in_year(year)) is not None]
    return min((day.timestamp() for day in begins), key=lambda day: abs(day - at), default=None)
