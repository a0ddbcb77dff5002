"""What makes a sentence no commitment: doubts, wishes, times that are none, conditions."""

from __future__ import annotations

import re

UNSURE = re.compile(
    r"\b(?:maybe|perhaps|someday|some day|one day|one of these|might|who knows|wish|dream"
    r"|not sure|probably|unless|hope|wonder|guess|imagine|as if|pretend|joking|kidding|lol|haha"
    r"|eventually|either way|in case|sometime|i think|let me know which|confirm which)\b|😂|🤣",
    re.IGNORECASE,
)
#: What is not meant as it is said.
JOKES = re.compile(r"(?:haha\w*|lol|just kidding|😂|🤣)\W*\Z", re.IGNORECASE)
#: Times that are none, wherever they stand, and a duty that is only spoken of.
VAGUE_TIME = re.compile(
    r"\b(?:sometime|some time soon|some ?day|one day|one of these|at some point|eventually|whenever"
    r"|in the future|(?:when|once) i (?:get|have|find) (?:a |the |some )?(?:chance|time|moment)"
    r"|when the time|if i)\b",
    re.IGNORECASE,
)
ONLY_DUTY = re.compile(r"(?:['’]ll|\bwill) (?:probably |just )?have to\b", re.IGNORECASE)
#: A condition that only asks whether it suits.
POLITE = re.compile(
    r"\bif (?:that['’]?s|that is|it['’]?s|it is|you don['’]t mind|you(?:['’]d)? (?:like|want)\b"
    r"(?! to| me))(?: (?:fine|ok|okay|alright|possible|cool))?",
    re.IGNORECASE,
)
IF_YOU_LIKE = re.compile(r"if you(?:['’]d)? (?:like|want),", re.IGNORECASE)
#: Asks only whether it suits.
SUITS = re.compile(r"[,;–-] *(?:how['’ \w]+ sound|(?:is that )?ok(?:ay)?)\?\W*\Z", re.IGNORECASE)
#: The other side is to speak first: until then nothing is owed.
AWAITS = re.compile(
    r"\b(?:please|let me know|if (?:yes|so|not)"
    r"|(?:once|when|whenever|after|as soon as) (?:you|we))\b",
    re.IGNORECASE,
)
#: What is wanted, where what is booked is only told of: "I have a flight on May 24 that I want to".
WANTS = re.compile(r"\b(?:want|need|would like|['’]d like|wish)\b", re.IGNORECASE)
#: What is booked already, and only told: "My original flight is on the 5th".
STANDS = re.compile(
    r"\b(?:my|our) (?:current|original|existing|previous|old|last)\b", re.IGNORECASE
)
HOPES = frozenset("looking hoping thinking trying wanting".split())
