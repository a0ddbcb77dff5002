"""Marks of a sentence that can be seen on its surface: whom it speaks of, when, and how.

A mark is a word such as `own` or `past`; the heads weigh them (`heads`). English, but for what does
not depend on words, and for what orders are made of, which is marked in six languages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from .analyser import Analyser
from .sentences import COMMON_TALK, without_opening

_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTHS = "january february april june july august september october november december"
_OF_MONTH = r"the \d{1,2}(?:st|nd|rd|th)"
_SPANS = rf"(?:night|weekend|week|month|year|summer|winter|spring|fall|autumn|time|{_DAYS})"
#: A quote behind one of these in its sentence says something else than the sentence.
TURNS = re.compile(
    r"\b(?:not|never|no longer|nobody|if|unless|whether|wish|hope|hoped|dreamt)\b|n't\b",
    re.IGNORECASE,
)
#: What is told with neither word but with "you" is of somebody else.
OWN = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours|myself)\b", re.IGNORECASE)
OTHER = re.compile(r"\b(?:you|your|yours|yourself|ya|u)\b", re.IGNORECASE)
#: Somebody who is named elsewhere.
PRONOUN = re.compile(r"\b(?:he|she|him|her|his|hers)\b", re.IGNORECASE)


def _any(words: str, more: str = "") -> re.Pattern[str]:
    listed = "|".join([*map(re.escape, words.split()), *([more] if more else [])])
    return re.compile(rf"\b(?:{listed})\b", re.IGNORECASE)


_A_DAY = _any(_MONTHS, rf"(?<!every )(?<!each ){_DAYS}(?<!s)|{_OF_MONTH}")
#: What is searched for in a sentence whose apostrophes are ASCII.
_MARKS: dict[str, re.Pattern[str]] = {
    "own": _any("i we im ive id ill my our me us mine ours weve"),
    "subject I": re.compile(r"\b(?:i|we)\b", re.IGNORECASE),
    "opens with I": re.compile(
        r"\A\W*(?:(?:and|but|so|well|oh|hey|yeah|today|yesterday|also)\W+)*(?:i|we|my|our)\b",
        re.IGNORECASE,
    ),
    "you": _any("you your yours youre ya"),
    "past time": _any(
        "yesterday ago recently finally lately earlier",
        rf"last {_SPANS}|just (?!(?:like|a|the|as|in|so|want|wanna|think)\b)|this morning",
    ),
    "past verb": _any(
        "was had did got went made took came found said told bought won lost saw met began broke"
        " left felt gave ran wrote read sold built quit fell hurt put sent started taught thought",
        r"[a-z]{3,}ed",
    ),
    "perfect": re.compile(r"\b(?:ive|i've|i have|we've|we have|has|had)(?: \w+ly| just)? been\b|"
                          r"\b(?:i|we)(?:'ve| have) \w+(?:ed|en|ne|ot|t)\b", re.IGNORECASE),
    "future": _any(
        "tomorrow tonight soon upcoming gonna",
        rf"next {_SPANS}|this (?:weekend|week|summer|evening|{_DAYS})|going to"
        r"|(?:i|we)(?:'ll| will)|planning",
    ),
    "date": _any(_MONTHS, rf"{_DAYS}|noon|\d{{1,2}} ?(?:am|pm)|\d{{1,2}}:\d\d|{_OF_MONTH}"),
    "unreal": _any("if would could might maybe perhaps someday wish hope"),
    "digit": re.compile(r"\d"),
    "name": re.compile(r"(?<=[a-z,;:'’”\"–-] )[A-Z][a-z]\w+|(?<=[a-z,;:] )[A-Z]{2,}"),
    "exclamation": re.compile(r"!\W*\Z"),
    "question": re.compile(
        r"[?？]\W*\Z|\A\W*(?:(?:and|but|so|ok|okay)\W+)*(?:what (?:if|about)|how (?:come|about|much"
        r"|many|long)|(?:why|how) (?:do|does|did|is|are|not|would|should|can))\b",
        re.IGNORECASE,
    ),
    "pronoun first": re.compile(
        r"\A\W*(?:\w+\W+){0,3}?"
        r"(?:it|its|it's|that|that's|this|they|he|she|them|these|those)\b",
        re.IGNORECASE,
    ),
    "please": _any("please pls kindly bitte", r"por favor|s'il (?:te|vous) pla[iî]t|per favore"),
    "always": _any(
        "always never every each whenever daily weekly immer nie niemals jede jeden jedes siempre"
        " nunca cada toujours jamais chaque sempre mai",
        "ab (?:jetzt|sofort)|de ahora en adelante|désormais|à partir de maintenant|d'ora in poi|"
        "any ?time|from now on|in (?:the )?future|going forward|by default|at all times|as a rule"
        "|for good|forever|permanently|for me",
    ),
    "once": _any(
        "again now today tonight yesterday yet first last once second third other until then",
        rf"this (?:time|one|morning|evening|{_SPANS})|that one|(?:on|for|by) (?:{_DAYS}|noon)",
    ),
    "for now": _any(
        "today tonight",
        r"for now|this (?:week|weekend|month|evening|time|once)|(?:until|till) \w+"
        r"|(?:for|in|on) (?:this|that) \w+,? (?:only|alone)|(?:today|tonight)'s"
        r"|(?:only|just) (?:(?:for|in|on) )?(?:this|that|tomorrow)|nur (?:diesmal|heute)"
        r"|(?:seulement|juste) (?:cette fois|aujourd'hui)|s[oó]lo (?:esta vez|hoy)",
    ),
    "not": _any(
        "not no never nothing without none nor nobody nicht nie niemals nichts ohne nunca pas"
        " jamais sans non mai senza não", r"\w+n't|dont|cant|wont|doesnt|keine?[mnrs]?"
    ),
    "so order": _any(
        "", r"(?:so|which means|therefore),? (?:(?:please|then|from now on|in future),? )*(?:no"
        r"|nothing|only|don't|dont|do not|not|never|always|keep|leave|make|use|send|write|call"
        r"|give|ask|plan|look|work|put|warn|ship|hand|charge|careful|avoid|skip|let|mind"
        r"|\w+ (?:shouldn't|should|must|can't|mustn't|are out|is out))"
        r"|also (?:keine?[nrs]?|nichts|nur|immer|bitte|nie)"
        r"|(?:así que|donc|quindi|então) (?:nada|no|nunca|solo|rien|pas|toujours|niente|não)"
    ),
    "others' habit": re.compile(
        r"\A\W*(?:(?:and|but|so|und|y|e|et)\s)?(?:they|he|she|(?:my|our|mein|unser|mi|mio|mia|mon|ma"
        r"|[oa] (?:meu|minha))e?r? \w+)\s(?:\w+\s){0,2}(?:always|never|immer|nie|siempre|nunca"
        r"|sempre|mai|toujours|jamais)\b", re.IGNORECASE
    ),
    "rather": _any("only instead rather prefer preferably unless except", "at most|at least"),
    "must": _any("must should need needs mandatory required shouldnt", "have to|has to|ha(?:ve|s) "
                 "got to|gotta|shouldn't|mustn't"),
    "wants you": _any("", r"(?:i|we)(?:'d| would)? (?:want|like|need|love|hate|prefer)"
                      r"(?: it(?: if| when)?)? (?:you|to be|the|your)"),
    "says you": _any("", r"you (?:never|always|keep|left|forgot|did|don't|should|can|may|must"
                     r"|have to|need to|needn't)|if i|when i|whenever i"),
    "may": _any("", r"(?:can|may|could|feel free to) (?:now |again )?\w+|(?:it's |is |i'm |am )?"
                r"(?:fine|ok|okay|enough|welcome)|whatever|whenever|however"),
    "order": re.compile(
        r"\A\W*(?:(?:and|but|also|so|oh|ok|okay|yes|btw|by the way|one more thing|please|then)\W+)*"
        r"(?:don't|do not|never|always|make|keep|use|avoid|stop|start|leave|write|call|send|tell"
        r"|give|ask|let(?!')|check|remember|no|put|show|skip|answer|reply|mention|run|remind|wait|say"
        r"|speak|talk|add|be|explain|include|treat|only|wish|limit|format|mark|round|address)\b",
        re.IGNORECASE,
    ),
    "body": _any(
        "vegetarian vegan gluten lactose dairy nuts peanuts kosher halal fasting pregnant adhd"
        " wheelchair deaf blind colourblind colorblind dyslexic migraine migraines celiac coeliac",
        r"can(?:'t|not|t) (?:have|eat|drink|digest)|doctors?'?s? orders|allerg\w+|intoleran\w+"
        r"|diabet\w+|asthma\w*|eczema|epilep\w+|dyslexi\w+|autis\w+|diet",
    ),
    "no more": _any(
        "anymore instead actually", "any more|no longer|nicht mehr|ya no|ne .{0,12}plus|non più"
        r"|kannst .{0,30}wieder|puedes .{0,30}otra vez|not .{0,20}(?:now|again)|changed my mind"
        r"|stopped|we stop|moved out|(?:is|are|am|'m|'s|'re) (?:fine|ok|okay|over|gone|off|dead)"
        r"|forget (?:about|what|the)|scrap|drop the|can .{0,20}again|new \w+|don't need to|no need",
    ),
    "reports": re.compile(
        r"\A\W*(?:(?:and|but|then|so)\s)?(?:(?:the|an?|his|her|their|our|my|some(?:one|body)|he|she"
        r"|they|it|uncle|aunt)\b|(?=[A-Z]\w+ (?:told|said|says|asked)\b))(?:\s?\w+){0,4}?\s(?:says?"
        r"|said|reads?|told|tells|wrote|writes|asked|asks|yell(?:s|ed)|shout(?:s|ed)|goes|sings?"
        r"|sang|insist(?:s|ed)|ended)\b(?=.*[\"“”]|.*\b(?:to|never|always|them|him|her|the|us)\b)"
        r"|\A\W*\w+(?: \w+){0,3}? (?:makes?|made|lets?|allows?|forbids?) (?:them|him|her|the)\b"
        r"|\A\W*[\"“][^\"“”]+[\"”],? (?:\w+ )?(?:it|he|she|they|the|\w+s|\w+ed)\b",
        re.IGNORECASE,
    ),
    "condition": re.compile(
        r"\A\W*(?:(?:and|but|ok(?:ay)?|please)\W+)*(?:not (?:before|until|till|while|if|when|yet)"
        r"|only (?:if|when|once|after)|until|as soon as|once(?! a| more)|wait|hold)\b"
        r"|\b(?:i'm|we're|he's|she's) (?:still |just )?\w+ing\b",
        re.IGNORECASE,
    ),
    "not but": re.compile(
        r"\b(?:it's|its|that's|i'm|am|is|are|said|say|called)\b [^,;.?!]{1,40}[,;] (?:and )?not\b",
        re.IGNORECASE,
    ),
    "to others": re.compile(
        r"\A\W*(?:(?:and|please|then|can you|could you)\W+)*(?:(?:tell|ask|let|remind|have|call"
        r"|show) the \w+|(?:tell|ask|let|remind|have|call|show|give|send|write) (?:him|her|them"
        r"|(?-i:[A-Z])\w+))\b",
        re.IGNORECASE,
    ),
    "own act": re.compile(
        r"\b(?:i|we)(?:'(?:d|m|re|ve|ll))?\b(?: (?:would|am|are|have|was|were|will|really|just|also"
        r"|only|kinda|kind of|always))* (?:(?:like|love|want|wanted|need|prefer|hope|hoping|plan"
        r"|planning|try|trying|aim|aiming|going|decided|chose|rather|promised|have) to"
        r" (?!(?:hear|see|get|have|know|be \w+ed|be told)\b)\w+"
        r"|(?:thinking|considering|deciding|torn|leaning|weighing|looking|eager|nervous|worried"
        r"|decided|chose|picked|settled|opted|might|should|could|think|guess|wonder)\b)"
        r"|\A\W*(?:\w+\W+){0,2}?let's\b",
        re.IGNORECASE,
    ),
    "single": re.compile(
        r"\b(?:this|that|these|those) (?!is|are|was|were|way|has|will)\w+|\bthe (?:first|second"
        r"|third|fourth|last|other|same|next|one|\w{3,}e(?:r|st)) (?:one|two|option|version|half"
        r"|time)|\bthe (?:other )?one\b|\b(?:for|on|in|of) (?:this|that|it)\b|\bmy plan\b",
        re.IGNORECASE,
    ),
    "recurs": _any(
        "daily weekly nightly monthly yearly hourly",
        rf"(?:every|each) (?:other |single |first |second |last )?(?:{_DAYS}|\w*day|time|morning"
        r"|noon|afternoon|evening|night|weekend|week|month|quarter|year|hour|(?:first|last) of)"
        r"|(?:once|twice|three times) (?:a|an|every|per) \w+|(?:on|at) (?:\w+days|weekends"
        r"|weekdays|holidays)|before each|after each",
    ),
    "any": _any(
        "any all every each everywhere everything everybody everyone anything nothing nobody"
        " whatever whichever wherever throughout",
        r"(?:when|whenever|if|where|whatever) (?:i|you|we)(?:'re)? (?:\w+ )?(?:ask|write|send|talk"
        r"|recommend|edit|book|order|suggest|make|draft|compare|quote|need|want|use)\w*",
    ),
    "last time": re.compile(r"\byou\b[^.;!?]* last time\b", re.IGNORECASE),
    "lets off": re.compile(
        r"\bfor (?!(?:me|us|it|that|this|you|him|her|them|now|good|once|today|tonight|ever"
        r"|a while)\b)(?:[\w-]+ ){0,2}[\w-]+(?=[,.;!?]| any ?more|\s*\Z)",
        re.IGNORECASE,
    ),
    "congratulates": _any("congrats congratulations congratulation", r"well done|good luck|so proud"
                          r"|sorry to hear|so sorry|that's (?:awesome|amazing|great|awful|terrible)"
                          ),
    "defers": re.compile(
        r"\b(?:no idea|(?:do not|don't|dont|not) (?:know|sure)|let (?:you|u) know|look into"
        r"|(?:get back to|ask|check) (?:you|it|that|him|her|them)?|(?:we|you|i)(?:'ll| will) see"
        r"|not yet|maybe|perhaps|think about (?:it|that))\b|\A\W*h+m+\b", re.IGNORECASE
    ),
    "meta": _any("", r"been a while|(?:great|good|nice) (?:to (?:hear|see|talk)|chatting|seeing)"
                 r"|something (?:awesome|amazing|cool|crazy|great|unreal)|guess what|long time"
                 r"|(?:what's|whats|how's) (?:up|new|it going)|take care|catch up|last (?:talked|"
                 r"spoke|chat\w*)|talk (?:to you )?(?:soon|later)"),
}  # fmt: skip


def marks_of(sentence: str) -> tuple[str, ...]:
    """Return the marks of one sentence, in a fixed order."""
    ascii_sentence = sentence.replace("’", "'")
    marks = [mark for mark, pattern in _MARKS.items() if pattern.search(ascii_sentence)]
    return (*marks, "leans") if leans(sentence) else tuple(marks)


#: People who may be meant by "they", beside all that tells something.
_PEOPLE = "friend friends guys people team someone everyone"
_PRONOUN = re.compile(
    r"\b(?P<object>it|them|him)\b|\b(?:they|he|she|his|her|their|its)\b|\Athat\b"
    r"|(?P<said>\bthat(?=\W*\Z| happened))"
    r"|\b(?:if|so|because|since|like) that(?=\W*s\b| is| was|[,.!?])"
    r"|(?:\A|(?<=\A(?:And|But|Yes) )|(?<=\AAlso, ))(?:another|one of (?:my|the|our|them)|as for"
    r" other|both|the (?:idea|same|others?|rest|whole|main|only|(?:first|second|last|best|worst)"
    r" (?:part|thing|one|time)))\b"
    r"|\bthe idea\b(?! (?:of|to|that|behind)\b)|\b(?:be|been|got|get|had|have|bought|made|found"
    r"|tried|need|want) one\b(?! (?:of|more|last|day|or)\b)"
    r"|\b(?:be(?:en)?|w(?:as|ere|ent)|go(?:ing|ne)?|stay(?:ed|ing)?|li(?:ve|ved|ving)|got|get|am"
    r"|move[ds]?|from|up|over|out) there\b|\bthere\W*\Z"
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


def names_a_day(sentence: str) -> bool:
    """Return whether a sentence names a day or a month that does not recur, as "Mondays" do."""
    return _A_DAY.search(sentence) is not None


def leans(sentence: str) -> bool:
    """Return whether a pronoun stands for what the sentence has not named before it."""
    stems = _english().terms
    for match in _PRONOUN.finditer(sentence):
        before = "" if match["shown"] or match["said"] else sentence[: match.start()]
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


#: What a piece must keep of what the words of its sentence weigh; shorter ones are not cut.
_WEIGHT_SHARE_MIN, _CUT_FROM = 0.85, 80
#: A sentence of so few words may be the tail of the one before it.
_TAIL_WORDS = 5
#: What is not cut off: what turns or limits what a sentence says.
_TURNING = re.compile(
    r"\b(?:but|yet|not|no|nor|never|nothing|nobody|none|without|only|except|unless|until|though|although|however|if"
    r"|instead|almost|nearly)\b|n['’]t\b",
    re.IGNORECASE,
)
#: A clause with its own subject, or a mark, may be cut off; the rest of a list or a verb may not.
_CLAUSE_END = re.compile(
    r"[;:–—…]|\s[-–—]\s|,?\s+(?:(?:and|but|so|because|since|while|although|though|well|then|now|also),?\s+)*(?:i|we|my"
    r"|our|you|he|she|it|they|that|this|there|which|who|where|can|could|because|since|while"
    r"|although|though|especially|specifically)\b",
    re.IGNORECASE,
)
#: A clause that opens with one of these says nothing by itself.
_SUBORDINATE = re.compile(
    r"\W*\b(?:(?:and|but|so)\W+)?(?:if|when|whenever|once|since|because|while|although|though|unless"
    r"|until|as|after|before)\b",
    re.IGNORECASE,
)
#: What goes on behind its cut: "it was not just the food – it was …".
_GOES_ON = re.compile(r"(?:\bnot|n['’]t) (?:just|only|merely|simply)\b", re.IGNORECASE)
#: A piece that is not the beginning opens with one of these.
_OWN = re.compile(
    r"\W*(?:(?:and|but|so|because|since|while)\b\W*)?(?:i|we|my|our)\b", re.IGNORECASE
)
_JOINED = re.compile(r"(?:(?:and|but|so|because)\b|[\s,;:–—-])\s*", re.IGNORECASE)
_ENDS = " ,;:-–—."


def turns_it(sentence: str) -> bool:
    """Return whether a sentence is a short one that turns or limits the one before it."""
    return len(sentence.split()) <= _TAIL_WORDS and _TURNING.search(sentence) is not None


def telling_piece(
    sentence: str, cuts: Sequence[int], weight: Callable[[str], float]
) -> tuple[int, int]:
    """Return where in a sentence the piece stands that tells it, as (start, end).

    `cuts` are places in the sentence; `weight` is what the words of a text weigh together. What
    turns or limits the rest is kept.
    """
    begin = len(sentence) - len(without_opening(sentence))
    if len(sentence) - begin <= _CUT_FROM:
        return _trimmed(sentence, begin, len(sentence), begin)
    ends = [begin, *(cut for cut in cuts if cut > begin), len(sentence)]
    whole = weight(sentence[begin:])
    best, leaning = (begin, len(sentence)), leans(sentence)
    for first, start in enumerate(ends[:-1]):
        if start > begin and not _OWN.match(sentence, _skipped(sentence, start)):
            continue
        if start > begin and _SUBORDINATE.search(sentence, ends[first - 1], start):
            continue  # is part of what that says: "when it is late and I'm tired"
        is_part = _SUBORDINATE.match(sentence, start) is not None  # of what comes behind it
        for end in ends[first + 1 :]:
            if end < len(sentence) and (is_part or not _CLAUSE_END.match(sentence, end)):
                continue
            turns = _TURNING.search(sentence, begin, start) or _TURNING.search(sentence, end)
            goes_on = end < len(sentence) and _GOES_ON.search(sentence, start, end)
            shorter = end - start < best[1] - best[0] and not (turns or goes_on)
            shorter = shorter and (leaning or not leans(sentence[start:end]))
            if shorter and weight(sentence[start:end]) >= _WEIGHT_SHARE_MIN * whole:
                best = start, end
    return _trimmed(sentence, *best, begin)


def _skipped(sentence: str, start: int) -> int:
    joined = _JOINED.match(sentence, start)
    return joined.end() if joined else start


def _trimmed(sentence: str, start: int, end: int, begin: int) -> tuple[int, int]:
    while start > begin and start < end and (joined := _JOINED.match(sentence, start, end)):
        start = joined.end()
    piece = sentence[start:end]
    stripped = piece.rstrip() if piece.rstrip().endswith(("..", "…")) else piece.rstrip(_ENDS)
    return start, start + len(stripped or piece)


def shortened_end(sentence: str, cuts: Sequence[int], chars_max: int) -> int:
    """Return where a sentence that is too long ends when it is cut: at a clause, else a space."""
    if len(sentence) <= chars_max:
        return len(sentence)
    fitting = [cut for cut in cuts if chars_max // 2 <= cut <= chars_max]
    space = sentence.rfind(" ", chars_max // 2, chars_max)
    return fitting[-1] if fitting else space if space > 0 else chars_max
