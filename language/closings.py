"""Words that close what is open: it was done, it is off, a question is answered; and formulas.

What a closing is about is the affair of who compares words; here only how it is worded is read.
English only.
"""

from __future__ import annotations

import re
from enum import StrEnum


class ClosingWord(StrEnum):
    """What a later sentence says of something open: it was done, or it is off."""

    DONE = "done"
    OFF = "off"


def subjects_of(text: str) -> frozenset[str]:
    """Return which of the things that wishes are often about a text names, whatever the word."""
    return frozenset(name for name, words in _SUBJECTS.items() if words.search(text))


def _any(phrases: str, *, opens: str = r"\b") -> re.Pattern[str]:
    """Return a pattern of any of the lines, as whole words."""
    lines = [line.strip() for line in phrases.strip().splitlines()]
    return re.compile(rf"{opens}(?:{'|'.join(lines)})(?!\w)", re.IGNORECASE)


_DONE = _any(
    r"""
    sent|done|finished|arrived|received|got (?:it|the|your|my|them)|came (?:in|today|through)
    booked|paid|fixed|bought|called|delivered|submitted|completed|picked (?:\w+ ){0,3}up
    returned|brought|posted|uploaded|emailed|mailed|signed|cleaned|repaired|installed|ordered
    wrote|written|rewritten|made|took care of|attached|all set|works|went (?:really |very )?well
    (?:all|everything|tests?)(?: \w+)? pass(?:es|ed)?
    thanks? (?:you )?(?:so much |a lot )?for (?:the|your|sending|bringing|making)
    here (?:is|are|it is)|here['’]s|(?:is|are|was|were) (?:great|lovely|delicious|perfect)
    """
)
_OFF = _any(
    r"""
    never ?mind|no need|do(?:n['’]t| not) bother|forget (?:it|about|the|what)|call(?:ed|ing) off
    (?:is|was|got|been|['’]s) (?:cancelled|canceled|called off|off)
    cancel(?:led|ed|ling|ing)? (?:the|my|our|it|that)
    (?:bought|did|made|booked|ordered|got) (?:it|one|them|that) (?:my|our)sel(?:f|ves)
    changed my mind|no longer (?:need|want)|do(?:n['’]t| not) need|decided (?:not|against)
    """
)
#: What is not done yet, or will be.
_NOT_YET = _any(
    r"""
    not|never|yet|still|will|shall|should|must|needs?|if|when|once|until|soon|tomorrow
    going to|gonna|ha(?:ve|s) to|want|hope|planning|about to|nearly|almost
    \w+n['’]t|\w+['’]ll
    """
)
#: What wishes are often about, in words that may stand for one another: "no calls", "phone me".
_SUBJECTS = {
    "contact": _any(
        r"""
        calls?|calling|phone[ds]?|phoning|ring(?:ing)?|texts?|texting|messages?|voice|sms|e-?mails?
        mails?|anrufen?|anrufe|schreib\w*|llam\w+|appel\w*|chiam\w+
        """
    ),
    "language": _any(
        r"""
        english|german|spanish|french|italian|portuguese|dutch|polish|russian|chinese|japanese
        turkish|arabic|swedish|deutsch|englisch|español|inglés|français|anglais
        """
    ),
    "length": _any(
        r"short(?:er)?|long(?:er)?|brief|concise|lengthy|detail(?:s|ed)?|(?:lines|words) at most"
    ),
    "food": _any(
        r"""
        eat|drink|meat|fish|vegan|vegetarian|gluten|dairy|milk|lactose|nuts?|peanuts?|egg|eggs|pork
        alcohol|wine|sugar|wheat|yeast|shellfish
        """
    ),
}
_OPENERS = (
    r"(?:(?:ok|okay|please|sure|well|so|great|thanks?|of course|no problem|alright|and|but"
    r"|absolutely|certainly)\W+)*"
)
_FORMULA = _any(
    r"""
    let me know|feel free|see you|talk (?:to you )?(?:soon|later)|anything else|take care
    (?:i|we)(?:['’]ll| will| am|['’]m| would|['’]d)? (?:be )?(?:here|around|right here)
    (?:i|we)(?:['’]ll| will| am|['’]m| would|['’]d)? (?:be )?(?:happy|glad) to
    (?:i|we)(?:['’]ll| will) (?:let you know|do my best|get back to you|talk to you|catch you)
    (?:i|we)(?:['’]ll| will) see (?:you|what)
    (?:i|we)(?:['’]ll| will)? (?:also )?need (?:to (?:know|verify|confirm|check)|you|your)
    how (?:are|is|['’]s) (?:you|it|things|everything|life)|how (?:can|may) (?:i|we) (?:help|assist)
    what(?:['’]s| is) (?:up|new)|is there anything else|(?:how|what) about you|and you
    can i (?:help|assist)|you know\?|right\?|sounds? good|guess what
    does that (?:help|work|make sense)
    (?:would|do) you (?:like|want)[^.?]* (?:another|more|else|further|any)
    """,
    opens=rf"(?:\A\W*|[,;:–—]\s+(?:and |or |but |so )?){_OPENERS}",
)
#: What comes next: what was begun before it in the same talk is no task any more.
_MOVES_ON = re.compile(
    r"\b(?:mov(?:e|ing) on|on to the (?:next|others?)|next (?:one|question|problem))\b",
    re.IGNORECASE,
)
_VAGUE = _any(
    r"""
    keep \w+ (?:in mind|posted)|look(?:ing)? forward|can(?:['’]t|not) wait|fingers crossed
    """
)


