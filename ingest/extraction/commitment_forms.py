"""Set forms in which people commit to something: "Count me in", "I'm off to Crete on Sunday".

Patterns only, which `commitments` reads; English only.
"""

from __future__ import annotations

import re

from ...core.vocabulary import CommitmentKind

_YOU = r"(?:you|ya|u)"
_I_AM = r"\b(?:i['’]?m|i am|we['’]re|we are)"
#: Verbs by which something reaches the listener.
_REACHES = r"(?:send|text|e-?mail|forward|mail|dm|message|share|bring|drop|lend|get|grab|order)"
#: Asks to be reminded, or notes a thing to do; the second needs a time.
REMINDS = re.compile(
    r"(?:\A|[,;:.!]|\b(?:please|you|and|also|so)) *remind (?:me|us) (?:to|about)\b"
    r"|\Aask (?:me|us) again\b|\bdon['’]t let (?:me|us) forget (?:to|about)\b"
    r"|\bnote to self\b|\b(?:make|take) a note (?:of|to|that|about)\b|\bto-?do\s*:",
    re.IGNORECASE,
)
REMEMBER = re.compile(r"\b(?:don['’]t forget|(?:please |must )?remember) to\b", re.IGNORECASE)
#: Tells how something went, or is going on.
UPDATES = re.compile(
    rf"\b(?:let (?:{_YOU}|him|her|them|(?:my|our) \w+) (?:all )?know"
    rf"|keep(?:ing)? {_YOU} (?:\w+ )?(?:posted|updated|informed|in the loop)"
    rf"|(?:get|be) back (?:to|with) {_YOU}|contact you|first to know"
    rf"|tell {_YOU} (?:as soon as|when|once|how|what (?:happens|i think)|(?:all |more )?about)"
    rf"|(?:text|message|call|write) {_YOU} how|fill {_YOU} in|give {_YOU} an update"
    r"|report back"
    r"|(?:reach (?:back )?out|be in touch|follow up)\b.*\b(?:as soon as|when|once|with|about)"
    r")\b",
    re.IGNORECASE,
)
AS_SOON = re.compile(r"\b(?:as soon as|once|when) i\b.*\breach (?:back )?out\b", re.IGNORECASE)
#: Notes something, to come back to it.
LISTS_IT = re.compile(
    r"\b(?=(?:adding|putting) (?:it|that|this|them) (?:to|on) (?:my|our|the) (?:[\w-]+ )?list\b)",
    re.IGNORECASE,
)
#: Takes part, or takes over: "Count me in for Saturday", "Count on me to bring the drinks".
_COUNT_ON_ME = re.compile(r"\bcount (?:me in|on (?:me|us) (?:to|for)) ", re.IGNORECASE)
_CANNOT_WAIT = re.compile(
    r"\bcan(?:['’]t|not| not) wait to "
    rf"(?=(?:show|give|send|bring|take|share|tell)\b.*\b{_YOU}\b)",
    re.IGNORECASE,
)
_SEE_YOU = re.compile(rf"\b(?=see {_YOU}\b)", re.IGNORECASE)
_WE_SETTLED = re.compile(
    r"\bwe(?:['’]ve)?(?: have)?(?: already| just)? (?:decided to|planned|agreed to|arranged)\b",
    re.IGNORECASE,
)
_OFF_TO = re.compile(rf"{_I_AM} off to (?!an? \w+ start)(?=\w)", re.IGNORECASE)
_ABOUT_TO = re.compile(rf"{_I_AM} about to (?=\w)", re.IGNORECASE)
_MY_PLAN = re.compile(
    r"\b(?:my|our|the) (?:\w+ )?(?:plan|goal|aim|next step) is to (?=\w)", re.IGNORECASE
)
_ME_AND = re.compile(
    r"\bme (?:and|&) (?:my )?\w+ (?:are|['’]re) (?:going to|gonna) (?=\w)", re.IGNORECASE
)
_SUITS_ME = re.compile(
    r"\b(?=\w+ (?:at \w+ )?works (?:for (?:me|us)|great|perfectly)\b)", re.IGNORECASE
)
_LET_ME_SEND = re.compile(rf"\blet me (?={_REACHES} (?:{_YOU}|it|this|that|them)\b)", re.IGNORECASE)
_LET_ME_SHOW = re.compile(rf"\blet me (?=show {_YOU}\b)", re.IGNORECASE)
_LET_ME_ASK = re.compile(rf"\blet me (?=.*\b(?:get back to {_YOU}|let {_YOU} know))", re.IGNORECASE)
_HAD_BETTER = re.compile(r"\b(?:i|we)(?:['’]d| had) better (?!not)(?=\w)", re.IGNORECASE)
_HAVE_TO = re.compile(
    r"(?:\A|[,;–-] *)(?:gotta|got to|need to|have to|must) (?=\w.*"
    r"\b(?:by|before|until|(?<!to )(?:today|tonight|tomorrow))\b)",
    re.IGNORECASE,
)
#: Written as it is typed: "ill send u the file", "imma bring it".
_TYPED = re.compile(
    r"(?:\A|[.!,;:]|\b(?:and|so|but|ok|then))\s*"
    rf"(?:im gonna|imma|i['’]ma|ill(?= (?:def |also |just )?(?:{_REACHES}|call|check|try|make|ask"
    r"|take|pick|come|give|show|tell|help|look|write)\b))\s+(?=\w)",
    re.IGNORECASE,
)
_DEFINITELY = re.compile(
    rf"{_I_AM} (?:definitely|totally|so|100%) (?=(?:trying|making|getting|watching|reading|buying"
    r"|checking|ordering|signing|going|using|adding|cooking|baking)\b)",
    re.IGNORECASE,
)
#: Forms that name a deed behind them, its kind, and whether a time must be set.
FORMS = (
    (_COUNT_ON_ME, CommitmentKind.PROMISE, False),
    (_CANNOT_WAIT, CommitmentKind.PLAN, False),
    (_SEE_YOU, CommitmentKind.PLAN, True),
    (_OFF_TO, CommitmentKind.PLAN, True),
    (_ABOUT_TO, CommitmentKind.PLAN, False),
    (_MY_PLAN, CommitmentKind.PLAN, True),
    (_ME_AND, CommitmentKind.PLAN, False),
    (_SUITS_ME, CommitmentKind.PLAN, True),
    (_LET_ME_SEND, CommitmentKind.PROMISE, False),
    (_LET_ME_SHOW, CommitmentKind.PROMISE, True),
    (_LET_ME_ASK, CommitmentKind.PROMISE, False),
    (_HAD_BETTER, CommitmentKind.DEADLINE, True),
    (_HAVE_TO, CommitmentKind.DEADLINE, True),
    (_TYPED, CommitmentKind.PROMISE, False),
    (_DEFINITELY, CommitmentKind.PLAN, False),
    (LISTS_IT, CommitmentKind.PLAN, False),
)
#: Forms that commit, however unlikely a sentence is to commit by what was learned.
SURE_FORMS = (UPDATES, _CANNOT_WAIT, _WE_SETTLED, LISTS_IT)
