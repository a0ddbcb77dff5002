"""Who of the speaker's is told to be dead: "my aunt Carla died", "I lost my grandpa in May".

What was stated of them as living ends. English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..analysis.analysis import Sentence
from ..entities.bearer_words import ANIMALS, KIN
from .fact_words import COUNTED

_WHO = "|".join(sorted({*KIN, *COUNTED, *ANIMALS}, key=len, reverse=True))
_NAME = r"(?:,? (?P<{}>[A-Z][\w'’-]*),?)?"
_ADVERB = r"(?:(?:just|recently|sadly|suddenly|unexpectedly|finally) )?"
_MINE = r"(?i:\b(?:my|our) )(?:[\w-]+ ){0,2}?"
_DIED = re.compile(
    rf"{_MINE}(?i:(?P<who>{_WHO}))\b{_NAME.format('name')}"
    rf" {_ADVERB}(?:(?:has|had|have) {_ADVERB})?"
    r"(?:(?:died|passed away|passed on)\b(?! (?:laughing|of (?:boredom|laughter)))"
    r"|(?:is|are) (?:dead(?! (?:tired|set|serious|wrong|right|on|keen))|no longer with us)\b)"
    rf"|(?i:\b(?:lost|buried)|\bput(?= [^.!?]* (?:down|to sleep)\b)) {_MINE}"
    rf"(?i:(?P<lost>{_WHO}))\b{_NAME.format('lost_name')}(?! (?:in|at) the|['’]s| [a-z]+ing)"
)
_NOT_SO = re.compile(r"\b(?:if|when|nearly|almost|never|dream\w*)\b|n['’]t\b", re.IGNORECASE)
#: Who is lost may have gone astray.
_STRAYS = frozenset(ANIMALS)


def deaths_in(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Yield who of the speaker's died: what they are called, and their name or nothing."""
    if sentence.is_question or _NOT_SO.search(sentence.text):
        return
    for match in _DIED.finditer(sentence.text):
        who = (match["who"] or match["lost"]).lower()
        if match["who"] or who not in _STRAYS or not match[0].lower().startswith("lost"):
            yield who, match["name"] or match["lost_name"] or ""


def ended_by(who: str, name: str) -> Iterator[tuple[str, str, bool]]:
    """Yield what ends with a death: predicate, object, True."""
    predicate = "pet" if who in ANIMALS else KIN.get(who) or COUNTED[who]
    if predicate == "partner":
        yield predicate, "", True
        return
    yield from ((predicate, object, True) for object in (who, name) if object)