def closing_of(sentence: str) -> ClosingWord | None:
    """Return how a sentence closes something, None where it closes nothing."""
    if sentence.rstrip("\"'”’) ").endswith("?"):
        return None
    off = _OFF.search(sentence)
    if off:
        return ClosingWord.OFF
    return ClosingWord.DONE if _DONE.search(sentence) and not _NOT_YET.search(sentence) else None


def is_formula(sentence: str, *, anywhere: bool = False) -> bool:
    """Return whether a sentence is a set phrase that opens nothing: "Let me know if …".

    With `anywhere`, also one with such a phrase in a later clause: "Once it is here, feel free …".
    """
    phrase = _FORMULA.search(sentence) if anywhere else _FORMULA.match(sentence)
    return (phrase or _VAGUE.search(sentence)) is not None


def moves_on(sentence: str) -> bool:
    """Return whether a sentence leaves what was talked of: "Let's move on to the next one"."""
    return _MOVES_ON.search(sentence) is not None


#: The first that a sentence names, with so many days after which it is over.
_HORIZONS = (
    (re.compile(r"\b(?:today|tonight|this (?:morning|afternoon|evening)|right (?:now|away))\b"), 1),
    (re.compile(r"\btomorrow\b"), 2),
    (re.compile(r"\b(?:(?:this|next|coming) (?:week|weekend)|in a (?:few|couple of) days"
                r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b"), 14),
    (re.compile(r"\b(?:on|by|until|till) the \d{1,2}(?:st|nd|rd|th)\b"), 31),
    (re.compile(r"\b(?:next|this) month|in a (?:few|couple of) weeks\b"), 62),
    (re.compile(r"\b(?:(?:next|this) (?:summer|spring|fall|autumn|winter|year)|in (?:a few|some)"
                r" months|january|february|april|june|july|august|september|october|november"
                r"|december)\b"), 365),
)  # fmt: skip
#: Of what no time is named.
UNDATED_DAYS = 90


def open_days(sentence: str) -> tuple[int, bool]:
    """Return after how many days what a sentence intends has lapsed, and whether it names a time.

    Days count from when it was said.
    """
    folded = sentence.lower()
    for pattern, days in _HORIZONS:
        if pattern.search(folded):
            return days, True
    return UNDATED_DAYS, False


_COMMITMENTS = re.compile(
    r"\b(?:i['’]ll|i will|we['’]ll|we will|let['’]s|i(?:['’]m| am) (?:going to|gonna|planning)"
    r"|gonna|we(?:['’]re| are) (?:going to|planning)|i promise|(?:i|we) plan to)\b",
    re.IGNORECASE,
)
_NO_COMMITMENT = re.compile(
    r"\b(?:i['’]ll|i will|we['’]ll) (?:need|be (?:happy|glad|sure|able|there)|have to|never|always"
    r"|assume|then|now|first|just|let you|see you|take it|definitely|def)\b|\bif you\b"
    r"|\A(?:if|once|when)\b|\blet['’]s (?:see|say|be|chat|talk|catch)\b|\bbe here\b"
    r"|\bplease (?:provide|confirm|let)\b"
    r"|\b(?:once|when|whenever|as soon as) you\b|\b(?:feel free|reach out (?:to|if|when))\b",
    re.IGNORECASE,
)
_DECISIONS = re.compile(
    r"\b(?:(?:i|we)(?:['’]ve| have)? (?:decided|chose|chosen|settled on|picked|opted)"
    r"|(?:i['’]ll|i will|let['’]s|we['’]ll|i['’]d like to) (?:go (?:with|for)|take the|stick with)"
    r"|the decision|made (?:up my mind|a decision))\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[^.!?。！？؟\n]*[?？؟]+")
#: Questions that ask nothing.
_TAG_QUESTIONS = re.compile(
    r"\W*(?:right|ok|okay|no|yes|yeah|really|huh|eh|you know)\W*", re.IGNORECASE
)
_DEFERRALS = re.compile(
    r"\b(?:get back to you|let you know|look into (?:it|that|this)|find out|check and|not sure"
    r"|no idea|i don['’]?t know|i['’]?ll (?:check|ask|see|look))\b",
    re.IGNORECASE,
)


def decides(sentence: str) -> bool:
    """Return whether a sentence tells a decision."""
    return _DECISIONS.search(sentence) is not None


def commits(sentence: str) -> bool:
    """Return whether a sentence undertakes something in particular."""
    vague = _NO_COMMITMENT.search(sentence) or decides(sentence)
    return _COMMITMENTS.search(sentence) is not None and not vague


def questions_in(message: str) -> list[str]:
    """Return the questions of a message that ask something."""
    questions = [match.strip() for match in _QUESTION.findall(message)]
    return [question for question in questions if not _TAG_QUESTIONS.fullmatch(question)]


def answers(message: str) -> bool:
    """Return whether a message says more than a question or that the answer comes later."""
    told = _QUESTION.sub("", message).strip(" \n\t.!…")
    return bool(told) and not _DEFERRALS.search(message)
