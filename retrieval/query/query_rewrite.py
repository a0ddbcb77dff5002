"""Rewrites a question in the first person of the person it asks about.

People say "I" of themselves, and a question about them uses their name: rewritten, both are closer
in meaning. Rules for English; a question that names nobody stays as it is.
"""

from __future__ import annotations

import re

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
_POSSESSIVE = re.compile(r"['’]s\Z", re.IGNORECASE)
#: The verb before or behind "I", with its "not", and as it is said of oneself.
_VERBS = {"is": "am", "has": "have", "does": "do"}
_AGREEMENT = re.compile(
    r"\b(?:(?P<before>is|has|does)(?P<not>n['’]t)?(?=\s+I\b)"
    r"|(?<=\bI )(?P<behind>is|has|does)(?P<never>n['’]t)?\b)",
    re.IGNORECASE,
)


def rewrite_in_first_person(text: str, gazetteer: Gazetteer) -> str:
    """Return a question as the first person that it names would put it of themselves.

    Their name becomes "I", another's "you", and pronouns follow; without a name it is unchanged.
    """
    mentions = gazetteer.mentions(text)
    if not mentions:
        return text
    people = gazetteer.named_in(text)
    subject_id = people[0].id
    parts, done = [], 0
    for start, end, person in sorted(mentions, key=lambda mention: (mention[0], -mention[1])):
        if start < done:  # within a longer name
            continue
        subject, possessive = ("I", "my") if person.id == subject_id else ("you", "your")
        parts += [
            _spoken(text[done:start]),
            possessive if _POSSESSIVE.search(text[start:end]) else subject,
        ]
        done = end
    rewritten = "".join([*parts, _spoken(text[done:])])
    return _AGREEMENT.sub(_first_person_verb, rewritten)


def _spoken(text: str) -> str:
    return _PRONOUN.sub(lambda match: _PRONOUNS[match.group().lower()], text)


def _first_person_verb(match: re.Match[str]) -> str:
    verb = _VERBS[(match["before"] or match["behind"]).lower()]
    negation = match["not"] or match["never"]
    if negation and verb == "am":
        return "am not" if match["behind"] else "aren't"
    return f"{verb}{negation or ''}"
