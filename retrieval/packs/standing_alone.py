"""Which sentences can be understood alone, and which lean on the one before them.

"Just wanted to say hi!" says nothing that could be told again; "I made it last week" leans on the
sentence that names it. Words are compared, nothing is parsed. English only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

from ...core.sentences import COMMON_TALK, split_sentences, without_opening

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

_TIME = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight|today|noon|morning|afternoon"
    r"|evening|weekend|week|month|\d{1,2}(?::\d\d)?(?: ?[ap]\.?m\.?)?|o['’]?clock)s?"
)
#: Agrees to a time, and says nothing of what is to be then: "Next Friday works for me".
_AGREES = re.compile(
    r"\W*(?:(?:sure|yes|yeah|yep|ok|okay|great|perfect|cool|that|this|next|on|at|the|coming|then)"
    rf"[ ,!.]+)*{_TIME}(?: (?:at |around |in the )?{_TIME})? (?:works?|suits?|it is|sounds"
    r"|(?:is|would be|['’]s) (?=fine|good|great|perfect|ok))"
    r"(?: ?(?:fine|good|great|perfect|well|ok|okay))?(?: (?:(?:for|to) )?(?:me|us))?(?: too)?\W*",
    re.IGNORECASE,
)


def agrees_on_time(sentence: str) -> bool:
    """Say whether a sentence only agrees to a time."""
    return _AGREES.fullmatch(sentence) is not None


def among_speakers(
    terms_of: Callable[[str], Sequence[str]], speakers: Iterable[str | None]
) -> StandingAlone:
    """Return what judges sentences of a talk, in which the names of who speaks tell nothing."""
    return StandingAlone(terms_of, {term for name in {*speakers} for term in terms_of(name or "")})


class StandingAlone:
    """Judges sentences by the words that they are made of; `names` are terms of who speaks."""

    def __init__(self, terms_of: Callable[[str], Sequence[str]], names: Collection[str]) -> None:
        self.terms_of = terms_of
        self._names = tuple(names)
        self._common = frozenset(terms_of(" ".join(COMMON_TALK)))
        self._not_meant = self._common - {*terms_of(_PEOPLE)}

    def content(self, sentence: str) -> list[str]:
        """Return the terms that tell something: neither talk nor a name of who speaks."""
        return [
            term
            for term in self.terms_of(sentence)
            if term not in self._common
            and not (len(term) > 1 and any(name.startswith(term) for name in self._names))
        ]

    def leans(self, sentence: str) -> bool:
        """Say whether a pronoun stands for what the sentence has not named before it."""
        for match in _PRONOUN.finditer(sentence):
            before = "" if match["shown"] else sentence[: match.start()]
            if match["object"]:
                before = before[: max((end.start() for end in _CLAUSE.finditer(before)), default=0)]
            if not {*self.terms_of(before)} - self._not_meant:
                return True
        return False

    def sentence_before(self, text: str) -> str:
        """Return the last sentence of a text where it names something by itself; else ""."""
        sentences = split_sentences(text)
        before = without_opening(sentences[-1]) if sentences else ""
        stands = self.content(before) and not before.endswith("?") and not self.leans(before)
        return before if stands else ""
