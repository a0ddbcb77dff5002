"""The question in the voice of the person it asks about.

What somebody said of themselves says "I", and a question about them says their name: turned round,
both lie closer in meaning. Rules for English; a question that names nobody stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from ...core.people import Gazetteer

#: Words about the person asked about, and what they themselves would say.
_PRONOUNS = {
    "he": "I",
    "she": "I",
    "they": "I",
    "him": "me",
    "his": "my",
    "her": "my",
    "their": "my",
    "himself": "myself",
    "herself": "myself",
    "themselves": "myself",
}
_PRONOUN = re.compile(rf"\b(?:{'|'.join(_PRONOUNS)})\b", re.IGNORECASE)
_VERBS = {"is": "am", "has": "have"}


def rewrite_in_first_person(text: str, gazetteer: Gazetteer) -> str:
    """Return a question as the first person that it names would put it of themselves.

    Their name becomes "I", another's "you", and pronouns follow; without a name it is unchanged.
    """
    people = gazetteer.named_in(text)
    if not people:
        return text
    subject_id = people[0].id
    rewritten = _PRONOUN.sub(lambda match: _PRONOUNS[match.group().lower()], text)
    for person in people:
        names = [alias for alias, bearer in gazetteer.aliases.items() if bearer.id == person.id]
        pronouns = ("I", "my") if person.id == subject_id else ("you", "your")
        rewritten = _name_pattern(names).sub(_replacement(*pronouns), rewritten)
    return rewritten


def _name_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Return what finds any of some names, the verb before it and the possessive behind it."""
    longest = sorted(map(re.escape, names), key=len, reverse=True)
    return re.compile(
        rf"\b(?:(?P<verb>is|has)(?P<gap>\s+))?(?:{'|'.join(longest)})(?P<of>['’]s)?(?!\w)",
        re.IGNORECASE,
    )


def _replacement(subject: str, possessive: str) -> Callable[[re.Match[str]], str]:
    def replace_match(match: re.Match[str]) -> str:
        verb, pronoun = match["verb"] or "", possessive if match["of"] else subject
        if verb and subject == "I" and not match["of"]:
            verb = _VERBS[verb.lower()]
        return f"{verb}{match['gap'] or ''}{pronoun}"

    return replace_match
