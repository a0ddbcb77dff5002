"""Whether a text has anything of the kind that a question asks for: a number, a name, a time.

A memory may have every word of "What does the puppy course cost?" and no price. Only kinds that
show on the surface are judged, in English, German, French, Spanish, Italian and Portuguese; of any
other question nothing is said.
"""

from __future__ import annotations

import re

from ..core.time import NUMBER_PATTERN
from .fact_objects import FAMILY

_NUMBER = re.compile(
    r"\bhow (?:many|much|old|long|far|often|high|big|tall|large|heavy|deep|fast|wide)\b|\bcosts?\b"
    r"|\b(?:what|which) (?:is the |was the )?(?:price|size|amount|number|age|percentage|rate)\b"
    r"|\bwie (?:viele?|alt|lange?|hoch|teuer|oft|groß|weit|schwer)\b|\bgekostet\b|\bkostet\b"
    r"|\bcombien\b|\bquel(?:le)? (?:âge|prix|taille|est le (?:prix|numéro))\b"
    r"|\bcuánt[oa]s?\b|\bquant[oaie]\b|\bqué (?:precio|edad)\b",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"^\W*(?:(?:from|to|with|for|by|at|of|bei|von|mit|für|de|à|avec|pour|con|para|por|di|a|da)\s+)?"
    r"(?:who|whose|whom|wer|wen|wem|wessen|qui|quién(?:es)?|chi|quem)\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\bnames?\b|\bcalled\b|\bheißen\b|\bheißt\b|\bname\b|\bs['’]appelle|\bse llaman?\b|\bnombre\b"
    r"|\bsi chiama\b|\bse chama\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:did|was|were|had|has|have|hat|haben|war|waren|wurde|wurden|a|ont|fue|fueron)\b",
    re.IGNORECASE,
)
_SOME_NUMBER = re.compile(
    rf"\b(?:{NUMBER_PATTERN}|once|twice|half|third|double|dozen|every|daily|weekly|always|never"
    r"|einmal|zweimal|halb|jede\w*|täglich|immer|nie|chaque|toujours|jamais|cada|siempre|nunca)\b",
    re.IGNORECASE,
)
_DIGITS, _WORD = re.compile(r"\d+"), re.compile(r"\w+")
#: A capital behind a word, a comma or a bracket, not where a sentence begins.
_CAPITAL = re.compile(r"(?<=[\w,;:(/&+–-] )[^\W\d_a-zà-ÿ]\w*|(?<=[(/&+@])[^\W\d_a-zà-ÿ]\w*")
#: Who is told of without a name: "my mother", "the upstairs neighbour".
_SOMEBODY = re.compile(
    r"\b(?:my|our|his|her|their|the|a|an|mein\w*|unser\w*|der|die|mon|ma|notre|mi|nuestr[oa]|mio|mia)\s+\w",
    re.IGNORECASE,
)


#: Of what somebody speaks, behind a word that says whose or which it is.
_DETERMINED = re.compile(
    r"(?:\b(?:my|our|your|his|her|their|the|an?)|['’]s)\s+([^\W\d_]+)", re.IGNORECASE
)
_ASKED_BY = re.compile(r"\b(?:how|which|what)\s+(\w+)", re.IGNORECASE)
#: What a question asks for by its name: "What is the address of".
_ATTRIBUTE = re.compile(
    r"\W*(?:what|which|how) (?:is|are|was|were) (?:\w+['’]s|my|our|your|his|her|their|the) \w+"
    r"(?=\W*\Z| (?:of|in|for|to|at)\b)",
    re.IGNORECASE,
)


def names_within(text: str) -> list[str]:
    """Return the words with a capital inside of sentences: names, as English writes them.

    Those in capitals alone (PIN, GPS) are none.
    """
    return [word for word in _CAPITAL.findall(text) if not word.isupper()]


def subjects(question: str) -> tuple[set[str], set[str]]:
    """Return the words that a question says "my", "the" or the like of, and those it asks by.

    "How much sugar does the recipe need?" is of the recipe, and asks by "much"; "What is the
    address?" is of nothing.
    """
    asked = _ATTRIBUTE.match(question)
    of = _DETERMINED.findall(question, asked.end() if asked else 0)
    return {word.lower() for word in of}, {word.lower() for word in _ASKED_BY.findall(question)}


def is_of_other_family(question: str, text: str) -> bool:
    """Return whether a question is of a relative ("my sister"), and a text of others only."""
    asked, told = (
        {FAMILY[word] for word in _WORD.findall(each.lower()) if word in FAMILY}
        for each in (question, text)
    )
    return bool(asked and told) and not asked & told


def lacks_counterpart(question: str, text: str, *, asks_when: bool, names_time: bool) -> bool:
    """Return whether a question asks for a number, a name or a time, and `text` has none.

    What the question says itself is no answer to it. A past event is dated by its message:
    without a time in its text (`names_time`), it lacks one only for a question about now or later.
    """
    if _NUMBER.search(question):
        said = set(_DIGITS.findall(question))
        return not (said < {*said, *_DIGITS.findall(text)} or _SOME_NUMBER.search(text))
    if asks_when:
        return not (names_time or _PAST.search(question) or _DIGITS.search(text))
    named, who = _NAME.search(question), _WHO.search(question)
    if not (named or who):
        return False
    said = {word.lower() for word in _WORD.findall(question)}
    names = {name.lower() for name in _CAPITAL.findall(text)} - said - {"i"}
    return not names and not (who and not named and _SOMEBODY.search(text))
